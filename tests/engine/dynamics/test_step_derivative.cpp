#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/simulator.h"
#include "engine/dynamics/step_derivative.h"
#include "engine/scenario/scenario.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Tangent coordinates of `to` seen from `from`.
VecX tangentBetween(const State& from, const State& to) {
  const auto bodies = static_cast<Eigen::Index>(from.poses.size());
  VecX x(12 * bodies);
  for (Eigen::Index b = 0; b < bodies; ++b) {
    const auto body = static_cast<std::size_t>(b);
    x.segment<3>(6 * b) = to.poses[body].position - from.poses[body].position;
    x.segment<3>(6 * b + 3) = logRotation(to.poses[body].rotation * from.poses[body].rotation.conjugate());
    x.segment<6>(6 * (bodies + b)) = to.twists[body] - from.twists[body];
  }
  return x;
}

State alongTangent(const State& state, const VecX& x) {
  const auto bodies = static_cast<Eigen::Index>(state.poses.size());
  State moved = state;
  for (Eigen::Index b = 0; b < bodies; ++b) {
    const auto body = static_cast<std::size_t>(b);
    moved.poses[body] = movePose(state.poses[body], x.segment<6>(6 * b), 1.0);
    moved.twists[body] += x.segment<6>(6 * (bodies + b));
  }
  return moved;
}

/// Steps as accurate as rounding allows, so that differences of them are.
std::shared_ptr<const Model> accurate(const Model& model) {
  auto copy = std::make_shared<Model>(model);
  copy->step.projectionTolerance = 1e-14;
  copy->solver.tolerance = 1e-13;
  copy->step.divergenceEnergy = 1e12;  // states beside the joints are projected
  return copy;
}

/// Largest difference of A and B from central differences of real steps of fourth order, over the largest
/// entry of the rows of the same unit.
double derivativeError(const std::shared_ptr<const Model>& model, const State& state, const Inputs& inputs) {
  StepLinearizer linearizer(model);
  const StepDerivative d = linearizer.linearize(state, inputs);
  Simulator simulator(model, state);
  const auto next = [&](const State& from, const Inputs& with) {
    simulator.inputs() = with;
    simulator.setState(from);
    simulator.step();
    REQUIRE(!simulator.diverged());
    return simulator.state();
  };
  CHECK(tangentBetween(d.next, next(state, inputs)).norm() == 0.0);
  const Eigen::Index n = d.state.rows(), m = d.control.cols();
  const double h = 1e-4;
  double worst = 0.0;
  for (Eigen::Index c = 0; c < n + m; ++c) {
    VecX slope = VecX::Zero(n);
    for (const auto& [steps, weight] : {std::pair(-2.0, 1.0), {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}) {
      Inputs with = inputs;
      State from = state;
      if (c < n)
        from = alongTangent(state, steps * h * VecX::Unit(n, c));
      else
        with.control[static_cast<std::size_t>(c - n)] += steps * h;
      slope += weight / (12.0 * h) * tangentBetween(d.next, next(from, with));
    }
    const VecX found = c < n ? d.state.col(c) : d.control.col(c - n);
    for (const auto& [first, size] : {std::pair(Eigen::Index(0), n / 2), {n / 2, n / 2}}) {
      const double scale = std::max(slope.segment(first, size).cwiseAbs().maxCoeff(), c < n ? 1.0 : 1e-6);
      worst = std::max(worst, (slope - found).segment(first, size).cwiseAbs().maxCoeff() / scale);
    }
  }
  return worst;
}

/// After some steps of a run from a state with random rates.
double errorAfter(const std::string& inner, int steps, std::vector<double> control = {}) {
  const Scenario s = test::scenarioOf(inner);
  const auto model = accurate(*s.model);
  Simulator simulator(model, startState(*model));
  if (!control.empty()) simulator.inputs().control = control;
  for (int i = 0; i < steps; ++i) simulator.step();
  REQUIRE(!simulator.diverged());
  return derivativeError(model, simulator.state(), simulator.inputs());
}

const std::string kTwoLinks =
    R"(<motion name="u" type="constant" value="0.4"/>
       <body name="a" position="0.3 0 0.1" angular-velocity="0 0 0"><inertial mass="2" inertia="0.05 0.08 0.06"/></body>
       <body name="b" position="0.7 0.1 0"><inertial mass="1.4" inertia="0.03 0.05 0.04"/></body>)";

}  // namespace

