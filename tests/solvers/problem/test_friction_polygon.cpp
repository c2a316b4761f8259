#include "solvers/problem/friction_polygon.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// The point of the polygon's boundary nearest to x, by trying every side.
Vec2 nearestOnSides(const Vec2& x, double radius, int sides) {
  Vec2 best = Vec2::Zero();
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < sides; ++k) {
    const Vec2 from = radius * polygonCorner(k - 1, sides), way = radius * polygonCorner(k, sides) - from;
    const double share = std::clamp(way.dot(x - from) / way.squaredNorm(), 0.0, 1.0);
    const Vec2 point = from + share * way;
    if ((point - x).norm() >= least) continue;
    least = (point - x).norm();
    best = point;
  }
  return best;
}

}  // namespace

TEST_CASE(
    "four sides are the square: its corners and normals are exact, and projections those of intervals") {
  CHECK(polygonCorner(0, 4) == Vec2(1.0, 1.0));
  CHECK(polygonCorner(-1, 4) == Vec2(1.0, -1.0));
  CHECK(polygonCorner(1, 4) == Vec2(-1.0, 1.0));
  CHECK(polygonCorner(-2, 4) == Vec2(-1.0, -1.0));
  CHECK(sideNormal(3, 4) == Vec2(0.0, -1.0));
  test::Random random(531);
  for (int trial = 0; trial < 100; ++trial) {
    const Vec2 x(random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0));
    CHECK(projectOntoPolygon(x, 0.7, 4) == Vec2(std::clamp(x[0], -0.7, 0.7), std::clamp(x[1], -0.7, 0.7)));
    CHECK(polygonRadius(x, 4) == doctest::Approx(x.cwiseAbs().maxCoeff()));
    CHECK(polygonSupport(x, 4) == doctest::Approx(x.cwiseAbs().sum()));
  }
}

TEST_CASE("points of the circle are those of cosine and sine, for every number of points and beyond a turn") {
  for (const int n : {1, 2, 3, 4, 6, 8, 14, 512})
    for (int i = -n - 1; i <= 2 * n; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / n;
      CHECK((circlePoint(i, n) - Vec2(std::cos(angle), std::sin(angle))).norm() < 1e-14);
    }
}

TEST_CASE("radius, support and projection of a polygon are those found by trying all sides and corners") {
  test::forAll(532, 200, [](test::Random& random, int trial) {
    constexpr int kSides[] = {4, 6, 8, 10, 16, 32, 256};
    const int sides = kSides[trial % 7];
    const double radius = random.uniform(0.1, 2.0);
    const Vec2 x(random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0));
    double reach = 0.0, support = 0.0;
    for (int k = 0; k < sides; ++k) {
      reach = std::max(reach, sideNormal(k, sides).dot(x));
      support = std::max(support, polygonCorner(k, sides).dot(x));
    }
    CHECK(polygonRadius(x, sides) == doctest::Approx(reach).epsilon(1e-13));
    CHECK(polygonSupport(x, sides) == doctest::Approx(support).epsilon(1e-13));
    const Vec2 y = projectOntoPolygon(x, radius, sides);
    CHECK((y - (reach <= radius ? x : nearestOnSides(x, radius, sides))).norm() < 1e-13);
  });
  CHECK(projectOntoPolygon(Vec2::Zero(), 0.0, 8) == Vec2::Zero());
  CHECK(projectOntoPolygon({1.0, -3.0}, 0.0, 8).norm() < 1e-16);
}

TEST_CASE("polygons shrink onto the disk with the square of their number of sides, and all contain it") {
  double last = 0.0;
  for (const int sides : {8, 16, 32, 64, 128}) {
    const double excess = polygonCorner(0, sides).norm() - 1.0;
    CHECK(excess > 0.0);
    if (last > 0.0) CHECK(last / excess == doctest::Approx(4.0).epsilon(0.1));
    last = excess;
    const Vec2 inside = 0.999999 * circlePoint(3, 97);
    CHECK(projectOntoPolygon(inside, 1.0, sides) == inside);
  }
}
