#include "engine/analysis/reactions.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/mobility.h"
#include "engine/base/error.h"

namespace grashof {
namespace {

constexpr double kRank = 1e-8;    // of the largest diagonal entry of R
constexpr double kUnique = 1e-9;  // share of a row in the null space
constexpr double kNext = 1e-9;    // weight of what counts next to nothing, of the others'

}  // namespace

ReactionDistribution::ReactionDistribution(const Model& model, std::vector<double> compliance)
    : model_(model), compliance_(std::move(compliance)), length_(mechanismSize(model)) {
  if (model.bodies.size() > static_cast<std::size_t>(kMaxBodies))
    throw InputError(
        fmt::format("{} bodies: reactions are split for at most {}", model.bodies.size(), kMaxBodies));
  compliance_.resize(model.joints.size(), 0.0);
}

std::span<const double> ReactionDistribution::split(const Simulator& simulator) {
  const DualProblem& problem = simulator.problem();
  impulse_ = simulator.solution().impulse;
  unique_.assign(static_cast<std::size_t>(problem.jointRows), 1);
  indeterminate_ = 0;
  if (impulse_.empty() || problem.jointRows == 0) return impulse_;
  // Rigid rows: constraints, couplings, prescribed motions.
  std::vector<int> rows;
  for (int r = 0; r < problem.jointRows; ++r)
    if (problem.compliance[static_cast<std::size_t>(r)] == 0.0) rows.push_back(r);
  std::vector<int> place(static_cast<std::size_t>(problem.jointRows), -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    place[static_cast<std::size_t>(rows[i])] = static_cast<int>(i);
  const auto m = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(m, 6 * static_cast<Eigen::Index>(problem.inertia.size()));
  for (const JointBlock& block : problem.joints)
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t)
      for (int r = 0; r < block.rows; ++r) {
        const int row = place[block.row + r];
        if (row < 0) continue;
        const JointTerm& term = problem.jointTerms[static_cast<std::size_t>(t)];
        jacobian.block<1, 6>(row, 6 * static_cast<Eigen::Index>(term.body)) += term.jacobian.row(r);
      }
  for (Eigen::Index b = 0; b < jacobian.cols() / 6; ++b) jacobian.middleCols<3>(6 * b + 3) /= length_;
  // What is square to the columns of J leaves the motion alone.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr = [&] {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> q(jacobian.rows(), jacobian.cols());
    q.setThreshold(kRank);
    q.compute(jacobian);
    return q;
  }();
  const Eigen::Index free = m - qr.rank();
  indeterminate_ = static_cast<int>(free);
  if (free == 0) return impulse_;
  Eigen::MatrixXd null = Eigen::MatrixXd::Zero(m, free);
  null.bottomRows(free).setIdentity();
  null = qr.householderQ() * null;

  // Weights of the rows.
  Eigen::VectorXd weight = Eigen::VectorXd::Ones(m);
  const bool declared = std::any_of(compliance_.begin(), compliance_.end(), [](double c) { return c > 0.0; });
  double usual = 0.0;
  for (const double c : compliance_) usual = std::max(usual, c);
  const auto blocks = simulator.jointBlocks();
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (blocks[j] < 0) continue;
    const JointBlock& block = problem.joints[static_cast<std::size_t>(blocks[j])];
    const Joint& joint = model_.joints[j];
    for (int r = 0; r < block.rows; ++r) {
      const int row = place[block.row + r];
      if (row < 0) continue;
      const bool constraint = r < joint.type->numConstraints();
      double& w = weight[row];
      if (declared) {
        w = constraint && compliance_[j] > 0.0 ? compliance_[j] : kNext * usual;
      } else if (constraint && isRotation(joint.type->constrainedDirections()[r])) {
        w = 1.0 / (length_ * length_);
      }
    }
  }
  Eigen::VectorXd lambda(m);
  for (Eigen::Index i = 0; i < m; ++i)
    lambda[i] = impulse_[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
  const Eigen::MatrixXd weighted = weight.cwiseSqrt().asDiagonal() * null;
  const Eigen::VectorXd shift =
      weighted.colPivHouseholderQr().solve(Eigen::VectorXd(weight.cwiseSqrt().cwiseProduct(lambda)));
  lambda -= null * shift;
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto row = static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]);
    impulse_[row] = lambda[i];
    unique_[row] = null.row(i).squaredNorm() <= kUnique ? 1 : 0;
  }
  return impulse_;
}

}  // namespace grashof
