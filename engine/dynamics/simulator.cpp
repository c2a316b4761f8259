#include "engine/dynamics/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/contact_rows.h"

namespace grashof {
namespace {

constexpr double kMatchRadius = 2e-2;  // m: contacts further apart than this are not the same contact

/// Adds the time since it was made to one stage.
class StageTimer {
 public:
  explicit StageTimer(double& stage) : stage_(stage), start_(std::chrono::steady_clock::now()) {}
  ~StageTimer() {
    stage_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double& stage_;
  std::chrono::steady_clock::time_point start_;
};

/// Slots of intervalImpulse_ of one coordinate.
constexpr int kSlots = 4;
// ω Δt from which an explicit step may blow up, and how often (steps) that is looked at closely.
constexpr double kStabilityLimit = 2.0;
constexpr int kStabilityPeriod = 32;
// m, rad: how well the poses of the rows, half a step ahead, need to fit the joints. They are left again in
// the same step; what they are off changes the rows by as little.
constexpr double kRowPoseTolerance = 1e-8;
std::array<int, kSlots> intervalRowsOf(const CoordinateRows& rows) {
  return {rows.friction, rows.servo, rows.lower, rows.upper};
}

bool finite(const State& state) {
  const auto ok = [](const auto& v) { return v.allFinite(); };
  return std::all_of(state.twists.begin(), state.twists.end(), ok) &&
         std::all_of(state.poses.begin(), state.poses.end(),
                     [&](const Pose& p) { return ok(p.position) && ok(p.rotation.coeffs()); });
}

}  // namespace

Simulator::Simulator(std::shared_ptr<const Model> shared)
    : shared_(std::move(shared)),
      model_(*shared_),
      state_(model_.initialState()),
      world_(model_.shapes, model_.excludedBodies),
      projection_(model_),
      solver_(model_.solver) {
  const std::size_t bodies = model_.bodies.size();
  geometry_.resize(model_.joints.size());
  rows_.resize(model_.coordinates());
  rowRate_.assign(rows_.size(), 0.0);
  jointBlocks_.assign(model_.joints.size(), -1);
  problem_.inertia.resize(bodies);
  problem_.freeTwist.resize(bodies);
  twistBefore_.resize(bodies);
  meanTwist_.resize(bodies);
  wrench_.resize(bodies);
  applied_.assign(bodies, Vec6::Zero());
  rowPoses_.resize(bodies);
  stiffness_.assign(bodies, Mat3::Zero());
  const bool rotors = std::any_of(model_.joints.begin(), model_.joints.end(), [](const Joint& joint) {
    return std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                       [](const JointCoordinate& axis) { return axis.passive.armature > 0.0; });
  });
  if (rotors) {
    rateStart_.assign(rows_.size(), 0.0);
    freeRateChange_.assign(rows_.size(), 0.0);
    if (model_.step.integrator == Integrator::Euler) {
      ahead_ = state_;
      aheadGeometry_.resize(model_.joints.size());
    }
  }
  if (model_.assembly) {
    AssemblyOptions how;
    static_cast<AssemblySetup&>(how) = *model_.assembly;
    const AssemblyResult assembled = assembleMechanism(model_, state_, how);
    if (!assembled.assembled)
      throw InputError(
          fmt::format("the mechanism can't be assembled: {} (start it nearer to where it closes, or correct "
                      "lengths and frames)",
                      assemblyFailure(model_, assembled)));
  }
  project();
}

void Simulator::project() {
  const auto result = projection_.projectPoses(state_.poses, state_.coordinates, state_.time,
                                               model_.step.projectionTolerance, geometry_);
  if (!(result.violation <= 1e-6))
    throw InputError(
        fmt::format("the poses do not fit the joints: {} (correct the poses, or the frames of that joint)",
                    worstJoint()));
  projection_.projectTwists(state_.poses, geometry_, state_.time, state_.twists);
  setState(state_);
}

void Simulator::setState(const State& state) {
  state_ = state;
  cache_.clear();
  projection_.reset();
  solver_.reset();
  lastJointRows_ = 0;
  intervalImpulse_.assign(kSlots * rows_.size(), 0.0);
  flow_ = {};
  exchanged_ = 0.0;
  divergence_.reset();
  report_ = {};
  contacts_.clear();
  std::fill(stiffness_.begin(), stiffness_.end(), Mat3::Zero());
  problem_.clearRows();
  solution_ = {};
  evaluateJoints(model_, state_.poses, state_.coordinates, geometry_);
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (int i = 0; i < model_.joints[j].type->numDofs(); ++i)
      state_.coordinates[model_.coordinateStart[j] + i] = geometry_[j].coordinate[i];
  initialEnergy_ = mechanicalEnergy(model_, state_.poses, state_.twists, geometry_);
  measure();
}

void Simulator::ratesInto(std::span<const JointGeometry> geometry, std::span<const Vec6> twists,
                          std::span<double> rates) const {
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (int i = 0; i < model_.joints[j].type->numDofs(); ++i)
      rates[model_.coordinateStart[j] + i] =
          coordinateRate(model_.joints[j], geometry[j].coordinateRow[i], twists);
}

/// Free flight of all bodies: positions at constant velocity, rotations such that the angular momentum about
/// the CoM is kept exactly (which is what the gyroscopic wrench of formulation.md section 1 does). The mean
/// of the spins at both ends makes the rotation second order.
void Simulator::advancePoses(State& state, double duration) const {
  for (std::size_t b = 0; b < state.poses.size(); ++b) {
    Pose& pose = state.poses[b];
    Vec6& twist = state.twists[b];
    const Body& body = model_.bodies[b];
    const Vec3 spin = twist.tail<3>();
    const Vec3 momentum = pose.rotation * (body.inertia * (pose.rotation.conjugate() * spin));
    const auto spinAt = [&](const Quat& q) -> Vec3 {
      return q * (body.inverseInertia * (q.conjugate() * momentum));
    };
    const Quat predicted = expRotation(duration * spin) * pose.rotation;
    const Vec3 mean = 0.5 * (spin + spinAt(predicted));
    pose.position += duration * twist.head<3>();
    pose.rotation = (expRotation(duration * mean) * pose.rotation).normalized();
    twist.tail<3>() = spinAt(pose.rotation);
  }
}

void Simulator::assemble(const StepContext& frame) {
  const StageTimer timer(times_.assemble);
  std::copy(state_.twists.begin(), state_.twists.end(), twistBefore_.begin());
  inertiaAt(model_, state_.poses, problem_.inertia);
  if (model_.step.geometricStiffness) addGeometricInertia(stiffness_, frame.timestep, problem_.inertia);
  std::copy(applied_.begin(), applied_.end(), wrench_.begin());
  const double middle = frame.timeStart + 0.5 * frame.timestep;
  for (const ExternalWrench& external : model_.wrenches) {
    const double factor = external.signal >= 0 ? model_.signals[external.signal].value(middle) : 1.0;
    const Quat& q = state_.poses[external.body].rotation;
    const Vec3 force = factor * (external.local ? Vec3(q * external.force) : external.force);
    const Vec3 torque = factor * (external.local ? Vec3(q * external.torque) : external.torque);
    wrench_[external.body].head<3>() += force;
    wrench_[external.body].tail<3>() += torque + (q * external.point).cross(force);
  }
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Vec6 change = problem_.inertia[b].solve(wrench_[b]);
    problem_.freeTwist[b] = state_.twists[b] + frame.timestep * change;
    problem_.freeTwist[b].head<3>() += frame.timestep * model_.gravity;
    if (model_.step.geometricStiffness)
      problem_.freeTwist[b].tail<3>() -=
          problem_.inertia[b].inverseInertia * (kGeometricDamping * frame.timestep * frame.timestep *
                                                (stiffness_[b] * state_.twists[b].tail<3>()));
  }
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const Actuator& actuator = joint.coordinates[i].actuator;
      if (actuator.kind != Actuator::Kind::Effort) continue;
      const double effort = std::clamp(model_.signals[actuator.signal].value(middle), -actuator.effortLimit,
                                       actuator.effortLimit);
      const JointRow& row = geometry_[j].coordinateRow[i];
      const double impulse = effort * frame.timestep;
      if (joint.base >= 0)
        problem_.freeTwist[joint.base] += problem_.inertia[joint.base].solve(impulse * row.base);
      problem_.freeTwist[joint.follower] += problem_.inertia[joint.follower].solve(impulse * row.follower);
    }
  }
  assembleJointRows(model_, geometry_, frame, twistBefore_, problem_, rows_, jointBlocks_);
  assembleContactRows(model_, contacts_, state_.poses, twistBefore_, frame.timestep, problem_);
}

