#include <algorithm>

#include "contacts/polyhedron.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Polyhedron boxPolyhedron(const Vec3& size) { return makePolyhedron(boxSurface(size)); }

/// What collidePolyhedra() returns.
struct Manifold {
  bool near = false;
  Vec3 normal = Vec3::Zero();
  std::vector<ManifoldPoint> points;
};

Manifold manifoldOf(const Polyhedron& a, const Pose& poseA, const Polyhedron& b, const Pose& poseB,
                    double margin) {
  ManifoldWorkspace work;
  Manifold m;
  m.near = collidePolyhedra(a, poseA, b, poseB, margin, work, m.normal, m.points);
  return m;
}

Pose placedAt(const Vec3& position) { return {position, Quat::Identity()}; }

std::vector<Vec3> randomPoints(test::Random& random, int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(random.vector(0.5));
  return points;
}

}  // namespace

TEST_CASE("a box becomes six quads, twelve edges and three directions") {
  const Polyhedron box = boxPolyhedron(Vec3(0.2, 0.4, 0.6));
  CHECK(box.vertices.size() == 8);
  CHECK(box.edges.size() == 12);
  CHECK(box.edgeDirections.size() == 3);
  CHECK(box.center.norm() < 1e-15);
  REQUIRE(box.faces.size() == 6);
  for (const auto& face : box.faces) {
    CHECK(face.loop.size() == 4);
    CHECK(face.offset == doctest::Approx(0.5 * std::abs(face.normal.dot(Vec3(0.2, 0.4, 0.6)))));
  }
}

TEST_CASE("hulls: V - E + F = 2, vertices lie on their faces, and no vertex outside of any") {
  test::Random random(91);
  for (int trial = 0; trial < 20; ++trial) {
    CAPTURE(trial);
    const Polyhedron p = makePolyhedron(convexHull(randomPoints(random, 25)));
    CHECK(p.vertices.size() + p.faces.size() == p.edges.size() + 2);
    for (const auto& face : p.faces) {
      for (const int v : face.loop) CHECK(std::abs(face.normal.dot(p.vertices[v]) - face.offset) < 1e-6);
      for (const Vec3& v : p.vertices) CHECK(face.normal.dot(v) <= face.offset + 1e-6);
      // Counter-clockwise seen from outside.
      const Vec3 &a = p.vertices[face.loop[0]], &b = p.vertices[face.loop[1]], &c = p.vertices[face.loop[2]];
      CHECK((b - a).cross(c - b).dot(face.normal) > 0.0);
    }
  }
}

TEST_CASE("face over face: the corners of the overlap, with the gap between the faces") {
  const Polyhedron big = boxPolyhedron(Vec3(1, 1, 1)), small = boxPolyhedron(Vec3(0.5, 0.5, 0.5));
  for (const double gap : {0.01, -0.01}) {
    const Manifold m = manifoldOf(big, {}, small, placedAt(Vec3(0.4, 0.1, 0.75 + gap)), 0.02);
    REQUIRE(m.near);
    CHECK((m.normal - Vec3::UnitZ()).norm() < 1e-14);
    REQUIRE(m.points.size() == 4);
    for (const ManifoldPoint& p : m.points) {
      CHECK(p.gap == doctest::Approx(gap));
      CHECK(p.point.z() == doctest::Approx(0.5 + 0.5 * gap));
      // x from 0.15 to the edge of the big box, y from -0.15 to 0.35
      CHECK(std::min(std::abs(p.point.x() - 0.15), std::abs(p.point.x() - 0.5)) < 1e-12);
      CHECK(std::min(std::abs(p.point.y() + 0.15), std::abs(p.point.y() - 0.35)) < 1e-12);
    }
  }
}

TEST_CASE("edge across edge: one point, midway, with the normal across both") {
  const Polyhedron box = boxPolyhedron(Vec3(1, 1, 1));
  const double gap = 0.004, turn = std::atan(1.0);
  const Pose lower{Vec3::Zero(), Quat(Eigen::AngleAxisd(turn, Vec3::UnitX()))};
  const Pose upper{Vec3(0.1, 0.2, std::sqrt(2.0) + gap), Quat(Eigen::AngleAxisd(turn, Vec3::UnitY()))};
  const Manifold m = manifoldOf(box, lower, box, upper, 0.01);
  REQUIRE(m.points.size() == 1);
  CHECK((m.normal - Vec3::UnitZ()).norm() < 1e-12);
  CHECK(m.points[0].gap == doctest::Approx(gap));
  // The lower edge is the line y = 0, the upper one x = 0.1.
  CHECK((m.points[0].point - Vec3(0.1, 0.0, std::sqrt(0.5) + 0.5 * gap)).norm() < 1e-12);
}

