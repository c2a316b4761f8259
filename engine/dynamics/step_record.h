#pragma once
/// Problem, solution and configuration of the last step.

#include <span>
#include <vector>

#include "engine/dynamics/integrator.h"
#include "engine/dynamics/joint_rows.h"
#include "solvers/problem/dual_problem.h"
#include "solvers/solver.h"

namespace grashof {

/// Problem and solution of one step, with the indices of its rows and the configuration at which they
/// were evaluated. One entry per body, joint or coordinate of the model.
struct StepRecord {
  StepContext step;
  DualProblem problem;
  Solution solution;
  std::vector<CoordinateRows> rows;  ///< one per coordinate
  std::vector<int> blocks;           ///< one per joint: its block in problem.joints; -1: none
  std::vector<Pose> poses;           ///< where the rows were evaluated
  std::vector<Vec6> twistBefore;     ///< u⁻ there; u⁺ is solution.twist
  std::vector<Vec6> wrench;          ///< external, N, N·m
  std::vector<double> rateAfter;     ///< rates of all coordinates there after the step, m/s, rad/s

  explicit StepRecord(const Model& model);
  /// Clears rows and solution without releasing memory.
  void reset();
};

/// Reaction of a joint on its follower, as seen in the joint's base frame at the follower's point: force (N)
/// and moment (N·m) of all rows of its block, for the impulses `impulse` (N·s, N·m·s; one per row of the
/// problem). Zero before the first step.
Vec6 jointReaction(const Model& model, const StepRecord& record, int joint, std::span<const double> impulse);

}  // namespace grashof
