#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kStep = 1e-3, kBall = 0.05, kPost = 0.08;  // s, m

/// A ball and one that is fixed, without gravity and friction.
std::string ballAndPost(double restitution) {
  return "<options timestep='1e-3' gravity='0 0 0'/><material name='default' friction='0' restitution='" +
         std::to_string(restitution) +
         "'/><shape type='sphere' radius='0.08'/><body name='ball' position='1 0 0'>"
         "<shape type='sphere' radius='0.05' mass='0.3'/></body>";
}

/// A straight flight that comes within `miss` (m) of the middle of the post.
struct Flight {
  Vec3 position, velocity, side;
  double away = 0.0;  ///< m along the flight, from the start to the point next to the post's middle

  Flight(test::Random& random, double speed, double miss) {
    const Vec3 along = random.rotation() * Vec3::UnitX();
    side = along.cross(random.rotation() * Vec3::UnitZ()).normalized();
    velocity = speed * along;
    away = random.uniform(0.2, 0.2 + 8.0 * speed * kStep);
    position = miss * side - away * along;
  }
  State stateOf(const State& like, double turn, test::Random& random) const {
    State state = like;
    state.poses[0].position = position;
    state.twists[0] << velocity, random.vector(turn / kStep);
    return state;
  }
};

/// A random flight of `speed` at a wall in the plane z = 0, which is solid below.
std::string flightAt(const std::string& wall, const std::string& thing, double speed, int trial,
                     test::Random& random) {
  const Vec3 way = speed * Vec3(random.uniform(), random.uniform(), random.uniform(-1.0, -0.3)).normalized();
  const Vec3 spin = random.vector(200.0),
             start = Vec3(random.uniform(), random.uniform(), 0.0) -
                     way * random.uniform(0.2 / speed, 0.2 / speed + 3.0 * kStep);
  return fmt::format(
      "<options timestep='1e-3' gravity='0 0 0' divergence-speed='1e6'/>"
      "<material name='default' friction='{}' restitution='{}'/>"
      "<shape {}/><body name='b' position='{} {} {}' velocity='{} {} {}' angular-velocity='{} {} {}'>"
      "<shape {} density='1000'/></body>",
      0.3 * (trial % 3), 0.2 * (trial % 5), wall, start.x(), start.y(), start.z(), way.x(), way.y(), way.z(),
      spin.x(), spin.y(), spin.z(), thing);
}

const std::vector<std::string> kThings = {"type='sphere' radius='0.02'",
                                          "type='box' size='0.05 0.03 0.02'",
                                          "type='capsule' radius='0.01' length='0.05'",
                                          "type='cylinder' radius='0.02' length='0.04'",
                                          "type='cone' radius='0.02' length='0.05'",
                                          "type='ellipsoid' size='0.02 0.03 0.015'"};

}  // namespace

TEST_CASE("3000 flights that pass a ball by 0.1 to 10 mm go straight on") {
  test::Run run(ballAndPost(0.5));
  Simulator& simulator = run.simulator();
  const State start = simulator.state();
  test::forAll(41, 3000, [&](test::Random& random, int) {
    const double speed = std::pow(10.0, random.uniform(-1.0, 3.0));
    const Flight flight(random, speed, kBall + kPost + std::pow(10.0, random.uniform(-4.0, -2.0)));
    const State state = flight.stateOf(start, 0.2, random);
    simulator.setState(state);
    const int steps = 3 + static_cast<int>(2.0 * flight.away / (speed * kStep));
    for (int i = 0; i < std::min(steps, 40); ++i) simulator.step();
    CHECK((simulator.state().twists[0] - state.twists[0]).norm() < 1e-12 * state.twists[0].norm());
  });
}

