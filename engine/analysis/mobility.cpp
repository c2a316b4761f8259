#include "engine/analysis/mobility.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseQR>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/analysis/joint_jacobian.h"
#include "engine/dynamics/projection.h"

namespace grashof {
namespace {

// Singular values below this share of the largest count as zero. Poses fit to 1e-11, so that singular values
// of redundant rows are far below it.
constexpr double kRankTolerance = 1e-8;
constexpr double kNearbyStep = 0.03;  // to a pose nearby, relative to the mechanism's size
constexpr double kNoRate = 1e-9;      // m/s, rad/s, where the leading coordinate has 1
constexpr double kLeadPivot = 1e-5;   // of the largest entry: below, a coordinate cannot lead

/// The model without its drives.
Model withoutDrives(const Model& model) {
  Model free = model;
  for (Joint& joint : free.joints)
    for (JointCoordinate& axis : joint.coordinates) axis.actuator = {};
  return free;
}

/// J of the rigid joints and couplings in the unit length for all columns, each row divided by its norm.
struct ScaledJacobian {
  Eigen::MatrixXd scaled;
  Eigen::VectorXd scale;  // 1 / norm of each row
};

/// The rows of the problem that assembleEqualityRows() makes, in its order.
std::vector<ConstraintRow> constraintRows(const Model& model) {
  std::vector<ConstraintRow> rows;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (!model.joints[j].softness.soft())
      for (const Direction direction : model.joints[j].type->constrainedDirections())
        rows.push_back({static_cast<int>(j), -1, index(direction)});
  for (std::size_t c = 0; c < model.couplings.size(); ++c) rows.push_back({-1, static_cast<int>(c), -1});
  return rows;
}

DualProblem equalityProblem(const Model& model, std::span<const JointGeometry> geometry) {
  DualProblem problem;
  problem.inertia.resize(model.bodies.size());
  assembleEqualityRows(model, geometry, 0.0, EqualityTarget::Velocity, problem);
  return problem;
}

ScaledJacobian scaledJacobian(const Model& model, std::span<const JointGeometry> geometry, double length) {
  ScaledJacobian j;
  j.scaled = scaledJointJacobian(equalityProblem(model, geometry), length);
  j.scale = Eigen::VectorXd::Ones(j.scaled.rows());
  for (Eigen::Index r = 0; r < j.scaled.rows(); ++r) {
    const double norm = j.scaled.row(r).norm();
    if (norm > 0.0) j.scale[r] = 1.0 / norm;
    j.scaled.row(r) *= j.scale[r];
  }
  return j;
}

int rankOf(const Eigen::MatrixXd& rows) {
  if (rows.rows() == 0) return 0;
  const Eigen::VectorXd s = Eigen::BDCSVD<Eigen::MatrixXd>(rows).singularValues();
  return static_cast<int>(
      std::count_if(s.begin(), s.end(), [&](double x) { return x > kRankTolerance * s[0]; }));
}

/// Marks the rows that depend on rows before them, by Gram-Schmidt. Translations come first, so that
/// rotations are marked rather than translations: a joint that releases a rotation is easier to build.
void markDependent(const Eigen::MatrixXd& scaled, std::vector<ConstraintRow>& rows) {
  std::vector<int> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto rotation = [&](int i) { return rows[i].direction >= 3; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rotation(a) < rotation(b); });
  std::vector<Eigen::RowVectorXd> basis;
  for (const int i : order) {
    Eigen::RowVectorXd rest = scaled.row(i);
    for (int pass = 0; pass < 2; ++pass)  // the second pass removes what rounding left
      for (const Eigen::RowVectorXd& e : basis) rest -= rest.dot(e) * e;
    const double left = rest.norm();
    rows[i].dependent = !(left > std::sqrt(kRankTolerance) * 1e-2);
    if (!rows[i].dependent) basis.emplace_back(rest / left);
  }
}

/// The basis of the null space in reduced column echelon form over the coordinates: each mode has a leading
/// coordinate with rate 1, which is at rest in the other modes. Modes without motion of any coordinate are
/// led by a component of a twist. `null`: twists, one mode per column, rotations times `length`.
std::vector<MotionMode> modesOf(const Model& model, std::span<const JointGeometry> geometry,
                                const Eigen::MatrixXd& null, double length) {
  const auto bodies = static_cast<Eigen::Index>(model.bodies.size());
  const Eigen::Index coordinates = model.coordinates(), count = null.cols();
  // Rates of all coordinates, then all twists; one column per mode.
  Eigen::MatrixXd all(coordinates + 6 * bodies, count);
  for (Eigen::Index m = 0; m < count; ++m) {
    std::vector<Vec6> twists(model.bodies.size());
    for (Eigen::Index b = 0; b < bodies; ++b) {
      twists[b] = null.col(m).segment<6>(6 * b);
      twists[b].tail<3>() /= length;
      all.col(m).segment<6>(coordinates + 6 * b) = twists[b];
    }
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      for (int i = 0; i < model.joints[j].type->numDofs(); ++i)
        all(model.coordinateStart[j] + i, m) =
            coordinateRate(model.joints[j], geometry[j].coordinateRow[i], twists);
  }
  // Gauss-Jordan on the columns. The first coordinates lead, unless their pivot is tiny.
  std::vector<MotionMode> modes;
  Eigen::Index done = 0;
  for (Eigen::Index row = 0; row < all.rows() && done < count; ++row) {
    Eigen::Index best = done;
    for (Eigen::Index m = done; m < count; ++m)
      if (std::abs(all(row, m)) > std::abs(all(row, best))) best = m;
    if (std::abs(all(row, best)) < kLeadPivot * all.middleCols(done, count - done).cwiseAbs().maxCoeff())
      continue;
    all.col(done).swap(all.col(best));
    all.col(done) /= all(row, done);
    for (Eigen::Index m = 0; m < count; ++m)
      if (m != done) all.col(m) -= all(row, m) * all.col(done);
    MotionMode mode;
    if (row < coordinates) {
      mode.coordinate = static_cast<int>(row);
    } else {
      mode.body = static_cast<int>((row - coordinates) / 6);
      mode.component = static_cast<int>((row - coordinates) % 6);
    }
    modes.push_back(mode);
    ++done;
  }
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const auto column = all.col(static_cast<Eigen::Index>(m));
    for (Eigen::Index c = 0; c < coordinates; ++c)
      modes[m].rates.push_back(std::abs(column[c]) < kNoRate ? 0.0 : column[c]);
    for (Eigen::Index b = 0; b < bodies; ++b)
      modes[m].twists.emplace_back(column.segment<6>(coordinates + 6 * b));
  }
  return modes;
}

