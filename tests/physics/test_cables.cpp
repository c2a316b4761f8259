#include <fmt/format.h>

#include "engine/analysis/crossed_limits.h"
#include "tests/momentum.h"
#include "tests/support.h"

using namespace grashof;
using test::Run;

namespace {

std::string weight(const std::string& name, double mass, double x, double z, const std::string& more = "") {
  return fmt::format(
      R"(<body name="{}" position="{} 0 {}" {}><inertial mass="{}" inertia="1e-4 1e-4 1e-4"/></body>)", name,
      x, z, more, mass);
}

/// Two weights on either side of a pulley of radius 0.5 in the world at z = 2.
std::string atwood(const std::string& cable) {
  return weight("left", 3.0, -0.5, 0.0) + weight("right", 2.0, 0.5, 0.0) + "<cable name=\"rope\" " + cable +
         R"(><point body="left"/><pulley position="0 0 2" axis="0 1 0" radius="0.5"/><point body="right"/></cable>)";
}

struct ValueRange {
  double least = 0.0, most = 0.0;
};

/// Of a channel over a run to `time` (s).
ValueRange rangeOf(Run& run, const std::string& channel, double time) {
  double least = run[channel], most = least;
  while (run.simulator().state().time < time - 1e-9) {
    run.simulator().step();
    REQUIRE(!run.simulator().diverged());
    least = std::min(least, run[channel]);
    most = std::max(most, run[channel]);
  }
  return {least, most};
}

}  // namespace

TEST_CASE(
    "a load on a cable over two pulleys: its weight is the tension, the stretch is weight over stiffness") {
  Run run(weight("load", 2.0, 1.0, 0.5) +
          R"(<cable name="rope" stiffness="1e4" damping="100" length="5.7"><point position="-1 0 0"/>
             <pulley position="-0.9 0 2" axis="0 1 0" radius="0.1"/><pulley position="0.9 0 2" axis="0 1 0" radius="0.1"/>
             <point body="load"/></cable>)");
  run.until(5.0);
  const double tension = 2.0 * test::kGravity, length = 5.7 + tension / 1e4;
  CHECK(run["element.rope.tension"] == doctest::Approx(tension).epsilon(1e-6));
  CHECK(run["element.rope.length"] == doctest::Approx(length).epsilon(1e-9));
  CHECK(run["body.load.position.z"] ==
        doctest::Approx(2.0 + 2.0 + 1.8 + 0.1 * 3.14159265358979 - length).epsilon(1e-8));
}

TEST_CASE("Atwood's machine: a = g (m1 - m2) / (m1 + m2), tension 2 g m1 m2 / (m1 + m2)") {
  for (const std::string cable :
       {"inextensible='true'", "stiffness='1e6' damping='1e3'", "stiffness='1e9' damping='1e4'"})
    for (const std::string options : {"", "<options integrator='euler'/>"}) {
      CAPTURE(cable);
      CAPTURE(options);
      Run run(options + atwood(cable));
      run.until(0.5);
      const double a = test::kGravity / 5.0;
      CHECK(run["body.right.velocity.z"] == doctest::Approx(0.5 * a).epsilon(1e-4));
      CHECK(run["body.left.velocity.z"] == doctest::Approx(-0.5 * a).epsilon(1e-4));
      CHECK(run["element.rope.tension"] == doctest::Approx(2.0 * test::kGravity * 6.0 / 5.0).epsilon(1e-4));
      CHECK(std::abs(run["body.right.position.x"] - 0.5) < 1e-9);
      CHECK(std::abs(run["energy.drift-relative"]) < (options.empty() ? 1e-3 : 1e-2));
    }
}

TEST_CASE("block and tackle: the load hangs on two strands, and moves half as fast") {
  Run run(weight("load", 4.0, 0.0, 0.0) + weight("hand", 3.0, 0.5, 1.0) +
          R"(<cable name="rope" inextensible="true"><point position="-0.1 0 2"/>
             <pulley body="load" axis="0 1 0" radius="0.1" sense="negative"/>
             <pulley position="0.3 0 2" axis="0 1 0" radius="0.2"/><point body="hand"/></cable>)");
  run.until(0.3);
  const double a = 2.0 * test::kGravity / 16.0;  // (2 m - M) g / (M + 4 m)
  CHECK(run["body.load.velocity.z"] == doctest::Approx(0.3 * a).epsilon(1e-4));
  CHECK(run["body.hand.velocity.z"] == doctest::Approx(-0.6 * a).epsilon(1e-4));
  CHECK(run["element.rope.tension"] == doctest::Approx(3.0 * (test::kGravity - 2.0 * a)).epsilon(1e-4));
}

