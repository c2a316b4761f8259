#pragma once
/// Problem, solution and configuration of the last step.

#include <vector>

#include "engine/dynamics/rows/bushing_rows.h"
#include "engine/dynamics/rows/force_rows.h"
#include "engine/dynamics/rows/joint_rows.h"
#include "engine/dynamics/rows/step_context.h"
#include "engine/dynamics/rows/velocity_rows.h"
#include "solvers/problem/dual_problem.h"
#include "solvers/solver.h"

namespace grashof {

/// Problem and solution of one step, with the indices of its rows and the configuration at which they
/// were evaluated. One entry per body, joint, coordinate or element of the model.
struct StepRecord {
  StepContext step;
  DualProblem problem;
  Solution solution;
  std::vector<CoordinateRows> rows;     ///< one per coordinate
  std::vector<int> blocks;              ///< one per joint: its block in problem.joints; -1: none
  std::vector<Pose> poses;              ///< where the rows were evaluated
  std::vector<double> coordinates;      ///< of all joints there, m, rad
  std::vector<Vec6> twistBefore;        ///< u⁻ there; u⁺ is solution.twist
  std::vector<Vec6> wrench;             ///< external, N, N·m
  std::vector<double> rateAfter;        ///< rates of all coordinates there after the step, m/s, rad/s
  bool made = false;                    ///< false before the first step
  std::vector<ForceRow> forces;         ///< one per force element
  std::vector<BushingRow> bushings;     ///< one per bushing
  std::vector<VelocityRow> velocities;  ///< one per constraint on velocities

  explicit StepRecord(const Model& model);
  /// Clears rows and solution without releasing memory.
  void reset();
};

}  // namespace grashof
