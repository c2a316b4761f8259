#pragma once
/// Impulses of the last step as the solver's first guess for the next one.

#include <array>
#include <span>
#include <vector>

#include "contacts/contact_cache.h"
#include "engine/dynamics/joint_rows.h"
#include "solvers/problem/dual_problem.h"
#include "solvers/solver.h"

namespace grashof {

/// For the interval rows of one coordinate: dry friction, the ramps of its drive, lower limit, upper limit.
template <typename T>
using CoordinateIntervals = std::array<T, 3 + kDriveRamps>;

/// Rows appear and disappear between steps, so impulses are stored by the object to which they belong:
/// - bilateral rows by their index: they come first and in the same order as long as there are as many;
/// - interval rows by coordinate and kind (dry friction, drive, lower limit, upper limit);
/// - further interval rows by the order in which they are given (friction of couplings and pulleys);
/// - contacts by shapes and place, see ContactCache.
/// Rows without a stored impulse start at zero. Allocates only while the number of rows grows.
class WarmStart {
 public:
  WarmStart(std::size_t coordinates, std::size_t further) { reset(coordinates, further); }

  /// Drops all impulses: the next step starts cold.
  void reset(std::size_t coordinates, std::size_t further);

  /// Sets solution.impulse (one entry per row of `problem`) from the stored impulses. `further`: see
  /// StepRecord::further. `poses`: CoM frames of all bodies at the configuration of the rows.
  void apply(std::span<const CoordinateRows> rows, std::span<const int> further,
             std::span<const Contact> contacts, std::span<const Pose> poses, const DualProblem& problem,
             Solution& solution);
  /// Stores the impulses of a step that was solved; arguments as in apply().
  void store(std::span<const CoordinateRows> rows, std::span<const int> further,
             std::span<const Contact> contacts, std::span<const Pose> poses, const DualProblem& problem,
             const Solution& solution);
  /// Sets impulseBefore of each contact to that of the last step that was stored, zero where there was none.
  void recall(std::span<const Pose> poses, std::span<Contact> contacts);
  /// `solution`: that of the last step, whose impulses of bilateral rows belong to it.
  void archive(Archive& archive, Solution& solution);

 private:
  std::vector<CoordinateIntervals<double>> interval_;  // one per coordinate
  std::vector<double> further_;                        // as `further` of the last step
  void applyTurning(std::span<const Contact> contacts, std::span<const Pose> poses,
                    const DualProblem& problem, std::vector<double>& impulse);
  void storeTurning(std::span<const Contact> contacts, std::span<const Pose> poses,
                    const DualProblem& problem, const std::vector<double>& impulse);

  ContactCache cache_, turningCache_;  // forces; moments of rolling and torsional friction
  std::vector<Vec3> contact_;          // world axes
  int jointRows_ = 0;                  // of the last step
};

}  // namespace grashof
