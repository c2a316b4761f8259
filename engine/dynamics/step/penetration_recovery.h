#pragma once
/// Recovery of penetrations and crossed limits by displacements that leave the velocities alone.

#include <span>
#include <vector>

#include "contacts/contact.h"
#include "engine/dynamics/rows/step_record.h"
#include "engine/model/model.h"
#include "solvers/methods/island_solver.h"

namespace grashof {

/// Takes back what is too deep for gapBias(): the least mass-weighted displacement that keeps joints and
/// motions closed, opens deep contacts and limits by beta or gamma per step, no faster than
/// max-recovery-speed, and closes nothing else (theory.md, "Limits and contacts"). Soft contacts and limits
/// are springs and stay.
class PenetrationRecovery {
 public:
  explicit PenetrationRecovery(const Model& model);

  /// Whether something is too deep at the end of a step. Contacts are those of the rows of the step in
  /// `record`, and are predicted with u⁺; `geometry`: joints at the end.
  bool needed(const StepRecord& record, std::span<const Contact> contacts,
              std::span<const JointGeometry> geometry);
  /// Displaces the poses at the end of the step, after needed() was true. Joints open by the second order of
  /// the displacement. Leaves the poses of islands for which no displacement was found; false: of all.
  bool displace(const StepRecord& record, std::span<Pose> poses);
  /// Forgets adapted parameters of the solver, so that what follows depends on the state only.
  void reset() { solver_.reset(); }

 private:
  void demand(int row, double gap, double share, bool soft, double timestep);

  const Model& model_;
  IslandSolver solver_;
  DualProblem problem_;
  Solution solution_;
  bool deep_ = false;
  std::vector<double> bias_;  // of the displacement's problem: displacement over the timestep
};

}  // namespace grashof
