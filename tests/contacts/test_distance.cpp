#include <array>
#include <numbers>

#include "contacts/distance.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr std::array kDistanceSolids{ShapeType::Sphere,   ShapeType::Box,  ShapeType::Capsule,
                                     ShapeType::Cylinder, ShapeType::Cone, ShapeType::Ellipsoid,
                                     ShapeType::Hull,     ShapeType::Mesh};

/// A solid and what is known of it without the code under test: its support function, and which points it
/// holds. A mesh stands for a single triangle.
struct PlacedSolid {
  Shape shape;
  TriangleMesh surface;  // of a hull or a triangle
  Pose pose;

  PlacedSolid(test::Random& random, ShapeType type, double size) {
    shape.type = type;
    shape.radius = random.uniform(0.2, 0.5) * size;
    shape.length = random.uniform(0.2, 1.0) * size;
    for (double& edge : shape.size)
      edge = random.uniform(0.2, 1.0) * size * (type == ShapeType::Box ? 1.0 : 0.5);
    pose = random.pose(0.3);
    if (type != ShapeType::Hull && type != ShapeType::Mesh) return;
    std::vector<Vec3> points;
    const int count = type == ShapeType::Hull ? static_cast<int>(random.uniform(6.0, 30.0)) : 3;
    for (int i = 0; i < count; ++i) points.push_back(random.vector(0.5 * size));
    surface = type == ShapeType::Hull ? convexHull(points) : TriangleMesh{points, {{0, 1, 2}}};
  }
  ConvexShape convex() const {
    return surface.vertices.empty() ? ConvexShape(shape) : ConvexShape(surface.vertices);
  }

  /// How far the solid reaches along n (unit, world) from the origin of its pose.
  double reach(const Vec3& direction) const {
    const Vec3 n = pose.rotation.conjugate() * direction;
    const double across = std::hypot(n.x(), n.y()), half = 0.5 * shape.length;
    switch (shape.type) {
      case ShapeType::Sphere:
        return shape.radius;
      case ShapeType::Box:
        return 0.5 * n.cwiseAbs().dot(shape.size);
      case ShapeType::Capsule:
        return shape.radius + half * std::abs(n.z());
      case ShapeType::Cylinder:
        return shape.radius * across + half * std::abs(n.z());
      case ShapeType::Cone:
        return std::max(half * n.z(), shape.radius * across - half * n.z());
      case ShapeType::Ellipsoid:
        return shape.size.cwiseProduct(n).norm();
      default: {
        double most = -1e9;
        for (const Vec3& v : surface.vertices) most = std::max(most, n.dot(v));
        return most;
      }
    }
  }
  /// How far a point lies outside, m or in proportion; at most rounding for points of the solid.
  double outside(const Vec3& point) const {
    const Vec3 p = pose.inverse() * point;
    const double across = std::hypot(p.x(), p.y()), half = 0.5 * shape.length;
    switch (shape.type) {
      case ShapeType::Sphere:
        return p.norm() - shape.radius;
      case ShapeType::Box:
        return (p.cwiseAbs() - 0.5 * shape.size).maxCoeff();
      case ShapeType::Capsule:
        return std::hypot(across, std::max(std::abs(p.z()) - half, 0.0)) - shape.radius;
      case ShapeType::Cylinder:
        return std::max(across - shape.radius, std::abs(p.z()) - half);
      case ShapeType::Cone:
        return std::max(across - shape.radius * (half - p.z()) / shape.length, -half - p.z());
      case ShapeType::Ellipsoid:
        return shape.size.minCoeff() * (p.cwiseQuotient(shape.size).norm() - 1.0);
      default: {
        double most = -1e9;
        for (const auto& t : surface.triangles) {
          const Vec3 &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
          // convexHull() leaves out points that stand out by less than 1e-4 of its size; the hull of all
          // vertices lies below each plane that is moved out to the farthest of them.
          const Vec3 n = (b - a).cross(c - a).normalized();
          double farthest = n.dot(a);
          for (const Vec3& v : surface.vertices) farthest = std::max(farthest, n.dot(v));
          most = std::max(most, n.dot(p) - farthest);
          if (shape.type != ShapeType::Mesh) continue;
          most = std::max(most, -n.dot(p - a));
          for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
            most = std::max(most, (to - from).cross(n).normalized().dot(p - from));
        }
        return most;
      }
    }
  }
};

