#include "engine/dynamics/derivative/minimal_coordinates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/row_blocks.h"
#include "engine/dynamics/rows/velocity_rows.h"
#include "engine/model/mechanism_size.h"
#include "engine/model/user_frames.h"

namespace grashof {
namespace {

constexpr double kNoPivot = 1e-8;       // of the largest entry of a row of ones: smaller pivots are zero
constexpr double kLeftOver = 1e-6;      // the same: what dependent rows may leave at other poses
constexpr double kPreferPassive = 0.1;  // of the largest pivot: a passive coordinate gives way down to here
// Reciprocal condition of the rows of a joint on one body. Those of a gimbal are bounded, to 5e-7 at its
// lock.
constexpr double kSingularJoint = 2e-6;
constexpr double kDifference = 1e-3;  // rad, and of the mechanism's size: step of differences

void setRow(const JointRow& row, bool inverted, Eigen::Index r, Mat6& body, Mat6& parent) {
  body.row(r) = (inverted ? row.base : row.follower).transpose();
  parent.row(r) = (inverted ? row.follower : row.base).transpose();
}

Vec6 twistOf(const VecX& twists, int body) { return twists.segment<6>(6 * Eigen::Index(body)); }

std::vector<Vec6> bodyTwists(const VecX& twists) {
  std::vector<Vec6> blocks(static_cast<std::size_t>(twists.size() / 6));
  for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] = twistOf(twists, static_cast<int>(b));
  return blocks;
}

/// Of the rate of a coordinate, whose unit a tree coordinate has.
bool isAngular(const Model& model, const MinimalCoordinate& c) {
  if (c.joint < 0) return c.component >= 3;
  return isRotation(model.joints[static_cast<std::size_t>(c.joint)]
                        .type->freeDirections()[static_cast<std::size_t>(c.coordinate)]);
}

bool isDriven(const Model& model, const MinimalCoordinate& c) {
  if (c.joint < 0) return false;
  const Joint& joint = model.joints[static_cast<std::size_t>(c.joint)];
  return joint.coordinates[static_cast<std::size_t>(c.coordinate)].actuator.kind != Actuator::Kind::None;
}

VecX checkedVector(std::span<const double> values, int size, const char* what) {
  if (values.size() != static_cast<std::size_t>(size))
    throw CallError(fmt::format("{} {} given, but the mechanism has {} independent coordinates",
                                values.size(), what, size));
  return Eigen::Map<const VecX>(values.data(), size);
}

}  // namespace

MinimalCoordinates::MinimalCoordinates(std::shared_ptr<const Model> model, std::span<const Pose> poses,
                                       std::span<const double> reference)
    : model_(std::move(model)),
      length_(mechanismSize(*model_)),
      joints_(*model_),
      geometry_(model_->joints.size()),
      velocities_(model_->velocityConstraints.size()) {
  buildTree();
  choose(poses, reference);
}

void MinimalCoordinates::addNode(int body, int joint, bool inverted, int parent) {
  TreeNode node;
  node.body = body;
  node.joint = joint;
  node.inverted = inverted;
  node.parent = parent;
  node.first = static_cast<int>(treeCoordinate_.size());
  if (joint >= 0) {
    inTree_[static_cast<std::size_t>(joint)] = true;
    node.count = model_->joints[static_cast<std::size_t>(joint)].type->numDofs();
    for (int i = 0; i < node.count; ++i) treeCoordinate_.push_back({joint, i, -1, -1});
  } else {
    for (int i = 0; i < 6; ++i) treeCoordinate_.push_back({-1, -1, body, i});
  }
  tree_.push_back(node);
}

