#include "tools/convert/tree_inertia.h"

#include "engine/model/body_mass.h"

namespace grashof::convert {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

constexpr double kAligned = 1e-6;  // of axes and centres that count as those of the frame

bool isAxis(const Vec3& direction) { return direction.cwiseAbs().maxCoeff() > 1.0 - kAligned * kAligned; }

/// True where MuJoCo finds the inertia's frame to be that of the body: not of a shape that is turned in it.
bool ownFrame(const Link& l) {
  const double size = l.inertia.diagonal().cwiseAbs().maxCoeff();
  const bool diagonal = (l.inertia - Mat3(l.inertia.diagonal().asDiagonal())).norm() <= kAligned * size;
  const bool turned = l.shapes.size() == 1 && l.shapes[0].pose.rotation.vec().norm() > kAligned;
  return l.center.norm() <= kAligned && diagonal && !turned;
}

}  // namespace

TreeInertia::TreeInertia(const Tree& tree)
    : tree_(tree),
      poses_(tree.links.size()),
      jointOf_(tree.links.size(), -1),
      leader_(tree.links.size(), -1) {
  std::vector<int> blockOfLink(tree.links.size(), -1);
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    const LinkJoint& j = tree.joints[i];
    const std::size_t child = at(j.child);
    const Pose frame = (j.parent < 0 ? Pose{} : poses_[at(j.parent)]) * j.parentFrame;
    poses_[child] = frame * j.childFrame.inverse();
    jointOf_[child] = static_cast<int>(i);
    const bool fixed = j.kind == LinkJointKind::Fixed;
    leader_[child] = !fixed ? j.child : j.parent < 0 ? -1 : leader_[at(j.parent)];
    int block = j.parent < 0 ? -1 : blockOfLink[at(j.parent)];
    if (block < 0 && !fixed) {
      block = static_cast<int>(blocks_.size());
      blocks_.emplace_back();
    }
    blockOfLink[child] = block;
    start_.push_back(static_cast<int>(axes_.size()));
    addAxes(j, frame);
    while (blockOf_.size() < axes_.size()) {
      placeInBlock_.push_back(static_cast<int>(blocks_[at(block)].coordinates.size()));
      blocks_[at(block)].coordinates.push_back(static_cast<int>(blockOf_.size()));
      blockOf_.push_back(block);
    }
  }
  start_.push_back(static_cast<int>(axes_.size()));
  for (Block& b : blocks_) {
    const auto n = static_cast<Eigen::Index>(b.coordinates.size());
    b.matrix = Eigen::MatrixXd::Zero(n, n);
  }
  for (std::size_t link = 0; link < tree.links.size(); ++link) addLink(static_cast<int>(link));
  for (std::size_t i = 0; i < tree.joints.size(); ++i)
    for (std::size_t c = 0; c < tree.joints[i].coordinates.size(); ++c) {
      const std::size_t k = at(start_[i]) + c;
      const int place = placeInBlock_[k];
      blocks_[at(blockOf_[k])].matrix(place, place) += tree.joints[i].coordinates[c].passive.armature;
    }
  for (Block& b : blocks_) b.factors.compute(b.matrix);
}

void TreeInertia::addAxes(const LinkJoint& j, const Pose& frame) {
  const auto along = [&](int i) { return Vec3(frame.rotation * Vec3::Unit(i)); };
  const bool slides = j.kind == LinkJointKind::Prismatic || j.kind == LinkJointKind::Free;
  const int all = j.kind == LinkJointKind::Free || j.kind == LinkJointKind::Spherical ? 3 : 1;
  if (slides)
    for (int i = 0; i < all; ++i) axes_.push_back({along(i), frame.position, false});
  if (j.kind == LinkJointKind::Revolute || all == 3)
    for (int i = 0; i < all; ++i) axes_.push_back({along(i), frame.position, true});
}

Vec3 TreeInertia::velocity(int coordinate, const Vec3& point) const {
  const Axis& a = axes_[at(coordinate)];
  return a.turns ? Vec3(a.direction.cross(point - a.point)) : a.direction;
}

std::vector<int> TreeInertia::above(int link) const {
  std::vector<int> all;
  while (link >= 0 && jointOf_[at(link)] >= 0) {
    const int joint = jointOf_[at(link)];
    for (int k = start_[at(joint)]; k < start_[at(joint) + 1]; ++k) all.push_back(k);
    link = tree_.joints[at(joint)].parent;
  }
  return all;
}

void TreeInertia::addLink(int link) {
  const Link& l = tree_.links[at(link)];
  const Vec3 center = poses_[at(link)] * l.center;
  const Mat3 r = poses_[at(link)].rotation.toRotationMatrix(), inertia = r * l.inertia * r.transpose();
  const std::vector<int> moving = above(link);
  for (const int i : moving)
    for (const int k : moving) {
      double& element = blocks_[at(blockOf_[at(i)])].matrix(placeInBlock_[at(i)], placeInBlock_[at(k)]);
      element += l.mass * velocity(i, center).dot(velocity(k, center));
      const Axis &a = axes_[at(i)], &b = axes_[at(k)];
      if (a.turns && b.turns) element += a.direction.dot(inertia * b.direction);
    }
}

