#pragma once
/// Interval rows of a step: bounded impulses along joint coordinates.

#include <span>

#include "engine/dynamics/joint_rows.h"

namespace grashof {

/// A limit closer than this (m, rad) gets a row: limitMargin, or four steps at the rate (m/s, rad/s).
double limitReach(const StepOptions& options, double rate);

/// Appends, coordinate by coordinate, the servo with bounds or the effort on a torque-speed line, dry
/// friction and the limits that are near; writes their row indices into `rows`. Call after
/// assembleJointRows(), which fills `rows` and problem.jointRows. A limit is near when it is closer than
/// limitMargin (m, rad) or four steps at the present rate. `blocks`: as assembleJointRows() wrote them.
void assembleIntervalRows(const RowContext& context, std::span<const int> blocks, DualProblem& problem,
                          std::span<CoordinateRows> rows);

}  // namespace grashof