TEST_CASE("a cable of 1e9 N/m carries 1 g at steps of 1 ms") {
  Run run(weight("mote", 1e-3, 0.5, 1.0) +
          R"(<cable name="wire" stiffness="1e9" damping="1"><point position="-0.5 0 0"/>
             <pulley position="0 0 2" axis="0 1 0" radius="0.5"/><point body="mote"/></cable>)");
  const ValueRange tension = rangeOf(run, "element.wire.tension", 1.0);
  CHECK(tension.least >= 0.0);
  CHECK(tension.most < 0.1);
  CHECK(run["body.mote.position.z"] == doctest::Approx(1.0).epsilon(1e-7));
  CHECK(run["element.wire.tension"] == doctest::Approx(1e-3 * test::kGravity).epsilon(1e-4));
}

TEST_CASE("a slack cable does nothing, a taut one stops what falls, and never pushes") {
  for (const std::string cable :
       {"inextensible='true' length='1'", "stiffness='1e4' damping='50' length='1'"}) {
    CAPTURE(cable);
    Run run(weight("bob", 1.0, 0.0, 0.0, "velocity='0 0 1'") + "<cable name='rope' " + cable +
            "><point/><point body='bob'/></cable>");
    run.until(0.4);
    CHECK(run["element.rope.tension"] == 0.0);
    CHECK(run["body.bob.position.z"] == doctest::Approx(0.4 - 0.5 * test::kGravity * 0.16).epsilon(1e-9));
    const ValueRange tension = rangeOf(run, "element.rope.tension", 4.0);
    CHECK(tension.least >= 0.0);
    CHECK(tension.most > 5.0 * test::kGravity);
    CHECK(run["element.rope.tension"] == doctest::Approx(test::kGravity).epsilon(1e-6));
    CHECK(run["body.bob.position.z"] == doctest::Approx(-1.0).epsilon(2e-3));
    CHECK(std::abs(run["energy.drift-relative"]) < 1e-3);
  }
}

TEST_CASE("a pendulum on a cable keeps its energy: by a rigid cable, and by a stiff one without damping") {
  for (const std::string cable : {"inextensible='true'", "stiffness='1e5'"}) {
    CAPTURE(cable);
    Run run(weight("bob", 1.0, 1.0, 0.0) + "<cable name='rope' " + cable +
            "><point/><point body='bob'/></cable>");
    const double start = run["energy.total"];
    run.until(3.0);
    MESSAGE("energy ", run["energy.total"] - start, " J, drift ", run["energy.drift-relative"]);
    CHECK(run["energy.total"] - start < 1e-5 * test::kGravity);
    CHECK(run["energy.total"] - start > -1e-5 * test::kGravity);
    CHECK(std::abs(run["energy.drift-relative"]) < 1e-3);
    CHECK(run["element.rope.length"] == doctest::Approx(1.0).epsilon(1e-3));
  }
}

TEST_CASE("a cable around a pulley of a third body keeps linear and angular momentum") {
  Run run(
      R"(<options gravity="0 0 0"/>)" + weight("a", 1.0, -1.0, -1.0, "velocity='0 0.3 -1'") +
      weight("b", 2.0, 1.0, -1.0, "velocity='0.1 0 -0.5'") +
      R"(<body name="block" position="0 0 0.1" angular-velocity="0 0.5 0"><inertial mass="3" inertia="0.2 0.3 0.4"/></body>
             <cable name="rope" stiffness="1e4" damping="5"><point body="a"/><pulley body="block" axis="0 1 0" radius="0.3"/>
             <point body="b" position="0.01 0 0"/></cable>)");
  const test::Momentum start = test::momentumOf(run.simulator());
  const ValueRange tension = rangeOf(run, "element.rope.tension", 1.0);
  CHECK(tension.least >= 0.0);
  CHECK(tension.most > 1.0);
  const test::Momentum end = test::momentumOf(run.simulator());
  CHECK((end.linear - start.linear).norm() < 1e-10);
  CHECK((end.angular - start.angular).norm() < 1e-5);  // turning bodies: as without a cable
  CHECK(std::abs(run["energy.drift-relative"]) < 1e-3);
}

