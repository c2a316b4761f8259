#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/dynamics/rows/coordinate_rows.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// The interval rows of a hinge at the angle and rate 0 / `rate` with the inner elements `inner`.
struct HingeRows {
  DualProblem problem;
  std::vector<CoordinateRows> rows{1};
  double timestep = 0.0;

  explicit HingeRows(const std::string& inner, double rate = 0.0) {
    const Scenario s =
        test::scenarioOf(R"(<motor name="m" gear-ratio="2" stall-torque="4" no-load-speed="20"/>
      <motor name="weak" torque-limit="1"/><motion name="u" type="constant" value="1"/>
      <body name="arm"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
      <joint name="pivot" type="revolute" follower="arm" position="0 0 0" axis="0 1 0">)" +
                         inner + "</joint>");
    const Model& model = *s.model;
    State state = model.initialState();
    state.twists[0][4] = rate;
    std::vector<JointGeometry> geometry(1);
    std::vector<int> blocks(1);
    evaluateJoints(model, state.poses, state.coordinates, geometry);
    problem.inertia.resize(1);
    const StepContext step = contextOf(model.step, state);
    const RowContext context{model, step, geometry, state.twists, {}};
    assembleJointRows(context, problem, rows, blocks);
    assembleIntervalRows(context, blocks, problem, rows);
    timestep = model.step.timestep;
  }
};

}  // namespace

TEST_CASE("limits get rows when they are near or will be reached within four steps") {
  const std::string limit = R"(<limit lower="-1" upper="0.01"/>)";
  const HingeRows near(limit), swift(R"(<limit lower="-1" upper="0.1"/>)", 30.0),
      far(R"(<limit lower="-1" upper="0.1"/>)");
  CHECK(near.rows[0].upper >= 0);
  CHECK(near.rows[0].lower == -1);
  CHECK(near.problem.bias[near.rows[0].upper] == doctest::Approx(0.01 / near.timestep));
  CHECK(near.problem.intervals[0].lower == 0.0);
  CHECK(std::isinf(near.problem.intervals[0].upper));
  CHECK(near.problem.intervals[0].jacobianB[4] == doctest::Approx(-1.0));
  CHECK(swift.rows[0].upper >= 0);
  CHECK(far.problem.intervals.empty());
}

TEST_CASE("a servo with an effort limit is an interval row, without one part of the soft row") {
  const HingeRows limited(R"(<actuator type="position" motion="u" kp="20" kd="2" effort-limit="3"/>)"),
      free(R"(<actuator type="position" motion="u" kp="20" kd="2"/>)");
  REQUIRE(limited.rows[0].drive[0] >= 0);
  CHECK(limited.rows[0].soft == -1);
  CHECK(limited.problem.intervals[0].upper == doctest::Approx(3.0 * limited.timestep));
  CHECK(limited.problem.intervals[0].lower == -limited.problem.intervals[0].upper);
  REQUIRE(free.rows[0].soft >= 0);
  CHECK(free.rows[0].drive[0] == -1);
  CHECK(free.problem.bias[free.rows[0].soft] == limited.problem.bias[limited.rows[0].drive[0]]);
  CHECK(free.problem.compliance[free.rows[0].soft] == limited.problem.compliance[limited.rows[0].drive[0]]);
}

TEST_CASE("an effort on a torque-speed line is rows, a servo with one has a row for each ramp") {
  const HingeRows effort(R"(<actuator type="effort" motion="u" motor="m"/>)"),
      servo(R"(<actuator type="position" motion="u" kp="20" kd="2" motor="m"/>)"),
      limited(R"(<actuator type="effort" motion="u" motor="weak"/>)"),
      prescribed(R"(<actuator type="motion" motion="u" motor="m"/>)");
  // u = 1 N·m: constant between the lines, which are 8 N·m (1 ∓ v / (10 rad/s)) at the hinge.
  const CoordinateRows& rows = effort.rows[0];
  CHECK(rows.drive[kCommandRamp] == -1);
  REQUIRE(rows.drive[kUpperLineRamp] >= 0);
  REQUIRE(rows.drive[kLowerLineRamp] >= 0);
  const double dt = effort.timestep;
  CHECK(effort.problem.compliance[rows.drive[kUpperLineRamp]] == doctest::Approx(10.0 / 8.0 / dt));
  CHECK(effort.problem.bias[rows.drive[kUpperLineRamp]] == doctest::Approx(-10.0));
  const IntervalRow& upper = effort.problem.intervals[rows.drive[kUpperLineRamp] - effort.problem.jointRows];
  CHECK(upper.upper == doctest::Approx(1.0 * dt));
  CHECK(std::isinf(upper.lower));
  const IntervalRow& lower = effort.problem.intervals[rows.drive[kLowerLineRamp] - effort.problem.jointRows];
  CHECK(lower.lower == 0.0);
  CHECK(std::isinf(lower.upper));
  for (const int row : servo.rows[0].drive) CHECK(row >= 0);
  CHECK_FALSE(limited.rows[0].ramped());
  CHECK_FALSE(prescribed.rows[0].ramped());
  CHECK(prescribed.rows[0].driven >= 0);
}

