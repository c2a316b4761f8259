#include <fmt/format.h>
#include <malloc.h>

#include "contacts/collision_world.h"
#include "contacts/polyhedron.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A tetrahedron-pair ("diamond"): convex, closed.
std::shared_ptr<TriangleMesh> diamond(double r) {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->vertices = {{r, 0, 0}, {0, r, 0}, {-r, 0, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}};
  for (int i = 0; i < 4; ++i) {
    const int j = (i + 1) % 4;
    mesh->triangles.push_back({i, j, 4});
    mesh->triangles.push_back({j, i, 5});
  }
  return mesh;
}

/// A shape of each type, about 0.1 m in radius, whose lowest point is 0.1 m below its origin.
Shape sample(ShapeType type) {
  Shape s;
  s.name = "sample";
  s.type = type;
  s.body = 0;
  switch (type) {
    case ShapeType::Box:
      s.size = Vec3::Constant(0.2);
      break;
    case ShapeType::Capsule:
      s.radius = 0.05;
      s.length = 0.1;
      break;
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      s.radius = 0.08;
      s.length = 0.2;
      break;
    case ShapeType::Ellipsoid:
      s.size = Vec3(0.12, 0.08, 0.1);
      break;
    case ShapeType::Hull:
      s.mesh = std::make_shared<TriangleMesh>(convexHull(diamond(0.1)->vertices));
      break;
    case ShapeType::Mesh:
      s.mesh = diamond(0.1);
      break;
    default:
      s.radius = 0.1;
  }
  return s;
}

constexpr ShapeType kSolids[] = {ShapeType::Box,      ShapeType::Sphere, ShapeType::Capsule,
                                 ShapeType::Cylinder, ShapeType::Cone,   ShapeType::Ellipsoid,
                                 ShapeType::Hull,     ShapeType::Mesh};

Shape flatFloor(ShapeType type) {
  Shape s;
  s.name = "floor";
  s.type = type;
  if (type == ShapeType::Box) {
    s.size = Vec3(4.0, 4.0, 1.0);
    s.pose.position.z() = -0.5;
  } else if (type == ShapeType::Mesh) {
    auto mesh = std::make_shared<TriangleMesh>();
    mesh->vertices = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}};
    mesh->triangles = {{0, 1, 2}, {0, 2, 3}};
    s.mesh = mesh;
  } else if (type == ShapeType::HeightField) {
    auto grid = std::make_shared<HeightGrid>();
    grid->columns = grid->rows = 9;
    grid->spacing = 0.5;
    grid->heights.assign(81, 0.0);
    s.heights = grid;
  }
  return s;
}

std::vector<Contact> detect(const std::vector<Shape>& shapes, const std::vector<Pose>& poses,
                            double margin = 0.01, const std::vector<ExcludedPair>& excluded = {}) {
  CollisionWorld world(shapes, excluded);
  std::vector<Contact> contacts;
  world.detect(poses, margin, contacts);
  return contacts;
}

Pose at(double x, double y, double z) { return {Vec3(x, y, z), Quat::Identity()}; }

}  // namespace

TEST_CASE(
    "every solid on every kind of floor: the gap, the normal and the point are those of its lowest point") {
  for (const ShapeType floor : {ShapeType::Plane, ShapeType::Box, ShapeType::Mesh, ShapeType::HeightField})
    for (const ShapeType type : kSolids)
      for (const double gap : {4e-3, -2e-3}) {
        CAPTURE(static_cast<int>(floor));
        CAPTURE(static_cast<int>(type));
        CAPTURE(gap);
        const auto contacts = detect({flatFloor(floor), sample(type)}, {at(0.03, 0.02, 0.1 + gap)});
        REQUIRE(!contacts.empty());
        CHECK(contacts.size() <= 4);
        double deepest = 1.0, height = 0.0;
        for (const Contact& c : contacts) {
          const double sign = c.bodyB == 0 ? 1.0 : -1.0;
          CHECK((sign * c.frame.col(2) - Vec3::UnitZ()).norm() < 1e-3);
          CHECK((c.frame.transpose() * c.frame - Mat3::Identity()).norm() < 1e-12);
          if (c.gap > deepest) continue;
          deepest = c.gap;
          height = c.point.z();
        }
        CHECK(deepest == doctest::Approx(gap).epsilon(0.02));
        CHECK(height == doctest::Approx(0.5 * gap).epsilon(0.05).scale(1e-3));
      }
}