/// Breadth first from the world over rigid joints; then from the first body that is not reached, which is
/// free.
void MinimalCoordinates::buildTree() {
  const auto bodies = model_->bodies.size();
  inTree_.assign(model_->joints.size(), false);
  std::vector<bool> reached(bodies, false);
  const auto expand = [&](int from) {
    for (std::size_t j = 0; j < model_->joints.size(); ++j) {
      const Joint& joint = model_->joints[j];
      if (joint.softness.soft()) continue;
      const bool inverted = joint.follower == from;
      if (!inverted && joint.base != from) continue;
      const int to = inverted ? joint.base : joint.follower;
      if (to < 0 || reached[static_cast<std::size_t>(to)]) continue;
      reached[static_cast<std::size_t>(to)] = true;
      addNode(to, static_cast<int>(j), inverted, from);
    }
  };
  expand(kWorld);
  std::size_t expanded = 0;
  for (std::size_t b = 0; b <= bodies; ++b) {
    for (; expanded < tree_.size(); ++expanded) expand(tree_[expanded].body);
    if (b == bodies || reached[b]) continue;
    reached[b] = true;
    addNode(static_cast<int>(b), -1, false, kWorld);
  }
}

void MinimalCoordinates::checkSizes(std::span<const Pose> poses, std::span<const double> reference) const {
  if (poses.size() != model_->bodies.size() ||
      reference.size() != static_cast<std::size_t>(model_->coordinates()))
    throw CallError(
        fmt::format("{} poses and {} coordinates given, but the model has {} bodies and {} coordinates",
                    poses.size(), reference.size(), model_->bodies.size(), model_->coordinates()));
}

/// T and K at these poses.
void MinimalCoordinates::evaluate(std::span<const Pose> poses, std::span<const double> reference) {
  checkSizes(poses, reference);
  poses_.assign(poses.begin(), poses.end());
  reference_.assign(reference.begin(), reference.end());
  map_.resize(0, 0);
  joints_.setPoses(poses_);
  joints_.evaluate(reference_, geometry_);
  treeMap_.setZero(6 * static_cast<Eigen::Index>(poses.size()),
                   static_cast<Eigen::Index>(treeCoordinate_.size()));
  for (TreeNode& node : tree_) {
    if (node.joint >= 0) {
      const auto j = static_cast<std::size_t>(node.joint);
      const JointGeometry& g = geometry_[j];
      const int constraints = 6 - node.count;
      Mat6 own;
      for (int r = 0; r < constraints; ++r)
        setRow(g.constraintRow[static_cast<std::size_t>(r)], node.inverted, r, own, node.parentRows);
      for (int i = 0; i < node.count; ++i)
        setRow(g.coordinateRow[static_cast<std::size_t>(i)], node.inverted, constraints + i, own,
               node.parentRows);
      Mat6 scaled = own;
      scaled.rightCols<3>() /= length_;
      for (int r = 0; r < 6; ++r) scaled.row(r) /= std::max(scaled.row(r).norm(), 1e-300);
      const Eigen::PartialPivLU<Mat6> lu(own);
      if (!scaled.allFinite() || !(Eigen::PartialPivLU<Mat6>(scaled).rcond() > kSingularJoint))
        throw CallError(fmt::format(
            "joint '{}' ({}): its coordinates are singular at this configuration (gimbal lock, or a rotation "
            "vector of a whole turn)",
            model_->joints[j].name, model_->joints[j].type->name()));
      node.inverse = lu.inverse();
    }
    const Eigen::Index row = 6 * Eigen::Index(node.body);
    if (node.parent >= 0)
      treeMap_.middleRows<6>(row).noalias() =
          -(node.inverse * node.parentRows) * treeMap_.middleRows<6>(6 * Eigen::Index(node.parent));
    treeMap_.block(row, node.first, 6, node.count) += node.inverse.rightCols(node.count);
  }
  assembleClosures(poses_);
  closure_.setZero(closures_.jointRows, treeMap_.cols());
  for (const JointBlock& block : closures_.joints)
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
      const JointTerm& term = closures_.jointTerms[static_cast<std::size_t>(t)];
      closure_.middleRows(block.row, block.rows).noalias() +=
          term.jacobian.topRows(block.rows) * treeMap_.middleRows<6>(6 * Eigen::Index(term.body));
    }
}

/// Rows of the joints off the tree, couplings and constraints on velocities, for geometry_.
void MinimalCoordinates::assembleClosures(std::span<const Pose> poses) {
  closures_.clearRows();
  for (std::size_t j = 0; j < model_->joints.size(); ++j) {
    const Joint& joint = model_->joints[j];
    if (inTree_[j] || joint.softness.soft()) continue;
    openJointBlock(joint, closures_);
    addConstraintRows(joint, geometry_[j], closures_);
    closeJointBlock(closures_);
  }
  for (const Coupling& c : model_->couplings) addCouplingBlock(*model_, c, geometry_, closures_);
  closures_.jointRows = static_cast<int>(closures_.bias.size());
  addVelocityRows(*model_, poses, {}, closures_, velocities_);
}

