// Friction that depends on loads, backlash and clearance, against closed forms.
#include <numbers>

#include <fmt/format.h>

#include "tests/support.h"

using namespace grashof;
using test::Run;

namespace {

using std::numbers::pi;

/// A torque about an axis; nothing where it is 0.
std::string torqueOn(const std::string& body, const std::string& axis, double torque) {
  const std::string form = axis == "x" ? "{} 0 0" : "0 0 {}";
  if (torque == 0.0) return {};
  return fmt::format(R"(<wrench body="{}" torque="{}"/>)", body, fmt::format(fmt::runtime(form), torque));
}

/// A slide of 2 kg on a guide along x, pulled with `force` N, and by more elements.
std::string slide(const std::string& dynamics, double force, const std::string& more = "") {
  return fmt::format(R"(<body name="slide"><inertial mass="2" inertia="0.01 0.01 0.01"/></body>
      <joint name="guide" type="prismatic" follower="slide" axis="1 0 0"><dynamics {}/></joint>
      <wrench body="slide" force="{} 0 0"/>{})",
                     dynamics, force, more);
}

/// A screw with its nut: the nut slides along z and turns, driven by `torque` N·m, loaded by its own weight.
std::string screw(const std::string& thread, double torque, double speed = 0.0) {
  return fmt::format(R"(<body name="nut" velocity="0 0 {}" angular-velocity="0 0 {}">
        <inertial mass="10" inertia="0.01 0.01 0.01"/></body>
      <joint name="spindle" type="cylindrical" follower="nut" axis="0 0 1"/>
      <coupling name="thread" type="screw" joint="spindle" pitch="0.01" {}/>)",
                     speed * 0.01 / (2.0 * pi), speed, thread) +
         torqueOn("nut", "z", torque);
}

}  // namespace

TEST_CASE("a guide rubs by the force across it: weight and sideways pull, in the rest as in motion") {
  const std::string rough = "friction-coefficient='0.2'";
  const double across = std::hypot(2.0 * test::kGravity, 30.0), most = 0.2 * across;
  const std::string pull = R"(<wrench body="slide" force="0 30 0"/>)";
  for (const std::string options : {"", "<options integrator='euler'/>"}) {
    Run holds(options + slide(rough, 0.999 * most, pull));
    holds.until(0.2);
    CHECK(std::abs(holds["body.slide.position.x"]) < 1e-12);
    Run goes(options + slide(rough, most + 1.0, pull));
    goes.until(0.2);
    CHECK(goes["body.slide.velocity.x"] == doctest::Approx(0.2 * 1.0 / 2.0).epsilon(1e-6));
    CHECK(goes["joint.guide.friction.force.x"] == doctest::Approx(-most).epsilon(1e-6));
    CHECK(std::abs(goes["energy.drift"]) < 1e-9);
  }
}

TEST_CASE("a drawer jams when it is pulled too far from its guide: arm >= length / (2 μ)") {
  // A force at the arm a makes ± F a / L in the two bearings: friction 2 μ F a / L against F.
  const double length = 0.1, friction = 0.25, jam = length / (2.0 * friction);
  const auto drawer = [&](double arm) {
    return fmt::format(
        R"(<options gravity="0 0 0"/><body name="slide"><inertial mass="2" inertia="0.01 0.01 0.01"/></body>
        <joint name="guide" type="prismatic" follower="slide" axis="1 0 0">
          <dynamics friction-coefficient="{}" bearing-length="{}"/></joint>
        <wrench body="slide" force="5 0 0" point="0 {} 0"/>)",
        friction, length, arm);
  };
  Run jams(drawer(1.01 * jam));
  jams.until(0.1);
  CHECK(std::abs(jams["body.slide.position.x"]) < 1e-12);
  Run opens(drawer(0.5 * jam));
  opens.until(0.1);
  CHECK(opens["body.slide.velocity.x"] == doctest::Approx(0.1 * 0.5 * 5.0 / 2.0).epsilon(1e-6));
}

