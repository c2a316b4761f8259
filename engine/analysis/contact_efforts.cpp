#include "engine/analysis/contact_efforts.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "solvers/solver.h"

namespace grashof {
namespace {

constexpr double kSameMotion = 1e-8;  // relative: rates that depend on each other
constexpr double kShare = 0.2;        // of a position error that is taken back per step

/// Sum (N) of the forces of contacts on their bodies B, and of their normal parts.
struct ContactSum {
  Vec3 force = Vec3::Zero();
  double normal = 0.0;
};

ContactSum sumOf(std::span<const Contact> contacts, const DualProblem& problem,
                 std::span<const double> impulse, double timestep) {
  ContactSum sum;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Vec3 rows(&impulse[static_cast<std::size_t>(problem.contactRow(static_cast<int>(k)))]);
    sum.force += contacts[k].frame * contacts[k].fromRows(rows) / timestep;
    sum.normal += rows[2] / timestep;
  }
  return sum;
}

/// Combinations of efforts that move nothing at this state: drives less the rank of their rates in all
/// motions.
int indeterminateDrives(const Model& model, const State& state, const InverseDynamics& drives) {
  const Mobility mobility = analyseMobility(model, state.poses, state.coordinates);
  const auto count = static_cast<Eigen::Index>(drives.joints.size());
  Eigen::MatrixXd rates(count, static_cast<Eigen::Index>(mobility.modes.size()));
  for (Eigen::Index d = 0; d < count; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const int index =
        model.coordinateStart[static_cast<std::size_t>(drives.joints[k])] + drives.coordinates[k];
    for (Eigen::Index m = 0; m < rates.cols(); ++m)
      rates(d, m) = mobility.modes[static_cast<std::size_t>(m)].rates[static_cast<std::size_t>(index)];
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(kSameMotion);
  return static_cast<int>(count - decomposition.compute(rates).rank());
}

ContactInverseOptions lawOfSolver(const Model& model, ContactInverseOptions options) {
  const bool convex = findSolver(model.solver.name).model == ContactModel::Ccp;
  options.impulses.model = convex ? ContactModel::Ccp : ContactModel::Ncp;
  return options;
}

/// Finds the efforts of each step at the state of the run, and makes the step with them.
class ContactEffortSearch {
 public:
  ContactEffortSearch(const Model& model, double normalForce, const ContactInverseOptions& options,
                      ContactEfforts& result)
      : model_(model),
        normalForce_(normalForce),
        options_(lawOfSolver(model, options)),
        result_(result),
        forward_(std::make_shared<const Model>(effortModel(model, result.inverse))),
        inverse_(forward_),
        run_(forward_) {
    reference_.rates.assign(static_cast<std::size_t>(model.coordinates()),
                            std::numeric_limits<double>::quiet_NaN());
    for (std::size_t d = 0; d < result.inverse.joints.size(); ++d) {
      const ActuatorId drive{result.inverse.joints[d], result.inverse.coordinates[d]};
      const auto all = run_.actuators();
      control_.push_back(static_cast<std::size_t>(std::find(all.begin(), all.end(), drive) - all.begin()));
    }
    result.inverse.indeterminate = indeterminateDrives(*forward_, run_.state(), result.inverse);
  }

  /// Does one step. False: it has no solution, or the run has diverged.
  bool step() {
    const double dt = model_.step.timestep;
    setReference();
    inverse_.prepare(run_.state(), run_.inputs());
    reference_.forces.assign(inverse_.contacts().size(), Vec3(0.0, 0.0, normalForce_));
    const ContactInverseStep step = inverse_.solve(reference_, options_);
    if (!step.contacts.solved) {
      result_.unsolved = run_.state().time;
      return false;
    }
    std::vector<double> row;
    for (const std::size_t a : control_) {
      row.push_back(step.efforts[a]);
      run_.inputs().control[a] = step.efforts[a];
    }
    // The middle of the step, equal to the last bit to the time that the simulator computes.
    const double middle = static_cast<double>(run_.state().step) * dt + 0.5 * dt;
    run_.step();
    if ((result_.inverse.divergence = run_.diverged())) return false;
    result_.inverse.times.push_back(middle);
    result_.inverse.efforts.push_back(std::move(row));
    compare(step);
    return true;
  }

  /// Errors relative to the greatest speed and force of the motion.
  void finish() {
    result_.twistError = speed_ > 0.0 ? twistError_ / speed_ : twistError_;
    result_.forceError = force_ > 0.0 ? forceError_ / force_ : forceError_;
  }

 private:
  void setReference() {
    const double dt = model_.step.timestep, start = run_.state().time;
    for (std::size_t d = 0; d < result_.inverse.joints.size(); ++d) {
      const auto joint = static_cast<std::size_t>(result_.inverse.joints[d]);
      const int i = result_.inverse.coordinates[d];
      const int index = model_.coordinateStart[joint] + i;
      const Actuator& actuator = model_.joints[joint].coordinates[static_cast<std::size_t>(i)].actuator;
      const Signal& motion = model_.signals[static_cast<std::size_t>(actuator.signal)];
      double error = run_.state().coordinates[static_cast<std::size_t>(index)] - motion.value(start);
      if (model_.joints[joint].type->isAngle(i)) error = unwrapAngle(error, 0.0);
      reference_.rates[static_cast<std::size_t>(index)] = motion.rate(start + dt) - kShare / dt * error;
    }
  }

  void compare(const ContactInverseStep& step) {
    const double dt = model_.step.timestep;
    const std::vector<Vec6>& twists = run_.solution().twist;
    for (std::size_t b = 0; b < twists.size(); ++b) {
      speed_ = std::max(speed_, step.twists[b].cwiseAbs().maxCoeff());
      twistError_ = std::max(twistError_, (twists[b] - step.twists[b]).cwiseAbs().maxCoeff());
    }
    const ContactSum wanted = sumOf(inverse_.contacts(), inverse_.problem(), step.impulse, dt);
    const ContactSum got = sumOf(run_.contacts(), run_.problem(), run_.solution().impulse, dt);
    force_ = std::max(force_, wanted.force.norm());
    forceError_ = std::max(forceError_, (got.force - wanted.force).norm());
    result_.contactForce = std::max(result_.contactForce, wanted.normal);
    result_.change = std::max(result_.change, step.change);
    result_.residualForce = std::max(result_.residualForce, step.residualForce());
  }

  const Model& model_;
  double normalForce_;
  ContactInverseOptions options_;
  ContactEfforts& result_;
  std::shared_ptr<const Model> forward_;
  ContactInverseDynamics inverse_;
  Simulator run_;
  MotionReference reference_;
  std::vector<std::size_t> control_;  // of each drive, in the inputs
  double speed_ = 0.0, force_ = 0.0, twistError_ = 0.0, forceError_ = 0.0;
};

}  // namespace

ContactEfforts contactEfforts(const Model& model, double duration, double normalForce,
                              const ContactInverseOptions& options) {
  if (!(normalForce >= 0.0) || !std::isfinite(normalForce))
    throw CallError("the normal force of contacts must be finite and not negative");
  ContactEfforts result;
  result.inverse = prescribedMotions(model);
  ContactEffortSearch search(model, normalForce, options, result);
  for (std::int64_t step = 0, steps = stepsOf(model, duration); step < steps; ++step)
    if (!search.step()) break;
  search.finish();
  return result;
}

}  // namespace grashof
