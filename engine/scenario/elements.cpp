// Force elements and bushings.
#include <fmt/format.h>

#include "engine/scenario/reader.h"

namespace grashof::xml {

void Reader::readEnds(Element& e, const Placement& placement, ForceDef& force) {
  force.where = e.where();
  force.name = newName(e, placement);
  force.placement = placement.pose;
  if (e.has("body1")) force.body1 = bodyId(e, "body1", placement, true);
  force.body2 = bodyId(e, "body2", placement, true);
  force.point1 = e.vector("point1");
  force.point2 = e.vector("point2");
}

/// Spring and damper of <spring> and <force>.
void Reader::readSpringLaw(Element& e, ForceDef& force) {
  force.stiffness = e.number("stiffness");
  force.damping = e.number("damping");
  force.preload = e.number("preload");
  e.read("length", force.length);
}

void Reader::readSpring(Element e, const Placement& placement) {
  ForceDef force;
  readEnds(e, placement, force);
  readSpringLaw(e, force);
  force.side = e.choice<ForceSide>("unilateral");
  e.finishLeaf();
  builder_.addForce(std::move(force));
}

void Reader::readGasSpring(Element e, const Placement& placement) {
  ForceDef force;
  readEnds(e, placement, force);
  GasSpringDef gas;
  gas.length = e.requiredNumber("length");
  gas.force = e.requiredNumber("force");
  gas.compressedLength = e.requiredNumber("compressed-length");
  if (e.has("compressed-force") == e.has("progression"))
    e.error(
        "needs either compressed-force or progression (the force at compressed-length, or its ratio to "
        "force)");
  double progression = 2.0;
  e.read("progression", progression);
  gas.compressedForce = 2.0 * gas.force;
  e.read("compressed-force", gas.compressedForce);
  if (e.has("progression")) gas.compressedForce = progression * gas.force;
  e.read("exponent", gas.exponent);
  force.damping = e.number("damping");
  force.gas = gas;
  e.finishLeaf();
  builder_.addForce(std::move(force));
}

void Reader::readForce(Element e, const Placement& placement) {
  ForceDef force;
  if (e.has("joint")) {
    force.where = e.where();
    force.name = newName(e, placement);
    force.joint = jointId(e, "joint", placement);
    force.coordinate = e.integer("coordinate");
    e.alongAngle(isAngle(*force.joint, force.coordinate));
  } else {
    readEnds(e, placement, force);
  }
  readSpringLaw(e, force);
  if (e.has("motion")) force.signal = signalId(e, placement);
  e.finish();
  for (Element& child : e.children()) {
    if (child.tag() != "table") {
      e.unknownChild(child, {"table"});
      continue;
    }
    std::optional<ForceTableDef>& table = child.choice("over") == 0 ? force.overLength : force.overSpeed;
    if (table) child.error("given twice (keep one)");
    Signal samples;
    readSamplePairs(child, samples, "x0 force0 x1 force1 ...");
    child.finishLeaf();
    // What could not be read is not reported once more as missing.
    if (samples.times.empty()) samples.times = samples.values = {0.0};
    table = ForceTableDef{samples.times, samples.values, child.where()};
  }
  builder_.addForce(std::move(force));
}

/// What <cable> and <tendon> have in common.
void Reader::readSumLaw(Element& e, const Placement& placement, ForceDef& force) {
  force.where = e.where();
  force.name = newName(e, placement);
  force.placement = placement.pose;
  force.stiffness = e.number("stiffness");
  force.damping = e.number("damping");
  force.preload = -e.number("pretension");
  e.read("length", force.length);
  force.rigid = e.boolean("inextensible");
  if (e.has("motion")) force.signal = signalId(e, placement);
  force.command = e.choice<SumCommand>("command");
  force.softness = readSoftness(e);
  if (e.has("command") && !e.has("motion")) e.error("command without a motion (name the motion)");
}

CableSupportDef Reader::readSupport(Element& e, const Placement& placement) {
  CableSupportDef support;
  support.where = e.where();
  support.body = bodyId(e, "body", placement, true);
  support.position = e.vector("position");
  if (e.tag() != "point") {
    support.kind = e.tag() == "sphere" ? CableNodeKind::Sphere : CableNodeKind::Cylinder;
    support.radius = e.requiredNumber("radius");
    support.friction = e.number("friction");
  }
  if (e.tag() == "pulley") {
    support.axis = e.vector("axis");
    support.sense = e.choice("sense") == 0 ? 1.0 : -1.0;
    support.turns = e.integer("turns");
  }
  if (e.tag() == "point") e.read("divisor", support.divisor);
  e.finishLeaf();
  return support;
}

void Reader::readCable(Element e, const Placement& placement) {
  ForceDef force;
  readSumLaw(e, placement, force);
  force.pathSide = e.choice<ForceSide>("unilateral");
  e.finish();
  for (Element& child : e.children()) {
    const std::string tag = child.tag();
    if (tag == "point" || tag == "pulley" || tag == "sphere") {
      force.path.push_back(readSupport(child, placement));
    } else if (tag == "drum") {
      CoordinateTermDef term;
      term.where = child.where();
      term.joint = jointId(child, "joint", placement);
      term.coordinate = child.integer("coordinate");
      term.coefficient = child.requiredNumber("radius");
      if (child.choice("sense") == 1) term.coefficient = -term.coefficient;
      child.finishLeaf();
      force.terms.push_back(term);
    } else {
      e.unknownChild(child, {"point", "pulley", "sphere", "drum"});
    }
  }
  if (force.path.size() < 2)
    e.error(
        fmt::format("has {} points and pulleys (a cable runs from a point to a point)", force.path.size()));
  else
    builder_.addForce(std::move(force));
}

void Reader::readTendon(Element e, const Placement& placement) {
  ForceDef force;
  readSumLaw(e, placement, force);
  force.side = e.choice<ForceSide>("unilateral");
  force.mesh = readTeeth(e, true);
  force.terms = readTerms(e, placement);
  if (force.terms.empty())
    e.error("has no terms (give joints and coefficients)");
  else
    builder_.addForce(std::move(force));
}

/// A diagonal, or a whole matrix row by row.
Mat6 Reader::readStiffness(Element& e, const char* name) {
  Mat6 matrix = Mat6::Zero();
  const std::vector<double> values = e.numbers(name);
  for (int i = 0; i < 6 && values.size() == 6; ++i) matrix(i, i) = values[static_cast<std::size_t>(i)];
  for (std::size_t i = 0; i < 36 && values.size() == 36; ++i)
    matrix(static_cast<Eigen::Index>(i / 6), static_cast<Eigen::Index>(i % 6)) = values[i];
  return matrix;
}

void Reader::readBushing(Element e, const Placement& placement) {
  BushingDef b;
  b.where = e.where();
  b.name = newName(e, placement);
  b.placement = placement.pose;
  b.base = bodyId(e, "base", placement, true);
  b.follower = bodyId(e, "follower", placement, false);
  const bool worldFrame =
      e.has("position") || e.has("axis") || e.has("axis2") || e.has("quaternion") || e.has("rpy");
  const FrameDef frame = readFrame(e);
  if (worldFrame) b.frame = frame;
  b.stiffness = readStiffness(e, "stiffness");
  b.damping = readStiffness(e, "damping");
  const std::vector<double> preload = e.numbers("preload");
  for (std::size_t i = 0; i < preload.size(); ++i) b.preload[static_cast<Eigen::Index>(i)] = preload[i];
  e.finish();
  for (Element& child : e.children()) {
    const std::string tag = child.tag();
    if (tag != "base-frame" && tag != "follower-frame") {
      e.unknownChild(child, {"base-frame", "follower-frame"});
      continue;
    }
    std::optional<FrameDef>& own = tag == "base-frame" ? b.baseFrame : b.followerFrame;
    if (own) child.error("given twice (keep one)");
    own = readFrame(child);
    child.finishLeaf();
  }
  builder_.addBushing(std::move(b));
}

void Reader::readKnifeEdge(Element e, const Placement& placement) {
  VelocityConstraintDef c;
  c.where = e.where();
  c.name = newName(e, placement);
  c.base = bodyId(e, "base", placement, true);
  c.follower = bodyId(e, "follower", placement, false);
  c.point = e.vector("point");
  c.axis = Vec3::UnitY();
  e.read("across", c.axis);
  e.finishLeaf();
  builder_.addVelocityConstraint(std::move(c));
}

void Reader::readRolling(Element e, const Placement& placement) {
  VelocityConstraintDef c;
  c.kind = VelocityConstraintKind::Rolling;
  c.where = e.where();
  c.name = newName(e, placement);
  c.placement = placement.pose;
  c.base = bodyId(e, "base", placement, true);
  c.follower = bodyId(e, "follower", placement, false);
  c.point = e.vector("point");
  c.axis = e.vector("axis");
  c.radius = e.requiredNumber("radius");
  c.normal = e.vector("normal");
  e.finishLeaf();
  builder_.addVelocityConstraint(std::move(c));
}

/// The <drive> children of a control.
void Reader::readControl(Element e, const Placement& placement) {
  ControlDef def;
  def.where = e.where();
  def.name = newName(e, placement);
  e.read("lower", def.lower);
  e.read("upper", def.upper);
  def.start = e.number("start");
  e.finish();
  for (Element& child : e.children()) {
    if (child.tag() != "drive") {
      e.unknownChild(child, {"drive"});
      continue;
    }
    ControlTargetDef target;
    target.where = child.where();
    if (child.has("joint") == child.has("element"))
      child.error("drives a joint or an element (give one of the attributes joint and element)");
    target.coordinate = child.integer("coordinate");
    target.gain = child.number("gain");
    target.offset = child.number("offset");
    if (child.has("joint")) {
      target.joint = jointId(child, "joint", placement);
    } else {
      target.element = placement.prefix + child.text("element");
      if (child.has("element")) lookUp(child, "element", target.element, "element");
    }
    child.finishLeaf();
    def.targets.push_back(std::move(target));
  }
  builder_.addControl(std::move(def));
}

}  // namespace grashof::xml
