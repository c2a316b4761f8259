#include <fmt/format.h>

#include "engine/dynamics/simulator.h"
#include "joints/types/types.h"
#include "tools/bench/peers/peer.h"

namespace grashof::bench {
namespace {

Model modelOf(const Scene& scene) {
  Model model;
  model.name = scene.name;
  model.step.timestep = scene.timestep;
  model.step.geometricStiffness = scene.heavyTension;
  model.materials.push_back({"default", 1000.0, {.friction = scene.friction}});
  for (const SceneBody& given : scene.bodies) {
    Body body;
    body.name = fmt::format("body{}", model.bodies.size());
    body.mass = given.mass;
    body.inertia = given.inertia().asDiagonal();
    body.initialPose = given.pose;
    Shape shape;
    shape.body = static_cast<int>(model.bodies.size());
    shape.name = body.name;
    shape.size = 2.0 * given.halfSize;
    shape.collides = given.collides;
    model.bodies.push_back(body);
    model.shapes.push_back(shape);
  }
  if (scene.collides()) {
    Shape plane;
    plane.name = "ground";
    plane.type = ShapeType::Plane;
    model.shapes.push_back(plane);
  }
  for (const SceneJoint& given : scene.joints) {
    Joint joint;
    joint.name = fmt::format("joint{}", model.joints.size());
    joint.type = given.kind == JointKind::Hinge ? &revoluteJoint() : &prismaticJoint();
    joint.base = given.base;
    joint.follower = given.follower;
    joint.coordinates.resize(1);
    joint.coordinates[0].passive.stiffness = given.stiffness;
    // x of the joint frame along its axis
    const Pose frame{given.point, rotationBetween(Vec3::UnitX(), given.axis)};
    joint.baseFrame = given.base < 0 ? frame : model.bodies[given.base].initialPose.inverse() * frame;
    joint.followerFrame = model.bodies[given.follower].initialPose.inverse() * frame;
    model.joints.push_back(joint);
  }
  model.finish();
  return model;
}

class GrashofPeer final : public Peer {
 public:
  explicit GrashofPeer(const Scene& scene) : model_(modelOf(scene)), simulator_(model_) {}
  void step() override { simulator_.step(); }
  void read(std::span<Pose> poses, std::span<Vec6> twists) override {
    std::copy(simulator_.state().poses.begin(), simulator_.state().poses.end(), poses.begin());
    std::copy(simulator_.state().twists.begin(), simulator_.state().twists.end(), twists.begin());
  }

 private:
  Model model_;
  Simulator simulator_;
};

}  // namespace

std::vector<Contender> grashofContenders() {
  return {{"Grashof", "default", [](const Scene& scene) { return std::make_unique<GrashofPeer>(scene); }}};
}

}  // namespace grashof::bench
