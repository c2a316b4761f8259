#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/geometric_stiffness.h"
#include "engine/dynamics/rows/step_context.h"
#include "engine/model/mechanism_size.h"
#include "tests/support.h"

// Every body, cut free: the change of its momentum over a step is the sum of all loads that are reported for
// it. The left side is known from the states and the masses alone.

using namespace grashof;

namespace {

/// What acts on the bodies over one step, [force (N); moment about the mass centre (N·m)], world axes. Two
/// instants: where the rows of the step stand, and its end, where twists are projected.
struct Acting {
  std::vector<Vec6> atRows, atEnd;
};

/// Adds the wrench of a joint, as it is reported in the joint's frame, to its two bodies.
void addJointWrench(const Joint& joint, std::span<const Pose> poses, const Vec6& load,
                    std::span<Vec6> acting) {
  const JointFrames frames = framesAt(joint, poses);
  const Vec3 force = frames.baseAxes * load.head<3>(), moment = frames.baseAxes * load.tail<3>();
  const auto add = [&](int body, double sign) {
    if (body < 0) return;
    const Vec3 arm = frames.followerPoint - poses[static_cast<std::size_t>(body)].position;
    acting[static_cast<std::size_t>(body)].head<3>() += sign * force;
    acting[static_cast<std::size_t>(body)].tail<3>() += sign * (moment + arm.cross(force));
  };
  add(joint.follower, 1.0);
  add(joint.base, -1.0);
}

/// Constraints, drives, springs, dampers, rotors, friction, limits and couplings: all causes.
void addJoints(const Simulator& s, Acting& acting) {
  for (std::size_t j = 0; j < s.model().joints.size(); ++j)
    for (std::size_t c = 0; c < kLoadCauses.size(); ++c) {
      addJointWrench(s.model().joints[j], s.record().poses, s.loads().joints()[j].atRows[c], acting.atRows);
      addJointWrench(s.model().joints[j], s.state().poses, s.loads().joints()[j].atEnd[c], acting.atEnd);
    }
}

void addContacts(const Simulator& s, Acting& acting) {
  for (std::size_t k = 0; k < s.contacts().size(); ++k) {
    const Contact& contact = s.contacts()[k];
    if (contact.ofJoint()) continue;  // in its load
    const Vec3 force = s.contactForce(static_cast<int>(k)), moment = s.contactMoment(static_cast<int>(k));
    const auto add = [&](int body, const Vec3& offset, double sign) {
      if (body < 0) return;
      const auto b = static_cast<std::size_t>(body);
      const Vec3 arm = contact.point - offset - s.record().poses[b].position;
      acting.atRows[b].head<3>() += sign * force;
      acting.atRows[b].tail<3>() += sign * (arm.cross(force) + moment);
    };
    add(contact.bodyA, contact.offsetA, -1.0);
    add(contact.bodyB, contact.offsetB, 1.0);
  }
}

void addGravity(const Simulator& s, Acting& acting) {
  for (std::size_t b = 0; b < acting.atRows.size(); ++b)
    acting.atRows[b].head<3>() += s.model().bodies[b].mass * s.model().gravity;
}

/// Wrenches of the model and of the inputs.
void addExternal(const Simulator& s, Acting& acting) {
  for (std::size_t b = 0; b < acting.atRows.size(); ++b) acting.atRows[b] += s.record().wrench[b];
}

/// Adds the impulse of a row on two bodies.
void addRow(const Simulator& s, int base, int follower, const JointRow& row, double impulse, Acting& acting) {
  const double force = impulse / s.record().step.timestep;
  if (base >= 0) acting.atRows[static_cast<std::size_t>(base)] += force * row.base;
  acting.atRows[static_cast<std::size_t>(follower)] += force * row.follower;
}

/// A force (N) along each straight part of a cable at both its ends, and what its drums take. Friction on a
/// pulley changes the force of all parts before it.
void addCable(const Simulator& s, const ForceElement& element, const ForceRow& row, Acting& acting) {
  const double dt = s.record().step.timestep, force = row.impulse / dt;
  const auto add = [&](int body, const Vec3& point, const Vec3& pull) {
    if (body < 0) return;
    const auto b = static_cast<std::size_t>(body);
    acting.atRows[b].head<3>() += pull;
    acting.atRows[b].tail<3>() += (point - s.record().poses[b].position).cross(pull);
  };
  const CableSpans spans = cableSpans(element.path, s.record().poses);
  double own = force;
  int rough = 0;
  for (std::size_t i = spans.count; i-- > 0;) {
    const CableSpan& span = spans.span[i];
    if (i + 1 < spans.count && element.path[span.supportB].friction > 0.0 && rough < row.roughRows)
      own -= s.solution().impulse[static_cast<std::size_t>(row.interval + ++rough)] / dt;
    add(span.bodyA, span.pointA, -own * span.direction);
    add(span.bodyB, span.pointB, own * span.direction);
  }
  CHECK(own == doctest::Approx(row.startImpulse / dt));
  for (const CoordinateTerm& t : element.terms) {
    const Joint& joint = s.model().joints[static_cast<std::size_t>(t.joint)];
    std::vector<JointGeometry> geometry(s.model().joints.size());
    evaluateJoints(s.model(), s.record().poses, s.state().coordinates, geometry);
    const JointRow& row = geometry[static_cast<std::size_t>(t.joint)].coordinateRow[t.coordinate];
    if (joint.base >= 0)
      acting.atRows[static_cast<std::size_t>(joint.base)] += force * t.coefficient * row.base;
    acting.atRows[static_cast<std::size_t>(joint.follower)] += force * t.coefficient * row.follower;
  }
}

/// Springs, dampers and other force elements, with what acts across taut lines; bushings.
void addElements(const Simulator& s, Acting& acting) {
  for (std::size_t i = 0; i < s.model().forces.size(); ++i) {
    const ForceElement& element = s.model().forces[i];
    const ForceRow& row = s.record().forces[i];
    // A force element is cut free at its points; cables are checked by their spans, not by their rows.
    if (element.path.empty())
      for (const RowTerm& t : row.rate)
        acting.atRows[static_cast<std::size_t>(t.body)] +=
            row.impulse / s.record().step.timestep * t.jacobian;
    else
      addCable(s, element, row, acting);
    for (const AcrossRows& across : row.across)
      for (std::size_t k = 0; k < across.row.size(); ++k)
        addRow(s, across.base, across.follower, across.row[k], across.split[k].total(s.solution().impulse),
               acting);
  }
  for (std::size_t i = 0; i < s.model().bushings.size(); ++i) {
    const Bushing& bushing = s.model().bushings[i];
    Joint frames;  // a bushing's force is reported as that of a joint
    frames.base = bushing.base;
    frames.follower = bushing.follower;
    frames.baseFrame = bushing.baseFrame;
    frames.followerFrame = bushing.followerFrame;
    const Vec6 force =
        bushingForce(bushing, s.record().bushings[i], s.record().step.timestep, s.record().poses);
    addJointWrench(frames, s.record().poses, force, acting.atRows);
  }
}

void addVelocityConstraints(const Simulator& s, Acting& acting) {
  for (std::size_t i = 0; i < s.model().velocityConstraints.size(); ++i) {
    const VelocityConstraint& c = s.model().velocityConstraints[i];
    const auto both = s.velocityConstraintForces(static_cast<int>(i));
    const auto add = [&](int body, double sign, const PointForce& load, std::span<const Pose> poses,
                         std::span<Vec6> on) {
      if (body < 0) return;
      const auto b = static_cast<std::size_t>(body);
      on[b].head<3>() += sign * load.force;
      on[b].tail<3>() += sign * (load.point - poses[b].position).cross(load.force);
    };
    for (const auto& [body, sign] : {std::pair(c.follower, 1.0), std::pair(c.base, -1.0)}) {
      add(body, sign, both[0], s.record().poses, acting.atRows);
      add(body, sign, both[1], s.state().poses, acting.atEnd);
    }
  }
}

/// The moments of `geometric-stiffness`, whose K is in the inertia of the step's problem.
void addGeometricStiffness(const Simulator& s, Acting& acting) {
  if (!s.model().step.geometricStiffness) return;
  const double dt = s.record().step.timestep;
  std::vector<InertiaBlock> inertia(acting.atRows.size());
  inertiaAt(s.model(), s.record().poses, inertia);
  for (std::size_t b = 0; b < inertia.size(); ++b) {
    const Mat3 stiffness =
        (s.problem().inertia[b].inertia - inertia[b].inertia) / (kGeometricInertia * dt * dt);
    acting.atRows[b].tail<3>() +=
        geometricMoment(stiffness, s.record().twistBefore[b], s.solution().twist[b], dt);
  }
}

/// One line for each kind of force that the engine knows.
using Contribution = void (*)(const Simulator&, Acting&);
constexpr std::array<Contribution, 7> kContributions = {addJoints,
                                                        addContacts,
                                                        addGravity,
                                                        addExternal,
                                                        addElements,
                                                        addGeometricStiffness,
                                                        addVelocityConstraints};

/// Momenta [m v; I ω] of the bodies at `poses`.
std::vector<Vec6> momenta(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists) {
  std::vector<InertiaBlock> inertia(model.bodies.size());
  inertiaAt(model, poses, inertia);
  std::vector<Vec6> all;
  for (std::size_t b = 0; b < inertia.size(); ++b) all.push_back(inertia[b].multiply(twists[b]));
  return all;
}

/// How far the loads of a step are from the change of momentum, and the largest of them; N, N·m over
/// `length`.
struct Balance {
  double error = 0.0, force = 0.0;
  std::string worst;
};

/// `before`: twists before the impulses of the step, where its rows stand. Both halves of the free motion
/// keep linear and angular momentum.
void addStep(const Simulator& s, double length, Balance& balance) {
  const Model& model = s.model();
  const StepContext& step = s.record().step;
  Acting acting{std::vector<Vec6>(model.bodies.size(), Vec6::Zero()),
                std::vector<Vec6>(model.bodies.size(), Vec6::Zero())};
  for (const Contribution add : kContributions) add(s, acting);
  const auto from = momenta(model, s.record().poses, s.record().twistBefore);
  const auto to = momenta(model, s.record().poses, s.solution().twist);
  // The free motion to the end of the step keeps momenta, then comes the projection of the twists.
  const auto& fromEnd = to;
  const auto toEnd = momenta(model, s.state().poses, s.state().twists);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Vec6 rows = (to[b] - from[b]) / step.timestep - acting.atRows[b];
    const Vec6 end = (toEnd[b] - fromEnd[b]) / step.timestep - acting.atEnd[b];
    for (const auto& [miss, where] : {std::pair(rows, "rows"), std::pair(end, "end")}) {
      const double error = std::max(miss.head<3>().norm(), miss.tail<3>().norm() / length);
      if (error <= balance.error) continue;
      balance.error = error;
      balance.worst =
          fmt::format("body {} at {} s, {}: {} {} {} N, {} {} {} N m", model.bodies[b].name, s.state().time,
                      where, miss[0], miss[1], miss[2], miss[3], miss[4], miss[5]);
    }
    balance.force = std::max(balance.force, model.bodies[b].mass * model.gravity.norm());
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Vec6 load = s.jointReaction(static_cast<int>(j));
    balance.force = std::max({balance.force, load.head<3>().norm(), load.tail<3>().norm() / length});
  }
}

