// Meshes that MJCF describes by a kind and parameters, and what of a mesh has mass.
#include <cmath>

#include <fmt/format.h>

#include "contacts/shape.h"
#include "tests/tools/mjcf_support.h"
#include "tools/convert/mjcf_built_in.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::fromMjcfText, test::mjcfError;

namespace {

/// What the triangles enclose; they must be closed and turn outwards.
double volumeOf(const TriangleMesh& mesh) {
  double volume = 0.0;
  Vec3 area = Vec3::Zero();
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 &a = mesh.vertices[static_cast<std::size_t>(i)],
               &b = mesh.vertices[static_cast<std::size_t>(j)],
               &c = mesh.vertices[static_cast<std::size_t>(k)];
    volume += a.dot(b.cross(c)) / 6.0;
    area += 0.5 * (b - a).cross(c - a);
  }
  CHECK(area.norm() < 1e-12);
  return volume;
}

/// Mass at 1 kg/m³ and shapes of a free body of a built-in mesh.
double massOf(const std::string& attributes) {
  const auto made = fromMjcfText("<asset><mesh name='m' " + attributes +
                                 "/></asset><worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m' "
                                 "density='1'/></body></worldbody>");
  CHECK(made.model().shapes.size() == 1);
  return made.model().bodies[0].mass;
}

}  // namespace

TEST_CASE("built-in meshes have the vertices, triangles and volume of their kind") {
  const TriangleMesh ball = builtInMesh("sphere", {0}), finer = builtInMesh("sphere", {2});
  const double edge = 1.0 / std::sin(2.0 * M_PI / 5.0);  // of an icosahedron in the unit sphere
  CHECK(volumeOf(ball) == doctest::Approx(5.0 * (3.0 + std::sqrt(5.0)) / 12.0 * std::pow(edge, 3)));
  CHECK(finer.vertices.size() == 2 + 10 * 16);
  CHECK(finer.triangles.size() == 20 * 16);
  for (const Vec3& v : finer.vertices) CHECK(v.norm() == doctest::Approx(1.0));
  CHECK(volumeOf(builtInMesh("hemisphere", {0})) == doctest::Approx(2.0 / 3.0));
  const TriangleMesh half = builtInMesh("hemisphere", {4});
  CHECK(half.vertices.size() == 2 + 2 * 5 * 6);
  CHECK(half.triangles.size() == 4 * 5 * 6);
  CHECK(volumeOf(half) > 1.9);
  CHECK(volumeOf(half) < 2.0 / 3.0 * M_PI);
  CHECK(volumeOf(convexHull(builtInMesh("cone", {4, 0}).vertices)) == doctest::Approx(4.0 / 3.0));
  CHECK(volumeOf(convexHull(builtInMesh("cone", {4, 1}).vertices)) == doctest::Approx(4.0));
  const TriangleMesh round = builtInMesh("supersphere", {24, 1, 1});
  for (const Vec3& v : round.vertices) CHECK(v.norm() == doctest::Approx(1.0));
  CHECK(volumeOf(round) == doctest::Approx(4.0 / 3.0 * M_PI).epsilon(0.03));
  CHECK(volumeOf(builtInMesh("supersphere", {24, 0.1, 0.1})) > 6.0);  // almost a cube of side 2
  CHECK(volumeOf(builtInMesh("supertorus", {40, 0.3, 1, 1})) ==
        doctest::Approx(2.0 * M_PI * M_PI * 0.09).epsilon(0.02));
  for (const Vec3& v : builtInMesh("wedge", {3, 3, 45, 20, 0}).vertices)
    CHECK(v.norm() == doctest::Approx(1.0));
  CHECK(builtInMesh("wedge", {3, 3, 45, 20, 0}).vertices[4].isApprox(-Vec3::UnitZ()));
  CHECK(builtInMesh("plate", {2, 3}).vertices.size() == 6);
}

TEST_CASE("shapes of built-in meshes have a mass, and those that cannot be are refused by name") {
  CHECK(massOf("builtin='cone' params='4 1' scale='1 1 .5'") == doctest::Approx(2.0));
  CHECK(massOf("builtin='sphere' params='3'") == doctest::Approx(4.0 / 3.0 * M_PI).epsilon(0.02));
  const auto errorOf = [](const std::string& attributes) {
    return mjcfError("<asset><mesh name='m' " + attributes +
                     "/></asset><worldbody><body><freejoint/><geom size='.1'/></body></worldbody>");
  };
  struct Case {
    const char *attributes, *what;
  };
  for (const Case& c :
       {Case{"builtin='prism' params='3'", "builtin=\"prism\" is not read (known are sphere, hemisphere"},
        {"builtin='sphere'", "a sphere has 1 of them"},
        {"builtin='sphere' params='5'", "from 0 to 4"},
        {"builtin='sphere' params='1.5'", "a whole number"},
        {"builtin='cone' params='2 1'", "the number of vertices must be a whole number from 3"},
        {"builtin='cone' params='3 2'", "the radius must be from 0 to 1"},
        {"builtin='supersphere' params='9 -1 1'", "exponents"},
        {"builtin='supertorus' params='9 0 1 1'", "radius"},
        {"builtin='supertorus' params='1e9 1 1 1'", "resolution"},
        {"builtin='wedge' params='9 9 45 45 .5'", "gamma"}})
    CHECK_MESSAGE(errorOf(c.attributes).find(c.what) != std::string::npos,
                  c.attributes << ": " << errorOf(c.attributes));
}

TEST_CASE("a mesh of inertia shell has the mass of its surface") {
  // A tetrahedron of three right angles: three faces of area 1/2 and one of sqrt(3)/2.
  CHECK(massOf("vertex='0 0 0 1 0 0 0 1 0 0 0 1' inertia='shell'") ==
        doctest::Approx(1.5 + 0.5 * std::sqrt(3.0)));
  // Of an octahedron of eight equal triangles about its centre: area times the mean square distance from an
  // axis, 2/3 of that from the centre, which over each triangle is (1/3) Σ v² - (1/12) Σ edge² = 1/2.
  const auto made = fromMjcfText(
      "<asset><mesh name='m' builtin='hemisphere' params='0' inertia='shell'/><mesh name='o' vertex='1 0 0 "
      "-1 "
      "0 0 0 1 0 0 -1 0 0 0 1 0 0 -1' inertia='shell'/></asset><worldbody><body name='b'><freejoint/><geom "
      "type='mesh' mesh='o' density='1'/></body></worldbody>");
  const Body& body = made.model().bodies[0];
  CHECK(body.mass == doctest::Approx(4.0 * std::sqrt(3.0)));
  for (int i = 0; i < 3; ++i) CHECK(body.inertia(i, i) == doctest::Approx(body.mass / 3.0));
}

TEST_CASE("shapes of meshes that a plugin makes are left out, and counted") {
  const auto made = fromMjcfText(
      "<asset><mesh name='m'><plugin instance='gear'/></mesh></asset><worldbody><body name='b'><freejoint/>"
      "<geom size='.1'/><geom type='mesh' mesh='m'/></body></worldbody>");
  CHECK(made.model().shapes.size() == 1);
  CHECK(anyLine(made.report.leftOut, "1 shapes of meshes that a plugin makes (give them as files)"));
}
