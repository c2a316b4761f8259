#include <algorithm>

#include <fmt/format.h>

#include "engine/dynamics/simulator.h"
#include "engine/model/model_builder.h"
#include "tools/bench/peers/peer.h"

namespace grashof::bench {
namespace {

std::shared_ptr<const Model> modelOf(const Scene& scene) {
  ModelBuilder b(scene.name);
  b.options().timestep = scene.timestep;
  b.options().geometricStiffness = scene.heavyTension;
  b.material(kDefaultMaterial).surface.friction = scene.friction;
  for (const SceneBody& given : scene.bodies) {
    const BodyId body = b.addBody({.name = fmt::format("body{}", b.numBodies()), .pose = given.pose});
    Shape box = boxShape(2.0 * given.halfSize);
    box.collides = given.collides;
    b.addShape(body, box, {.mass = given.mass});
  }
  if (scene.collides()) b.addShape(kWorldBody, planeShape());
  for (const SceneJoint& given : scene.joints) {
    const JointId joint = b.addJoint({.name = fmt::format("joint{}", b.numJoints()),
                                      .type = given.kind == JointKind::Hinge ? "revolute" : "prismatic",
                                      .base = {given.base},
                                      .follower = {given.follower},
                                      .frame = FrameDef{.position = given.point, .axis = given.axis}});
    b.addDynamics(joint, {.stiffness = given.stiffness});
  }
  return b.build();
}

class GrashofPeer final : public Peer {
 public:
  explicit GrashofPeer(const Scene& scene) : simulator_(modelOf(scene)) {}
  void step() override {
    const StepReport& report = simulator_.step();
    if (report.status == SolveStatus::Solved) return;
    ++unsolved_.steps;
    unsolved_.worst = std::max(unsolved_.worst, report.solverResidual);
  }
  Unsolved unsolved() const override { return unsolved_; }
  void read(std::span<Pose> poses, std::span<Vec6> twists) override {
    std::copy(simulator_.state().poses.begin(), simulator_.state().poses.end(), poses.begin());
    std::copy(simulator_.state().twists.begin(), simulator_.state().twists.end(), twists.begin());
  }

 private:
  Simulator simulator_;
  Unsolved unsolved_;
};

}  // namespace

std::vector<Contender> grashofContenders() {
  return {{"Grashof", "default", [](const Scene& scene) { return std::make_unique<GrashofPeer>(scene); }}};
}

}  // namespace grashof::bench
