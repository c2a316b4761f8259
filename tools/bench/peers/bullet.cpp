#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include "tools/bench/peers/peer.h"

namespace grashof::bench {
namespace {

btVector3 toBullet(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
btTransform toBullet(const Pose& pose) {
  const Quat& q = pose.rotation;
  return btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), toBullet(pose.position));
}
Vec3 fromBullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

class BulletPeer final : public Peer {
 public:
  /// `iterations` 0: Dantzig's direct solver.
  BulletPeer(const Scene& scene, int iterations) : scene_(scene), dispatcher_(&configuration_) {
    if (iterations > 0)
      solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
    else
      solver_ = std::make_unique<btMLCPSolver>(&dantzig_);
    world_ =
        std::make_unique<btDiscreteDynamicsWorld>(&dispatcher_, &broadphase_, solver_.get(), &configuration_);
    world_->setGravity(btVector3(0, 0, -9.81));
    if (iterations > 0) world_->getSolverInfo().m_numIterations = iterations;
    addBody(0.0, std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0.0), btTransform::getIdentity(),
            Vec3::Zero(), scene.collides());
    for (const SceneBody& given : scene.bodies)
      addBody(given.mass, std::make_unique<btBoxShape>(toBullet(given.halfSize)), toBullet(given.pose),
              given.inertia(), given.collides);
    for (const SceneJoint& given : scene.joints) {
      btRigidBody& base = *bodies_[given.base + 1];
      btRigidBody& follower = *bodies_[given.follower + 1];
      const btTransform frame = toBullet(
          Pose{given.point,
               rotationBetween(given.kind == JointKind::Hinge ? Vec3::UnitZ() : Vec3::UnitX(), given.axis)});
      const btTransform inBase = base.getWorldTransform().inverse() * frame;
      const btTransform inFollower = follower.getWorldTransform().inverse() * frame;
      if (given.kind == JointKind::Hinge) {
        joints_.push_back(std::make_unique<btHingeConstraint>(base, follower, inBase, inFollower));
      } else {
        auto slider = std::make_unique<btSliderConstraint>(base, follower, inBase, inFollower, true);
        slider->setLowerLinLimit(1.0);  // lower above upper: free
        slider->setUpperLinLimit(-1.0);
        slider->setLowerAngLimit(0.0);
        slider->setUpperAngLimit(0.0);
        joints_.push_back(std::move(slider));
      }
      world_->addConstraint(joints_.back().get(), true);
    }
  }
  ~BulletPeer() override {
    for (const auto& joint : joints_) world_->removeConstraint(joint.get());
    for (const auto& body : bodies_) world_->removeRigidBody(body.get());
  }
  BulletPeer(const BulletPeer&) = delete;
  BulletPeer& operator=(const BulletPeer&) = delete;

  void step() override {
    for (const SceneJoint& joint : scene_.joints) {
      if (joint.stiffness == 0.0) continue;
      btRigidBody& body = *bodies_[joint.follower + 1];
      const Vec3 moved =
          fromBullet(body.getCenterOfMassPosition()) - scene_.bodies[joint.follower].pose.position;
      body.applyCentralForce(toBullet(-joint.stiffness * joint.axis.dot(moved) * joint.axis));
    }
    world_->stepSimulation(scene_.timestep, 0);
  }
  void read(std::span<Pose> poses, std::span<Vec6> twists) override {
    for (std::size_t b = 0; b < poses.size(); ++b) {
      const btRigidBody& body = *bodies_[b + 1];
      poses[b].position = fromBullet(body.getCenterOfMassPosition());
      const btQuaternion q = body.getOrientation();
      poses[b].rotation = Quat(q.w(), q.x(), q.y(), q.z());
      twists[b] << fromBullet(body.getLinearVelocity()), fromBullet(body.getAngularVelocity());
    }
  }

 private:
  void addBody(double mass, std::unique_ptr<btCollisionShape> shape, const btTransform& at,
               const Vec3& inertia, bool collides) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape.get(), toBullet(inertia));
    info.m_startWorldTransform = at;
    info.m_friction = std::sqrt(scene_.friction);  // Bullet multiplies those of a pair
    shapes_.push_back(std::move(shape));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_->addRigidBody(bodies_.back().get(), 1, collides ? 1 : 0);
  }

  const Scene& scene_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btDantzigSolver dantzig_;
  std::unique_ptr<btConstraintSolver> solver_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;  // the world first
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

}  // namespace

std::vector<Contender> bulletContenders() {
  const auto make = [](int iterations) {
    return [iterations](const Scene& scene) { return std::make_unique<BulletPeer>(scene, iterations); };
  };
  return {{"Bullet", "10 iterations", make(10)},
          {"Bullet", "500 iterations", make(500)},
          {"Bullet", "Dantzig", make(0)}};
}

}  // namespace grashof::bench
