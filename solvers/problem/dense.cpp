#include "solvers/problem/dense.h"

namespace grashof {
namespace {

Eigen::Index columnOf(int body) { return 6 * static_cast<Eigen::Index>(body); }

void addJointRows(const DualProblem& problem, Eigen::MatrixXd& jacobian) {
  for (const JointBlock& joint : problem.joints)
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t) {
      const JointTerm& term = problem.jointTerms[t];
      jacobian.block(joint.row, columnOf(term.body), joint.rows, 6) += term.jacobian.topRows(joint.rows);
    }
}

/// J of all rows.
void fillJacobian(const DualProblem& problem, Eigen::MatrixXd& jacobian) {
  jacobian.setZero(problem.rows(), columnOf(problem.bodies()));
  addJointRows(problem, jacobian);
  for (const IntervalRow& row : problem.intervals)
    problem.forEachBody(row, [&](int body, const Vec6& own) {
      jacobian.block<1, 6>(row.row, columnOf(body)) += own.transpose();
    });
  for (const ContactBlock& contact : problem.contacts) {
    if (contact.bodyA >= 0) jacobian.block<3, 6>(contact.row, columnOf(contact.bodyA)) += contact.jacobianA;
    if (contact.bodyB >= 0) jacobian.block<3, 6>(contact.row, columnOf(contact.bodyB)) += contact.jacobianB;
  }
}

}  // namespace

Eigen::MatrixXd denseJointJacobian(const DualProblem& problem) {
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(problem.jointRows, columnOf(problem.bodies()));
  addJointRows(problem, jacobian);
  return jacobian;
}

Eigen::MatrixXd denseJacobian(const DualProblem& problem) {
  Eigen::MatrixXd jacobian;
  fillJacobian(problem, jacobian);
  return jacobian;
}

Eigen::MatrixXd denseMass(const DualProblem& problem) {
  const Eigen::Index n = columnOf(problem.bodies());
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(n, n);
  for (int b = 0; b < problem.bodies(); ++b) {
    const Eigen::Index i = columnOf(b);
    mass.block<3, 3>(i, i).diagonal().setConstant(problem.inertia[b].mass);
    mass.block<3, 3>(i + 3, i + 3) = problem.inertia[b].inertia;
  }
  return mass;
}

void fillDelassus(const DualProblem& problem, Eigen::MatrixXd& jacobian, Eigen::MatrixXd& loaded,
                  Eigen::MatrixXd& delassus) {
  fillJacobian(problem, jacobian);
  loaded = jacobian.transpose();
  for (Eigen::Index column = 0; column < loaded.cols(); ++column)
    for (int b = 0; b < problem.bodies(); ++b) {
      const Vec6 wrench = loaded.block<6, 1>(columnOf(b), column);
      loaded.block<6, 1>(columnOf(b), column) = problem.inertia[b].solve(wrench);
    }
  delassus.resize(problem.rows(), problem.rows());
  delassus.noalias() = jacobian * loaded;
}

Eigen::MatrixXd denseDelassus(const DualProblem& problem) {
  Eigen::MatrixXd jacobian, loaded, delassus;
  fillDelassus(problem, jacobian, loaded, delassus);
  return delassus;
}

}  // namespace grashof