TEST_CASE("winches: a commanded length and a drum lift a load, and their work is what the load gains") {
  Run length(weight("load", 2.0, 0.0, 0.0) + R"(<motion name="reel" type="series" samples="0 2 1 1.5"/>
    <cable name="rope" stiffness="1e6" damping="1e3" motion="reel" command="length"><point position="0 0 2"/><point body="load"/></cable>)");
  length.until(2.0);
  CHECK(length["body.load.position.z"] == doctest::Approx(0.5).epsilon(1e-4));
  CHECK(length["element.rope.tension"] == doctest::Approx(2.0 * test::kGravity).epsilon(1e-6));
  CHECK(length.simulator().energyFlow().actuators == doctest::Approx(test::kGravity).epsilon(2e-2));
  CHECK(std::abs(length["energy.drift-relative"]) < 1e-3);

  Run drum(weight("load", 2.0, 0.0, 0.0) + R"(<motion name="turn" type="series" samples="0 0 1 5"/>
    <body name="drum" position="0.1 0 2"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
    <joint name="axle" type="revolute" follower="drum" position="0.1 0 2" axis="0 1 0"><actuator type="motion" motion="turn"/></joint>
    <cable name="rope" inextensible="true"><point position="0 0 2"/><point body="load"/><drum joint="axle" radius="0.1"/></cable>)");
  drum.until(2.0);
  CHECK(drum["body.load.position.z"] == doctest::Approx(0.5).epsilon(1e-4));
  CHECK(drum["joint.axle.effort.0"] == doctest::Approx(0.2 * test::kGravity).epsilon(1e-4));
  CHECK(drum.simulator().energyFlow().actuators == doctest::Approx(test::kGravity).epsilon(2e-2));
  CHECK(std::abs(drum["energy.drift-relative"]) < 1e-3);
}

TEST_CASE("a tendon bends each joint of a finger by its pulley's radius times the tension") {
  const std::string finger =
      R"(<options gravity="0 0 0"/><motion name="pull" type="constant" value="20"/>
    <body name="one" position="0.02 0 0"><inertial mass="0.02" inertia="1e-5 1e-5 1e-5"/></body>
    <body name="two" position="0.06 0 0"><inertial mass="0.01" inertia="1e-5 1e-5 1e-5"/></body>
    <body name="three" position="0.1 0 0"><inertial mass="0.01" inertia="1e-5 1e-5 1e-5"/></body>
    <joint name="j1" type="revolute" follower="one" position="0 0 0" axis="0 1 0"><dynamics stiffness="0.5" damping="0.01"/></joint>
    <joint name="j2" type="revolute" base="one" follower="two" position="0.04 0 0" axis="0 1 0"><dynamics stiffness="0.4" damping="0.01"/></joint>
    <joint name="j3" type="revolute" base="two" follower="three" position="0.08 0 0" axis="0 1 0"><dynamics stiffness="0.3" damping="0.01"/></joint>)";
  const std::string terms =
      R"(><term joint="j1" coefficient="-0.01"/><term joint="j2" coefficient="-0.008"/><term joint="j3" coefficient="-0.006"/></tendon>)";
  Run run(finger + R"(<tendon name="flexor" motion="pull")" + terms);
  run.until(3.0);
  CHECK(run["joint.j1.angle"] == doctest::Approx(20.0 * 0.01 / 0.5).epsilon(1e-6));
  CHECK(run["joint.j2.angle"] == doctest::Approx(20.0 * 0.008 / 0.4).epsilon(1e-6));
  CHECK(run["joint.j3.angle"] == doctest::Approx(20.0 * 0.006 / 0.3).epsilon(1e-6));
  CHECK(run["element.flexor.tension"] == doctest::Approx(20.0).epsilon(1e-12));
  // A spring in the tendon instead: its force is in balance with what it bends.
  Run elastic(finger + R"(<tendon name="flexor" stiffness="2000" length="-0.02" unilateral="tension")" +
              terms);
  elastic.until(3.0);
  const double tension = elastic["element.flexor.tension"];
  CHECK(tension == doctest::Approx(2000.0 * (elastic["element.flexor.length"] + 0.02)).epsilon(1e-9));
  CHECK(elastic["joint.j2.angle"] == doctest::Approx(tension * 0.008 / 0.4).epsilon(1e-6));
  // Slack: nothing. A commanded tension below zero of what only pulls: nothing either.
  Run slack(finger + R"(<tendon name="flexor" stiffness="2000" length="0.02" unilateral="tension")" + terms);
  slack.until(0.1);
  CHECK(slack["joint.j1.angle"] == 0.0);
}

TEST_CASE("an inextensible tendon of a one-sided length is a limit of the sum of coordinates") {
  Run run(R"(<options gravity="0 0 0"/><motion name="two" type="constant" value="2"/>
    <body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <body name="b" position="1 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="ja" type="revolute" follower="a" axis="0 0 1"><actuator type="effort" motion="two"/><dynamics damping="1"/></joint>
    <joint name="jb" type="revolute" follower="b" position="1 0 0" axis="0 0 1"><dynamics damping="1"/></joint>
    <tendon name="limit" inextensible="true" unilateral="tension" length="0.5"><term joint="ja" coefficient="1"/>
      <term joint="jb" coefficient="-2"/></tendon>)");
  run.until(1.0);
  CHECK(run["element.limit.length"] == doctest::Approx(0.5).epsilon(1e-4));
  // Both turn on together: rates 2 : 1, (2 - T) = rate_a and 2 T = rate_b.
  run.until(4.0);
  CHECK(run["element.limit.tension"] == doctest::Approx(0.4).epsilon(1e-3));
  CHECK(run["joint.jb.rate.0"] == doctest::Approx(0.8).epsilon(1e-3));
}

