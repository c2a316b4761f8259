#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "engine/scenario/reader.h"
#include "engine/scenario/series.h"

namespace grashof::xml {
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

/// `axis` and `axis2` of an element, else its quaternion or rpy.
Quat readFrameRotation(Element& e, const JointType& type) {
  const bool axial = e.has("axis");
  const Vec3 axis = e.vector("axis", Vec3::UnitX());
  std::optional<Vec3> second;
  if (e.has("axis2")) second = e.vector("axis2", Vec3::UnitY());
  const bool turned = e.has("quaternion") || e.has("rpy");
  Quat q = e.rotation();
  if (axial && turned) e.error("both an axis and a rotation are given (keep one)");
  if (second && !axial) e.error("axis2 without axis (give axis too)");
  if (!axial) return q;
  if (!(axis.norm() > 1e-9)) {
    e.error("axis has no length (give a direction)");
    return q;
  }
  if (second && !(axis.cross(*second).norm() > 1e-9 * axis.norm())) {
    e.error("axis2 is parallel to axis (give a direction across it)");
    return q;
  }
  return frameFromAxes(axis, second, onPlane(type));
}

/// `samples`, or `file` and `column`, and `interpolation` of an element; `form`: of the samples.
void readSamples(Element& e, Signal& s, const char* form) {
  s.interpolation =
      e.choice("interpolation", 1, {"linear", "cubic"}) == 0 ? Interpolation::Linear : Interpolation::Cubic;
  const std::string file = e.text("file"), column = e.text("column");
  const auto samples = e.has("samples") ? parseNumbers(e.text("samples")) : std::nullopt;
  if (e.has("file") == e.has("samples")) {
    e.error(fmt::format("needs either file or samples (samples=\"{}\")", form));
  } else if (e.has("samples")) {
    if (!samples || samples->size() < 2 || samples->size() % 2 != 0) {
      e.error(fmt::format("samples needs pairs of finite numbers (samples=\"{}\")", form));
      return;
    }
    for (std::size_t i = 0; i < samples->size(); i += 2) {
      if (i > 0 && !((*samples)[i] > s.times.back()))
        e.error("the times of samples do not increase (sort them, each time once)");
      s.times.push_back((*samples)[i]);
      s.values.push_back((*samples)[i + 1]);
    }
  } else if (!file.empty()) {
    try {
      readSeries(besideFile(e.file(), file), column, s);
    } catch (const InputError& error) {
      e.error(error.what());
    }
  }
}

}  // namespace

void Reader::readMotion(Element e, const Placement& placement) {
  Signal s;
  s.name = newName(e, placement, "motion");
  if (!e.has("type")) e.error("attribute type is missing (one of: constant, sine, series)");
  s.kind = static_cast<Signal::Kind>(e.choice("type", 0, {"constant", "sine", "series"}));
  if (s.kind == Signal::Kind::Constant) {
    s.offset = e.requiredNumber("value");
  } else if (s.kind == Signal::Kind::Sine) {
    s.amplitude = e.requiredNumber("amplitude");
    s.frequency_Hz = e.requiredNumber("frequency", kNotNegative);
    s.phase_rad = e.number("phase", 0.0);
    s.offset = e.number("offset", 0.0);
    s.ramp = e.number("ramp", 0.0, kNotNegative);
  } else {
    readSamples(e, s, "t0 v0 t1 v1 ...");
  }
  e.finishLeaf();
  model_.signals.push_back(std::move(s));
}

