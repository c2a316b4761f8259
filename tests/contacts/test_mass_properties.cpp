#include <functional>

#include "contacts/shape.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Volume, centre and second moments by counting random points: independent of every closed form.
VolumeProperties sampled(const std::function<bool(const Vec3&)>& inside, double reach) {
  test::Random random(31);
  const int n = 400000;
  double count = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (int i = 0; i < n; ++i) {
    const Vec3 x = random.vector(reach);
    if (!inside(x)) continue;
    ++count;
    first += x;
    second += x * x.transpose();
  }
  VolumeProperties p;
  const double cell = 8.0 * reach * reach * reach / n;
  p.volume = count * cell;
  p.center = first / count;
  second = cell * second - p.volume * p.center * p.center.transpose();
  p.inertia = second.trace() * Mat3::Identity() - second;
  return p;
}

void compareWithSamples(const Shape& shape, const std::function<bool(const Vec3&)>& inside) {
  CAPTURE(static_cast<int>(shape.type));
  const VolumeProperties exact = volumeProperties(shape), random = sampled(inside, 0.6);
  CHECK(exact.volume == doctest::Approx(random.volume).epsilon(0.02));
  CHECK((exact.center - random.center).norm() < 0.005);
  CHECK((exact.inertia - random.inertia).norm() < 0.03 * exact.inertia.norm());
}

}  // namespace

TEST_CASE("mass properties of every solid agree with counting random points") {
  Shape s;
  s.type = ShapeType::Box;
  s.size = Vec3(0.4, 0.6, 1.0);
  compareWithSamples(s, [](const Vec3& x) {
    return std::abs(x.x()) < 0.2 && std::abs(x.y()) < 0.3 && std::abs(x.z()) < 0.5;
  });
  s.type = ShapeType::Sphere;
  s.radius = 0.4;
  compareWithSamples(s, [](const Vec3& x) { return x.norm() < 0.4; });
  s.radius = 0.3;
  s.length = 0.5;
  s.type = ShapeType::Capsule;
  compareWithSamples(
      s, [](const Vec3& x) { return (x - Vec3(0, 0, std::clamp(x.z(), -0.25, 0.25))).norm() < 0.3; });
  s.type = ShapeType::Cylinder;
  compareWithSamples(s, [](const Vec3& x) { return x.head<2>().norm() < 0.3 && std::abs(x.z()) < 0.25; });
  s.type = ShapeType::Cone;
  compareWithSamples(s, [](const Vec3& x) {
    return std::abs(x.z()) < 0.25 && x.head<2>().norm() < 0.3 * (0.25 - x.z()) / 0.5;
  });
  s.type = ShapeType::Ellipsoid;
  s.size = Vec3(0.5, 0.3, 0.2);
  compareWithSamples(s, [](const Vec3& x) { return x.cwiseQuotient(Vec3(0.5, 0.3, 0.2)).norm() < 1.0; });
  s.type = ShapeType::Hull;
  s.mesh = std::make_shared<TriangleMesh>(convexHull({{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0, 0, 0}}));
  compareWithSamples(s, [](const Vec3& x) { return x.minCoeff() > 0.0 && x.sum() < 0.5; });
}

TEST_CASE("a cube given as a mesh has the mass properties of a box, wherever its origin is") {
  Shape box, mesh;
  box.size = Vec3(0.4, 0.6, 1.0);
  TriangleMesh surface;
  surface.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                       {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  const Vec3 offset(3.0, -2.0, 5.0);
  for (int i = 0; i < 8; ++i)
    surface.vertices.push_back(
        offset + 0.5 * box.size.cwiseProduct(Vec3((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 1 : -1)));
  mesh.type = ShapeType::Mesh;
  mesh.mesh = std::make_shared<TriangleMesh>(surface);
  const VolumeProperties a = volumeProperties(box), b = volumeProperties(mesh);
  CHECK(b.volume == doctest::Approx(a.volume).epsilon(1e-12));
  CHECK((b.center - offset).norm() < 1e-12);
  CHECK((b.inertia - a.inertia).norm() < 1e-11);
}

TEST_CASE("planes and height fields have no volume") {
  Shape s;
  for (const ShapeType type : {ShapeType::Plane, ShapeType::HeightField}) {
    s.type = type;
    CHECK(volumeProperties(s).volume == 0.0);
    CHECK(volumeProperties(s).inertia.isZero());
  }
}
