#pragma once
/// The linear system inside every direct step of a solver, with the sparsity of the mechanism's graph
/// (theory.md, "Linear algebra"):
///
///     [ M + Σ_k w_k J_kᵀ J_k   -J_Jᵀ  ] [ u   ]   [ a ]
///     [ J_J                    R + η  ] [ λ_J ] = [ b ]
///
/// The sum runs over the unilateral rows (intervals, contacts). Condensed into body space they add to blocks
/// between bodies only, so that a contact with the world costs no fill. Contacts that a compliance W couples
/// (DualProblem::coupled) cannot be condensed: they stay explicit rows like the joints, as all contacts do on
/// request, with W + diag(1/w) in place of R + η. Soft joint rows stay explicit too, because condensing those
/// that are almost rigid would square the condition number. Joint rows are scaled by 1/√D_ii, and η is
/// relative to that scale.

#include <span>
#include <vector>

#include "solvers/linear/block_factor.h"
#include "solvers/linear/explicit_contacts.h"
#include "solvers/linear/kkt_graph.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// How contacts enter the matrix.
enum class ContactRows {
  Condensed,  ///< into body space: cheap, but weights far above M destroy the digits of M
  Explicit    ///< explicit rows, like the joints: weights of any size
};

/// The factorized system of one problem after another; the symbolic plan and all memory are reused.
class KktSystem {
 public:
  explicit KktSystem(ContactRows contacts = ContactRows::Condensed) : contactRows_(contacts) {}

  /// Adapts the symbolic plan to the graph of `problem`. A plan that covers the problem is reused (a contact
  /// that has disappeared leaves a zero block), so a settled scene is planned once. To be called for every
  /// problem. `late`: for factorizeHead(), one flag per body; empty: none. Returns whether it made a new
  /// plan; it allocates only in that case, or for more contacts than before.
  bool analyze(const DualProblem& problem, std::span<const char> late = {});

  /// Symmetric numeric factorization.
  ///   weights         w >= 0, one per unilateral row (size rows - jointRows), positive for explicit
  ///                   contacts; empty: all zero, which explicit contacts do not allow
  ///   proximal        η > 0 on the scaled joint rows
  ///   contactWeights  symmetric positive semi-definite 3×3 weights, one per contact, in place of those in
  ///                   `weights`; only for condensed contacts; empty: not used
  /// Redundant joint rows have the pivot η in exact arithmetic. If rounding makes it smaller than η/2, η is
  /// multiplied by ten and the factorization repeated; later calls divide it by ten again when the smallest
  /// pivot exceeds 0.95 η. The value used is proximal(). Returns false for data that is not finite: solve()
  /// must not be called then. @pre analyze(problem).
  bool factorize(const DualProblem& problem, std::span<const double> weights, double proximal,
                 std::span<const Mat3> contactWeights = {});
  /// As factorize(), with 3×3 contact weights that need not be symmetric. @pre condensed contacts.
  bool factorizeGeneral(const DualProblem& problem, std::span<const double> weights, double proximal,
                        std::span<const Mat3> contactWeights);
  /// factorizeGeneral() in two parts, the second of which can be repeated with other contact weights. The
  /// head is all that can be eliminated before the late bodies, among which all bodies in contact must be.
  /// Both return false as factorize() does. @pre condensed contacts.
  bool factorizeHead(const DualProblem& problem, std::span<const double> weights, double proximal);
  bool factorizeTail(const DualProblem& problem, std::span<const Mat3> contactWeights);
  /// As factorize(), with an equation per contact in its own coordinates. @pre explicit contacts.
  bool factorizeGeneral(const DualProblem& problem, std::span<const double> weights, double proximal,
                        std::span<const ContactEquation> contacts);

  /// Solves in place. `body` (size bodies) holds a and receives u. `rows` holds b and receives λ of the
  /// explicit rows: of the joints (size at least jointRows) and of explicit contacts (size rows of the
  /// problem). After factorizeGeneral() with ContactEquation, contacts hold their b and receive ζ.
  /// @pre the last factorization succeeded.
  void solve(const DualProblem& problem, std::span<Vec6> body, std::span<double> rows);

  double proximal() const { return proximal_; }
  /// Whether joint rows that close loops were found redundant, or nearly so, by the last factorize() or
  /// factorizeHead() and factorizeTail(): a pivot is then about η. Contacts of large weights make pivots
  /// small, too.
  bool redundant() const { return !graph_.forest() && pivotRatio_ < kRedundantRatio; }
  /// Numeric factorizations and symbolic plans since the construction.
  int factorizations() const { return factorizations_; }
  int plans() const { return plans_; }
  int fillBlocks() const { return contactsOnly_ ? contactFactor_.fillBlocks() : factor_.fillBlocks(); }
  /// Scale 1/√(D_ii + R_ii) of each joint row, as of the last factorize().
  std::span<const double> jointScale() const { return scale_; }

 private:
  enum class Part { Whole, Head };
  bool factorizeWith(const DualProblem& problem, double proximal, Symmetry symmetry, Part part = Part::Whole);
  PivotReport tryFactorize(const DualProblem& problem, Part part);
  void addBodies(const DualProblem& problem);
  void addIntervals(const DualProblem& problem);
  void addPair(double weight, int bodyA, const Vec6& jacobianA, int bodyB, const Vec6& jacobianB);
  void addContacts(const DualProblem& problem);
  void addJoints(const DualProblem& problem);
  void solveContactsOnly(const DualProblem& problem, std::span<double> rows);

  KktGraph graph_;
  BlockFactor<6> factor_;
  BlockFactor<3> contactFactor_;  // in its place, for problems without bodies
  ExplicitContacts explicitContacts_;
  ContactRows contactRows_;
  bool explicit_ = false;      // contacts are rows of the matrix
  bool contactsOnly_ = false;  // no bodies, no joints
  Symmetry symmetry_ = Symmetry::Symmetric;
  std::vector<double> scale_;     // one per joint row
  std::vector<Vec6> blockScale_;  // the same by joint block, 0 beyond its rows
  std::vector<Vec3> contactWork_;
  std::vector<int> contactEdge_;  // of each condensed contact; -1: no pair of bodies
  // Arguments of the factorization under way.
  std::span<const double> weights_;
  std::span<const Mat3> contactWeights_;
  static constexpr double kRedundantRatio = 1e3;
  double proximal_ = 0.0, requested_ = 0.0;  // η as used, as asked for
  double pivotRatio_ = 0.0;                  // of the last factorization
  int factorizations_ = 0;
  int plans_ = 0;
};

}  // namespace grashof
