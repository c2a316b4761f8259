#include <array>

#include "contacts/clearance.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr std::array kKinds = {ShapeType::Box,      ShapeType::Sphere,    ShapeType::Capsule,
                               ShapeType::Cylinder, ShapeType::Ellipsoid, ShapeType::Cone,
                               ShapeType::Hull,     ShapeType::Mesh};

/// A shape of some kind, of some size.
Shape randomShape(test::Random& random, ShapeType type) {
  Shape s;
  s.type = type;
  s.size = random.vector(0.2).cwiseAbs() + Vec3::Constant(0.02);
  s.radius = random.uniform(0.02, 0.2);
  s.length = random.uniform(0.02, 0.4);
  std::vector<Vec3> points;
  for (int i = 0; i < 60; ++i) points.push_back(random.vector(0.2));
  s.mesh = std::make_shared<TriangleMesh>(convexHull(points));
  return s;
}

/// The point of a solid that lies farthest along `d`, in closed form or by comparison of all vertices.
Vec3 farthestPoint(const Shape& s, const Vec3& d) {
  const Vec3 flat(d.x(), d.y(), 0.0);
  const Vec3 rim = flat.norm() > 0.0 ? Vec3(s.radius * flat.normalized()) : Vec3::Zero();
  const Vec3 up(0.0, 0.0, std::copysign(0.5 * s.length, d.z()));
  switch (s.type) {
    case ShapeType::Box:
      return 0.5 * s.size.cwiseProduct(d.cwiseSign());
    case ShapeType::Sphere:
      return s.radius * d.normalized();
    case ShapeType::Capsule:
      return up + s.radius * d.normalized();
    case ShapeType::Cylinder:
      return up + rim;
    case ShapeType::Cone: {
      const Vec3 tip(0.0, 0.0, 0.5 * s.length), base = rim - tip;
      return d.dot(tip) > d.dot(base) ? tip : base;
    }
    case ShapeType::Ellipsoid: {
      const Vec3 scaled = s.size.cwiseProduct(d);
      return s.size.cwiseProduct(scaled) / scaled.norm();
    }
    default: {
      Vec3 best = s.mesh->vertices[0];
      for (const Vec3& v : s.mesh->vertices)
        if (d.dot(v) > d.dot(best)) best = v;
      return best;
    }
  }
}

Vec3 farthestPoint(const CollisionItem& item, const Vec3& d) {
  return item.pose * farthestPoint(*item.description, item.pose.rotation.conjugate() * d);
}

/// A distance between two points of the shapes, which is never less than that of the shapes and nearly it:
/// steps towards the farthest point of their difference, each to where the line is nearest to the origin.
double nearlyDistance(const CollisionItem& a, const CollisionItem& b) {
  Vec3 x = b.pose.position - a.pose.position;
  for (int i = 0; i < 4000 && x.norm() > 1e-9; ++i) {
    const Vec3 along = farthestPoint(b, -x) - farthestPoint(a, x) - x;
    if (!(along.squaredNorm() > 0.0)) break;
    x += std::clamp(-x.dot(along) / along.squaredNorm(), 0.0, 1.0) * along;
  }
  return x.norm();
}

}  // namespace

TEST_CASE("no clearance is more than the distance, and that of convex shapes nearly is the distance") {
  int apart = 0;
  test::forAll(73, 300, [&](test::Random& random, int trial) {
    const std::array<Shape, 2> shapes = {randomShape(random, kKinds[trial % 8]),
                                         randomShape(random, kKinds[trial / 8 % 8])};
    std::array<CollisionItem, 2> items;
    for (int i = 0; i < 2; ++i) {
      items[i].description = &shapes[i];
      items[i].index = i;
      makeCollisionShape(items[i]);
      items[i].place(random.pose(0.4));
    }
    const double distance = nearlyDistance(items[0], items[1]);
    CHECK(roughClearance(items[0], items[1]) < distance);
    CHECK(clearance(items[0], items[1]) < distance);
    if (distance < 0.01) return;
    ++apart;
    if (!items[0].mesh && !items[1].mesh) CHECK(clearance(items[0], items[1]) > 0.98 * distance);
  });
  CHECK(apart > 100);
}

TEST_CASE("the clearance of a plane is the height of the lowest point") {
  test::forAll(74, 100, [](test::Random& random, int trial) {
    const std::array<Shape, 2> shapes = {test::planeShape(), randomShape(random, kKinds[trial % 7])};
    std::array<CollisionItem, 2> items;
    for (int i = 0; i < 2; ++i) {
      items[i].description = &shapes[i];
      makeCollisionShape(items[i]);
      items[i].place(random.pose());
    }
    const Vec3 n = items[0].pose.rotation * Vec3::UnitZ();
    const double height = n.dot(farthestPoint(items[1], -n) - items[0].pose.position);
    CHECK(roughClearance(items[0], items[1]) == doctest::Approx(height).epsilon(1e-9).scale(1.0));
    CHECK(roughClearance(items[1], items[0]) == roughClearance(items[0], items[1]));
  });
}
