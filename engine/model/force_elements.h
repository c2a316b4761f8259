#pragma once
/// Force elements of a model: they act between bodies, and constrain nothing.

#include <span>
#include <string>
#include <vector>

#include "engine/base/body.h"
#include "joints/cable.h"
#include "joints/coordinate_term.h"
#include "joints/force_law.h"
#include "joints/mesh.h"

namespace grashof {

/// What a cable runs over, fixed in a body; see CableNode.
struct CableSupport {
  CableNodeKind kind = CableNodeKind::Point;
  int body = kWorld;             ///< may be the world
  Vec3 position = Vec3::Zero();  ///< in the CoM frame of the body (in the world), m
  Vec3 axis = Vec3::UnitZ();     ///< the same
  double radius = 0.0;           ///< m
  double friction = 0.0;         ///< μ between the cable and the surface
  double sense = 1.0;
  int turns = 0;
  bool begins = false;  ///< the first of a branch, also of the first one; the last of each is a point
  double share = 1.0;   ///< of the first of a branch: by how much its length counts, 1/divisor, not 0
};
/// The support at the poses of the bodies.
CableNode cableNode(const CableSupport& support, std::span<const Pose> poses);
/// The index behind the last support of the branch that begins at `from`.
std::size_t branchEnd(std::span<const CableSupport> path, std::size_t from);
/// A cable has at most as many supports.
inline constexpr std::size_t kMaxCableSupports = 64;
/// And at most so many with friction.
inline constexpr int kMaxRoughSupports = 6;

/// A scalar force along the line between two points, along a joint coordinate, or along a sum
///   x = length of a cable's path + Σ coefficient · joint coordinate
/// of which either part may be missing: cables, with the drums that wind them, and tendons.
struct ForceElement {
  std::string name;
  int bodyA = kWorld;          ///< may be the world
  int bodyB = 0;               ///< a body
  Vec3 pointA = Vec3::Zero();  ///< in the CoM frame of A (in the world), m
  Vec3 pointB = Vec3::Zero();  ///< in the CoM frame of B, m
  int joint = -1;              ///< >= 0: acts along a coordinate of this joint, instead of between points
  int coordinate = 0;          ///< of that joint
  std::vector<CableSupport> path{};     ///< of a sum; empty: no cable
  std::vector<CoordinateTerm> terms{};  ///< of a sum
  ForceLaw law;
  /// A commanded force that adds to the law, N, N·m; of a sum a commanded tension, opposite to it; -1: none.
  int signal = -1;
  /// Of a sum: the law's length over time, m, rad; -1: law.length. law.length is 0 with it.
  int lengthSignal = -1;
  Mesh mesh{};                              ///< of a sum of two terms, those of its sides a and b
  ForceSide commandSide = ForceSide::Both;  ///< commanded forces of the other side count as none

  bool onJoint() const { return joint >= 0; }
  /// Acts along a sum; bodies, points and joint are not used.
  bool onSum() const { return !path.empty() || !terms.empty(); }
};

/// A bushing: six springs and dampers between two frames. With the deformation
///   q = (displacements of the follower's point along the base axes, rotation vector log(R_Bᵀ R_F))
/// the generalized force is preload - stiffness q - damping q̇. Rotations stay below half a turn.
struct Bushing {
  std::string name;
  int base = kWorld;  ///< may be the world
  int follower = 0;
  Pose baseFrame;                 ///< in the CoM frame of the base (in the world)
  Pose followerFrame;             ///< in the CoM frame of the follower
  Mat6 stiffness = Mat6::Zero();  ///< N/m, N, N·m/rad; symmetric, positive semi-definite
  Mat6 damping = Mat6::Zero();    ///< N·s/m, N·s, N·m·s/rad; the same
  Vec6 preload = Vec6::Zero();    ///< at q = 0, on the follower; N, N·m
};

}  // namespace grashof
