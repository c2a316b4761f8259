#include "tests/fuzz/closure.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/dynamics/rows/equality_rows.h"

namespace grashof::fuzz {
namespace {

constexpr int kIterations = 300;
constexpr double kClosed = 1e-13;       // m, rad
constexpr double kSoftest = 1e12;       // of the damping: no step helps any more
constexpr double kNear = 0.05;          // m, rad: poses farther away are no continuation of a motion
constexpr double kFirstDamping = 1e-6;  // of the largest diagonal

struct Rows {
  Eigen::MatrixXd jacobian;
  Eigen::VectorXd residual;
};

Rows rowsAt(const Model& model, const State& state, const std::vector<Pose>& poses) {
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, poses, state.coordinates, geometry);
  DualProblem problem;
  assembleEqualityRows(model, geometry, state.time, EqualityTarget::Position, problem);
  Rows rows;
  const auto n = static_cast<Eigen::Index>(problem.bias.size());
  rows.residual = Eigen::Map<const Eigen::VectorXd>(problem.bias.data(), n);
  rows.jacobian.setZero(n, 6 * static_cast<Eigen::Index>(poses.size()));
  for (const JointBlock& block : problem.joints)
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
      const JointTerm& term = problem.jointTerms[static_cast<std::size_t>(t)];
      rows.jacobian.block(block.row, 6 * term.body, block.rows, 6) += term.jacobian.topRows(block.rows);
    }
  return rows;
}

std::vector<Pose> moved(const std::vector<Pose>& poses, const Eigen::VectorXd& by) {
  std::vector<Pose> all;
  all.reserve(poses.size());
  for (std::size_t b = 0; b < poses.size(); ++b)
    all.push_back(movePose(poses[b], by.segment<6>(6 * static_cast<Eigen::Index>(b)), 1.0));
  return all;
}

}  // namespace

double closedTo(const Model& model, const State& state) {
  std::vector<Pose> poses = state.poses;
  Rows rows = rowsAt(model, state, poses);
  double damping = kFirstDamping;
  for (int i = 0; i < kIterations; ++i) {
    if (rows.residual.size() == 0 || rows.residual.cwiseAbs().maxCoeff() <= kClosed) break;
    // (J Jᵀ + d 1) μ = -r: of the size of the rows, and regular where these are redundant.
    Eigen::MatrixXd normal = rows.jacobian * rows.jacobian.transpose();
    normal.diagonal().array() += damping * std::max(1.0, normal.diagonal().maxCoeff());
    const Eigen::VectorXd step = rows.jacobian.transpose() * normal.ldlt().solve(-rows.residual);
    const std::vector<Pose> next = moved(poses, step);
    const Rows after = rowsAt(model, state, next);
    if (after.residual.squaredNorm() < rows.residual.squaredNorm()) {
      poses = next;
      rows = after;
      damping = std::max(damping * 0.1, 1e-15);
    } else {
      damping *= 10.0;
      if (damping > kSoftest) break;
    }
  }
  for (std::size_t b = 0; b < poses.size(); ++b)
    if ((poses[b].position - state.poses[b].position).norm() > kNear ||
        poses[b].rotation.angularDistance(state.poses[b].rotation) > kNear)
      return std::numeric_limits<double>::infinity();
  return rows.residual.size() == 0 ? 0.0 : rows.residual.cwiseAbs().maxCoeff();
}

}  // namespace grashof::fuzz