TEST_CASE("pairs of solids: spheres against every shape give the gap along the axis between them") {
  for (const ShapeType type : kSolids) {
    CAPTURE(static_cast<int>(type));
    Shape ball = test::sphereShape(1, 0.05);
    const auto contacts = detect({sample(type), ball}, {at(0, 0, 0), at(1e-3, 0, 0.1 + 0.05 + 2e-3)});
    REQUIRE(!contacts.empty());
    double smallest = 1.0;
    for (const Contact& c : contacts) smallest = std::min(smallest, c.gap);
    CHECK(smallest == doctest::Approx(2e-3).epsilon(0.1));
    CHECK(contacts.front().frame(2, 2) > 0.9);
    CHECK(detect({sample(type), ball}, {at(0, 0, 0), at(0, 0, 0.2)}).empty());
  }
}

TEST_CASE("flat faces get full manifolds: a box, a cylinder and a standing cone give four points") {
  for (const ShapeType floor : {ShapeType::Plane, ShapeType::Box, ShapeType::Mesh, ShapeType::HeightField})
    CHECK(detect({flatFloor(floor), sample(ShapeType::Box)}, {at(0.03, 0.02, 0.1)}).size() == 4);
  CHECK(detect({flatFloor(ShapeType::Plane), sample(ShapeType::Cylinder)}, {at(0, 0, 0.1)}).size() == 4);
  CHECK(detect({flatFloor(ShapeType::Plane), sample(ShapeType::Cone)}, {at(0, 0, 0.1)}).size() == 4);
  Shape lying = sample(ShapeType::Capsule);
  lying.pose.rotation = rotationBetween(Vec3::UnitZ(), Vec3::UnitX());
  CHECK(detect({flatFloor(ShapeType::Plane), lying}, {at(0, 0, 0.05)}).size() == 2);
}

TEST_CASE("two boxes face to face: four points at the corners of the overlap") {
  const std::vector<Shape> shapes = {test::boxShape(0, Vec3(1, 1, 1)),
                                     test::boxShape(1, Vec3(0.5, 0.5, 0.5))};
  const auto contacts = detect(shapes, {at(0, 0, 0), at(0.4, 0.1, 0.75)});
  REQUIRE(contacts.size() == 4);
  for (const Contact& c : contacts) {
    CHECK(std::abs(c.gap) < 1e-12);
    CHECK(c.point.z() == doctest::Approx(0.5));
    CHECK((c.point.x() == doctest::Approx(0.15) || c.point.x() == doctest::Approx(0.5)));
    CHECK((c.point.y() == doctest::Approx(-0.15) || c.point.y() == doctest::Approx(0.35)));
  }
}

TEST_CASE("two boxes edge to edge: one point with the normal across both edges") {
  const std::vector<Shape> shapes = {test::boxShape(0, Vec3(1, 1, 1)), test::boxShape(1, Vec3(1, 1, 1))};
  Pose lower = at(0, 0, 0), upper = at(0, 0, std::sqrt(2.0) - 0.004);
  lower.rotation = Quat(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX()));
  upper.rotation = Quat(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitY()));
  const auto contacts = detect(shapes, {lower, upper});
  REQUIRE(contacts.size() == 1);
  CHECK(contacts[0].gap == doctest::Approx(-0.004).epsilon(1e-9));
  CHECK((contacts[0].frame.col(2) - Vec3::UnitZ()).norm() < 1e-9);
}