TEST_CASE("derivatives of a step of a free body are differences of steps") {
  const Scenario s =
      test::scenarioOf(R"(<body name="top"><inertial mass="2" inertia="0.1 0.2 0.25"/></body>)");
  State state = s.model->initialState();
  state.twists[0] << 1.0, -2.0, 0.5, 3.0, 2.0, -4.0;
  CHECK(derivativeError(accurate(*s.model), state, neutralInputs(*s.model)) < 1e-8);
}

TEST_CASE("derivatives of a step through joints, springs, rotors and drives are differences of steps") {
  const std::string joints =
      R"(<joint name="yaw" type="revolute" follower="a" axis="0.2 0 1"><dynamics armature="0.2"/>{}</joint>
         <joint name="slide" type="prismatic" base="a" follower="b" position="0.4 0 0" axis="1 0.3 0"><dynamics stiffness="50" damping="2"/>{}</joint>)";
  const auto drive = [](const std::string& attributes) {
    return "<actuator motion='u' " + attributes + "/>";
  };
  const auto with = [&](const std::string& options, const std::string& yaw, const std::string& slide) {
    return options + kTwoLinks + fmt::format(fmt::runtime(joints), yaw, slide);
  };
  const std::string effort = drive("type='effort'");
  CHECK(errorAfter(with("", effort, effort), 300, {1.5, -0.7}) < 1e-6);
  CHECK(errorAfter(with("", drive("type='position' kp='30' kd='2'"), drive("type='velocity' kd='4'")), 200,
                   {0.9, -0.3}) < 1e-6);
  // One drive at its limit, one below.
  CHECK(errorAfter(with("", drive("type='position' kp='300' kd='2' effort-limit='5'"),
                        drive("type='velocity' kd='4' effort-limit='80'")),
                   50, {2.9, -0.3}) < 1e-6);
  // The prescribed one by its signal.
  CHECK(errorAfter(with("", "", drive("type='motion'")), 100) < 1e-6);
}

TEST_CASE(
    "derivatives of a step of loops, couplings, soft joints and Euler's rule are differences of steps") {
  const auto file = [](const char* name, int steps, double speed, const std::vector<double>& control = {}) {
    CAPTURE(std::string(name));
    const Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    const auto model = accurate(*s.model);
    Simulator simulator(model, startState(*model));
    for (int i = 0; i < steps; ++i) simulator.step();
    REQUIRE(!simulator.diverged());
    State state = simulator.state();
    test::Random random(7);
    for (Vec6& u : state.twists) u += speed * random.twist();
    simulator.setState(state);
    simulator.project();
    if (!control.empty()) simulator.inputs().control = control;
    return derivativeError(model, simulator.state(), simulator.inputs());
  };
  CHECK(file("fourbar-fixed", 100, 0.5) < 1e-6);
  CHECK(file("double-pendulum", 300, 0.5) < 1e-6);
  CHECK(file("slider-crank", 50, 0.0) < 1e-6);
  CHECK(file("gear-train", 50, 0.2, {0.3}) < 1e-6);
  CHECK(file("all-joints", 50, 0.1) < 1e-6);
  const std::string chain =
      R"(<body name="a" position="0.3 0 0.1"><inertial mass="2" inertia="0.05 0.08 0.06"/></body>
         <body name="b" position="0.7 0.1 0"><inertial mass="1.4" inertia="0.03 0.05 0.04"/></body>
         <joint name="ball" type="spherical" follower="a"/>
         <joint name="cross" type="universal" base="a" follower="b" position="0.5 0 0" axis="0 1 0" {}/>)";
  CHECK(errorAfter("<options integrator='euler'/>" + fmt::format(fmt::runtime(chain), ""), 200) < 1e-6);
  CHECK(errorAfter(fmt::format(fmt::runtime(chain), "compliance='1e-5'"), 200) < 1e-6);
}

