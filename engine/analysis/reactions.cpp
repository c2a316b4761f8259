#include "engine/analysis/reactions.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseQR>

#include "engine/analysis/joint_jacobian.h"
#include "engine/analysis/mobility.h"

namespace grashof {
namespace {

constexpr double kReactionRank = 1e-8;  // of the largest diagonal entry of R: smaller ones are zero

}  // namespace

int degreeOfStaticIndeterminacy(const Model& model, const DualProblem& problem) {
  std::vector<int> place(static_cast<std::size_t>(problem.jointRows), -1);
  int rows = 0;
  for (std::size_t r = 0; r < place.size(); ++r)
    if (problem.compliance[r] == 0.0) place[r] = rows++;
  if (rows == 0) return 0;
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& e : jointJacobianEntries(problem, mechanismSize(model)))
    if (const int at = place[static_cast<std::size_t>(e.row())]; at >= 0)
      entries.emplace_back(at, e.col(), e.value());
  Eigen::SparseMatrix<double> jacobian(rows, 6 * problem.bodies());
  jacobian.setFromTriplets(entries.begin(), entries.end());
  if (problem.bodies() > kMaxBodies) {
    jacobian.makeCompressed();
    Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
    qr.setPivotThreshold(kReactionRank);
    qr.compute(jacobian);
    return rows - static_cast<int>(qr.rank());
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(jacobian.rows(), jacobian.cols());
  qr.setThreshold(kReactionRank);
  qr.compute(Eigen::MatrixXd(jacobian));
  return rows - static_cast<int>(qr.rank());
}

}  // namespace grashof
