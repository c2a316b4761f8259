#include "engine/analysis/assembly.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/rows/equality_rows.h"
#include "solvers/linear/kkt_system.h"

namespace grashof {
namespace {

constexpr double kFirstDamping = 1e-2, kMinDamping = 1e-12, kMaxDamping = 1e8;
constexpr double kMaxTurn = 0.5;  // rad per step
constexpr double kProximal = 1e-12;
constexpr double kPinned = 1e9;    // mass of pinned bodies, relative to the others
constexpr double kSame = 1e-6;     // m, rad: poses closer than this are the same
constexpr double kRelevant = 0.1;  // relative to the worst residual: loops below it are not reported

class Assembler {
 public:
  Assembler(const Model& model, const AssemblyOptions& options)
      : model_(model), options_(options), length_(mechanismSize(model)), geometry_(model.joints.size()) {
    problem_.inertia.resize(model.bodies.size());
    for (InertiaBlock& m : problem_.inertia) {
      m.inertia = length_ * length_ * Mat3::Identity();
      m.inverseInertia = m.inertia.inverse();
    }
    for (const int body : options.pinned) {
      InertiaBlock& m = problem_.inertia[body];
      m.mass *= kPinned;
      m.inverseMass /= kPinned;
      m.inertia *= kPinned;
      m.inverseInertia /= kPinned;
    }
  }

  AssemblyResult run(State& state) {
    AssemblyResult result;
    std::vector<Pose> pinned;
    pinned.reserve(options_.pinned.size());
    for (const int body : options_.pinned) pinned.push_back(state.poses[body]);
    std::vector<Pose> poses = state.poses;
    double cost = evaluate(state.poses, state.coordinates);
    double damping = kFirstDamping;
    while (worst_ > options_.tolerance && result.iterations < options_.maxIterations) {
      ++result.iterations;
      if (!step(damping)) break;
      for (std::size_t b = 0; b < poses.size(); ++b) poses[b] = movePose(state.poses[b], move_[b], 1.0);
      for (std::size_t i = 0; i < pinned.size(); ++i) poses[options_.pinned[i]] = pinned[i];
      const double tried = evaluate(poses, state.coordinates);
      if (tried < cost) {
        cost = tried;
        state.poses = poses;
        damping = std::max(0.2 * damping, kMinDamping);
        keepCoordinates(state);
        continue;
      }
      damping *= 5.0;
      if (damping > kMaxDamping) break;
      evaluate(state.poses, state.coordinates);
    }
    evaluate(state.poses, state.coordinates);
    keepCoordinates(state);
    result.violation = jointViolation(model_, geometry_, 0.0);
    result.limitViolation = limitViolation_;
    result.assembled = worst_ <= options_.tolerance;
    if (!result.assembled)
      result.open = openLoops();
    else
      result.open = turnedRound(state.poses);
    result.assembled = result.assembled && result.open.empty();
    return result;
  }

 private:
  /// Fills residuals and rows at `poses`, including rows of the limits that are crossed. Returns half the sum
  /// of squared residuals.
  double evaluate(std::span<const Pose> poses, std::span<const double> reference) {
    evaluateJoints(model_, poses, reference, geometry_);
    assembleEqualityRows(model_, geometry_, 0.0, EqualityTarget::Position, problem_);
    for (const AssemblyInput& input : options_.inputs) {
      const JointGeometry& g = geometry_[input.joint];
      const bool turns = model_.joints[input.joint].type->isAngle(input.coordinate);
      const double off = g.coordinate[input.coordinate] - input.value;
      addRow(model_.joints[input.joint], g.coordinateRow[input.coordinate],
             turns ? unwrapAngle(off, 0.0) : off);
    }
    limitViolation_ = 0.0;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
        const Limit& limit = joint.coordinates[i].limit;
        const double q = geometry_[j].coordinate[i];
        if (!limit.bounded() || limit.gap(q) >= 0.0) continue;
        limitViolation_ = std::max(limitViolation_, -limit.gap(q));
        addRow(joint, geometry_[j].coordinateRow[i], q - std::clamp(q, limit.lower, limit.upper));
      }
    }
    worst_ = maxAbs(problem_.bias);
    double sum = 0.0;
    for (const double f : problem_.bias) sum += 0.5 * f * f;
    return sum;
  }

