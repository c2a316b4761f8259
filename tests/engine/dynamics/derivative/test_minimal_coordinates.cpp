#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "engine/dynamics/derivative/minimal_coordinates.h"
#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;

namespace {

constexpr double kRight = 0.5 * std::numbers::pi;
constexpr const char* kNoEffort = "<motion name='u' type='constant' value='0'/>";

Quat aboutY(double angle) { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitY())); }
Quat aboutZ(double angle) { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ())); }

MinimalCoordinates minimalAt(const std::shared_ptr<const Model>& model, const State& state) {
  return {model, state.poses, state.coordinates};
}

double largestDifference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  return (a - b).cwiseAbs().maxCoeff();
}

/// A slider-crank with the crank at `angle` from the rail, x.
std::string sliderCrank(double angle, const std::string& drive, const std::string& options = {}) {
  const double r = 0.1, l = 0.3, phi = std::asin(r * std::sin(angle) / l);
  const double x = r * std::cos(angle) + l * std::cos(phi);
  const auto body = [](const char* name, double px, double pz, double turn, const char* inertial) {
    return fmt::format(
        "<body name='{}' position='{:.17g} 0 {:.17g}' quaternion='{:.17g} 0 {:.17g} 0'>{}</body>", name, px,
        pz, std::cos(0.5 * turn), std::sin(0.5 * turn), inertial);
  };
  return std::string(kNoEffort) + options +
         body("crank", 0.5 * r * std::cos(angle), 0.5 * r * std::sin(angle), -angle,
              "<inertial mass='0.7' inertia='1e-3 2e-3 3e-3'/>") +
         body("rod", r * std::cos(angle) + 0.5 * l * std::cos(phi), 0.5 * r * std::sin(angle), phi,
              "<inertial mass='0.4' inertia='2e-3 4e-3 3e-3'/>") +
         body("slider", x, 0.0, 0.0, "<inertial mass='0.9' inertia='1e-3 1e-3 1e-3'/>") +
         fmt::format(
             "<joint name='main' type='revolute' follower='crank' axis='0 -1 0'>{}</joint>"
             "<joint name='big' type='revolute' base='crank' follower='rod' position='{:.17g} 0 {:.17g}' "
             "axis='0 1 0'/>"
             "<joint name='small' type='revolute' base='rod' follower='slider' position='{:.17g} 0 0' "
             "axis='0 1 0'/>"
             "<joint name='rail' type='prismatic' follower='slider' position='{:.17g} 0 0' axis='1 0 0'/>",
             drive, r * std::cos(angle), r * std::sin(angle), x, x);
}

/// Inertia of the slider-crank at the crank, and its potential energy, in closed form.
double crankInertia(double angle) {
  const double r = 0.1, l = 0.3, phi = std::asin(r * std::sin(angle) / l);
  const double turn = r * std::cos(angle) / (l * std::cos(phi));
  const double rodX = -r * std::sin(angle) - 0.5 * l * std::sin(phi) * turn;
  const double sliderX = -r * std::sin(angle) - l * std::sin(phi) * turn;
  const double z = 0.5 * r * std::cos(angle);
  return 2e-3 + 0.7 * 0.25 * r * r + 4e-3 * turn * turn + 0.4 * (rodX * rodX + z * z) +
         0.9 * sliderX * sliderX;
}

/// Moves by efforts from inverse dynamics and returns how far the accelerations of the first step are off.
double accelerationError(const std::shared_ptr<const Model>& model, const std::vector<double>& wanted,
                         double speed) {
  Simulator simulator(model, startState(*model));
  MinimalCoordinates m = minimalAt(model, simulator.state());
  REQUIRE(m.size() == static_cast<int>(wanted.size()));
  std::vector<double> rates(wanted.size(), speed);
  State state = simulator.state();
  const VecX twists = m.velocityMap() * Eigen::Map<const VecX>(rates.data(), m.size());
  for (std::size_t b = 0; b < state.twists.size(); ++b)
    state.twists[b] = twists.segment<6>(6 * static_cast<Eigen::Index>(b));
  simulator.setState(state);
  CHECK(largestDifference(m.rates(state.twists), Eigen::Map<const VecX>(rates.data(), m.size())) < 1e-12);
  const VecX effort = m.inverseDynamics(rates, wanted);
  for (std::size_t a = 0; a < simulator.actuators().size(); ++a)
    for (int i = 0; i < m.size(); ++i)
      if (m.coordinates()[static_cast<std::size_t>(i)].joint == simulator.actuators()[a].joint)
        simulator.inputs().control[a] = effort[i];
  simulator.step();
  REQUIRE(!simulator.diverged());
  m.update(simulator.state().poses, simulator.state().coordinates);
  const VecX after = m.rates(simulator.state().twists);
  double error = 0.0;
  for (int i = 0; i < m.size(); ++i)
    error = std::max(
        error, std::abs((after[i] - speed) / model->step.timestep - wanted[static_cast<std::size_t>(i)]));
  return error;
}

}  // namespace

