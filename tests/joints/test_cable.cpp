#include <numbers>

#include "joints/cable.h"
#include "tests/support.h"

using namespace grashof;

namespace {

CableNode point(double x, double y, double z = 0.0) {
  return {CableNodeKind::Point, Vec3(x, y, z), Vec3::UnitZ(), 0.0, 1.0, 0.0};
}

CableNode pulley(double x, double y, double radius, double sense, const Vec3& axis = Vec3::UnitZ()) {
  return {CableNodeKind::Cylinder, Vec3(x, y, 0.0), axis, radius, sense, 0.0};
}

double lengthOf(const std::vector<CableNode>& nodes) {
  std::vector<CableTouch> touch(nodes.size());
  return wrapCable(nodes, touch);
}

constexpr double kPi = std::numbers::pi;

}  // namespace

TEST_CASE("a cable over points is a polygon") {
  CHECK(lengthOf({point(0, 0), point(3, 4), point(3, 4, 12)}) == doctest::Approx(17.0).epsilon(1e-15));
}

TEST_CASE("over a pulley: two tangents and half a turn, the whole turns besides, and 3/4 of a turn") {
  // Up on the left, over the top against the hands of the clock, down on the right would be positive.
  CHECK(lengthOf({point(-0.5, -2), pulley(0, 0, 0.5, -1), point(0.5, -3)}) ==
        doctest::Approx(5.0 + 0.5 * kPi).epsilon(1e-14));
  CHECK(lengthOf({point(0.5, -2), pulley(0, 0, 0.5, 1), point(-0.5, -3)}) ==
        doctest::Approx(5.0 + 0.5 * kPi).epsilon(1e-14));
  CableNode winch = pulley(0, 0, 0.5, -1);
  winch.turns = 2.0;
  CHECK(lengthOf({point(-0.5, -2), winch, point(0.5, -3)}) ==
        doctest::Approx(5.0 + 0.5 * kPi + 4.0 * kPi * 0.5).epsilon(1e-14));
  // A quarter of a turn past half a turn.
  CHECK(lengthOf({point(-0.5, -2), pulley(0, 0, 0.5, -1), point(-2, -0.5001)}) ==
        doctest::Approx(4.0001 - 0.0001 + 0.75 * kPi).epsilon(1e-3));
}

TEST_CASE("a cable leaves a pulley continuously, and passes by it where it does not reach it") {
  const auto length = [](double height) {
    return lengthOf({point(-2, 0), pulley(0, 0, 0.5, -1), point(2, height)});
  };
  CHECK(lengthOf({point(-2, 0.6), pulley(0, 0, 0.5, -1), point(2, 0.6)}) == 4.0);
  const double grazing = 2.0 * 0.5 * std::sqrt(4.0 / (4.0 - 0.25)) + 0.0;
  double last = length(grazing + 0.5);
  for (double h = grazing + 0.5; h > 0.0; h -= 1e-3) {
    CHECK(std::abs(length(h) - last) < 2e-3);
    last = length(h);
  }
  CHECK(length(0.0) > 4.0);
}

TEST_CASE("a helix: unrolled it is straight; equal to the shortest of all paths over the cylinder") {
  CableNode from = point(-0.5, -2), to = point(0.5, -3, 1.5);
  const double plane = 5.0 + 0.5 * kPi;
  CHECK(lengthOf({from, pulley(0, 0, 0.5, -1), to}) ==
        doctest::Approx(std::hypot(plane, 1.5)).epsilon(1e-14));
}

