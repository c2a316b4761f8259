#include <array>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/dynamics/rows/equality_rows.h"
#include "engine/dynamics/smooth/constrained_motion.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A model at a state on its joints.
struct At {
  std::shared_ptr<const Model> model;
  State state;
  Inputs inputs;
  std::vector<Control> controls;
  ConstrainedMotion motion;

  At(std::shared_ptr<const Model> m, const State& s)
      : model(std::move(m)),
        state(Simulator(model, s).state()),
        inputs(neutralInputs(*model)),
        controls(static_cast<std::size_t>(model->coordinates())),
        motion(*model) {
    REQUIRE(roughPart(*model) == "");
    REQUIRE(motion.evaluate({state.time, state.poses, state.twists, state.coordinates, controls, inputs}));
  }
  /// The state a short time later (s), by accelerations that stay.
  State after(double h) const {
    State s = state;
    for (std::size_t b = 0; b < s.poses.size(); ++b) {
      const Vec6 a = motion.accelerations()[b];
      s.poses[b] = movePose(state.poses[b], state.twists[b] + 0.5 * h * a, h);
      s.twists[b] += h * a;
    }
    s.time += h;
    return s;
  }
  /// Velocities of the equality rows, less those of the motions.
  std::vector<double> rowRates(const State& s) const {
    std::vector<JointGeometry> geometry(model->joints.size());
    evaluateJoints(*model, s.poses, state.coordinates, geometry);
    DualProblem problem;
    problem.inertia.resize(s.poses.size());
    assembleEqualityRows(*model, geometry, s.time, EqualityTarget::Velocity, problem);
    std::vector<double> rate(static_cast<std::size_t>(problem.jointRows));
    rowVelocities(problem, s.twists, rate);
    for (std::size_t r = 0; r < rate.size(); ++r) rate[r] += problem.bias[r];
    return rate;
  }
  double energyAt(const State& s) const {
    std::vector<JointGeometry> geometry(model->joints.size());
    evaluateJoints(*model, s.poses, state.coordinates, geometry);
    return mechanicalEnergy(*model, s.time, s.poses, s.twists, geometry).total();
  }
};

/// The rows stay satisfied along the accelerations, and energy changes by the powers that are told.
void checkInstant(const At& at) {
  constexpr double kStep = 1e-5;
  double size = 1.0;
  for (const Vec6& a : at.motion.accelerations()) size = std::max(size, a.norm());
  const auto more = at.rowRates(at.after(kStep)), less = at.rowRates(at.after(-kStep));
  for (std::size_t r = 0; r < more.size(); ++r)
    CHECK(std::abs(more[r] - less[r]) / (2.0 * kStep) < 1e-6 * size);
  const double change = (at.energyAt(at.after(kStep)) - at.energyAt(at.after(-kStep))) / (2.0 * kStep);
  const EnergyFlow& power = at.motion.power();
  const double told = power.actuators + power.external - power.dissipated;
  CHECK(std::abs(change - told) < 1e-6 * (size + std::abs(told)));
}

}  // namespace

TEST_CASE("accelerations keep the rows of every type of joint") {
  test::Random random(5);
  for (const JointType* type : jointTypes())
    for (int trial = 0; trial < 3; ++trial) {
      const std::string name(type->name());
      CAPTURE(name);
      // The ends of a rod are given apart.
      const std::string frames =
          name == "distance"
              ? "><base-frame position='0.2 0 0.1'/><follower-frame position='0 0.1 0'/></joint>"
              : " position='0.3 0.1 0.3'/>";
      const Scenario s = test::scenarioOf(
          "<body name='a' position='0.1 0.2 0.3'><inertial mass='2' inertia='0.05 0.08 0.06'/></body>"
          "<body name='b' position='0.6 0.1 0.4'><inertial mass='1.5' inertia='0.03 0.02 0.04'/></body>"
          "<joint name='wa' type='spherical' base='world' follower='a' position='0 0 0'/>"
          "<joint name='ab' type='" +
          name + "' base='a' follower='b'" + frames);
      State start = startState(*s.model);
      for (Vec6& u : start.twists) u = 2.0 * random.twist();
      checkInstant({s.model, start});
    }
}

