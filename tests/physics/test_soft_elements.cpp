// Cables with branches, cables that push, and couplings with an impedance.
#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;
using test::Run;

namespace {

std::string hanging(const std::string& name, double mass, double x, double z) {
  return fmt::format(
      R"(<body name="{}" position="{} 0 {}"><inertial mass="{}" inertia="1e-4 1e-4 1e-4"/></body>)", name, x,
      z, mass);
}

/// Two wheels of 0.1 and 0.2 kg m² with a torque of 3 N m on the first; `coupling`: b = -2 a.
std::string wheels(const std::string& coupling) {
  return R"(<options gravity="0 0 0" timestep="1e-3" integrator="euler"/>
    <body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <body name="b" position="1 0 0"><inertial mass="1" inertia="0.2 0.2 0.2"/></body>
    <joint name="ja" type="revolute" follower="a" axis="0 0 1"/>
    <joint name="jb" type="revolute" follower="b" position="1 0 0" axis="0 0 1"/>
    <wrench body="a" torque="0 0 3"/>)" +
         coupling;
}

std::string complaintOf(const std::string& inner) {
  try {
    test::scenarioOf(inner);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the tension in a branch of a cable is that of the cable over its divisor") {
  // T/2 - 3 g = 3 a, T - 2 g = 2 b, a/2 + b = 0.
  Run run(hanging("one", 3.0, 0.0, 0.5) + hanging("two", 2.0, 1.0, 0.5) +
          R"(<cable name="rope" inextensible="true"><point position="0 0 2" divisor="2"/><point body="one"/>
             <point position="1 0 2" divisor="1"/><point body="two"/></cable>)");
  CHECK(run["element.rope.length"] == doctest::Approx(2.25));
  run.until(0.2);
  CHECK(run["element.rope.tension"] == doctest::Approx(18.0 / 7.0 * test::kGravity).epsilon(1e-4));
  CHECK(run["body.one.velocity.z"] == doctest::Approx(-0.2 * 4.0 / 7.0 * test::kGravity).epsilon(1e-4));
  CHECK(run["body.two.velocity.z"] == doctest::Approx(0.2 * 2.0 / 7.0 * test::kGravity).epsilon(1e-4));
  CHECK(std::abs(run["energy.drift-relative"]) < 1e-3);
}

TEST_CASE("a cable that is not one-sided pushes as a spring does") {
  const std::string column =
      hanging("load", 2.0, 0.0, 0.5) +
      R"(<joint name="rail" type="prismatic" follower="load" axis="0 0 1"/><cable name="c" {}><point/><point body="load"/></cable>)";
  Run run(
      fmt::format(fmt::runtime(column), R"(stiffness="1000" damping="50" length="0.6" unilateral="none")"));
  run.until(5.0);
  CHECK(run["body.load.position.z"] == doctest::Approx(0.6 - 2.0 * test::kGravity / 1000.0).epsilon(1e-6));
  CHECK(run["element.c.tension"] == doctest::Approx(-2.0 * test::kGravity).epsilon(1e-6));
  // Never shorter than its length: a strut.
  Run strut(
      fmt::format(fmt::runtime(column), R"(inextensible="true" length="0.4" unilateral="compression")"));
  strut.until(1.0);
  CHECK(strut["body.load.position.z"] == doctest::Approx(0.4).epsilon(1e-4));
  CHECK(strut["element.c.tension"] == doctest::Approx(-2.0 * test::kGravity).epsilon(1e-3));
}

TEST_CASE("a coupling with an impedance gives way by (1 - d) of what it would without, of any mobility") {
  // The row counts A = 1/0.1 + 4/0.2 = 30 for the coordinates a and b = -2 a.
  const double own = 2.0 * 3.0 / 0.1;  // of b + 2 a, which the torque moves
  const double a = 4.0 / 0.1 + 1.0 / 0.2;
  for (const double mobility : {0.0, 7.0}) {
    CAPTURE(mobility);
    const double r = 0.1 / 0.9 * (mobility > 0.0 ? mobility : a);
    const std::string soft =
        fmt::format(R"(impedance="0.9 0.9 1 0.5 2" reference="0.1 1" mobility="{}")", mobility);
    for (const std::string& coupling :
         {"<coupling name='c' type='gear' joint-a='jb' joint-b='ja' ratio='-2' " + soft + "/>",
          "<coupling name='c' type='linear' " + soft +
              "><term joint='jb' coefficient='1'/><term joint='ja' coefficient='2'/></coupling>",
          "<tendon name='c' inextensible='true' length='0' " + soft +
              "><term joint='jb' coefficient='1'/><term joint='ja' coefficient='2'/></tendon>"}) {
      Run run(wheels(coupling));
      CHECK(run.model().couplings.empty());
      run.simulator().step();
      CHECK(run["element.c.speed"] == doctest::Approx(1e-3 * own * r / (a + r)).epsilon(1e-9));
      run.until(2.0);
      // At rest the reference acceleration balances the torque: k x = R/A a₀, k = d/(d T)².
      CHECK(run["element.c.length"] == doctest::Approx(own * r / a * 0.9 * 0.01).epsilon(1e-3));
      CHECK(std::abs(run["element.c.speed"]) < 1e-3);
    }
  }
}

TEST_CASE("soft elements are written as they are read") {
  const test::ScratchFolder folder;
  const Scenario s = test::scenarioOf(wheels(
      R"(<coupling name="c" type="gear" joint-a="jb" joint-b="ja" ratio="-2" impedance="0.9 0.95 1 0.5 2" mobility="7"/>
    <cable name="d" inextensible="true" reference="0.05 1" unilateral="compression"><point divisor="3"/><point body="a" position="1 0 0"/>
      <point body="b" divisor="-2"/><point position="0 5 0"/></cable>)"));
  writeScenario(s, folder.path("copy.xml"));
  const Scenario back = readScenario(folder.path("copy.xml"));
  REQUIRE(back.model->forces.size() == 2);
  const ForceElement &c = back.model->forces[0], &d = back.model->forces[1];
  CHECK(c.law.rigid);
  CHECK(c.law.side == ForceSide::Both);
  CHECK(c.law.softness.mobility == 7.0);
  CHECK(d.law.side == ForceSide::Compression);
  CHECK(d.law.softness.timeConstant == 0.05);
  CHECK(d.path[0].share == doctest::Approx(1.0 / 3.0));
  CHECK(d.path[2].share == doctest::Approx(-0.5));
  Simulator first(s.model, startState(*s.model)), second(back.model, startState(*back.model));
  for (int i = 0; i < 50; ++i) first.step(), second.step();
  CHECK((first.state().twists[0] - second.state().twists[0]).norm() < 1e-9);
}

TEST_CASE("what does not go with softness or branches is told") {
  const auto gear = [](const std::string& more) {
    return complaintOf(
        wheels("<coupling name='c' type='gear' joint-a='jb' joint-b='ja' ratio='2' " + more + "/>"));
  };
  CHECK(gear("impedance='0.9 0.95 1 0.5 2' backlash='0.1'").find("backlash and softness") !=
        std::string::npos);
  CHECK(gear("impedance='0.9 0.95 1 0.5 2' efficiency='0.9'").find("softness and losses") !=
        std::string::npos);
  CHECK(gear("compliance='1'").find("compliance") != std::string::npos);
  const auto cable = [](const std::string& attributes, const std::string& middle) {
    return complaintOf(wheels("<cable name='c' " + attributes + "><point position='0 0 3'/>" + middle +
                              "<point body='a'/></cable>"));
  };
  CHECK(cable("stiffness='1' impedance='0.9 0.95 1 0.5 2'", "").find("inextensible") != std::string::npos);
  CHECK(cable("inextensible='true' unilateral='none'", "").find("impedance") != std::string::npos);
  CHECK(cable("stiffness='1'", "<point divisor='2'/>").find("from a point to a point") != std::string::npos);
  CHECK(cable("stiffness='1'", "<point/><point divisor='0'/>").find("divisor is 0") != std::string::npos);
  CHECK(cable("stiffness='1'",
              "<pulley position='0 3 3' radius='0.1' friction='0.1'/><point/><point divisor='2'/>")
            .find("remove the friction") != std::string::npos);
}
