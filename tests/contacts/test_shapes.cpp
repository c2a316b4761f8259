#include <functional>

#include "contacts/shape.h"
#include "engine/base/error.h"
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

void compare(const Shape& shape, const std::function<bool(const Vec3&)>& inside) {
  CAPTURE(static_cast<int>(shape.type));
  const VolumeProperties exact = volumeProperties(shape), random = sampled(inside, 0.6);
  CHECK(exact.volume == doctest::Approx(random.volume).epsilon(0.02));
  CHECK((exact.center - random.center).norm() < 0.005);
  CHECK((exact.inertia - random.inertia).norm() < 0.03 * exact.inertia.norm());
}

std::string cubeObj() {
  return "# a cube of 1 m, corner at the origin\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 "
         "1\nv 0 1 1\n"
         "f 1 4 3 2\nf 5/1 6/2 7/3 8/4\nf 1//1 2//1 6//1 5//1\nf 2 3 7 6\nf 3 4 8 7\nf -4 -8 -5 -1\n";
}

}  // namespace

TEST_CASE("mass properties of every solid agree with counting random points") {
  Shape s;
  s.type = ShapeType::Box;
  s.size = Vec3(0.4, 0.6, 1.0);
  compare(s, [](const Vec3& x) {
    return std::abs(x.x()) < 0.2 && std::abs(x.y()) < 0.3 && std::abs(x.z()) < 0.5;
  });
  s.type = ShapeType::Sphere;
  s.radius = 0.4;
  compare(s, [](const Vec3& x) { return x.norm() < 0.4; });
  s.radius = 0.3;
  s.length = 0.5;
  s.type = ShapeType::Capsule;
  compare(s, [](const Vec3& x) { return (x - Vec3(0, 0, std::clamp(x.z(), -0.25, 0.25))).norm() < 0.3; });
  s.type = ShapeType::Cylinder;
  compare(s, [](const Vec3& x) { return x.head<2>().norm() < 0.3 && std::abs(x.z()) < 0.25; });
  s.type = ShapeType::Cone;
  compare(s, [](const Vec3& x) {
    return std::abs(x.z()) < 0.25 && x.head<2>().norm() < 0.3 * (0.25 - x.z()) / 0.5;
  });
  s.type = ShapeType::Ellipsoid;
  s.size = Vec3(0.5, 0.3, 0.2);
  compare(s, [](const Vec3& x) { return x.cwiseQuotient(Vec3(0.5, 0.3, 0.2)).norm() < 1.0; });
  s.type = ShapeType::Hull;
  s.mesh = std::make_shared<TriangleMesh>(convexHull({{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0, 0, 0}}));
  compare(s, [](const Vec3& x) { return x.minCoeff() > 0.0 && x.sum() < 0.5; });
}

TEST_CASE("meshes: OBJ with quads, slashes and negative indices; binary and text STL welded; scaled") {
  const test::ScratchFolder folder;
  Shape s;
  s.type = ShapeType::Mesh;
  s.mesh = readMesh(folder.write("cube.obj", cubeObj()), 2.0);
  CHECK(s.mesh->vertices.size() == 8);
  CHECK(s.mesh->triangles.size() == 12);
  const VolumeProperties p = volumeProperties(s);
  CHECK(p.volume == doctest::Approx(8.0));
  CHECK((p.center - Vec3(1, 1, 1)).norm() < 1e-12);
  CHECK((p.inertia - 8.0 / 6.0 * 4.0 * Mat3::Identity()).norm() < 1e-12);

  std::string binary(80, ' '), text = "solid cube\n";
  const auto triangles = static_cast<std::uint32_t>(s.mesh->triangles.size());
  binary.append(reinterpret_cast<const char*>(&triangles), 4);
  for (const auto& t : s.mesh->triangles) {
    binary.append(12, '\0');
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int v : t) {
      for (int k = 0; k < 3; ++k) {
        const auto x = static_cast<float>(s.mesh->vertices[v][k]);
        binary.append(reinterpret_cast<const char*>(&x), 4);
        text += (k == 0 ? "vertex " : " ") + std::to_string(x);
      }
      text += "\n";
    }
    binary.append(2, '\0');
    text += "endloop\nendfacet\n";
  }
  for (const std::string& file :
       {folder.write("binary.stl", binary), folder.write("text.stl", text + "endsolid\n")}) {
    s.mesh = readMesh(file, 1.0);
    CHECK(s.mesh->vertices.size() == 8);
    CHECK(volumeProperties(s).volume == doctest::Approx(8.0));
  }
  binary.replace(84 + 12, 4, "\xff\xff\xff\x7f", 4);  // NaN
  CHECK_THROWS_AS(readMesh(folder.write("nan.stl", binary), 1.0), InputError);
  CHECK_THROWS_AS(readMesh(folder.write("cut.stl", binary.substr(0, 300)), 1.0), InputError);
  CHECK_THROWS_AS(readMesh(folder.path("absent.stl"), 1.0), InputError);
  CHECK_THROWS_AS(readMesh(folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"), 1.0),
                  InputError);
}
