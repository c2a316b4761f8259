#pragma once
/// Contacts as explicit rows of the KKT matrix, instead of condensed into body space.

#include <span>
#include <vector>

#include "solvers/linear/block_factor.h"
#include "solvers/linear/kkt_graph.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// An explicit contact in local coordinates ζ: rowMap (J u + W λ) + diagonal ζ = b, λ = columnMapᵀ ζ.
/// `diagonal` holds the contact's compliance and weight.
struct ContactEquation {
  Mat3 rowMap = Mat3::Identity(), columnMap = Mat3::Identity();
  Mat3 diagonal = Mat3::Zero();
};

/// The blocks of explicit contacts in the KKT matrix.
class ExplicitContacts {
 public:
  /// Contacts given by positive weights w per unilateral row (size rows - jointRows):
  /// J u + W λ + λ / w = b, scaled by 1/√(mean of the diagonal of W).
  void setWeights(const DualProblem& problem, std::span<const double> weights);
  /// Contacts given by an equation each; `equations` is read by addTo().
  void setEquations(std::span<const ContactEquation> equations);

  /// Adds the blocks of all contacts to `factor`, which was analysed for `graph` and cleared with `symmetry`.
  /// N = 3 holds contacts that touch no body.
  template <int N>
  void addTo(const DualProblem& problem, const KktGraph& graph, Symmetry symmetry,
             BlockFactor<N>& factor) const;

  /// Factor of the rows and impulses of a contact; 1 when equations were given.
  double scale(std::size_t contact) const { return scale_.empty() ? 1.0 : scale_[contact]; }

 private:
  std::span<const ContactEquation> equations_;
  std::vector<ContactEquation> fromWeights_;
  std::vector<double> scale_;  // empty: equations were given
};

}  // namespace grashof