/// Separation of two solids along a direction.
double separationAlong(const PlacedSolid& a, const PlacedSolid& b, const Vec3& n) {
  return n.dot(b.pose.position - a.pose.position) - b.reach(-n) - a.reach(n);
}

/// Two random solids, b placed so that its separation from a along a random direction is `gap`.
std::pair<PlacedSolid, PlacedSolid> randomSolids(test::Random& random, int trial, double gap,
                                                 double ratio = 1.0) {
  const int types = static_cast<int>(kDistanceSolids.size());
  PlacedSolid a(random, kDistanceSolids[trial % types], random.uniform(0.05, 0.3));
  PlacedSolid b(random, kDistanceSolids[trial / types % types], ratio * random.uniform(0.05, 0.3));
  const Vec3 n = random.vector().normalized();
  b.pose.position = a.pose.position + n.cross(random.vector(0.02));
  b.pose.position += n * (gap - separationAlong(a, b, n));
  return {a, b};
}

Separation separationOf(const PlacedSolid& a, const PlacedSolid& b, double within = 100.0) {
  return grashof::separationOf(a.convex(), a.pose, b.convex(), b.pose, within);
}

/// The largest separation that a search finds uphill from n.
double climb(const PlacedSolid& a, const PlacedSolid& b, Vec3 n) {
  double best = separationAlong(a, b, n), turn = 0.0;
  for (double step = 0.2; step > 1e-9;) {
    const Vec3 t = n.unitOrthogonal(), o = n.cross(t);
    bool better = false;
    for (int k = 0; k < 8 && !better; ++k) {
      turn += 2.4;  // rad; no direction is tried twice
      const Vec3 m = (n + step * (std::cos(turn) * t + std::sin(turn) * o)).normalized();
      const double separation = separationAlong(a, b, m);
      better = separation > best;
      if (better) best = separation, n = m;
    }
    if (!better) step *= 0.6;
  }
  return best;
}

/// Distance of the point p from the triangle abc, or of two segments, by trying all that can be nearest.
double segmentDistance(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto ofPoint = [](const Vec3& p, const Vec3& from, const Vec3& to) {
    const double t = std::clamp((p - from).dot(to - from) / (to - from).squaredNorm(), 0.0, 1.0);
    return (from + t * (to - from) - p).norm();
  };
  double least = std::min({ofPoint(a, c, d), ofPoint(b, c, d), ofPoint(c, a, b), ofPoint(d, a, b)});
  const Vec3 u = b - a, v = d - c, n = u.cross(v);
  if (n.squaredNorm() < 1e-20) return least;
  const double s = (c - a).cross(v).dot(n) / n.squaredNorm(), t = (c - a).cross(u).dot(n) / n.squaredNorm();
  if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) least = std::min(least, (a + s * u - c - t * v).norm());
  return least;
}
double faceDistance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a).normalized();
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
    if ((to - from).cross(n).dot(p - from) > 0.0) return 1e9;  // an edge is nearer
  return std::abs(n.dot(p - a));
}
double bruteDistance(const PlacedSolid& a, const PlacedSolid& b) {
  double least = 1e9;
  const auto corners = [](const PlacedSolid& solid, const std::array<int, 3>& t) {
    return std::array{solid.pose * solid.surface.vertices[t[0]], solid.pose * solid.surface.vertices[t[1]],
                      solid.pose * solid.surface.vertices[t[2]]};
  };
  for (const auto& s : a.surface.triangles)
    for (const auto& t : b.surface.triangles) {
      const auto p = corners(a, s), q = corners(b, t);
      for (int i = 0; i < 3; ++i) {
        least = std::min({least, faceDistance(p[i], q[0], q[1], q[2]), faceDistance(q[i], p[0], p[1], p[2])});
        for (int j = 0; j < 3; ++j)
          least = std::min(least, segmentDistance(p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]));
      }
    }
  return least;
}

}  // namespace

