#include "tools/grashof/suite/samples.h"

#include <Eigen/Dense>
#include <algorithm>

#include "engine/analysis/assembly.h"
#include "engine/dynamics/drive.h"
#include "engine/model/model_builder.h"
#include "joints/joint_type.h"
#include "solvers/problem/contact_mode.h"
#include "solvers/problem/residuals.h"

namespace grashof {
namespace {

// Of the largest eigenvalue of J Jᵀ: below, a row depends on others. Rounding leaves some 1e-15.
constexpr double kRankTolerance = 1e-11;
constexpr double kImpedance = 0.95;  // MuJoCo's default d at depth: R = (1 - d) / d D_ii

/// J of the rigid rows, dense; with `inverseRoot` times M^-1/2 (block by block).
Eigen::MatrixXd rigidJacobian(const DualProblem& p, bool massScaled) {
  std::vector<int> place(p.rows(), -1);
  int rows = 0;
  for (int r = 0; r < p.rows(); ++r)
    if (r >= p.jointRows || p.compliance[r] == 0.0) place[r] = rows++;
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(rows, 6 * p.bodies());
  std::vector<Mat6> root(p.bodies(), Mat6::Identity());
  for (int b = 0; massScaled && b < p.bodies(); ++b) {
    root[b].topLeftCorner<3, 3>() *= std::sqrt(p.inertia[b].inverseMass);
    root[b].bottomRightCorner<3, 3>() =
        Eigen::SelfAdjointEigenSolver<Mat3>(p.inertia[b].inverseInertia).operatorSqrt();
  }
  const auto set = [&](int row, int body, const auto& jacobian) {
    if (body >= 0 && place[row] >= 0) j.block<1, 6>(place[row], 6 * body) += jacobian * root[body];
  };
  for (const JointBlock& joint : p.joints)
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      for (int r = 0; r < joint.rows; ++r)
        set(joint.row + r, p.jointTerms[t].body, p.jointTerms[t].jacobian.row(r));
  for (const IntervalRow& row : p.intervals)
    p.forEachBody(row, [&](int body, const Vec6& own) { set(row.row, body, own.transpose()); });
  for (const ContactBlock& contact : p.contacts)
    for (int r = 0; r < 3; ++r) {
      set(contact.row + r, contact.bodyA, contact.jacobianA.row(r));
      set(contact.row + r, contact.bodyB, contact.jacobianB.row(r));
    }
  return j;
}

/// Eigenvalues of J Jᵀ or Jᵀ J, whichever is smaller, falling.
Eigen::VectorXd spectrum(const Eigen::MatrixXd& j) {
  const Eigen::MatrixXd gram = j.rows() <= j.cols() ? j * j.transpose() : Eigen::MatrixXd(j.transpose() * j);
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram, Eigen::EigenvaluesOnly).eigenvalues().reverse();
}

/// Counts the contacts that press and do not move along the surface, and those that do.
void countModes(const DualProblem& p, const Solution& solution, SampleInfo& s) {
  const ResidualScale scale = residualScale(p, ToleranceKind::Relative);
  for (const ContactBlock& contact : p.contacts) {
    const Vec3 force(&solution.impulse[static_cast<std::size_t>(contact.row)]);
    const ContactMode mode = contactMode(scale, force.z(), contact.velocity(solution.twist).head<2>().norm());
    s.sticking += mode == ContactMode::Sticking;
    s.sliding += mode == ContactMode::Sliding;
  }
}

std::string categoryOf(const SampleInfo& s) {
  const double bodyRows = 6.0 * s.bodies;
  const bool redundant = s.rank < s.rows();
  if (s.contacts == 0)
    return !redundant ? "Independent Joints" : s.jointRows < bodyRows ? "Redundant Joints" : "Dense Joints";
  if (s.contacts == 1) return "Single Contact";
  if (s.jointRows > 0 && s.rows() > bodyRows) return "Dense Constraints";
  return s.contacts > 2 * s.bodies ? "Dense Contacts" : "Sparse Contacts";
}

/// Σ|λ| over the rigid joint rows.
double jointReaction(const DualProblem& p, const DualProblem& rigid) {
  SolverOptions options;
  options.name = "ADMM";
  Solution s;
  makeSolver(options)->solve(p, s);
  double sum = 0.0;
  for (int r = 0; r < p.jointRows; ++r)
    if (rigid.compliance[r] == 0.0) sum += std::abs(s.impulse[r]);
  return sum;
}

double softeningOf(const DualProblem& p) {
  const double rigid = jointReaction(p, p);
  if (!(rigid > 0.0)) return 0.0;
  DualProblem soft = p;
  std::vector<double> scale(p.rows());
  scaleAllRows(p, scale);
  for (int r = 0; r < p.rows(); ++r)
    soft.compliance[r] += (1.0 - kImpedance) / kImpedance / (scale[r] * scale[r]);
  return jointReaction(soft, p) / rigid;
}

}  // namespace

