#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"
#include "tests/engine/dynamics/derivative/step_differences.h"
#include "tests/support.h"

using namespace grashof;
using namespace grashof::test;

namespace {

/// After some steps of a run from a state with random rates.
double errorAfter(const std::string& inner, int steps, const std::vector<double>& control = {}) {
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
  // Differences of steps have an error of their own, which rounding makes 0.9e-6 with one compiler and 1.1e-6
  // with another.
  CHECK(errorAfter(with("", drive("type='position' kp='30' kd='2'"), drive("type='velocity' kd='4'")), 200,
                   {0.9, -0.3}) < 2e-6);
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
  // 1.4e-6 of the differences, by rounding: three times as wide ones agree to 2e-7.
  CHECK(file("fourbar-fixed", 100, 0.5) < 3e-6);
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
  CHECK(errorAfter(fmt::format(fmt::runtime(chain), "erp='0.3' cfm='1e-4'"), 200) < 1e-6);
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
  CHECK(slider("<limit upper='0.05' erp='0.4' cfm='0.1'/>", "", 400) < 1e-6);
  CHECK(slider("<dynamics friction='4'/>", "", 50) < 1e-6);   // slides
  CHECK(slider("<dynamics friction='9'/>", "", 800) < 1e-6);  // sticks
  CHECK(slider("<dynamics friction='3' static-ratio='1.5' stribeck-speed='0.3'/>", "", 20) < 1e-6);
}

TEST_CASE("derivatives of a step with impedances of limits and joints are differences of steps") {
  // They count how the rate changes as the joint turns and its bodies tumble.
  const std::string soft = "impedance='0.85 0.95 0.02 0.5 2' reference='0.03 0.8'";
  const auto arm = [&](const char* integrator, const std::string& limit, const std::string& joint) {
    return errorAfter(fmt::format(
                          R"(<options integrator="{}"/>
             <body name="a" position="0.3 0 0.1" angular-velocity="0 0 6"><inertial mass="2" inertia="0.05 0.08 0.06"/></body>
             <body name="b" position="0.7 0.1 0" velocity="0.3 2 0" angular-velocity="0 0 6"><inertial mass="1.4" inertia="0.03 0.05 0.04"/></body>
             <joint name="yaw" type="revolute" follower="a" axis="0.2 0 1" {}/>
             <joint name="slide" type="prismatic" base="a" follower="b" position="0.4 0 0" axis="1 0.3 0">{}</joint>)",
                          integrator, joint, limit),
                      60);
  };
  for (const char* integrator : {"moreau", "euler"}) {
    CAPTURE(integrator);
    CHECK(arm(integrator, "<limit upper='-0.001' " + soft + "/>", "") < 1e-6);
    CHECK(arm(integrator, "<limit lower='0.001' upper='0.002' " + soft + "/>", "") < 1e-6);
    CHECK(arm(integrator, "", soft) < 1e-6);
    CHECK(arm(integrator, "<limit upper='-0.001' " + soft + "/>", soft) < 1e-6);
  }
}