TEST_CASE("derivatives of a step at limits and with dry friction are differences of steps") {
  const auto slider = [](const std::string& inner, const std::string& joint, int steps) {
    return errorAfter(
        "<options gravity='3 0 -9'/><body name='a' velocity='0.4 0 0'><inertial mass='2' inertia='0.05 0.08 "
        "0.06'/></body><joint name='rail' type='prismatic' follower='a' axis='1 0 0'>" +
            inner + "</joint>" + joint,
        steps);
  };
  // 0.4 t + 1.5 t² = 0.05015, near the end of a step: the gap at its rows is wider than the differences.
  const int arrival = static_cast<int>(1000.0 * (std::sqrt(0.16 + 4.0 * 1.5 * 0.05015) - 0.4) / 3.0);
  CHECK(slider("<limit upper='0.05'/>", "", 20) < 1e-6);          // near it, and free
  CHECK(slider("<limit upper='0.05015'/>", "", arrival) < 1e-6);  // reaches it in this step
  CHECK(slider("<limit upper='0.05' compliance='1e-4'/>", "", 400) < 1e-6);
  CHECK(slider("<dynamics friction='4'/>", "", 50) < 1e-6);   // slides
  CHECK(slider("<dynamics friction='9'/>", "", 800) < 1e-6);  // sticks
  CHECK(slider("<dynamics friction='3' static-ratio='1.5' stribeck-speed='0.3'/>", "", 20) < 1e-6);
}

TEST_CASE("what a step is not differentiated through is refused in words") {
  const std::string box =
      "<body name='a' position='0 0 0.1'>{}<inertial mass='2' inertia='0.01 0.01 0.01'/></body>";
  const auto linearize = [&](const std::string& rest, const std::string& shape = {}) {
    const Scenario s = test::scenarioOf(fmt::format(fmt::runtime(box), shape) + rest);
    return StepLinearizer(s.model).linearize(s.model->initialState(), neutralInputs(*s.model));
  };
  CHECK_THROWS_WITH_AS(linearize("<shape type='plane'/>", "<shape type='box' size='0.2 0.2 0.2'/>"),
                       doctest::Contains("contacts that act"), CallError);
  CHECK_NOTHROW(linearize("<shape type='plane'/>", "<shape type='box' size='0.2 0.2 0.1'/>"));
  CHECK_THROWS_WITH_AS(linearize("<spring name='s' body2='a' stiffness='5'/>"),
                       doctest::Contains("force elements"), CallError);
  CHECK_THROWS_WITH_AS(linearize("<joint name='j' type='revolute' follower='a' axis='0 1 0'><dynamics "
                                 "armature='1'/></joint><options integrator='euler'/>"),
                       doctest::Contains("Euler"), CallError);
  CHECK_THROWS_WITH_AS(linearize("<joint name='j' type='revolute' follower='a' axis='0 1 0'><dynamics "
                                 "friction-coefficient='0.1' journal-radius='0.01'/></joint>"),
                       doctest::Contains("depends on loads"), CallError);
  const Scenario s =
      test::scenarioOf("<motion name='u' type='constant' value='0'/>" + fmt::format(fmt::runtime(box), "") +
                       "<joint name='j' type='revolute' follower='a' axis='0 1 0'><actuator type='motion' "
                       "motion='u'/></joint>");
  CHECK_THROWS_WITH_AS(linearize("<joint name='j' type='prismatic' follower='a' axis='0 0 1'><limit "
                                 "lower='0.01'/></joint>"),
                       doctest::Contains("takes back a crossed limit"), CallError);
  Inputs inputs = neutralInputs(*s.model);
  inputs.control[0] = 0.1;
  CHECK_THROWS_WITH_AS(StepLinearizer(s.model).linearize(s.model->initialState(), inputs),
                       doctest::Contains("by a control"), CallError);
  State broken = s.model->initialState();
  broken.twists.clear();
  CHECK_THROWS_AS(StepLinearizer(s.model).linearize(broken, neutralInputs(*s.model)), CallError);
}
