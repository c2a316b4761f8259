#pragma once
/// Parts of a dual problem as dense matrices: for analyses of small mechanisms and for comparison. Allocates.

#include <Eigen/Core>

#include "solvers/problem/dual_problem.h"

namespace grashof {

/// J_J of the joint rows: jointRows × 6 bodies, columns (linear, angular) of each body as in a twist.
Eigen::MatrixXd denseJointJacobian(const DualProblem& problem);

/// J of all rows: rows × 6 bodies.
Eigen::MatrixXd denseJacobian(const DualProblem& problem);

/// M: 6 bodies × 6 bodies.
Eigen::MatrixXd denseMass(const DualProblem& problem);

/// D = J M⁻¹ Jᵀ without compliance: rows × rows.
Eigen::MatrixXd denseDelassus(const DualProblem& problem);

}  // namespace grashof
