#include "engine/analysis/mobility.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseQR>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/dynamics/projection.h"

namespace grashof {
namespace {

// Of the largest singular value: below, a row depends on others. Poses fit to 1e-11.
constexpr double kRankTolerance = 1e-8;
constexpr double kNearby = 0.03;  // of the mechanism's size: the way to a pose nearby
constexpr double kNoRate = 1e-9;

/// The mechanism alone: joints and couplings without drives, soft joints left out.
Model passive(const Model& model) {
  Model free = model;
  for (Joint& joint : free.joints)
    for (JointCoordinate& axis : joint.coordinates) axis.actuator = {};
  return free;
}

/// J of the hard rows, rotations of bodies scaled by `length`, each row to unit length.
struct Rows {
  Eigen::MatrixXd scaled;
  Eigen::VectorXd scale;  // of each row
  std::vector<ConstraintRow> names;
};

std::vector<ConstraintRow> namesOf(const Model& model) {
  std::vector<ConstraintRow> names;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (!model.joints[j].softness.soft())
      for (const Direction direction : model.joints[j].type->constrainedDirections())
        names.push_back({static_cast<int>(j), -1, direction});
  for (std::size_t c = 0; c < model.couplings.size(); ++c) names.push_back({-1, static_cast<int>(c), -1});
  return names;
}

Rows rowsAt(const Model& model, std::span<const JointGeometry> geometry, double length) {
  DualProblem problem;
  problem.inertia.resize(model.bodies.size());
  assembleEqualityRows(model, geometry, 0.0, EqualityTarget::Velocity, problem);
  Rows rows;
  rows.scaled = Eigen::MatrixXd::Zero(problem.jointRows, 6 * static_cast<Eigen::Index>(model.bodies.size()));
  for (const JointBlock& block : problem.joints)
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t)
      for (int r = 0; r < block.rows; ++r) {
        const JointTerm& term = problem.jointTerms[t];
        rows.scaled.block<1, 6>(block.row + r, 6 * static_cast<Eigen::Index>(term.body)) +=
            term.jacobian.row(r);
      }
  for (Eigen::Index b = 0; b < rows.scaled.cols() / 6; ++b) rows.scaled.middleCols<3>(6 * b + 3) /= length;
  rows.scale = Eigen::VectorXd::Ones(rows.scaled.rows());
  for (Eigen::Index r = 0; r < rows.scaled.rows(); ++r) {
    const double norm = rows.scaled.row(r).norm();
    if (norm > 0.0) rows.scale[r] = 1.0 / norm;
    rows.scaled.row(r) *= rows.scale[r];
  }
  rows.names = namesOf(model);
  return rows;
}

int rankOf(const Eigen::MatrixXd& rows) {
  if (rows.rows() == 0) return 0;
  const Eigen::VectorXd s = Eigen::BDCSVD<Eigen::MatrixXd>(rows).singularValues();
  return static_cast<int>(
      std::count_if(s.begin(), s.end(), [&](double x) { return x > kRankTolerance * s[0]; }));
}

/// Marks the rows that depend on those before them, in an order of which can best be spared: rotations last.
void markDependent(const Eigen::MatrixXd& scaled, std::vector<ConstraintRow>& rows) {
  std::vector<int> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto spare = [&](int i) { return rows[i].direction >= 3 ? 1 : 0; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return spare(a) < spare(b); });
  std::vector<Eigen::RowVectorXd> basis;
  for (const int i : order) {
    Eigen::RowVectorXd rest = scaled.row(i);
    for (int pass = 0; pass < 2; ++pass)  // twice is enough (Kahan)
      for (const Eigen::RowVectorXd& e : basis) rest -= rest.dot(e) * e;
    const double left = rest.norm();
    rows[i].dependent = !(left > std::sqrt(kRankTolerance) * 1e-2);
    if (!rows[i].dependent) basis.emplace_back(rest / left);
  }
}