TEST_CASE("a belt is a tendon over two wheels: torques as the radii, and a stretch by its stiffness") {
  Run run(R"(<options gravity="0 0 0"/><motion name="torque" type="constant" value="3"/>
    <body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <body name="b" position="1 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="ja" type="revolute" follower="a" axis="0 0 1"><actuator type="effort" motion="torque"/></joint>
    <joint name="jb" type="revolute" follower="b" position="1 0 0" axis="0 0 1"><dynamics stiffness="20" damping="2"/></joint>
    <tendon name="belt" stiffness="5000" damping="20"><term joint="ja" coefficient="0.1"/><term joint="jb" coefficient="-0.2"/></tendon>)");
  run.until(8.0);
  CHECK(run["joint.jb.angle"] == doctest::Approx(6.0 / 20.0).epsilon(1e-6));
  CHECK(run["element.belt.length"] == doctest::Approx(30.0 / 5000.0).epsilon(1e-6));
  CHECK(std::abs(run["energy.drift-relative"]) < 1e-3);
}

TEST_CASE("a run with cables goes on with the same bits from a checkpoint") {
  const std::string text =
      atwood("stiffness='1e6' damping='1e3'") +
      R"(<cable name="leash" inextensible="true" length="0.9"><point body="left"/><point position="-0.5 0 0.5"/></cable>)";
  Run whole(text), halves(text);
  whole.until(Simulator::kForgetSteps * 1e-3);
  std::vector<double> numbers;
  Archive save(numbers);
  whole.simulator().archive(save);
  Archive restore{std::span<const double>(numbers)};
  halves.simulator().archive(restore);
  whole.until(2.5);
  halves.until(2.5);
  CHECK(whole.simulator().state() == halves.simulator().state());
}

TEST_CASE("a bead that a rigid cable cannot move along itself stays where it is, whatever the solver") {
  for (const std::string solver : {"auto", "PGS-NCP", "RAISIM", "ADMM", "CCP-NEWTON", "IPM-NCP"}) {
    CAPTURE(solver);
    Run run("<options gravity='0 0 0'/><solver name='" + solver + "'/>" + weight("bead", 1.0, 0.0, 1.0) +
            "<joint name='guide' type='prismatic' follower='bead' position='0 0 1' axis='1 0 0'/>"
            "<cable name='rope' inextensible='true'><point position='-1 0 1'/><point body='bead'/>"
            "<point position='1 0 1'/></cable>");
    run.until(0.05);
    CHECK(run["body.bead.position.x"] == doctest::Approx(0.0));
    CHECK(run["body.bead.speed"] == doctest::Approx(0.0));
  }
}

TEST_CASE("a rigid cable that is too long is a limit that is crossed") {
  Run run(weight("load", 1.0, 0.0, 0.0) +
          "<cable name='rope' inextensible='true' length='0.5'><point position='0 0 1'/><point "
          "body='load'/></cable>");
  CHECK(crossedLimitWarning(run.model(), run.simulator().state()).find("'rope' by 0.5 m") !=
        std::string::npos);
  run.simulator().step();
  CHECK(run.simulator().report().limitViolation == doctest::Approx(0.5).epsilon(1e-3));
}

TEST_CASE("a cable cannot cross between pulleys that overlap; over both on one side it can") {
  const auto over = [](const std::string& sense) {
    return weight("load", 1.0, 1.0, 1.0) +
           "<cable name='rope' stiffness='1e4'><point position='-1 0 1'/><pulley position='0 0 2' axis='0 1 "
           "0' "
           "radius='0.2'/><pulley position='0.3 0 2' axis='0 1 0' radius='0.2' sense='" +
           sense + "'/><point body='load'/></cable>";
  };
  CHECK_NOTHROW(test::scenarioOf(over("positive")));
  CHECK_THROWS_AS(test::scenarioOf(over("negative")), InputError);
}

TEST_CASE("what a program adds to a one-sided spring has its side, too") {
  Run run("<options gravity='0 0 0'/>" + weight("a", 1.0, 1.0, 0.0) +
          "<spring name='stop' body2='a' unilateral='compression' stiffness='100' length='0.5'/>");
  run.simulator().inputs().force[0] = -5.0;
  run.until(0.01);
  CHECK(run["body.a.speed"] == 0.0);
  run.simulator().inputs().force[0] = 5.0;
  run.until(0.02);
  CHECK(run["body.a.speed"] == doctest::Approx(0.05));
}
