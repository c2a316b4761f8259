#include <array>

#include "contacts/narrow_phase.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Two shapes at poses of their own, without a collision world.
struct ShapePair {
  std::array<Shape, 2> shapes;
  std::array<CollisionItem, 2> items;
  NarrowPhase narrow;

  ShapePair(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB) : shapes{a, b} {
    const Pose poses[] = {poseA, poseB};
    for (int i = 0; i < 2; ++i) {
      items[i].description = &shapes[i];
      items[i].index = i;
      makeCollisionShape(items[i]);
      items[i].place(poses[i]);
    }
  }
  std::vector<Contact> collide(double margin) {
    std::vector<Contact> contacts;
    if (shapes[0].type == ShapeType::Plane)
      narrow.collidePlane(items[0], items[1], margin, contacts);
    else
      narrow.collidePair(items[0], items[1], margin, contacts);
    return contacts;
  }
};

/// The surface of the hull of `outer` and, inside it, the same `shrink` times as large and seen from within.
Shape hollowMesh(int body, const std::vector<Vec3>& outer, double shrink) {
  TriangleMesh mesh = convexHull(outer);
  const int vertices = static_cast<int>(mesh.vertices.size());
  const std::size_t triangles = mesh.triangles.size();
  for (int v = 0; v < vertices; ++v) mesh.vertices.emplace_back(shrink * mesh.vertices[v]);
  for (std::size_t t = 0; t < triangles; ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    mesh.triangles.push_back({vertices + a, vertices + c, vertices + b});
  }
  Shape shape;
  shape.type = ShapeType::Mesh;
  shape.body = body;
  shape.mesh = std::make_shared<TriangleMesh>(std::move(mesh));
  return shape;
}

Pose above(double height) { return {Vec3(0.0, 0.0, height), Quat::Identity()}; }

}  // namespace

TEST_CASE("of two spheres, gap, normal and point are those of the closed form, in any position") {
  test::forAll(91, 20, [](test::Random& random, int) {
    const Vec3 a = random.vector(), direction = random.vector().normalized();
    const double gap = random.uniform(-0.05, 0.05);
    ShapePair pair(test::sphereShape(0, 0.2), {a, random.rotation()}, test::sphereShape(1, 0.3),
                   {a + (0.5 + gap) * direction, random.rotation()});
    const auto contacts = pair.collide(0.1);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].gap == doctest::Approx(gap).epsilon(1e-9));
    CHECK((contacts[0].frame.col(2) - direction).norm() < 1e-12);
    CHECK((contacts[0].point - a - (0.2 + 0.5 * gap) * direction).norm() < 1e-12);
    CHECK((contacts[0].frame.transpose() * contacts[0].frame - Mat3::Identity()).norm() < 1e-12);
    CHECK(contacts[0].bodyA == 0);
    CHECK(contacts[0].bodyB == 1);
  });
}

TEST_CASE("points beyond the margin are left out") {
  ShapePair pair(test::sphereShape(0, 0.2), above(0.0), test::sphereShape(1, 0.3), above(0.52));
  CHECK(pair.collide(0.021).size() == 1);
  CHECK(pair.collide(0.019).empty());
  ShapePair onPlane(test::planeShape(), above(0.0), test::sphereShape(0, 0.3), above(0.32));
  CHECK(onPlane.collide(0.021).size() == 1);
  CHECK(onPlane.collide(0.019).empty());
}

TEST_CASE("hulls whose bounding boxes are apart are those that separating axes find apart, no others") {
  int touching = 0, apart = 0;
  test::forAll(93, 300, [&](test::Random& random, int) {
    const auto hull = [&](int body) {
      std::vector<Vec3> points;
      const Vec3 center = random.vector();
      for (int i = 0; i < 8; ++i)
        points.emplace_back(center + 0.2 * random.vector().cwiseProduct(Vec3(1.0, 0.3, 0.1)));
      Shape shape;
      shape.type = ShapeType::Hull;
      shape.body = body;
      shape.mesh = std::make_shared<TriangleMesh>(convexHull(points));
      shape.pose.position = -center;
      return shape;
    };
    const Shape a = hull(0), b = hull(1);
    const Pose poseA = Pose{random.vector(), random.rotation()},
               poseB = Pose{poseA.position + 0.15 * random.vector(), random.rotation()};
    ShapePair pair(a, poseA * a.pose, b, poseB * b.pose);
    ManifoldWorkspace work;
    Vec3 normal;
    std::vector<ManifoldPoint> points;
    const bool touch =
        collidePolyhedra(pair.items[0].polyhedron, pair.items[0].pose, pair.items[1].polyhedron,
                         pair.items[1].pose, 0.01, work, normal, points);
    CHECK(pair.collide(0.01).empty() != touch);
    (touch ? touching : apart) += 1;
  });
  CHECK(touching > 30);
  CHECK(apart > 30);
}

