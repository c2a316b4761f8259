// The part of ModelBuilder::build() for joints: their frames in the bodies, and what acts along them.
#include <cmath>

#include <fmt/format.h>

#include "engine/model/model_content.h"

namespace grashof {
namespace {

/// The rotation whose x axis (z axis for joints on a plane) is `axis`, and whose second axis is nearest to
/// `second`.
Quat frameFromAxes(const Vec3& axis, const std::optional<Vec3>& second, bool normalIsZ) {
  const Vec3 a = axis.normalized();
  Vec3 b;
  if (second)
    b = *second - second->dot(a) * a;
  else
    b = std::abs(a.z()) < 0.9 ? Vec3(Vec3::UnitZ().cross(a)) : Vec3(Vec3::UnitY() - a.y() * a);
  b.normalize();
  Mat3 r;
  if (normalIsZ)
    r << b, a.cross(b), a;
  else
    r << a, b, a.cross(b);
  return Quat(r).normalized();
}

bool onPlane(const JointType& type) { return type.name() == "planar" || type.name() == "point-on-plane"; }

/// The frame of a definition. Reports what is wrong with it.
Pose placeFrame(const FrameDef& def, bool normalIsZ, Defects& defects) {
  Pose frame;
  const std::size_t before = defects.count();
  defects.vector(def.where, "position", def.position);
  if (def.axis) defects.vector(def.where, "axis", *def.axis);
  if (def.axis2) defects.vector(def.where, "axis2", *def.axis2);
  if (def.rotation) defects.rotation(def.where, *def.rotation);
  if (def.axis && def.rotation) defects.report(def.where, "both an axis and a rotation are given (keep one)");
  if (def.axis2 && !def.axis) defects.report(def.where, "axis2 without axis (give axis too)");
  if (defects.count() > before) return frame;
  frame.position = def.position;
  if (def.rotation) frame.rotation = *def.rotation;
  if (!def.axis) return frame;
  if (!(def.axis->norm() > 1e-9)) {
    defects.report(def.where, "axis has no length (give a direction)");
    return frame;
  }
  if (def.axis2 && !(def.axis->cross(*def.axis2).norm() > 1e-9 * def.axis->norm())) {
    defects.report(def.where, "axis2 is parallel to axis (give a direction across it)");
    return frame;
  }
  frame.rotation = frameFromAxes(*def.axis, def.axis2, normalIsZ);
  return frame;
}

/// The length of a distance joint, whose frames are placed.
void placeRod(const JointDef& def, const Model& model, Joint& joint, Defects& defects) {
  if (!def.baseFrame)
    defects.report(def.where,
                   "a distance joint needs base-frame and follower-frame (the two ends of the rod)");
  double length = def.length.value_or(0.0);
  if (!def.length) {
    const Vec3 a = joint.base >= 0 ? model.bodies[static_cast<std::size_t>(joint.base)].initialPose *
                                         joint.baseFrame.position
                                   : joint.baseFrame.position;
    length =
        (model.bodies[static_cast<std::size_t>(joint.follower)].initialPose * joint.followerFrame.position -
         a)
            .norm();
    if (!(length > 1e-9))
      defects.report(def.where, "the ends of the rod coincide (give length, or move an end)");
  }
  joint.parameters.length = length;
}

void checkClearance(const JointDef& def, const JointType* type, Defects& defects) {
  const Clearance& c = def.clearance;
  if (c.radial == 0.0 || !type) return;
  const Where where{def.where.file, def.where.line, def.where.element + "/clearance"};
  defects.number(where, "radial", c.radial, kPositive);
  defects.number(where, "journal-radius", c.journalRadius, kNotNegative);
  defects.number(where, "friction", c.friction, {0.0, kMostFriction, false});
  defects.number(where, "restitution", c.restitution, kShare);
  checkSoftness(c.softness, where, defects);
  if (c.softness.kind == Softness::Kind::Impedance)
    defects.report(where, "a clearance is rigid or has a compliance (remove impedance and reference)");
  if (c.softness.kind == Softness::Kind::Mixing)
    defects.report(where, "a clearance is rigid or has a compliance (remove erp and cfm)");
  if (freeTranslations(*type) < 2)
    defects.report(
        where, fmt::format("a {} joint leaves no room for play (for a pin make the joint planar, with the "
                           "pin's axis; its coordinates are then two displacements and the angle; for a "
                           "ball make it free)",
                           type->name()));
}

Joint placeJoint(const ModelContent::JointEntry& entry, const Model& model, Defects& defects) {
  const JointDef& def = entry.def;
  Joint joint = entry.joint;
  checkSoftness(def.softness, def.where, defects);
  const std::size_t bodies = model.bodies.size();
  const bool base = checkBody(def.base, true, "base", bodies, def.where, defects);
  const bool follower = checkBody(def.follower, false, "follower", bodies, def.where, defects);
  if (follower && def.base == def.follower)
    defects.report(def.where, "joins a body to itself (base and follower must differ)");
  checkClearance(def, joint.type, defects);
  if (!joint.type || !base || !follower || entry.made) return joint;
  joint.clearance = def.clearance;
  joint.base = def.base.value;
  joint.follower = def.follower.value;
  joint.softness = def.softness;
  const FramesDef frames{def.frame, def.baseFrame, def.followerFrame, def.placement, def.where};
  const FramePair pair =
      placeFrames(frames, model, joint.base, joint.follower, onPlane(*joint.type), defects);
  joint.baseFrame = pair.base;
  joint.followerFrame = pair.follower;
  const bool rod = joint.type->name() == "distance";
  if (def.length) defects.number(def.where, "length", *def.length, kPositive);
  if (def.length && !rod) defects.report(def.where, "only a distance joint has a length (remove it)");
  if (rod) placeRod(def, model, joint, defects);
  return joint;
}

/// Whether a bearing has a load, and a radius where that makes its friction a torque.
void checkBearing(const ModelContent::JointEntry& entry, std::size_t c, Defects& defects) {
  const BearingFriction& bearing = entry.joint.coordinates[c].passive.bearing;
  if (!(bearing.coefficient > 0.0)) return;
  const JointType& type = *entry.joint.type;
  const Where& where = entry.where[c].dynamics;
  const int coordinate = static_cast<int>(c);
  const bool angle = isRotation(type.freeDirections()[c]);
  if (type.numConstraints() == 0 || type.name() == "distance" || (angle && !type.isAngle(coordinate)))
    defects.report(where,
                   fmt::format("friction-coefficient needs a translation or an angle across which the joint "
                               "carries a force; coordinate {} of a {} joint is none (give friction instead)",
                               coordinate, type.name()));
  else if (angle && !(bearing.radius > 0.0 || bearing.thrustRadius > 0.0))
    defects.report(where, "friction-coefficient of an angle needs journal-radius or thrust-radius (m)");
  else if (!angle && (bearing.radius > 0.0 || bearing.thrustRadius > 0.0))
    defects.report(where, "journal-radius and thrust-radius are of angles (remove them)");
}

}  // namespace

FramePair placeFrames(const FramesDef& def, const Model& model, int base, int follower, bool normalIsZ,
                      Defects& defects) {
  const auto body = [&](int index) -> const Body& { return model.bodies[static_cast<std::size_t>(index)]; };
  if (def.frame && (def.baseFrame || def.followerFrame))
    defects.report(def.where,
                   "has a frame of its own and base-frame or follower-frame (either one frame in the world, "
                   "or one in each body)");
  if (def.baseFrame.has_value() != def.followerFrame.has_value())
    defects.report(def.where, "needs base-frame and follower-frame, or neither (add the other)");
  const Pose frame = def.placement * placeFrame(def.frame.value_or(FrameDef{}), normalIsZ, defects);
  const auto inBody = [&](int index) {
    return index >= 0 ? body(index).initialPose.inverse() * frame : frame;
  };
  FramePair pair{inBody(base), inBody(follower)};
  const auto fromUser = [&](int index, const FrameDef& own) {
    const Pose local = placeFrame(own, normalIsZ, defects);
    return index >= 0 ? body(index).userFrame * local : def.placement * local;
  };
  if (def.baseFrame) pair.base = fromUser(base, *def.baseFrame);
  if (def.followerFrame) pair.follower = fromUser(follower, *def.followerFrame);
  return pair;
}

void placeJoints(const ModelContent& content, Model& model, Defects& defects) {
  for (const ModelContent::JointEntry& entry : content.joints) {
    model.joints.push_back(placeJoint(entry, model, defects));
    for (std::size_t c = 0; c < entry.joint.coordinates.size(); ++c) {
      checkCoordinate(entry.joint.coordinates[c], entry.where[c], content.signals.size(),
                      content.motors.size(), defects);
      checkBearing(entry, c, defects);
    }
  }
  const std::vector<double>& hints = content.settings.initialCoordinates;
  for (const double q : hints)
    if (!std::isfinite(q)) return defects.report(Where{}, "an initial coordinate is not finite (mend it)");
}

}  // namespace grashof