TEST_CASE("beyond the margin there is no manifold") {
  const Polyhedron box = boxPolyhedron(Vec3(1, 1, 1));
  CHECK(manifoldOf(box, {}, box, placedAt(Vec3(0, 0, 1.0099)), 0.01).near);
  CHECK_FALSE(manifoldOf(box, {}, box, placedAt(Vec3(0, 0, 1.0101)), 0.01).near);
  CHECK(manifoldOf(box, {}, box, placedAt(Vec3(0, 0, 1.0101)), 0.01).points.empty());
}

TEST_CASE("the axis found overlaps least: along no other direction do the hulls overlap less") {
  test::Random random(92);
  for (int trial = 0; trial < 30; ++trial) {
    CAPTURE(trial);
    const Polyhedron a = makePolyhedron(convexHull(randomPoints(random, 12)));
    const Polyhedron b = makePolyhedron(convexHull(randomPoints(random, 12)));
    const Pose poseA = random.pose(0.1), poseB = random.pose(0.1);
    const auto separation = [&](const Vec3& n) {
      double high = -1e9, low = 1e9;
      for (const Vec3& v : a.vertices) high = std::max(high, n.dot(poseA * v));
      for (const Vec3& v : b.vertices) low = std::min(low, n.dot(poseB * v));
      return low - high;
    };
    const Manifold m = manifoldOf(a, poseA, b, poseB, 0.0);
    if (!m.near) continue;
    for (int i = 0; i < 200; ++i)
      CHECK(separation(random.vector().normalized()) <= separation(m.normal) + 2e-6);
  }
}

TEST_CASE("exchanging the bodies reverses the normal and keeps the gap") {
  test::Random random(93);
  const Polyhedron box = boxPolyhedron(Vec3(0.3, 0.4, 0.5));
  int met = 0;
  for (int trial = 0; trial < 50; ++trial) {
    CAPTURE(trial);
    const Pose poseA = random.pose(0.1), poseB = random.pose(0.3);
    const Manifold ab = manifoldOf(box, poseA, box, poseB, 0.05),
                   ba = manifoldOf(box, poseB, box, poseA, 0.05);
    CHECK(ab.near == ba.near);
    if (!ab.near || !ba.near) continue;
    ++met;
    CHECK((ab.normal + ba.normal).norm() < 1e-9);
  }
  CHECK(met > 10);
}

TEST_CASE("hulls that overlap have a contact as deep as they overlap, however small their faces are") {
  test::Random random(95);
  const Polyhedron box = boxPolyhedron(Vec3(1.0, 1.0, 1.0));
  int met = 0;
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    // Many small faces, slim and stubby ones: the flattest one is often beside the deepest vertex.
    std::vector<Vec3> cloud;
    const Vec3 size(0.2, random.uniform(0.02, 0.2), random.uniform(0.02, 0.2));
    for (int i = 0; i < 60; ++i) cloud.push_back(random.vector().normalized().cwiseProduct(size));
    const Polyhedron egg = makePolyhedron(convexHull(cloud));
    const Polyhedron& other = trial % 2 ? egg : box;
    const Pose pose = random.pose(0.0);
    // Lowers the egg onto the top of the other until it is 1 mm deep.
    const double side = 0.4 * random.uniform(-1.0, 1.0) * (trial % 2 ? 0.1 : 1.0);
    double low = 1e9, top = -1e9;
    for (const Vec3& v : egg.vertices) low = std::min(low, (pose * v).z());
    for (const Vec3& v : other.vertices) top = std::max(top, v.z());
    const Pose lowered{pose.position + Vec3(side, 0.5 * side, top - low - 0.001), pose.rotation};
    const auto within = [](const Polyhedron& p, const Vec3& x) {
      return std::all_of(p.faces.begin(), p.faces.end(),
                         [&](const auto& f) { return f.normal.dot(x) < f.offset - 1e-9; });
    };
    const bool overlap = std::any_of(egg.vertices.begin(), egg.vertices.end(),
                                     [&](const Vec3& v) { return within(other, lowered * v); });
    if (!overlap) continue;
    ++met;
    for (const bool swapped : {false, true}) {
      const Manifold m =
          swapped ? manifoldOf(egg, lowered, other, {}, 0.01) : manifoldOf(other, {}, egg, lowered, 0.01);
      REQUIRE(m.near);
      REQUIRE_FALSE(m.points.empty());
      double deepest = 0.0;
      for (const ManifoldPoint& p : m.points) deepest = std::min(deepest, p.gap);
      CHECK(deepest <= 0.0);
      CHECK(deepest >= -0.0010001);
      if (!(trial % 2)) {
        CHECK(std::abs(m.normal.z()) == doctest::Approx(1.0));
        CHECK(deepest == doctest::Approx(-0.001).epsilon(1e-4));
      }
    }
  }
  CHECK(met > 100);
}

