#include <cmath>
#include <numbers>

#include "joints/mesh.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kNormal = 20.0 * std::numbers::pi / 180.0;

Mesh teethOf(double pressure, double helix = 0.0) {
  Mesh mesh;
  mesh.kind = Mesh::Kind::Teeth;
  mesh.pressureAngle = pressure;
  mesh.helixAngle = helix;
  return mesh;
}

MeshSide wheelAt(const Vec3& point, const Vec3& axis = Vec3::UnitZ()) { return {point, axis, true}; }

/// Moment of a wrench about the axis of a wheel.
double momentAbout(const MeshSide& wheel, const Vec6& wrench) {
  const Vec3 force = wrench.head<3>(), moment = wrench.tail<3>() - wheel.point.cross(force);
  return wheel.axis.dot(moment);
}

}  // namespace

TEST_CASE("teeth and belts give both wheels the torques of their coupling, whatever its ratio and its axes") {
  for (const double ratio : {-2.0, -0.5, 0.5, 3.0})
    for (const double turned : {1.0, -1.0})
      for (const double effort : {3.0, -3.0})
        for (const bool belt : {false, true}) {
          CAPTURE(ratio);
          CAPTURE(turned);
          CAPTURE(effort);
          CAPTURE(belt);
          Mesh mesh = teethOf(kNormal, 0.3);
          if (belt) {
            mesh = {};
            mesh.kind = Mesh::Kind::Belt;
            mesh.radius = 0.03;
            mesh.slack = 7.0;
          }
          const MeshSide a = wheelAt(Vec3(0.1, 0.2, 0.3)),
                         b = wheelAt(Vec3(0.4, 0.1, 0.9), turned * Vec3::UnitZ());
          REQUIRE(meshDefect(mesh, a, b, ratio).empty());
          const Vec6 onA = meshWrench(mesh, a, b, ratio, effort);
          CHECK(momentAbout(a, onA) == doctest::Approx(effort));
          CHECK(momentAbout(b, -onA) == doctest::Approx(-ratio * effort));
        }
}

TEST_CASE(
    "spur gears push each other apart by F tan α, a planet and its ring towards their axes, helical ones "
    "along them") {
  // Radii 0.04 and 0.02 m.
  const MeshSide a = wheelAt(Vec3::Zero()), b = wheelAt(Vec3(0.06, 0, 0));
  for (const double torque : {4.0, -4.0}) {
    const Vec6 w = meshWrench(teethOf(kNormal), a, b, -0.5, torque);
    CHECK(w[0] == doctest::Approx(-100.0 * std::tan(kNormal)));
    CHECK(w[1] == doctest::Approx(torque / 0.04));
    CHECK(std::abs(w[2]) < 1e-12);
  }
  // A ring of 0.06 m about a planet of 0.02 m, 0.04 m beside its axis.
  const MeshSide planet = wheelAt(Vec3(0.04, 0, 0));
  const Vec6 ring = meshWrench(teethOf(kNormal), a, planet, 1.0 / 3.0, 6.0);
  CHECK(ring[0] == doctest::Approx(100.0 * std::tan(kNormal)));
  CHECK(ring[1] == doctest::Approx(100.0));
  const Vec6 onPlanet = meshWrench(teethOf(kNormal), planet, a, 3.0, 2.0);
  CHECK(onPlanet[0] == doctest::Approx(-100.0 * std::tan(kNormal)));
  // A right-hand wheel that is driven forwards is pushed back along its axis.
  const Vec6 helical = meshWrench(teethOf(kNormal, 0.25), a, b, -0.5, 4.0);
  CHECK(helical[2] == doctest::Approx(-100.0 * std::tan(0.25)));
  CHECK(helical[0] == doctest::Approx(-100.0 * std::tan(kNormal) / std::cos(0.25)));
}

TEST_CASE("a rack is pushed along its way by the torque over the radius, and away from its pinion") {
  const MeshSide pinion = wheelAt(Vec3::Zero());
  for (const double way : {1.0, -1.0}) {
    const MeshSide rack{Vec3(0, 0.02, 0), way * Vec3::UnitX(), false};
    // The rack lies above the pinion where it moves back as this turns forwards.
    const Vec6 w = meshWrench(teethOf(kNormal), rack, pinion, -0.02 * way, 50.0);
    CHECK(w[0] == doctest::Approx(way * 50.0));
    CHECK(w[1] == doctest::Approx(50.0 * std::tan(kNormal)));
    CHECK(momentAbout(pinion, -w) == doctest::Approx(0.02 * way * 50.0));
    const Vec6 other = meshWrench(teethOf(kNormal), pinion, rack, -1.0 / (0.02 * way), 0.02 * way * 50.0);
    CHECK((other + w).norm() < 1e-9);
  }
}

TEST_CASE(
    "belts pull along their tangents: an open one of equal pulleys straight, with its slack on both spans") {
  Mesh belt;
  belt.kind = Mesh::Kind::Belt;
  belt.radius = 0.05;
  const MeshSide a = wheelAt(Vec3::Zero()), b = wheelAt(Vec3(0.3, 0, 0));
  const Vec6 tight = meshWrench(belt, a, b, 1.0, -5.0);
  CHECK(tight[0] == doctest::Approx(100.0));
  CHECK(std::abs(tight[1]) < 1e-12);
  belt.slack = 40.0;
  CHECK(meshWrench(belt, a, b, 1.0, 5.0)[0] == doctest::Approx(100.0 + 2.0 * 40.0));
  // Of 0.05 and 0.1 m the tangents lean by asin(0.05/0.3), of pulleys that turn against each other by
  // asin(0.15/0.3).
  belt.slack = 0.0;
  CHECK(std::abs(meshWrench(belt, a, b, 2.0, 5.0)[1]) == doctest::Approx(100.0 * 0.05 / 0.3));
  CHECK(std::abs(meshWrench(belt, a, b, -2.0, 5.0)[1]) == doctest::Approx(100.0 * 0.15 / 0.3));
}

TEST_CASE("wheels that cannot mesh are named with a cure") {
  const MeshSide a = wheelAt(Vec3::Zero()), b = wheelAt(Vec3(0.06, 0, 0));
  CHECK(meshDefect(teethOf(kNormal), a, wheelAt(Vec3(0, 0, 0.1)), -1.0).find("one axis") !=
        std::string::npos);
  CHECK(meshDefect(teethOf(kNormal), a, b, 1.0).find("turn alike") != std::string::npos);
  CHECK(meshDefect(teethOf(kNormal), a, wheelAt(Vec3::UnitX(), Vec3::UnitX()), 1.0).find("parallel") !=
        std::string::npos);
  CHECK(meshDefect(teethOf(kNormal), {Vec3::Zero(), Vec3::UnitZ(), false}, b, 1.0).find("across") !=
        std::string::npos);
  Mesh belt;
  belt.kind = Mesh::Kind::Belt;
  belt.radius = 0.04;
  CHECK(meshDefect(belt, a, b, -1.0).find("overlap") != std::string::npos);
  CHECK(meshDefect(belt, a, b, 1.0).empty());
}
