// Contact patches against integrals of their pressure fields.
#include <cmath>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "contacts/patch.h"
#include "contacts/shape_shell.h"
#include "engine/base/error.h"

using namespace grashof;

namespace {

constexpr double kModulus = 1e6;  // Pa
constexpr double kHalfTurn = std::numbers::pi;

Shape solid(ShapeType type, const Vec3& size, double modulus, double resolution = 0.0) {
  Shape shape;
  shape.type = type;
  shape.size = size;
  shape.radius = size.x();
  shape.length = size.y();
  shape.modulus = modulus;
  shape.resolution = resolution;
  return shape;
}

Shape ground(double modulus = 0.0, double thickness = 0.0) {
  Shape shape;
  shape.type = ShapeType::Plane;
  shape.modulus = modulus;
  shape.thickness = thickness;
  return shape;
}

std::vector<Contact> patchOf(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB) {
  const bool facing =
      (a.type == ShapeType::Plane && a.modulus > 0.0) || (b.type == ShapeType::Plane && b.modulus > 0.0);
  const PatchGeometry ofA = patchGeometryOf(a, facing), ofB = patchGeometryOf(b, facing);
  std::vector<Contact> contacts;
  PatchFinder finder;
  finder.collide({ofA, poseA, 0, 0}, {ofB, poseB, 1, 1}, contacts);
  return contacts;
}

/// Normal force of a contact on B, N.
Vec3 forceOf(const Contact& c) { return -c.gap * c.area * c.pressureSlope * c.frame.col(2); }

Vec3 netForce(const std::vector<Contact>& contacts) {
  Vec3 sum = Vec3::Zero();
  for (const Contact& c : contacts) sum += forceOf(c);
  return sum;
}

Vec3 netMoment(const std::vector<Contact>& contacts) {
  Vec3 sum = Vec3::Zero();
  for (const Contact& c : contacts) sum += c.point.cross(forceOf(c));
  return sum;
}

/// Moment about `axis` through the origin of the friction μ = 1 of a body that turns about it.
double torsion(const std::vector<Contact>& contacts) {
  double sum = 0.0;
  for (const Contact& c : contacts) sum += forceOf(c).norm() * c.point.head<2>().norm();
  return sum;
}

double upward(const Shape& shape, double height, const Quat& turn = Quat::Identity()) {
  return netForce(patchOf(ground(), {}, shape, {Vec3(0.0, 0.0, height), turn})).z();
}

/// Pressure inside a box, E times the distance from the nearest side over the largest such distance.
double boxPressure(const Vec3& size, const Vec3& x) {
  const Vec3 half = 0.5 * size;
  return std::max(0.0, kModulus * (half - x.cwiseAbs()).minCoeff() / half.minCoeff());
}

/// Volume of the frustum of a pyramid over l × w that is `inset` smaller on all sides at the height h.
double frustum(double l, double w, double inset, double h) {
  const double base = l * w, top = (l - 2.0 * inset) * (w - 2.0 * inset);
  const double middle = (l - inset) * (w - inset);
  return h / 6.0 * (base + 4.0 * middle + top);
}

}  // namespace