TEST_CASE("mass matrix and bias of a double pendulum are those of the textbook") {
  const double m1 = 1.3, m2 = 0.8, c1 = 0.3, l1 = 0.7, c2 = 0.25, i1 = 0.05, i2 = 0.02;
  const Scenario s = test::scenarioOf(
      R"(<body name="a" position="0 0 -0.3"><inertial mass="1.3" inertia="0.04 0.05 0.01"/></body>
         <body name="b" position="0 0 -0.95"><inertial mass="0.8" inertia="0.01 0.02 0.01"/></body>
         <joint name="p" type="revolute" follower="a" axis="0 1 0"/>
         <joint name="q" type="revolute" base="a" follower="b" position="0 0 -0.7" axis="0 1 0"><dynamics armature="0.03" stiffness="2" damping="0.4"/></joint>)");
  for (const auto& [q1, q2, v1, v2] :
       {std::array{0.0, 0.0, 0.0, 0.0}, std::array{0.4, -1.1, 1.7, 2.3}, std::array{2.9, 1.9, -3.0, 4.0}}) {
    State state = s.model->initialState();
    state.poses[0] = {aboutY(q1) * Vec3(0, 0, -c1), aboutY(q1)};
    state.poses[1] = {aboutY(q1) * Vec3(0, 0, -l1) + aboutY(q1 + q2) * Vec3(0, 0, -c2), aboutY(q1 + q2)};
    MinimalCoordinates m = minimalAt(s.model, state);
    REQUIRE(m.size() == 2);
    CHECK(m.name(0) == "p");
    CHECK(m.name(1) == "q");
    const double k = m2 * l1 * c2;
    Eigen::Matrix2d mass;
    mass(0, 0) = i1 + i2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2) + 2.0 * k * std::cos(q2);
    mass(0, 1) = mass(1, 0) = i2 + m2 * c2 * c2 + k * std::cos(q2);
    mass(1, 1) = i2 + m2 * c2 * c2 + 0.03;
    CHECK(largestDifference(m.massMatrix(), mass) < 1e-13);
    const double tip = m2 * c2 * kGravity * std::sin(q1 + q2);
    const Eigen::Vector2d bias(
        -k * std::sin(q2) * (2.0 * v1 * v2 + v2 * v2) + (m1 * c1 + m2 * l1) * kGravity * std::sin(q1) + tip,
        k * std::sin(q2) * v1 * v1 + tip + 2.0 * q2 + 0.4 * v2);
    CHECK(largestDifference(m.bias(std::array{v1, v2}), bias) < 1e-10);
    CHECK(largestDifference(m.inverseDynamics(std::array{v1, v2}, std::array{3.0, -2.0}),
                            mass * Eigen::Vector2d(3.0, -2.0) + bias) < 1e-10);
    // The tip of the second link, and a force there.
    const Vec3 tipPoint(0.0, 0.0, -0.45);
    const Eigen::MatrixXd j = m.jacobian(1, tipPoint);
    const double l2 = c2 + 0.45;
    CHECK(j(0, 1) == doctest::Approx(-l2 * std::cos(q1 + q2)).epsilon(1e-12));
    CHECK(j(0, 0) == doctest::Approx(-l1 * std::cos(q1) - l2 * std::cos(q1 + q2)).epsilon(1e-12));
    CHECK(j(4, 0) == doctest::Approx(1.0));
    const Vec3 force(2.0, 0.0, -1.0), arm = state.poses[1].rotation * tipPoint;
    std::vector<Vec6> wrenches(2, Vec6::Zero());
    wrenches[1] << force, arm.cross(force);
    CHECK(largestDifference(m.bias(std::array{v1, v2}, 0.0, wrenches),
                            bias - j.topRows<3>().transpose() * force) < 1e-10);
  }
}