TEST_CASE("an edge along a face, tilted a little, is held at both ends of the overlap") {
  const Polyhedron bar = boxPolyhedron(Vec3(0.1, 0.6, 0.1)), plate = boxPolyhedron(Vec3(0.6, 0.3, 0.05));
  // The bar's upper edge: the corner of its section that lies highest.
  const double turn = 0.7, edge = 0.05 * (std::cos(turn) + std::sin(turn));
  const Pose lying{Vec3::Zero(), Quat(Eigen::AngleAxisd(turn, Vec3::UnitY()))};
  for (const double tilt : {0.0, 1e-6, 1e-4, 0.004, -0.004, 0.02})
    for (const bool swapped : {false, true}) {
      CAPTURE(tilt);
      CAPTURE(swapped);
      const Quat tilted(Eigen::AngleAxisd(tilt, Vec3::UnitX()));
      const Pose above{Vec3(0.0, 0.0, edge + 0.025 / std::cos(tilt)), tilted};
      const Manifold m =
          swapped ? manifoldOf(plate, above, bar, lying, 0.01) : manifoldOf(bar, lying, plate, above, 0.01);
      REQUIRE(m.near);
      const Vec3 up = tilted * Vec3::UnitZ();
      CHECK((m.normal - (swapped ? -1.0 : 1.0) * up).norm() < 1e-12);
      // Along the edge of the bar, above the middle of which the plate touches it.
      double least = 0.0, most = 0.0;
      for (const ManifoldPoint& p : m.points) {
        if (std::abs(p.gap) > 0.0031) continue;  // on the bar's side
        if (p.point.y() < least) least = p.point.y();
        if (p.point.y() > most) most = p.point.y();
        CHECK(p.gap == doctest::Approx(p.point.y() * std::sin(tilt)).epsilon(0.01));
      }
      CHECK(least == doctest::Approx(-0.15).epsilon(0.01));
      CHECK(most == doctest::Approx(0.15).epsilon(0.01));
    }
}

TEST_CASE("a triangle is a polyhedron with a front and a back; over its face lies what is over it") {
  Polyhedron triangle;
  setTriangle(Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(0, 3, 0), triangle);
  REQUIRE(triangle.faces.size() == 2);
  CHECK(triangle.faces[0].normal == Vec3::UnitZ());
  CHECK(triangle.faces[1].normal == -Vec3::UnitZ());
  const Polyhedron box = boxPolyhedron(Vec3(0.5, 0.5, 0.5));
  ManifoldWorkspace work;
  std::vector<ManifoldPoint> points;
  collideWithFace(triangle, 0, {}, box, placedAt(Vec3(0.8, 0.8, 0.245)), 0.01, work, points);
  REQUIRE(points.size() == 4);
  for (const ManifoldPoint& p : points) CHECK(p.gap == doctest::Approx(-0.005));
  collideWithFace(triangle, 0, {}, box, placedAt(Vec3(2.8, 2.8, 0.245)), 0.01, work, points);
  CHECK(points.empty());  // beside the triangle
  collideWithFace(triangle, 0, {}, box, placedAt(Vec3(0.8, 0.8, 0.265)), 0.01, work, points);
  CHECK(points.empty());  // further above than the margin
}