TEST_CASE("shells are closed, hold the volume of their shapes, and end inside at one depth per facet") {
  const double r = 0.3, l = 0.5;
  const struct {
    Shape shape;
    double volume, tolerance;
  } cases[] = {
      {solid(ShapeType::Box, {0.2, 0.3, 0.5}, 1.0), 0.03, 1e-12},
      {solid(ShapeType::Sphere, {r, l, 0.0}, 1.0), 4.0 / 3.0 * kHalfTurn * r * r * r, 1e-12},
      {solid(ShapeType::Ellipsoid, {0.2, 0.3, 0.5}, 1.0), 4.0 / 3.0 * kHalfTurn * 0.03, 1e-12},
      {solid(ShapeType::Cylinder, {r, l, 0.0}, 1.0), kHalfTurn * r * r * l, 1e-12},
      {solid(ShapeType::Cylinder, {r, 3.0 * l, 0.0}, 1.0), kHalfTurn * r * r * 3.0 * l, 1e-12},
      {solid(ShapeType::Capsule, {r, l, 0.0}, 1.0), kHalfTurn * r * r * (l + 4.0 / 3.0 * r), 2e-2},
      {solid(ShapeType::Cone, {r, l, 0.0}, 1.0), kHalfTurn * r * r * l / 3.0, 1e-12},
  };
  for (const auto& one : cases) {
    CAPTURE(static_cast<int>(one.shape.type));
    Vec3 area = Vec3::Zero();
    double volume = 0.0, cells = 0.0, depthError = 0.0;
    for (const ShellFacet& f : shellOf(one.shape, usualResolution(one.shape), true)) {
      const auto n = static_cast<std::size_t>(f.count);
      Vec3 own = Vec3::Zero();
      for (std::size_t i = 2; i < n; ++i)
        own += 0.5 * (f.outer[i - 1] - f.outer[0]).cross(f.outer[i] - f.outer[0]);
      area += own;
      volume += own.dot(f.outer[0]) / 3.0;
      const double depth = own.normalized().dot(f.outer[0] - f.inner[0]);
      CHECK(depth > 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        depthError = std::max(depthError, std::abs(own.normalized().dot(f.outer[i] - f.outer[0])));
        depthError = std::max(depthError, std::abs(own.normalized().dot(f.inner[i] - f.inner[0])));
      }
      cells += own.norm();
    }
    CHECK(area.norm() < 1e-12);
    CHECK(cells > 0.0);
    CHECK(volume == doctest::Approx(one.volume).epsilon(one.tolerance));
    CHECK(depthError < 1e-12);
  }
}

TEST_CASE("the cells of a box fill it, with the pressure of the distance from its nearest side") {
  const Vec3 size(0.2, 0.35, 0.5);
  const PatchGeometry box = patchGeometryOf(solid(ShapeType::Box, size, kModulus), false);
  for (int k = 0; k < 400; ++k) {
    const Vec3 x = 0.499 * size.cwiseProduct(Vec3(std::sin(12.9 * k + 0.5), std::sin(4.1 * k + 1.0),
                                                  std::sin(7.7 * k + 0.3)));
    int holding = 0;
    for (const FieldCell& cell : box.cells) {
      bool inside = true;
      for (const FieldFace& face : cell.bounds()) inside = inside && face.distance(x) <= 0.0;
      if (!inside) continue;
      ++holding;
      CHECK(cell.pressure(x) == doctest::Approx(boxPressure(size, x)).epsilon(1e-10));
    }
    CHECK(holding == 1);
  }
}

TEST_CASE("a sphere on a rigid plane: the integral of E (1 - r/R) over the section, with the second order") {
  // f = π E [(R² - h²) - 2 (R³ - h³)/(3 R)] at the height h of the centre.
  const double r = 0.1, h = 0.09;
  const double exact = kHalfTurn * kModulus * ((r * r - h * h) - 2.0 * (r * r * r - h * h * h) / (3.0 * r));
  double last = 0.0;
  for (const double resolution : {0.02, 0.01, 0.005}) {
    const double error =
        std::abs(upward(solid(ShapeType::Sphere, {r, 0.0, 0.0}, kModulus, resolution), h) / exact - 1.0);
    MESSAGE("resolution " << resolution << ": relative error " << error);
    CHECK(error < 0.15 * std::pow(resolution / r, 2));
    if (last > 0.0) CHECK(error < 0.5 * last);
    last = error;
  }
}

TEST_CASE("a box flat on a rigid plane is carried by E over half its height times a frustum") {
  const Vec3 size(0.2, 0.3, 0.1);
  for (const double resolution : {0.3, 0.05, 0.021}) {
    const Shape box = solid(ShapeType::Box, size, kModulus, resolution);
    for (const double depth : {1e-4, 2e-3, 0.01})
      CHECK(upward(box, 0.05 - depth) ==
            doctest::Approx(kModulus / 0.05 * frustum(0.2, 0.3, depth, depth)).epsilon(1e-9));
  }
}