TEST_CASE("cylinders and boxes that just touch, flat or side by side, do not overlap by more than they do") {
  test::Random random(61);
  for (int trial = 0; trial < 400; ++trial) {
    Shape a = sample(ShapeType::Cylinder), b = sample(trial % 2 == 0 ? ShapeType::Cylinder : ShapeType::Box);
    b.body = 1;
    const double gap = std::pow(10.0, random.uniform(-14.0, -6.0)) * (trial % 3 - 1);
    const bool beside = trial % 4 < 2;
    const Quat turn(Eigen::AngleAxisd(random.uniform(-3.0, 3.0), Vec3::UnitZ()));
    Vec3 place(random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.2 + gap);
    if (beside) {
      const double radius = b.type == ShapeType::Cylinder ? b.radius : 0.5 * b.size.x();
      place = turn * Vec3(a.radius + radius + gap, 0.0, random.uniform(-0.1, 0.1));
    }
    // The pair as a whole turned at random: no axis of the world is special.
    const Quat all = random.rotation();
    const std::vector<Shape> shapes = {a, b};
    CollisionWorld world(shapes, {});
    std::vector<Contact> contacts;
    const std::vector<Pose> poses = {{Vec3::Zero(), all}, {all * place, all * turn}};
    world.detect(poses, 1e-3, contacts);
    CAPTURE(trial);
    REQUIRE(!contacts.empty());
    for (const Contact& contact : contacts) {
      CHECK(contact.gap > gap - 2e-5);
      CHECK(contact.gap < gap + 1e-3);
    }
    double deepest = 1.0;
    for (const Contact& contact : contacts) deepest = std::min(deepest, contact.gap);
    CHECK(std::abs(deepest - gap) < 2e-5);
  }
}

TEST_CASE("a cylinder that lies on a wide box touches its top, wherever it lies") {
  test::Random random(62);
  Shape a = sample(ShapeType::Cylinder), b = sample(ShapeType::Box);
  b.body = -1;
  b.size = Vec3(1.0, 1.0, 0.1);
  const std::vector<Shape> shapes = {a, b};
  CollisionWorld world(shapes, {});
  std::vector<Contact> contacts;
  for (int trial = 0; trial < 200; ++trial) {
    const double gap = std::pow(10.0, random.uniform(-14.0, -8.0)) * (trial % 2 == 0 ? 1 : -1);
    const Quat lying = Quat(Eigen::AngleAxisd(random.uniform(-3.0, 3.0), Vec3::UnitZ())) *
                       rotationBetween(Vec3::UnitZ(), Vec3::UnitX());
    const Vec3 place(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), 0.05 + a.radius + gap);
    const std::vector<Pose> poses = {{place, lying}};
    world.detect(poses, 1e-3, contacts);
    CAPTURE(trial);
    REQUIRE(!contacts.empty());
    for (const Contact& contact : contacts) {
      CHECK(std::abs(contact.frame(2, 2)) > 0.99);
      CHECK(std::abs(contact.gap - gap) < 1e-6);
    }
  }
}

TEST_CASE("random boxes and hulls: the normal separates them by the gap") {
  test::Random random(21);
  int touching = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<Vec3> points;
    for (int i = 0; i < 12; ++i) points.push_back(random.vector(0.3));
    Shape hull;
    hull.type = ShapeType::Hull;
    hull.body = 1;
    hull.mesh = std::make_shared<TriangleMesh>(convexHull(points));
    const std::vector<Shape> shapes = {test::boxShape(0, Vec3(0.4, 0.3, 0.5)), hull};
    const std::vector<Pose> poses = {random.pose(0.2), random.pose(0.3)};
    for (const Contact& c : detect(shapes, poses, 0.05)) {
      ++touching;
      const Vec3 n = c.frame.col(2);
      double highest = -1e9, lowest = 1e9;
      for (const Vec3& v : boxSurface(shapes[0].size).vertices)
        highest = std::max(highest, n.dot(poses[0] * v));
      for (const Vec3& v : hull.mesh->vertices) lowest = std::min(lowest, n.dot(poses[1] * v));
      CHECK(c.gap >= lowest - highest - 1e-9);
      CHECK(c.gap <= 0.05 + 1e-12);
      break;
    }
  }
  CHECK(touching > 100);
}

TEST_CASE("many hulls of the same points have the faces of the first, hulls of others their own") {
  test::Random random(22);
  std::vector<Vec3> points;
  for (int i = 0; i < 300; ++i) points.push_back(random.vector(1.0).normalized());
  std::vector<Shape> shapes(61);
  std::vector<Pose> poses;
  for (int i = 0; i < 60; ++i) {
    Shape& s = shapes[static_cast<std::size_t>(i)];
    s.type = ShapeType::Hull;
    s.body = i;
    auto mesh = std::make_shared<TriangleMesh>();
    mesh->vertices = i == 30 ? std::vector<Vec3>{{0, 0, -1}, {1, 0, 0}, {0, 1, 0}, {-1, -1, 0}} : points;
    s.mesh = mesh;
    poses.push_back(at(10.0 * i, 0.0, 0.95));
  }
  shapes.back().type = ShapeType::Plane;
  const std::vector<Contact> all = detect(shapes, poses);
  const std::vector<Contact> alone = detect({shapes[0], shapes.back()}, {poses[0]});
  REQUIRE(!alone.empty());
  CHECK(all.size() == 59 * alone.size() + 1);
}