/// K with columns of one unit and rows whose largest entry is one.
void MinimalCoordinates::scaledClosures(Eigen::MatrixXd& scaled) const {
  scaled = closure_;
  for (Eigen::Index c = 0; c < scaled.cols(); ++c)
    if (!isAngular(*model_, treeCoordinate_[static_cast<std::size_t>(c)])) scaled.col(c) *= length_;
  // A row that the tree fulfils by itself is noise beside that of its joint on the bodies.
  for (const JointBlock& block : closures_.joints)
    for (int r = 0; r < block.rows; ++r) {
      double size = 0.0;
      for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
        const auto row = closures_.jointTerms[static_cast<std::size_t>(t)].jacobian.row(r);
        size = std::max({size, length_ * row.head<3>().norm(), row.tail<3>().norm()});
      }
      if (size > 0.0) scaled.row(block.row + r) /= size;
    }
}

/// Gaussian elimination with pivots in the given columns, which are brought into the order of elimination.
/// Returns the rank; `rows` receives the rows of the pivots. What is left in `scaled` below them are the rows
/// that depend on others.
int MinimalCoordinates::eliminate(Eigen::MatrixXd& scaled, std::vector<int>& columns,
                                  std::vector<int>& rows) const {
  rows.clear();
  std::vector<int> open(static_cast<std::size_t>(scaled.rows()));
  for (std::size_t r = 0; r < open.size(); ++r) open[r] = static_cast<int>(r);
  std::size_t done = 0;
  while (done < columns.size() && !open.empty()) {
    // The largest pivot of all columns [0], and of those without an actuator [1].
    std::array<double, 2> largest{};
    std::array<std::size_t, 2> bestRow{}, bestColumn{};
    for (std::size_t c = done; c < columns.size(); ++c) {
      const bool passive = !isDriven(*model_, treeCoordinate_[static_cast<std::size_t>(columns[c])]);
      for (std::size_t r = 0; r < open.size(); ++r) {
        const double size = std::abs(scaled(open[r], columns[c]));
        for (std::size_t k = 0; k < (passive ? 2U : 1U); ++k)
          if (size > largest[k]) largest[k] = size, bestRow[k] = r, bestColumn[k] = c;
      }
    }
    if (!(largest[0] > kNoPivot)) break;
    const std::size_t k = largest[1] >= kPreferPassive * largest[0] ? 1 : 0;
    std::swap(columns[done], columns[bestColumn[k]]);
    const int row = open[bestRow[k]], column = columns[done];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(bestRow[k]));
    rows.push_back(row);
    const Eigen::RowVectorXd pivot = scaled.row(row) / scaled(row, column);
    for (const int r : open) scaled.row(r) -= scaled(r, column) * pivot;
    ++done;
  }
  return static_cast<int>(done);
}

/// N and the rates of all coordinates, by the dependent ones K_d ṡ_d = -K_i q̇.
void MinimalCoordinates::solveMaps() {
  const auto n = static_cast<Eigen::Index>(independent_.size());
  const auto rank = static_cast<Eigen::Index>(dependent_.size());
  Eigen::MatrixXd tree = Eigen::MatrixXd::Zero(treeMap_.cols(), n);
  for (Eigen::Index i = 0; i < n; ++i) tree(independent_[static_cast<std::size_t>(i)], i) = 1.0;
  if (rank > 0) {
    const Eigen::MatrixXd used = closure_(pivotRows_, Eigen::all);
    solver_.compute(used(Eigen::all, dependent_));
    const Eigen::MatrixXd rates = -solver_.solve(used(Eigen::all, independent_));
    for (Eigen::Index d = 0; d < rank; ++d) tree.row(dependent_[static_cast<std::size_t>(d)]) = rates.row(d);
  }
  map_.noalias() = treeMap_ * tree;
  rates_.setZero(model_->coordinates(), n);
  for (std::size_t j = 0; j < model_->joints.size(); ++j) {
    const Joint& joint = model_->joints[j];
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      const JointRow& row = geometry_[j].coordinateRow[static_cast<std::size_t>(i)];
      auto rate = rates_.row(model_->coordinateStart[j] + i);
      rate = row.follower.transpose() * map_.middleRows<6>(6 * Eigen::Index(joint.follower));
      if (joint.base >= 0) rate += row.base.transpose() * map_.middleRows<6>(6 * Eigen::Index(joint.base));
    }
  }
}

