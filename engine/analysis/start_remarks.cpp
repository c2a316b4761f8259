#include "engine/analysis/start_remarks.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "engine/analysis/posed_start.h"
#include "engine/base/listed.h"
#include "engine/dynamics/kinematics/inputs.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/step/projection.h"
#include "engine/model/mechanism_size.h"

namespace grashof {
namespace {

constexpr double kOpen = 0.01;           // of the mechanism's size, and rad: what rounded numbers explain
constexpr double kContradiction = 1e-3;  // of the largest rate
constexpr double kTurningRate = 1e-12;   // m/s, rad/s: a sine that starts at its turning point, to rounding
constexpr double kLargestGravity = 1e3;  // m/s²
constexpr double kLeastDensity = 1e-3;   // kg/m³, mass over the cube of the radius of gyration; air has 1.2
constexpr double kLeastRadius = 1.0;     // m: small bodies without much mass are common
constexpr double kLargestMass = 1e6;     // kg: of a part with such a radius
constexpr double kLocked = 1e-6;         // of the rates that joints alone allow

const char* unitOf(const Joint& joint, int coordinate) {
  return isRotation(joint.type->freeDirections()[coordinate]) ? "rad" : "m";
}

/// Calls use(joint, coordinate) for every prescribed motion.
template <typename Use>
void forEachMotion(const Model& model, const Use& use) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i)
      if (model.joints[j].coordinates[i].actuator.kind == Actuator::Kind::Motion)
        use(static_cast<int>(j), static_cast<int>(i));
}

/// The joints and motions that do not hold at the given poses.
void addOpenJoints(const Model& model, const State& given, std::vector<std::string>& remarks) {
  if (model.assembly) return;
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, given.poses, given.coordinates, geometry);
  const double size = mechanismSize(model);
  const auto allowed = [&](bool rotation) { return rotation ? kOpen : kOpen * size; };
  std::vector<std::string> open, away;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    double gap = 0.0, angle = 0.0;  // the largest residuals
    for (int i = 0; i < joint.type->numConstraints() && !joint.softness.soft(); ++i) {
      double& worst = isRotation(joint.type->constrainedDirections()[i]) ? angle : gap;
      worst = std::max(worst, std::abs(geometry[j].residual[i]));
    }
    if (gap > allowed(false))
      open.push_back(fmt::format("'{}' ({}) by {:.3g} m", joint.name, joint.type->name(), gap));
    else if (angle > allowed(true))
      open.push_back(fmt::format("'{}' ({}) by {:.3g} rad", joint.name, joint.type->name(), angle));
  }
  forEachMotion(model, [&](int j, int i) {
    const Joint& joint = model.joints[j];
    const double q = geometry[j].coordinate[i];
    const double wanted = model.signals[joint.coordinates[i].actuator.signal].value(0.0);
    if (std::abs(q - wanted) > allowed(isRotation(joint.type->freeDirections()[i])))
      away.push_back(fmt::format("'{}' from {:.3g} to {:.3g} {}", joint.name, q, wanted, unitOf(joint, i)));
  });
  if (!open.empty())
    remarks.push_back(fmt::format(
        "joints are open at the given poses, and bodies were moved to close them: {} (correct the "
        "frames or the poses; <assemble/> says that the poses are approximate)",
        listed(open)));
  if (!away.empty())
    remarks.push_back(
        fmt::format("motions do not start where the joints are, and bodies were moved at once: {} (start the "
                    "motion there with its offset, or turn the bodies; <assemble/> says that it is meant)",
                    listed(away)));
}

