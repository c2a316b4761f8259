// Joints, what acts along their coordinates, couplings and the motions they refer to.
#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "engine/scenario/fields.h"
#include "engine/scenario/reader.h"
#include "engine/scenario/series.h"
#include "engine/scenario/unit_remarks.h"

namespace grashof::xml {
namespace {

/// Samples and `interpolation` of an element; `form`: of the samples.
void readSamples(Element& e, Signal& s, const char* form) {
  s.interpolation = e.choice<Interpolation>("interpolation");
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
  const std::vector<double> samples = e.numbers("samples");
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
  s.kind = e.choice<Signal::Kind>("type");
  if (s.kind == Signal::Kind::Constant) {
    s.offset = e.requiredNumber("value");
  } else if (s.kind == Signal::Kind::Sine) {
    s.amplitude = e.requiredNumber("amplitude");
    s.frequency_Hz = e.requiredNumber("frequency");
    s.phase_rad = e.number("phase");
    s.offset = e.number("offset");
    s.ramp = e.number("ramp");
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
  frame.position = e.vector("position");
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
  const int coordinate = e.integer("coordinate");
  e.alongAngle(isAngle(joint, coordinate));
  e.read("lower", limit.lower);
  e.read("upper", limit.upper);
  limit.softness = readSoftness(e);
  builder_.addLimit(joint, limit, coordinate, e.where());
}

void Reader::readDynamics(Element& e, JointId joint) {
  PassiveDynamics p;
  const int coordinate = e.integer("coordinate");
  e.alongAngle(isAngle(joint, coordinate));
  dynamicsFields(p, e.reading());
  builder_.addDynamics(joint, p, coordinate, e.where());
}

void Reader::readActuator(Element& e, const Placement& placement, JointId joint) {
  Actuator a;
  const int coordinate = e.integer("coordinate");
  e.alongAngle(isAngle(joint, coordinate));
  a.kind = e.choice<Actuator::Kind>("type");
  const SignalId reference = signalId(e, placement);
  if (a.kind == Actuator::Kind::Position) {
    a.proportionalGain = e.requiredNumber("kp");
    a.derivativeGain = e.number("kd");
  } else if (a.kind == Actuator::Kind::Velocity) {
    a.derivativeGain = e.requiredNumber("kd");
  }
  if (e.has("motor")) a.motor = motorId(e, placement).value;
  if (a.kind != Actuator::Kind::Motion) e.read("effort-limit", a.effortLimit);
  builder_.addActuator(joint, a, reference, coordinate, e.where());
}

Clearance Reader::readClearance(Element& e) {
  Clearance c;
  c.radial = e.requiredNumber("radial");
  clearanceFields(c, e.reading());
  c.softness = readSoftness(e);
  e.finishLeaf();
  return c;
}

void Reader::readMotor(Element e, const Placement& placement) {
  Motor m;
  m.name = newName(e, placement);
  motorFields(m, e.reading());
  if (const std::string odd = motorRemark(m.torqueConstant, m.voltage, e.context()->converts); !odd.empty())
    e.remark(odd);
  e.finishLeaf();
  builder_.addMotor(std::move(m), e.where());
}

void Reader::readJoint(Element e, const Placement& placement) {
  JointDef def;
  def.where = e.where();
  def.name = newName(e, placement);
  def.type = e.text("type");
  def.base = bodyId(e, "base", placement, true);
  def.follower = bodyId(e, "follower", placement, false);
  def.placement = placement.pose;
  const bool worldFrame =
      e.has("position") || e.has("axis") || e.has("axis2") || e.has("quaternion") || e.has("rpy");
  const FrameDef frame = readFrame(e);
  if (worldFrame) def.frame = frame;
  def.softness = readSoftness(e);
  e.read("length", def.length);
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
    term.coordinate = child.integer("coordinate");
    term.coefficient = child.requiredNumber("coefficient");
    child.finishLeaf();
    terms.push_back(term);
  }
  return terms;
}

Mesh Reader::readTeeth(Element& e, bool belts) {
  Mesh mesh;
  mesh.pressureAngle = e.number("pressure-angle");
  mesh.helixAngle = e.number("helix-angle");
  if (e.has("pressure-angle")) mesh.kind = Mesh::Kind::Teeth;
  if (e.has("helix-angle") && !e.has("pressure-angle"))
    e.error("helix-angle without pressure-angle (give it)");
  if (!belts) return mesh;
  mesh.radius = e.number("belt-radius");
  mesh.slack = e.number("slack-tension");
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
  c.kind = e.choice<CouplingKind>("type");
  const auto readSides = [&](const char* jointA, const char* coordinateA, const char* jointB,
                             const char* coordinateB) {
    c.jointA = jointId(e, jointA, placement);
    c.jointB = jointId(e, jointB, placement);
    c.coordinateA = e.integer(coordinateA);
    c.coordinateB = e.integer(coordinateB);
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
  c.offset = e.number("offset");
  c.backlash = e.number("backlash");
  c.softness = readSoftness(e);
  c.efficiency = e.number("efficiency");
  e.read("back-efficiency", c.backEfficiency);
  c.frictionCoefficient = e.number("friction-coefficient");
  c.threadRadius = e.number("thread-radius");
  if (c.kind == CouplingKind::Linear)
    c.terms = readTerms(e, placement);
  else
    e.finishLeaf();
  builder_.addCoupling(std::move(c));
}

}  // namespace grashof::xml