TEST_CASE("a drawer that jams when it slows down under a servo is solved in every step") {
  Run run(R"(<motion name="u" type="series" samples="0 0 10 10" interpolation="linear"/>
      <body name="slide" position="0 0.2 0"><inertial mass="2" inertia="0.01 0.01 0.01"/></body>
      <joint name="guide" type="prismatic" follower="slide" axis="1 0 0">
        <dynamics friction-coefficient="0.4" bearing-length="0.1"/>
        <actuator type="position" motion="u" kp="1000" kd="10"/></joint>)");
  for (int i = 0; i < 1000; ++i) {
    run.simulator().step();
    REQUIRE(run.simulator().report().status == SolveStatus::Solved);
  }
}

TEST_CASE(
    "a motion against a worm gear: solved while that slows down, else said to be not, with bounded forces") {
  const auto worm = [](const std::string& interpolation) {
    return fmt::format(R"(<motion name="u" type="series" samples="0 0 1 1" interpolation="{}"/>
        <body name="a" position="0.3 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
        <body name="b" position="0 1 0"><inertial mass="1" inertia="1e-3 1e-3 1e-3"/></body>
        <joint name="ja" type="revolute" follower="a" axis="0 1 0"><actuator type="motion" motion="u"/></joint>
        <joint name="jb" type="revolute" follower="b" position="0 1 0" axis="1 0 0"/>
        <coupling name="gear" type="gear" joint-a="ja" joint-b="jb" ratio="0.05" efficiency="0.3"/>)",
                       interpolation);
  };
  for (const std::string options : {"", "<options integrator='euler'/>"}) {
    Run steady(options + worm("linear"));
    for (int i = 0; i < 300; ++i) {
      steady.simulator().step();
      REQUIRE(steady.simulator().report().status == SolveStatus::Solved);
    }
    Run forced(options + worm("cubic"));  // b would have to speed up against more friction than drives it
    for (int i = 0; i < 100; ++i) {
      forced.simulator().step();
      REQUIRE(forced.simulator().report().status != SolveStatus::Solved);
      REQUIRE(std::abs(forced["joint.ja.effort.0"]) < 1e4);
    }
  }
}

TEST_CASE("a journal brakes its rotor by μ r times its load; a collar by the thrust") {
  for (const bool upright : {false, true}) {
    Run run(fmt::format(
        R"(<body name="rotor" angular-velocity="{}"><inertial mass="3" inertia="0.02 0.02 0.02"/></body>
           <joint name="bearing" type="revolute" follower="rotor" axis="{}">
             <dynamics friction-coefficient="0.1" {}="0.02"/></joint>)",
        upright ? "0 0 10" : "10 0 0", upright ? "0 0 1" : "1 0 0",
        upright ? "thrust-radius" : "journal-radius"));
    const double torque = 0.1 * 0.02 * 3.0 * test::kGravity;
    run.until(1.0);
    CHECK(run["joint.bearing.rate.0"] == doctest::Approx(10.0 - torque / 0.02).epsilon(1e-6));
    run.until(4.0);  // it has stopped at 3.4 s, and stays
    CHECK(std::abs(run["joint.bearing.rate.0"]) < 1e-9);
    CHECK(std::abs(run["energy.drift"]) < 1e-9);
  }
}

TEST_CASE("friction at rest is more than in motion, and falls by Stribeck's curve") {
  const std::string sticky = "friction='2' static-ratio='1.5' stribeck-speed='0.05'";
  Run holds(slide(sticky, 2.999));
  holds.until(0.5);
  CHECK(std::abs(holds["body.slide.position.x"]) < 1e-12);
  Run goes(slide(sticky, 3.2));
  goes.until(2.0);
  const double v = goes["body.slide.velocity.x"];
  CHECK(v > 0.3);
  CHECK(goes["joint.guide.friction.force.x"] == doctest::Approx(-2.0).epsilon(1e-6));
  // At 0.05 m/s, by a motion: 2 (1 + 0.5/e).
  Run slow(fmt::format(
      R"(<body name="slide" velocity="0.05 0 0"><inertial mass="2" inertia="0.01 0.01 0.01"/></body>
         <motion name="creep" type="series" samples="0 0 1 0.05" interpolation="linear"/>
         <joint name="guide" type="prismatic" follower="slide" axis="1 0 0"><dynamics {}/>
           <actuator type="motion" motion="creep"/></joint>)",
      sticky));
  slow.until(0.5);
  CHECK(slow["joint.guide.effort.0"] == doctest::Approx(2.0 * (1.0 + 0.5 * std::exp(-1.0))).epsilon(1e-6));
}

