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

/// J and D into matrices that are there: J (rows × 6 bodies), M⁻¹ Jᵀ and D. Allocates when
/// they grow.
void fillDelassus(const DualProblem& problem, Eigen::MatrixXd& jacobian, Eigen::MatrixXd& loaded,
                  Eigen::MatrixXd& delassus);

/// D = J M⁻¹ Jᵀ without compliance: rows × rows.
Eigen::MatrixXd denseDelassus(const DualProblem& problem);

}  // namespace grashof