TEST_CASE("a box on a plane and on a box has four points at its corners, appended to what is there") {
  for (const Shape& ground : {test::planeShape(), test::boxShape(-1, Vec3(1.0, 1.0, 1.0))}) {
    const double top = ground.type == ShapeType::Plane ? 0.0 : 0.5;
    ShapePair pair(ground, above(0.0), test::boxShape(0, Vec3(0.2, 0.4, 0.6)), above(top + 0.299));
    const auto contacts = pair.collide(0.01);
    REQUIRE(contacts.size() == 4);
    for (const Contact& c : contacts) {
      CHECK(std::abs(c.point.x()) == doctest::Approx(0.1));
      CHECK(std::abs(c.point.y()) == doctest::Approx(0.2));
      CHECK(c.gap == doctest::Approx(-0.001));
      CHECK(c.frame(2, 2) == doctest::Approx(1.0));
    }
  }
}

TEST_CASE("nothing is remembered: the second call finds the same, bit for bit") {
  test::Random random(92);
  ShapePair pair(test::boxShape(0, Vec3(0.4, 0.4, 0.4)), {Vec3::Zero(), random.rotation()},
                 test::boxShape(1, Vec3(0.4, 0.4, 0.4)), {Vec3(0.0, 0.0, 0.35), random.rotation()});
  const auto first = pair.collide(0.05), second = pair.collide(0.05);
  REQUIRE(first.size() == second.size());
  REQUIRE_FALSE(first.empty());
  for (std::size_t k = 0; k < first.size(); ++k) {
    CHECK(first[k].point == second[k].point);
    CHECK(first[k].gap == second[k].gap);
  }
}

TEST_CASE("the inner skin of a thin shell has no contacts with what is outside of the outer one") {
  int met = 0;
  test::forAll(95, 300, [&](test::Random& random, int trial) {
    const Vec3 size(0.12, random.uniform(0.05, 0.12), random.uniform(0.05, 0.12));
    std::vector<Vec3> cloud;
    for (int i = 0; i < 40; ++i) cloud.push_back(random.vector().normalized().cwiseProduct(size));
    // The shell is 1 to 6 mm thick: thinner than the margin, and sometimes than the overlap.
    const Shape shell = hollowMesh(0, cloud, random.uniform(0.95, 0.99));
    Shape skin = shell;
    auto outer = std::make_shared<TriangleMesh>(convexHull(cloud));
    skin.mesh = outer;
    const double depth = trial % 3 == 0 ? -0.001 : trial % 3 == 1 ? 0.0002 : 0.005;
    const Shape wall = test::boxShape(1, Vec3(0.04, 0.4, 0.3));
    const Quat turn = random.rotation();
    double far = -1.0;
    for (const Vec3& v : outer->vertices) far = std::max(far, (turn * v).x());
    const Pose poseShell{Vec3::Zero(), turn};
    const Pose poseWall{Vec3(far + 0.02 - depth, random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)),
                        Quat::Identity()};
    ShapePair hollow(shell, poseShell, wall, poseWall), solid(skin, poseShell, wall, poseWall),
        swapped(wall, poseWall, shell, poseShell);
    const auto contacts = hollow.collide(0.01), wanted = solid.collide(0.01);
    REQUIRE_FALSE(contacts.empty());
    CHECK(swapped.collide(0.01).size() == contacts.size());
    const auto deepest = [](const std::vector<Contact>& found) {
      double least = 0.0;
      for (const Contact& c : found) least = std::min(least, c.gap);
      return least;
    };
    CHECK(deepest(contacts) >= deepest(wanted) - 1e-9);
    CHECK(deepest(contacts) >= -1.5 * std::max(depth, 0.0) - 1e-9);
    if (depth > 0.001) return;  // the wall may have come through, and the inner skin is near
    ++met;
    REQUIRE(contacts.size() == wanted.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) CHECK(contacts[k].gap == wanted[k].gap);
  });
  CHECK(met == 200);
}