TEST_CASE("a sphere falls between the bars of a non-convex mesh: a mesh is not its hull") {
  // A U-shaped profile, 0.4 m wide inside, extruded in y.
  auto u = std::make_shared<TriangleMesh>();
  const std::array<std::pair<double, double>, 8> profile = {
      {{-0.3, 0}, {0.3, 0}, {0.3, 0.5}, {0.2, 0.5}, {0.2, 0.1}, {-0.2, 0.1}, {-0.2, 0.5}, {-0.3, 0.5}}};
  for (const double y : {-0.5, 0.5})
    for (const auto& [x, z] : profile) u->vertices.push_back({x, y, z});
  for (int i = 0; i < 8; ++i) {
    const int j = (i + 1) % 8;
    u->triangles.push_back({j, i, 8 + j});
    u->triangles.push_back({8 + j, i, 8 + i});
  }
  Shape mesh;
  mesh.type = ShapeType::Mesh;
  mesh.mesh = u;
  const Shape ball = test::sphereShape(0, 0.1);
  CHECK(detect({mesh, ball}, {at(0, 0, 0.35)}).empty());
  const auto contacts = detect({mesh, ball}, {at(0, 0, 0.199)});
  REQUIRE(!contacts.empty());
  CHECK(contacts[0].gap == doctest::Approx(-0.001).epsilon(1e-6));
  // The same as a moving body.
  mesh.body = 1;
  CHECK(detect({mesh, ball}, {at(0, 0, 0.35), at(0, 0, 0)}).empty());
  CHECK_FALSE(detect({mesh, ball}, {at(0, 0, 0.199), at(0, 0, 0)}).empty());
}

TEST_CASE("groups, masks, excluded pairs, shapes of one body and shapes that do not collide") {
  Shape a = test::sphereShape(0, 0.1), b = test::sphereShape(1, 0.1);
  const std::vector<Pose> poses = {at(0, 0, 0), at(0.15, 0, 0)};
  CHECK(detect({a, b}, poses).size() == 1);
  CHECK(detect({a, b}, poses, 0.01, {{0, 1}}).empty());
  Shape masked = b;
  masked.mask = 2;
  CHECK(detect({a, masked}, poses).empty());
  masked.mask = 3;
  CHECK(detect({a, masked}, poses).size() == 1);
  masked.group = 4;
  a.mask = 1;
  CHECK(detect({a, masked}, poses).empty());
  a.mask = 0xffffffffu;
  b.collides = false;
  CHECK(detect({a, b}, poses).empty());
  b.collides = true;
  b.body = 0;
  CHECK(detect({a, b}, poses).empty());
  Shape ground = test::planeShape();
  CHECK(detect({ground, a}, poses, 0.01, {{kWorld, 0}}).empty());
}

TEST_CASE("contacts are a function of the poses alone, whatever was asked before") {
  test::Random random(22);
  std::vector<Shape> shapes = {flatFloor(ShapeType::Mesh)};
  std::vector<Pose> poses;
  for (int i = 0; i < 8; ++i) {
    Shape s = sample(kSolids[i]);
    s.body = i;
    shapes.push_back(s);
    poses.push_back({Vec3(0.12 * i, 0.02 * i, 0.09), random.rotation()});
  }
  CollisionWorld used(shapes, {});
  std::vector<Contact> first, again;
  for (int shake = 0; shake < 20; ++shake) {
    std::vector<Pose> moved = poses;
    for (Pose& p : moved) p.position += random.vector(0.2);
    used.detect(moved, 0.02, again);
  }
  used.detect(poses, 0.01, again);
  first = detect(shapes, poses);
  REQUIRE(first.size() == again.size());
  REQUIRE(first.size() > 8);
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].point == again[i].point);
    CHECK(first[i].gap == again[i].gap);
    CHECK(first[i].frame == again[i].frame);
  }
}

