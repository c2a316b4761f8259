#pragma once
/// Groups of bodies that no row connects are problems of their own.

#include <memory>
#include <vector>

#include "solvers/solver.h"

namespace grashof {

/// Splits a problem into its islands (bodies that joints, intervals and contacts connect) and solves each
/// with a solver of its own: one that is hard does not make the others iterate, one that rests costs nothing,
/// and large ones are solved at the same time. An island's solver is that of its lowest body, so that what a
/// solver keeps from step to step stays with the mechanism it was learned on. Same bits whatever the thread
/// count.
class IslandSolver : public Solver {
 public:
  /// A solver called options.name for each island. Throws InputError naming the known ones.
  explicit IslandSolver(const SolverOptions& options);
  ~IslandSolver() override;

  /// Iterations, residual, method and status are those of the island where they are worst; factorizations are
  /// added up.
  void solve(const DualProblem& problem, Solution& solution) override;

  /// Begins as if nothing had been solved before: solvers adapt to what they have seen.
  void reset();

 private:
  struct Island;

  /// Labels bodies; false when rows without bodies, or coupled contacts, keep the problem in one piece.
  bool label(const DualProblem& problem);
  int find(int body);
  void unite(int a, int b);
  Island& islandOf(int root);
  void scatter(const DualProblem& problem);
  void gather(Solution& solution) const;

  SolverOptions options_;
  std::vector<std::unique_ptr<Island>> islands_;  // by lowest body, made when first needed
  std::vector<int> parent_;                       // of the union-find over bodies
  std::vector<int> local_;                        // index of a body in its island
  std::vector<char> constrained_;                 // whether a row acts on the bodies of this root
  std::vector<int> active_;                       // roots of the islands that have rows
};

}  // namespace grashof
