#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Two carts, each with an effort, a third one with a servo, and a spring between the first two.
Scenario carts(const std::string& controls) {
  std::string bodies;
  for (const char name : {'a', 'b', 'c'})
    bodies += fmt::format(R"(<body name="{}" position="0 {} 0"><inertial mass="2" inertia="1 1 1"/></body>)",
                          name, name - 'a');
  return test::scenarioOf(
      R"(<options gravity="0 0 0"/><motion name="one" type="constant" value="1"/><motion name="none" type="constant" value="0"/>)" +
      bodies + R"(
    <joint name="A" type="prismatic" follower="a" axis="1 0 0"><actuator type="effort" motion="one"/></joint>
    <joint name="B" type="prismatic" follower="b" axis="1 0 0"><actuator type="effort" motion="one"/></joint>
    <joint name="C" type="prismatic" follower="c" axis="1 0 0"><actuator type="position" motion="one" kp="50" kd="20"/></joint>
    <tendon name="t" motion="none"><term joint="A" coefficient="1"/><term joint="B" coefficient="-1"/></tendon>)" +
      controls);
}

std::string messageOf(const std::string& controls) {
  try {
    carts(controls);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("named controls come in their order, then the actuators that none of them moves") {
  const Scenario s = carts(R"(<control name="turn" lower="-1" upper="2"><drive joint="A" gain="-3"/>
    <drive joint="B" gain="3"/></control><control name="go"><drive joint="B" gain="10" offset="5"/></control>)");
  World world(s.model);
  REQUIRE(world.controls().size() == 3);
  CHECK(world.controlMap().name(0) == "turn");
  CHECK(world.controlMap().name(2) == "C");
  world.control("turn") = 4.0;  // counts as 2
  world.step();
  const auto inputs = world.simulator().inputs().control;
  CHECK(inputs[0] == -6.0);
  CHECK(inputs[1] == 6.0 + 5.0);  // go counts as its start
  CHECK(std::isnan(inputs[2]));
  CHECK(world.efforts()[1] == doctest::Approx(11.0));
  CHECK(world.efforts()[0] == doctest::Approx((18.0 + 33.0) / 18.0));  // of -6 and 11 by -3 and 3
  world.control("turn") = kNone;
  world.control("C") = 0.3;
  world.step();
  CHECK(std::isnan(world.simulator().inputs().control[0]));
  CHECK(world.simulator().inputs().control[2] == 0.3);
  CHECK_THROWS_AS(world.control("turm"), CallError);
  world.reset();
  CHECK(std::isnan(world.controls()[2]));
}

TEST_CASE("a control of a tendon pushes its ends apart, as its gain says") {
  const Scenario s = carts(R"(<control name="push"><drive element="t" gain="4"/></control>)");
  World world(s.model);
  world.control("A") = world.control("B") = 0.0;
  world.control("push") = 3.0;
  for (int i = 0; i < 100; ++i) world.step();
  // 12 N on 2 kg for 0.1 s, each way.
  CHECK(world.state().twists[0].x() == doctest::Approx(0.6));
  CHECK(world.state().twists[1].x() == doctest::Approx(-0.6));
}

TEST_CASE("controls are saved, restored, written and read") {
  const Scenario s =
      carts(R"(<control name="go" lower="-1"><drive joint="C" gain="0.5" offset="0.1"/></control>)");
  World first(s.model), second(s.model);
  first.controls()[0] = 0.7;
  first.step();
  second.restore(first.save());
  CHECK(second.controls()[0] == 0.7);
  second.controls()[0] = kNone;
  second.step();
  CHECK(std::isnan(second.simulator().inputs().control[2]));
  const test::ScratchFolder folder;
  Scenario written = s;
  written.source.reset();
  writeScenario(written, folder.path("s.xml"), "");
  const auto again = readScenario(folder.path("s.xml")).model;
  REQUIRE(again->controls.size() == 1);
  CHECK(again->controls[0].lower == -1.0);
  CHECK(std::isinf(again->controls[0].upper));
  REQUIRE(again->controls[0].targets.size() == 1);
  CHECK(again->controls[0].targets[0].offset == 0.1);
  CHECK(again->controls[0].targets[0].joint == 2);
}

TEST_CASE("slopes of controls are gains, and none beyond bounds") {
  const Scenario s =
      carts(R"(<control name="turn" lower="-1" upper="2"><drive joint="A" gain="-3"/></control>)");
  const ControlMap map(*s.model);
  const Eigen::MatrixXd slope = map.slope(std::vector<double>{0.5, 0.0, 0.0});
  REQUIRE(slope.rows() == 3);
  REQUIRE(slope.cols() == 3);
  CHECK(slope(0, 0) == -3.0);
  CHECK(slope(1, 1) == 1.0);
  CHECK(slope(0, 1) == 0.0);
  CHECK(map.slope(std::vector<double>{2.5, 0.0, 0.0})(0, 0) == 0.0);
}

TEST_CASE("what a control cannot drive is refused") {
  const auto has = [](const std::string& text, const char* part) {
    CAPTURE(text);
    return text.find(part) != std::string::npos;
  };
  CHECK(has(messageOf(R"(<control name="x"><drive joint="D"/></control>)"), "there is no such joint"));
  CHECK(has(messageOf(R"(<control name="x"><drive element="u"/></control>)"), "there is no such element"));
  CHECK(has(messageOf(R"(<control name="x"><drive joint="A" element="t"/></control>)"), "give one of"));
  CHECK(has(messageOf(R"(<control name="x"><drive joint="A" coordinate="1"/></control>)"), "1 coordinates"));
  CHECK(has(messageOf(R"(<control name="x"><drive joint="A"/><drive joint="A"/></control>)"), "join them"));
  CHECK(has(messageOf(R"(<control name="x" lower="1" upper="0"/>)"), "swap them"));
  CHECK(has(messageOf(R"(<control name="x"/><control name="x"/>)"), "duplicate name"));
}
