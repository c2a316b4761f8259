// Solvers of friction pyramids on a cube that slides: by closed form, and on its way to the cone.
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/model/model_builder.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kSpeed = 3.0, kMu = 0.4, kTimestep = 1e-3;
constexpr double kStop = 0.5 * kSpeed * kSpeed / (kMu * test::kGravity);  // m, of a cone
constexpr std::array<const char*, 3> kSolvers = {"LCP-PGS", "LCP-LEMKE", "LCP-STAGGERED"};

/// Where a slide ends, along and across the initial velocity (m).
struct End {
  double along = 0.0, across = 0.0;
};

/// A cube of 0.1 m on a plane that starts at kSpeed and `angle` (rad) to the axes of its contact frames.
End slide(const char* solver, int facets, double angle) {
  ModelBuilder b("slide");
  b.material(kDefaultMaterial).surface.friction = kMu;
  b.options().timestep = kTimestep;
  b.solver().name = solver;
  b.solver().facets = facets;
  b.addShape(kWorldBody, planeShape());
  const Vec3 along(std::cos(angle), std::sin(angle), 0.0);
  const BodyId cube = b.addBody({.name = "cube", .pose = at(0.0, 0.0, 0.05), .velocity = kSpeed * along});
  b.addShape(cube, boxShape(Vec3::Constant(0.1)), {.mass = 1.0});
  const auto model = b.build();
  Simulator simulator(model);
  while (simulator.state().time < 1.1 * kSpeed / (kMu * test::kGravity)) {
    simulator.step();
    REQUIRE_FALSE(simulator.diverged());
  }
  const Vec3 p = simulator.state().poses[0].position;
  return {p.dot(along), along.x() * p.y() - along.y() * p.x()};
}

/// The same of a point, exactly. Friction pulls towards the corner of the polygon that is nearest to the
/// motion, μ g / cos(π/n); the velocity across that stays, until the motion is square to a side. Then it goes
/// straight on, against μ g.
End pointSlide(int facets, double angle) {
  const double half = std::numbers::pi / facets, g = kMu * test::kGravity;
  const double corner = (2.0 * std::floor(angle / (2.0 * half)) + 1.0) * half, off = angle - corner;
  const double across = kSpeed * std::sin(off), first = kSpeed * std::cos(off);
  const double last = std::abs(across) / std::tan(half), braking = g / std::cos(half);
  const double time = (first - last) / braking;
  Vec2 end(0.5 * (first * first - last * last) / braking, across * time);
  const double speed = std::abs(across) / std::sin(half), side = std::copysign(half, across);
  end += 0.5 * speed * speed / g * Vec2(std::cos(side), std::sin(side));
  end = Eigen::Rotation2Dd(-off) * end;
  return {end[0], end[1]};
}

}  // namespace

TEST_CASE(
    "a sliding cube goes the way of a point under a pyramid of 4, 8, 16 and 32 facets, with every solver") {
  for (const int facets : {4, 8, 16, 32}) {
    const End exact = pointSlide(facets, std::numbers::pi / 6.0);
    for (const char* solver : kSolvers) {
      const End end = slide(solver, facets, std::numbers::pi / 6.0);
      CAPTURE(solver);
      CAPTURE(facets);
      CHECK(end.along == doctest::Approx(exact.along).epsilon(1e-3));
      CHECK(std::abs(end.across - exact.across) < 1e-3 * kStop);
    }
  }
}

TEST_CASE("with the number of facets n the way sideways falls as 1/n, and the missing way as 1/n^2") {
  std::array<End, 4> ends;
  constexpr std::array<int, 4> kFacets = {4, 8, 16, 32};
  for (std::size_t i = 0; i < ends.size(); ++i)
    ends[i] = slide("LCP-PGS", kFacets[i], std::numbers::pi / 6.0);
  // Least squares through log2 of both over log2 n = 2, 3, 4, 5.
  double sideways = 0.0, missing = 0.0;
  constexpr std::array<double, 4> kWeights = {-0.3, -0.1, 0.1, 0.3};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    sideways -= kWeights[i] * std::log2(std::abs(ends[i].across));
    missing -= kWeights[i] * std::log2(1.0 - ends[i].along / kStop);
    if (i > 0) CHECK(std::abs(ends[i].across) < std::abs(ends[i - 1].across));
  }
  CHECK(sideways == doctest::Approx(1.0).epsilon(0.2));
  CHECK(missing == doctest::Approx(2.0).epsilon(0.2));
}

TEST_CASE(
    "a pyramid depends on the direction of its frames: along a facet's normal it is the cone, at its corner "
    "it is not") {
  const double half = std::numbers::pi / 8.0;
  for (const char* solver : kSolvers) {
    CAPTURE(solver);
    const End facet = slide(solver, 8, 0.0), corner = slide(solver, 8, half);
    CHECK(facet.along == doctest::Approx(kStop).epsilon(1e-3));
    CHECK(corner.along == doctest::Approx(kStop * std::cos(half)).epsilon(2e-3));
    CHECK(std::abs(facet.across) < 1e-6);
    CHECK(std::abs(corner.across) < 1e-3);
    const End turned = slide(solver, 8, std::numbers::pi / 6.0 + 2.0 * half);  // by one facet: the same
    CHECK(turned.along == doctest::Approx(slide(solver, 8, std::numbers::pi / 6.0).along).epsilon(1e-4));
  }
}