Balance balanceOf(const Scenario& scenario, double duration) {
  Simulator simulator(steppedByImpulses(scenario.model), startState(*scenario.model));
  const double length = mechanismSize(*scenario.model);
  Balance balance;
  while (simulator.state().time < std::min(duration, scenario.duration) - 1e-9) {
    std::vector<Pose> poses = simulator.state().poses;
    std::vector<Vec6> twists = simulator.state().twists;
    simulator.step();
    if (simulator.diverged()) break;
    addStep(simulator, length, balance);
    // The step begins with the state that was left, by a free motion, which keeps momenta.
    const auto left = momenta(*scenario.model, poses, twists);
    const auto taken = momenta(*scenario.model, simulator.record().poses, simulator.record().twistBefore);
    for (std::size_t b = 0; b < twists.size(); ++b)
      CHECK((left[b] - taken[b]).norm() <= 1e-12 * std::max(1e-3, left[b].norm()));
  }
  return balance;
}

}  // namespace

TEST_CASE("every body of every scenario is in balance: its momentum changes by the loads that are reported" *
          doctest::test_suite("long")) {
  int scenarios = 0;
  for (const std::string folder : {"scenarios", "suite"})
    for (const auto& entry :
         std::filesystem::directory_iterator(test::sourceFolder() + "/assets/" + folder)) {
      if (entry.path().extension() != ".xml") continue;
      CAPTURE(entry.path().string());
      const Balance balance = balanceOf(readScenario(entry.path().string()), 0.1);
      CAPTURE(balance.worst);
      CHECK(balance.error <= std::max(1e-6 * balance.force, 1e-12));  // some weigh nothing
      ++scenarios;
    }
  CHECK(scenarios >= 39);
}