TEST_CASE("a curved shape that just touches a face has its contacts where it is nearest, not at a corner") {
  const Shape foot = test::boxShape(1, Vec3(0.07, 0.02, 0.008));
  const auto round = [](ShapeType type) {
    Shape shape;
    shape.type = type;
    shape.body = 0;
    shape.radius = 0.03;
    shape.length = 0.016;
    shape.size = Vec3(0.05, 0.04, 0.03);
    return shape;
  };
  const Quat lying(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()));
  test::forAll(96, 200, [&](test::Random& random, int trial) {
    const ShapeType type = std::array{ShapeType::Cylinder, ShapeType::Capsule, ShapeType::Sphere,
                                      ShapeType::Ellipsoid}[static_cast<std::size_t>(trial % 4)];
    const Shape shape = round(type);
    const Quat turn = random.rotation();
    const double top = 0.03, gap = random.uniform(-1e-6, 1e-6);
    const Vec3 place(random.uniform(-0.025, 0.025), 0.0, 0.0);
    const Quat own = type == ShapeType::Cylinder || type == ShapeType::Capsule ? lying : Quat::Identity();
    const Pose poseRound{turn * place, turn * own};
    const Pose poseFoot{turn * Vec3(0.0, 0.0, top + gap + 0.004), turn};
    ShapePair pair(shape, poseRound, foot, poseFoot), swapped(foot, poseFoot, shape, poseRound);
    for (const auto& contacts : {pair.collide(0.001), swapped.collide(0.001)}) {
      REQUIRE_FALSE(contacts.empty());
      for (const Contact& c : contacts) {
        const Vec3 at = turn.conjugate() * c.point - place;
        CHECK(std::abs(at.x()) < 2e-3);  // where a round one is at most 7e-5 m lower
        CHECK(std::abs(at.y()) < 0.0081);
        CHECK(at.z() == doctest::Approx(top).epsilon(1e-3));
        CHECK(c.gap == doctest::Approx(gap).scale(1e-4).epsilon(1e-3));
      }
    }
  });
}

TEST_CASE("a ball that is written as an ellipsoid has the contacts of the ball, on boxes and cylinders") {
  test::forAll(97, 300, [](test::Random& random, int trial) {
    Shape ball = test::sphereShape(0, 0.1), egg = ball, other = test::boxShape(1, Vec3(0.3, 0.2, 0.25));
    egg.type = ShapeType::Ellipsoid;
    egg.size.setConstant(0.1);
    if (trial % 2) other.type = ShapeType::Cylinder, other.radius = 0.15, other.length = 0.2;
    const Pose poseOther = random.pose();
    const Pose pose{poseOther * (random.vector().normalized() * random.uniform(0.2, 0.3)), random.rotation()};
    const auto wanted = ShapePair(ball, pose, other, poseOther).collide(0.02);
    const auto contacts = ShapePair(egg, pose, other, poseOther).collide(0.02);
    REQUIRE(contacts.size() == wanted.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      CHECK(std::abs(contacts[k].gap - wanted[k].gap) < 1e-12);
      CHECK((contacts[k].point - wanted[k].point).norm() < 1e-10);
      CHECK((contacts[k].frame.col(2) - wanted[k].frame.col(2)).norm() < 1e-9);
    }
  });
}

TEST_CASE("boxes whose corners or edges are nearest have one contact, at the distance of these") {
  int corners = 0;
  test::forAll(98, 300, [&](test::Random& random, int) {
    const Shape a = test::boxShape(0, Vec3(0.2, 0.2, 0.2)), b = test::boxShape(1, Vec3(0.3, 0.1, 0.2));
    const Vec3 n =
        Vec3(random.uniform(0.4, 1.0), random.uniform(0.4, 1.0), random.uniform(0.4, 1.0)).normalized();
    const double gap = random.uniform(1e-6, 0.02);
    // Axes that are parallel: the corner of b is n times the gap from that of a.
    const Quat turn = random.rotation();
    const Pose poseA{Vec3::Zero(), turn}, poseB{turn * (Vec3(0.25, 0.15, 0.2) + gap * n), turn};
    const auto contacts = ShapePair(a, poseA, b, poseB).collide(0.03);
    REQUIRE(contacts.size() == 1);
    CHECK(std::abs(contacts[0].gap - gap) < 1e-12);
    CHECK((contacts[0].frame.col(2) - turn * n).norm() < 1e-9);
    CHECK((contacts[0].point - turn * Vec3(Vec3::Constant(0.1) + 0.5 * gap * n)).norm() < 1e-12);
    ++corners;
  });
  CHECK(corners == 300);
}
