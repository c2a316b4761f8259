#include <array>

#include <ode/ode.h>

#include "tools/bench/peers/peer.h"

namespace grashof::bench {
namespace {

class OdePeer final : public Peer {
 public:
  /// `iterations` 0: the direct solver.
  OdePeer(const Scene& scene, int iterations) : scene_(scene), iterations_(iterations) {
    static const int once = dInitODE2(0);
    (void)once;
    dAllocateODEDataForThread(dAllocateMaskAll);
    world_ = dWorldCreate();
    dWorldSetGravity(world_, 0, 0, -9.81);
    if (iterations > 0) dWorldSetQuickStepNumIterations(world_, iterations);
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    if (scene.collides()) dCreatePlane(space_, 0, 0, 1, 0);
    for (const SceneBody& given : scene.bodies) {
      dBodyID body = dBodyCreate(world_);
      dMass mass;
      const Vec3 moments = given.inertia();
      dMassSetParameters(&mass, given.mass, 0, 0, 0, moments.x(), moments.y(), moments.z(), 0, 0, 0);
      dBodySetMass(body, &mass);
      const Vec3& p = given.pose.position;
      const Quat& q = given.pose.rotation;
      const dQuaternion rotation = {q.w(), q.x(), q.y(), q.z()};
      dBodySetPosition(body, p.x(), p.y(), p.z());
      dBodySetQuaternion(body, rotation);
      if (given.collides) {
        const Vec3 size = 2.0 * given.halfSize;
        dGeomSetBody(dCreateBox(space_, size.x(), size.y(), size.z()), body);
      }
      bodies_.push_back(body);
    }
    for (const SceneJoint& given : scene.joints) {
      dBodyID base = given.base < 0 ? nullptr : bodies_[given.base];
      const Vec3 &p = given.point, &a = given.axis;
      if (given.kind == JointKind::Hinge) {
        dJointID joint = dJointCreateHinge(world_, nullptr);
        dJointAttach(joint, base, bodies_[given.follower]);
        dJointSetHingeAnchor(joint, p.x(), p.y(), p.z());
        dJointSetHingeAxis(joint, a.x(), a.y(), a.z());
      } else {
        dJointID joint = dJointCreateSlider(world_, nullptr);
        dJointAttach(joint, base, bodies_[given.follower]);
        dJointSetSliderAxis(joint, a.x(), a.y(), a.z());
      }
    }
  }
  ~OdePeer() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  OdePeer(const OdePeer&) = delete;
  OdePeer& operator=(const OdePeer&) = delete;

  void step() override {
    for (const SceneJoint& joint : scene_.joints) {
      if (joint.stiffness == 0.0) continue;
      dBodyID body = bodies_[joint.follower];
      const Vec3 moved =
          Eigen::Map<const Vec3>(dBodyGetPosition(body)) - scene_.bodies[joint.follower].pose.position;
      const Vec3 force = -joint.stiffness * joint.axis.dot(moved) * joint.axis;
      dBodyAddForce(body, force.x(), force.y(), force.z());
    }
    if (scene_.collides()) {
      dJointGroupEmpty(contacts_);
      dSpaceCollide(space_, this,
                    [](void* self, dGeomID a, dGeomID b) { static_cast<OdePeer*>(self)->touch(a, b); });
    }
    if (iterations_ > 0)
      dWorldQuickStep(world_, scene_.timestep);
    else
      dWorldStep(world_, scene_.timestep);
  }
  void read(std::span<Pose> poses, std::span<Vec6> twists) override {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      poses[b].position = Eigen::Map<const Vec3>(dBodyGetPosition(bodies_[b]));
      const dReal* q = dBodyGetQuaternion(bodies_[b]);
      poses[b].rotation = Quat(q[0], q[1], q[2], q[3]);
      twists[b] << Eigen::Map<const Vec3>(dBodyGetLinearVel(bodies_[b])),
          Eigen::Map<const Vec3>(dBodyGetAngularVel(bodies_[b]));
    }
  }

 private:
  void touch(dGeomID a, dGeomID b) {
    std::array<dContact, 8> points{};
    const int found = dCollide(a, b, static_cast<int>(points.size()), &points[0].geom, sizeof(dContact));
    for (int i = 0; i < found; ++i) {
      points[i].surface.mode = dContactApprox1;
      points[i].surface.mu = scene_.friction;
      dJointAttach(dJointCreateContact(world_, contacts_, &points[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  const Scene& scene_;
  int iterations_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
};

}  // namespace

std::vector<Contender> odeContenders() {
  const auto make = [](int iterations) {
    return [iterations](const Scene& scene) { return std::make_unique<OdePeer>(scene, iterations); };
  };
  return {{"ODE", "direct", make(0)}, {"ODE", "quick, 20", make(20)}, {"ODE", "quick, 200", make(200)}};
}

}  // namespace grashof::bench
