#pragma once
/// The linear system inside every direct step of a solver, with the sparsity of the mechanism's graph:
///
///     [ M + Σ_k w_k J_kᵀ J_k   -J_Jᵀ  ] [ u   ]   [ a ]
///     [ J_J                    R + η  ] [ λ_J ] = [ b ]
///
/// The sum runs over the unilateral rows (intervals, contacts): condensed into body space they only add to
/// blocks between bodies, so a contact with the world costs no fill. Contacts that are coupled by a
/// compliance W of their own (DualProblem::coupled) can't be condensed: they stay explicit rows like the
/// joints, with W + diag(1/w) in place of R + η. Near-rigid joint rows stay explicit (condensing them would
/// square the condition number). Joint rows are scaled by 1/√D_ii; η is relative to that.

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
  /// three rows of a contact may differ), empty: all zero; positive for coupled contacts. `contactWeights`:
  /// symmetric positive semi-definite 3×3 weights, one a contact, in place of theirs; empty: not. `proximal`
  /// η > 0 on the scaled joint rows. When rounding eats η (a pivot of redundant rows is η in exact
  /// arithmetic), it is raised tenfold until it holds, and lowered again when there is room; the value used
  /// is proximal(). False for data that is not finite: nothing may be solved then.
  bool factorize(const DualProblem& problem, std::span<const double> weights, double proximal,
                 std::span<const Mat3> contactWeights = {});

  /// Solves in place: `body` holds a and receives u; `rows` holds b and receives λ of the explicit rows:
  /// those of the joints, and of coupled contacts (size at least jointRows, rows of the problem with those).
  void solve(const DualProblem& problem, std::span<Vec6> body, std::span<double> rows);

  double proximal() const { return proximal_; }
  int factorizations() const { return factorizations_; }
  int plans() const { return plans_; }
  int fillBlocks() const { return ldlt_.fillBlocks(); }
  /// Scale 1/√(D_ii + R_ii) of each joint row, as of the last factorize().
  std::span<const double> jointScale() const { return scale_; }

 private:
  int bodyPairEdge(int a, int b) const;
  bool sameCoupling(const DualProblem& problem) const;
  double tryFactorize(const DualProblem& problem, std::span<const double> weights,
                      std::span<const Mat3> contactWeights);
  void addContacts(const DualProblem& problem, std::span<const double> weights,
                   std::span<const Mat3> contactWeights);
  void addCoupledContacts(const DualProblem& problem, std::span<const double> weights,
                          std::span<const Mat3> contactWeights);

  BlockLdlt ldlt_;
  int bodies_ = -1;
  std::vector<int> jointBodies_;  // bodies of all joint terms, to recognise the graph
  std::vector<int> jointTermCount_;
  std::vector<std::pair<int, int>> pairs_;  // planned body-body pairs, sorted, first < second
  std::vector<double> scale_;               // one a joint row
  std::vector<Vec6> work_;
  std::vector<double> contactScale_;                 // one a coupled contact
  std::vector<int> coupledBodies_, coupledPattern_;  // to recognise the graph of coupled contacts
  double proximal_ = 0.0, margin_ = 0.0, requested_ = 0.0;
  int factorizations_ = 0;
  int plans_ = 0;
};

}  // namespace grashof