  void addRow(const Joint& joint, const JointRow& row, double residual) {
    JointBlock block;
    block.row = problem_.jointRows++;
    block.rows = 1;
    block.firstTerm = static_cast<int>(problem_.jointTerms.size());
    const auto term = [&](int body, const Vec6& jacobian) {
      if (body < 0) return;
      problem_.jointTerms.push_back({body, Mat6::Zero()});
      problem_.jointTerms.back().jacobian.row(0) = jacobian.transpose();
      ++block.terms;
    };
    term(joint.base, row.base);
    term(joint.follower, row.follower);
    problem_.joints.push_back(block);
    problem_.bias.push_back(residual);
    problem_.compliance.push_back(0.0);
  }

  /// Sets move_ to the u that minimizes |J u + f|² + damping |u|², shortened to a length for which the
  /// linearization holds. False: the system could not be factorized.
  bool step(double damping) {
    std::fill(problem_.compliance.begin(), problem_.compliance.end(), damping);
    kkt_.analyze(problem_);
    if (!kkt_.factorize(problem_, {}, kProximal)) return false;
    move_.assign(model_.bodies.size(), Vec6::Zero());
    row_.assign(problem_.bias.begin(), problem_.bias.end());
    for (double& r : row_) r = -r;
    kkt_.solve(problem_, move_, row_);
    double turn = 0.0, way = 0.0;
    for (const Vec6& u : move_) {
      turn = std::max(turn, u.tail<3>().norm());
      way = std::max(way, u.head<3>().norm());
    }
    const double share =
        std::min({1.0, kMaxTurn / std::max(turn, 1e-300), 4.0 * length_ / std::max(way, 1e-300)});
    for (Vec6& u : move_) u *= share;
    return std::isfinite(turn) && std::isfinite(way);
  }

  void keepCoordinates(State& state) const {
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      for (int i = 0; i < model_.joints[j].type->numDofs(); ++i)
        state.coordinates[model_.coordinateStart[j] + i] = geometry_[j].coordinate[i];
  }

  double residualOf(int joint) const {
    double worst = 0.0;
    for (int i = 0; i < model_.joints[joint].type->numConstraints(); ++i)
      worst = std::max(worst, std::abs(geometry_[joint].residual[i]));
    return worst;
  }

  /// Joints whose axes are antiparallel. Their residuals are components of one axis normal to the other,
  /// which are zero there as well.
  std::vector<OpenLoop> turnedRound(std::span<const Pose> poses) const {
    static const Pose world;
    std::vector<OpenLoop> loops;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      std::array<bool, 3> held{};
      for (const Direction d : joint.type->constrainedDirections())
        if (isRotation(d)) held[axisOf(d)] = true;
      const JointFrames frames =
          jointFrames(joint, joint.base >= 0 ? poses[joint.base] : world, poses[joint.follower]);
      const Mat3 turn = frames.baseAxes.transpose() * frames.followerAxes;
      double cosine = 1.0;
      const auto count = std::count(held.begin(), held.end(), true);
      if (joint.softness.soft() || count < 2) continue;
      if (count == 3) cosine = 0.5 * (turn.trace() - 1.0);
      for (int a = 0; a < 3 && count == 2; ++a)
        if (!held[a]) cosine = turn(a, a);
      if (cosine < 0.0)
        loops.push_back(
            {static_cast<int>(j), std::acos(std::max(cosine, -1.0)), wayRound(static_cast<int>(j))});
    }
    return loops;
  }

  /// Joints with residuals, worst first, each with the other joints of its shortest loop.
  std::vector<OpenLoop> openLoops() const {
    std::vector<int> order;
    double most = 0.0;
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      if (!model_.joints[j].softness.soft()) {
        order.push_back(static_cast<int>(j));
        most = std::max(most, residualOf(order.back()));
      }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return residualOf(a) > residualOf(b); });
    std::vector<OpenLoop> loops;
    std::vector<bool> told(model_.joints.size(), false);
    for (const int j : order) {
      if (told[j] || residualOf(j) < std::max(kRelevant * most, options_.tolerance)) continue;
      OpenLoop loop{j, residualOf(j), wayRound(j)};
      told[j] = true;
      for (const int other : loop.joints) told[other] = true;
      loops.push_back(std::move(loop));
    }
    return loops;
  }

  /// Joints on the shortest path from the base of joint `open` to its follower that avoids this joint:
  /// breadth-first search over bodies, with the world as one of them.
  std::vector<int> wayRound(int open) const {
    const int world = static_cast<int>(model_.bodies.size());
    const auto place = [&](int body) { return body < 0 ? world : body; };
    std::vector<int> from(world + 1, -2), queue = {place(model_.joints[open].base)};
    from[queue[0]] = -1;
    const int goal = place(model_.joints[open].follower);
    for (std::size_t head = 0; head < queue.size() && from[goal] == -2; ++head)
      for (std::size_t j = 0; j < model_.joints.size(); ++j) {
        if (static_cast<int>(j) == open) continue;
        const int a = place(model_.joints[j].base), b = place(model_.joints[j].follower);
        const int next = queue[head] == a ? b : queue[head] == b ? a : -1;
        if (next < 0 || from[next] != -2) continue;
        from[next] = static_cast<int>(j);
        queue.push_back(next);
      }
    std::vector<int> way;
    if (from[goal] == -2) return way;
    for (int body = goal; from[body] >= 0;) {
      const Joint& joint = model_.joints[from[body]];
      way.push_back(from[body]);
      body = place(joint.base) == body ? place(joint.follower) : place(joint.base);
    }
    std::reverse(way.begin(), way.end());
    return way;
  }

  const Model& model_;
  const AssemblyOptions& options_;
  double length_;
  std::vector<JointGeometry> geometry_;
  DualProblem problem_;
  KktSystem kkt_;
  std::vector<Vec6> move_;
  std::vector<double> row_;
  double worst_ = 0.0, limitViolation_ = 0.0;
};

}  // namespace

