#pragma once
/// Force elements in a step: springs, dampers, gas springs, tables and commanded forces along a length
/// (theory.md, "Force elements").

#include <array>
#include <span>

#include "engine/base/archive.h"
#include "engine/dynamics/kinematics/force_length.h"
#include "engine/dynamics/rows/joint_rows.h"
#include "engine/dynamics/rows/soft_law.h"

namespace grashof {

/// Rows across a taut line, which would swing sideways too fast for an explicit step.
struct AcrossRows {
  int base = kWorld, follower = 0;  ///< base may be the world
  std::array<JointRow, 2> row;
  std::array<double, 2> rateBefore{};
  std::array<SplitImpulse, 2> split;
};

/// One force element in one step. Impulses are positive where they push apart. Where the law's length is
/// commanded, x counts from it: lengths and rates are those of the stretch.
struct ForceRow {
  double lengthStart = 0.0;        ///< x⁻, m or rad
  double rateStart = 0.0;          ///< of a sum: ẋ there, m/s or rad/s
  double feed = 0.0;               ///< mean rate of a commanded length over the step, m/s or rad/s
  Vec3 lineStart = Vec3::UnitX();  ///< direction from point A to point B at the start
  // At the configuration of the rows:
  Vec3 line = Vec3::UnitX();  ///< direction from A to B, unit vector, world axes
  std::vector<RowTerm> rate;  ///< row of the length's rate
  double rateBefore = 0.0;    ///< v⁻ along it
  double delassus = 0.0;      ///< D of that row
  LinearLaw law, damper;      ///< all of it; its damping and speed table alone
  double command = 0.0;       ///< N, N·m
  double numericalDamping =
      0.0;             ///< N/m: a step with the way Δx loses at most this times Δx² of the spring's energy
  SplitImpulse split;  ///< of a two-sided element; of a one-sided one its commanded impulse
  int interval = -1;   ///< row of a one-sided element; -1: slack, or two-sided
  int roughRows = 0;   ///< rows of friction on pulleys, right after `interval`, from the last pulley on
  std::vector<RowTerm> sliding;    ///< workspace of these rows
  std::vector<AcrossRows> across;  ///< of lines that need them
  // After the solve:
  double impulse = 0.0;       ///< N·s, N·m·s; of a cable at its last point
  double startImpulse = 0.0;  ///< the same at its first point: with the friction of all pulleys
  double rateAfter = 0.0;     ///< v⁺ along the row

  double meanRate() const { return 0.5 * (rateBefore + rateAfter); }
  /// Forgets all steps, and keeps the room.
  void reset();
  /// What the next step looks at.
  void archive(Archive& archive) { archive(rateBefore, rateAfter, delassus, impulse); }
};

/// The rows of a step of `model`, with room for what a step adds to them.
std::vector<ForceRow> makeForceRows(const Model& model);

/// Records lengths, and rates of sums, at the start of a step. Sizes: one per element; twists one per body.
void observeForces(const Model& model, const StepContext& step, std::span<const Pose> poses,
                   std::span<const Vec6> twists, std::span<const JointGeometry> geometry,
                   std::span<ForceRow> rows);

/// Appends the bilateral rows of all force elements, and applies the explicit parts to problem.freeTwist.
/// Call after assembleJointRows(). `poses`: where the rows stand. `commands`: one per element, N or N·m; NaN:
/// the model's signal.
void assembleForceRows(const RowContext& context, std::span<const Pose> poses,
                       std::span<const double> commands, DualProblem& problem, std::span<ForceRow> rows);
/// Appends the interval rows of one-sided elements that are taut or may become so. Call after
/// assembleForceRows() and assembleIntervalRows().
void assembleForceIntervals(const RowContext& context, std::span<const Pose> poses, DualProblem& problem,
                            std::span<ForceRow> rows);

/// Reads impulses and rates from the solution of the step.
void completeForces(const Model& model, const std::vector<double>& impulses, std::span<const Vec6> twists,
                    std::span<ForceRow> rows);

}  // namespace grashof
