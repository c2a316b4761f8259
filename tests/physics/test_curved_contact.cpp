#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tests/support.h"

using namespace grashof;

namespace {

/// A ball that is thrown obliquely at a tilted block without friction; `shape`: how the ball is written.
std::string thrownAt(const std::string& shape, const std::string& block) {
  return R"(<options timestep="1e-3" gravity="0 0 0"/><material name="default" friction="0" restitution="0.6"/>
    <shape position="0.03 -0.02 0" rpy="0.3 0.5 -0.2" )" +
         block + R"(/>
    <body name="ball" position="0.01 0.02 0.5" velocity="0.15 -0.1 -1.5">)" +
         shape + R"(</body>)";
}

/// A disc that rolls steadily: its plane leans by `tilt` (rad) to the floor, its centre circles at `radius`
/// (m).
struct RollingDisc {
  double a = 0.1, half = 1e-3, mass = 0.25, rate = 0.0;  ///< m, m, kg; rad/s about the vertical
  double energy = 0.0;                                   ///< J, above the floor
  std::string scenario;

  /// From the balance of momentum and of angular momentum at the centre, with rolling without slip.
  RollingDisc(double tilt, double radius) {
    const double s = std::sin(tilt), c = std::cos(tilt), g = 9.81;
    const double across = mass * (3.0 * a * a + 4.0 * half * half) / 12.0, along = 0.5 * mass * a * a;
    const double roll = (radius + a * c - half * s) / a;
    rate = std::sqrt(mass * g * (a * c - half * s) /
                     (across * s * c - along * s * (c - roll) + mass * radius * (a * s + half * c)));
    const Vec3 axis(s, 0.0, c), uphill(-c, 0.0, s);
    const Vec3 spin = rate * s * uphill + rate * (c - roll) * axis;
    const double height = a * s + half * c;
    energy = mass * g * height + 0.5 * mass * std::pow(rate * radius, 2) +
             0.5 * across * std::pow(rate * s, 2) + 0.5 * along * std::pow(rate * (c - roll), 2);
    scenario = fmt::format(
        "<material name='default' friction='0.9'/><shape type='plane'/><body name='disc' "
        "position='{:.17g} 0 {:.17g}' quaternion='{:.17g} 0 {:.17g} 0' velocity='0 {:.17g} 0' "
        "angular-velocity='{:.17g} {:.17g} {:.17g}'><inertial mass='{}' inertia='{:.17g} {:.17g} {:.17g}'/>"
        "<shape type='cylinder' radius='{}' length='{}'/></body>",
        radius, height, std::cos(0.5 * tilt), std::sin(0.5 * tilt), rate * radius, spin.x(), spin.y(),
        spin.z(), mass, across, across, along, a, 2.0 * half);
  }
};

/// An ellipsoid of 1 kg that rolls on a plane without slip, by Runge-Kutta's method of order 4.
struct RollingEllipsoid {
  Vec3 axes;     ///< m
  Mat3 inertia;  ///< about the centre, in its axes, kg m²
  Quat turn;
  Vec3 spin;  ///< world, rad/s

  /// From the centre to the point of contact, and its rate, world.
  std::pair<Vec3, Vec3> arm(const Quat& q, const Vec3& w) const {
    const Mat3 r = q.toRotationMatrix();
    const Vec3 n = r.transpose() * Vec3::UnitZ(), rate = -(r.transpose() * w).cross(n);
    const Vec3 square = axes.cwiseAbs2(), sn = square.cwiseProduct(n), srate = square.cwiseProduct(rate);
    const double size = std::sqrt(n.dot(sn));
    const Vec3 c = -r * sn / size;
    return {c, Vec3(w.cross(c) - r * (srate / size - sn * n.dot(srate) / std::pow(size, 3)))};
  }
  Vec3 acceleration(const Quat& q, const Vec3& w) const {
    const auto [c, rate] = arm(q, w);
    const Mat3 r = q.toRotationMatrix(), world = r * inertia * r.transpose();
    const Mat3 whole = world + c.squaredNorm() * Mat3::Identity() - c * c.transpose();
    const Vec3 gravity(0.0, 0.0, 9.81);
    const Vec3 moment = c.cross(Vec3(gravity - w.cross(rate))) - w.cross(Vec3(world * w));
    return whole.ldlt().solve(moment);
  }
  void advance(double h) {
    const auto moved = [&](const Vec3& w, double by) { return expRotation(by * w) * turn; };
    const Vec3 w1 = spin, a1 = acceleration(turn, w1);
    const Vec3 w2 = spin + 0.5 * h * a1, a2 = acceleration(moved(w1, 0.5 * h), w2);
    const Vec3 w3 = spin + 0.5 * h * a2, a3 = acceleration(moved(w2, 0.5 * h), w3);
    const Vec3 w4 = spin + h * a3, a4 = acceleration(moved(w3, h), w4);
    turn = (expRotation(h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4)) * turn).normalized();
    spin += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
};

}  // namespace

