#pragma once
/// Scenes in no engine's language, and what is measured on their motion.

#include <span>
#include <string>
#include <vector>

#include "engine/base/math.h"

namespace grashof::bench {

/// A homogeneous box; its frame sits at the centre of mass.
struct SceneBody {
  Vec3 halfSize = Vec3::Constant(0.05);  ///< m
  double mass = 1.0;                     ///< kg
  Pose pose;
  bool collides = false;

  Vec3 inertia() const {  ///< principal moments, kg·m²
    const Vec3 square = halfSize.cwiseAbs2();
    return mass / 3.0 * Vec3(square.y() + square.z(), square.z() + square.x(), square.x() + square.y());
  }
};

enum class JointKind { Hinge, Slider };

/// A hinge about, or a slider along, `axis` through `point` (world, at the start). `base` -1: the world.
struct SceneJoint {
  JointKind kind = JointKind::Hinge;
  int base = -1, follower = 0;
  Vec3 point = Vec3::Zero(), axis = Vec3::UnitY();
  double stiffness = 0.0;  ///< spring along a slider, at rest at the start, N/m
};

/// Bodies under gravity along -z; those that collide also do so with the plane z = 0.
struct Scene {
  std::string name;
  std::vector<SceneBody> bodies;
  std::vector<SceneJoint> joints;
  double friction = 0.5;
  double timestep = 1e-3;     ///< s
  double duration = 10.0;     ///< s
  double timedFrom = 0.0;     ///< s: time of a step and penetration are taken from here on
  bool stack = false;         ///< the bodies should not move
  bool heavyTension = false;  ///< taut light links: engines that can take their stiffness implicitly do

  bool collides() const { return !bodies.empty() && bodies.front().collides; }
};

/// All scenes: fixed four-bar, heavy chain, scissor lift, ten cubes of one mass and of 1 to 1e4 kg, a pile of
/// a hundred cubes, the same while it falls, a deck of 53 cards let go.
std::vector<Scene> scenes();

/// Kinetic, gravitational and elastic energy, J.
double energy(const Scene& scene, std::span<const Pose> poses, std::span<const Vec6> twists);
double kineticEnergy(const Scene& scene, std::span<const Pose> poses, std::span<const Vec6> twists);
/// Largest distance of the two points that a joint holds together, for a slider off its axis, m.
double jointGap(const Scene& scene, std::span<const Pose> poses);

}  // namespace grashof::bench