TEST_CASE("derivatives of a step with contacts are differences of steps") {
  // What rests stands at a kink: rigid contacts are looked at a little beside it.
  const auto body = [](const std::string& shape, const std::string& pose, const std::string& velocity,
                       const std::string& ground, const std::string& options = {}) {
    CAPTURE(shape + pose + velocity + ground + options);
    const Scenario s =
        test::scenarioOf("<options " + options + "/><material name='m' " + ground +
                         "/><shape type='plane' material='m'/>" + "<body name='a' " + pose + " " + velocity +
                         "><shape " + shape + " density='1000' material='m'/></body>");
    const auto model = accurate(*s.model);
    return derivativeError(model, s.model->initialState(), neutralInputs(*model), 1e-7);
  };
  const std::string box = "type='box' size='0.2 0.3 0.1'", ball = "type='sphere' radius='0.1'";
  const std::string low = "position='0 0 0.049999'", high = "position='0 0 0.050002'";
  const std::string tilted = "position='0 0 0.08' euler='10 20 30'", ballLow = "position='0 0 0.099999'";
  const std::string slides = "velocity='0.7 0.2 0' angular-velocity='0 0 0.3'";
  CHECK(body(box, low, "", "friction='0.5'") < 1e-5);      // four points stick
  CHECK(body(box, high, "", "friction='0.5'") < 1e-5);     // and close
  CHECK(body(box, low, slides, "friction='0.3'") < 1e-5);  // slide
  CHECK(body(box, low, slides, "friction='0.3' friction-across='0.1'") < 1e-5);
  CHECK(body(ball, ballLow, "velocity='0.5 0 0'", "friction='0.3'") < 1e-5);  // slides
  CHECK(body(ball, ballLow, "velocity='0.5 0 0' angular-velocity='0 5 0'", "friction='0.3'") <
        1e-5);  // rolls
  CHECK_THROWS_WITH_AS(body(ball, "position='0 0 0.1006'", "velocity='0.5 0.1 -2'", "restitution='0.7'"),
                       doctest::Contains("surfaces meet"), CallError);
  CHECK(body(ball, ballLow, "velocity='0.5 0.1 -0.2'",
             "friction='0.3' stiffness='1e7' exponent='1.5' hunt-crossley='0.4'") < 1e-5);
  CHECK(body(ball, ballLow, "velocity='0.5 0.1 -0.002'",
             "friction='0.3' static-ratio='1.5' stribeck-speed='0.3'") < 1e-5);
  CHECK(body(ball, ballLow, "velocity='0.5 0.1 -2'", "friction='0.3' compliance='1e-5'") < 1e-5);
  CHECK(body(ball, ballLow, "velocity='0.5 0.1 -0.2'", "friction='0.3' stiffness='1e6' hunt-crossley='0.4'") <
        1e-5);
  CHECK(body(ball, ballLow, "velocity='0.5 0.1 -0.2'",
             "friction='0.3' stiffness='1e6' relaxation-time='1e-3'") < 1e-5);
  CHECK(body(ball, ballLow, "velocity='0.5 0.1 -0.2'",
             "friction='0.3' stiffness='1e6' tangential-stiffness='1e5'") < 1e-5);
}

TEST_CASE("derivatives of a step of boxes that stand edge upon edge are those of contacts that stay") {
  const Scenario s = test::scenarioOf(
      R"(<shape type='plane'/>
         <body name='a' position='0 0 0.099999'><shape type='box' size='0.2 0.2 0.2' mass='1'/></body>
         <body name='b' position='0 0 0.299997'><shape type='box' size='0.2 0.2 0.2' mass='3'/></body>)");
  const auto model = accurate(*s.model);
  const State state = startState(*model);
  StepLinearizer linearizer(model);
  const StepDerivative d = linearizer.linearize(state, neutralInputs(*model));
  for (const int column : {14, 20}) {  // vertical speeds: they move no edge
    const VecX move = 1e-7 * VecX::Unit(24, column);
    const auto next = [&](double sign) {
      Simulator simulator(model, state);
      simulator.setState(alongTangent(state, sign * move));
      simulator.step();
      return simulator.state();
    };
    const VecX slope = tangentBetween(next(-1.0), next(1.0)) / 2e-7;
    CHECK((d.state.col(column) - slope).cwiseAbs().maxCoeff() < 1e-5);
  }
}