TEST_CASE("a ball written as an ellipsoid leaves a frictionless blow as the ball does, and does not spin") {
  for (const std::string block :
       {R"(type="box" size="0.3 0.4 0.2")", R"(type="cylinder" radius="0.15" length="0.2")",
        R"(type="cone" radius="0.2" length="0.3")", R"(type="ellipsoid" size="0.2 0.15 0.1")",
        R"(type="capsule" radius="0.1" length="0.2")"}) {
    CAPTURE(block);
    test::Run ball(thrownAt(R"(<shape type="sphere" radius="0.08" mass="1"/>)", block)),
        egg(thrownAt(R"(<shape type="ellipsoid" size="0.08 0.08 0.08" mass="1"/>)", block));
    ball.until(0.6);
    egg.until(0.6);
    const Vec6 &u = ball.simulator().state().twists.back(), &v = egg.simulator().state().twists.back();
    CHECK((u - Vec6((Vec6() << 0.15, -0.1, -1.5, 0.0, 0.0, 0.0).finished())).norm() >
          0.1);  // there was a blow
    CHECK((u - v).norm() < 1e-7);
    CHECK(v.tail<3>().norm() < 1e-7);
    CHECK((ball.simulator().state().poses.back().position - egg.simulator().state().poses.back().position)
              .norm() < 1e-7);
  }
}

TEST_CASE("discs that roll steadily keep their energy and their circle at 1 ms: a coin, and Euler's disc") {
  for (const auto& place : {std::pair(65.0, 0.5), std::pair(30.0, 0.0), std::pair(9.0, 0.0)}) {
    const double degrees = place.first, radius = place.second;
    CAPTURE(degrees);
    const RollingDisc disc(degrees / 180.0 * std::numbers::pi, radius);
    test::Run run(disc.scenario);
    double off = 0.0, aside = 0.0;
    for (int step = 0; step < 10000; ++step) {
      run.simulator().step();
      off = std::max(off, std::abs(run.simulator().report().energy.total() / disc.energy - 1.0));
      aside = std::max(aside, std::abs(run.simulator().state().poses[0].position.head<2>().norm() - radius));
    }
    MESSAGE("at " << degrees << " deg energy " << off << ", circle " << aside << " m");
    CHECK(off < 1e-5);
    CHECK(aside < 1e-4);
  }
}

TEST_CASE("a rattleback keeps its energy and turns back as the rolling ellipsoid does") {
  RollingEllipsoid exact{Vec3(0.18, 0.03, 0.022), Mat3::Zero(), Quat::Identity(), Vec3(0.02, 0.01, -4.0)};
  const Mat3 skew = Eigen::AngleAxisd(0.1, Vec3::UnitZ()).toRotationMatrix();
  exact.inertia = skew * Vec3(0.0018, 0.013, 0.0142).asDiagonal() * skew.transpose();
  const Vec3 velocity = -exact.spin.cross(exact.arm(exact.turn, exact.spin).first);
  test::Run run(fmt::format(
      "<material name='default' friction='20'/><shape type='plane'/><body name='celt' position='0 0 0.022' "
      "velocity='{:.17g} {:.17g} 0' angular-velocity='0.02 0.01 -4'><inertial mass='1' inertia='{:.17g} "
      "{:.17g} {:.17g} {:.17g} 0 0'/><shape type='ellipsoid' size='0.18 0.03 0.022'/></body>",
      velocity.x(), velocity.y(), exact.inertia(0, 0), exact.inertia(1, 1), exact.inertia(2, 2),
      exact.inertia(0, 1)));
  const double start = run.simulator().report().energy.total();
  double off = 0.0, apart = 0.0, least = 0.0, most = 0.0;
  for (int step = 0; step < 6000; ++step) {
    run.simulator().step();
    exact.advance(1e-3);
    off = std::max(off, std::abs(run.simulator().report().energy.total() / start - 1.0));
    apart = std::max(apart, std::abs(run.simulator().state().twists[0][5] - exact.spin.z()));
    least = std::min(least, exact.spin.z());
    most = std::max(most, exact.spin.z());
  }
  MESSAGE("energy " << off << ", spin off by " << apart << " of " << least << " to " << most << " rad/s");
  CHECK(most > 1.0);  // it turns back
  CHECK(off < 5e-3);
  CHECK(apart < 0.1);
}