TEST_CASE(
    "all kinds of loads at once keep bodies in balance: elements, couplings, friction, stops, soft joints, "
    "Euler") {
  for (const std::string options : {"", "integrator='euler'", "projection='false'"}) {
    CAPTURE(options);
    const Scenario scenario = test::scenarioOf(fmt::format(
        R"(<options {}/><motion name="spin" type="sine" amplitude="3" frequency="2"/>
        <motion name="kinks" type="series" samples="0 0 0.05 0.02 0.1 0 0.15 0.02" interpolation="linear"/>
        <body name="wheel"><inertial mass="1" inertia="0.1 0.12 0.1"/></body>
        <body name="bob" position="0.3 0 -0.3"><inertial mass="0.5" inertia="0.01 0.01 0.02"/></body>
        <body name="rack" position="0 0.1 0.2"><inertial mass="0.7" inertia="0.01 0.01 0.01"/></body>
        <body name="car" position="1 0 0"><inertial mass="2" inertia="0.1 0.2 0.1"/></body>
        <body name="soft" position="2 0 0" angular-velocity="1 2 3"><inertial mass="1" inertia="0.1 0.2 0.3"/></body>
        <joint name="axle" type="revolute" follower="wheel" axis="0 1 0"><limit lower="-0.1" upper="0.1"/>
          <dynamics stiffness="4" damping="0.2" armature="0.05" friction="0.1"/>
          <actuator type="velocity" motion="spin" kd="2" effort-limit="2.5"/></joint>
        <joint name="hinge" type="revolute" base="wheel" follower="bob" position="0.3 0 0" axis="0 1 0">
          <dynamics damping="0.01" friction="0.05" friction-coefficient="0.2" journal-radius="0.02" thrust-radius="0.03"
            bearing-length="0.1" static-ratio="1.5"/></joint>
        <joint name="rail" type="prismatic" follower="rack" position="0 0.1 0.2" axis="1 0 0"/>
        <coupling name="mesh" type="rack-and-pinion" rack="rail" pinion="axle" radius="0.1" efficiency="0.7"/>
        <joint name="lift" type="prismatic" follower="car" position="1 0 0" axis="0 0 1">
          <dynamics armature="0.3"/><actuator type="motion" motion="kinks"/></joint>
        <joint name="ball" type="spherical" base="car" follower="soft" position="1.5 0 0" compliance="1e-5"/>
        <spring name="pull" body1="bob" body2="car" stiffness="40" damping="1" length="0.3"/>
        <cable name="rope" stiffness="1e4" damping="3" pretension="4"><point body="bob"/>
          <pulley body="wheel" position="0 0 0.5" axis="0 1 0" radius="0.05" friction="0.3"/><pulley body="car" axis="0 1 0" radius="0.1" position="0 0 0.6"/>
          <point body="soft" position="0.1 0 0"/><drum joint="rail" radius="0.5"/></cable>
        <cable name="leash" inextensible="true" length="0.42"><point body="bob" position="0 0.1 0"/><sphere body="wheel" radius="0.05" friction="0.2"/>
          <point position="0.3 0.2 0"/></cable>
        <tendon name="sum" stiffness="20" damping="0.1" length="0.1"><term joint="axle" coefficient="0.1"/>
          <term joint="hinge" coefficient="0.2"/><term joint="lift" coefficient="-1"/></tendon>
        <material name="felt" friction="0.5" friction-across="0.2" rolling-friction="0.01" torsional-friction="0.02"/>
        <shape type="plane" position="0 0 -2" material="felt" surface-velocity="0.3 0.1 0"/>
        <body name="ball" position="0 0 -1.9" velocity="0.5 0.2 0" angular-velocity="1 2 8">
          <shape type="sphere" radius="0.1" mass="0.4" material="felt" friction-direction="1 0 0"/></body>
        <body name="disc" position="3 0 0.1" velocity="0.5 0 0" angular-velocity="0 5 1"><inertial mass="1" inertia="0.003 0.005 0.003"/></body>
        <joint name="height" type="planar" follower="disc" position="3 0 0.1" axis="0 1 0"><clearance radial="0.001" friction="0.3"
          journal-radius="0.02" restitution="0.5"/></joint>
        <rolling name="roll" base="car" follower="disc" axis="0 1 0" radius="0.1"/>
        <knife-edge name="edge" base="disc" follower="bob" point="0 0.1 0" across="0 1 0"/>
        <motor name="servo" gear-ratio="3" efficiency="0.6" stall-torque="2" no-load-speed="30"/>
        <body name="fan" position="4 0 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
        <joint name="hub" type="revolute" follower="fan" position="4 0 0" axis="1 0 1"><actuator type="position" motion="spin"
          kp="3" kd="0.1" motor="servo"/></joint>
        <wrench name="push" body="bob" force="0.3 0.2 0.1" torque="0 0 0.01"/>)",
        options));
    const Balance balance = balanceOf(scenario, 0.3);
    CAPTURE(balance.worst);
    CHECK(balance.error <= 1e-9 * balance.force);
  }
}
