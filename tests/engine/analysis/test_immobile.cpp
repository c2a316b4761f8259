#include <fmt/format.h>

#include "engine/analysis/immobile.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A slider-crank whose wrist turns about `axis`, with a drive of the crank.
std::string sliderCrank(const std::string& axis, const std::string& drive) {
  const auto part = [](const char* name, double x, double mass) {
    return fmt::format(
        "<body name='{}' position='{} 0 0'><inertial mass='{}' inertia='0.01 0.01 0.01'/></body>", name, x,
        mass);
  };
  return "<motion name='m' type='constant' value='0'/>" + part("crank", 0.05, 0.2) + part("rod", 0.25, 0.3) +
         part("piston", 0.4, 0.5) + "<joint name='main' type='revolute' follower='crank' axis='0 1 0'>" +
         drive +
         "</joint><joint name='pin' type='revolute' base='crank' follower='rod' position='0.1 0 0' axis='0 1 "
         "0'/>"
         "<joint name='wrist' type='revolute' base='rod' follower='piston' position='0.4 0 0' axis='" +
         axis + "'/><joint name='guide' type='prismatic' follower='piston' position='0.4 0 0' axis='1 0 0'/>";
}

std::string warningOf(const std::string& inner) {
  const Scenario s = test::scenarioOf(inner);
  return immobileWarning(*s.model, startState(*s.model));
}

const std::string kServo = "<actuator type='velocity' motion='m' kd='5'/>";

}  // namespace

TEST_CASE("a mechanism that one axis locks is named with that axis; the right one moves") {
  const std::string said = warningOf(sliderCrank("0 0 1", kServo));
  CHECK_MESSAGE(said.find("nothing can move (mobility 0)") != std::string::npos, said);
  CHECK_MESSAGE(
      said.find("the axis of 'wrist' stands at 90 deg to those of 'main', 'pin'") != std::string::npos, said);
  CHECK(warningOf(sliderCrank("0 1 0", kServo)).empty());
}

TEST_CASE("what motions hold on purpose, what does not move at all by joints, and free bodies are no fault") {
  CHECK(warningOf(sliderCrank("0 1 0", "<actuator type='motion' motion='m'/>")).empty());
  const std::string body = "<body name='a'><inertial mass='1' inertia='1 1 1'/></body>";
  CHECK(warningOf(body).empty());
  CHECK(warningOf(body + "<joint name='w' type='fixed' follower='a'/>").empty());
}

TEST_CASE("a locked mechanism beside one that moves is named, with what would free it") {
  // A hinged triangle on two fixed hinges, and a pendulum.
  const std::string said = warningOf(
      "<body name='l' position='0.5 0 0.5'><inertial mass='1' inertia='1 1 1'/></body>"
      "<body name='r' position='1.5 0 0.5'><inertial mass='1' inertia='1 1 1'/></body>"
      "<body name='p' position='5 0 0'><inertial mass='1' inertia='1 1 1'/></body>"
      "<joint name='left' type='revolute' follower='l' axis='0 1 0'/>"
      "<joint name='top' type='revolute' base='l' follower='r' position='1 0 1' axis='0 1 0'/>"
      "<joint name='right' type='revolute' follower='r' position='2 0 0' axis='0 1 0'/>"
      "<joint name='swing' type='revolute' follower='p' position='5 0 1' axis='0 1 0'/>");
  CHECK_MESSAGE(said.find("joints 'left', 'top', 'right'") != std::string::npos, said);
  CHECK(said.find("swing") == std::string::npos);
}