double TreeInertia::own(int joint) const {
  const std::size_t k = at(start_[at(joint)]);
  return blocks_[at(blockOf_[k])].matrix(placeInBlock_[k], placeInBlock_[k]);
}

bool TreeInertia::slidesAlone(int link) const {
  const Link& own = tree_.links[at(link)];
  if (!(own.mass > 0.0) || !ownFrame(own)) return false;
  for (const LinkJoint& j : tree_.joints)
    if (j.parent == link) return false;
  int above = link;
  do {
    if (jointOf_[at(above)] < 0) return false;
    const LinkJoint& j = tree_.joints[at(jointOf_[at(above)])];
    const Vec3 axis = j.childFrame.rotation * Vec3::UnitX();
    if (j.kind != LinkJointKind::Prismatic || j.childFrame.position.norm() > kAligned || !isAxis(axis))
      return false;
    above = j.parent;
  } while (above >= 0 && tree_.links[at(above)].between);
  return above < 0 || (leader_[at(above)] < 0 && tree_.joints[at(jointOf_[at(above)])].parent < 0);
}

double TreeInertia::mobility(int joint) const {
  int link = tree_.joints[at(joint)].child;
  while (tree_.links[at(link)].between) ++link;  // the body of these joints follows
  if (slidesAlone(link)) return 1.0 / tree_.links[at(link)].mass;
  const std::size_t k = at(start_[at(joint)]);
  const Block& b = blocks_[at(blockOf_[k])];
  return b.factors.solve(Eigen::VectorXd::Unit(b.matrix.rows(), placeInBlock_[k]))[placeInBlock_[k]];
}

double TreeInertia::mobility(const std::vector<std::pair<int, double>>& terms,
                             const std::vector<PathNode>& path) const {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(axes_.size()));
  for (const auto& [joint, coefficient] : terms) row[start_[at(joint)]] += coefficient;
  for (const PathSpan& s : pathWay(path, [&](int link) { return poses_[at(link)]; }).spans) {
    const Vec3 line = s.pointB - s.pointA;
    if (!(line.norm() > 0.0)) continue;
    const Vec3 direction = s.share * line.normalized();
    for (const int k : above(s.linkB)) row[k] += direction.dot(velocity(k, s.pointB));
    for (const int k : above(s.linkA)) row[k] -= direction.dot(velocity(k, s.pointA));
  }
  double sum = 0.0;
  for (const Block& b : blocks_) {
    Eigen::VectorXd own(b.matrix.rows());
    for (std::size_t i = 0; i < b.coordinates.size(); ++i)
      own[static_cast<Eigen::Index>(i)] = row[b.coordinates[i]];
    if (!own.isZero(0.0)) sum += own.dot(b.factors.solve(own));
  }
  return sum;
}

double TreeInertia::meanOf(int link, const std::function<Vec3(int)>& rate) const {
  const std::vector<int> moving = above(link);
  if (moving.empty()) return 0.0;
  const Block& b = blocks_[at(blockOf_[at(moving[0])])];
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(b.matrix.rows(), 3);
  for (const int k : moving) jacobian.row(placeInBlock_[at(k)]) = rate(k).transpose();
  return (jacobian.transpose() * b.factors.solve(jacobian)).trace() / 3.0;
}

double TreeInertia::linkMobility(int link) const {
  if (link < 0) return 0.0;
  if (slidesAlone(link)) return 1.0 / tree_.links[at(link)].mass;
  const Vec3 center = poses_[at(link)] * tree_.links[at(link)].center;
  return meanOf(link, [&](int k) { return velocity(k, center); });
}

double TreeInertia::linkTurning(int link) const {
  return meanOf(
      link, [&](int k) -> Vec3 { return axes_[at(k)].turns ? axes_[at(k)].direction : Vec3(Vec3::Zero()); });
}

RigidBody TreeInertia::body(int link) const {
  RigidBody body;
  const int leader = link < 0 ? -1 : leader_[at(link)];
  if (leader < 0) return body;
  const auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < leader_.size(); ++i)
      if (leader_[i] == leader) use(tree_.links[i], poses_[i]);
  };
  Vec3 moment = Vec3::Zero();
  each([&](const Link& l, const Pose& pose) {
    body.mass += l.mass;
    moment += l.mass * (pose * l.center);
  });
  if (!(body.mass > 0.0)) return body;
  body.center = moment / body.mass;
  each([&](const Link& l, const Pose& pose) {
    const Mat3 r = pose.rotation.toRotationMatrix();
    body.inertia += r * l.inertia * r.transpose() + pointInertia(l.mass, pose * l.center - body.center);
  });
  return body;
}

}  // namespace grashof::convert