/// A basis in which each mode has a coordinate of its own that leads it, as far as coordinates tell them
/// apart.
std::vector<MotionMode> modesOf(const Model& model, std::span<const JointGeometry> geometry,
                                const Eigen::MatrixXd& null, double length) {
  const auto bodies = static_cast<Eigen::Index>(model.bodies.size());
  const Eigen::Index coordinates = model.coordinates(), count = null.cols();
  // Rates of all coordinates, then all twists, one column a mode.
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
  // Gauss-Jordan on the columns: the first coordinates lead where they can, with pivots that are not tiny.
  std::vector<MotionMode> modes;
  Eigen::Index done = 0;
  for (Eigen::Index row = 0; row < all.rows() && done < count; ++row) {
    Eigen::Index best = done;
    for (Eigen::Index m = done; m < count; ++m)
      if (std::abs(all(row, m)) > std::abs(all(row, best))) best = m;
    if (std::abs(all(row, best)) < 1e-5 * all.middleCols(done, count - done).cwiseAbs().maxCoeff()) continue;
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

/// Mobility at the poses that a step along all modes at once, and back onto the joints, leads to.
int mobilityNearby(const Model& model, std::span<const Pose> poses, std::span<const double> coordinates,
                   const Eigen::MatrixXd& null, double length) {
  Projection projection(model);
  std::vector<JointGeometry> geometry(model.joints.size());
  int most = -1;
  for (const double sign : {1.0, -1.0}) {
    Eigen::VectorXd step = Eigen::VectorXd::Zero(null.rows());
    for (Eigen::Index m = 0; m < null.cols(); ++m)  // uneven, so that no symmetry is kept
      step += std::cos(1.0 + 2.3 * static_cast<double>(m)) * null.col(m);
    step *= sign * kNearby * length / std::max(step.cwiseAbs().maxCoeff(), 1e-300);
    std::vector<Pose> moved(poses.begin(), poses.end());
    for (std::size_t b = 0; b < moved.size(); ++b) {
      Vec6 twist = step.segment<6>(6 * static_cast<Eigen::Index>(b));
      twist.tail<3>() /= length;
      moved[b] = movePose(moved[b], twist, 1.0);
    }
    if (!projection.projectPoses(moved, coordinates, 0.0, 1e-10, geometry).converged) continue;
    most = std::max(most, rankOf(rowsAt(model, geometry, length).scaled));
  }
  return most < 0 ? -1 : 6 * static_cast<int>(model.bodies.size()) - most;
}

/// Freedoms and rank alone.
Mobility sparseMobility(const Model& model, std::span<const JointGeometry> geometry, double length) {
  DualProblem problem;
  problem.inertia.resize(model.bodies.size());
  assembleEqualityRows(model, geometry, 0.0, EqualityTarget::Velocity, problem);
  std::vector<Eigen::Triplet<double>> entries;
  for (const JointBlock& block : problem.joints)
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t)
      for (int r = 0; r < block.rows; ++r)
        for (int c = 0; c < 6; ++c) {
          const JointTerm& term = problem.jointTerms[static_cast<std::size_t>(t)];
          const double x = term.jacobian(r, c) / (c < 3 ? 1.0 : length);
          if (x != 0.0) entries.emplace_back(6 * term.body + c, block.row + r, x);
        }
  Mobility result;
  result.freedoms = 6 * static_cast<int>(model.bodies.size());
  result.rows = namesOf(model);
  if (entries.empty()) return result;
  Eigen::SparseMatrix<double> transposed(result.freedoms, problem.jointRows);
  transposed.setFromTriplets(entries.begin(), entries.end());
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
  const Model model = passive(given);
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, poses, coordinates, geometry);
  const double length = mechanismSize(model);
  if (model.bodies.size() > static_cast<std::size_t>(kMaxBodies))
    return sparseMobility(model, geometry, length);
  Rows rows = rowsAt(model, geometry, length);

  Mobility result;
  result.freedoms = 6 * static_cast<int>(model.bodies.size());
  Eigen::MatrixXd null = Eigen::MatrixXd::Identity(result.freedoms, result.freedoms);
  if (rows.scaled.rows() > 0) {
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(rows.scaled, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Eigen::VectorXd& s = svd.singularValues();
    while (result.rank < s.size() && s[result.rank] > kRankTolerance * s[0]) ++result.rank;
    result.regularity = result.rank > 0 ? s[result.rank - 1] / s[0] : 0.0;
    for (std::size_t r = 0; r < rows.names.size(); ++r) {
      const double held = svd.matrixU().row(static_cast<Eigen::Index>(r)).head(result.rank).squaredNorm();
      rows.names[r].redundancy = std::clamp(1.0 - held, 0.0, 1.0);
    }
    for (Eigen::Index k = result.rank; k < rows.scaled.rows(); ++k) {
      Eigen::VectorXd load = svd.matrixU().col(k).cwiseProduct(rows.scale);
      load /= load.cwiseAbs().maxCoeff();
      result.internalLoads.emplace_back(load.begin(), load.end());
    }
    null = svd.matrixV().rightCols(result.freedoms - result.rank);
  }
  markDependent(rows.scaled, rows.names);
  result.rows = std::move(rows.names);
  result.modes = modesOf(model, geometry, null, length);
  result.nearby = null.cols() > 0 ? mobilityNearby(model, poses, coordinates, null, length) : 0;
  return result;
}

std::string relaxedType(const JointType& type, std::span<const int> released) {
  std::array<bool, 6> held{};
  for (const Direction d : type.constrainedDirections()) held[d] = true;
  for (const int d : released) held[d] = false;
  // The axes may be called otherwise: count what is held along each axis.
  const auto signature = [](const std::array<bool, 6>& h) {
    std::array<int, 3> axes{};
    for (int a = 0; a < 3; ++a) axes[a] = 2 * int(h[a]) + int(h[a + 3]);
    std::sort(axes.begin(), axes.end());
    return axes;
  };
  for (const JointType* other : jointTypes()) {
    std::array<bool, 6> theirs{};
    for (const Direction d : other->constrainedDirections()) theirs[d] = true;
    if (other->name() != "gimbal" && other->name() != "distance" && signature(theirs) == signature(held))
      return std::string(other->name());
  }
  return {};
}

}  // namespace grashof