TEST_CASE("force and moment of a tilted box, on an edge or a corner, are those of its pressure field") {
  const Vec3 size(0.2, 0.3, 0.1);
  const struct {
    Vec3 axis;
    double angle, height;
  } cases[] = {{Vec3(0.0, 1.0, 0.0), 0.02, 0.05},
               {Vec3(0.3, 1.0, 0.0), 0.3, 0.075},
               {Vec3(0.0, 1.0, 0.0), 0.9, 0.103},
               {Vec3(1.0, 0.8, 0.0), 0.8, 0.14}};
  for (const auto& one : cases) {
    CAPTURE(one.angle);
    const Quat turn(Eigen::AngleAxisd(one.angle, one.axis.normalized()));
    const auto contacts = patchOf(ground(), {}, solid(ShapeType::Box, size, kModulus, 0.06),
                                  {Vec3(0.0, 0.0, one.height), turn});
    // Midpoint rule over the plane.
    double force = 0.0;
    Vec3 moment = Vec3::Zero();
    constexpr int n = 800;
    const double side = 0.5 / n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const Vec3 x((i + 0.5) * side - 0.25, (j + 0.5) * side - 0.25, 0.0);
        const double f = side * side * boxPressure(size, turn.conjugate() * (x - Vec3(0.0, 0.0, one.height)));
        force += f;
        moment += x.cross(f * Vec3::UnitZ());
      }
    CHECK(force > 1.0);
    CHECK(netForce(contacts).z() == doctest::Approx(force).epsilon(2e-3));
    CHECK((netMoment(contacts) - moment).norm() < 2e-3 * force * 0.1);
  }
}

TEST_CASE("two compliant boxes share the overlap as springs in series") {
  // The smaller one above: half the overlap each where both fields meet, and beside it the pressure of the
  // upper one's sides.
  const Shape lower = solid(ShapeType::Box, {0.3, 0.3, 0.1}, kModulus);
  for (const double modulus : {kModulus, 3.0 * kModulus}) {
    const Shape upper = solid(ShapeType::Box, {0.2, 0.2, 0.1}, modulus);
    const double overlap = 0.004, own = overlap * kModulus / (kModulus + modulus);
    const auto contacts = patchOf(lower, {}, upper, {Vec3(0.0, 0.0, 0.1 - overlap), Quat::Identity()});
    CHECK(netForce(contacts).z() ==
          doctest::Approx(modulus / 0.05 * frustum(0.2, 0.2, own, own)).epsilon(1e-9));
    CHECK(netForce(contacts).head<2>().norm() < 1e-9 * netForce(contacts).z());
    double stiffness = 0.0;
    for (const Contact& c : contacts)
      if (c.frame(2, 2) > 0.999) stiffness += c.area * c.pressureSlope;
    const double inside = 0.2 - 2.0 * own;
    CHECK(stiffness == doctest::Approx(inside * inside / 0.05 * modulus * kModulus / (modulus + kModulus)));
  }
}

TEST_CASE("shapes in the opposite order give the same polygons with opposite normals") {
  const Pose low{Vec3(0.01, 0.02, 0.0), Quat(Eigen::AngleAxisd(0.3, Vec3(1.0, 2.0, 3.0).normalized()))};
  const Pose high{Vec3(0.0, 0.0, 0.14), Quat::Identity()};
  const Shape ball = solid(ShapeType::Sphere, {0.1, 0.0, 0.0}, kModulus);
  for (const Shape& box : {solid(ShapeType::Box, {0.2, 0.3, 0.1}, 0.0),
                           solid(ShapeType::Box, {0.2, 0.3, 0.1}, 2.0 * kModulus)}) {
    const auto one = patchOf(box, low, ball, high), other = patchOf(ball, high, box, low);
    REQUIRE(one.size() == other.size());
    REQUIRE(one.size() > 3);
    CHECK(netForce(one).norm() > 1.0);
    CHECK((netForce(one) + netForce(other)).norm() < 1e-9 * netForce(one).norm());
    CHECK((netMoment(one) + netMoment(other)).norm() < 1e-9 * netForce(one).norm());
  }
}

