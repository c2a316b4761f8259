#include "engine/dynamics/step/penetration_recovery.h"

#include <algorithm>
#include <utility>

#include "engine/dynamics/rows/gap_bias.h"
#include "engine/dynamics/step/contact_step.h"

namespace grashof {
namespace {

constexpr double kDisplacementTolerance = 1e-4;  // of the displacement

SolverOptions displacementOptions() {
  SolverOptions options;
  options.tolerance = kDisplacementTolerance;
  return options;
}

}  // namespace

PenetrationRecovery::PenetrationRecovery(const Model& model)
    : model_(model), solver_(displacementOptions()) {}

/// Writes the bias of a row with the gap that the step leaves.
void PenetrationRecovery::demand(int row, double gap, double share, bool soft, double timestep) {
  const double speed = -share * gap / timestep;
  const bool deep = !soft && speed > kCarriedSpeed;
  deep_ = deep_ || deep;
  bias_[row] = deep ? -std::min(speed, model_.stabilization.maxRecoverySpeed) : std::max(gap, 0.0) / timestep;
}

bool PenetrationRecovery::needed(const StepRecord& record, std::span<const Contact> contacts,
                                 std::span<const JointGeometry> geometry) {
  const Stabilization& s = model_.stabilization;
  const double dt = record.step.timestep;
  deep_ = false;
  if (s.maxRecoverySpeed <= 0.0) return false;
  bias_.assign(record.problem.rows(), 0.0);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ContactBlock& block = record.problem.contacts[k];
    const double gap = gapAtEnd(contacts[k], record.step, s.margin, block.velocity(record.twistBefore)[2],
                                block.velocity(record.solution.twist)[2]);
    if (contacts[k].ofJoint() && !contacts[k].soft() && gap < 0.0) {
      // A pin is brought back into its hole as a joint onto its constraints, whole.
      bias_[block.row + 2] = gap / dt;
      deep_ = deep_ || -gap > kCarriedSpeed * dt;
      continue;
    }
    demand(block.row + 2, gap, s.gamma, contacts[k].soft(), dt);
  }
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      const Limit& limit = model_.joints[j].coordinates[i].limit;
      const CoordinateRows& rows = record.rows[model_.coordinateStart[j] + i];
      const double q = geometry[j].coordinate[i];
      if (rows.lower >= 0) demand(rows.lower, q - limit.lower, s.beta, limit.softness.soft(), dt);
      if (rows.upper >= 0) demand(rows.upper, limit.upper - q, s.beta, limit.softness.soft(), dt);
    }
  return deep_;
}

bool PenetrationRecovery::displace(const StepRecord& record, std::span<Pose> poses) {
  problem_ = record.problem;
  problem_.bias = bias_;
  for (Vec6& u : problem_.freeTwist) u.setZero();
  for (ContactBlock& contact : problem_.contacts) {
    contact.friction = 0.0;
    if (contact.law < 0) continue;
    // What yields by a law of its own is a spring here, as what has a compliance.
    problem_.compliance[contact.row + 2] =
        problem_.laws[static_cast<std::size_t>(contact.law)].tangent(0.0).compliance;
    contact.law = -1;
  }
  problem_.laws.clear();
  // Friction, servos and one-sided springs do not resist a displacement that takes no time; cables that do
  // not stretch do, and may not become longer by it.
  const auto release = [&](int row) {
    if (row < 0) return;
    IntervalRow& interval = problem_.intervals[row - problem_.jointRows];
    interval.lower = interval.upper = 0.0;
  };
  for (const CoordinateRows& rows : record.rows) {
    release(rows.friction);
    for (const int row : rows.drive) release(row);
  }
  for (std::size_t i = 0; i < record.forces.size(); ++i)
    if (!model_.forces[i].law.rigid || model_.forces[i].law.softness.soft())
      release(record.forces[i].interval);
  problem_.boundLoads.clear();
  for (IntervalRow& row : problem_.intervals)
    if (std::exchange(row.loads, 0) > 0) row.lower = row.upper = 0.0;
  solution_.warm = false;
  solver_.solve(problem_, solution_);
  // Where there is no displacement, as of a body that is squeezed, the other islands still have theirs.
  bool moved = false;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    if (solver_.statusOf(static_cast<int>(b)) != SolveStatus::Solved) continue;
    poses[b] = movePose(poses[b], solution_.twist[b], record.step.timestep);
    moved = true;
  }
  return moved;
}

}  // namespace grashof