AssemblyResult assembleMechanism(const Model& model, State& state, const AssemblyOptions& options) {
  return Assembler(model, options).run(state);
}

State startState(const Model& model) {
  State state = model.initialState();
  if (!model.assembly) return state;
  AssemblyOptions options;
  static_cast<AssemblySetup&>(options) = *model.assembly;
  const AssemblyResult result = assembleMechanism(model, state, options);
  if (!result.assembled)
    throw AssemblyError(
        fmt::format("the mechanism can't be assembled: {} (start it nearer to where it closes, or correct "
                    "lengths and frames)",
                    assemblyFailure(model, result)),
        result.violation);
  return state;
}

std::vector<State> assembledPoses(const Model& model, const State& start, int attempts,
                                  const AssemblyOptions& options) {
  std::vector<State> found;
  std::mt19937 random(1);  // specified by the standard, unlike the distributions
  const auto uniform = [&] { return 2.0 * static_cast<double>(random()) / 4294967295.0 - 1.0; };
  const double length = mechanismSize(model);
  for (int k = 0; k < attempts; ++k) {
    State state = start;
    for (std::size_t b = 0; b < state.poses.size() && k > 0; ++b) {
      if (std::find(options.pinned.begin(), options.pinned.end(), static_cast<int>(b)) !=
          options.pinned.end())
        continue;
      Vec6 twist;
      for (int i = 0; i < 6; ++i) twist[i] = uniform() * (i < 3 ? 2.0 * length : 3.0);
      state.poses[b] = movePose(state.poses[b], twist, 1.0);
    }
    if (!assembleMechanism(model, state, options).assembled) continue;
    const bool known = std::any_of(found.begin(), found.end(), [&](const State& other) {
      for (std::size_t b = 0; b < state.poses.size(); ++b)
        if ((other.poses[b].position - state.poses[b].position).norm() > kSame * std::max(1.0, length) ||
            other.poses[b].rotation.angularDistance(state.poses[b].rotation) > kSame)
          return false;
      return true;
    });
    if (!known) found.push_back(std::move(state));
  }
  return found;
}

std::string assemblyFailure(const Model& model, const AssemblyResult& result) {
  std::string text;
  for (const OpenLoop& loop : result.open) {
    const Joint& joint = model.joints[loop.joint];
    std::string names = "'" + joint.name + "'";
    for (const int j : loop.joints) names += ", '" + model.joints[j].name + "'";
    if (!text.empty()) text += "; ";
    text += result.violation <= 1e-6 ? fmt::format("joint {} is turned round by {:.3g} rad",
                                                   names.substr(0, names.find(',')), loop.residual)
            : loop.joints.empty()
                ? fmt::format("joint {} is off by {:.3g} m or rad", names, loop.residual)
                : fmt::format("the loop of joints {} does not close: '{}' is off by {:.3g} m or rad", names,
                              joint.name, loop.residual);
  }
  if (result.limitViolation > 1e-6)
    text += fmt::format("{}a limit is crossed by {:.3g} m or rad", text.empty() ? "" : "; ",
                        result.limitViolation);
  return text.empty() ? "a held coordinate or a coupling can't have its value" : text;
}

}  // namespace grashof
