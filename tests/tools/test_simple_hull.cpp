#include "engine/base/error.h"
#include "tests/support.h"
#include "tools/convert/simple_hull.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

/// Points spread evenly over an ellipsoid.
std::vector<Vec3> ellipsoidPoints(int count, const Vec3& axes) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, turn = 2.399963229728653 * i, r = std::sqrt(1.0 - z * z);
    points.push_back(axes.cwiseProduct(Vec3(r * std::cos(turn), r * std::sin(turn), z)));
  }
  return points;
}

/// The farthest that a point is outside a hull.
double farthestOutside(const TriangleMesh& hull, const std::vector<Vec3>& points) {
  double farthest = 0.0;
  for (const std::array<int, 3>& t : hull.triangles) {
    const Vec3 a = hull.vertices[static_cast<std::size_t>(t[0])];
    const Vec3 n = (hull.vertices[static_cast<std::size_t>(t[1])] - a)
                       .cross(hull.vertices[static_cast<std::size_t>(t[2])] - a)
                       .normalized();
    for (const Vec3& p : points) farthest = std::max(farthest, n.dot(p - a));
  }
  return farthest;
}

}  // namespace

TEST_CASE("a hull of few points stays as it is") {
  const std::vector<Vec3> points = ellipsoidPoints(60, Vec3(1.0, 2.0, 3.0));
  const SimpleHull s = simpleHull(points);
  CHECK(s.error == 0.0);
  CHECK(s.hull.vertices.size() == 60);
}

TEST_CASE("a hull of many points keeps few of them and tells how far it stays inside") {
  const std::vector<Vec3> points = ellipsoidPoints(3000, Vec3(0.1, 0.2, 0.3));
  for (const int most : {40, 128}) {
    CAPTURE(most);
    const SimpleHull s = simpleHull(points, most);
    CHECK(s.hull.vertices.size() <= static_cast<std::size_t>(most));
    CHECK(s.error == doctest::Approx(farthestOutside(s.hull, points)).epsilon(1e-6));
    CHECK(s.error <= 1.2 / most);
  }
}

TEST_CASE("a box with rounded edges keeps its faces") {
  // Eight balls of 1 mm, whose hull is a box of 0.2 m with rounded edges.
  std::vector<Vec3> points;
  for (const double x : {-0.099, 0.099})
    for (const double y : {-0.099, 0.099})
      for (const double z : {-0.099, 0.099})
        for (const Vec3& p : ellipsoidPoints(200, Vec3::Constant(0.001))) points.push_back(Vec3(x, y, z) + p);
  const SimpleHull s = simpleHull(points);
  CHECK(s.error <= 1e-3 * 0.35);
  CHECK(s.hull.vertices.size() <= 128);
}

TEST_CASE("points in a plane have no hull") {
  std::vector<Vec3> flat;
  for (const Vec3& p : ellipsoidPoints(300, Vec3::Ones())) flat.emplace_back(p.x(), p.y(), 0.0);
  CHECK_THROWS_AS(simpleHull(flat), InputError);
}
