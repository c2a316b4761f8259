#pragma once
/// Force elements in a step: springs, dampers, gas springs, tables and commanded forces along a length
/// (theory.md, "Force elements").

#include <array>
#include <span>

#include "engine/base/archive.h"
#include "engine/dynamics/joint_rows.h"
#include "engine/dynamics/soft_law.h"

namespace grashof {

/// One force element in one step. Impulses are positive where they push apart.
struct ForceRow {
  double lengthStart = 0.0;        ///< x⁻, m or rad
  Vec3 lineStart = Vec3::UnitX();  ///< direction from point A to point B at the start
  // At the configuration of the rows:
  double length = 0.0;        ///< m or rad
  Vec3 line = Vec3::UnitX();  ///< direction from A to B, unit vector, world axes
  JointRow rate;              ///< row of the length's rate
  double rateBefore = 0.0;    ///< v⁻ along it
  double delassus = 0.0;      ///< D of that row
  LinearLaw law, damper;      ///< all of it; its damping and speed table alone
  double command = 0.0;       ///< N, N·m
  double numericalDamping =
      0.0;             ///< N/m: a step with the way Δx loses at most this times Δx² of the spring's energy
  SplitImpulse split;  ///< of a two-sided element
  int interval = -1;   ///< row of a one-sided element; -1: slack, or two-sided
  /// Taut lines that would swing sideways too fast for an explicit step: rows across the line.
  int acrossCount = 0;
  std::array<JointRow, 2> across;
  std::array<double, 2> acrossBefore{};
  std::array<SplitImpulse, 2> acrossSplit;
  // After the solve:
  double impulse = 0.0;    ///< N·s, N·m·s
  double rateAfter = 0.0;  ///< v⁺ along the row

  double meanRate() const { return 0.5 * (rateBefore + rateAfter); }
  /// What the next step looks at.
  void archive(Archive& archive) { archive(rateBefore, rateAfter, delassus, impulse); }
};

/// Length of the element, and (of one between points) the line from A to B.
struct ForceLine {
  double length = 0.0;             ///< m, rad
  Vec3 direction = Vec3::UnitX();  ///< unit vector, world axes
};
/// At the given poses. `geometry`: of all joints there, for elements on a joint.
ForceLine forceLine(const ForceElement& element, std::span<const Pose> poses,
                    std::span<const JointGeometry> geometry);
/// Row of the rate of the element's length.
JointRow forceRateRow(const ForceElement& element, const ForceLine& line, std::span<const Pose> poses,
                      std::span<const JointGeometry> geometry);

/// Records the lengths at the start of a step. Sizes: one per element.
void observeForces(const Model& model, std::span<const Pose> poses, std::span<const JointGeometry> geometry,
                   std::span<ForceRow> rows);

/// Appends the bilateral rows of all force elements, and applies the explicit parts to problem.freeTwist.
/// Call after assembleJointRows(). `poses`: where the rows stand. `commands`: one per element, N or N·m; NaN:
/// the model's signal.
void assembleForceRows(const RowContext& context, std::span<const Pose> poses,
                       std::span<const double> commands, DualProblem& problem, std::span<ForceRow> rows);
/// Appends the interval rows of one-sided elements that are taut or may become so. Call after
/// assembleForceRows() and assembleIntervalRows().
void assembleForceIntervals(const RowContext& context, DualProblem& problem, std::span<ForceRow> rows);

/// Reads impulses and rates from the solution of the step.
void completeForces(const Model& model, const std::vector<double>& impulses, std::span<const Vec6> twists,
                    std::span<ForceRow> rows);

}  // namespace grashof
