#pragma once
/// The linear system inside every direct step of a solver, with the sparsity of the mechanism's graph:
///
///     [ M + Σ_k w_k J_kᵀ J_k   -J_Jᵀ  ] [ u   ]   [ a ]
///     [ J_J                    R + η  ] [ λ_J ] = [ b ]
///
/// The sum runs over the unilateral rows (intervals, contacts): condensed into body space they only add to
/// blocks between bodies, so a contact with the world costs no fill. Contacts that are coupled by a
/// compliance W of their own (DualProblem::coupled) can't be condensed: they stay explicit rows like the
/// joints, as all do on request, with W + diag(1/w) in place of R + η. Near-rigid joint rows stay explicit
/// (condensing them would square the condition number). Joint rows are scaled by 1/√D_ii; η is relative to
/// that.

#include <span>
#include <utility>
#include <vector>

#include "solvers/linear/block_factor.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Where contacts go.
enum class ContactRows {
  Condensed,  ///< into body space; cheap, but weights far above M take its digits
  Explicit    ///< rows of their own, like the joints; holds any weights
};

/// An explicit contact in coordinates of its own: left (J u + W λ) + own ζ = b, λ = rightᵀ ζ. `own` holds the
/// contact's compliance and weight.
struct ContactEquation {
  Mat3 left = Mat3::Identity(), right = Mat3::Identity();
  Mat3 own = Mat3::Zero();
};

class KktSystem {
 public:
  explicit KktSystem(ContactRows contacts = ContactRows::Condensed) : contactRows_(contacts) {}

  /// Makes the symbolic plan fit the graph of `problem`. Keeps the present plan when it covers the problem (a
  /// contact that went away leaves a zero block), so a settled scene never plans again. True when it planned.
  bool plan(const DualProblem& problem);

  /// Numeric factorization, symmetric. `weights`: one non-negative weight w a unilateral row (size rows -
  /// jointRows; the three rows of a contact may differ), empty: all zero; positive for explicit contacts.
  /// `contactWeights`: symmetric positive semi-definite 3×3 weights, one a contact, in place of theirs;
  /// empty: not; only for condensed contacts. `proximal` η > 0 on the scaled joint rows. When rounding eats η
  /// (a pivot of redundant rows is η in exact arithmetic), it is raised tenfold until it holds, and lowered
  /// again when there is room; the value used is proximal(). False for data that is not finite: nothing may
  /// be solved then.
  bool factorize(const DualProblem& problem, std::span<const double> weights, double proximal,
                 std::span<const Mat3> contactWeights = {});
  /// The same with 3×3 contact weights that need not be symmetric, for condensed contacts.
  bool factorizeGeneral(const DualProblem& problem, std::span<const double> weights, double proximal,
                        std::span<const Mat3> contactWeights);
  /// The same for explicit contacts, each in its own coordinates.
  bool factorizeGeneral(const DualProblem& problem, std::span<const double> weights, double proximal,
                        std::span<const ContactEquation> contacts);

  /// Solves in place: `body` holds a and receives u; `rows` holds b and receives λ of the explicit rows:
  /// those of the joints, and of explicit contacts (size at least jointRows, rows of the problem with those).
  /// After factorizeGeneral() with ContactEquation, contacts hold their b and receive ζ.
  void solve(const DualProblem& problem, std::span<Vec6> body, std::span<double> rows);

  double proximal() const { return proximal_; }
  int factorizations() const { return factorizations_; }
  int plans() const { return plans_; }
  int fillBlocks() const { return contactsOnly_ ? small_.fillBlocks() : factor_.fillBlocks(); }
  /// Scale 1/√(D_ii + R_ii) of each joint row, as of the last factorize().
  std::span<const double> jointScale() const { return scale_; }

 private:
  int bodyPairEdge(int a, int b) const;
  bool sameContacts(const DualProblem& problem) const;
  bool factorizeWith(const DualProblem& problem, double proximal, Symmetry symmetry);
  double tryFactorize(const DualProblem& problem);
  void addIntervals(const DualProblem& problem);
  void addContacts(const DualProblem& problem);
  template <int N>
  void addExplicitContacts(const DualProblem& problem, BlockFactor<N>& factor);
  void equationsFromWeights(const DualProblem& problem);

  BlockFactor<6> factor_;
  BlockFactor<3> small_;  // in its place, for coupled contacts alone
  ContactRows contactRows_;
  bool explicit_ = false;      // contacts are rows of the matrix
  bool contactsOnly_ = false;  // no bodies, no joints
  Symmetry symmetry_ = Symmetry::Symmetric;
  int bodies_ = -1;
  std::vector<int> jointBodies_;  // bodies of all joint terms, to recognise the graph
  std::vector<int> jointTermCount_;
  std::vector<std::pair<int, int>> pairs_;  // planned body-body pairs, sorted, first < second
  std::vector<double> scale_;               // one a joint row
  std::vector<Vec6> work_;
  std::vector<Vec3> smallWork_;
  // What is being factorized.
  std::span<const double> weights_;
  std::span<const Mat3> contactWeights_;
  std::span<const ContactEquation> equations_;
  std::vector<ContactEquation> scaledContacts_;      // of explicit contacts that come with weights
  std::vector<double> contactScale_;                 // one of those; empty: equations were given
  std::vector<int> contactBodies_, coupledPattern_;  // to recognise the graph of explicit contacts
  double proximal_ = 0.0, margin_ = 0.0, requested_ = 0.0;
  int factorizations_ = 0;
  int plans_ = 0;
};

}  // namespace grashof