TEST_CASE("a screw lifts by W r tan(φ + α), and holds itself below tan α = μ") {
  const double weight = 10.0 * test::kGravity, radius = 0.01;
  const double lead = std::atan(0.01 / (2.0 * pi * radius)), phi = std::atan(0.12);
  const std::string thread = fmt::format("friction-coefficient='0.12' thread-radius='{}'", radius);
  const double lift = weight * radius * std::tan(phi + lead);
  REQUIRE(std::tan(lead) > 0.12);  // this one does not hold itself
  Run holds(screw(thread, 0.999 * lift));
  holds.until(0.1);
  CHECK(std::abs(holds["body.nut.position.z"]) < 1e-12);
  Run lifts(screw(thread, 1.02 * lift));
  lifts.until(0.1);
  CHECK(lifts["body.nut.velocity.z"] > 0.0);
  Run steady(screw(thread, lift, 5.0));  // in balance at any speed upwards
  steady.until(0.2);
  CHECK(steady["body.nut.velocity.z"] == doctest::Approx(5.0 * 0.01 / (2.0 * pi)).epsilon(1e-6));
  CHECK(std::abs(steady["energy.drift"]) < 1e-9);

  const double lower = weight * radius * std::tan(lead - phi);  // what keeps it from running down
  Run kept(screw(thread, 1.001 * lower));
  kept.until(0.1);
  CHECK(std::abs(kept["body.nut.position.z"]) < 1e-12);
  Run falls(screw(thread, 0.98 * lower));
  falls.until(0.1);
  CHECK(falls["body.nut.velocity.z"] < 0.0);
  // tan α = 0.159: self-locking from μ = 0.16 on.
  Run locked(screw("friction-coefficient='0.16' thread-radius='0.01'", 0.0));
  locked.until(0.5);
  CHECK(std::abs(locked["body.nut.position.z"]) < 1e-12);
}

TEST_CASE("gears pass on their efficiency, one way and the other, and lock where nothing is left") {
  // Shaft b turns shaft a by q_a = q_b / 3; torques in balance at constant speed.
  const auto train = [](const std::string& losses, double onA, double onB, double speed) {
    return fmt::format(R"(<options gravity="0 0 0"/>
        <body name="a" angular-velocity="{} 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
        <body name="b" position="0 1 0" angular-velocity="{} 0 0"><inertial mass="1" inertia="0.02 0.02 0.02"/></body>
        <joint name="ja" type="revolute" follower="a" axis="1 0 0"/>
        <joint name="jb" type="revolute" follower="b" position="0 1 0" axis="1 0 0"/>
        <coupling name="gear" type="gear" joint-a="ja" joint-b="jb" ratio="{}" {}/>)",
                       speed / 3.0, speed, 1.0 / 3.0, losses) +
           torqueOn("a", "x", onA) + torqueOn("b", "x", onB);
  };
  const std::string losses = "efficiency='0.8' back-efficiency='0.6'";
  for (const double way : {1.0, -1.0}) {
    Run drives(train(losses, -way * 3.0 * 0.8, way, way * 6.0));  // b drives a: 0.8 of the power arrives
    drives.until(0.3);
    CHECK(drives["joint.jb.rate.0"] == doctest::Approx(way * 6.0).epsilon(1e-7));
    CHECK(drives["coupling.gear.effort.a"] == doctest::Approx(way * 2.4).epsilon(1e-7));
    Run driven(train(losses, way * 3.0, -way * 0.6, way * 6.0));  // a drives b: 0.6 arrives
    driven.until(0.3);
    CHECK(driven["joint.jb.rate.0"] == doctest::Approx(way * 6.0).epsilon(1e-7));
    CHECK(std::abs(driven["energy.drift"]) < 1e-9);
  }
  // Worm gear of 0.4: the same friction leaves nothing of 1 N·m on a, at whatever load.
  for (const double load : {0.01, 1.0, 100.0}) {
    Run worm(train("efficiency='0.4'", load, 0.0, 0.0));
    worm.until(0.2);
    CHECK(std::abs(worm["joint.ja.q.0"]) < 1e-12);
  }
  // And without such friction a/3 would arrive: 0.1 + 0.02/... of inertia.
  Run free(train("", 1.0, 0.0, 0.0));
  free.until(0.2);
  CHECK(free["joint.ja.rate.0"] == doctest::Approx(0.2 / (0.1 + 9.0 * 0.02)).epsilon(1e-6));
}