void Reader::readAxis(Element& e, const Placement& placement, Joint& joint) {
  const int d = joint.type->numDofs();
  if (d == 0) {
    e.error(fmt::format("a {} joint has no free direction for this (remove it, or choose another type)",
                        joint.type->name()));
    return;
  }
  const int index = e.integer("coordinate", 0, 0, d - 1);
  JointCoordinate& axis = joint.coordinates[index];
  const std::string tag = e.tag();
  if (tag == "limit") {
    if (axis.limit.bounded()) e.error("this coordinate has a limit already (keep one)");
    axis.limit.lower = e.number("lower", axis.limit.lower);
    axis.limit.upper = e.number("upper", axis.limit.upper);
    if (!axis.limit.bounded()) e.error("has neither lower nor upper (give one)");
    if (axis.limit.lower > axis.limit.upper) e.error("lower is larger than upper (swap them)");
    axis.limit.softness = readSoftness(e);
  } else if (tag == "dynamics") {
    PassiveDynamics& p = axis.passive;
    p.stiffness = e.number("stiffness", 0.0, kNotNegative);
    p.rest = e.number("rest", 0.0);
    p.damping = e.number("damping", 0.0, kNotNegative);
    p.armature = e.number("armature", 0.0, kNotNegative);
    p.dryFriction = e.number("friction", 0.0, kNotNegative);
  } else {
    Actuator& a = axis.actuator;
    if (a.kind != Actuator::Kind::None) e.error("this coordinate has an actuator already (keep one)");
    if (!e.has("type")) e.error("attribute type is missing (one of: effort, position, velocity, motion)");
    a.kind =
        static_cast<Actuator::Kind>(1 + e.choice("type", 0, {"effort", "position", "velocity", "motion"}));
    a.signal = signalIndex(e, placement, true);
    if (a.kind == Actuator::Kind::Position) {
      a.proportionalGain = e.requiredNumber("kp", kPositive);
      a.derivativeGain = e.number("kd", 0.0, kNotNegative);
    } else if (a.kind == Actuator::Kind::Velocity) {
      a.derivativeGain = e.requiredNumber("kd", kPositive);
    }
    if (a.kind != Actuator::Kind::Motion) a.effortLimit = e.number("effort-limit", a.effortLimit, kPositive);
  }
  e.finishLeaf();
}

void Reader::readJoint(Element e, const Placement& placement) {
  Joint joint;
  joint.name = newName(e, placement, "joint");
  const std::string typeName = e.requiredText("type");
  joint.type = findJointType(typeName);
  if (!joint.type && !typeName.empty()) {
    std::vector<std::string> names;
    std::string all;
    for (const JointType* type : jointTypes()) {
      names.emplace_back(type->name());
      all += (all.empty() ? "" : ", ") + names.back();
    }
    const std::string near = closest(typeName, names);
    e.error(fmt::format("unknown joint type '{}' ({}one of: {})", typeName,
                        near.empty() ? "" : "did you mean " + near + "? ", all));
  }
  const int base = e.has("base") ? bodyIndex(e, "base", placement, true) : (e.text("base"), kWorld);
  const int follower = bodyIndex(e, "follower", placement, false);
  if (base == follower && base >= 0) e.error("joins a body to itself (base and follower must differ)");
  if (!joint.type || base < kWorld || follower < 0) return;
  joint.base = base;
  joint.follower = follower;
  joint.coordinates.resize(joint.type->numDofs());

  // A frame in the world, at the initial poses, seen from both bodies...
  const bool worldFrame = e.has("position") || e.has("axis") || e.has("quaternion") || e.has("rpy");
  Pose frame;
  frame.position = e.vector("position", Vec3::Zero());
  frame.rotation = readFrameRotation(e, *joint.type);
  frame = placement.pose * frame;
  const auto inBody = [&](int body, const Pose& world) {
    return body >= 0 ? model_.bodies[body].initialPose.inverse() * world : world;
  };
  joint.baseFrame = inBody(base, frame);
  joint.followerFrame = inBody(follower, frame);
  joint.softness = readSoftness(e);
  const bool rod = joint.type->name() == "distance";
  double length = e.number("length", 0.0, kPositive);
  if (e.has("length") && !rod) e.error("only a distance joint has a length");
  e.finish();

  // ... or one frame in each body.
  bool baseGiven = false, followerGiven = false;
  for (Element& child : e.children()) {
    const std::string tag = child.tag();
    if (tag == "base-frame" || tag == "follower-frame") {
      Pose own;
      own.position = child.vector("position", Vec3::Zero());
      own.rotation = readFrameRotation(child, *joint.type);
      child.finishLeaf();
      const bool isBase = tag == "base-frame";
      bool& given = isBase ? baseGiven : followerGiven;
      if (given) child.error("given twice (keep one)");
      given = true;
      const int body = isBase ? base : follower;
      const Pose local = body >= 0 ? model_.bodies[body].userFrame * own : placement.pose * own;
      (isBase ? joint.baseFrame : joint.followerFrame) = local;
    } else if (tag == "limit" || tag == "dynamics" || tag == "actuator") {
      readAxis(child, placement, joint);
    } else {
      e.unknownChild(child, {"base-frame", "follower-frame", "limit", "dynamics", "actuator"});
    }
  }
  if (worldFrame && (baseGiven || followerGiven))
    e.error(
        "has a frame of its own and base-frame or follower-frame (either one frame in the world, or one in "
        "each "
        "body)");
  if (baseGiven != followerGiven) e.error("needs base-frame and follower-frame, or neither (add the other)");
  if (rod) {
    if (!baseGiven) e.error("a distance joint needs base-frame and follower-frame (the two ends of the rod)");
    if (length == 0.0) {
      const Vec3 a =
          base >= 0 ? model_.bodies[base].initialPose * joint.baseFrame.position : joint.baseFrame.position;
      length = (model_.bodies[follower].initialPose * joint.followerFrame.position - a).norm();
      if (!(length > 1e-9)) e.error("the ends of the rod coincide (give length, or move an end)");
    }
    joint.parameters.length = length;
  }
  model_.joints.push_back(std::move(joint));
}