void Simulator::solve() {
  const StageTimer timer(times_.solve);
  const std::size_t rows = problem_.rows();
  solution_.warm = model_.solver.warmStart;
  if (solution_.warm) {
    // Joints by identity: their rows come first, in the same order, as long as there are as many.
    const std::size_t kept = solution_.impulse.empty() || lastJointRows_ != problem_.jointRows
                                 ? 0
                                 : static_cast<std::size_t>(problem_.jointRows);
    lastJointRows_ = problem_.jointRows;
    solution_.impulse.resize(rows);
    std::fill(solution_.impulse.begin() + static_cast<std::ptrdiff_t>(kept), solution_.impulse.end(), 0.0);
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      const auto own = intervalRowsOf(rows_[c]);
      for (int s = 0; s < kSlots; ++s)
        if (own[s] >= 0) solution_.impulse[own[s]] = intervalImpulse_[kSlots * c + s];
    }
    cache_.recall(contacts_, state_.poses, kMatchRadius, impulses_);
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const int row = problem_.contactRow(static_cast<int>(k));
      Eigen::Map<Vec3>(&solution_.impulse[row]) = contacts_[k].frame.transpose() * impulses_[k];
    }
  }
  if (onProblem_) onProblem_(problem_, solution_);
  solver_.solve(problem_, solution_);
  std::copy(solution_.twist.begin(), solution_.twist.end(), state_.twists.begin());
}