void MinimalCoordinates::choose(std::span<const Pose> poses, std::span<const double> reference) {
  evaluate(poses, reference);
  Eigen::MatrixXd scaled;
  scaledClosures(scaled);
  std::vector<int> columns(static_cast<std::size_t>(treeMap_.cols()));
  // The later of equal coordinates depends on the earlier: input links come first in most models.
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = static_cast<int>(columns.size() - 1 - c);
  const int rank = eliminate(scaled, columns, pivotRows_);
  redundant_ = closures_.jointRows - rank;
  dependent_.assign(columns.begin(), columns.begin() + rank);
  independent_.assign(columns.begin() + rank, columns.end());
  std::sort(independent_.begin(), independent_.end());
  coordinates_.clear();
  for (const int c : independent_) coordinates_.push_back(treeCoordinate_[static_cast<std::size_t>(c)]);
  solveMaps();
}

void MinimalCoordinates::update(std::span<const Pose> poses, std::span<const double> reference) {
  evaluate(poses, reference);
  Eigen::MatrixXd scaled;
  scaledClosures(scaled);
  std::vector<int> columns = dependent_;
  const int rank = eliminate(scaled, columns, pivotRows_);
  if (rank < static_cast<int>(dependent_.size()))
    throw CallError(
        "singular configuration: the independent coordinates do not determine the motion here (choose them "
        "anew)");
  for (Eigen::Index r = 0; r < scaled.rows(); ++r) {
    if (std::find(pivotRows_.begin(), pivotRows_.end(), static_cast<int>(r)) != pivotRows_.end()) continue;
    for (const int c : independent_)
      if (std::abs(scaled(r, c)) > kLeftOver)
        throw CallError(
            "the mechanism has fewer independent coordinates here than where they were chosen, which was a "
            "singular configuration (choose them anew)");
  }
  dependent_ = columns;
  solveMaps();
}

std::string MinimalCoordinates::name(int coordinate) const {
  static constexpr std::array<const char*, 6> kComponents = {"vx", "vy", "vz", "wx", "wy", "wz"};
  const MinimalCoordinate& c = coordinates_[static_cast<std::size_t>(coordinate)];
  if (c.joint >= 0) return coordinateName(*model_, c.joint, c.coordinate);
  return fmt::format("{}.{}", model_->bodies[static_cast<std::size_t>(c.body)].name,
                     kComponents[static_cast<std::size_t>(c.component)]);
}

VecX MinimalCoordinates::rates(std::span<const Vec6> twists) const {
  if (twists.size() != model_->bodies.size())
    throw CallError(
        fmt::format("{} twists given, but the model has {} bodies", twists.size(), model_->bodies.size()));
  VecX rates(size());
  for (int i = 0; i < size(); ++i) {
    const MinimalCoordinate& c = coordinates_[static_cast<std::size_t>(i)];
    if (c.joint < 0) {
      rates[i] = twists[static_cast<std::size_t>(c.body)][c.component];
      continue;
    }
    const auto j = static_cast<std::size_t>(c.joint);
    rates[i] = coordinateRate(model_->joints[j],
                              geometry_[j].coordinateRow[static_cast<std::size_t>(c.coordinate)], twists);
  }
  return rates;
}

