#pragma once
/// The Jacobian of joint rows as one matrix, for decompositions.

#include <Eigen/SparseCore>
#include <vector>

#include "solvers/problem/dual_problem.h"

namespace grashof {

/// The non-zero entries of J of the joint rows of `problem`. Row: that of the problem. Column: 6 body + i.
/// Columns of rotations are divided by `length` (m), so that all columns have the same unit: a rotation
/// counts as the way of a point at this distance. Entries at the same place add up.
std::vector<Eigen::Triplet<double>> jointJacobianEntries(const DualProblem& problem, double length);

}  // namespace grashof