void Simulator::keepImpulses() {
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    const auto own = intervalRowsOf(rows_[c]);
    for (int s = 0; s < kSlots; ++s)
      intervalImpulse_[kSlots * c + s] = own[s] >= 0 ? solution_.impulse[own[s]] : 0.0;
  }
  impulses_.resize(contacts_.size());
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    impulses_[k] = contacts_[k].frame *
                   Eigen::Map<const Vec3>(&solution_.impulse[problem_.contactRow(static_cast<int>(k))]);
  cache_.store(contacts_, state_.poses, impulses_);
}

/// Work of every row over the step is its impulse times its mean velocity; with the velocities before and
/// after at the same configuration this balances the change of kinetic energy exactly.
void Simulator::countWork() {
  const double dt = model_.step.timestep;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Vec6 mean = 0.5 * (twistBefore_[b] + state_.twists[b]);
    flow_.external += dt * wrench_[b].dot(mean);
    if (model_.step.geometricStiffness) {
      const Vec3 spin = twistBefore_[b].tail<3>(), change = state_.twists[b].tail<3>() - spin;
      flow_.dissipated +=
          dt * dt *
          mean.tail<3>().dot(stiffness_[b] * (kGeometricDamping * spin + kGeometricInertia * change));
    }
    meanTwist_[b] = mean;
  }
  meanVelocity_.resize(problem_.rows());
  rowVelocities(problem_, meanTwist_, meanVelocity_);
  const auto work = [&](int row) { return solution_.impulse[row] * meanVelocity_[row]; };
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    if (joint.softness.soft())
      for (int r = 0; r < joint.type->numConstraints(); ++r)
        flow_.dissipated -= work(problem_.joints[jointBlocks_[j]].row + r);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const JointCoordinate& axis = joint.coordinates[i];
      const CoordinateRows& rows = rows_[model_.coordinateStart[j] + i];
      if (rows.driven >= 0) {
        // The drive carries spring, damper and rotor of its coordinate, too.
        const double rate = rowRate_[model_.coordinateStart[j] + i];
        flow_.actuators += work(rows.driven) - rows.passiveLaw.impulse(rate) * meanVelocity_[rows.driven];
        flow_.dissipated += dt * axis.passive.damping * rate * meanVelocity_[rows.driven];
      }
      if (rows.servo >= 0) flow_.actuators += work(rows.servo);
      if (rows.soft >= 0) {
        const double rate = rowRate_[model_.coordinateStart[j] + i];
        const double mean = meanVelocity_[rows.soft];
        if (axis.actuator.servo() && rows.servo < 0) flow_.actuators += rows.servoLaw.impulse(rate) * mean;
        flow_.dissipated += dt * axis.passive.damping * rate * mean;
      }
      if (rows.friction >= 0) flow_.dissipated -= work(rows.friction);
      if (rows.lower >= 0) flow_.dissipated -= work(rows.lower);
      if (rows.upper >= 0) flow_.dissipated -= work(rows.upper);
      if (axis.actuator.kind == Actuator::Kind::Effort) {
        const double effort = std::clamp(model_.signals[axis.actuator.signal].value(state_.time + 0.5 * dt),
                                         -axis.actuator.effortLimit, axis.actuator.effortLimit);
        flow_.actuators += dt * effort * coordinateRate(joint, geometry_[j].coordinateRow[i], meanTwist_);
      }
    }
  }
  for (const ContactBlock& contact : problem_.contacts)
    for (int r = 0; r < 3; ++r) flow_.dissipated -= work(contact.row + r);
}