SampleInfo describe(const DualProblem& p) {
  SampleInfo s;
  s.bodies = p.bodies();
  s.limits = static_cast<int>(p.intervals.size());
  s.contacts = static_cast<int>(p.contacts.size());
  s.jointRows = static_cast<int>(std::count(p.compliance.begin(), p.compliance.begin() + p.jointRows, 0.0));
  const Eigen::VectorXd geometry = spectrum(rigidJacobian(p, false));
  const double least = geometry.size() > 0 ? kRankTolerance * geometry[0] : 0.0;
  s.rank =
      static_cast<int>(std::count_if(geometry.begin(), geometry.end(), [&](double e) { return e > least; }));
  if (s.rank > 0) {
    const Eigen::VectorXd delassus = spectrum(rigidJacobian(p, true));
    s.condition = delassus[0] / std::max(delassus[s.rank - 1], 1e-16 * delassus[0]);
  }
  const double freedoms = std::max(1.0, 6.0 * s.bodies);
  s.jointDensity = s.jointRows / freedoms;
  s.contactDensity = 3.0 * s.contacts / freedoms;
  s.totalDensity = s.rows() / freedoms;
  s.category = categoryOf(s);
  return s;
}

void takeSamples(const Scenario& scenario, double timestep, double duration, int count, RunInfo& run,
                 std::vector<Sample>& samples) {
  ModelBuilder builder(*scenario.model);
  builder.options().timestep = timestep;
  const auto shared = steppedByImpulses(builder.build());
  const Model& model = *shared;
  run = {};
  samples.clear();
  run.bodies = static_cast<int>(model.bodies.size());
  run.joints = static_cast<int>(model.joints.size());
  double lightest = std::numeric_limits<double>::infinity(), heaviest = 0.0;
  for (const Body& body : model.bodies) {
    lightest = std::min(lightest, body.mass);
    heaviest = std::max(heaviest, body.mass);
  }
  run.massRatio = heaviest / lightest;
  for (const Joint& joint : model.joints) run.rows += joint.type->numConstraints();

  Simulator simulator(shared, startState(model));
  std::vector<double> warm;
  bool wanted = false;
  simulator.onProblem([&](const DualProblem&, const Solution& start) {
    if (wanted) warm = start.impulse;
  });
  const int steps = static_cast<int>(std::lround(duration / timestep));
  double penetration = 0.0;
  int taken = 0;
  // The middle of the next of `count` equal parts, or the first step with rows after it.
  const auto isWanted = [&](std::int64_t step) {
    return taken < count && static_cast<double>(step) >= (taken + 0.5) * steps / count;
  };
  wanted = isWanted(0);
  const DriveCounts made = drive(simulator, steps, [&](const Simulator& s, const DriveCounts& soFar) {
    penetration += s.report().penetration;
    if (wanted && s.problem().rows() > 0) {
      Sample sample;
      sample.problem = s.problem();
      sample.warm = warm;
      sample.info = describe(sample.problem);
      sample.info.step = static_cast<int>(soFar.steps) - 1;
      sample.info.softening = softeningOf(sample.problem);
      countModes(sample.problem, s.solution(), sample.info);
      const StepRecord& record = s.record();
      sample.model = shared;
      sample.place = {record.poses, s.state().coordinates, record.step.timeToEnd, record.step.timeEnd};
      samples.push_back(std::move(sample));
      ++taken;
    }
    wanted = isWanted(soFar.steps);
    return true;
  });
  if (simulator.diverged()) run.divergence = simulator.diverged()->reason;
  run.steps = static_cast<int>(made.steps);
  run.unsolved = static_cast<int>(made.unsolved);
  run.jointResidual = made.jointResidual;
  run.maxPenetration = made.penetration;
  run.meanPenetration = penetration / std::max(1, run.steps);
  run.realTimeFactor = run.steps * timestep / std::max(made.seconds, 1e-12);
}

}  // namespace grashof
