#include "engine/analysis/mobility.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseQR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/analysis/joint_jacobian.h"
#include "engine/base/disjoint_sets.h"
#include "engine/dynamics/step/projection.h"

namespace grashof {
namespace {

// Singular values below this share of the largest count as zero. Poses fit to 1e-11, so that singular values
// of redundant rows are far below it.
constexpr double kRankTolerance = 1e-8;
constexpr double kNearbyStep = 0.03;    // to a pose nearby, relative to the mechanism's size
constexpr double kNoRate = 1e-9;        // m/s, rad/s, where the leading coordinate has 1
constexpr double kLeadPivot = 1e-5;     // of the largest entry: below, a coordinate cannot lead
constexpr std::size_t kMostDense = 60;  // bodies of a mechanism whose rank alone is asked for

/// The model without its drives.
Model withoutDrives(const Model& model) {
  Model free = model;
  for (Joint& joint : free.joints)
    for (JointCoordinate& axis : joint.coordinates) axis.actuator = {};
  return free;
}

/// A mechanism of the model: bodies that rows connect, and these rows. Ascending.
struct Mechanism {
  std::vector<int> bodies, rows;
};

/// J of a mechanism in the unit length for all columns, each row divided by its norm.
struct ScaledJacobian {
  Eigen::MatrixXd scaled;
  Eigen::VectorXd scale;  // 1 / norm of each row
};

/// What is found of one mechanism.
struct Part {
  Mechanism mechanism;
  ScaledJacobian jacobian;
  int rank = 0;
  double regularity = 0.0;
  Eigen::MatrixXd null;  // twists of its motions, rotations times the length
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

/// The mechanisms of all bodies, free ones alone.
std::vector<Mechanism> splitRows(const DualProblem& problem) {
  DisjointSets sets(problem.inertia.size());
  const auto bodyOf = [&](const JointBlock& block, int term) {
    const int at = block.firstTerm + term;
    return problem.jointTerms[static_cast<std::size_t>(at)].body;
  };
  for (const JointBlock& block : problem.joints)
    for (int t = 1; t < block.terms; ++t) sets.join(bodyOf(block, 0), bodyOf(block, t));
  std::vector<Mechanism> mechanisms;
  std::vector<int> of(problem.inertia.size(), -1);  // per lowest body
  for (int b = 0; b < problem.bodies(); ++b) {
    int& m = of[static_cast<std::size_t>(sets.find(b))];
    if (m < 0) {
      m = static_cast<int>(mechanisms.size());
      mechanisms.emplace_back();
    }
    mechanisms[static_cast<std::size_t>(m)].bodies.push_back(b);
  }
  for (const JointBlock& block : problem.joints) {
    if (block.terms == 0) continue;
    Mechanism& own =
        mechanisms[static_cast<std::size_t>(of[static_cast<std::size_t>(sets.find(bodyOf(block, 0)))])];
    for (int r = 0; r < block.rows; ++r) own.rows.push_back(block.row + r);
  }
  return mechanisms;
}

/// The entries of J of the rows of a mechanism, at its own rows and columns, one list per mechanism.
std::vector<std::vector<Eigen::Triplet<double>>> entriesOf(const DualProblem& problem,
                                                           const std::vector<Mechanism>& mechanisms,
                                                           double length) {
  std::vector<int> of(problem.inertia.size()), column(problem.inertia.size()),
      row(static_cast<std::size_t>(problem.jointRows));
  for (std::size_t m = 0; m < mechanisms.size(); ++m) {
    int at = 0;
    for (const int b : mechanisms[m].bodies) {
      of[static_cast<std::size_t>(b)] = static_cast<int>(m);
      column[static_cast<std::size_t>(b)] = at++;
    }
    at = 0;
    for (const int r : mechanisms[m].rows) row[static_cast<std::size_t>(r)] = at++;
  }
  std::vector<std::vector<Eigen::Triplet<double>>> entries(mechanisms.size());
  for (const auto& e : jointJacobianEntries(problem, length)) {
    const auto body = static_cast<std::size_t>(e.col() / 6);
    entries[static_cast<std::size_t>(of[body])].emplace_back(row[static_cast<std::size_t>(e.row())],
                                                             6 * column[body] + e.col() % 6, e.value());
  }
  return entries;
}

ScaledJacobian scaledJacobian(const Mechanism& mechanism,
                              const std::vector<Eigen::Triplet<double>>& entries) {
  ScaledJacobian j;
  j.scaled = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(mechanism.rows.size()),
                                   6 * static_cast<Eigen::Index>(mechanism.bodies.size()));
  for (const auto& e : entries) j.scaled(e.row(), e.col()) += e.value();
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

/// The rank by a sparse QR decomposition of Jᵀ.
int sparseRank(const Mechanism& mechanism, const std::vector<Eigen::Triplet<double>>& entries) {
  Eigen::SparseMatrix<double> jacobian(static_cast<Eigen::Index>(mechanism.rows.size()),
                                       6 * static_cast<Eigen::Index>(mechanism.bodies.size()));
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
  return static_cast<int>(qr.rank());
}

/// Marks the rows that depend on rows before them, by Gram-Schmidt. Translations come first, so that
/// rotations are marked rather than translations: a joint that releases a rotation is easier to build.
void markDependent(const Part& part, std::vector<ConstraintRow>& rows) {
  const auto rowOf = [&](int i) -> ConstraintRow& {
    return rows[static_cast<std::size_t>(part.mechanism.rows[static_cast<std::size_t>(i)])];
  };
  std::vector<int> order(part.mechanism.rows.size());
  std::iota(order.begin(), order.end(), 0);
  const auto rotation = [&](int i) { return rowOf(i).direction >= 3; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rotation(a) < rotation(b); });
  std::vector<Eigen::RowVectorXd> basis;
  for (const int i : order) {
    Eigen::RowVectorXd rest = part.jacobian.scaled.row(i);
    for (int pass = 0; pass < 2; ++pass)  // the second pass removes what rounding left
      for (const Eigen::RowVectorXd& e : basis) rest -= rest.dot(e) * e;
    const double left = rest.norm();
    rowOf(i).dependent = !(left > std::sqrt(kRankTolerance) * 1e-2);
    if (!rowOf(i).dependent) basis.emplace_back(rest / left);
  }
}

/// Gauss-Jordan on the columns: the row of each that is 1 there and 0 in the others. The first rows lead,
/// unless their pivot is tiny.
std::vector<Eigen::Index> reduceColumns(Eigen::MatrixXd& all) {
  const Eigen::Index count = all.cols();
  std::vector<Eigen::Index> leads;
  for (Eigen::Index row = 0; row < all.rows() && std::ssize(leads) < count; ++row) {
    const Eigen::Index done = std::ssize(leads);
    Eigen::Index best = done;
    for (Eigen::Index m = done; m < count; ++m)
      if (std::abs(all(row, m)) > std::abs(all(row, best))) best = m;
    if (std::abs(all(row, best)) < kLeadPivot * all.middleCols(done, count - done).cwiseAbs().maxCoeff())
      continue;
    all.col(done).swap(all.col(best));
    all.col(done) /= all(row, done);
    for (Eigen::Index m = 0; m < count; ++m)
      if (m != done) all.col(m) -= all(row, m) * all.col(done);
    leads.push_back(row);
  }
  return leads;
}

/// The motions of one mechanism in reduced column echelon form over the coordinates: each mode has a leading
/// coordinate with rate 1, which is at rest in the other modes. Modes without motion of any coordinate are
/// led by a component of a twist.
void addModes(const Model& model, std::span<const JointGeometry> geometry, const Part& part, double length,
              std::vector<MotionMode>& modes) {
  const auto bodies = static_cast<Eigen::Index>(part.mechanism.bodies.size());
  const Eigen::Index count = part.null.cols();
  std::vector<Vec6> twists(model.bodies.size(), Vec6::Zero());
  std::vector<char> own(model.bodies.size(), 0);
  for (const int b : part.mechanism.bodies) own[static_cast<std::size_t>(b)] = 1;
  std::vector<std::pair<std::size_t, int>> coordinates;  // joint, coordinate: of this mechanism
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int i = 0; i < model.joints[j].type->numDofs(); ++i)
      if (own[static_cast<std::size_t>(model.joints[j].follower)] ||
          (model.joints[j].base >= 0 && own[static_cast<std::size_t>(model.joints[j].base)]))
        coordinates.emplace_back(j, i);
  const auto rates = static_cast<Eigen::Index>(coordinates.size());
  // Rates of the coordinates, then the twists; one column per mode.
  Eigen::MatrixXd all(rates + 6 * bodies, count);
  for (Eigen::Index m = 0; m < count; ++m) {
    for (Eigen::Index b = 0; b < bodies; ++b) {
      Vec6& twist = twists[static_cast<std::size_t>(part.mechanism.bodies[static_cast<std::size_t>(b)])];
      twist = part.null.col(m).segment<6>(6 * b);
      twist.tail<3>() /= length;
      all.col(m).segment<6>(rates + 6 * b) = twist;
    }
    for (Eigen::Index c = 0; c < rates; ++c) {
      const auto [j, i] = coordinates[static_cast<std::size_t>(c)];
      all(c, m) = coordinateRate(model.joints[j], geometry[j].coordinateRow[i], twists);
    }
  }
  const std::vector<Eigen::Index> leads = reduceColumns(all);
  for (std::size_t m = 0; m < leads.size(); ++m) {
    const auto column = all.col(static_cast<Eigen::Index>(m));
    MotionMode mode;
    if (leads[m] < rates) {
      const auto [j, i] = coordinates[static_cast<std::size_t>(leads[m])];
      mode.coordinate = model.coordinateStart[j] + i;
    } else {
      mode.body = part.mechanism.bodies[static_cast<std::size_t>((leads[m] - rates) / 6)];
      mode.component = static_cast<int>((leads[m] - rates) % 6);
    }
    mode.rates.assign(static_cast<std::size_t>(model.coordinates()), 0.0);
    for (Eigen::Index c = 0; c < rates; ++c) {
      const auto [j, i] = coordinates[static_cast<std::size_t>(c)];
      if (std::abs(column[c]) >= kNoRate)
        mode.rates[static_cast<std::size_t>(model.coordinateStart[j]) + static_cast<std::size_t>(i)] =
            column[c];
    }
    mode.twists.assign(model.bodies.size(), Vec6::Zero());
    for (Eigen::Index b = 0; b < bodies; ++b)
      mode.twists[static_cast<std::size_t>(part.mechanism.bodies[static_cast<std::size_t>(b)])] =
          column.segment<6>(rates + 6 * b);
    modes.push_back(std::move(mode));
  }
}

/// Mobility a little way off: at the poses after a small step along a mix of all modes, projected back onto
/// the joints. The greater rank of two opposite steps counts. -1: no projection converged.
int mobilityNearby(const Model& model, std::span<const Pose> poses, std::span<const double> coordinates,
                   const std::vector<Part>& parts, double length) {
  Projection projection(model);
  std::vector<JointGeometry> geometry(model.joints.size());
  std::vector<Mechanism> mechanisms;
  mechanisms.reserve(parts.size());
  for (const Part& part : parts) mechanisms.push_back(part.mechanism);
  std::vector<int> rank(parts.size(), -1);
  for (const double sign : {1.0, -1.0}) {
    std::vector<Pose> moved(poses.begin(), poses.end());
    for (const Part& part : parts) {
      Eigen::VectorXd step = Eigen::VectorXd::Zero(part.null.rows());
      for (Eigen::Index m = 0; m < part.null.cols(); ++m)  // unequal shares, so that no symmetry persists
        step += std::cos(1.0 + 2.3 * static_cast<double>(m)) * part.null.col(m);
      if (step.size() > 0) step *= sign * kNearbyStep * length / std::max(step.cwiseAbs().maxCoeff(), 1e-300);
      for (std::size_t b = 0; b < part.mechanism.bodies.size(); ++b) {
        Vec6 twist = step.segment<6>(6 * static_cast<Eigen::Index>(b));
        twist.tail<3>() /= length;
        Pose& pose = moved[static_cast<std::size_t>(part.mechanism.bodies[b])];
        pose = movePose(pose, twist, 1.0);
      }
    }
    if (!projection.projectPoses(moved, coordinates, 0.0, 1e-10, geometry).converged) continue;
    const auto entries = entriesOf(equalityProblem(model, geometry), mechanisms, length);
    for (std::size_t p = 0; p < parts.size(); ++p)
      rank[p] = std::max(rank[p], rankOf(scaledJacobian(mechanisms[p], entries[p]).scaled));
  }
  int total = 0;
  for (const int r : rank) {
    if (r < 0) return -1;
    total += r;
  }
  return 6 * static_cast<int>(model.bodies.size()) - total;
}

/// Rank, motions, internal loads and redundancy of the rows of one mechanism.
Part analysePart(Mechanism mechanism, const std::vector<Eigen::Triplet<double>>& entries, Mobility& result) {
  Part part{std::move(mechanism), {}, 0, 0.0, {}};
  part.jacobian = scaledJacobian(part.mechanism, entries);
  const Eigen::Index columns = part.jacobian.scaled.cols();
  if (part.mechanism.rows.empty()) {
    part.null = Eigen::MatrixXd::Identity(columns, columns);
    return part;
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(part.jacobian.scaled, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::VectorXd& s = svd.singularValues();
  while (part.rank < s.size() && s[part.rank] > kRankTolerance * s[0]) ++part.rank;
  part.regularity = part.rank > 0 ? s[part.rank - 1] / s[0] : 0.0;
  for (std::size_t r = 0; r < part.mechanism.rows.size(); ++r) {
    const double held = svd.matrixU().row(static_cast<Eigen::Index>(r)).head(part.rank).squaredNorm();
    result.rows[static_cast<std::size_t>(part.mechanism.rows[r])].redundancy =
        std::clamp(1.0 - held, 0.0, 1.0);
  }
  for (Eigen::Index k = part.rank; k < part.jacobian.scaled.rows(); ++k) {
    Eigen::VectorXd load = svd.matrixU().col(k).cwiseProduct(part.jacobian.scale);
    load /= load.cwiseAbs().maxCoeff();
    std::vector<double>& all = result.internalLoads.emplace_back(result.rows.size(), 0.0);
    for (std::size_t r = 0; r < part.mechanism.rows.size(); ++r)
      all[static_cast<std::size_t>(part.mechanism.rows[r])] = load[static_cast<Eigen::Index>(r)];
  }
  part.null = svd.matrixV().rightCols(columns - part.rank);
  return part;
}

/// The rows of a model without its drives, mechanism by mechanism: what both analyses begin with.
struct Rows {
  Model model;
  std::vector<JointGeometry> geometry;
  double length = 1.0;
  std::vector<Mechanism> mechanisms;
  std::vector<std::vector<Eigen::Triplet<double>>> entries;
  Mobility sizes;  // freedoms and places of the rows

  Rows(const Model& given, std::span<const Pose> poses, std::span<const double> coordinates)
      : model(withoutDrives(given)), geometry(model.joints.size()), length(mechanismSize(model)) {
    evaluateJoints(model, poses, coordinates, geometry);
    const DualProblem problem = equalityProblem(model, geometry);
    mechanisms = splitRows(problem);
    entries = entriesOf(problem, mechanisms, length);
    sizes.freedoms = 6 * static_cast<int>(model.bodies.size());
    sizes.rows = constraintRows(model);
  }
  /// Rank alone of all mechanisms.
  int rank() const {
    int rank = 0;
    for (std::size_t m = 0; m < mechanisms.size(); ++m) rank += rankOfMechanism(m);
    return rank;
  }

 private:
  int rankOfMechanism(std::size_t m) const {
    if (mechanisms[m].rows.empty()) return 0;
    if (mechanisms[m].bodies.size() > kMostDense) return sparseRank(mechanisms[m], entries[m]);
    return rankOf(scaledJacobian(mechanisms[m], entries[m]).scaled);
  }
};

}  // namespace

int mobilityAt(const Model& model, std::span<const Pose> poses, std::span<const double> coordinates) {
  const Rows rows(model, poses, coordinates);
  return rows.sizes.freedoms - rows.rank();
}

Mobility analyseMobility(const Model& given, std::span<const Pose> poses,
                         std::span<const double> coordinates) {
  const Rows rows(given, poses, coordinates);
  Mobility result = rows.sizes;
  if (given.bodies.size() > static_cast<std::size_t>(kMaxBodies)) {
    result.rank = rows.rank();
    return result;
  }
  std::vector<Part> parts;
  double regularity = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < rows.mechanisms.size(); ++m) {
    parts.push_back(analysePart(rows.mechanisms[m], rows.entries[m], result));
    const Part& part = parts.back();
    result.rank += part.rank;
    if (part.rank > 0) regularity = std::min(regularity, part.regularity);
    markDependent(part, result.rows);
    addModes(rows.model, rows.geometry, part, rows.length, result.modes);
  }
  if (std::isfinite(regularity)) result.regularity = regularity;
  const auto place = [&](const MotionMode& mode) {
    return mode.coordinate >= 0 ? mode.coordinate : rows.model.coordinates() + 6 * mode.body + mode.component;
  };
  std::stable_sort(result.modes.begin(), result.modes.end(),
                   [&](const MotionMode& a, const MotionMode& b) { return place(a) < place(b); });
  result.nearby =
      result.mobility() > 0 ? mobilityNearby(rows.model, poses, coordinates, parts, rows.length) : 0;
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