void Simulator::measure() {
  const StageTimer timer(times_.measure);
  report_.jointResidual = jointViolation(model_, geometry_, state_.time);
  report_.limitViolation = 0.0;
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      const double gap = model_.joints[j].coordinates[i].limit.gap(geometry_[j].coordinate[i]);
      report_.limitViolation = std::max(report_.limitViolation, -gap);
    }
  report_.penetration = 0.0;
  for (const Contact& contact : contacts_) report_.penetration = std::max(report_.penetration, -contact.gap);
  report_.contacts = static_cast<int>(contacts_.size());
  report_.limits = static_cast<int>(problem_.intervals.size());
  report_.energy = mechanicalEnergy(model_, state_.poses, state_.twists, geometry_);
}

double Simulator::energyDrift() const {
  return report_.energy.total() - initialEnergy_.total() - flow_.actuators - flow_.external +
         flow_.dissipated;
}

double Simulator::relativeEnergyDrift() const {
  return exchanged_ > 1e-12 ? energyDrift() / exchanged_ : 0.0;
}

const StepReport& Simulator::step() {
  if (divergence_) return report_;
  const StepOptions& options = model_.step;
  const bool midpoint = options.integrator == Integrator::Moreau;
  StepContext frame;
  frame.timestep = options.timestep;
  frame.timeStart = static_cast<double>(state_.step) * options.timestep;
  frame.ahead = midpoint ? 0.5 * frame.timestep : frame.timestep;
  frame.springLead = midpoint ? 0.25 * frame.timestep : frame.timestep;
  frame.springLag = midpoint ? -0.25 * frame.timestep : 0.0;
  frame.reflect = midpoint && options.projection;
  const double rowTime = frame.timeStart + frame.timestep - frame.ahead;
  const double endTime = static_cast<double>(state_.step + 1) * options.timestep;
  before_ = state_;

  const auto moveTo = [&](double time, double duration, double tolerance) {
    {
      const StageTimer timer(times_.integrate);
      if (duration > 0.0) advancePoses(state_, duration);
    }
    const StageTimer timer(times_.project);
    if (options.projection && duration > 0.0)
      projection_.projectPoses(state_.poses, state_.coordinates, time, tolerance, geometry_);
    else
      evaluateJoints(model_, state_.poses, state_.coordinates, geometry_);
  };

  if (!rateStart_.empty()) ratesInto(geometry_, state_.twists, rateStart_);
  moveTo(rowTime, frame.timestep - frame.ahead, std::max(options.projectionTolerance, kRowPoseTolerance));
  if (!rateStart_.empty()) {
    const StageTimer timer(times_.assemble);
    // Moreau: twice what the first half of the step has changed; Euler: what the step to come would.
    double share = 2.0;
    if (midpoint) {
      ratesInto(geometry_, state_.twists, freeRateChange_);
    } else {
      share = 1.0;
      ahead_.poses = state_.poses;
      ahead_.twists = state_.twists;
      advancePoses(ahead_, frame.timestep);
      evaluateJoints(model_, ahead_.poses, state_.coordinates, aheadGeometry_);
      ratesInto(aheadGeometry_, ahead_.twists, freeRateChange_);
    }
    for (std::size_t c = 0; c < rateStart_.size(); ++c)
      freeRateChange_[c] = share * (freeRateChange_[c] - rateStart_[c]);
    frame.freeRateChange = freeRateChange_;
  }
  {
    const StageTimer timer(times_.collide);
    double speed = 0.0;
    for (const Vec6& u : state_.twists) speed = std::max(speed, u.head<3>().norm());
    // Fast bodies look further ahead, so that what they would reach within the step is seen before it is
    // crossed.
    const double margin = std::min(options.contactMargin + 2.0 * speed * frame.timestep, 1e3);
    world_.detect(state_.poses, margin, contacts_);
    assignSurfaces(model_, contacts_);
  }
  std::copy(state_.poses.begin(), state_.poses.end(), rowPoses_.begin());
  assemble(frame);
  solve();
  ratesInto(geometry_, state_.twists, rowRate_);
  keepImpulses();
  countWork();
  const bool lookAtStability = state_.step % kStabilityPeriod == 0;
  if (options.geometricStiffness || lookAtStability)
    geometricStiffness(model_, problem_, jointBlocks_, solution_.impulse, rowPoses_, stiffness_);
  if (lookAtStability) {
    report_.stability = stabilityNumber(problem_, stiffness_, options.timestep);
    if (report_.stability > kStabilityLimit)
      report_.stability = options.timestep * projection_.maxNaturalFrequency(stiffness_);
  }
  moveTo(endTime, frame.ahead, options.projectionTolerance);
  if (frame.reflect) {
    const StageTimer timer(times_.project);
    flow_.actuators += projection_.projectTwists(state_.poses, geometry_, endTime, state_.twists);
  }
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (int i = 0; i < model_.joints[j].type->numDofs(); ++i)
      state_.coordinates[model_.coordinateStart[j] + i] = geometry_[j].coordinate[i];
  ++state_.step;
  state_.time = endTime;
  report_.status = solution_.status;
  report_.method = solution_.method;
  report_.iterations = solution_.iterations;
  report_.factorizations = solution_.factorizations;
  report_.solverResidual = solution_.residual;
  measure();
  checkDivergence();
  return report_;
}

