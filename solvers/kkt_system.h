#pragma once
/// The linear system inside every direct step of a solver, with the sparsity of the mechanism's graph:
///
///     [ M + Σ_k w_k J_kᵀ J_k   -J_Jᵀ  ] [ u   ]   [ a ]
///     [ J_J                    R + η  ] [ λ_J ] = [ b ]
///
/// The sum runs over the unilateral rows (intervals, contacts): condensed into body space they only add to
/// blocks between bodies, so a contact with the world costs no fill. Near-rigid joint rows stay explicit
/// (condensing them would square the condition number). Joint rows are scaled by 1/√D_ii; η is relative to
/// that.

#include <span>
#include <utility>
#include <vector>

#include "solvers/block_ldlt.h"
#include "solvers/dual_problem.h"

namespace grashof {

class KktSystem {
 public:
  /// Makes the symbolic plan fit the graph of `problem`. Keeps the present plan when it covers the problem (a
  /// contact that went away leaves a zero block), so a settled scene never plans again. True when it planned.
  bool plan(const DualProblem& problem);

  /// Numeric factorization. `weights`: one non-negative weight w a unilateral row (size rows - jointRows; the
  /// three rows of a contact may differ), empty: all zero. `proximal` η > 0 on the scaled joint rows. When
  /// rounding eats η (a pivot of redundant rows is η in exact arithmetic), it is raised tenfold until it
  /// holds, and lowered again when there is room; the value used is proximal(). False for data that is
  /// not finite: nothing may be solved then.
  bool factorize(const DualProblem& problem, std::span<const double> weights, double proximal);

  /// Solves in place: `body` holds a and receives u; `joint` holds b (size jointRows) and receives λ_J.
  void solve(const DualProblem& problem, std::span<Vec6> body, std::span<double> joint);

  double proximal() const { return proximal_; }
  int factorizations() const { return factorizations_; }
  int plans() const { return plans_; }
  int fillBlocks() const { return ldlt_.fillBlocks(); }
  /// Scale 1/√(D_ii + R_ii) of each joint row, as of the last factorize().
  std::span<const double> jointScale() const { return scale_; }

 private:
  int bodyPairEdge(int a, int b) const;
  double tryFactorize(const DualProblem& problem, std::span<const double> weights);

  BlockLdlt ldlt_;
  int bodies_ = -1;
  std::vector<int> jointBodies_;  // bodies of all joint terms, to recognise the graph
  std::vector<int> jointTermCount_;
  std::vector<std::pair<int, int>> pairs_;  // planned body-body pairs, sorted, first < second
  std::vector<double> scale_;               // one a joint row
  std::vector<Vec6> work_;
  double proximal_ = 0.0, margin_ = 0.0;
  int factorizations_ = 0;
  int plans_ = 0;
};

}  // namespace grashof
