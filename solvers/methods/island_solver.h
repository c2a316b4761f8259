#pragma once
/// Splits problems into islands, which are groups of bodies that no row connects, and leaves out contacts
/// that do not close (theory.md, "Islands").

#include <memory>
#include <vector>

#include "engine/base/disjoint_sets.h"
#include "solvers/solver.h"

namespace grashof {

/// Solves each island of a problem (bodies that joints, intervals and contacts connect) with a separate
/// solver: a hard island causes no iterations of the others, an island at rest costs nothing, and large ones
/// are solved in parallel. An island has the solver of its lowest body, so that the adapted parameters of a
/// solver stay with the mechanism. Results do not depend on the number of threads. The solution of each
/// island is judged by SolutionJudge, apart from its solver.
///
/// Contacts that are open and that neither the free motion nor the impulses of the warm start close are left
/// out at first: they have no impulse in the solution if v_n⁺ >= 0 holds there (v_n⁺ >= μ‖v_t⁺‖ for solvers
/// of the convex relaxation). Those where it does not are taken in, and what has changed is solved again.
/// Coupled contacts are never left out.
class IslandSolver : public Solver {
 public:
  /// A solver called options.name for each island. Throws InputError when there is none of that name.
  explicit IslandSolver(const SolverOptions& options);
  ~IslandSolver() override;

  /// Iterations, residual, method and status are those of the island where each is worst; factorizations are
  /// summed; the history is that of the island with the most iterations. Where contacts had to be taken in,
  /// iterations and factorizations are the sums of all rounds, the rest is that of the last one.
  void solve(const DualProblem& problem, Solution& solution) override;

  /// Status of the island of body `body` (its index in the problem) in the last solve(), before which it must
  /// not be called; Solved where no row acts.
  SolveStatus statusOf(int body);

  /// Resets the solvers of all islands (plans, penalties, budgets), so that the next result depends on the
  /// next problem only.
  void reset();

 private:
  struct Island;

  /// Labels bodies; false when rows without bodies, or coupled contacts, keep the problem in one piece.
  bool label(const DualProblem& problem);
  void chooseContacts(const DualProblem& problem, const Solution& solution);
  bool takeClosing(const DualProblem& problem, const Solution& solution);
  void completeLeftOut(const DualProblem& problem, Solution& solution) const;
  void solveChosen(const DualProblem& problem, Solution& solution);
  void solveWhole(Island& island, const DualProblem& problem, Solution& solution);
  void unite(int a, int b);
  void uniteLoads(const DualProblem& problem);
  void numberLoads(const DualProblem& problem);
  void takeLoads(const DualProblem& problem, const IntervalRow& row, Island& island);
  Island& islandOf(int root);
  void scatter(const DualProblem& problem);
  void gather(Solution& solution) const;

  SolverOptions options_;
  ContactModel model_;
  std::vector<char> leftOut_;  // per contact
  int leftOutCount_ = 0;
  bool whole_ = false;  // the last problem was solved in one piece, with
  SolveStatus wholeStatus_ = SolveStatus::Solved;
  std::vector<std::unique_ptr<Island>> islands_;  // by lowest body, made when first needed
  DisjointSets sets_;                             // of bodies
  std::vector<int> local_;                        // index of a body in its island
  std::vector<char> constrained_;                 // whether a row acts on the bodies of this root
  std::vector<int> active_;                       // roots of the islands that have rows
  std::vector<int> rowBody_;                      // per row: a body it acts on; -1: left out
  std::vector<int> localRow_;                     // index of a row in its island; -1: left out
};

}  // namespace grashof
