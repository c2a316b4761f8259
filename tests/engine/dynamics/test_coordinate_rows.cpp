#include "engine/dynamics/coordinate_rows.h"
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