TEST_CASE("along a path each pose has the contacts of a world that is made there, bit for bit") {
  test::forAll(23, 12, [](test::Random& random, int trial) {
    std::vector<Shape> shapes = {flatFloor(trial % 2 == 0 ? ShapeType::Plane : ShapeType::Mesh)};
    std::vector<Pose> poses;
    std::vector<Vec6> twists;
    for (int i = 0; i < 16; ++i) {
      Shape s = sample(kSolids[i % 8]);
      s.body = i;
      s.pose = random.pose(0.1);  // off the center: a turn moves it
      shapes.push_back(s);
      poses.push_back({Vec3(0.2 * (i % 4), 0.2 * (i / 4), 0.2) + random.vector(0.05), random.rotation()});
      twists.push_back(random.twist());
    }
    CollisionWorld used(shapes, {});
    std::vector<Contact> contacts;
    std::vector<double> reach(poses.size(), 0.0);
    std::size_t touching = 0;
    for (int step = 0; step < 150; ++step) {
      for (std::size_t b = 0; b < poses.size(); ++b) {
        if (step % 40 == 39) twists[b] = random.twist();
        poses[b].position += 2e-3 * twists[b].head<3>();
        const Vec3 turn = 6e-3 * twists[b].tail<3>();
        poses[b].rotation = Quat(Eigen::AngleAxisd(turn.norm(), turn.normalized())) * poses[b].rotation;
        reach[b] = 1e-3 * std::abs(twists[b][0]);
      }
      const double margin = 2e-3 * (1 + step / 10 % 3);
      used.detect(poses, margin, reach, contacts);
      std::vector<Contact> fresh;
      CollisionWorld(shapes, {}).detect(poses, margin, reach, fresh);
      CAPTURE(step);
      REQUIRE(contacts.size() == fresh.size());
      touching += fresh.size();
      for (std::size_t k = 0; k < fresh.size(); ++k) {
        CHECK(contacts[k].shapeA == fresh[k].shapeA);
        CHECK(contacts[k].shapeB == fresh[k].shapeB);
        CHECK(contacts[k].point == fresh[k].point);
        CHECK(contacts[k].gap == fresh[k].gap);
        CHECK(contacts[k].frame == fresh[k].frame);
      }
    }
    CHECK(touching > 800);
  });
}

TEST_CASE("poses that are no numbers, or far away, leave nothing behind") {
  const std::vector<Shape> shapes = {flatFloor(ShapeType::Plane), test::boxShape(0, Vec3(0.2, 0.2, 0.2)),
                                     test::sphereShape(1, 0.1)};
  const std::vector<Pose> poses = {at(0, 0, 0.1), at(0, 0, 0.3)};
  CollisionWorld world(shapes, {});
  std::vector<Contact> contacts;
  world.detect(poses, 1e-3, contacts);
  REQUIRE(contacts.size() == 5);
  for (const double x : {std::nan(""), 1e300, 1e9, 5.0}) {
    world.detect(std::vector<Pose>{at(x, 0, 0.1), at(0, x, x)}, 1e-3, contacts);
    world.detect(poses, 1e-3, contacts);
    CHECK(contacts.size() == 5);
  }
}

TEST_CASE("the margin of a pair is that of the world and the reach of both bodies") {
  const std::vector<Shape> shapes = {flatFloor(ShapeType::Plane), test::sphereShape(0, 0.1),
                                     test::sphereShape(1, 0.1), flatFloor(ShapeType::Box)};
  const std::vector<Pose> poses = {at(0, 0, 0.14), at(0.25, 0, 1.0)};
  const std::vector<Pose> pair = {at(0, 0, 1.0), at(0.25, 0, 1.0)};
  CollisionWorld world(shapes, {});
  const auto count = [&](const std::vector<Pose>& where, double margin, std::vector<double> reach) {
    std::vector<Contact> contacts;
    world.detect(where, margin, reach, contacts);
    return contacts.size();
  };
  CHECK(count(poses, 0.01, {}) == 0);
  CHECK(count(poses, 0.01, {0.029, 0.0}) == 0);
  CHECK(count(poses, 0.01, {0.031, 0.0}) == 2);  // plane and box
  CHECK(count(poses, 0.041, {}) == 2);
  CHECK(count(pair, 0.01, {0.019, 0.019}) == 0);
  CHECK(count(pair, 0.01, {0.021, 0.021}) == 1);
  CHECK(count(pair, 0.01, {0.041, 0.0}) == 1);
  CHECK(count(pair, 0.0, {0.0, 0.051}) == 1);
}

