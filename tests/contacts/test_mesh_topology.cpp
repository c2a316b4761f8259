#include "contacts/mesh_topology.h"
#include "contacts/polyhedron.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Two triangles that share the edge x = 0: triangle 0 at x > 0 is level, triangle 1 at x < 0 falls away from
/// it by `slope`. > 0: a ridge, < 0: a valley.
TriangleMesh foldedSheet(double slope) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 1, -slope}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}};
  return mesh;
}

/// Unit normal tilted from z towards -x: over the shared edge of foldedSheet() to the other side.
Vec3 tilted(double angle) { return {-std::sin(angle), 0.0, std::cos(angle)}; }

}  // namespace

TEST_CASE("every triangle is exposed along its own normal, and none from behind") {
  for (const double slope : {-0.5, 0.0, 0.5}) {
    const TriangleMesh mesh = foldedSheet(slope);
    const MeshTopology topology(mesh);
    for (int t = 0; t < 2; ++t) {
      const auto& c = mesh.triangles[t];
      const Vec3 &a = mesh.vertices[c[0]], &b = mesh.vertices[c[1]], &d = mesh.vertices[c[2]];
      const Vec3 normal = (b - a).cross(d - a).normalized();
      CHECK(topology.exposes(t, normal));
      CHECK_FALSE(topology.exposes(t, -normal));
    }
  }
}

TEST_CASE("a ridge is exposed between the normals of its faces, and not beyond them") {
  const double slope = 0.5;
  const TriangleMesh mesh = foldedSheet(slope);
  const MeshTopology topology(mesh);
  CHECK(topology.exposes(0, tilted(0.5 * std::atan(slope))));
  CHECK_FALSE(topology.exposes(0, tilted(1.5 * std::atan(slope))));
}

TEST_CASE("an edge inside a flat or concave region is not exposed") {
  for (const double slope : {0.0, -0.5}) {
    const TriangleMesh mesh = foldedSheet(slope);
    const MeshTopology topology(mesh);
    for (const double angle : {0.01, 0.3, 1.0}) CHECK_FALSE(topology.exposes(0, tilted(angle)));
  }
}

TEST_CASE("an edge at the boundary is exposed to every normal in front") {
  TriangleMesh mesh = foldedSheet(0.0);
  mesh.triangles.pop_back();
  const MeshTopology topology(mesh);
  for (const double angle : {0.01, 0.3, 1.0, 1.5}) CHECK(topology.exposes(0, tilted(angle)));
}

TEST_CASE("a corner is exposed if all its neighbours lie lower: a tip is, a pit is not") {
  for (const double height : {0.5, -0.5}) {
    TriangleMesh mesh;
    mesh.vertices = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, height}};
    for (int i = 0; i < 4; ++i) mesh.triangles.push_back({i, (i + 1) % 4, 4});
    const MeshTopology topology(mesh);
    CAPTURE(height);
    if (height > 0.0)
      for (int t = 0; t < 4; ++t) CHECK(topology.exposes(t, Vec3(-0.02, -0.03, 1.0).normalized()));
    else  // the middle is the highest corner of triangle 0 along this normal, but not among its neighbours
      CHECK_FALSE(topology.exposes(0, Vec3(-1.0, -1.0, 1.0).normalized()));
  }
}

TEST_CASE("vertices of one place are one: a box of loose triangles is closed") {
  const TriangleMesh box = boxSurface(Vec3(1.0, 2.0, 3.0));
  TriangleMesh loose;
  for (const auto& t : box.triangles) {
    const int first = static_cast<int>(loose.vertices.size());
    for (const int v : t) loose.vertices.push_back(box.vertices[static_cast<std::size_t>(v)]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  loose.triangles.push_back({0, 0, 1});
  const TriangleMesh mesh = welded(loose);
  CHECK(mesh.vertices.size() == 8);
  CHECK(mesh.triangles.size() == box.triangles.size());
  CHECK(MeshTopology(mesh).closed());
  CHECK(MeshTopology(box).closed());
  CHECK_FALSE(MeshTopology(foldedSheet(0.5)).closed());
}

TEST_CASE("the surface of a height grid has its samples as vertices and looks upwards") {
  HeightGrid grid;
  grid.columns = 4;
  grid.rows = 3;
  grid.spacing = 0.5;
  for (int i = 0; i < 12; ++i) grid.heights.push_back(0.1 * i);
  const TriangleMesh mesh = surfaceOf(grid);
  REQUIRE(mesh.vertices.size() == 12);
  CHECK(mesh.triangles.size() == 2 * 3 * 2);
  CHECK(mesh.vertices[0] == Vec3(-0.75, -0.5, 0.0));
  CHECK(mesh.vertices[11] == Vec3(0.75, 0.5, grid.heights[11]));
  double area = 0.0;  // of the projection on the xy plane
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    CHECK((b - a).cross(c - a).z() > 0.0);
    area += 0.5 * (b - a).cross(c - a).z();
  }
  CHECK(area == doctest::Approx(1.5 * 1.0));
}
