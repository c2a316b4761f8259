#pragma once
/// Problem, solution and configuration of the last step.

#include <vector>

#include "engine/dynamics/bushing_rows.h"
#include "engine/dynamics/force_rows.h"
#include "engine/dynamics/integrator.h"
#include "engine/dynamics/joint_rows.h"
#include "engine/dynamics/velocity_rows.h"
#include "solvers/problem/dual_problem.h"
#include "solvers/solver.h"

namespace grashof {

/// Problem and solution of one step, with the indices of its rows and the configuration at which they
/// were evaluated. One entry per body, joint, coordinate or element of the model.
struct StepRecord {
  StepContext step;
  DualProblem problem;
  Solution solution;
  std::vector<CoordinateRows> rows;  ///< one per coordinate
  std::vector<int> blocks;           ///< one per joint: its block in problem.joints; -1: none
  /// Interval rows that belong to one thing each and may be missing (-1): the friction of each coupling, then
  /// of each pulley with friction.
  std::vector<int> further;
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

/// Number of entries of StepRecord::further.
std::size_t furtherRowCount(const Model& model);
/// Writes the rows of rough pulleys into record.further, behind those of couplings.
void listRoughRows(const Model& model, StepRecord& record);

/// Row of the first coupling in record.problem, after those of all joints; of others the next ones.
int firstCouplingRow(const StepRecord& record);

}  // namespace grashof