TEST_CASE("the memory of a start grows with the number of shapes that lie apart") {
  const auto used = [](int count) {
    std::vector<Shape> shapes;
    std::vector<Pose> poses;
    for (int i = 0; i < count; ++i) {
      shapes.push_back(test::sphereShape(i, 0.1));
      poses.push_back(at(0.3 * (i % 50), 0.3 * (i / 50), 0.0));
    }
    std::vector<Contact> contacts;
    const std::size_t before = mallinfo2().uordblks;
    CollisionWorld world(shapes, {});
    world.detect(poses, 1e-3, contacts);
    CHECK(contacts.empty());
    return mallinfo2().uordblks - before;
  };
  const std::size_t few = used(2000);
  if (few == 0) {
    MESSAGE("SKIPPED: sanitizers have an allocator of their own");
    return;
  }
  CHECK(used(8000) < 6 * few);
  CHECK(few < 2000 * 2048);
}

TEST_CASE("a mesh box that lies on a mesh touches it at its corners alone, however it is tilted a little") {
  const Vec3 size(0.2, 0.3, 0.15);
  const auto box = std::make_shared<TriangleMesh>(boxSurface(size));
  const auto sheet = std::make_shared<TriangleMesh>(
      TriangleMesh{{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}});
  const auto block = std::make_shared<TriangleMesh>(boxSurface(Vec3(2.0, 2.0, 0.1)));
  for (const auto& below : {sheet, block}) {
    Shape floor, shape;
    floor.type = shape.type = ShapeType::Mesh;
    floor.mesh = below;
    if (below == block) floor.pose.position.z() = -0.05;
    shape.mesh = box;
    shape.body = 0;
    const std::vector<Shape> shapes = {floor, shape};
    CollisionWorld world(shapes, std::vector<ExcludedPair>{});
    test::forAll(17, 200, [&](test::Random& random, int) {
      const Quat tilt =
          expRotation(Vec3(random.vector(3e-4))) * expRotation(Vec3(0, 0, random.uniform(-3, 3)));
      const Pose pose{Vec3(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 0.075), tilt};
      std::vector<Contact> contacts;
      world.detect(std::vector{pose}, 1e-3, contacts);
      REQUIRE(contacts.size() == 4);
      for (const Contact& contact : contacts) {
        double nearest = 1.0;
        for (const Vec3& corner : box->vertices)
          nearest = std::min(nearest, (pose * corner - Vec3(0, 0, 0.5 * contact.gap) - contact.point).norm());
        CHECK(nearest < 1e-7);
        CHECK(contact.frame.col(2).z() > 0.999999);
      }
    });
  }
}

TEST_CASE("a box slides over the inner edges of a mesh and of a height field without being tripped") {
  for (const std::string floor : {"mesh", "height-field"}) {
    const test::ScratchFolder folder;
    std::string obj, heights;
    for (int y = 0; y <= 20; ++y) {
      for (int x = 0; x <= 20; ++x) {
        obj += fmt::format("v {} {} 0\n", -1.0 + 0.17 * x, -1.7 + 0.17 * y);
        heights += "0 ";
      }
      heights += "\n";
    }
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 20; ++x) {
        const int a = 21 * y + x + 1;
        obj += fmt::format("f {} {} {}\nf {} {} {}\n", a, a + 1, a + 22, a, a + 22, a + 21);
      }
    const std::string file = folder.write(floor, floor == "mesh" ? obj : heights);
    if (floor == "mesh") std::filesystem::rename(file, file + ".obj");
    Scenario scenario =
        readScenario(folder.write("test.xml", fmt::format(R"(<scenario><material name="m" friction="0.3"/>
      <shape name="floor" type="{}" file="{}" {} material="m"/>
      <body name="box" position="0 0 0.05" velocity="1.5 0.4 0"><shape type="box" size="0.3 0.2 0.1" mass="1" material="m"/></body></scenario>)",
                                                          floor, floor == "mesh" ? "mesh.obj" : floor,
                                                          floor == "mesh" ? "" : "spacing='0.17'")));
    Simulator simulator(scenario.model, startState(*scenario.model));
    double rise = 0.0, turn = 0.0;
    for (int i = 0; i < 300; ++i) {
      simulator.step();
      rise = std::max(rise, std::abs(simulator.state().poses[0].position.z() - 0.05));
      turn = std::max(turn, simulator.state().twists[0].tail<3>().norm());
    }
    CAPTURE(floor);
    CHECK(rise < 1e-6);
    CHECK(turn < 1e-4);
    const double speed = std::hypot(1.5, 0.4) - 0.3 * 9.81 * 0.3;
    CHECK(simulator.state().twists[0].norm() == doctest::Approx(speed).epsilon(1e-4));
  }
}