TEST_CASE("a flat cylinder that turns on a plane is held by 2/3 μ N R, with the second order") {
  const double r = 0.1, depth = 1e-6;
  double last = 0.0;
  for (const double resolution : {0.05, 0.025, 0.0125}) {
    const Shape drum = solid(ShapeType::Cylinder, {r, 0.1, 0.0}, kModulus, resolution);
    const auto contacts = patchOf(ground(), {}, drum, {Vec3(0.0, 0.0, 0.05 - depth), Quat::Identity()});
    const double force = netForce(contacts).z();
    CHECK(force == doctest::Approx(kModulus * depth / 0.05 * kHalfTurn * r * r).epsilon(1e-4));
    const double error = std::abs(torsion(contacts) / (2.0 / 3.0 * force * r) - 1.0);
    MESSAGE("resolution " << resolution << ": " << contacts.size() << " polygons, relative error " << error);
    CHECK(error < 0.15 * std::pow(resolution / r, 2));
    if (last > 0.0) CHECK(error < 0.35 * last);
    last = error;
  }
}

TEST_CASE("a sphere that turns on a plane is held by the integral of μ p r") {
  const double r = 0.1, h = 0.09, a = std::sqrt(r * r - h * h);
  double exact = 0.0;
  constexpr int n = 2000;
  for (int i = 0; i < n; ++i) {
    const double rho = (i + 0.5) * a / n;
    exact += 2.0 * kHalfTurn * rho * rho * kModulus * (1.0 - std::hypot(h, rho) / r) * a / n;
  }
  const Shape ball = solid(ShapeType::Sphere, {r, 0.0, 0.0}, kModulus, 0.01);
  const auto contacts = patchOf(ground(), {}, ball, {Vec3(0.0, 0.0, h), Quat::Identity()});
  CHECK(torsion(contacts) == doctest::Approx(exact).epsilon(0.03));
}

TEST_CASE("capsules, cones, ellipsoids and hulls press with the integral of their fields") {
  // A capsule on its side, per length of the cylinder: the section of the field E (1 - r/R).
  const double r = 0.05, l = 2.0, h = 0.045, a = std::sqrt(r * r - h * h);
  const auto line = [&](double y) { return kModulus * (1.0 - std::hypot(h, y) / r); };
  double perLength = 0.0;
  for (int i = 0; i < 2000; ++i) perLength += line((i + 0.5) * a / 1000 - a) * a / 1000;
  const double ends = kHalfTurn * kModulus * ((r * r - h * h) - 2.0 * (r * r * r - h * h * h) / (3.0 * r));
  Shape capsule = solid(ShapeType::Capsule, {r, l, 0.0}, kModulus, 0.004);
  const Quat lying(Eigen::AngleAxisd(0.5 * kHalfTurn, Vec3::UnitY()));
  CHECK(upward(capsule, h, lying) == doctest::Approx(l * perLength + ends).epsilon(0.02));

  // A sphere by another name.
  const double ball = upward(solid(ShapeType::Sphere, {0.1, 0.0, 0.0}, kModulus, 0.01), 0.095);
  CHECK(upward(solid(ShapeType::Ellipsoid, {0.1, 0.1, 0.1}, kModulus, 0.01), 0.095) == doctest::Approx(ball));

  // A cube as a hull is one as a box, since its centre is as far from all sides.
  Shape cube = solid(ShapeType::Hull, Vec3::Zero(), kModulus);
  auto mesh = std::make_shared<TriangleMesh>();
  for (int i = 0; i < 8; ++i)
    mesh->vertices.emplace_back((i & 1 ? 0.1 : -0.1), (i & 2 ? 0.1 : -0.1), (i & 4 ? 0.1 : -0.1));
  *mesh = convexHull(mesh->vertices);
  cube.mesh = mesh;
  CHECK(upward(cube, 0.09) == doctest::Approx(kModulus / 0.1 * frustum(0.2, 0.2, 0.01, 0.01)).epsilon(1e-9));
  cube.type = ShapeType::Mesh;
  CHECK(upward(cube, 0.09) == doctest::Approx(kModulus / 0.1 * frustum(0.2, 0.2, 0.01, 0.01)).epsilon(1e-9));

  // A cone on its base: pressure grows to E at the centre of the sphere that it holds.
  const double radius = 0.1, height = 0.2;
  const double deepest = radius * height / (radius + std::hypot(radius, height));
  CHECK(upward(solid(ShapeType::Cone, {radius, height, 0.0}, kModulus), 0.5 * height - 1e-5) ==
        doctest::Approx(kModulus * 1e-5 / deepest * kHalfTurn * radius * radius).epsilon(1e-3));
}

