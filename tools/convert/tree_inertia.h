#pragma once
/// The mass matrix of a tree of links at coordinate zero, and what follows from it.

#include <Eigen/Cholesky>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tools/convert/tree.h"

namespace grashof::convert {

/// Mass, centre and inertia of all links that fixed joints make one body, in the world at coordinate zero.
struct RigidBody {
  double mass = 0.0;
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

/// Keeps a reference to the tree.
class TreeInertia {
 public:
  explicit TreeInertia(const Tree& tree);

  /// Diagonal element of a joint's first coordinate, with its rotor, kg or kg m².
  double own(int joint) const;
  /// Diagonal element of the inverse for that coordinate: how it gives way when all else may, 1/kg or
  /// 1/(kg m²).
  double mobility(int joint) const;
  /// How a sum of coordinates and the length of its path give way, J M⁻¹ Jᵀ, 1/kg or 1/(kg m²).
  double mobility(const std::vector<std::pair<int, double>>& terms, const std::vector<PathNode>& path) const;
  /// How the centre of mass of a link gives way to a force, the mean of three directions, 1/kg; 0 for links
  /// that stand still.
  double linkMobility(int link) const;
  /// The same of its rotation and a moment, 1/(kg m²).
  double linkTurning(int link) const;
  /// The body that a link is part of; mass 0: the world.
  RigidBody body(int link) const;
  const Pose& pose(int link) const { return poses_[static_cast<std::size_t>(link)]; }

 private:
  /// Twist that a coordinate gives to all that it carries: rotation about a point, or translation.
  struct Axis {
    Vec3 direction, point;
    bool turns;
  };
  /// The part of the matrix that belongs to one link of the world, and its factors.
  struct Block {
    std::vector<int> coordinates;
    Eigen::MatrixXd matrix;
    Eigen::LDLT<Eigen::MatrixXd> factors;
  };

  void addAxes(const LinkJoint& j, const Pose& frame);
  void addLink(int link);
  Vec3 velocity(int coordinate, const Vec3& point) const;
  /// The mean of three directions of how a link gives way; `rate`: of a coordinate that moves it.
  double meanOf(int link, const std::function<Vec3(int)>& rate) const;
  /// True for a link of the world that only slides along its own axes and carries nothing. MuJoCo takes its
  /// mass alone where it takes means of directions, or masses with rotors, of others ("simple" bodies).
  bool slidesAlone(int link) const;
  /// Coordinates that move a link.
  std::vector<int> above(int link) const;

  const Tree& tree_;
  std::vector<Pose> poses_;
  std::vector<int> jointOf_;  // that carries a link
  std::vector<int> leader_;   // first link of the body that a link is part of; -1: the world
  std::vector<int> start_;    // first coordinate of each joint, and their number
  std::vector<Axis> axes_;
  std::vector<int> blockOf_, placeInBlock_;  // of each coordinate
  std::vector<Block> blocks_;
};

}  // namespace grashof::convert