TEST_CASE("apart: points of both solids are as far apart as their supports along the normal are") {
  // A pair of points bounds the distance from above, a separating direction from below: both agree to 1e-12.
  for (const double ratio : {1.0, 1.0 / 300.0, 100.0})
    test::forAll(201, 12800, [&](test::Random& random, int trial) {
      const double scale = std::max(ratio, 1.0), apart = random.uniform(1e-9, 0.04);
      const auto [a, b] = randomSolids(random, trial, trial % 3 ? apart : 1e-3 * apart, ratio);
      const Separation s = separationOf(a, b);
      REQUIRE(s.gap > 0.0);
      CHECK(std::abs(s.normal.norm() - 1.0) < 1e-14);
      CHECK(std::abs(separationAlong(a, b, s.normal) - s.gap) < 1e-12 * scale);
      CHECK((s.pointB - s.pointA - s.gap * s.normal).norm() < 1e-12 * scale);
      CHECK(a.outside(s.pointA) < 1e-12 * scale);
      CHECK(b.outside(s.pointB) < 1e-12 * scale);
    });
}

TEST_CASE("overlapping: the depth is that along the normal, and no search finds a direction of less depth") {
  int deep = 0;
  test::forAll(202, 640, [&](test::Random& random, int trial) {
    const auto [a, b] = randomSolids(random, trial, random.uniform(-0.03, 0.0));
    const Separation s = separationOf(a, b);
    if (s.gap > 0.0) return;
    ++deep;
    CHECK(std::abs(separationAlong(a, b, s.normal) - s.gap) < 1e-12);
    CHECK((s.pointB - s.pointA - s.gap * s.normal).norm() < 1e-12);
    CHECK(climb(a, b, s.normal) < s.gap + 1e-9);
    CHECK(climb(a, b, (b.pose.position - a.pose.position).normalized()) < s.gap + 1e-9);
    for (int k = 0; k < 20; ++k) CHECK(climb(a, b, random.vector().normalized()) < s.gap + 1e-9);
  });
  CHECK(deep > 250);
}

TEST_CASE("touching: gaps of 1e-12 to 1e-6 m have the normal of a gap of 10 mm") {
  test::forAll(203, 3000, [](test::Random& random, int trial) {
    const double gap = std::pow(10.0, random.uniform(-12.0, -6.0)) * (trial % 2 ? 1.0 : -1.0);
    auto [a, b] = randomSolids(random, trial / 2, 0.01);
    const Separation far = separationOf(a, b);
    b.pose.position -= (far.gap - gap) * far.normal;  // along the normal, which is the normal all the way
    const Separation near = separationOf(a, b);
    // Where corners or edges are nearest and overlap, another direction has less depth.
    CHECK(near.gap > gap - 1e-10);  // where corners are nearest and as near as this
    if (gap > 0.0) CHECK(near.gap < gap + 1e-13);
    if (gap > 1e-9) CHECK((near.normal - far.normal).norm() < 1e-15 / gap + 1e-9);
  });
}

TEST_CASE("hulls and triangles apart: the least distance of all vertices, edges and faces") {
  test::forAll(204, 200, [](test::Random& random, int) {
    PlacedSolid a(random, ShapeType::Hull, 0.2),
        b(random, random.uniform() > 0.0 ? ShapeType::Hull : ShapeType::Mesh, 0.2);
    const Vec3 n = random.vector().normalized();
    b.pose.position = a.pose.position;
    b.pose.position += n * (random.uniform(0.0, 0.04) - separationAlong(a, b, n));
    CHECK(std::abs(separationOf(a, b).gap - bruteDistance(a, b)) < 1e-12);
  });
}

TEST_CASE("a ball by closed form: against a ball, a capsule and a box, outside and inside") {
  test::forAll(205, 600, [](test::Random& random, int trial) {
    PlacedSolid ball(random, ShapeType::Sphere, 0.1);
    PlacedSolid other(random, std::array{ShapeType::Sphere, ShapeType::Capsule, ShapeType::Box}[trial % 3],
                      0.3);
    ball.pose.position = other.pose * random.vector(0.25);
    const Vec3 p = other.pose.inverse() * ball.pose.position;
    double outside = p.norm() - other.shape.radius;
    if (other.shape.type == ShapeType::Capsule) {
      const double half = 0.5 * other.shape.length;
      outside = (p - Vec3(0.0, 0.0, std::clamp(p.z(), -half, half))).norm() - other.shape.radius;
    } else if (other.shape.type == ShapeType::Box) {
      const Vec3 q = p.cwiseAbs() - 0.5 * other.shape.size;
      outside = q.maxCoeff() > 0.0 ? q.cwiseMax(0.0).norm() : q.maxCoeff();
    }
    CHECK(std::abs(separationOf(ball, other).gap - (outside - ball.shape.radius)) < 1e-13);
  });
}