TEST_CASE("manifold reduction keeps the deepest point and the largest area") {
  std::vector<ManifoldPoint> points;
  for (int i = 0; i < 40; ++i) {
    const double a = 2.0 * M_PI * i / 40;
    points.push_back({Vec3(std::cos(a), std::sin(a), 0.0), i == 7 ? -0.1 : 0.0});
  }
  reduceManifold(Vec3::UnitZ(), points);
  REQUIRE(points.size() == 4);
  CHECK(points[0].gap == -0.1);
  Vec3 center = Vec3::Zero();
  for (const ManifoldPoint& p : points) center += p.point / 4.0;
  CHECK(center.norm() < 0.1);
}

TEST_CASE("a settled manifold keeps its points when gaps differ by rounding alone") {
  test::Random random(94);
  std::vector<ManifoldPoint> corners;
  for (int i = 0; i < 6; ++i)
    corners.push_back({Vec3(std::cos(i * M_PI / 3.0), std::sin(i * M_PI / 3.0), 0.0), -1e-4});
  std::vector<ManifoldPoint> first = corners;
  reduceManifold(Vec3::UnitZ(), first);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<ManifoldPoint> again = corners;
    for (ManifoldPoint& p : again) p.gap += random.uniform(-1e-9, 1e-9);
    reduceManifold(Vec3::UnitZ(), again);
    REQUIRE(again.size() == 4);
    for (int i = 0; i < 4; ++i) CHECK(again[i].point == first[i].point);
  }
}

TEST_CASE("boxes whose faces end at one level have the same manifold whatever rounding does") {
  // Of two layers of cubes that stand side by side: the top edge of one is level with the bottom edge of the
  // other.
  const Polyhedron box = boxPolyhedron(Vec3(0.1, 0.1, 0.1));
  test::Random random(5);
  for (const Vec3& to : {Vec3(0.1001, 0.02, 0.1), Vec3(0.1001, 0.1, 0.0), Vec3(0.02, 0.0, 0.1)}) {
    std::vector<Vec3> first;
    for (int trial = 0; trial < 200; ++trial) {
      const Pose a{random.vector(1e-13), Quat(Eigen::AngleAxisd(1e-14 * trial, Vec3::UnitY()))};
      const Pose b{to + random.vector(1e-13), Quat(Eigen::AngleAxisd(1e-14 * trial, Vec3::UnitX()))};
      const Manifold m = manifoldOf(box, a, box, b, 0.01);
      std::vector<Vec3> points;
      for (const ManifoldPoint& p : m.points) points.push_back(p.point);
      for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) CHECK((points[i] - points[j]).norm() > 1e-6);
      if (trial == 0) first = points;
      REQUIRE(points.size() == first.size());
      for (std::size_t i = 0; i < points.size(); ++i) CHECK((points[i] - first[i]).norm() < 1e-9);
    }
    CHECK(!first.empty());
  }
}

TEST_CASE("equal cards that lean edge on edge have the normal between both, however rounding lies") {
  const Polyhedron card = boxPolyhedron(Vec3(0.001, 0.06, 0.09));
  const double lean = 0.35, reach = 0.045 * std::sin(lean) + 0.0005 * std::cos(lean);
  for (const double gap : {0.0, 1e-12, -1e-12, -1e-9, -1e-7})
    for (const double lift : {0.0, 1e-12, -1e-9}) {
      const Pose left{Vec3(-reach, 0.0, 0.0), Quat(Eigen::AngleAxisd(lean, Vec3::UnitY()))};
      const Pose right{Vec3(reach + gap, 0.01, lift), Quat(Eigen::AngleAxisd(-lean, Vec3::UnitY()))};
      const Manifold m = manifoldOf(card, left, card, right, 0.001);
      REQUIRE(m.points.size() == 2);
      CHECK((m.normal - Vec3::UnitX()).norm() < 1e-12);
      for (const ManifoldPoint& p : m.points) CHECK(std::abs(p.gap - gap) < 1e-15);
      CHECK(std::abs(std::abs(m.points[0].point.y() - m.points[1].point.y()) - 0.05) < 1e-12);
    }
}