Eigen::MatrixXd MinimalCoordinates::massMatrix() const {
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(size(), size());
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    const Body& body = model_->bodies[b];
    const auto row = 6 * static_cast<Eigen::Index>(b);
    const Mat3 axes = poses_[b].rotation.toRotationMatrix();
    const Eigen::MatrixXd spin = axes.transpose() * map_.middleRows<3>(row + 3);
    mass.noalias() += body.mass * map_.middleRows<3>(row).transpose() * map_.middleRows<3>(row);
    mass.noalias() += spin.transpose() * body.inertia * spin;
  }
  for (std::size_t j = 0; j < model_->joints.size(); ++j)
    for (std::size_t i = 0; i < model_->joints[j].coordinates.size(); ++i) {
      const auto rate = rates_.row(model_->coordinateStart[j] + static_cast<Eigen::Index>(i));
      mass.noalias() += model_->joints[j].coordinates[i].passive.inertia() * rate.transpose() * rate;
    }
  return 0.5 * (mass + mass.transpose());
}

Eigen::MatrixXd MinimalCoordinates::jacobian(int body, const Vec3& point) const {
  if (body < 0 || body >= static_cast<int>(model_->bodies.size()))
    throw CallError(fmt::format("no body {} (the model has {})", body, model_->bodies.size()));
  const auto b = static_cast<std::size_t>(body);
  const Vec3 arm = poses_[b].rotation * (model_->bodies[b].userFrame * point);
  Eigen::MatrixXd j = map_.middleRows<6>(6 * Eigen::Index(body));
  j.topRows<3>() -= skew(arm) * j.bottomRows<3>();
  return j;
}

/// Rates of all rows of geometry_ and closures_ under given twists: per joint its constraints, then its
/// coordinates; and of the closures.
void MinimalCoordinates::rowRates(std::span<const Vec6> twists, VecX& joints, VecX& closures) const {
  joints.setZero(6 * static_cast<Eigen::Index>(model_->joints.size()));
  for (std::size_t j = 0; j < model_->joints.size(); ++j) {
    const Joint& joint = model_->joints[j];
    auto rate = joints.segment<6>(6 * static_cast<Eigen::Index>(j));
    const int constraints = joint.type->numConstraints();
    for (int r = 0; r < constraints; ++r)
      rate[r] = coordinateRate(joint, geometry_[j].constraintRow[static_cast<std::size_t>(r)], twists);
    for (int i = 0; i < joint.type->numDofs(); ++i)
      rate[constraints + i] =
          coordinateRate(joint, geometry_[j].coordinateRow[static_cast<std::size_t>(i)], twists);
  }
  closures.setZero(closures_.jointRows);
  for (const JointBlock& block : closures_.joints)
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
      const JointTerm& term = closures_.jointTerms[static_cast<std::size_t>(t)];
      closures.segment(block.row, block.rows) +=
          term.jacobian.topRows(block.rows) * twists[static_cast<std::size_t>(term.body)];
    }
}