void Reader::readCoupling(Element e, const Placement& placement) {
  Coupling c;
  c.name = newName(e, placement, "coupling");
  if (!e.has("type")) e.error("attribute type is missing (one of: gear, screw, rack-and-pinion, cam)");
  c.kind = static_cast<CouplingKind>(e.choice("type", 0, {"gear", "screw", "rack-and-pinion", "cam"}));
  const auto axisOf = [&](const char* attribute, int joint) {
    const int d = joint >= 0 ? model_.joints[joint].type->numDofs() : 1;
    if (d == 0) {
      e.error(fmt::format("joint '{}' has no coordinate to couple", model_.joints[joint].name));
      return 0;
    }
    return e.integer(attribute, 0, 0, d - 1);
  };
  const auto isAngle = [&](int joint, int axis) {
    return isRotation(model_.joints[joint].type->freeDirections()[axis]);
  };
  switch (c.kind) {
    case CouplingKind::Gear:
      c.jointA = jointIndex(e, "joint-a", placement);
      c.jointB = jointIndex(e, "joint-b", placement);
      c.coordinateA = axisOf("coordinate-a", c.jointA);
      c.coordinateB = axisOf("coordinate-b", c.jointB);
      c.ratio = e.requiredNumber("ratio");
      break;
    case CouplingKind::Screw: {
      c.jointA = c.jointB = jointIndex(e, "joint", placement);
      const double pitch = e.requiredNumber("pitch");
      c.coordinateA = 0;
      c.coordinateB = 1;
      c.ratio = pitch / (2.0 * std::numbers::pi);
      if (c.jointA >= 0 && model_.joints[c.jointA].type->name() != "cylindrical")
        e.error("a screw couples the two coordinates of a cylindrical joint (change the type of that joint)");
      break;
    }
    case CouplingKind::RackAndPinion:
      c.jointA = jointIndex(e, "rack", placement);
      c.jointB = jointIndex(e, "pinion", placement);
      c.coordinateA = axisOf("rack-coordinate", c.jointA);
      c.coordinateB = axisOf("pinion-coordinate", c.jointB);
      c.ratio = e.requiredNumber("radius");
      if (c.jointA >= 0 && c.jointB >= 0 &&
          (isAngle(c.jointA, c.coordinateA) || !isAngle(c.jointB, c.coordinateB)))
        e.error(
            "the rack must be a translation and the pinion a rotation (swap them, or choose other "
            "coordinates)");
      break;
    case CouplingKind::Cam:
      c.jointA = jointIndex(e, "follower", placement);
      c.jointB = jointIndex(e, "cam", placement);
      c.coordinateA = axisOf("follower-coordinate", c.jointA);
      c.coordinateB = axisOf("cam-coordinate", c.jointB);
      c.profile.kind = Signal::Kind::Series;
      readSamples(e, c.profile, "angle0 lift0 angle1 lift1 ...");
      if (c.profile.times.size() < 3 && c.jointA >= 0 && c.jointB >= 0)
        e.error("a cam needs at least three samples of its profile");
      else if (!c.profile.values.empty() && c.profile.values.front() == c.profile.values.back())
        c.closeProfile();
      break;
  }
  c.offset = e.number("offset", 0.0);
  e.finishLeaf();
  if (c.jointA < 0 || c.jointB < 0) return;
  if (c.jointA == c.jointB && c.coordinateA == c.coordinateB)
    e.error("couples a coordinate to itself (choose another joint or coordinate)");
  model_.couplings.push_back(std::move(c));
}

}  // namespace grashof::xml
