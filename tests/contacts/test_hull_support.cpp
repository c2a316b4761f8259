#include "contacts/hull_support.h"
#include "tests/support.h"

using namespace grashof;

namespace {

int firstFarthest(const std::vector<Vec3>& points, const Vec3& direction) {
  int best = 0;
  for (int i = 1; i < static_cast<int>(points.size()); ++i)
    if (direction.dot(points[i]) > direction.dot(points[best])) best = i;
  return best;
}

std::vector<Vec3> roundPoints(test::Random& random, int count) {
  std::vector<Vec3> points;
  while (static_cast<int>(points.size()) < count) {
    const Vec3 p = random.vector();
    if (p.norm() > 0.1 && p.norm() < 1.0) points.push_back(p.normalized());
  }
  return points;
}

std::vector<Vec3> prismPoints(int sides) {
  std::vector<Vec3> points;
  for (int i = 0; i < sides; ++i)
    for (const double z : {-0.5, 0.5})
      points.emplace_back(std::cos(2.0 * M_PI * i / sides), std::sin(2.0 * M_PI * i / sides), z);
  return points;
}

/// Corners, edges and faces of a cube, all in its six planes, and twice.
std::vector<Vec3> latticePoints() {
  std::vector<Vec3> points;
  for (int twice = 0; twice < 2; ++twice)
    for (int i = 0; i < 125; ++i) points.emplace_back(i % 5 - 2, i / 5 % 5 - 2, i / 25 - 2);
  return points;
}

}  // namespace

TEST_CASE("the farthest point is the first of all that are farthest, whatever the set and the direction") {
  test::forAll(70, 60, [](test::Random& random, int trial) {
    std::vector<Vec3> points;
    if (trial % 5 == 0) points = latticePoints();
    if (trial % 5 == 1) points = prismPoints(3 + 30 * trial);
    if (trial % 5 == 2) points = roundPoints(random, 5 + 40 * trial);
    if (trial % 5 >= 3)
      for (int i = 0; i < 4 + 10 * trial; ++i) points.push_back(random.vector());
    // Needles, plates and sets far from the origin.
    const double flat = std::pow(10.0, random.uniform(-9.0, 0.0));
    const Quat turn = random.rotation();
    const Vec3 away = trial % 3 == 0 ? random.vector(100.0) : Vec3(Vec3::Zero());
    for (Vec3& p : points) {
      if (trial % 4 == 1) p.z() *= flat;
      if (trial % 4 == 2) p.tail<2>() *= flat;
      if (trial % 2 == 0) p = turn * p;
      p += away;
    }
    const HullSupport support(points);
    for (int k = 0; k < 300; ++k) {
      Vec3 d = random.vector();
      if (k % 4 == 1)  // on borders of cells, and axes
        for (int i = 0; i < 3; ++i) d[i] = std::round(8.0 * d[i]) / 8.0;
      if (k % 4 == 2) d = (points[k % points.size()] - points[(7 * k + 1) % points.size()]).cross(d);
      if (k % 4 == 3) d = std::pow(10.0, random.uniform(-200.0, 200.0)) * d;
      CAPTURE(d.transpose());
      CHECK(support.farthest(d) == firstFarthest(points, d));
    }
    CHECK(support.farthest(Vec3::Zero()) == 0);
  });
}

TEST_CASE("of two thousand points on a sphere some ten are compared") {
  test::Random random(71);
  const HullSupport support(roundPoints(random, 2000));
  std::size_t sum = 0;
  for (int k = 0; k < 1000; ++k) sum += support.compared(random.vector()).size();
  CHECK(sum < 12 * 1000);
}