/// J̇ u of the same rows along the motion with the twists u. Leaves geometry_ as it was.
void MinimalCoordinates::rowAccelerations(std::span<const Vec6> twists, VecX& joints, VecX& closures) {
  double speed = 0.0;
  for (const Vec6& u : twists) speed = std::max({speed, u.head<3>().norm() / length_, u.tail<3>().norm()});
  rowRates(twists, joints, closures);
  joints.setZero();
  closures.setZero();
  if (!(speed > 0.0)) return;
  const double step = kDifference / speed;
  VecX joint, closure;
  moved_.resize(poses_.size());
  for (const auto& [steps, weight] : {std::pair(-2.0, 1.0), {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}) {
    for (std::size_t b = 0; b < poses_.size(); ++b) moved_[b] = movePose(poses_[b], twists[b], steps * step);
    joints_.setPoses(moved_);
    joints_.evaluate(reference_, geometry_);
    assembleClosures(moved_);
    rowRates(twists, joint, closure);
    joints += weight / (12.0 * step) * joint;
    closures += weight / (12.0 * step) * closure;
  }
  joints_.setPoses(poses_);
  joints_.evaluate(reference_, geometry_);
  assembleClosures(poses_);
}

VecX MinimalCoordinates::inverseDynamics(std::span<const double> rates, std::span<const double> accelerations,
                                         double time, std::span<const Vec6> wrenches) {
  if (map_.cols() != size())
    throw CallError("there is no valid configuration: the last update failed (choose the coordinates anew)");
  const VecX v = checkedVector(rates, size(), "rates");
  const VecX a = checkedVector(accelerations, size(), "accelerations");
  const auto bodies = model_->bodies.size();
  if (!wrenches.empty() && wrenches.size() != bodies)
    throw CallError(fmt::format("{} wrenches given, but the model has {} bodies", wrenches.size(), bodies));
  const std::vector<Vec6> twists = bodyTwists(map_ * v);
  VecX jointTerm;
  const VecX change = twistChange(a, twists, jointTerm);

  std::vector<Vec6> applied(bodies, Vec6::Zero());
  const std::vector<Vec6> none(bodies, Vec6::Zero());
  externalWrenches(*model_, poses_, {time}, wrenches.empty() ? std::span<const Vec6>(none) : wrenches,
                   applied);
  VecX force(change.size());
  for (std::size_t b = 0; b < bodies; ++b) {
    const Body& body = model_->bodies[b];
    const Mat3 axes = poses_[b].rotation.toRotationMatrix();
    const Mat3 inertia = axes * body.inertia * axes.transpose();
    const Vec6 acceleration = twistOf(change, static_cast<int>(b));
    const Vec3 spin = twists[b].tail<3>();
    const Vec3 momentum = inertia * spin;
    Vec6 needed;
    needed << body.mass * (acceleration.head<3>() - model_->gravity),
        inertia * acceleration.tail<3>() + spin.cross(momentum);
    force.segment<6>(6 * static_cast<Eigen::Index>(b)) = needed - applied[b];
  }
  VecX result = map_.transpose() * force;
  // Springs, dampers and rotors of all coordinates.
  const std::vector<Vec6> changes = bodyTwists(change);
  for (std::size_t j = 0; j < model_->joints.size(); ++j) {
    const Joint& joint = model_->joints[j];
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      const PassiveDynamics& p = joint.coordinates[static_cast<std::size_t>(i)].passive;
      if (!p.smooth()) continue;
      const JointGeometry& g = geometry_[j];
      const JointRow& row = g.coordinateRow[static_cast<std::size_t>(i)];
      const double acceleration =
          coordinateRate(joint, row, changes) +
          jointTerm[6 * static_cast<Eigen::Index>(j) + joint.type->numConstraints() + i];
      const double effort = p.inertia() * acceleration +
                            p.stiffness * (g.coordinate[static_cast<std::size_t>(i)] - p.rest) +
                            p.damping * coordinateRate(joint, row, twists);
      result += effort * rates_.row(model_->coordinateStart[j] + i).transpose();
    }
  }
  return result;
}

VecX MinimalCoordinates::twistChange(const VecX& a, const std::vector<Vec6>& twists, VecX& jointTerm) {
  VecX closureTerm;
  rowAccelerations(twists, jointTerm, closureTerm);
  // Twists change by T s̈ + Ṫ ṡ; the second part, body by body along the tree:
  VecX change = VecX::Zero(treeMap_.rows());
  for (const TreeNode& node : tree_) {
    if (node.joint < 0) continue;
    Vec6 right = -jointTerm.segment<6>(6 * Eigen::Index(node.joint));
    if (node.parent >= 0) right -= node.parentRows * twistOf(change, node.parent);
    change.segment<6>(6 * Eigen::Index(node.body)) = node.inverse * right;
  }
  // The dependent s̈, without those of the independent ones, which N has: K s̈ = -(J Ṫ ṡ + J̇ u).
  if (!dependent_.empty()) {
    const std::vector<Vec6> changes = bodyTwists(change);
    VecX joint, closure;
    rowRates(changes, joint, closure);
    const VecX all = -(closure + closureTerm);
    const VecX dependent = solver_.solve(all(pivotRows_));
    for (std::size_t d = 0; d < dependent_.size(); ++d)
      change += treeMap_.col(dependent_[d]) * dependent[static_cast<Eigen::Index>(d)];
  }
  change += map_ * a;
  return change;
}

VecX MinimalCoordinates::bias(std::span<const double> rates, double time, std::span<const Vec6> wrenches) {
  const std::vector<double> none(static_cast<std::size_t>(size()), 0.0);
  return inverseDynamics(rates, none, time, wrenches);
}

}  // namespace grashof