std::string Simulator::worstJoint() const {
  double worst = -1.0;
  std::string text = "no joint";
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (int i = 0; i < joint.type->numConstraints(); ++i) {
      const double f = std::abs(geometry_[j].residual[i]);
      if (f <= worst) continue;
      worst = f;
      text = fmt::format("joint '{}' ({}) is off by {:.3g} {}", joint.name, joint.type->name(), f,
                         isRotation(joint.type->constrainedDirections()[i]) ? "rad" : "m");
    }
  }
  return text;
}

void Simulator::diverge(std::string reason) {
  divergence_ = Divergence{before_.time, std::move(reason)};
  state_ = before_;
  evaluateJoints(model_, state_.poses, state_.coordinates, geometry_);
}

void Simulator::checkDivergence() {
  const StepOptions& options = model_.step;
  constexpr const char* cure = "a smaller timestep, softer gains or smaller mass ratios may help";
  if (!finite(state_)) return diverge(fmt::format("the state is no longer finite ({})", cure));
  double fastest = 0.0;
  std::size_t who = 0;
  for (std::size_t b = 0; b < state_.twists.size(); ++b) {
    const double speed = state_.twists[b].cwiseAbs().maxCoeff();
    if (speed > fastest) fastest = speed, who = b;
  }
  if (fastest > options.divergenceSpeed)
    return diverge(
        fmt::format("body '{}' moves at {:.3g} m/s or rad/s, faster than divergence-speed {:.3g} ({})",
                    model_.bodies[who].name, fastest, options.divergenceSpeed, cure));
  if (options.projection && !(report_.jointResidual <= options.divergenceResidual))
    return diverge(fmt::format("{}, more than divergence-residual {:.3g} ({})", worstJoint(),
                               options.divergenceResidual, cure));
  exchanged_ =
      std::max({exchanged_, initialEnergy_.kinetic, std::abs(flow_.actuators) + std::abs(flow_.external),
                std::abs(report_.energy.potential - initialEnergy_.potential) +
                    std::abs(report_.energy.elastic - initialEnergy_.elastic)});
  // Gains only: energy that vanishes can't make a run explode.
  const double drift = energyDrift();
  if (drift > options.divergenceEnergy * exchanged_ && drift > 1e-6)
    diverge(
        fmt::format("{:.3g} J of mechanical energy appeared from nowhere, against {:.3g} J moved by gravity, "
                    "springs and actuators: the step is unstable ({})",
                    drift, exchanged_, cure));
}