TEST_CASE("3000 flights that hit a ball leave from the place of the blow, along its normal") {
  constexpr double kRestitution = 0.75;
  test::Run run(ballAndPost(kRestitution));
  Simulator& simulator = run.simulator();
  const State start = simulator.state();
  test::forAll(43, 3000, [&](test::Random& random, int) {
    const double speed = std::pow(10.0, random.uniform(-0.5, 3.0)), reach = kBall + kPost;
    const double miss = random.uniform(0.0, 0.98) * reach;
    const Flight flight(random, speed, miss);
    simulator.setState(flight.stateOf(start, 0.2, random));
    const double time = (flight.away - std::sqrt(reach * reach - miss * miss)) / speed;
    const Vec3 place = flight.position + time * flight.velocity, normal = place.normalized();
    const Vec3 leaving = flight.velocity - (1.0 + kRestitution) * flight.velocity.dot(normal) * normal;
    const int steps = 3 + static_cast<int>(time / kStep);
    for (int i = 0; i < steps; ++i) simulator.step();
    const Vec3 end = place + (steps * kStep - time) * leaving;
    // What counts as touching turns the normal by as much over the radii.
    CHECK((simulator.state().twists[0].head<3>() - leaving).norm() < 1e-3 * speed);
    CHECK((simulator.state().poses[0].position - end).norm() < 1e-2 * speed * kStep);
  });
}

TEST_CASE("a bar that spins about its middle hits a thin plate on its first pass") {
  for (const double spin : {10.0, 50.0, 100.0, 200.0, 400.0}) {
    CAPTURE(spin);
    test::Run run(
        "<options timestep='1e-3' gravity='0 0 0'/><material name='default' friction='0'/>"
        "<body name='bar' angular-velocity='0 0 " +
        std::to_string(spin) +
        "'><shape type='box' size='1 0.02 0.02' mass='1'/></body>"
        "<joint name='hub' type='revolute' follower='bar' axis='0 0 1'/>"
        "<body name='plate' position='0 0.4 0'><shape type='box' size='0.002 0.1 0.1' mass='0.05'/>"
        "</body>");
    run.until(1.0 / spin);  // a radian
    CHECK(run["body.plate.velocity.x"] == 0.0);
    run.until(2.0 / spin);
    CHECK(run["body.plate.velocity.x"] < -0.3 * spin);
  }
}

TEST_CASE("a slider that meets the side of a step is stopped by it, however little they overlap in height") {
  for (const double overlap : {0.0005, 0.002, 0.01})
    for (const double speed : {0.5, 2.0, 8.0, 20.0})
      for (int start = 0; start < 10; ++start) {
        CAPTURE(overlap);
        CAPTURE(speed);
        CAPTURE(start);
        const double place = -0.21 - 0.1 * start * speed * kStep;  // of its middle; its side meets at -0.2
        test::Run run(
            fmt::format("<options timestep='1e-3' gravity='0 0 0'/><material name='default' friction='0'/>"
                        "<shape type='box' size='0.2 0.2 0.2'/>"
                        "<body name='slider' position='{} 0 {}' velocity='{} 0 0'>"
                        "<shape type='box' size='0.2 0.2 0.2' mass='1'/></body>"
                        "<joint name='rail' type='prismatic' follower='slider' axis='1 0 0'/>",
                        place, 0.2 - overlap, speed));
        run.until(0.03 / speed + 5.0 * kStep);
        CHECK(run["body.slider.position.x"] < -0.2 + 1e-4);
        CHECK(std::abs(run["body.slider.velocity.x"]) < 1e-3 * speed);
      }
}

TEST_CASE("blows of one row of balls come one after the other, in one step") {
  for (const double gap : {1e-3, 1e-4, 1e-5}) {
    CAPTURE(gap);
    std::string text =
        "<options timestep='1e-3' gravity='0 0 0'/><material name='default' friction='0' "
        "restitution='1'/>";
    for (int i = 0; i < 5; ++i)
      text += "<body name='b" + std::to_string(i) + "' position='" +
              std::to_string(i == 0 ? -0.05 : (i - 1) * (0.04 + gap)) + " 0 0' velocity='" +
              (i == 0 ? "1" : "0") + " 0 0'><shape type='sphere' radius='0.02' mass='0.1'/></body>";
    test::Run run(text);
    run.until(0.1);
    for (int i = 0; i < 4; ++i) CHECK(std::abs(run["body.b" + std::to_string(i) + ".velocity.x"]) < 1e-9);
    CHECK(run["body.b4.velocity.x"] == doctest::Approx(1.0).epsilon(1e-9));
  }
}