TEST_CASE("the derivative of a step by a parameter is a difference of steps of two models") {
  const std::string scene =
      R"(<material name='m' friction='0.3'/><material name='soft' friction='0.4' stiffness='1e5' hunt-crossley='0.2'/>
         <shape type='plane' material='m'/>
         <body name='a' position='0.3 0 0.1' angular-velocity='0.4 0 2'><inertial mass='2' inertia='0.05 0.08 0.06'/></body>
         <body name='b' position='0.7 0.1 0'><inertial mass='1.4' inertia='0.03 0.05 0.04'/></body>
         <joint name='yaw' type='revolute' follower='a' axis='0.2 0 1'><dynamics armature='0.2' damping='0.3' stiffness='90' rest='0.8'/></joint>
         <joint name='slide' type='prismatic' base='a' follower='b' position='0.4 0 0' axis='1 0.3 0'><dynamics stiffness='50'/></joint>
         <body name='c' position='3 0 0.04999' velocity='0.7 0.2 0' angular-velocity='0 0 0.3'><shape type='box' size='0.2 0.3 0.1' density='1000' material='m'/></body>
         <body name='d' position='5 0 0.0999' velocity='0.7 0.2 0'><shape type='sphere' radius='0.1' mass='3' material='soft'/></body>)";
  const Scenario s = test::scenarioOf(scene);
  const auto model = accurate(*s.model);
  Simulator run(model, startState(*model));
  for (int i = 0; i < 3; ++i) run.step();
  const State state = run.state();
  const Inputs inputs = run.inputs();
  StepLinearizer linearizer(model);
  linearizer.set(state, inputs);
  const auto error = [&](double size, const auto& change) {
    const double h = 1e-4 * size;
    const auto with = [&](double by) {
      auto changed = std::make_shared<Model>(*model);
      change(*changed, by);
      return changed;
    };
    const auto next = [&](double by) {
      Simulator simulator(with(by), state);
      simulator.setState(state);
      simulator.step();
      REQUIRE(!simulator.diverged());
      return simulator.state();
    };
    const VecX slope = tangentBetween(next(-h), next(h)) / (2.0 * h);
    const VecX found = linearizer.byParameter(with(-h), with(h), 2.0 * h);
    CHECK(slope.norm() > 0.0);
    return (found - slope).cwiseAbs().maxCoeff() / slope.cwiseAbs().maxCoeff();
  };
  CHECK(error(1.0, [](Model& m, double by) { m.bodies[0].mass += by; }) < 1e-5);
  CHECK(error(0.5, [](Model& m, double by) { m.bodies[0].inertia(2, 2) += by; }) < 1e-5);
  CHECK(error(500.0, [](Model& m, double by) { m.joints[1].coordinates[0].passive.stiffness += by; }) < 1e-5);
  CHECK(error(0.1, [](Model& m, double by) { m.joints[0].coordinates[0].passive.damping += by; }) < 1e-5);
  CHECK(error(0.1, [](Model& m, double by) { m.joints[0].coordinates[0].passive.armature += by; }) < 1e-5);
  CHECK(error(0.1, [](Model& m, double by) { m.joints[1].baseFrame.position.y() += by; }) < 1e-5);
  CHECK(error(50.0, [](Model& m, double by) { m.gravity.z() += by; }) < 1e-5);
  CHECK(error(0.1, [](Model& m, double by) {
          for (Shape& shape : m.shapes) shape.radius += by;
        }) < 1e-5);
  const auto surfaces = [](auto change) {
    return [change](Model& m, double by) {
      for (SurfacePair& pair : m.surfaceTable) change(pair, by);
    };
  };
  CHECK(error(0.1, surfaces([](SurfacePair& pair, double by) { pair.friction += by; })) < 1e-5);
  CHECK(error(1e5, surfaces([](SurfacePair& pair, double by) {
                if (pair.law.yields()) pair.law.stiffness += by;
              })) < 1e-5);
  CHECK(error(0.1, surfaces([](SurfacePair& pair, double by) {
                if (pair.law.yields()) pair.law.huntCrossley += by;
              })) < 1e-5);
  auto other = std::make_shared<Model>(*model);
  other->bodies.pop_back();
  CHECK_THROWS_WITH_AS(linearizer.byParameter(other, other, 1.0), doctest::Contains("same bodies"),
                       CallError);
}

TEST_CASE("what a step is not differentiated through is refused in words") {
  const std::string box =
      "<body name='a' position='0 0 0.1'>{}<inertial mass='2' inertia='0.01 0.01 0.01'/></body>";
  const auto linearize = [&](const std::string& rest, const std::string& shape = {}) {
    const Scenario s = test::scenarioOf(fmt::format(fmt::runtime(box), shape) + rest);
    return StepLinearizer(s.model).linearize(s.model->initialState(), neutralInputs(*s.model));
  };
  const std::string box2 = "<shape type='box' size='0.2 0.2 0.2'/>";
  CHECK_THROWS_WITH_AS(linearize("<shape type='plane'/><solver name='PGS-CCP'/>", box2),
                       doctest::Contains("contacts by the solver PGS-CCP"), CallError);
  CHECK_THROWS_WITH_AS(
      linearize("<material name='m' rolling-friction='0.01'/><shape type='plane' material='m'/>", box2),
      doctest::Contains("depends on loads"), CallError);
  CHECK_NOTHROW(linearize("<shape type='plane'/>", "<shape type='box' size='0.2 0.2 0.1'/>"));
  CHECK_THROWS_WITH_AS(linearize("<material name='m' hydroelastic-modulus='1e6'/>",
                                 "<shape type='box' size='0.2 0.2 0.2' material='m'/>"),
                       doctest::Contains("contact patches"), CallError);
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