TEST_CASE("a compliant plane presses on rigid shapes as the volume that they displace") {
  const Shape soft = ground(kModulus, 0.05);
  const auto on = [&](const Shape& shape, double height) {
    return netForce(patchOf(soft, {}, shape, {Vec3(0.0, 0.0, height), Quat::Identity()})).z();
  };
  CHECK(on(solid(ShapeType::Box, {0.2, 0.3, 0.1}, 0.0), 0.048) ==
        doctest::Approx(kModulus * 0.002 / 0.05 * 0.06));
  const double r = 0.1, depth = 0.01;
  CHECK(on(solid(ShapeType::Sphere, {r, 0.0, 0.0}, 0.0, 0.01), r - depth) ==
        doctest::Approx(kModulus / 0.05 * kHalfTurn * depth * depth * (3.0 * r - depth) / 3.0).epsilon(0.02));
  // With a compliant box in series.
  const double overlap = 0.002, share = 0.5 * overlap;
  CHECK(on(solid(ShapeType::Box, {0.2, 0.3, 0.1}, kModulus), 0.05 - overlap) ==
        doctest::Approx(kModulus / 0.05 * frustum(0.2, 0.3, share, share)));
}

TEST_CASE("the force of a patch has no jumps as shapes sink, slide and turn over the borders of cells") {
  const Shape box = solid(ShapeType::Box, {0.2, 0.3, 0.1}, 0.0);
  const Shape ball = solid(ShapeType::Sphere, {0.1, 0.0, 0.0}, kModulus, 0.03);
  const Shape soft = solid(ShapeType::Box, {0.1, 0.1, 0.1}, kModulus, 0.03);
  for (const Shape& shape : {ball, soft})
    for (const Vec3& along : {Vec3(0.0, 0.0, -1.0), Vec3(1.0, 0.4, 0.0)}) {
      const Vec3 start = shape.type == ShapeType::Sphere ? Vec3(0.0, 0.0, 0.1493) : Vec3(0.0, 0.0, 0.0993);
      double most = 0.0, whole = 0.0;
      Vec3 last = Vec3::Zero();
      constexpr int steps = 400;
      for (int i = 0; i <= steps; ++i) {
        const Pose pose{start + along * 0.01 * i / steps,
                        Quat(Eigen::AngleAxisd(0.1 + 0.2 * i / steps, Vec3(0.1, 0.2, 1.0).normalized()))};
        const Vec3 force = netForce(patchOf(box, {}, shape, pose));
        if (i > 0) most = std::max(most, (force - last).norm());
        whole = std::max(whole, force.norm());
        last = force;
      }
      CHECK(whole > 1.0);
      CHECK(most < 0.02 * whole);
    }
}

TEST_CASE("a mesh that is open or hollow has no pressure field, but a rigid surface") {
  Shape shape = solid(ShapeType::Mesh, Vec3::Zero(), kModulus);
  auto open = std::make_shared<TriangleMesh>();
  open->vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  open->triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}};
  shape.mesh = open;
  CHECK_THROWS_WITH_AS(patchGeometryOf(shape, false), doctest::Contains("closed"), InputError);
  auto inverted = std::make_shared<TriangleMesh>(*open);
  inverted->triangles = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {0, 2, 3}};
  shape.mesh = inverted;
  CHECK_THROWS_WITH_AS(patchGeometryOf(shape, false), doctest::Contains("seen from"), InputError);
  shape.modulus = 0.0;
  CHECK(patchGeometryOf(shape, false).facets.size() == 4);
}