TEST_CASE("a blow with friction gives no energy to a double pendulum, though Newton's restitution would") {
  // Two rods whose lower end strikes the ground obliquely.
  test::Run run(R"(<options timestep='1e-3'/><material name='default' friction='0.7' restitution='0.9'/>
    <shape type='plane'/>
    <body name='a' position='0.2 0 0.75'><inertial mass='1' inertia='0.02 0.02 0.001'/></body>
    <body name='b' position='0.55 0 0.32' angular-velocity='0 -3 0'>
      <inertial mass='0.2' inertia='0.004 0.004 0.0002'/>
      <shape type='sphere' radius='0.02' position='0.1 0 -0.29' mass='0.01'/></body>
    <joint name='top' type='revolute' follower='a' position='0 0 1' axis='0 1 0'/>
    <joint name='knee' type='revolute' base='a' follower='b' position='0.4 0 0.5' axis='0 1 0'/>)");
  double most = run["energy.total"];
  const double start = most;
  bool struck = false;
  for (int i = 0; i < 3000; ++i) {
    const double before = run["energy.total"];
    run.simulator().step();
    REQUIRE(!run.simulator().diverged());
    struck = struck || run.simulator().reducedBlows();
    CHECK(run["energy.total"] < before + 1e-4 * std::abs(start));
  }
  CHECK(struck);
}

TEST_CASE("nothing that flies at 10 to 300 m/s at a plane or a wall of boxes goes through") {
  const std::vector<std::string> walls = {"type='plane'", "type='box' size='4 4 0.1' position='0 0 -0.05'"};
  test::forAll(71, 400, [&](test::Random& random, int trial) {
    const auto index = static_cast<std::size_t>(trial);
    const double speed = std::pow(10.0, random.uniform(1.0, 2.5));
    test::Run run(flightAt(walls[index % 2], kThings[index / 2 % kThings.size()], speed, trial, random));
    run.until(0.02);
    CHECK(run["body.b.position.z"] > 0.0);
  });
}

TEST_CASE("what flies at up to 10 km/s at a wall of 10 mm stays before it, or the run says that it may not") {
  int through = 0;
  test::forAll(72, 500, [&](test::Random& random, int trial) {
    const double speed = std::pow(10.0, random.uniform(1.0, 4.0));
    test::Run run(flightAt("type='box' size='4 4 0.01' position='0 0 -0.005'",
                           kThings[static_cast<std::size_t>(trial) % kThings.size()], speed, trial, random));
    double leap = 0.0;
    for (int i = 0; i < 20 && !run.simulator().diverged(); ++i) {
      run.simulator().step();
      leap = std::max(leap, run.simulator().report().leap);
    }
    if (run["body.b.position.z"] > 0.0 && !run.simulator().diverged()) return;
    ++through;
    CHECK(leap > 10.0);
  });
  CHECK(through < 50);
}

TEST_CASE(
    "a run names the body that meets a wall at more than ten half thicknesses a step, and no slower one") {
  const auto warnings = [](double speed) {
    Scenario s = test::scenarioOf(
        fmt::format("<options timestep='1e-3' gravity='0 0 0'/><shape type='box' size='4 4 0.01'/>"
                    "<body name='ball' position='0 0 0.1' velocity='0 0 {}'><shape type='sphere' "
                    "radius='0.02' mass='1'/></body>",
                    -speed));
    s.duration = 0.01;
    return run(s, "").warnings;
  };
  CHECK(warnings(49.0).empty());
  const auto fast = warnings(100.0);
  REQUIRE(fast.size() == 1);
  CHECK_MESSAGE(fast[0].find("body 'ball' meets another shape at 20 times half the thickness") == 0, fast[0]);
}
