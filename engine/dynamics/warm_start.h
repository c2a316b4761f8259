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

/// Rows come and go between steps, so impulses are kept by what they belong to:
/// - bilateral rows by their index: they come first and in the same order as long as there are as many;
/// - interval rows by coordinate and kind (dry friction, servo, lower limit, upper limit);
/// - contacts by shapes and place, see ContactCache.
/// What was not there in the last step starts at zero. Allocates only while the number of rows grows.
class WarmStart {
 public:
  explicit WarmStart(std::size_t coordinates) { reset(coordinates); }

  /// Forgets everything: the next step starts cold.
  void reset(std::size_t coordinates);

  /// Sets solution.impulse (world of `problem`, whose rows are set) from what was stored. `poses`: of the
  /// rows.
  void apply(std::span<const CoordinateRows> rows, std::span<const Contact> contacts,
             std::span<const Pose> poses, const DualProblem& problem, Solution& solution);
  /// Stores the impulses of a step that was solved; arguments as in apply().
  void store(std::span<const CoordinateRows> rows, std::span<const Contact> contacts,
             std::span<const Pose> poses, const DualProblem& problem, const Solution& solution);

 private:
  std::vector<std::array<double, 4>> interval_;  // friction, servo, lower, upper of each coordinate
  ContactCache cache_;
  std::vector<Vec3> contact_;  // world axes
  int jointRows_ = 0;          // of the last step
};

}  // namespace grashof
