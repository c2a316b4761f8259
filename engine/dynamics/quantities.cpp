#include "engine/dynamics/quantities.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/model/user_frames.h"

namespace grashof {
namespace {

using Items = std::vector<QuantityItem>;
using Quantities = std::vector<Quantity>;
using enum Quantity::Kind;

constexpr unsigned kAllParts = ~0U;

// Things.

Items theRun(const Model&) { return {{}}; }

/// One item of each thing of a list; `width`: numbers of each.
template <typename Thing>
Items each(const char* kind, const std::vector<Thing>& things, std::size_t width) {
  Items items(things.size());
  for (std::size_t i = 0; i < things.size(); ++i) {
    items[i].thing = fmt::format("{}.{}.", kind, things[i].name);
    items[i].index = static_cast<int>(i);
    items[i].column = width * i;
  }
  return items;
}
Items bodies7(const Model& model) { return each("body", model.bodies, 7); }
Items bodies6(const Model& model) { return each("body", model.bodies, 6); }
Items joints6(const Model& model) { return each("joint", model.joints, 6); }

bool isLength(const Model& model, int joint, int coordinate) {
  return !isRotation(model.joints[joint].type->freeDirections()[coordinate]);
}

QuantityItem coordinateItem(const Model& model, int joint, int coordinate, std::size_t column) {
  return {"joint." + model.joints[joint].name + ".",
          fmt::format(".{}", coordinate),
          joint,
          coordinate,
          column,
          isLength(model, joint, coordinate) ? kAllParts : 0U};
}

Items coordinates(const Model& model) {
  Items items;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    for (int i = 0; i < model.joints[j].type->numDofs(); ++i)
      items.push_back(coordinateItem(model, j, i, items.size()));
  return items;
}

/// The first coordinate of each joint that is a length, or an angle.
Items firstCoordinates(const Model& model, bool length) {
  Items items;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    for (int i = 0; i < model.joints[j].type->numDofs(); ++i) {
      if (isLength(model, j, i) != length) continue;
      const auto column = static_cast<std::size_t>(model.coordinateStart[j]) + static_cast<std::size_t>(i);
      items.push_back(coordinateItem(model, j, i, column));
      items.back().end.clear();
      break;
    }
  return items;
}

/// The joints that `cause` has part of the load of, beside other causes; else all others.
Items jointsWith(const Model& model, LoadCause cause, bool beside) {
  Items items;
  for (QuantityItem& item : joints6(model)) {
    const auto possible = possibleCauses(model, item.index);
    const bool has = std::find(possible.begin(), possible.end(), cause) != possible.end();
    if ((has && possible.size() > 1) != beside) continue;
    item.column = 6 * items.size();
    items.push_back(std::move(item));
  }
  return items;
}

/// The coordinates that have a motor, and one that fits.
Items motors(const Model& model, std::size_t width, bool (*fits)(const Motor&)) {
  Items items;
  for (const ActuatorId place : motorsOf(model))
    if (fits(*model.motorOf(model.joints[place.joint].coordinates[place.coordinate].actuator)))
      items.push_back(coordinateItem(model, place.joint, place.coordinate, width * items.size()));
  return items;
}

Items forceElements(const Model& model, std::size_t width) {
  Items items = each("element", model.forces, width);
  for (QuantityItem& item : items) {
    const ForceElement& element = model.forces[item.index];
    const auto isLengthTerm = [&](const CoordinateTerm& t) { return isLength(model, t.joint, t.coordinate); };
    const bool length =
        element.onJoint()
            ? isLength(model, element.joint, element.coordinate)
            : element.terms.empty() || std::any_of(element.terms.begin(), element.terms.end(), isLengthTerm);
    item.lengths = length ? kAllParts : 0U;
  }
  return items;
}

Items couplings(const Model& model) {
  Items items = each("coupling", model.couplings, 2);
  for (QuantityItem& item : items) {
    const Coupling& coupling = model.couplings[item.index];
    item.lengths = (isLength(model, coupling.jointA, coupling.coordinateA) ? 1U : 0U) |
                   (isLength(model, coupling.jointB, coupling.coordinateB) ? 2U : 0U);
  }
  return items;
}

// Values.

void put(double* values, const Vec3& numbers) { std::copy_n(numbers.data(), 3, values); }
void put(double* values, const Vec6& numbers) { std::copy_n(numbers.data(), 6, values); }
void put(double* values, std::initializer_list<double> numbers) {
  std::copy(numbers.begin(), numbers.end(), values);
}

int coordinateOf(const Simulator& s, const QuantityItem& item) {
  return s.model().coordinateStart[item.index] + item.part;
}

std::size_t motorOf(const Simulator& s, const QuantityItem& item) {
  std::size_t k = 0;
  while (!(s.motors().place(k) == ActuatorId{item.index, item.part})) ++k;
  return k;
}

void readTwist(const Simulator& s, const QuantityItem& item, double* x) {
  put(x, userVelocity(s.model(), s.state(), item.index));
  put(x + 3, Vec3(s.state().twists[item.index].tail<3>()));
}

void readCoordinate(const Simulator& s, const QuantityItem& item, double* x) {
  *x = s.state().coordinates[coordinateOf(s, item)];
}

void readRate(const Simulator& s, const QuantityItem& item, double* x) {
  *x = coordinateRate(s.model().joints[item.index], s.geometry()[item.index].coordinateRow[item.part],
                      s.state().twists);
}

double lengthRate(const Simulator& s, const ForceElement& element) {
  const ForceLine line = forceLine(element, s.state().poses, s.geometry());
  std::vector<RowTerm> row;
  forceRateRow(s.model(), element, line, s.state().poses, s.geometry(), row);
  return rowRate(row, s.state().twists);
}

// What statics leaves open.

unsigned openOfJoint(const Simulator& s, const QuantityItem& item) { return s.loads().redundant(item.index); }

unsigned openOfDrive(const Simulator& s, const QuantityItem& item) {
  return s.loads().driveRedundant(item.index, item.part) ? kAllParts : 0U;
}

unsigned openOfCoupling(const Simulator& s, const QuantityItem& item) {
  return s.loads().couplingRedundant(item.index) ? kAllParts : 0U;
}

// The list.

/// Parts NAME.x, NAME.y, NAME.z.
void addVector(std::vector<QuantityPart>& parts, const std::string& name, const std::string& unit,
               const std::string& meaning = {}) {
  for (const char axis : {'x', 'y', 'z'})
    parts.push_back({fmt::format("{}.{}", name, axis), unit, axis == 'x' ? meaning : "", ""});
}

void addRun(Quantities& all) {
  all.push_back({Reals,
                 "time",
                 "*",
                 {{"time", "s", "of the state, the end of its step", ""}},
                 theRun,
                 [](const Simulator& s, const QuantityItem&, double* x) { *x = s.state().time; }});
  all.push_back({Reals,
                 "energy",
                 "*",
                 {{"energy.kinetic", "J", "energies of the model", ""},
                  {"energy.potential", "J"},
                  {"energy.elastic", "J"},
                  {"energy.total", "J"},
                  {"energy.drift", "J", "energy without a cause", ""},
                  {"energy.drift-relative", "", "the same over the energy moved so far", ""}},
                 theRun,
                 [](const Simulator& s, const QuantityItem&, double* x) {
                   const Energy& energy = s.report().energy;
                   put(x, {energy.kinetic, energy.potential, energy.elastic, energy.total(), s.energyDrift(),
                           s.relativeEnergyDrift()});
                 }});
  all.push_back(
      {Reals,
       "residuals",
       "*",
       {{"residual.joint", "m, rad", "largest opening of a joint", ""},
        {"residual.limit", "m, rad", "largest excess over a limit", ""},
        {"residual.penetration", "m", "deepest contact", ""},
        {"residual.solver", "m/s, rad/s",
         "of the step's problem, measured apart from the solver; unit of `tolerance`", ""}},
       theRun,
       [](const Simulator& s, const QuantityItem&, double* x) {
         const StepReport& report = s.report();
         put(x, {report.jointResidual, report.limitViolation, report.penetration, report.solverResidual});
       }});
  all.push_back({Integers,
                 "solver",
                 "*",
                 {{"solver.iterations", "", "of the last step", ""},
                  {"solver.factorizations", ""},
                  {"contacts.count", "", "within the contact margin", ""},
                  {"solver.method", "", "method of solver `auto`, see `solver` under Results", ""}},
                 theRun,
                 [](const Simulator& s, const QuantityItem&, double* x) {
                   const StepReport& report = s.report();
                   put(x, {static_cast<double>(report.iterations), static_cast<double>(report.factorizations),
                           static_cast<double>(report.contacts), static_cast<double>(report.method)});
                 }});
  all.push_back({Reals,
                 "contacts/total_normal_force",
                 "*",
                 {{"contacts.normal-force", "N", "sum over all contacts", ""}},
                 theRun,
                 [](const Simulator& s, const QuantityItem&, double* x) {
                   *x = s.loadsTold() ? 0.0 : std::numeric_limits<double>::quiet_NaN();
                   if (s.contacts().empty()) return;
                   for (const auto& contact : s.problem().contacts)
                     *x += s.solution().impulse[contact.row + 2];
                   *x /= s.model().step.timestep;
                 }});
}

void addBodies(Quantities& all) {
  std::vector<QuantityPart> pose, twist;
  addVector(pose, "position", "m", "origin of the frame in which the body is described, in the world");
  pose.push_back({"quaternion.w", "", "its rotation", ""});
  addVector(pose, "quaternion", "");
  addVector(twist, "velocity", "m/s", "of that origin, world axes");
  addVector(twist, "angular-velocity", "rad/s", "world axes");
  all.push_back({Reals, "bodies/pose", "body.NAME.*", pose, bodies7,
                 [](const Simulator& s, const QuantityItem& item, double* x) {
                   const Pose pose = userPose(s.model(), s.state(), item.index);
                   put(x, pose.position);
                   x[3] = pose.rotation.w();
                   put(x + 4, Vec3(pose.rotation.vec()));
                 }});
  all.push_back({Reals, "bodies/twist", "body.NAME.*", twist, bodies6, readTwist});
  all.push_back({Norm,
                 "bodies/twist",
                 "body.NAME.*",
                 {{"speed", "m/s", "length of `velocity`", ""}},
                 bodies6,
                 readTwist});
}

void addCoordinates(Quantities& all) {
  all.push_back({Reals,
                 "joints/coordinates",
                 "joint.NAME.*.I",
                 {{"q", "rad", "coordinate I", "m"}},
                 coordinates,
                 readCoordinate});
  all.push_back({Alias,
                 "joints/coordinates",
                 "joint.NAME.*",
                 {{"angle", "rad", "first coordinate that turns", ""}},
                 [](const Model& model) { return firstCoordinates(model, false); },
                 readCoordinate});
  all.push_back({Alias,
                 "joints/coordinates",
                 "joint.NAME.*",
                 {{"displacement", "m", "first coordinate that slides", ""}},
                 [](const Model& model) { return firstCoordinates(model, true); },
                 readCoordinate});
  all.push_back({Reals,
                 "joints/rate",
                 "joint.NAME.*.I",
                 {{"rate", "rad/s", "rate of coordinate I", "m/s"}},
                 coordinates,
                 readRate});
  all.push_back({Reals,
                 "joints/effort",
                 "joint.NAME.*.I",
                 {{"effort", "N m", "of the drive of coordinate I", "N"}},
                 coordinates,
                 [](const Simulator& s, const QuantityItem& item, double* x) {
                   *x = s.loads().effort(coordinateOf(s, item), LoadCause::Drive);
                 },
                 openOfDrive,
                 "joints/effort_redundant"});
}

/// Of all motors, or of those that fit; `read` takes the number of the motor in motorsOf().
template <typename Read>
void addMotor(Quantities& all, const char* dataset, std::vector<QuantityPart> parts,
              bool (*fits)(const Motor&), const char* needs, bool load, Read read) {
  const std::size_t width = parts.size();
  Quantity q{Reals,
             dataset,
             "joint.NAME.*.I",
             std::move(parts),
             [=](const Model& model) { return motors(model, width, fits); },
             [=](const Simulator& s, const QuantityItem& item, double* x) { read(s, motorOf(s, item), x); }};
  if (load) {
    q.open = openOfDrive;
    q.openDataset = fmt::format("{}_redundant", dataset);
  }
  q.needs = needs;
  all.push_back(std::move(q));
}

void addMotors(Quantities& all) {
  constexpr const char* kNoMotor = "no motor is at this coordinate; name one in its actuator";
  const auto any = [](const Motor&) { return true; };
  addMotor(
      all, "motors/torque",
      {{"motor-torque", "N m", "of the motor of coordinate I at its shaft, with what its rotor takes", ""},
       {"motor-torque-rms", "N m", "since the start", ""}},
      any, kNoMotor, true, [](const Simulator& s, std::size_t k, double* x) {
        put(x, {s.motorTorque(k), s.motorTorqueRms(k)});
      });
  addMotor(all, "motors/speed", {{"motor-speed", "rad/s", "of its shaft", ""}}, any, kNoMotor, false,
           [](const Simulator& s, std::size_t k, double* x) { *x = s.motors().speed(k); });
  addMotor(
      all, "motors/current", {{"motor-current", "A", "needs `torque-constant`", ""}},
      [](const Motor& motor) { return motor.torqueConstant > 0.0; }, "needs a motor with a torque-constant",
      true,
      [](const Simulator& s, std::size_t k, double* x) {
        *x = s.motors().motor(k).current(s.motorTorque(k));
      });
  addMotor(
      all, "motors/heat",
      {{"motor-loss", "W", "I² R in the winding; needs `torque-constant` and `resistance`", ""},
       {"motor-heat", "J", "the loss since the start", ""}},
      [](const Motor& motor) { return motor.torqueConstant > 0.0 && motor.resistance > 0.0; },
      "needs a motor with a torque-constant and a resistance", true,
      [](const Simulator& s, std::size_t k, double* x) {
        put(x, {s.motors().motor(k).copperLoss(s.motorTorque(k)), s.motors().heat(k)});
      });
}

/// What `cause` does, and of joints that have no other cause, or not this one, the same unrecorded.
void addCause(Quantities& all, LoadCause cause, const std::string& meaning) {
  const std::string name(kLoadCauseNames[static_cast<std::size_t>(cause)]), dataset = "joints/load_" + name;
  const auto read = [cause](const Simulator& s, const QuantityItem& item, double* x) {
    put(x, s.loads().joints()[item.index].of(cause));
  };
  for (const bool beside : {true, false}) {
    std::vector<QuantityPart> parts;
    addVector(parts, name + ".force", "N", beside ? "part of the load: " + meaning : "");
    addVector(parts, name + ".moment", "N m");
    all.push_back({beside ? Reals : Unstored, dataset, "joint.NAME.*", parts,
                   [=](const Model& model) { return jointsWith(model, cause, beside); }, read, openOfJoint,
                   dataset + "_redundant"});
  }
}

void addLoads(Quantities& all) {
  std::vector<QuantityPart> wrench;
  addVector(wrench, "force", "N",
            "load: all that the joint transmits to its follower, in the base's joint frame");
  addVector(wrench, "moment", "N m");
  const auto read = [](const Simulator& s, const QuantityItem& item, double* x) {
    put(x, s.jointReaction(item.index));
  };
  all.push_back(
      {Reals, "joints/reaction", "joint.NAME.*", wrench, joints6, read, openOfJoint, "joints/redundant"});
  all.push_back({Norm,
                 "joints/reaction",
                 "joint.NAME.*",
                 {{"reaction", "N", "length of `force`", ""}},
                 joints6,
                 read,
                 openOfJoint,
                 "joints/redundant"});
  addCause(all, LoadCause::Constraint, "of the joint itself");
  addCause(all, LoadCause::Drive, "of motion, servo or effort");
  addCause(all, LoadCause::Spring, "of spring, damper and rotor");
  addCause(all, LoadCause::Friction, "of dry friction");
  addCause(all, LoadCause::Limit, "of limits");
  addCause(all, LoadCause::Coupling, "of couplings");
}

void addElements(Quantities& all) {
  all.push_back(
      {Reals,
       "couplings/effort",
       "coupling.NAME.*",
       {{"effort.a", "N m",
         "on its two coordinates, of a linear coupling on those of its first two terms: the force in a rack, "
         "thread or cam, the torques of a gear",
         "N"},
        {"effort.b", "N m", "", "N"}},
       couplings,
       [](const Simulator& s, const QuantityItem& item, double* x) {
         put(x, {s.loads().couplingEffortA(item.index), s.loads().couplingEffortB(item.index)});
       },
       openOfCoupling,
       "couplings/redundant"});
  all.push_back({Reals,
                 "elements/force",
                 "element.NAME.*",
                 {{"force", "N m", "of springs, forces, cables and tendons; positive pushes apart", "N"},
                  {"tension", "N m", "its opposite, of a cable at its last point", "N"},
                  {"start-tension", "N m",
                   "at the first point of a cable, which differs by the friction on its pulleys", "N"}},
                 [](const Model& model) { return forceElements(model, 3); },
                 [](const Simulator& s, const QuantityItem& item, double* x) {
                   const double force = s.elementForce(item.index);
                   put(x, {force, 0.0 - force, 0.0 - s.elementStartForce(item.index)});
                 }});
  all.push_back({Reals,
                 "elements/length",
                 "element.NAME.*",
                 {{"length", "rad", "of their line, path or sum", "m"}},
                 [](const Model& model) { return forceElements(model, 1); },
                 [](const Simulator& s, const QuantityItem& item, double* x) {
                   *x = forceLine(s.model().forces[item.index], s.state().poses, s.geometry()).length;
                 }});
  all.push_back({Reals,
                 "elements/speed",
                 "element.NAME.*",
                 {{"speed", "rad/s", "rate of the length", "m/s"}},
                 [](const Model& model) { return forceElements(model, 1); },
                 [](const Simulator& s, const QuantityItem& item, double* x) {
                   *x = lengthRate(s, s.model().forces[item.index]);
                 }});
}

void addBushings(Quantities& all) {
  std::vector<QuantityPart> force, deformation;
  addVector(force, "force", "N", "of a bushing on its follower, in the base's frame");
  addVector(force, "moment", "N m");
  all.push_back(
      {Reals, "bushings/force", "element.NAME.*", force,
       [](const Model& model) { return each("element", model.bushings, 6); },
       [](const Simulator& s, const QuantityItem& item, double* x) { put(x, s.bushingForce(item.index)); }});
  addVector(deformation, "displacement", "m", "of a bushing: of its follower in the base's frame");
  addVector(deformation, "rotation", "rad", "as a rotation vector");
  all.push_back({Reals, "bushings/deformation", "element.NAME.*", deformation,
                 [](const Model& model) { return each("element", model.bushings, 6); },
                 [](const Simulator& s, const QuantityItem& item, double* x) {
                   put(x, bushingDeformation(s.model().bushings[item.index], s.state().poses));
                 }});
}

void addVelocityConstraints(Quantities& all) {
  std::vector<QuantityPart> across;
  addVector(across, "force", "N", "of a constraint on velocities on its follower, world axes");
  all.push_back({Reals, "velocity_constraints/force", "element.NAME.*", across,
                 [](const Model& model) { return each("element", model.velocityConstraints, 3); },
                 [](const Simulator& s, const QuantityItem& item, double* x) {
                   put(x, s.velocityConstraintForce(item.index));
                 }});
}

/// In the order of PairLoad::values().
void addPairs(Quantities& all) {
  std::vector<QuantityPart> parts;
  addVector(parts, "force", "N",
            "of body A on body B by all contacts between them, world axes; the world is called `world`");
  parts.push_back({"normal", "N", "sum of the normal forces", ""});
  addVector(parts, "center", "m", "of the normal forces");
  addVector(parts, "moment", "N m", "of A on B about that center");
  parts.push_back({"area", "m²", "of patches", ""});
  all.push_back({Pairs, "", "contact.A.B.*", parts, {}, {}});
}

Quantities allQuantities() {
  Quantities all;
  addRun(all);
  addBodies(all);
  addCoordinates(all);
  addMotors(all);
  addLoads(all);
  addElements(all);
  addBushings(all);
  addVelocityConstraints(all);
  addPairs(all);
  return all;
}

}  // namespace

const std::vector<Quantity>& quantities() {
  static const Quantities all = allQuantities();
  return all;
}

const Quantity& pairQuantity() {
  return *std::find_if(quantities().begin(), quantities().end(),
                       [](const Quantity& q) { return q.kind == Pairs; });
}

const std::string& unitOf(const Quantity& quantity, const QuantityItem& item, std::size_t part) {
  const QuantityPart& p = quantity.parts[part];
  return (item.lengths >> part & 1U) != 0 && !p.lengthUnit.empty() ? p.lengthUnit : p.unit;
}

}  // namespace grashof
