#include "engine/dynamics/rows/clearance_contacts.h"

#include <array>
#include <numbers>

#include "engine/dynamics/kinematics/joint_kinematics.h"

namespace grashof {
namespace {

constexpr double kMiddle = 0.1;  // of the clearance: nearer to the middle the motion tells the direction

/// Velocity (m/s) of the follower's point against the point of the base that is there.
Vec3 slipVelocity(const Joint& joint, const JointFrames& frames, std::span<const Vec6> twists) {
  const auto at = [&](int body, const Vec3& center) -> Vec3 {
    return body < 0 ? Vec3(Vec3::Zero()) : pointVelocity(twists[body], frames.followerPoint - center);
  };
  return at(joint.follower, frames.followerCenter) - at(joint.base, frames.baseCenter);
}

/// Two directions across `normal` that turn with `axes`, so that the axes of the world do not matter.
std::array<Vec3, 2> across(const Vec3& normal, const Mat3& axes) {
  Eigen::Index least = 0;
  (axes.transpose() * normal).cwiseAbs().minCoeff(&least);
  const Vec3 first = (axes.col(least) - axes.col(least).dot(normal) * normal).normalized();
  return {first, normal.cross(first)};
}

constexpr int kOctagon = 8, kCube = 6;

/// Places the contacts of a joint at `contacts`.
void placeContacts(const Joint& joint, std::span<const Pose> poses, std::span<const Vec6> twists,
                   double timestep, std::span<Contact> contacts) {
  const JointFrames frames = framesAt(joint, poses);
  Mat3 free = Mat3::Zero();  // onto the free translations
  Vec3 some = Vec3::Zero();
  for (const Direction d : joint.type->freeDirections()) {
    if (isRotation(d)) continue;
    some = frames.baseAxes.col(axisOf(d));
    free += some * some.transpose();
  }
  const Vec3 displacement = free * (frames.followerPoint - frames.basePoint);
  Vec3 first = displacement;
  if (displacement.norm() < kMiddle * joint.clearance.radial)
    first += timestep * (free * slipVelocity(joint, frames, twists));
  first = first.norm() > 1e-12 * joint.clearance.radial ? Vec3(first.normalized()) : some;

  const std::array<Vec3, 2> sides = across(first, frames.baseAxes);
  const Vec3 normal = (Mat3::Identity() - free) * Vec3(frames.baseAxes.rowwise().sum());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    Vec3 outward = first;
    if (contacts.size() == kOctagon)
      outward =
          Eigen::AngleAxisd(2.0 * std::numbers::pi / kOctagon * static_cast<double>(k), normal.normalized()) *
          first;
    else if (k > 0)
      outward = k == 1 ? Vec3(-first) : Vec3((k % 2 == 0 ? 1.0 : -1.0) * sides[k < 4 ? 0 : 1]);
    Contact& contact = contacts[k];
    contact = {};
    contact.shapeA = -1;
    contact.bodyA = joint.base;
    contact.bodyB = joint.follower;
    contact.gap = joint.clearance.radial - displacement.dot(outward);
    contact.point = frames.followerPoint + joint.clearance.journalRadius * outward;
    contact.frame = frameFromNormal(-outward);
    contact.friction = joint.clearance.friction;
    contact.restitution = joint.clearance.restitution;
    contact.softness = joint.clearance.softness;
  }
}

}  // namespace

int clearanceContactCount(const Joint& joint) {
  if (!joint.clearance.any()) return 0;
  return freeTranslations(*joint.type) == 2 ? kOctagon : kCube;
}

void addClearanceContacts(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                          double timestep, std::vector<Contact>& contacts) {
  int count = 0;
  for (const Joint& joint : model.joints) count += clearanceContactCount(joint);
  if (count == 0) return;
  contacts.insert(contacts.begin(), static_cast<std::size_t>(count), Contact{});
  std::size_t next = 0;
  for (const Joint& joint : model.joints) {
    const auto own =
        std::span(contacts).subspan(next, static_cast<std::size_t>(clearanceContactCount(joint)));
    if (own.empty()) continue;
    placeContacts(joint, poses, twists, timestep, own);
    next += own.size();
  }
  // Sides are told from each other by their numbers: their points may be one.
  for (int k = 0; k < count; ++k) contacts[k].shapeB = k;
}

}  // namespace grashof
