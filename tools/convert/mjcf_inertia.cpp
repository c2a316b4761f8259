// What follows from the mass matrix at the reference pose: springs and dampers given by time constants.
#include <Eigen/Cholesky>
#include <cmath>

#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {
namespace {

/// The mass matrix of a tree at coordinate zero, one row and column per coordinate, in the order of the
/// joints.
class MassMatrix {
 public:
  explicit MassMatrix(const Tree& tree) : tree_(tree), jointOf_(tree.links.size(), -1) {
    start_.reserve(tree.joints.size());
    std::vector<Pose> poses(tree.links.size());
    for (std::size_t i = 0; i < tree.joints.size(); ++i) {
      const LinkJoint& j = tree.joints[i];
      const Pose frame = (j.parent < 0 ? Pose{} : poses[static_cast<std::size_t>(j.parent)]) * j.parentFrame;
      poses[static_cast<std::size_t>(j.child)] = frame * j.childFrame.inverse();
      jointOf_[static_cast<std::size_t>(j.child)] = static_cast<int>(i);
      start_.push_back(static_cast<int>(axes_.size()));
      addAxes(j, frame);
    }
    const auto n = static_cast<Eigen::Index>(axes_.size());
    matrix_ = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t link = 0; link < tree.links.size(); ++link) addLink(link, poses[link]);
    for (std::size_t i = 0; i < tree.joints.size(); ++i)
      for (std::size_t c = 0; c < tree.joints[i].coordinates.size(); ++c) {
        const auto k = static_cast<Eigen::Index>(start_[i]) + static_cast<Eigen::Index>(c);
        matrix_(k, k) += tree.joints[i].coordinates[c].passive.armature;
      }
  }

  /// Diagonal element of a joint's first coordinate, kg or kg m².
  double own(int joint) const {
    const int k = start_[static_cast<std::size_t>(joint)];
    return matrix_(k, k);
  }
  /// What moves when all else may give way: one over the element of the inverse.
  double apparent(int joint) const {
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(matrix_.rows());
    const int k = start_[static_cast<std::size_t>(joint)];
    unit[k] = 1.0;
    const double inverse = matrix_.ldlt().solve(unit)[k];
    return inverse > 0.0 ? 1.0 / inverse : 0.0;
  }

 private:
  /// Twist that a coordinate gives to all that it carries: rotation about a point, or translation.
  struct Axis {
    Vec3 direction, point;
    bool turns;
  };

  void addAxes(const LinkJoint& j, const Pose& frame) {
    const auto along = [&](int i) { return Vec3(frame.rotation * Vec3::Unit(i)); };
    const bool slides = j.kind == LinkJointKind::Prismatic || j.kind == LinkJointKind::Free;
    const bool turns = j.kind == LinkJointKind::Revolute;
    const int all = j.kind == LinkJointKind::Free || j.kind == LinkJointKind::Spherical ? 3 : 1;
    if (slides)
      for (int i = 0; i < all; ++i) axes_.push_back({along(i), frame.position, false});
    if (turns || all == 3)
      for (int i = 0; i < all; ++i) axes_.push_back({along(i), frame.position, true});
  }

  void addLink(std::size_t link, const Pose& pose) {
    const Link& l = tree_.links[link];
    const Vec3 center = pose * l.center;
    const Mat3 r = pose.rotation.toRotationMatrix(), inertia = r * l.inertia * r.transpose();
    std::vector<int> above;  // coordinates that move the link
    for (int at = static_cast<int>(link); at >= 0;) {
      const int joint = jointOf_[static_cast<std::size_t>(at)];
      if (joint < 0) break;
      const auto next = static_cast<std::size_t>(joint) + 1;
      const int end = next < start_.size() ? start_[next] : static_cast<int>(axes_.size());
      for (int k = start_[static_cast<std::size_t>(joint)]; k < end; ++k) above.push_back(k);
      at = tree_.joints[static_cast<std::size_t>(joint)].parent;
    }
    const auto velocity = [&](int k) {
      const Axis& a = axes_[static_cast<std::size_t>(k)];
      return a.turns ? Vec3(a.direction.cross(center - a.point)) : a.direction;
    };
    for (const int i : above)
      for (const int k : above) {
        matrix_(i, k) += l.mass * velocity(i).dot(velocity(k));
        const Axis &a = axes_[static_cast<std::size_t>(i)], &b = axes_[static_cast<std::size_t>(k)];
        if (a.turns && b.turns) matrix_(i, k) += a.direction.dot(inertia * b.direction);
      }
  }

  const Tree& tree_;
  std::vector<int> jointOf_;  // that carries a link
  std::vector<int> start_;    // first coordinate of each joint
  std::vector<Axis> axes_;
  Eigen::MatrixXd matrix_;
};

}  // namespace

void MjcfReader::resolveDampers() {
  const bool needed =
      !springDampers_.empty() ||
      std::any_of(drives_.begin(), drives_.end(), [](const Drive& d) { return d.dampRatio > 0.0; });
  if (!needed || !found_.empty()) return;
  const MassMatrix mass(tree_);
  for (const auto& [joint, given] : springDampers_) {
    PassiveDynamics& p = tree_.joints[static_cast<std::size_t>(joint)].coordinates[0].passive;
    const auto [time, ratio] = given;
    const double inertia = mass.apparent(joint);
    if (enabled("spring")) p.stiffness = inertia / (time * time * ratio * ratio);
    if (enabled("damper")) p.damping = 2.0 * inertia / time;
  }
  for (Drive& d : drives_) {
    if (!(d.dampRatio > 0.0)) continue;
    double inertia = 0.0;
    for (const Term& t : d.terms) inertia += mass.own(t.joint) / (t.coefficient * t.coefficient);
    d.bias[2] = -d.dampRatio * 2.0 * std::sqrt(d.gain * inertia);
  }
}

}  // namespace grashof::convert
