#pragma once
/// What tests share: random values, small models, the project's folders.

#include <cmath>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "engine/simulator.h"
#include "joints/types.h"

namespace grashof::test {

/// Root of the source tree.
inline std::string sourceFolder() { return GRASHOF_SOURCE_DIR; }

/// Deterministic random numbers.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double lower = -1.0, double upper = 1.0) {
    return std::uniform_real_distribution<double>(lower, upper)(engine_);
  }
  Vec3 vector(double size = 1.0) { return size * Vec3(uniform(), uniform(), uniform()); }
  Vec6 twist(double size = 1.0) {
    Vec6 u;
    for (int i = 0; i < 6; ++i) u[i] = uniform(-size, size);
    return u;
  }
  Quat rotation() {
    Quat q(uniform(), uniform(), uniform(), uniform());
    return q.normalized();
  }
  Pose pose(double size = 1.0) { return {vector(size), rotation()}; }

 private:
  std::mt19937 engine_;
};

/// A box-shaped body with full edges `size` (m).
inline Body boxBody(const std::string& name, double mass, const Vec3& size, const Pose& pose) {
  Body body;
  body.name = name;
  body.mass = mass;
  const Vec3 s2 = size.cwiseProduct(size);
  body.inertia = Vec3(mass / 12.0 * Vec3(s2.y() + s2.z(), s2.x() + s2.z(), s2.x() + s2.y())).asDiagonal();
  body.initialPose = pose;
  return body;
}

/// A joint whose frame stands at `frame` in the world, at the initial poses of the bodies.
inline Joint jointAt(const Model& model, const std::string& name, const JointType& type, int base,
                     int follower, const Pose& frame) {
  Joint joint;
  joint.name = name;
  joint.type = &type;
  joint.base = base;
  joint.follower = follower;
  joint.baseFrame = base >= 0 ? model.bodies[base].initialPose.inverse() * frame : frame;
  joint.followerFrame = model.bodies[follower].initialPose.inverse() * frame;
  joint.axes.resize(type.freedoms());
  return joint;
}

/// Joint frame at `point` whose x axis is `axis`.
inline Pose frameAt(const Vec3& point, const Vec3& axis) {
  return {point, Quat::FromTwoVectors(Vec3::UnitX(), axis)};
}

inline Shape planeShape() {
  Shape shape;
  shape.name = "ground";
  shape.type = ShapeType::Plane;
  return shape;
}

inline Shape boxShape(int body, const Vec3& size) {
  Shape shape;
  shape.name = "box";
  shape.type = ShapeType::Box;
  shape.body = body;
  shape.size = size;
  return shape;
}

inline Shape sphereShape(int body, double radius) {
  Shape shape;
  shape.name = "sphere";
  shape.type = ShapeType::Sphere;
  shape.body = body;
  shape.radius = radius;
  return shape;
}

/// One material pair for everything.
inline void setSurface(Model& model, double friction, double restitution) {
  model.materials = {{"default", 1000.0, {friction, restitution}}};
}

}  // namespace grashof::test