TEST_CASE("two pulleys: open and crossed belts by their closed forms, also with axes that climb") {
  // Outer tangents of radii R and r at the distance d: √(d² - (R-r)²); inner ones: √(d² - (R+r)²).
  const double d = 3.0, big = 0.8, small = 0.3;
  const double lean = std::asin((big - small) / d), cross = std::asin((big + small) / d);
  // From a tangent point of the first at its lowest to that of the second.
  CHECK(lengthOf({point(-big, -2), pulley(0, 0, big, -1), pulley(d, 0, small, -1), point(d + small, -2)}) ==
        doctest::Approx(4.0 + big * (0.5 * kPi + lean) + std::sqrt(d * d - (big - small) * (big - small)) +
                        small * (0.5 * kPi - lean))
            .epsilon(1e-13));
  CHECK(lengthOf({point(-big, -2), pulley(0, 0, big, -1), pulley(d, 0, small, 1), point(d + small, 2)}) ==
        doctest::Approx(4.0 + big * (0.5 * kPi + cross) + std::sqrt(d * d - (big + small) * (big + small)) +
                        small * (0.5 * kPi + cross))
            .epsilon(1e-13));
  // Parallel cylinders unroll together.
  const double plane =
      lengthOf({point(-big, -2), pulley(0, 0, big, -1), pulley(d, 0, small, -1), point(d + small, -2)});
  CHECK(lengthOf({point(-big, -2), pulley(0, 0, big, -1), pulley(d, 0, small, -1),
                  point(d + small, -2, 1)}) == doctest::Approx(std::hypot(plane, 1.0)).epsilon(1e-10));
}

TEST_CASE("over a sphere: tangents and an arc of a great circle; a cable that would miss it passes by") {
  CableNode ball = pulley(0, 0, 0.5, 1);
  ball.kind = CableNodeKind::Sphere;
  const double tangent = std::sqrt(4.0 - 0.25), angle = kPi - 2.0 * std::acos(0.25);
  CHECK(lengthOf({point(-2, 0), ball, point(2, 0)}) ==
        doctest::Approx(2.0 * tangent + 0.5 * angle).epsilon(1e-13));
  CHECK(lengthOf({point(-2, 0, 0.1), ball, point(2, 0, 0.1)}) < 2.0 * tangent + 0.5 * angle);
  CHECK(lengthOf({point(-2, 0, 0.6), ball, point(2, 0, 0.6)}) == 4.0);
  CHECK(lengthOf({point(1, 0), ball, point(2, 0)}) == 1.0);
}

TEST_CASE("places where a cable touches are stationary: the length changes in second order as they move") {
  test::forAll(54, 30, [](test::Random& random, int) {
    std::vector<CableNode> nodes = {
        point(-2, random.uniform(-1, 0), random.uniform()),
        pulley(0, 0, 0.5, -1, Vec3(0.1 * random.uniform(), 0.0, 1.0).normalized()),
        pulley(2, 0.3, 0.4, -1, Vec3(0.0, 0.1 * random.uniform(), 1.0).normalized()),
        point(4, random.uniform(-1, 0), random.uniform())};
    std::vector<CableTouch> touch(nodes.size());
    const double length = wrapCable(nodes, touch);
    CHECK(length == doctest::Approx([&] {
                      double sum = 0.0;
                      for (std::size_t i = 1; i < nodes.size(); ++i)
                        sum += (touch[i].in - touch[i - 1].out).norm() + touch[i].arc;
                      return sum;
                    }())
                        .epsilon(1e-14));
    for (std::size_t i = 1; i + 1 < nodes.size(); ++i) {
      // Straight parts leave along the surface, and meet the arc at the same slope.
      const Vec3 before = (touch[i].in - touch[i - 1].out).normalized();
      const Vec3 after = (touch[i + 1].in - touch[i].out).normalized();
      const auto normal = [&](const Vec3& p) -> Vec3 {
        const Vec3 d = p - nodes[i].position;
        return (d - nodes[i].axis.dot(d) * nodes[i].axis).normalized();
      };
      CHECK(std::abs(before.dot(normal(touch[i].in))) < 1e-7);
      CHECK(std::abs(after.dot(normal(touch[i].out))) < 1e-7);
      CHECK(before.dot(nodes[i].axis) == doctest::Approx(after.dot(nodes[i].axis)).epsilon(1e-6).scale(1.0));
    }
  });
}
