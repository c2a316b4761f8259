#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "tests/support.h"
#include "tools/convert/foreign_mesh.h"
#include "tools/convert/formats.h"
#include "tools/convert/meshes.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

/// A tetrahedron of edge 1 along the axes, as COLLADA.
constexpr const char* kTetrahedron = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
      <technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>)";

double volume(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const auto& t : mesh.triangles)
    sum += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]])) / 6.0;
  return sum;
}

}  // namespace

TEST_CASE("a COLLADA mesh keeps its volume, scaled, and the right way out when it is mirrored") {
  const test::ScratchFolder folder;
  const std::string path = folder.write("part.dae", kTetrahedron);
  CHECK(volume(*importMesh(path, Vec3::Ones())) == doctest::Approx(1.0 / 6.0).epsilon(1e-6));
  CHECK(volume(*importMesh(path, Vec3(2.0, 1.0, 0.5))) == doctest::Approx(1.0 / 6.0).epsilon(1e-6));
  CHECK(volume(*importMesh(path, Vec3(-2.0, 1.0, 1.0))) == doctest::Approx(2.0 / 6.0).epsilon(1e-6));
  CHECK_THROWS_AS(importMesh(folder.write("bad.dae", "<COLLADA>"), Vec3::Ones()), InputError);
}

TEST_CASE("a mesh that makes its reader take all memory is an input error, not the end of the program") {
  const test::ScratchFolder folder;
  std::string text = kTetrahedron;
  text.replace(text.find("count=\"12\""), 10, "count=\"4000000000\"");
  // Under sanitizers there is no limit, and the reader finds that the values are missing.
  const bool limited = limitsMemory();
  CHECK_THROWS_WITH_AS(importMesh(folder.write("bomb.dae", text), Vec3::Ones()),
                       doctest::Contains(limited ? "bomb.dae: cannot be read with 2 GiB" : "bomb.dae: "),
                       InputError);
}

TEST_CASE("a mesh that is a device is refused before it is read") {
  CHECK_THROWS_WITH_AS(importMesh("/dev/zero", Vec3::Ones()), doctest::Contains("cannot be read"),
                       InputError);
}

TEST_CASE("a robot with a mesh: package path, hull for collision, written back as STL and OBJ") {
  const test::ScratchFolder folder;
  std::filesystem::create_directories(folder.path("meshes"));
  folder.write("meshes/part.dae", kTetrahedron);
  const std::string geometry =
      "<geometry><mesh filename='package://robot/meshes/part.dae' scale='0.1 0.1 0.1'/></geometry>";
  const std::string urdf = folder.write(
      "robot.urdf",
      "<robot name='r'><link name='base'/><link name='part'><inertial><mass value='1'/><inertia ixx='1' "
      "iyy='1' izz='1'/></inertial>"
      "<visual>" +
          geometry + "</visual><collision>" + geometry +
          "</collision></link>"
          "<joint name='j' type='continuous'><parent link='base'/><child link='part'/></joint></robot>");
  Report report;
  const Scenario s = buildScenario(readUrdf(urdf, {}, report), {}, report);
  REQUIRE(s.model->shapes.size() == 2);
  CHECK(s.model->shapes[0].type == ShapeType::Mesh);
  CHECK(!s.model->shapes[0].collides);
  CHECK(s.model->shapes[1].type == ShapeType::Hull);
  CHECK(volume(*s.model->shapes[1].mesh) == doctest::Approx(1e-3 / 6.0).epsilon(1e-5));
  Report back;
  writeMjcf(s, folder.path("robot.xml"), back);
  const Scenario again = buildScenario(readMjcf(folder.path("robot.xml"), {}, "", back), {}, back);
  REQUIRE(again.model->shapes.size() == 2);
  CHECK(volume(*again.model->shapes[1].mesh) == doctest::Approx(1e-3 / 6.0).epsilon(1e-5));
}
