#pragma once
/// Rows of a joint in a dual problem. Included by kernels (joint_products.inc): no functions here.

namespace grashof {

/// Up to six bilateral rows (v⁺ + R λ = 0, λ free) that share the same bodies.
struct JointBlock {
  int row = 0;        ///< first row of the problem
  int rows = 0;       ///< 1..6
  int firstTerm = 0;  ///< its terms are [firstTerm, firstTerm + terms) of DualProblem::jointTerms
  int terms = 0;      ///< bodies it acts on: two at most of a joint, more of couplings and force elements
};

}  // namespace grashof