TEST_CASE("an impedance of a limit or a sum acts on the acceleration of its coordinate, whatever turns") {
  // A slider on an arm that turns at Ω: r̈ = (1 - d) Ω² r - d (b ṙ + k (r - r₀)) beyond r₀, by Runge and
  // Kutta.
  constexpr double kRate = 10.0, kLimit = 0.2, kDuration = 0.1;
  constexpr double kD = 0.9, kTime = 0.02, kB = 2.0 / (kD * kTime), kK = kD / (kD * kD * kTime * kTime);
  const auto acceleration = [&](double r, double v) {
    const double free = kRate * kRate * r;
    return r > kLimit ? (1.0 - kD) * free - kD * (kB * v + kK * (r - kLimit)) : free;
  };
  double r = kLimit, v = 0.0;
  constexpr int kSteps = 100000;
  constexpr double h = kDuration / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double k1 = acceleration(r, v), v2 = v + 0.5 * h * k1, k2 = acceleration(r + 0.5 * h * v, v2);
    const double v3 = v + 0.5 * h * k2, k3 = acceleration(r + 0.5 * h * v2, v3);
    const double v4 = v + h * k3, k4 = acceleration(r + h * v3, v4);
    r += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  const std::string soft = fmt::format(R"(impedance="{} {} 0.001 0.5 2" reference="{} 1")", kD, kD, kTime);
  const std::string limit = fmt::format(R"(<limit upper="0" {}/>)", soft);
  const auto sum = [&](const char* side) {
    return fmt::format(R"(<tendon name="t" inextensible="true" {} length="0" {}>
      <term joint="slot" coefficient="1"/></tendon>)",
                       side, soft);
  };
  // In the joint, and beside it.
  const std::vector<std::pair<std::string, std::string>> elements = {
      {limit, ""}, {"", sum("")}, {"", sum(R"(unilateral="none")")}};
  for (const char* integrator : {"moreau", "euler"})
    for (const auto& element : elements) {
      CAPTURE(integrator);
      CAPTURE(element.first + element.second);
      const auto errorAt = [&](double timestep) {
        const Scenario s = test::scenarioOf(fmt::format(
            R"(<options gravity="0 0 0" integrator="{0}" timestep="{1}"/>
          <motion name="turn" type="series" interpolation="linear" samples="0 0 1 {2}"/>
          <body name="arm" angular-velocity="0 0 {2}"><inertial mass="1e6" inertia="1e6 1e6 1e6"/></body>
          <body name="bead" position="{3} 0 0" velocity="0 {4} 0" angular-velocity="0 0 {2}">
            <inertial mass="1" inertia="0.001 0.001 0.001"/></body>
          <joint name="shaft" type="revolute" follower="arm" axis="0 0 1">
            <actuator type="motion" motion="turn"/></joint>
          <joint name="slot" type="prismatic" base="arm" follower="bead" position="0 0 0" axis="1 0 0">
            {5}</joint>{6})",
            integrator, timestep, kRate, kLimit, kRate * kLimit, element.first, element.second));
        Simulator simulator(s.model, startState(*s.model));
        while (simulator.state().time < kDuration - 1e-9) simulator.step();
        return std::abs(simulator.state().poses[1].position.norm() - r);
      };
      const double coarse = errorAt(1e-3), fine = errorAt(2.5e-4);
      CHECK(coarse < 0.02 * (r - kLimit));
      CHECK(fine < 0.3 * coarse);
    }
  CHECK(r - kLimit > 5e-4);
}
