#pragma once
/// Interval rows of a step: bounded impulses along joint coordinates.

#include <span>

#include "engine/dynamics/rows/joint_rows.h"

namespace grashof {

/// A limit closer than this (m, rad) gets a row: limitMargin, or four steps at the rate (m/s, rad/s).
double limitReach(const StepOptions& options, double rate);

/// The row of a limit of a coordinate: bias and compliance of v⁺ + bias + R λ >= 0, v⁺ the rate at which its
/// gap opens. `geometry`: of `joint`. problem.inertia must be set.
SoftRow limitRow(const RowContext& context, const Joint& joint, int coordinate, bool upper,
                 const JointGeometry& geometry, const DualProblem& problem);

/// Appends, coordinate by coordinate, the servo with bounds or the effort on a torque-speed line, dry
/// friction and the limits that are near; writes their row indices into `rows`. Call after
/// assembleJointRows(), which fills `rows` and problem.jointRows. A limit is near when it is closer than
/// limitMargin (m, rad) or four steps at the present rate. `blocks`: as assembleJointRows() wrote them.
void assembleIntervalRows(const RowContext& context, std::span<const int> blocks, DualProblem& problem,
                          std::span<CoordinateRows> rows);

}  // namespace grashof