TEST_CASE("the gear of a motor loses its share of what passes it, and nothing of what turns the rotor") {
  // 60 : 1 with 0.108 kg m² of rotor at the shaft: I_L v̇ = T_g η or T_g/η', T_g = T - I_r v̇.
  struct Case {
    const char* drive;
    double load, speed, rate;  // N·m on the disc, rad/s at the start, rad/s² expected
  };
  const double disc = 1e-4, rotor = 60.0 * 60.0 * 3e-5, forward = 0.5, back = 0.3;
  const std::string effort = R"(<actuator type="effort" motion="on" motor="m"/>)";
  const std::string servo =
      R"(<actuator type="velocity" motion="fast" kd="1e3" effort-limit="10" motor="m"/>)";
  const std::string rests = R"(<actuator type="effort" motion="off" motor="m"/>)";
  const Case cases[] = {
      {effort.c_str(), 0.0, 0.0, forward * 10.0 / (disc + forward * rotor)},
      {servo.c_str(), 0.0, 0.0, forward * 10.0 / (disc + forward * rotor)},
      {effort.c_str(), -2.0, 1.0, (forward * 10.0 - 2.0) / (disc + forward * rotor)},
      {rests.c_str(), 2.0, 0.0, 2.0 / (disc + rotor / back)},        // the load spins the rotor up
      {rests.c_str(), -2.0, 20.0, -2.0 / (disc + forward * rotor)},  // and the rotor drives the load
  };
  for (const std::string options : {"", "integrator='euler'"})
    for (const Case& c : cases) {
      CAPTURE(c.drive);
      CAPTURE(c.load);
      Run run(fmt::format(R"(<options timestep="1e-4" gravity="0 0 0" {}/>
          <motor name="m" gear-ratio="60" efficiency="0.5" back-efficiency="0.3" rotor-inertia="3e-5"/>
          <motion name="on" type="constant" value="10"/><motion name="off" type="constant" value="0"/>
          <motion name="fast" type="constant" value="1000"/>
          <body name="disc" angular-velocity="0 0 {}"><inertial mass="1" inertia="1e-4 1e-4 1e-4"/></body>
          <joint name="shaft" type="revolute" follower="disc" axis="0 0 1">{}</joint>)",
                          options, c.speed, c.drive) +
              torqueOn("disc", "z", c.load));
      for (int i = 0; i < 500; ++i) {
        run.simulator().step();
        REQUIRE(run.simulator().report().status == SolveStatus::Solved);
      }
      CHECK(run["joint.shaft.rate.0"] == doctest::Approx(c.speed + 0.05 * c.rate).epsilon(1e-5));
      CHECK(std::abs(run["energy.drift"]) < 1e-9 * (1.0 + run["energy.kinetic"]));
    }
}

TEST_CASE("a spring beside the rotor does not change what its gear loses") {
  // A stiff spring holds the disc: at rest nothing passes, and a heavy armature behind the gear is a load.
  Run run(
      R"(<options timestep="1e-4" gravity="0 0 0"/><motor name="m" gear-ratio="10" efficiency="0.8" rotor-inertia="1e-4"/>
      <motion name="on" type="constant" value="1"/>
      <body name="disc"><inertial mass="1" inertia="1e-3 1e-3 1e-3"/></body>
      <joint name="shaft" type="revolute" follower="disc" axis="0 0 1"><dynamics stiffness="1e-3" armature="0.05" damping="0.01"/>
        <actuator type="effort" motion="on" motor="m"/></joint>)");
  run.until(0.1);
  // (I_L + I_a + η I_r) v̇ = η T - d v.
  const double inertia = 1e-3 + 0.05 + 0.8 * 0.01;
  const double expected = 0.8 / 0.01 * (1.0 - std::exp(-0.01 * 0.1 / inertia));
  CHECK(run["joint.shaft.rate.0"] == doctest::Approx(expected).epsilon(1e-3));
}

