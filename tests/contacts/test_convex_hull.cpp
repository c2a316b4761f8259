#include "contacts/shape.h"
#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a hull contains every point, and its vertices are points of the input") {
  test::Random random(81);
  for (int trial = 0; trial < 20; ++trial) {
    CAPTURE(trial);
    std::vector<Vec3> points;
    for (int i = 0; i < 50; ++i) points.push_back(random.vector(0.3) + Vec3(1.0, 2.0, 3.0));
    const TriangleMesh hull = convexHull(points);
    for (const Vec3& v : hull.vertices) CHECK(std::find(points.begin(), points.end(), v) != points.end());
    for (const auto& t : hull.triangles) {
      const Vec3 &a = hull.vertices[t[0]], &b = hull.vertices[t[1]], &c = hull.vertices[t[2]];
      const Vec3 outward = (b - a).cross(c - a).normalized();
      for (const Vec3& p : points) CHECK(outward.dot(p - a) < 1e-6);
    }
  }
}

TEST_CASE("points inside a cube change nothing: its hull has eight vertices and the volume of the cube") {
  test::Random random(82);
  std::vector<Vec3> points;
  for (int i = 0; i < 100; ++i) points.push_back(random.vector(0.45));
  for (int i = 0; i < 8; ++i) points.emplace_back((i & 1) - 0.5, ((i >> 1) & 1) - 0.5, (i >> 2) - 0.5);
  Shape s;
  s.type = ShapeType::Hull;
  s.mesh = std::make_shared<TriangleMesh>(convexHull(points));
  CHECK(s.mesh->vertices.size() == 8);
  CHECK(s.mesh->triangles.size() == 12);
  CHECK(volumeProperties(s).volume == doctest::Approx(1.0).epsilon(1e-12));
}

TEST_CASE("a hull needs points that span a volume") {
  CHECK_THROWS_AS(convexHull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), InputError);
  CHECK_THROWS_AS(convexHull({{0, 0, 0}, {1, 0, 0}}), InputError);
  CHECK(convexHull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}}).triangles.size() == 4);
}
