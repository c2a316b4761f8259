#include "engine/analysis/reactions.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/joint_jacobian.h"
#include "engine/analysis/mobility.h"
#include "engine/base/error.h"

namespace grashof {
namespace {

constexpr double kReactionRank = 1e-8;  // of the largest diagonal entry of R: smaller ones are zero
constexpr double kUnique = 1e-9;        // squared length of a row of the null space: smaller ones are zero
constexpr double kNearlyRigid = 1e-9;   // compliance of rows without a declared one, relative to the largest

/// Rows of constraints, couplings and prescribed motions. Soft rows are left out: their law fixes their
/// impulse.
std::vector<int> rigidRows(const DualProblem& problem) {
  std::vector<int> rows;
  for (int r = 0; r < problem.jointRows; ++r)
    if (problem.compliance[static_cast<std::size_t>(r)] == 0.0) rows.push_back(r);
  return rows;
}

Eigen::MatrixXd jacobianOf(const DualProblem& problem, std::span<const int> rows, double length) {
  const Eigen::MatrixXd all = scaledJointJacobian(problem, length);
  Eigen::MatrixXd jacobian(static_cast<Eigen::Index>(rows.size()), all.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) jacobian.row(static_cast<Eigen::Index>(i)) = all.row(rows[i]);
  return jacobian;
}

/// An orthonormal basis of {n : Jᵀ n = 0}, one vector per column: the columns of Q beyond the rank in
/// J Π = Q R.
Eigen::MatrixXd nullSpaceOfTranspose(const Eigen::MatrixXd& jacobian) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(jacobian.rows(), jacobian.cols());
  qr.setThreshold(kReactionRank);
  qr.compute(jacobian);
  const Eigen::Index dimension = jacobian.rows() - qr.rank();
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(jacobian.rows(), dimension);
  if (dimension == 0) return basis;
  basis.bottomRows(dimension).setIdentity();
  return qr.householderQ() * basis;
}

/// The λ - N s with the least Σ w_i λ_i², over all s; N: `null`.
Eigen::VectorXd leastWeighted(const Eigen::MatrixXd& null, const Eigen::VectorXd& weight,
                              const Eigen::VectorXd& lambda) {
  const Eigen::VectorXd root = weight.cwiseSqrt();
  const Eigen::MatrixXd weighted = root.asDiagonal() * null;
  const Eigen::VectorXd shift =
      weighted.colPivHouseholderQr().solve(Eigen::VectorXd(root.cwiseProduct(lambda)));
  return lambda - null * shift;
}

}  // namespace

ReactionDistribution::ReactionDistribution(const Model& model, std::vector<double> compliance)
    : model_(model), compliance_(std::move(compliance)), length_(mechanismSize(model)) {
  if (model.bodies.size() > static_cast<std::size_t>(kMaxBodies))
    throw InputError(
        fmt::format("{} bodies: reactions are split for at most {}", model.bodies.size(), kMaxBodies));
  compliance_.resize(model.joints.size(), 0.0);
}

/// The compliances of the rows where any is declared; else 1 for forces and 1 / length² for moments.
Eigen::VectorXd ReactionDistribution::rowWeights(const Simulator& simulator,
                                                 std::span<const int> rows) const {
  const DualProblem& problem = simulator.problem();
  const double largest =
      compliance_.empty() ? 0.0 : *std::max_element(compliance_.begin(), compliance_.end());
  const bool declared = largest > 0.0;
  Eigen::VectorXd all = Eigen::VectorXd::Ones(problem.jointRows);
  const auto blocks = simulator.jointBlocks();
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (blocks[j] < 0) continue;
    const JointBlock& block = problem.joints[static_cast<std::size_t>(blocks[j])];
    const JointType& type = *model_.joints[j].type;
    for (int r = 0; r < block.rows; ++r) {
      const bool constraint = r < type.numConstraints();  // else the row of a prescribed motion
      double& weight = all[block.row + r];
      if (declared)
        weight = constraint && compliance_[j] > 0.0 ? compliance_[j] : kNearlyRigid * largest;
      else if (constraint && isRotation(type.constrainedDirections()[static_cast<std::size_t>(r)]))
        weight = 1.0 / (length_ * length_);
    }
  }
  Eigen::VectorXd weights(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) weights[static_cast<Eigen::Index>(i)] = all[rows[i]];
  return weights;
}

std::span<const double> ReactionDistribution::split(const Simulator& simulator) {
  const DualProblem& problem = simulator.problem();
  impulse_ = simulator.solution().impulse;
  unique_.assign(static_cast<std::size_t>(problem.jointRows), 1);
  indeterminacy_ = 0;
  const std::vector<int> rows = rigidRows(problem);
  if (impulse_.empty() || rows.empty()) return impulse_;
  const Eigen::MatrixXd null = nullSpaceOfTranspose(jacobianOf(problem, rows, length_));
  indeterminacy_ = static_cast<int>(null.cols());
  if (indeterminacy_ == 0) return impulse_;
  Eigen::VectorXd lambda(null.rows());
  for (std::size_t i = 0; i < rows.size(); ++i)
    lambda[static_cast<Eigen::Index>(i)] = impulse_[static_cast<std::size_t>(rows[i])];
  lambda = leastWeighted(null, rowWeights(simulator, rows), lambda);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    const auto at = static_cast<Eigen::Index>(i);
    impulse_[row] = lambda[at];
    unique_[row] = null.row(at).squaredNorm() <= kUnique ? 1 : 0;
  }
  return impulse_;
}

}  // namespace grashof