TEST_CASE("a capstan holds e^{μ φ} times what pulls at its other end") {
  // Half a turn over a fixed drum.
  const double grip = std::exp(0.3 * pi);
  const auto rope = [&](double heavy) {
    return fmt::format(
        R"(<body name="light" position="-0.5 0 0"><inertial mass="1" inertia="1e-3 1e-3 1e-3"/></body>
        <body name="heavy" position="0.5 0 0"><inertial mass="{}" inertia="1e-3 1e-3 1e-3"/></body>
        <cable name="rope" inextensible="true"><point body="light"/>
          <pulley position="0 0 2" axis="0 1 0" radius="0.5" friction="0.3"/><point body="heavy"/></cable>)",
        heavy);
  };
  Run holds(rope(0.999 * grip));
  holds.until(0.2);
  CHECK(std::abs(holds["body.heavy.velocity.z"]) < 1e-9);
  Run slips(rope(2.0 * grip));
  slips.until(0.2);
  // T = m (g - a), T / e^{μ φ} = m' (g + a).
  const double a = test::kGravity * (2.0 - 1.0) / (2.0 + 1.0);
  CHECK(slips["body.heavy.velocity.z"] == doctest::Approx(-0.2 * a).epsilon(1e-4));
  CHECK(slips["element.rope.tension"] / slips["element.rope.start-tension"] ==
        doctest::Approx(grip).epsilon(1e-6));
  CHECK(std::abs(slips["energy.drift-relative"]) < 1e-3);
}

TEST_CASE("a belt turns its pulley by friction, or slips on it") {
  const auto machine = [](double friction) {
    return fmt::format(
        R"(<body name="left" position="-0.5 0 0"><inertial mass="3" inertia="1e-3 1e-3 1e-3"/></body>
        <body name="right" position="0.5 0 0"><inertial mass="2" inertia="1e-3 1e-3 1e-3"/></body>
        <body name="wheel" position="0 0 2"><inertial mass="1" inertia="0.5 0.5 0.5"/></body>
        <joint name="axle" type="revolute" follower="wheel" position="0 0 2" axis="0 1 0"/>
        <cable name="rope" inextensible="true"><point body="left"/>
          <pulley body="wheel" axis="0 1 0" radius="0.5" friction="{}"/><point body="right"/></cable>)",
        friction);
  };
  // Without slip: a = g (m1 - m2) / (m1 + m2 + I/r²).
  Run turns(machine(1.0));
  turns.until(0.3);
  const double a = test::kGravity / (5.0 + 0.5 / 0.25);
  CHECK(turns["body.left.velocity.z"] == doctest::Approx(-0.3 * a).epsilon(1e-4));
  CHECK(std::abs(turns["joint.axle.rate.0"]) == doctest::Approx(0.3 * a / 0.5).epsilon(1e-4));
  Run slips(machine(0.02));
  slips.until(0.3);
  CHECK(std::abs(slips["joint.axle.rate.0"]) < 0.5 * std::abs(slips["body.left.velocity.z"]) / 0.5);
  CHECK(slips["element.rope.start-tension"] / slips["element.rope.tension"] ==
        doctest::Approx(std::exp(0.02 * pi)).epsilon(1e-6));
}

TEST_CASE("backlash: the driven wheel waits for the play, and is carried after it") {
  const auto gear = [](const std::string& type) {
    return fmt::format(R"(<options gravity="0 0 0"/>
        <body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
        <body name="b" position="0 1 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
        <joint name="ja" type="revolute" follower="a" axis="1 0 0"/>
        <motion name="turn" type="series" samples="0 0 1 0.5 2 1 3 0.5 4 0" interpolation="linear"/>
        <joint name="jb" type="revolute" follower="b" position="0 1 0" axis="1 0 0">
          <actuator type="motion" motion="turn"/></joint>
        <coupling name="gear" {} backlash="0.1"/>)",
                       type);
  };
  for (const std::string type : {"type='gear' joint-a='ja' joint-b='jb' ratio='2'", "type='linear'"}) {
    std::string xml = gear(type);
    if (type == "type='linear'")
      xml = xml.substr(0, xml.rfind("/>")) +
            R"(><term joint="ja" coefficient="1"/><term joint="jb" coefficient="-2"/></coupling>)";
    Run run(xml);
    run.until(0.04);  // b has turned by 0.02, of which a sees 0.04: not yet half of the play
    CHECK(std::abs(run["joint.ja.q.0"]) < 1e-12);
    run.until(2.0);
    CHECK(run["joint.ja.q.0"] == doctest::Approx(2.0 - 0.05).epsilon(1e-6));
    run.until(2.01);  // it turns back: a goes on by itself until the other flank
    CHECK(run["joint.ja.q.0"] > 1.95);
    run.until(4.0);
    CHECK(run["joint.ja.q.0"] == doctest::Approx(0.05).epsilon(1e-3));
    CHECK(run["residual.limit"] < 1e-6);
  }
}