/// Mobility a little way off: at the poses after a small step along a mix of all modes, projected back onto
/// the joints. The greater rank of two opposite steps counts. -1: no projection converged.
int mobilityNearby(const Model& model, std::span<const Pose> poses, std::span<const double> coordinates,
                   const Eigen::MatrixXd& null, double length) {
  Projection projection(model);
  std::vector<JointGeometry> geometry(model.joints.size());
  int maxRank = -1;
  for (const double sign : {1.0, -1.0}) {
    Eigen::VectorXd step = Eigen::VectorXd::Zero(null.rows());
    for (Eigen::Index m = 0; m < null.cols(); ++m)  // unequal shares, so that no symmetry persists
      step += std::cos(1.0 + 2.3 * static_cast<double>(m)) * null.col(m);
    step *= sign * kNearbyStep * length / std::max(step.cwiseAbs().maxCoeff(), 1e-300);
    std::vector<Pose> moved(poses.begin(), poses.end());
    for (std::size_t b = 0; b < moved.size(); ++b) {
      Vec6 twist = step.segment<6>(6 * static_cast<Eigen::Index>(b));
      twist.tail<3>() /= length;
      moved[b] = movePose(moved[b], twist, 1.0);
    }
    if (!projection.projectPoses(moved, coordinates, 0.0, 1e-10, geometry).converged) continue;
    maxRank = std::max(maxRank, rankOf(scaledJacobian(model, geometry, length).scaled));
  }
  return maxRank < 0 ? -1 : 6 * static_cast<int>(model.bodies.size()) - maxRank;
}

