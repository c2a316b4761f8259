#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include "tools/bench/peers/peer.h"

namespace grashof::bench {
namespace {

namespace dd = dart::dynamics;

Eigen::Isometry3d toDart(const Pose& pose) {
  Eigen::Isometry3d t = Eigen::Isometry3d::Identity();
  t.linear() = pose.rotation.toRotationMatrix();
  t.translation() = pose.position;
  return t;
}

class DartPeer final : public Peer {
 public:
  explicit DartPeer(const Scene& scene) : world_(dart::simulation::World::create()) {
    world_->setTimeStep(scene.timestep);
    world_->setGravity(Vec3(0, 0, -9.81));
    world_->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    if (scene.collides()) addGround(scene.friction);
    nodes_.assign(scene.bodies.size(), nullptr);
    std::vector<bool> used(scene.joints.size(), false);
    dd::SkeletonPtr tree = dd::Skeleton::create("mechanism");
    for (bool grew = true; grew;) {
      grew = false;
      for (std::size_t j = 0; j < scene.joints.size(); ++j) {
        const SceneJoint& joint = scene.joints[j];
        if (nodes_[joint.follower] || (joint.base >= 0 && !nodes_[joint.base])) continue;
        used[j] = grew = true;
        addJointed(scene, joint, tree);
      }
    }
    for (std::size_t b = 0; b < nodes_.size(); ++b)
      if (!nodes_[b]) addFree(scene, b);
    if (tree->getNumBodyNodes() > 0) world_->addSkeleton(tree);
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
      if (used[j]) continue;
      const SceneJoint& joint = scene.joints[j];
      dart::constraint::ConstraintBasePtr loop;
      if (joint.base < 0)
        loop = std::make_shared<dart::constraint::BallJointConstraint>(nodes_[joint.follower], joint.point);
      else
        loop = std::make_shared<dart::constraint::BallJointConstraint>(nodes_[joint.base],
                                                                       nodes_[joint.follower], joint.point);
      world_->getConstraintSolver()->addConstraint(loop);
    }
  }
  void step() override { world_->step(); }
  void read(std::span<Pose> poses, std::span<Vec6> twists) override {
    for (std::size_t b = 0; b < nodes_.size(); ++b) {
      const Eigen::Isometry3d& t = nodes_[b]->getWorldTransform();
      poses[b] = {t.translation(), Quat(t.linear())};
      twists[b] << nodes_[b]->getCOMLinearVelocity(), nodes_[b]->getAngularVelocity();
    }
  }

 private:
  static dd::BodyNode::Properties propertiesOf(const SceneBody& body, std::size_t number) {
    dd::BodyNode::Properties properties;
    properties.mName = "b" + std::to_string(number);
    const Vec3 moments = body.inertia();
    properties.mInertia = dd::Inertia(body.mass, Vec3::Zero(), Mat3(moments.asDiagonal()));
    return properties;
  }
  void addJointed(const Scene& scene, const SceneJoint& joint, const dd::SkeletonPtr& tree) {
    dd::BodyNode* parent = joint.base < 0 ? nullptr : nodes_[joint.base];
    const Pose frame{joint.point, Quat::Identity()};
    const Eigen::Isometry3d fromParent =
        toDart(joint.base < 0 ? frame : scene.bodies[joint.base].pose.inverse() * frame);
    const Eigen::Isometry3d fromChild = toDart(scene.bodies[joint.follower].pose.inverse() * frame);
    const auto body = propertiesOf(scene.bodies[joint.follower], joint.follower);
    const auto set = [&](auto properties) {
      properties.mName = "j" + std::to_string(joint.follower);
      properties.mT_ParentBodyToJoint = fromParent;
      properties.mT_ChildBodyToJoint = fromChild;
      properties.mAxis = joint.axis;
      properties.mSpringStiffnesses[0] = joint.stiffness;
      return properties;
    };
    if (joint.kind == JointKind::Hinge)
      nodes_[joint.follower] = tree->createJointAndBodyNodePair<dd::RevoluteJoint>(
                                       parent, set(dd::RevoluteJoint::Properties()), body)
                                   .second;
    else
      nodes_[joint.follower] = tree->createJointAndBodyNodePair<dd::PrismaticJoint>(
                                       parent, set(dd::PrismaticJoint::Properties()), body)
                                   .second;
  }
  void addFree(const Scene& scene, std::size_t number) {
    const SceneBody& body = scene.bodies[number];
    const dd::SkeletonPtr skeleton = dd::Skeleton::create("s" + std::to_string(number));
    auto [joint, node] = skeleton->createJointAndBodyNodePair<dd::FreeJoint>(
        nullptr, dd::FreeJoint::Properties(), propertiesOf(body, number));
    joint->setPositions(dd::FreeJoint::convertToPositions(toDart(body.pose)));
    if (body.collides) {
      auto* shape = node->createShapeNodeWith<dd::CollisionAspect, dd::DynamicsAspect>(
          std::make_shared<dd::BoxShape>(2.0 * body.halfSize));
      shape->getDynamicsAspect()->setFrictionCoeff(scene.friction);
    }
    nodes_[number] = node;
    world_->addSkeleton(skeleton);
  }
  void addGround(double friction) {
    const dd::SkeletonPtr ground = dd::Skeleton::create("ground");
    auto [joint, node] = ground->createJointAndBodyNodePair<dd::WeldJoint>();
    Eigen::Isometry3d below = Eigen::Isometry3d::Identity();
    below.translation().z() = -0.5;
    joint->setTransformFromParentBodyNode(below);
    auto* shape = node->createShapeNodeWith<dd::CollisionAspect, dd::DynamicsAspect>(
        std::make_shared<dd::BoxShape>(Vec3(20, 20, 1)));
    shape->getDynamicsAspect()->setFrictionCoeff(friction);
    world_->addSkeleton(ground);
  }

  std::shared_ptr<dart::simulation::World> world_;
  std::vector<dd::BodyNode*> nodes_;  // owned by their skeletons
};

}  // namespace

std::vector<Contender> dartContenders() {
  return {{"DART", "Dantzig", [](const Scene& scene) { return std::make_unique<DartPeer>(scene); }}};
}

}  // namespace grashof::bench