TEST_CASE("a pin in a hole with play: it hits the wall with e, and hangs at the bottom with the load") {
  // Coordinates of the planar joint about y.
  const auto pin = [](const std::string& clearance, const std::string& start) {
    return fmt::format(R"(<body name="bob" {}><inertial mass="0.5" inertia="0.01 0.01 0.01"/></body>
        <joint name="pin" type="planar" follower="bob" axis="0 1 0"><clearance radial="0.01" {}/></joint>)",
                       start, clearance);
  };
  Run bounces("<options gravity='0 0 0' timestep='1e-4'/>" + pin("restitution='0.6'", "velocity='1 0 0'"));
  bounces.until(0.0095);
  CHECK(bounces["body.bob.velocity.x"] == doctest::Approx(1.0));
  bounces.until(0.0115);
  CHECK(bounces["body.bob.velocity.x"] == doctest::Approx(-0.6));
  bounces.until(0.05);
  CHECK(std::abs(bounces["body.bob.velocity.x"]) == doctest::Approx(0.36));
  CHECK(std::abs(bounces["energy.drift"]) < 1e-9);

  Run hangs(pin("", ""));
  hangs.until(1.0);
  CHECK(hangs["body.bob.position.z"] == doctest::Approx(-0.01).epsilon(1e-6));
  const Vec6 load = hangs.simulator().jointReaction(0);
  CHECK(load.head<3>().norm() == doctest::Approx(0.5 * test::kGravity).epsilon(1e-6));

  // A journal that turns in its hole climbs the wall by the angle of friction, where μ r N brakes it.
  const double phi = std::atan(0.3);
  Run turns(fmt::format(
      R"(<body name="bob" position="{} 0 {}" angular-velocity="0 50 0"><inertial mass="0.5" inertia="0.01 0.01 0.01"/></body>
         <joint name="pin" type="planar" follower="bob">
           <base-frame axis="0 1 0"/><follower-frame axis="0 1 0"/>
           <clearance radial="0.01" friction="0.3" journal-radius="0.05"/></joint>)",
      0.01 * std::sin(phi), -0.01 * std::cos(phi)));
  turns.until(0.5);
  const double torque = 0.05 * 0.5 * test::kGravity * std::sin(phi);
  CHECK(turns["body.bob.angular-velocity.y"] == doctest::Approx(50.0 - 0.5 * torque / 0.01).epsilon(1e-5));
  CHECK(turns["body.bob.position.x"] == doctest::Approx(0.01 * std::sin(phi)).epsilon(1e-3));
}

TEST_CASE("a pin stays in its hole when it slides further in a step than the hole is wide") {
  for (const double speed : {20.0, 60.0}) {
    Run run(fmt::format(R"(<motion name="turn" type="series" samples="0 0 1 {}" interpolation="linear"/>
        <body name="crank" position="0.05 0 0"><inertial mass="0.2" inertia="1e-3 1e-3 1e-3"/></body>
        <body name="bob" position="0.15 0 0" velocity="0 0 {}" angular-velocity="0 {} 0"><inertial mass="0.3" inertia="1e-3 1e-3 1e-3"/></body>
        <joint name="axle" type="revolute" follower="crank" axis="0 1 0"><actuator type="motion" motion="turn"/></joint>
        <joint name="pin" type="planar" base="crank" follower="bob" position="0.1 0 0" axis="0 1 0">
          <clearance radial="2e-4" friction="0.1" journal-radius="0.005"/></joint>)",
                        speed, -0.15 * speed, speed));
    double farthest = 0.0;
    for (int i = 0; i < 500; ++i) {
      run.simulator().step();
      farthest = std::max(farthest, std::hypot(run["joint.pin.q.0"], run["joint.pin.q.1"]));
    }
    CHECK(farthest < 4e-4);
    CHECK(!run.simulator().diverged());
  }
}
