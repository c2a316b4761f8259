#pragma once
/// The contacts of a dual problem alone: their Delassus matrix, without bilateral rows and with these
/// eliminated (theory.md, "The dual problem"). For files, analyses and comparison. Allocates.

#include <Eigen/Core>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "solvers/problem/dual_problem.h"

namespace grashof {

/// 3×3 blocks of a matrix over contacts, by contact of the row and of the column.
using ContactBlocks = std::map<std::pair<int, int>, Mat3>;

/// The same in compressed rows. @pre every diagonal block is there
CoupledCompliance compress(const ContactBlocks& blocks, int contacts);

/// The Delassus matrix of the contact rows, with compliance: J_C M⁻¹ J_Cᵀ + R + W (1/kg). It has a block for
/// every pair of contacts that share a body or are coupled by W. Joints and intervals do not count.
CoupledCompliance contactDelassus(const DualProblem& problem);

/// A row v + bias + R λ = 0 with λ free, by the bodies it acts on.
struct BilateralRow {
  int row = 0;  ///< of the problem
  std::vector<RowTerm> terms;
};

/// All such rows: those of joints, then intervals without bounds.
std::vector<BilateralRow> bilateralRows(const DualProblem& problem);

/// Whether the impulse of an interval row has no bound.
bool isUnbounded(const IntervalRow& row);

/// The pseudo-inverse of a symmetric positive semidefinite matrix, in the metric in which its diagonal is
/// one: directions whose eigenvalue there is less than 1e-11 of the greatest count as redundant, as for the
/// solvers (SolverOptions::jointProximal).
Eigen::MatrixXd semidefiniteInverse(const Eigen::MatrixXd& a);

/// The contacts of a problem with its bilateral rows eliminated:
///
///     u = W r + q,   W = D_CC + R_C - D_CB A⁺ D_BC,   q = J_C u_f + v*_C - D_CB A⁺ (J_B u_f + v*_B),
///
/// with D = J M⁻¹ Jᵀ and A = D_BB + R_B: exact for the solutions of the rows in contact, whatever rows are
/// redundant. Intervals with bounds do not count. Contact rows are (t, o, n), contact by contact.
class CondensedContacts {
 public:
  /// @pre fits(problem)
  explicit CondensedContacts(const DualProblem& problem);

  /// Whether each set of bodies that bilateral rows join has at most 600 of them, so that A⁺ is found within
  /// seconds.
  static bool fits(const DualProblem& problem);

  const CoupledCompliance& delassus() const { return delassus_; }    ///< W, 1/kg
  const std::vector<double>& freeVelocity() const { return free_; }  ///< q, m/s; size 3 contacts
  /// u = W r + q (m/s) of the impulses r (N·s). Sizes: 3 contacts.
  std::vector<double> velocity(std::span<const double> impulse) const;
  /// Impulses (N·s, N·m·s) of bilateral rows that go with r, in the order of bilateralRows(): the smallest,
  /// in the metric of semidefiniteInverse(), where rows are redundant.
  std::vector<double> bilateralImpulse(std::span<const double> impulse) const;

 private:
  /// Bodies joined by bilateral rows.
  struct Island {
    std::vector<int> rows;      // of bilateralRows()
    std::vector<int> contacts;  // that touch it
    Eigen::MatrixXd coupling;   // D_CB: 3 contacts × rows
    Eigen::MatrixXd inverse;    // A⁺
    Eigen::VectorXd free;       // J_B u_f + v*_B
  };
  static std::vector<Island> islandsOf(const DualProblem& problem, const std::vector<BilateralRow>& rows);
  static void assemble(const DualProblem& problem, const std::vector<BilateralRow>& rows, Island& island);

  std::size_t rows_ = 0;
  std::vector<Island> islands_;
  CoupledCompliance delassus_;
  std::vector<double> free_;
};

}  // namespace grashof