double Simulator::actuatorEffort(int index, int axis) const {
  const Joint& joint = model_.joints[index];
  const Actuator& actuator = joint.coordinates[axis].actuator;
  const CoordinateRows& rows = rows_[model_.coordinateStart[index] + axis];
  const double dt = model_.step.timestep;
  const auto impulse = [&](int row) { return solution_.impulse.empty() ? 0.0 : solution_.impulse[row]; };
  if (actuator.kind == Actuator::Kind::Effort)
    return std::clamp(model_.signals[actuator.signal].value(state_.time - 0.5 * dt), -actuator.effortLimit,
                      actuator.effortLimit);
  if (rows.servo >= 0) return impulse(rows.servo) / dt;
  const bool driven = rows.driven >= 0;
  if (!driven && !(actuator.servo() && rows.soft >= 0)) return 0.0;
  const double rate = rowRate_[model_.coordinateStart[index] + axis];
  return driven ? (impulse(rows.driven) + projection_.motionImpulse(index, axis) -
                   rows.passiveLaw.impulse(rate)) /
                      dt
                : rows.servoLaw.impulse(rate) / dt;
}

Vec6 Simulator::jointReaction(int index) const { return jointReaction(index, solution_.impulse); }

Vec6 Simulator::jointReaction(int index, std::span<const double> impulse) const {
  Vec6 reaction = Vec6::Zero();
  const int place = jointBlocks_[index];
  if (place < 0 || problem_.joints.empty() || impulse.empty()) return reaction;
  const JointBlock& block = problem_.joints[place];
  const JointTerm& follower = problem_.jointTerms[block.firstTerm + block.terms - 1];
  Vec6 lambda = Vec6::Zero();
  for (int r = 0; r < block.rows; ++r) lambda[r] = impulse[block.row + r] / model_.step.timestep;
  const Vec6 wrench = follower.jacobian.transpose() * lambda;

  static const Pose world;
  const Joint& joint = model_.joints[index];
  const JointFrames frames =
      jointFrames(joint, joint.base >= 0 ? rowPoses_[joint.base] : world, rowPoses_[joint.follower]);
  const Vec3 force = wrench.head<3>();
  const Vec3 arm = frames.followerPoint - frames.followerCenter;
  reaction << frames.baseAxes.transpose() * force,
      frames.baseAxes.transpose() * (wrench.tail<3>() - arm.cross(force));
  return reaction;
}

}  // namespace grashof