TEST_CASE("a ball that is written as an ellipsoid has the separation of the ball") {
  test::forAll(206, 800, [](test::Random& random, int trial) {
    auto [a, b] = randomSolids(random, 8 * (trial % 8), random.uniform(-0.02, 0.04));
    PlacedSolid egg = a;
    egg.shape.type = ShapeType::Ellipsoid;
    egg.shape.size.setConstant(a.shape.radius);
    const Separation wanted = separationOf(a, b), s = separationOf(egg, b);
    CHECK(std::abs(s.gap - wanted.gap) < 1e-13);
    if (wanted.gap > -0.9 * a.shape.radius) CHECK((s.normal - wanted.normal).norm() < 1e-9);
  });
}

TEST_CASE("exchanging the solids reverses the normal; where both stand in the world does not matter") {
  test::forAll(207, 1280, [](test::Random& random, int trial) {
    auto [a, b] = randomSolids(random, trial, random.uniform(-0.01, 0.04));
    const Separation s = separationOf(a, b), swapped = separationOf(b, a), again = separationOf(a, b);
    CHECK(std::abs(s.gap - swapped.gap) < 1e-12);
    if (s.gap > 1e-6) CHECK((s.normal + swapped.normal).norm() < 1e-9);
    CHECK(s.gap == again.gap);
    CHECK(s.normal == again.normal);
    CHECK(s.pointA == again.pointA);
    const Pose away = random.pose(100.0);
    a.pose = away * a.pose;
    b.pose = away * b.pose;
    CHECK(std::abs(separationOf(a, b).gap - s.gap) < 1e-12);
  });
}

TEST_CASE("beyond `within` the gap is a bound: above it, and not above the distance") {
  int bounds = 0;
  test::forAll(208, 640, [&](test::Random& random, int trial) {
    const auto [a, b] = randomSolids(random, trial, random.uniform(0.0, 0.2));
    const double distance = separationOf(a, b).gap;
    const Separation s = separationOf(a, b, 0.05);
    CHECK(s.gap <= distance + 1e-12);
    CHECK(std::abs(separationAlong(a, b, s.normal) - s.gap) < 1e-12);
    if (distance <= 0.05)
      CHECK(std::abs(s.gap - distance) < 1e-12);
    else
      CHECK(s.gap > 0.05);
    bounds += s.gap < distance - 1e-6;
  });
  CHECK(bounds > 100);
}

TEST_CASE("where all directions are as good, or shapes are flat, there is one, with the right gap") {
  test::Random random(209);
  for (const ShapeType type : kDistanceSolids) {
    PlacedSolid solid(random, type, 0.2), ball(random, ShapeType::Sphere, 0.1);
    ball.pose.position = solid.pose.position;
    if (type == ShapeType::Mesh) {
      const auto& v = solid.surface.vertices;
      ball.pose.position = solid.pose * Vec3((v[0] + v[1] + v[2]) / 3.0);
    }
    const Separation s = separationOf(solid, ball);
    CHECK(std::abs(s.normal.norm() - 1.0) < 1e-14);
    CHECK(std::abs(separationAlong(solid, ball, s.normal) - s.gap) < 1e-13);
    for (int k = 0; k < 20; ++k) CHECK(climb(solid, ball, random.vector().normalized()) < s.gap + 1e-9);
  }
  // Two capsules whose axes cross: the normal is across both.
  PlacedSolid a(random, ShapeType::Capsule, 0.2), b(random, ShapeType::Capsule, 0.2);
  b.pose.position = a.pose.position;
  const Separation s = separationOf(a, b);
  CHECK(std::abs(s.gap + a.shape.radius + b.shape.radius) < 1e-13);
  CHECK(std::abs(s.normal.dot(a.pose.rotation * Vec3::UnitZ())) < 1e-9);
  CHECK(std::abs(s.normal.dot(b.pose.rotation * Vec3::UnitZ())) < 1e-9);
}