TEST_CASE(
    "accelerations with all that is smooth keep the rows, and energy changes by the powers that are told") {
  for (const std::string name :
       {"all-joints", "andrews-squeezer", "differential", "flyball-governor", "gear-train", "force-elements",
        "neck", "slider-crank", "stewart-platform", "tendon-finger"}) {
    CAPTURE(name);
    const Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    Simulator simulator(s.model, startState(*s.model));
    for (int i = 0; i < 120; ++i) simulator.step();
    REQUIRE(!simulator.diverged());
    checkInstant({s.model, simulator.state()});
  }
}

TEST_CASE("a pendulum turns by m g l sin over its moment, and its pin carries weight and centripetal force") {
  const Scenario s = test::scenarioOf(
      "<body name='bob' position='0.3 0 -0.4' angular-velocity='0 2 0'><inertial mass='2' inertia='0.1 0.2 "
      "0.3'/></body>"
      "<joint name='pin' type='revolute' follower='bob' position='0 0 0' axis='0 1 0'/>");
  At at(s.model, startState(*s.model));
  const double length = 0.5, moment = 0.2 + 2.0 * length * length;
  const double turn = 2.0 * test::kGravity * 0.3 / moment;
  CHECK(at.motion.accelerations()[0][4] == doctest::Approx(turn).epsilon(1e-10));
  StepRecord record(*s.model);
  record.step = contextOf(s.model->step, at.state);
  at.motion.writeRecord({0.0, at.state.poses, at.state.twists, at.state.coordinates, at.controls, at.inputs},
                        record);
  Vec3 force = Vec3::Zero();
  for (int r = 0; r < 3; ++r)
    force += record.solution.impulse[static_cast<std::size_t>(r)] / record.step.timestep *
             at.motion.geometry()[0].constraintRow[static_cast<std::size_t>(r)].follower.head<3>();
  const Vec3 arm(0.3, 0.0, -0.4), spin = at.state.twists[0].tail<3>(), acceleration(0.0, turn, 0.0);
  const Vec3 expected =
      2.0 * (acceleration.cross(arm) + spin.cross(spin.cross(arm)) + Vec3(0.0, 0.0, test::kGravity));
  CHECK((force - expected).norm() < 1e-9);
  // The impulses of a record solve its problem.
  std::vector<double> velocity(static_cast<std::size_t>(record.problem.rows()));
  std::vector<Vec6> change(1, Vec6::Zero());
  addRowWrenches(record.problem, record.solution.impulse, change);
  const Vec6 after = record.problem.freeTwist[0] + record.problem.inertia[0].solve(change[0]);
  rowVelocities(record.problem, std::span(&after, 1), velocity);
  for (std::size_t r = 0; r < velocity.size(); ++r)
    CHECK(std::abs(velocity[r] + record.problem.bias[r]) < 1e-12);
}

TEST_CASE("what is not smooth is named") {
  const auto rough = [](const std::string& inner) { return roughPart(*test::scenarioOf(inner).model); };
  const std::string body =
      "<body name='b' position='0.3 0 0'><inertial mass='2' inertia='0.1 0.2 0.3'/></body>";
  const auto joint = [&](const std::string& inner) {
    return body + "<joint name='hinge' type='revolute' follower='b' position='0 0 0' axis='0 1 0'>" + inner +
           "</joint>";
  };
  CHECK(rough(joint("<dynamics friction='0.1'/>")) == "dry friction of joint 'hinge'");
  CHECK(rough(joint("<limit lower='-1' upper='1'/>")) == "");
  CHECK(rough(body + "<options projection='false'/>") == "joints that are not projected");
}