TEST_CASE("mass matrix and bias of an arm of three links in space are those of the textbook") {
  const double l2 = 0.5, c2 = 0.3, c3 = 0.2, m2 = 1.4, m3 = 0.9, j1 = 0.05, j2 = 0.03, j3 = 0.02;
  const Scenario s = test::scenarioOf(
      R"(<body name="column"><inertial mass="2" inertia="0.05 0.05 0.05"/></body>
         <body name="upper" position="0.3 0 0"><inertial mass="1.4" inertia="0.03 0.03 0.03"/></body>
         <body name="fore" position="0.7 0 0"><inertial mass="0.9" inertia="0.02 0.02 0.02"/></body>
         <joint name="yaw" type="revolute" follower="column" axis="0 0 1"/>
         <joint name="shoulder" type="revolute" base="column" follower="upper" axis="0 -1 0"/>
         <joint name="elbow" type="revolute" base="upper" follower="fore" position="0.5 0 0" axis="0 -1 0"/>)");
  test::Random random(5);
  for (int trial = 0; trial < 5; ++trial) {
    const Vec3 q = random.vector(), v = 3.0 * random.vector();
    State state = s.model->initialState();
    const Quat r1 = aboutZ(q[0]), r2 = r1 * aboutY(-q[1]), r3 = r2 * aboutY(-q[2]);
    state.poses[0].rotation = r1;
    state.poses[1] = {r2 * Vec3(c2, 0, 0), r2};
    state.poses[2] = {r2 * Vec3(l2, 0, 0) + r3 * Vec3(c3, 0, 0), r3};
    MinimalCoordinates m = minimalAt(s.model, state);
    REQUIRE(m.size() == 3);
    const double reach2 = c2 * std::cos(q[1]), reach3 = l2 * std::cos(q[1]) + c3 * std::cos(q[1] + q[2]);
    const double k = m3 * l2 * c3;
    Mat3 mass = Mat3::Zero();
    mass(0, 0) = j1 + j2 + j3 + m2 * reach2 * reach2 + m3 * reach3 * reach3;
    mass(1, 1) = j2 + j3 + m2 * c2 * c2 + m3 * (l2 * l2 + c3 * c3) + 2.0 * k * std::cos(q[2]);
    mass(1, 2) = mass(2, 1) = j3 + m3 * c3 * c3 + k * std::cos(q[2]);
    mass(2, 2) = j3 + m3 * c3 * c3;
    CHECK(largestDifference(m.massMatrix(), mass) < 1e-13);
    const double drop3 = c3 * std::sin(q[1] + q[2]), drop2 = l2 * std::sin(q[1]) + drop3;
    const double slope2 = -2.0 * (m2 * reach2 * c2 * std::sin(q[1]) + m3 * reach3 * drop2);
    const double slope3 = -2.0 * m3 * reach3 * drop3;
    const double weight3 = m3 * kGravity * c3 * std::cos(q[1] + q[2]);
    const Vec3 bias((slope2 * v[1] + slope3 * v[2]) * v[0],
                    -0.5 * slope2 * v[0] * v[0] - k * std::sin(q[2]) * (2.0 * v[1] * v[2] + v[2] * v[2]) +
                        kGravity * std::cos(q[1]) * (m2 * c2 + m3 * l2) + weight3,
                    -0.5 * slope3 * v[0] * v[0] + k * std::sin(q[2]) * v[1] * v[1] + weight3);
    CHECK(largestDifference(m.bias(std::span(v.data(), 3)), bias) < 1e-10);
  }
}

TEST_CASE("a loop has the reduced inertia and the bias of its closed form") {
  const auto energySlope = [](double angle) {
    const double h = 1e-3;
    return (8.0 * (crankInertia(angle + h) - crankInertia(angle - h)) - crankInertia(angle + 2.0 * h) +
            crankInertia(angle - 2.0 * h)) /
           (12.0 * h);
  };
  const Scenario start = test::scenarioOf(sliderCrank(0.3, "<actuator type='effort' motion='u'/>"));
  MinimalCoordinates kept = minimalAt(start.model, startState(*start.model));
  for (const double angle : {0.3, 1.4, 2.6, -1.2}) {
    const Scenario s = test::scenarioOf(sliderCrank(angle, "<actuator type='effort' motion='u'/>"));
    const State state = startState(*s.model);
    MinimalCoordinates m = minimalAt(s.model, state);
    REQUIRE(m.size() == 1);
    CHECK(m.name(0) == "main");
    CHECK(m.redundant() == 3);  // a plane mechanism in space
    CHECK(m.massMatrix()(0, 0) == doctest::Approx(crankInertia(angle)).epsilon(1e-11));
    const double rate = 4.0;
    const double weight = kGravity * std::cos(angle) * 0.5 * 0.1 * (0.7 + 0.4);
    CHECK(m.bias(std::array{rate})[0] ==
          doctest::Approx(0.5 * energySlope(angle) * rate * rate + weight).epsilon(1e-9));
    // Chosen elsewhere, the same coordinates go on.
    kept.update(state.poses, state.coordinates);
    CHECK(kept.massMatrix()(0, 0) == doctest::Approx(crankInertia(angle)).epsilon(1e-9));
  }
}

