#include "engine/model/model_builder.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "engine/base/spelling.h"

namespace grashof {
namespace {

/// `where` with the element it is called by when it has none.
Where named(Where where, const std::string& tag, const std::string& name) {
  if (where.element.empty()) where.element = name.empty() ? tag : fmt::format("{}[{}]", tag, name);
  return where;
}

Where inside(const Where& outer, const std::string& tag, Where where = {}) {
  if (where.element.empty()) where = {outer.file, outer.line, outer.element + "/" + tag};
  return where;
}

/// What follows from the rest of a model: inverse inertias, equal moments, numbers of coordinates, surfaces
/// of all pairs.
void derive(Model& model) {
  for (Body& body : model.bodies) {
    body.inverseInertia = body.inertia.inverse();
    body.equalMoments = equalMomentsOf(body.inertia);
  }
  model.coordinateStart.assign(1, 0);
  for (const Joint& joint : model.joints)
    model.coordinateStart.push_back(model.coordinateStart.back() + joint.type->numDofs());
  for (Joint& joint : model.joints)
    for (JointCoordinate& c : joint.coordinates) {
      const Motor* const motor = model.motorOf(c.actuator);
      c.passive.rotor = motor ? motor->reflectedInertia() : 0.0;
    }
  model.surfaceTable.clear();
  for (int a = 0; a < static_cast<int>(model.materials.size()); ++a)
    for (int b = 0; b < static_cast<int>(model.materials.size()); ++b) {
      const auto given = model.surfacePairs.find(std::minmax(a, b));
      if (given != model.surfacePairs.end()) {
        model.surfaceTable.push_back(given->second);
        continue;
      }
      const SurfacePair &sa = model.materials[a].surface, &sb = model.materials[b].surface;
      model.surfaceTable.push_back(mixed(sa, sb));
    }
}

}  // namespace

ModelBuilder::ModelBuilder(std::string name) {
  content_.settings.name = std::move(name);
  Material material;
  material.name = "default";
  content_.materials.push_back({std::move(material), named({}, "material", "default")});
}

ModelBuilder::ModelBuilder(const Model& model) {
  Model& s = content_.settings;
  s.name = model.name;
  s.gravity = model.gravity;
  s.step = model.step;
  s.stabilization = model.stabilization;
  s.solver = model.solver;
  s.initialCoordinates = model.initialCoordinates;
  for (const Material& m : model.materials) {
    content_.names.emplace("material/" + m.name, static_cast<int>(content_.materials.size()));
    content_.materials.push_back({m, named({}, "material", m.name)});
  }
  if (model.materials.empty()) content_.materials = ModelBuilder(model.name).content_.materials;
  for (const auto& [pair, surface] : model.surfacePairs) addSurface({pair.first}, {pair.second}, surface);
  for (const Body& body : model.bodies) {
    const BodyId id = addBody({.name = body.name});
    content_.bodies[index(id)].made = body;
  }
  for (const Shape& shape : model.shapes) {
    addShape({shape.body}, shape);
    content_.shapes.back().made = true;
  }
  for (const Signal& signal : model.signals) addSignal(signal);
  for (const Motor& motor : model.motors) addMotor(motor);
  openJoints(model);
  openForces(model);
  for (const ControlInput& c : model.controls) {
    ControlDef def{.name = c.name, .lower = c.lower, .upper = c.upper, .start = c.start};
    for (const ControlTarget& t : c.targets) {
      ControlTargetDef target{.coordinate = t.coordinate, .gain = t.gain, .offset = t.offset};
      if (t.element >= 0)
        target.element = model.forces[static_cast<std::size_t>(t.element)].name;
      else
        target.joint = JointId{t.joint};
      def.targets.push_back(std::move(target));
    }
    addControl(std::move(def));
    content_.controls.back().made = true;
  }
  for (const auto& [a, b] : model.exclusions) exclude({a.body}, a.link, {b.body}, b.link);
  if (!model.assembly) return;
  assemble();
  for (const int body : model.assembly->pinned) pin({body});
  for (const AssemblyInput& input : model.assembly->inputs)
    holdInput({input.joint}, input.coordinate, input.value);
}

void ModelBuilder::openJoints(const Model& model) {
  for (const Joint& joint : model.joints) {
    const JointId id = addJoint({.name = joint.name,
                                 .type = std::string(joint.type->name()),
                                 .base = {joint.base},
                                 .follower = {joint.follower},
                                 .softness = joint.softness});
    ModelContent::JointEntry& entry = content_.joints[index(id)];
    entry.joint = joint;
    entry.joint.coordinates.resize(entry.where.size());
    entry.made = true;
  }
  for (const Coupling& c : model.couplings) {
    std::vector<CoordinateTermDef> terms;
    if (c.kind == CouplingKind::Linear) {
      terms = {{.joint = {c.jointA}, .coordinate = c.coordinateA},
               {.joint = {c.jointB}, .coordinate = c.coordinateB, .coefficient = -c.ratio}};
      for (const CoordinateTerm& t : c.more)
        terms.push_back({.joint = {t.joint}, .coordinate = t.coordinate, .coefficient = -t.coefficient});
    }
    addCoupling({.name = c.name,
                 .kind = c.kind,
                 .jointA = {c.jointA},
                 .jointB = {c.jointB},
                 .coordinateA = c.coordinateA,
                 .coordinateB = c.coordinateB,
                 .ratio = c.ratio,
                 .offset = c.offset,
                 .threadRadius = c.friction.threadRadius,
                 .terms = std::move(terms),
                 .profile = c.profile});
    content_.couplings.back().made = c;
  }
}

void ModelBuilder::openForces(const Model& model) {
  for (const ExternalWrench& w : model.wrenches) {
    addWrench({.name = w.name, .body = {w.body}, .force = w.force, .torque = w.torque, .local = w.local});
    content_.wrenches.back().made = w;
  }
  for (const ForceElement& f : model.forces) {
    addForce({.name = f.name});
    content_.forces.back().made = f;
  }
  for (const Bushing& b : model.bushings) {
    addBushing({.name = b.name});
    content_.bushings.back().made = b;
  }
  for (const VelocityConstraint& c : model.velocityConstraints) {
    addVelocityConstraint({.name = c.name, .kind = c.kind});
    content_.velocities.back().made = c;
  }
}

void ModelBuilder::addName(const char* kind, const std::string& name, int index, const Where& where) {
  if (name.empty()) return defects_.report(where, missingDefect("name"));
  if (name == "world") defects_.report(where, "the name 'world' is taken (choose another)");
  if (name.find_first_of("[]=\"<>\n\t") != std::string::npos)
    defects_.report(where, "a name may not hold any of [ ] = < > or line breaks");
  if (!content_.names.emplace(std::string(kind) + "/" + name, index).second)
    defects_.report(where,
                    fmt::format("duplicate name: {} '{}' is there already (names of one kind must differ; "
                                "include with a prefix)",
                                kind, name));
}

int ModelBuilder::find(const std::string& kind, const std::string& name) const {
  const auto found = content_.names.find(kind + "/" + name);
  return found == content_.names.end() ? -1 : found->second;
}

std::vector<std::string> ModelBuilder::names(const std::string& kind) const {
  std::vector<std::string> all;
  for (auto at = content_.names.lower_bound(kind + "/"); at != content_.names.end(); ++at) {
    if (!at->first.starts_with(kind + "/")) break;
    all.push_back(at->first.substr(kind.size() + 1));
  }
  return all;
}

MaterialId ModelBuilder::addMaterial(Material material, Where where) {
  where = named(std::move(where), "material", material.name);
  if (material.name == "default") {
    content_.materials[0] = {std::move(material), std::move(where)};
    return kDefaultMaterial;
  }
  const int id = static_cast<int>(content_.materials.size());
  addName("material", material.name, id, where);
  content_.materials.push_back({std::move(material), std::move(where)});
  return {id};
}

void ModelBuilder::addSurface(MaterialId a, MaterialId b, const SurfacePair& surface, Where where) {
  content_.surfaces.push_back({a, b, surface, named(std::move(where), "surface", {})});
}

BodyId ModelBuilder::addBody(BodyDef body) {
  body.where = named(std::move(body.where), "body", body.name);
  if (body.inertial) body.inertial->where = inside(body.where, "inertial", body.inertial->where);
  const int id = numBodies();
  addName("body", body.name, id, body.where);
  content_.bodies.push_back({std::move(body), {}});
  return {id};
}

void ModelBuilder::addShape(BodyId body, Shape shape, const ShapeMass& mass, Where where) {
  where = named(std::move(where), "shape", shape.name);
  if (usable(body, content_.bodies.size()) && where.line == 0 && where.element.starts_with("shape"))
    where.element = content_.bodies[index(body)].def.where.element + "/" + where.element;
  if (shape.name.empty()) shape.name = fmt::format("shape{}", numShapes());
  content_.shapes.push_back({body, std::move(shape), mass, std::move(where)});
}

SignalId ModelBuilder::addSignal(Signal signal, Where where) {
  where = named(std::move(where), "motion", signal.name);
  const int id = numSignals();
  addName("motion", signal.name, id, where);
  content_.signals.push_back({std::move(signal), std::move(where)});
  return {id};
}

MotorId ModelBuilder::addMotor(Motor motor, Where where) {
  where = named(std::move(where), "motor", motor.name);
  const int id = static_cast<int>(content_.motors.size());
  addName("motor", motor.name, id, where);
  content_.motors.push_back({std::move(motor), std::move(where)});
  return {id};
}

JointId ModelBuilder::addJoint(JointDef def) {
  def.where = named(std::move(def.where), "joint", def.name);
  if (def.frame && def.frame->where.element.empty()) def.frame->where = def.where;
  if (def.baseFrame) def.baseFrame->where = inside(def.where, "base-frame", def.baseFrame->where);
  if (def.followerFrame)
    def.followerFrame->where = inside(def.where, "follower-frame", def.followerFrame->where);
  const int id = numJoints();
  addName("joint", def.name, id, def.where);
  ModelContent::JointEntry entry;
  entry.joint.name = def.name;
  entry.joint.type = findJointType(def.type);
  if (!entry.joint.type) {
    std::vector<std::string> known;
    for (const JointType* type : jointTypes()) known.emplace_back(type->name());
    const std::string near = closest(def.type, known);
    defects_.report(def.where,
                    def.type.empty()
                        ? missingDefect("type")
                        : fmt::format("unknown joint type '{}' ({}one of: {})", def.type,
                                      near.empty() ? "" : "did you mean " + near + "? ", joined(known)));
  }
  entry.joint.coordinates.resize(
      static_cast<std::size_t>(entry.joint.type ? entry.joint.type->numDofs() : 0));
  entry.where.resize(entry.joint.coordinates.size());
  for (ModelContent::CoordinateWhere& where : entry.where)
    where = {inside(def.where, "limit"), inside(def.where, "dynamics"), inside(def.where, "actuator"), false};
  entry.def = std::move(def);
  content_.joints.push_back(std::move(entry));
  return {id};
}

int ModelBuilder::numDofs(JointId joint) const {
  return static_cast<int>(content_.joints[index(joint)].joint.coordinates.size());
}

JointCoordinate* ModelBuilder::findCoordinate(JointId id, int coordinate, const char* tag, Where& where) {
  if (!usable(id, content_.joints.size())) {
    if (id != JointId::reported())
      defects_.report(named(where, tag, {}), "belongs to no joint of this model (give the joint's index)");
    return nullptr;
  }
  ModelContent::JointEntry& entry = content_.joints[index(id)];
  where = inside(entry.def.where, tag, where);
  if (!entry.joint.type) return nullptr;
  const int dofs = entry.joint.type->numDofs();
  if (dofs == 0) {
    defects_.report(where, fmt::format("a {} joint has no free direction for this (remove it, or choose "
                                       "another type)",
                                       entry.joint.type->name()));
    return nullptr;
  }
  const std::size_t before = defects_.count();
  defects_.integer(where, "coordinate", coordinate, 0, dofs - 1);
  if (defects_.count() > before) return nullptr;
  return &entry.joint.coordinates[static_cast<std::size_t>(coordinate)];
}

void ModelBuilder::addLimit(JointId joint, const Limit& limit, int coordinate, Where where) {
  JointCoordinate* found = findCoordinate(joint, coordinate, "limit", where);
  if (!found) return;
  if (found->limit.bounded()) defects_.report(where, "this coordinate has a limit already (keep one)");
  if (!limit.bounded()) defects_.report(where, "has neither lower nor upper (give one)");
  found->limit = limit;
  content_.joints[index(joint)].where[static_cast<std::size_t>(coordinate)].limit = where;
}

void ModelBuilder::addDynamics(JointId joint, const PassiveDynamics& dynamics, int coordinate, Where where) {
  JointCoordinate* found = findCoordinate(joint, coordinate, "dynamics", where);
  if (!found) return;
  ModelContent::CoordinateWhere& place =
      content_.joints[index(joint)].where[static_cast<std::size_t>(coordinate)];
  if (place.hasDynamics)
    defects_.report(where, "this coordinate has spring, damper and rotor already (keep one)");
  found->passive = dynamics;
  place.dynamics = where;
  place.hasDynamics = true;
}

void ModelBuilder::addActuator(JointId joint, Actuator actuator, SignalId reference, int coordinate,
                               Where where) {
  JointCoordinate* found = findCoordinate(joint, coordinate, "actuator", where);
  if (!found) return;
  if (found->actuator.kind != Actuator::Kind::None)
    defects_.report(where, "this coordinate has an actuator already (keep one)");
  if (actuator.kind == Actuator::Kind::None)
    defects_.report(where, "attribute type is missing (one of: effort, position, velocity, motion)");
  actuator.signal = reference.value;
  found->actuator = actuator;
  content_.joints[index(joint)].where[static_cast<std::size_t>(coordinate)].actuator = where;
}

void ModelBuilder::addCoupling(CouplingDef coupling) {
  coupling.where = named(std::move(coupling.where), "coupling", coupling.name);
  for (CoordinateTermDef& term : coupling.terms) term.where = inside(coupling.where, "term", term.where);
  if (coupling.backlash != 0.0) return addBacklash(coupling);
  if (coupling.softness.soft()) return addSoftCoupling(coupling);
  addName("coupling", coupling.name, static_cast<int>(content_.couplings.size()), coupling.where);
  content_.couplings.push_back({std::move(coupling), {}});
}

/// Neither rows that are exact nor losses go with an element.
void ModelBuilder::checkElementCoupling(const CouplingDef& coupling, const char* property) {
  const Where& where = coupling.where;
  if (coupling.kind == CouplingKind::Cam)
    defects_.report(where,
                    fmt::format("a cam has no {} (give it a follower that a spring holds down)", property));
  if (coupling.efficiency != 1.0 || coupling.backEfficiency || coupling.frictionCoefficient > 0.0 ||
      coupling.threadRadius > 0.0)
    defects_.report(where,
                    fmt::format("has {} and losses (give the losses to the motor or to dynamics)", property));
}

/// The terms of the sum that a coupling keeps at its offset.
std::vector<CoordinateTermDef> ModelBuilder::termsOf(const CouplingDef& coupling) {
  if (coupling.kind == CouplingKind::Linear) return coupling.terms;
  const bool screw = coupling.kind == CouplingKind::Screw;
  return {{coupling.jointA, screw ? 0 : coupling.coordinateA, 1.0, coupling.where},
          {screw ? coupling.jointA : coupling.jointB, screw ? 1 : coupling.coordinateB, -coupling.ratio,
           coupling.where}};
}

/// The sum is kept at the offset by an impedance.
void ModelBuilder::addSoftCoupling(const CouplingDef& coupling) {
  checkElementCoupling(coupling, "softness");
  if (coupling.kind == CouplingKind::Cam) return;
  ForceDef element;
  element.name = coupling.name;
  element.where = coupling.where;
  element.rigid = true;
  element.softness = coupling.softness;
  element.mesh = coupling.mesh;
  element.terms = termsOf(coupling);
  element.length = coupling.offset;
  addForce(std::move(element));
}

/// q_a - ratio q_b - offset stays within half of the play on either side: two elements that resist one sign.
void ModelBuilder::addBacklash(const CouplingDef& coupling) {
  const Where& where = coupling.where;
  defects_.number(where, "backlash", coupling.backlash, kPositive);
  checkElementCoupling(coupling, "backlash");
  if (coupling.softness.soft()) defects_.report(where, "has backlash and softness (keep one)");
  if (coupling.kind == CouplingKind::Cam) return;
  if (find("element", coupling.name + "-forward") >= 0)
    return defects_.report(where, fmt::format("a coupling called '{}' is there already", coupling.name));
  for (const double sign : {1.0, -1.0}) {
    ForceDef stop;
    stop.name = coupling.name + (sign > 0.0 ? "-forward" : "-backward");
    stop.where = where;
    stop.side = ForceSide::Tension;
    stop.rigid = true;
    stop.mesh = coupling.mesh;
    stop.terms = termsOf(coupling);
    for (CoordinateTermDef& term : stop.terms) term.coefficient *= sign;
    stop.length = sign * coupling.offset + 0.5 * coupling.backlash;
    addForce(std::move(stop));
  }
}

void ModelBuilder::addWrench(WrenchDef wrench) {
  wrench.where = named(std::move(wrench.where), "wrench", wrench.name);
  content_.wrenches.push_back({std::move(wrench), {}});
}

void ModelBuilder::addForce(ForceDef force) {
  force.where = named(std::move(force.where), "force", force.name);
  for (std::optional<ForceTableDef>* table : {&force.overLength, &force.overSpeed})
    if (*table) (*table)->where = inside(force.where, "table", (*table)->where);
  for (CableSupportDef& support : force.path) support.where = inside(force.where, "path", support.where);
  for (CoordinateTermDef& term : force.terms) term.where = inside(force.where, "term", term.where);
  addName("element", force.name, static_cast<int>(content_.forces.size()), force.where);
  content_.forces.push_back({std::move(force), {}});
}

void ModelBuilder::addBushing(BushingDef bushing) {
  bushing.where = named(std::move(bushing.where), "bushing", bushing.name);
  if (bushing.frame && bushing.frame->where.element.empty()) bushing.frame->where = bushing.where;
  if (bushing.baseFrame)
    bushing.baseFrame->where = inside(bushing.where, "base-frame", bushing.baseFrame->where);
  if (bushing.followerFrame)
    bushing.followerFrame->where = inside(bushing.where, "follower-frame", bushing.followerFrame->where);
  addName("element", bushing.name, static_cast<int>(content_.bushings.size()), bushing.where);
  content_.bushings.push_back({std::move(bushing), {}});
}

void ModelBuilder::addVelocityConstraint(VelocityConstraintDef constraint) {
  const bool rolling = constraint.kind == VelocityConstraintKind::Rolling;
  constraint.where = named(std::move(constraint.where), rolling ? "rolling" : "knife-edge", constraint.name);
  addName("element", constraint.name, static_cast<int>(content_.velocities.size()), constraint.where);
  content_.velocities.push_back({std::move(constraint), {}});
}

void ModelBuilder::addControl(ControlDef control) {
  control.where = named(std::move(control.where), "control", control.name);
  for (ControlTargetDef& target : control.targets)
    target.where = inside(control.where, "drive", target.where);
  addName("control", control.name, static_cast<int>(content_.controls.size()), control.where);
  content_.controls.push_back({std::move(control), false});
}

void ModelBuilder::exclude(BodyId a, std::string linkA, BodyId b, std::string linkB, Where where) {
  content_.exclusions.push_back(
      {a, b, std::move(linkA), std::move(linkB), named(std::move(where), "contacts/exclude", {})});
}

void ModelBuilder::assemble() { content_.assembled = true; }

void ModelBuilder::pin(BodyId body, Where where) {
  assemble();
  content_.pins.push_back({body, named(std::move(where), "assemble/pin", {})});
}

void ModelBuilder::holdInput(JointId joint, int coordinate, double value, Where where) {
  assemble();
  content_.inputs.push_back({joint, coordinate, value, named(std::move(where), "assemble/input", {})});
}

void ModelBuilder::setInitialPoses(std::span<const Pose> poses) {
  content_.initialPoses.assign(poses.begin(), poses.end());
}

void ModelBuilder::setInitialTwists(std::span<const Vec6> twists) {
  content_.initialTwists.assign(twists.begin(), twists.end());
}

std::shared_ptr<const Model> ModelBuilder::build() const {
  Defects defects = defects_;
  Model model = content_.settings;
  checkSettings(content_, defects);
  placeMaterials(content_, model, defects);
  placeBodies(content_, model, defects);
  placeSignals(content_, model, defects);
  placeMotors(content_, model, defects);
  placeJoints(content_, model, defects);
  placeCouplings(content_, model, defects);
  placeWrenches(content_, model, defects);
  placeForces(content_, model, defects);
  placeBushings(content_, model, defects);
  placeVelocities(content_, model, defects);
  placeControls(content_, model, defects);
  placeFilters(content_, model, defects);
  placeStart(content_, model, defects);
  if (model.bodies.empty() && defects.count() == 0)
    defects.report(content_.settingsWhere.model, "there is no <body> (a scenario moves at least one)");
  if (defects.count() > 0) throw InputError(defects.sorted());
  derive(model);
  return std::make_shared<const Model>(std::move(model));
}

}  // namespace grashof
