// Joints, what acts along their coordinates, couplings and the motions they refer to.
#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "engine/scenario/reader.h"
#include "engine/scenario/series.h"
#include "engine/scenario/unit_remarks.h"

namespace grashof::xml {
namespace {

/// Samples and `interpolation` of an element; `form`: of the samples.
void readSamples(Element& e, Signal& s, const char* form) {
  constexpr Interpolation kKinds[] = {Interpolation::Linear, Interpolation::Cubic, Interpolation::Smooth};
  s.interpolation = kKinds[e.choice("interpolation", 1, {"linear", "cubic", "smooth"})];
  readSamplePairs(e, s, form);
}

/// Whether the axes of its frame matter to what a joint of this type allows.
bool dependsOnAxes(const JointType& type) {
  if (type.name() == "distance") return false;
  int translations = 0, rotations = 0;
  for (const Direction d : type.constrainedDirections()) ++(isRotation(d) ? rotations : translations);
  return translations % 3 != 0 || rotations % 3 != 0;
}

/// Whether a joint has no axis anywhere, but needs one.
bool lacksAxis(const JointDef& def) {
  const auto turned = [](const std::optional<FrameDef>& frame) {
    return frame && (frame->axis || frame->axis2 || frame->rotation);
  };
  const JointType* type = findJointType(def.type);
  return type && dependsOnAxes(*type) && !turned(def.frame) && !def.baseFrame && !def.followerFrame;
}

}  // namespace

void readSamplePairs(Element& e, Signal& s, const char* form) {
  const std::string file = e.text("file"), column = e.text("column");
  const std::size_t errorsBefore = e.defects();
  const std::vector<double> samples = e.numbers("samples", {});
  if (e.has("file") == e.has("samples")) {
    e.error(fmt::format("needs either file or samples (samples=\"{}\")", form));
  } else if (e.has("samples")) {
    if (e.defects() > errorsBefore) return;
    if (samples.size() < 2 || samples.size() % 2 != 0) {
      e.error(fmt::format("samples needs pairs of finite numbers (samples=\"{}\")", form));
      return;
    }
    for (std::size_t i = 0; i < samples.size(); i += 2) {
      s.times.push_back(samples[i]);
      s.values.push_back(samples[i + 1]);
    }
  } else if (!file.empty()) {
    try {
      readSeries(e.filePath(file), column, s);
    } catch (const InputError& error) {
      e.error(error.what());
    }
  }
}

void Reader::readMotion(Element e, const Placement& placement) {
  const std::size_t errorsBefore = found_.size();
  Signal s;
  s.name = newName(e, placement);
  if (!e.has("type")) e.error("attribute type is missing (one of: constant, sine, series)");
  s.kind = static_cast<Signal::Kind>(e.choice("type", 0, {"constant", "sine", "series"}));
  if (s.kind == Signal::Kind::Constant) {
    s.offset = e.requiredNumber("value");
  } else if (s.kind == Signal::Kind::Sine) {
    s.amplitude = e.requiredNumber("amplitude");
    s.frequency_Hz = e.requiredNumber("frequency");
    s.phase_rad = e.number("phase", 0.0);
    s.offset = e.number("offset", 0.0);
    s.ramp = e.number("ramp", 0.0);
  } else {
    readSamples(e, s, "t0 v0 t1 v1 ...");
  }
  const std::string unit = e.text("unit");
  if (const auto parsed = unit.empty() ? std::nullopt : parseUnit(unit)) {
    for (double* x : {&s.offset, &s.amplitude}) *x = parsed->si(*x);
    for (double& x : s.values) x = parsed->si(x);
  } else if (!unit.empty()) {
    e.error(fmt::format("unit=\"{}\" is unknown (as in deg, mm/s, N m)", unit));
  }
  e.finishLeaf();
  // What could not be read is not reported once more as missing.
  if (found_.size() > errorsBefore) s.kind = Signal::Kind::Constant;
  builder_.addSignal(std::move(s), e.where());
}

FrameDef Reader::readFrame(Element& e) {
  FrameDef frame;
  frame.where = e.where();
  frame.position = e.vector("position", Vec3::Zero());
  const Vec3 axis = e.vector("axis", Vec3::UnitX()), axis2 = e.vector("axis2", Vec3::UnitY());
  if (e.has("axis")) frame.axis = axis;
  if (e.has("axis2")) frame.axis2 = axis2;
  const bool turned = e.has("quaternion") || e.has("rpy");
  const Quat rotation = e.rotation();
  if (turned) frame.rotation = rotation;
  return frame;
}

bool Reader::isAngle(JointId joint, int coordinate) const {
  const auto at = static_cast<std::size_t>(joint.value);
  const JointType* const type = joint.value >= 0 && at < jointTypes_.size() ? jointTypes_[at] : nullptr;
  return type && coordinate >= 0 && coordinate < type->numDofs() &&
         isRotation(type->freeDirections()[static_cast<std::size_t>(coordinate)]);
}

void Reader::readLimit(Element& e, JointId joint) {
  Limit limit;
  const int coordinate = e.integer("coordinate", 0);
  e.alongAngle(isAngle(joint, coordinate));
  limit.lower = e.number("lower", limit.lower);
  limit.upper = e.number("upper", limit.upper);
  limit.softness = readSoftness(e);
  builder_.addLimit(joint, limit, coordinate, e.where());
}

void Reader::readDynamics(Element& e, JointId joint) {
  PassiveDynamics p;
  const int coordinate = e.integer("coordinate", 0);
  e.alongAngle(isAngle(joint, coordinate));
  p.stiffness = e.number("stiffness", 0.0);
  p.rest = e.number("rest", 0.0);
  p.damping = e.number("damping", 0.0);
  p.armature = e.number("armature", 0.0);
  p.dryFriction = e.number("friction", 0.0);
  p.bearing.coefficient = e.number("friction-coefficient", 0.0);
  p.bearing.radius = e.number("journal-radius", 0.0);
  p.bearing.thrustRadius = e.number("thrust-radius", 0.0);
  p.bearing.length = e.number("bearing-length", 0.0);
  p.staticRatio = e.number("static-ratio", p.staticRatio);
  p.stribeckSpeed = e.number("stribeck-speed", p.stribeckSpeed);
  builder_.addDynamics(joint, p, coordinate, e.where());
}

void Reader::readActuator(Element& e, const Placement& placement, JointId joint) {
  Actuator a;
  const int coordinate = e.integer("coordinate", 0);
  e.alongAngle(isAngle(joint, coordinate));
  if (!e.has("type")) e.error("attribute type is missing (one of: effort, position, velocity, motion)");
  a.kind = static_cast<Actuator::Kind>(1 + e.choice("type", 0, {"effort", "position", "velocity", "motion"}));
  const SignalId reference = signalId(e, placement);
  if (a.kind == Actuator::Kind::Position) {
    a.proportionalGain = e.requiredNumber("kp");
    a.derivativeGain = e.number("kd", 0.0);
  } else if (a.kind == Actuator::Kind::Velocity) {
    a.derivativeGain = e.requiredNumber("kd");
  }
  if (e.has("motor")) a.motor = motorId(e, placement).value;
  if (a.kind != Actuator::Kind::Motion) a.effortLimit = e.number("effort-limit", a.effortLimit);
  builder_.addActuator(joint, a, reference, coordinate, e.where());
}

Clearance Reader::readClearance(Element& e) {
  Clearance c;
  c.radial = e.requiredNumber("radial", kPositive);
  c.journalRadius = e.number("journal-radius", 0.0);
  c.friction = e.number("friction", 0.0);
  c.restitution = e.number("restitution", 0.0);
  c.softness = readSoftness(e);
  e.finishLeaf();
  return c;
}

void Reader::readMotor(Element e, const Placement& placement) {
  Motor m;
  m.name = newName(e, placement);
  m.gearRatio = e.number("gear-ratio", m.gearRatio);
  m.efficiency = e.number("efficiency", m.efficiency);
  m.backEfficiency = e.number("back-efficiency", m.backEfficiency);
  m.rotorInertia = e.number("rotor-inertia", m.rotorInertia);
  m.stallTorque = e.number("stall-torque", m.stallTorque);
  m.noLoadSpeed = e.number("no-load-speed", m.noLoadSpeed);
  m.torqueLimit = e.number("torque-limit", m.torqueLimit);
  m.speedLimit = e.number("speed-limit", m.speedLimit);
  m.rmsTorque = e.number("rms-torque", m.rmsTorque);
  // 0 stands for a value that is not known: not to be written.
  m.torqueConstant = e.number("torque-constant", m.torqueConstant, kPositive);
  m.resistance = e.number("resistance", m.resistance, kPositive);
  m.voltage = e.number("voltage", m.voltage, kPositive);
  if (const std::string odd = motorRemark(m.torqueConstant, m.voltage, e.context()->converts); !odd.empty())
    e.remark(odd);
  e.finishLeaf();
  builder_.addMotor(std::move(m), e.where());
}

void Reader::readJoint(Element e, const Placement& placement) {
  JointDef def;
  def.where = e.where();
  def.name = newName(e, placement);
  def.type = e.has("type") ? e.text("type") : "";
  def.base = e.has("base") ? bodyId(e, "base", placement, true) : (e.text("base"), kWorldBody);
  def.follower = bodyId(e, "follower", placement, false);
  def.placement = placement.pose;
  const bool worldFrame =
      e.has("position") || e.has("axis") || e.has("axis2") || e.has("quaternion") || e.has("rpy");
  const FrameDef frame = readFrame(e);
  if (worldFrame) def.frame = frame;
  def.softness = readSoftness(e);
  const double length = e.number("length", 1.0);
  if (e.has("length")) def.length = length;
  e.finish();

  std::vector<Element> acting;
  for (Element& child : e.children()) {
    const std::string tag = child.tag();
    if (tag == "base-frame" || tag == "follower-frame") {
      std::optional<FrameDef>& own = tag == "base-frame" ? def.baseFrame : def.followerFrame;
      if (own) child.error("given twice (keep one)");
      own = readFrame(child);
      child.finishLeaf();
    } else if (tag == "clearance") {
      if (def.clearance.any()) child.error("given twice (keep one)");
      def.clearance = readClearance(child);
    } else if (tag == "limit" || tag == "dynamics" || tag == "actuator") {
      acting.push_back(child);
    } else {
      e.unknownChild(child, {"base-frame", "follower-frame", "clearance", "limit", "dynamics", "actuator"});
    }
  }
  if (lacksAxis(def))
    scenario_.remarks.push_back(fmt::format(
        "{}:{}: joint '{}' ({}) has no axis, so that its axes are those of the world (axis=\"1 0 0\" "
        "if that is meant)",
        def.where.file, def.where.line, def.name, def.type));
  const JointType* const type = findJointType(def.type);
  const JointId joint = builder_.addJoint(std::move(def));
  if (joint.value >= 0) {
    jointTypes_.resize(std::max(jointTypes_.size(), static_cast<std::size_t>(joint.value) + 1));
    jointTypes_[static_cast<std::size_t>(joint.value)] = type;
  }
  for (Element& child : acting) {
    if (child.tag() == "limit")
      readLimit(child, joint);
    else if (child.tag() == "dynamics")
      readDynamics(child, joint);
    else
      readActuator(child, placement, joint);
    child.finishLeaf();
  }
}

std::vector<CoordinateTermDef> Reader::readTerms(Element& e, const Placement& placement) {
  e.finish();
  std::vector<CoordinateTermDef> terms;
  for (Element& child : e.children()) {
    if (child.tag() != "term") {
      e.unknownChild(child, {"term"});
      continue;
    }
    CoordinateTermDef term;
    term.where = child.where();
    term.joint = jointId(child, "joint", placement);
    term.coordinate = child.integer("coordinate", 0);
    term.coefficient = child.requiredNumber("coefficient");
    child.finishLeaf();
    terms.push_back(term);
  }
  return terms;
}

Mesh Reader::readTeeth(Element& e, bool belts) {
  Mesh mesh;
  mesh.pressureAngle = e.number("pressure-angle", 0.0);
  mesh.helixAngle = e.number("helix-angle", 0.0);
  if (e.has("pressure-angle")) mesh.kind = Mesh::Kind::Teeth;
  if (e.has("helix-angle") && !e.has("pressure-angle"))
    e.error("helix-angle without pressure-angle (give it)");
  if (!belts) return mesh;
  mesh.radius = e.number("belt-radius", 0.0);
  mesh.slack = e.number("slack-tension", 0.0);
  if (e.has("belt-radius") && e.has("pressure-angle"))
    e.error("has pressure-angle and belt-radius (keep one: teeth or a belt)");
  if (e.has("belt-radius")) mesh.kind = Mesh::Kind::Belt;
  if (e.has("slack-tension") && !e.has("belt-radius")) e.error("slack-tension without belt-radius (give it)");
  return mesh;
}

void Reader::readCoupling(Element e, const Placement& placement) {
  CouplingDef c;
  c.where = e.where();
  c.name = newName(e, placement);
  if (!e.has("type"))
    e.error("attribute type is missing (one of: gear, screw, rack-and-pinion, cam, linear)");
  c.kind =
      static_cast<CouplingKind>(e.choice("type", 0, {"gear", "screw", "rack-and-pinion", "cam", "linear"}));
  const auto readSides = [&](const char* jointA, const char* coordinateA, const char* jointB,
                             const char* coordinateB) {
    c.jointA = jointId(e, jointA, placement);
    c.jointB = jointId(e, jointB, placement);
    c.coordinateA = e.integer(coordinateA, 0);
    c.coordinateB = e.integer(coordinateB, 0);
  };
  switch (c.kind) {
    case CouplingKind::Gear:
      readSides("joint-a", "coordinate-a", "joint-b", "coordinate-b");
      c.ratio = e.requiredNumber("ratio");
      c.mesh = readTeeth(e, true);
      break;
    case CouplingKind::Screw:
      c.jointA = c.jointB = jointId(e, "joint", placement);
      c.coordinateB = 1;
      c.ratio = e.requiredNumber("pitch") / (2.0 * std::numbers::pi);
      break;
    case CouplingKind::RackAndPinion:
      readSides("rack", "rack-coordinate", "pinion", "pinion-coordinate");
      c.ratio = e.requiredNumber("radius");
      c.mesh = readTeeth(e, false);
      break;
    case CouplingKind::Cam:
      readSides("follower", "follower-coordinate", "cam", "cam-coordinate");
      c.profile.kind = Signal::Kind::Series;
      readSamples(e, c.profile, "angle0 lift0 angle1 lift1 ...");
      break;
    case CouplingKind::Linear:
      break;
  }
  c.offset = e.number("offset", 0.0);
  c.backlash = e.number("backlash", 0.0, kNotNegative);
  c.softness = readSoftness(e);
  c.efficiency = e.number("efficiency", 1.0);
  const double back = e.number("back-efficiency", 0.0);
  if (e.has("back-efficiency")) c.backEfficiency = back;
  c.frictionCoefficient = e.number("friction-coefficient", 0.0);
  c.threadRadius = e.number("thread-radius", 0.0);
  if (c.kind == CouplingKind::Linear)
    c.terms = readTerms(e, placement);
  else
    e.finishLeaf();
  builder_.addCoupling(std::move(c));
}

}  // namespace grashof::xml