TEST_CASE("a step with the efforts of inverse dynamics has the accelerations that were asked for") {
  // The error is of the order of the step; accelerations are some 10 rad/s².
  const std::string options = "<options timestep='1e-6'/>";
  const Scenario loop = test::scenarioOf(sliderCrank(
      0.9, "<dynamics armature='1e-3' damping='0.02' stiffness='0.3'/><actuator type='effort' motion='u'/>",
      options));
  CHECK(accelerationError(loop.model, {25.0}, 5.0) < 1e-3);
  const Scenario tree = test::scenarioOf(
      std::string(kNoEffort) + options +
      R"(<body name="a" position="0.3 0 0.1"><inertial mass="2" inertia="0.05 0.08 0.06"/></body>
         <body name="b" position="0.7 0.1 0"><inertial mass="1.4" inertia="0.03 0.05 0.04"/></body>
         <body name="c" position="1 0 0.2"><inertial mass="0.9" inertia="0.02 0.03 0.01"/></body>
         <joint name="yaw" type="revolute" follower="a" axis="0.2 0 1"><dynamics armature="0.2"/><actuator type="effort" motion="u"/></joint>
         <joint name="slide" type="prismatic" base="a" follower="b" position="0.4 0 0" axis="1 0.3 0"><dynamics stiffness="5" damping="2"/><actuator type="effort" motion="u"/></joint>
         <joint name="roll" type="revolute" base="b" follower="c" position="0.8 0 0" axis="1 1 0"><actuator type="effort" motion="u"/></joint>)");
  CHECK(accelerationError(tree.model, {8.0, -5.0, 12.0}, 2.0) < 1e-3);
}

TEST_CASE("minimal coordinates give back all twists, and as many as the mobility says" *
          doctest::test_suite("long")) {
  for (const char* name :
       {"double-pendulum", "slider-crank", "fourbar-free", "stewart-platform", "all-joints", "jansen-walker",
        "differential", "andrews-squeezer", "scissor-lift", "screw-jack"}) {
    CAPTURE(std::string(name));
    const Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    Simulator simulator(s.model, startState(*s.model));
    for (int i = 0; i < 20; ++i) simulator.step();
    const State& state = simulator.state();
    MinimalCoordinates m = minimalAt(s.model, state);
    CHECK(m.size() == analyseMobility(*s.model, state.poses, state.coordinates).mobility());
    const VecX rates = m.rates(state.twists);
    double speed = 1.0;
    for (const Vec6& u : state.twists) speed = std::max(speed, u.norm());
    CHECK(largestDifference(m.velocityMap() * rates, test::stacked(state.twists)) < 1e-7 * speed);
    std::vector<double> all(state.coordinates.size());
    simulator.coordinateRates(all);
    CHECK(largestDifference(m.coordinateMap() * rates, test::stacked(all)) < 1e-6 * speed);
    const Eigen::MatrixXd mass = m.massMatrix();
    CHECK(0.5 * rates.dot(mass * rates) == doctest::Approx(simulator.report().energy.kinetic).epsilon(1e-6));
    CHECK(Eigen::LLT<Eigen::MatrixXd>(mass).info() == Eigen::Success);
    // Linear in the accelerations.
    const std::vector<double> v(rates.begin(), rates.end()), a(v.size(), 1.5);
    const VecX linear = mass * VecX::Constant(m.size(), 1.5) + m.bias(v);
    CHECK(largestDifference(m.inverseDynamics(v, a), linear) <= 1e-9 * std::max(1.0, linear.norm()));
  }
}