TEST_CASE("a plate laid on two edges, tilted a little, comes to rest flat on them") {
  for (const double tilt : {0.0, 0.0005, 0.004, 0.01})
    for (const std::string step : {"0.001", "0.004"}) {
      CAPTURE(tilt);
      CAPTURE(step);
      test::Run run(fmt::format(R"(<options timestep="{}"/>
        <shape name="left" type="box" size="0.1 0.6 0.1" position="-0.2 0 0" rpy="0 0.7 0"/>
        <shape name="right" type="box" size="0.1 0.6 0.1" position="0.2 0 0" rpy="0 0.7 0"/>
        <body name="plate" position="0 0 0.0965" rpy="{} 0 0"><shape type="box" size="0.6 0.3 0.05" mass="1"/></body>)",
                                step, tilt));
      const double start = run["energy.total"];
      run.until(1.0);
      const double height = run["body.plate.position.z"];
      CHECK(height == doctest::Approx(0.05 * (std::cos(0.7) + std::sin(0.7)) + 0.025).epsilon(1e-3));
      double highest = height, lowest = height;
      while (run.simulator().state().time < 2.0) {
        run.simulator().step();
        highest = std::max(highest, run["body.plate.position.z"]);
        lowest = std::min(lowest, run["body.plate.position.z"]);
      }
      CHECK(highest - lowest < 1e-5);
      CHECK(run["energy.total"] <= start);
      CHECK(run.simulator().state().twists[0].norm() < 1e-4);
    }
}

TEST_CASE("a box dropped on a hollow box of thin walls comes to rest on it, and the hollow one on a box") {
  // Outer and inner skin of a box of 0.4 x 0.4 x 0.2 m whose walls are 2 mm thick, thinner than the margin.
  TriangleMesh mesh = boxSurface(Vec3(0.4, 0.4, 0.2));
  const TriangleMesh inner = boxSurface(Vec3(0.396, 0.396, 0.196));
  mesh.vertices.insert(mesh.vertices.end(), inner.vertices.begin(), inner.vertices.end());
  for (const auto& [a, b, c] : inner.triangles) mesh.triangles.push_back({a + 8, c + 8, b + 8});
  std::string obj;
  for (const Vec3& v : mesh.vertices) obj += fmt::format("v {} {} {}\n", v.x(), v.y(), v.z());
  for (const auto& [a, b, c] : mesh.triangles) obj += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  const test::ScratchFolder folder;
  folder.write("hollow.obj", obj);
  for (const std::string falling : {"box", "hollow"})
    for (const double step : {0.001, 0.004}) {
      CAPTURE(falling);
      CAPTURE(step);
      const std::string hollow = R"(<shape name="hollow-shape" type="mesh" file="hollow.obj"/>)";
      const std::string box = R"(<shape name="box-shape" type="box" size="0.1 0.16 0.12"/>)";
      // Half of the heights together, and 30 mm to fall.
      Scenario scenario = readScenario(folder.write(
          "test.xml",
          fmt::format(
              R"(<scenario><options timestep="{}"/>{}<body name="falling" position="0.03 0.02 0.22" rpy="0.15 0.1 0.3"><inertial mass="1" inertia="0.004 0.004 0.004"/>{}</body></scenario>)",
              step, falling == "box" ? hollow : box, falling == "box" ? box : hollow)));
      Simulator simulator(scenario.model, startState(*scenario.model));
      const double start = findChannel(*scenario.model, "energy.total")(simulator);
      double deepest = 0.0;
      while (simulator.state().time < 2.0) {
        simulator.step();
        deepest = std::max(deepest, findChannel(*scenario.model, "residual.penetration")(simulator));
      }
      CHECK(deepest < 0.001);
      CHECK(simulator.state().poses[0].position.z() == doctest::Approx(0.16).epsilon(1e-3));
      CHECK(simulator.state().twists[0].norm() < 1e-4);
      CHECK(findChannel(*scenario.model, "energy.total")(simulator) < start);
    }
}