/// The motions whose rates at `time` (s) no velocities of the bodies fit, at the poses of the start.
std::vector<std::string> contradictingMotions(const Model& model, double time) {
  PosedStart start(model, model.initialState());
  for (Vec6& twist : start.state.twists) twist.setZero();
  start.projectTwists(time);
  const std::vector<double> rates = start.rates(model);
  std::vector<std::string> names;
  double largest = 0.0, worst = 0.0;
  forEachMotion(model, [&](int j, int i) {
    const double wanted = model.signals[model.joints[j].coordinates[i].actuator.signal].rate(time);
    largest = std::max(largest, std::abs(wanted));
    worst = std::max(worst, std::abs(rates[model.coordinateStart[j] + i] - wanted));
    names.push_back(
        fmt::format("'{}' ({:.3g} {}/s)", model.joints[j].name, wanted, unitOf(model.joints[j], i)));
  });
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (!model.joints[j].softness.soft())
      for (int i = 0; i < model.joints[j].type->numConstraints(); ++i)
        worst = std::max(worst, std::abs(coordinateRate(model.joints[j], start.geometry[j].constraintRow[i],
                                                        start.state.twists)));
  if (worst <= std::max(kContradiction * largest, kTurningRate)) names.clear();
  return names;
}

void addContradictions(const Model& model, std::vector<std::string>& remarks) {
  bool driven = false;
  forEachMotion(model, [&](int, int) { driven = true; });
  if (!driven) return;
  // Motions that start at rest are looked at after one step.
  for (const double time : {0.0, model.step.timestep}) {
    const std::vector<std::string> names = contradictingMotions(model, time);
    if (names.empty()) continue;
    remarks.push_back(fmt::format(
        "prescribed motions ask at the start for what the joints or other motions forbid: {} (remove "
        "one, or make it a servo; `grashof analyze` tells how many freedoms there are)",
        listed(names)));
    return;
  }
}

/// Rates of all coordinates that are left of some motion of all bodies, for the joints of `model`.
std::vector<double> ratesLeft(const Model& model) {
  PosedStart start(model, model.initialState());
  start.moveAll();
  start.projectTwists(0.0);
  return start.rates(model);
}

/// Couplings whose joints would move without couplings, and with them cannot.
void addLocked(const Model& model, std::vector<std::string>& remarks) {
  if (model.couplings.empty()) return;
  Model passive = model;
  for (Joint& joint : passive.joints)
    for (JointCoordinate& c : joint.coordinates) c.actuator.kind = Actuator::Kind::None;
  const std::vector<double> coupled = ratesLeft(passive);
  passive.couplings.clear();
  const std::vector<double> alone = ratesLeft(passive);
  const auto locked = [&](int joint, int coordinate) {
    const std::size_t i =
        static_cast<std::size_t>(model.coordinateStart[joint]) + static_cast<std::size_t>(coordinate);
    return std::abs(coupled[i]) < kLocked * std::abs(alone[i]);
  };
  std::vector<std::string> names;
  for (const Coupling& c : model.couplings)
    if (locked(c.jointA, c.coordinateA) && locked(c.jointB, c.coordinateB) &&
        std::all_of(c.more.begin(), c.more.end(),
                    [&](const CoordinateTerm& t) { return locked(t.joint, t.coordinate); }))
      names.push_back(
          fmt::format("'{}' ({}, {})", c.name, model.joints[c.jointA].name, model.joints[c.jointB].name));
  if (!names.empty())
    remarks.push_back(fmt::format(
        "couplings contradict each other or the joints, so that what they couple cannot move: {} (correct a "
        "ratio, or remove one; `grashof analyze` tells how many freedoms there are)",
        listed(names)));
}

/// Bodies whose given velocities the joints do not allow.
void addForbiddenVelocities(const Model& model, std::vector<std::string>& remarks) {
  const State given = model.initialState();
  if (std::all_of(given.twists.begin(), given.twists.end(), [](const Vec6& u) { return u.isZero(0.0); }))
    return;
  PosedStart start(model, model.initialState());
  start.projectTwists(0.0);
  const std::vector<Vec6>& allowed = start.state.twists;
  const auto energy = [](const Body& body, const Vec6& u) {
    return body.mass * u.head<3>().squaredNorm() + body.inertia.trace() * u.tail<3>().squaredNorm();
  };
  std::vector<std::string> names;
  for (std::size_t b = 0; b < given.twists.size(); ++b) {
    const Vec6 change = allowed[b] - given.twists[b];
    const Body& body = model.bodies[b];
    if (energy(body, change) <= kOpen * kOpen * energy(body, given.twists[b])) continue;
    if (given.twists[b].isZero(0.0)) continue;  // the joints move it along
    const auto left = [&](int part) {           // rounding is no speed
      const double from = given.twists[b].segment<3>(part).norm(), to = allowed[b].segment<3>(part).norm();
      return fmt::format("{:.3g} to {:.3g}", from, to > kLocked * given.twists[b].norm() ? to : 0.0);
    };
    names.push_back(fmt::format("'{}' ({} m/s, {} rad/s)", body.name, left(0), left(3)));
  }
  if (!names.empty())
    remarks.push_back(fmt::format(
        "joints or prescribed motions do not allow the given velocities of bodies, which start with the "
        "nearest that they allow: {} (speeds at the centres of mass; correct velocity and angular-velocity)",
        listed(names)));
}

