#include "engine/dynamics/clearance_contacts.h"

#include "engine/dynamics/joint_kinematics.h"

namespace grashof {
namespace {

constexpr double kMiddle = 0.1;  // of the clearance: nearer to the middle the motion tells the direction

/// Velocity (m/s) of the follower's point against the point of the base that is there.
Vec3 slipVelocity(const Joint& joint, const JointFrames& frames, std::span<const Vec6> twists) {
  const auto at = [&](int body, const Vec3& center) -> Vec3 {
    if (body < 0) return Vec3::Zero();
    const Vec3 spin = twists[body].tail<3>();
    return twists[body].head<3>() + spin.cross(frames.followerPoint - center);
  };
  return at(joint.follower, frames.followerCenter) - at(joint.base, frames.baseCenter);
}

Contact clearanceContact(const Joint& joint, std::span<const Pose> poses, std::span<const Vec6> twists,
                         double timestep) {
  const JointFrames frames = framesAt(joint, poses);
  Mat3 free = Mat3::Zero();  // onto the free translations
  Vec3 some = Vec3::Zero();
  for (const Direction d : joint.type->freeDirections()) {
    if (isRotation(d)) continue;
    some = frames.baseAxes.col(axisOf(d));
    free += some * some.transpose();
  }
  const Vec3 displacement = free * (frames.followerPoint - frames.basePoint);
  const double size = displacement.norm();
  Vec3 outward = displacement;
  if (size < kMiddle * joint.clearance.radial)
    outward += timestep * (free * slipVelocity(joint, frames, twists));
  outward = outward.norm() > 1e-12 * joint.clearance.radial ? Vec3(outward.normalized()) : some;

  Contact contact;
  contact.shapeA = -1;
  contact.bodyA = joint.base;
  contact.bodyB = joint.follower;
  contact.gap = joint.clearance.radial - displacement.dot(outward);
  contact.point = frames.followerPoint + joint.clearance.journalRadius * outward;
  contact.frame = frameFromNormal(-outward);
  contact.friction = joint.clearance.friction;
  contact.restitution = joint.clearance.restitution;
  contact.softness = joint.clearance.softness;
  return contact;
}

}  // namespace

int addClearanceContacts(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                         double timestep, std::vector<Contact>& contacts) {
  int count = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (!model.joints[j].clearance.any()) continue;
    Contact contact = clearanceContact(model.joints[j], poses, twists, timestep);
    contact.shapeB = static_cast<int>(j);
    contacts.insert(contacts.begin() + count, contact);
    ++count;
  }
  return count;
}

}  // namespace grashof