TEST_CASE("a body that nothing holds has its twist as coordinates") {
  const Scenario s = test::scenarioOf(
      R"(<body name="top" position="1 2 3"><inertial mass="2" inertia="0.1 0.2 0.25"/></body>)");
  MinimalCoordinates m = minimalAt(s.model, s.model->initialState());
  REQUIRE(m.size() == 6);
  CHECK(m.name(4) == "top.wy");
  CHECK(largestDifference(m.velocityMap(), Mat6::Identity()) < 1e-15);
  const VecX bias = m.bias(std::array{0.0, 0.0, 0.0, 1.0, 2.0, 3.0});
  CHECK(bias[2] == doctest::Approx(2.0 * kGravity));
  CHECK(bias[3] == doctest::Approx((0.25 - 0.2) * 2.0 * 3.0));
}

TEST_CASE("singular configurations and wrong lengths are refused in words") {
  // A parallelogram, whose coupler leaves the crank's motion undetermined when all bars lie on one line.
  const auto parallelogram = [](double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    const auto bar = [&](const char* name, double x, double z, double turn) {
      return fmt::format(
          "<body name='{}' position='{:.17g} 0 {:.17g}' quaternion='{:.17g} 0 {:.17g} 0'>"
          "<inertial mass='1' inertia='0.01 0.01 0.01'/></body>",
          name, x, z, std::cos(0.5 * turn), std::sin(0.5 * turn));
    };
    return std::string(kNoEffort) + bar("left", 0.25 * c, 0.25 * s, -angle) +
           bar("right", 1.0 + 0.25 * c, 0.25 * s, -angle) + bar("top", 0.5 + 0.5 * c, 0.5 * s, 0.0) +
           fmt::format(
               "<joint name='a' type='revolute' follower='left' axis='0 1 0'><actuator "
               "type='effort' motion='u'/></joint>"
               "<joint name='b' type='revolute' follower='right' position='1 0 0' axis='0 1 0'/>"
               "<joint name='c' type='revolute' base='left' follower='top' position='{0:.17g} 0 {1:.17g}' "
               "axis='0 1 0'/>"
               "<joint name='d' type='revolute' base='right' follower='top' position='{2:.17g} 0 {1:.17g}' "
               "axis='0 1 0'/>",
               0.5 * c, 0.5 * s, 1.0 + 0.5 * c);
  };
  const Scenario open = test::scenarioOf(parallelogram(kRight)), flat = test::scenarioOf(parallelogram(0.0));
  const State there = flat.model->initialState(), here = open.model->initialState();
  MinimalCoordinates m = minimalAt(open.model, here);
  REQUIRE(m.size() == 1);
  CHECK_THROWS_WITH_AS(m.update(there.poses, there.coordinates), doctest::Contains("singular configuration"),
                       CallError);
  CHECK_THROWS_WITH_AS(m.bias(std::array{1.0}), doctest::Contains("no valid configuration"), CallError);
  m.choose(there.poses, there.coordinates);
  CHECK(m.size() == 2);
  CHECK_THROWS_WITH_AS(m.update(here.poses, here.coordinates), doctest::Contains("fewer independent"),
                       CallError);
  m.choose(here.poses, here.coordinates);
  CHECK_THROWS_WITH_AS(m.bias(std::array{1.0, 2.0}), doctest::Contains("2 rates given"), CallError);
  CHECK_THROWS_WITH_AS(m.inverseDynamics(std::array{1.0}, std::array{1.0, 2.0}),
                       doctest::Contains("2 accelerations given"), CallError);
  CHECK_THROWS_WITH_AS(m.update(std::span(here.poses).first(2), here.coordinates),
                       doctest::Contains("2 poses"), CallError);
  CHECK_THROWS_WITH_AS(m.jacobian(3, Vec3::Zero()), doctest::Contains("no body 3"), CallError);
  CHECK_THROWS_WITH_AS(m.rates(std::span(here.twists).first(1)), doctest::Contains("1 twists"), CallError);

  const Scenario gimbal = test::scenarioOf(
      "<body name='a'><inertial mass='1' inertia='1 1 1'/></body><joint name='g' type='gimbal' "
      "follower='a'/>");
  State locked = gimbal.model->initialState();
  locked.poses[0].rotation = aboutY(kRight);
  CHECK_THROWS_WITH_AS(minimalAt(gimbal.model, locked), doctest::Contains("joint 'g' (gimbal)"), CallError);
}