/// Degrees of freedom and rank only, by a sparse QR decomposition of Jᵀ.
Mobility sparseMobility(const Model& model, std::span<const JointGeometry> geometry, double length) {
  const DualProblem problem = equalityProblem(model, geometry);
  const auto entries = jointJacobianEntries(problem, length);
  Mobility result;
  result.freedoms = 6 * static_cast<int>(model.bodies.size());
  result.rows = constraintRows(model);
  if (entries.empty()) return result;
  Eigen::SparseMatrix<double> jacobian(problem.jointRows, result.freedoms);
  jacobian.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseMatrix<double> transposed = jacobian.transpose();
  for (Eigen::Index r = 0; r < transposed.cols(); ++r) {
    const double norm = transposed.col(r).norm();
    if (norm > 0.0) transposed.col(r) /= norm;
  }
  transposed.makeCompressed();
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(kRankTolerance);
  qr.compute(transposed);
  result.rank = static_cast<int>(qr.rank());
  return result;
}

}  // namespace

Mobility analyseMobility(const Model& given, std::span<const Pose> poses,
                         std::span<const double> coordinates) {
  const Model model = withoutDrives(given);
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, poses, coordinates, geometry);
  const double length = mechanismSize(model);
  if (model.bodies.size() > static_cast<std::size_t>(kMaxBodies))
    return sparseMobility(model, geometry, length);
  const ScaledJacobian j = scaledJacobian(model, geometry, length);

  Mobility result;
  result.freedoms = 6 * static_cast<int>(model.bodies.size());
  result.rows = constraintRows(model);
  Eigen::MatrixXd null = Eigen::MatrixXd::Identity(result.freedoms, result.freedoms);
  if (j.scaled.rows() > 0) {
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(j.scaled, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Eigen::VectorXd& s = svd.singularValues();
    while (result.rank < s.size() && s[result.rank] > kRankTolerance * s[0]) ++result.rank;
    result.regularity = result.rank > 0 ? s[result.rank - 1] / s[0] : 0.0;
    for (std::size_t r = 0; r < result.rows.size(); ++r) {
      const double held = svd.matrixU().row(static_cast<Eigen::Index>(r)).head(result.rank).squaredNorm();
      result.rows[r].redundancy = std::clamp(1.0 - held, 0.0, 1.0);
    }
    for (Eigen::Index k = result.rank; k < j.scaled.rows(); ++k) {
      Eigen::VectorXd load = svd.matrixU().col(k).cwiseProduct(j.scale);
      load /= load.cwiseAbs().maxCoeff();
      result.internalLoads.emplace_back(load.begin(), load.end());
    }
    null = svd.matrixV().rightCols(result.freedoms - result.rank);
  }
  markDependent(j.scaled, result.rows);
  result.modes = modesOf(model, geometry, null, length);
  result.nearby = null.cols() > 0 ? mobilityNearby(model, poses, coordinates, null, length) : 0;
  return result;
}

std::string relaxedType(const JointType& type, std::span<const int> released) {
  std::array<bool, 6> held{};
  for (const Direction d : type.constrainedDirections()) held[index(d)] = true;
  for (const int d : released) held[d] = false;
  // Types differ in which axis is x, y or z, so compare which kinds of motion are held along each axis.
  const auto signature = [](const std::array<bool, 6>& h) {
    std::array<int, 3> axes{};
    for (int a = 0; a < 3; ++a) axes[a] = 2 * int(h[a]) + int(h[a + 3]);
    std::sort(axes.begin(), axes.end());
    return axes;
  };
  for (const JointType* other : jointTypes()) {
    std::array<bool, 6> theirs{};
    for (const Direction d : other->constrainedDirections()) theirs[index(d)] = true;
    if (other->name() != "gimbal" && other->name() != "distance" && signature(theirs) == signature(held))
      return std::string(other->name());
  }
  return {};
}

}  // namespace grashof