void addUnused(const Model& model, std::vector<std::string>& remarks) {
  std::vector<char> used(model.signals.size(), 0);
  const auto use = [&](int signal) {
    if (signal >= 0) used[static_cast<std::size_t>(signal)] = 1;
  };
  for (const Joint& joint : model.joints)
    for (const JointCoordinate& coordinate : joint.coordinates) use(coordinate.actuator.signal);
  for (const ExternalWrench& wrench : model.wrenches) use(wrench.signal);
  for (const ForceElement& element : model.forces) {
    use(element.signal);
    use(element.lengthSignal);
  }
  std::vector<std::string> names;
  for (std::size_t s = 0; s < used.size(); ++s)
    if (!used[s] && !model.signals[s].name.empty()) names.push_back("'" + model.signals[s].name + "'");
  if (!names.empty())
    remarks.push_back(
        fmt::format("motions that nothing uses: {} (name them in the motion attribute of an actuator, wrench "
                    "or force element)",
                    listed(names)));
}

void addUnusedMotors(const Model& model, std::vector<std::string>& remarks) {
  std::vector<char> used(model.motors.size(), 0);
  for (const Joint& joint : model.joints)
    for (const JointCoordinate& c : joint.coordinates)
      if (c.actuator.motor >= 0) used[static_cast<std::size_t>(c.actuator.motor)] = 1;
  std::vector<std::string> names;
  for (std::size_t m = 0; m < used.size(); ++m)
    if (!used[m]) names.push_back("'" + model.motors[m].name + "'");
  if (!names.empty())
    remarks.push_back(fmt::format(
        "motors that nothing uses: {} (name them in the motor attribute of an actuator)", listed(names)));
}

void addMillimetres(const Model& model, std::vector<std::string>& remarks) {
  constexpr const char* kCure =
      "lengths look like millimetres, or the density is of another unit: without units in <scenario> lengths "
      "are in metres, masses in kilograms (units=\"mm deg kg\" says otherwise, and makes densities kg/mm³)";
  if (model.gravity.norm() > kLargestGravity) {
    remarks.push_back(fmt::format("gravity is {:.5g} m/s²: {}", model.gravity.norm(), kCure));
    return;
  }
  for (const Body& body : model.bodies) {
    const double radius = std::sqrt(0.5 * body.inertia.trace() / body.mass);
    if (body.mass > kLargestMass && radius > kLeastRadius) {
      remarks.push_back(fmt::format("body '{}' weighs {:.3g} kg: {}", body.name, body.mass, kCure));
      return;
    }
    if (radius < kLeastRadius || body.mass > kLeastDensity * radius * radius * radius) continue;
    remarks.push_back(
        fmt::format("body '{}' has a radius of gyration of {:.3g} m at {:.3g} kg, thinner than air: {}",
                    body.name, radius, body.mass, kCure));
    return;
  }
}

}  // namespace

std::vector<std::string> startRemarks(const Model& model) {
  std::vector<std::string> remarks;
  addOpenJoints(model, model.initialState(), remarks);
  addContradictions(model, remarks);
  addLocked(model, remarks);
  addForbiddenVelocities(model, remarks);
  addUnused(model, remarks);
  addUnusedMotors(model, remarks);
  addMillimetres(model, remarks);
  return remarks;
}

}  // namespace grashof
