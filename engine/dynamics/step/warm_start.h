#pragma once
/// Impulses of the last step as the solver's first guess for the next one.

#include <span>
#include <vector>

#include "contacts/contact_cache.h"
#include "engine/dynamics/rows/row_slots.h"
#include "solvers/problem/dual_problem.h"
#include "solvers/solver.h"

namespace grashof {

/// Rows appear and disappear between steps, so impulses are stored by what the rows belong to: those of
/// contacts by shapes and place, see ContactCache, all others by their owners. Rows without a stored impulse
/// start at zero. Allocates only while the numbers of rows and contacts grow.
class WarmStart {
 public:
  explicit WarmStart(const Model& model) : slots_(model), kept_(slots_.count(), 0.0) {}

  /// Drops all impulses: the next step starts cold.
  void reset();

  /// Sets solution.impulse (one entry per row of `problem`) from the stored impulses. `poses`: CoM frames of
  /// all bodies at the configuration of the rows. @pre problem.owner has all rows
  void apply(std::span<const Contact> contacts, std::span<const Pose> poses, const DualProblem& problem,
             Solution& solution);
  /// Stores the impulses of a step that was solved; arguments as in apply().
  void store(std::span<const Contact> contacts, std::span<const Pose> poses, const DualProblem& problem,
             const Solution& solution);
  /// Sets impulseBefore of each contact to that of the last step that was stored, zero where there was none.
  void recall(std::span<const Pose> poses, std::span<Contact> contacts);
  void archive(Archive& archive);

 private:
  RowSlots slots_;
  std::vector<double> kept_;           // one per slot
  ContactCache cache_, turningCache_;  // forces; moments of rolling and torsional friction
  std::vector<Vec3> force_, moment_;   // of the contacts, world axes
};

}  // namespace grashof
