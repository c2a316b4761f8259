#include "contacts/shape.h"
#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

namespace {

std::string cubeObj() {
  return "# a cube of 1 m, corner at the origin\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 "
         "1\nv 0 1 1\n"
         "f 1 4 3 2\nf 5/1 6/2 7/3 8/4\nf 1//1 2//1 6//1 5//1\nf 2 3 7 6\nf 3 4 8 7\nf -4 -8 -5 -1\n";
}

/// `mesh` as a binary STL file and as a text one.
std::string binaryStl(const TriangleMesh& mesh) {
  std::string data(80, ' ');
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  data.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& t : mesh.triangles) {
    data.append(12, '\0');
    for (const int v : t)
      for (int k = 0; k < 3; ++k) {
        const auto x = static_cast<float>(mesh.vertices[v][k]);
        data.append(reinterpret_cast<const char*>(&x), 4);
      }
    data.append(2, '\0');
  }
  return data;
}
std::string textStl(const TriangleMesh& mesh) {
  std::string text = "solid cube\n";
  for (const auto& t : mesh.triangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int v : t) {
      const Vec3& x = mesh.vertices[v];
      text += "vertex " + std::to_string(x.x()) + " " + std::to_string(x.y()) + " " + std::to_string(x.z()) +
              "\n";
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid\n";
}

double volumeOf(std::shared_ptr<const TriangleMesh> mesh) {
  Shape s;
  s.type = ShapeType::Mesh;
  s.mesh = std::move(mesh);
  return volumeProperties(s).volume;
}

/// What readMesh() says of the text of an OBJ file.
std::string objError(const std::string& text) {
  const test::ScratchFolder folder;
  try {
    readMesh(folder.write("test.obj", text), 1.0);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("an OBJ file is read with quads, slashes and negative indices, and scaled") {
  const test::ScratchFolder folder;
  const auto mesh = readMesh(folder.write("cube.obj", cubeObj()), 2.0);
  CHECK(mesh->vertices.size() == 8);
  CHECK(mesh->triangles.size() == 12);
  CHECK(mesh->vertices[6] == Vec3(2, 2, 2));
  CHECK(volumeOf(mesh) == doctest::Approx(8.0));
}

TEST_CASE("binary and text STL give the mesh they were made from, its repeated vertices welded") {
  const test::ScratchFolder folder;
  const auto cube = readMesh(folder.write("cube.obj", cubeObj()), 1.0);
  for (const std::string& file :
       {folder.write("b.stl", binaryStl(*cube)), folder.write("t.stl", textStl(*cube))}) {
    const auto mesh = readMesh(file, 1.0);
    CHECK(mesh->vertices.size() == 8);
    CHECK(mesh->triangles.size() == 12);
    CHECK(volumeOf(mesh) == doctest::Approx(1.0));
  }
}

TEST_CASE("lines without words in a text STL do not matter") {
  const test::ScratchFolder folder;
  const std::string path = folder.write(
      "a.stl", "solid\n\nfacet\n\nvertex 0 0 0\n\nvertex 1 0 0\n  \nvertex 0 1 0\n\nendfacet\nendsolid\n");
  CHECK(readMesh(path, 1.0)->triangles.size() == 1);
}

TEST_CASE("a binary STL file may begin with the word solid") {
  const test::ScratchFolder folder;
  std::string data = binaryStl(*readMesh(folder.write("cube.obj", cubeObj()), 1.0));
  data.replace(0, 5, "solid");
  CHECK(readMesh(folder.write("solid.stl", data), 1.0)->triangles.size() == 12);
}

TEST_CASE("triangles without area are left out") {
  const test::ScratchFolder folder;
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\n";
  CHECK(readMesh(folder.write("a.obj", corners + "f 1 2 3\nf 1 2 4\nf 1 1 3\n"), 1.0)->triangles.size() == 1);
}

TEST_CASE("a damaged mesh file is refused with the place and the reason") {
  CHECK(objError("v 0 0\n").find("test.obj:1: mesh: a vertex needs three finite numbers") !=
        std::string::npos);
  CHECK(objError("v 0 0 0\nf 1 2 3\n").find("test.obj:2: mesh: face refers to vertex 2") !=
        std::string::npos);
  CHECK(objError("v 0 0 0\nf 1 x\n").find("bad face corner 'x'") != std::string::npos);
  CHECK(objError("v 0 0 0\nf 1 1\n").find("at least three corners") != std::string::npos);
  CHECK(objError("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n").find("holds no triangle") != std::string::npos);
  CHECK(objError("").find("holds no triangle") != std::string::npos);

  const test::ScratchFolder folder;
  std::string binary = binaryStl(*readMesh(folder.write("cube.obj", cubeObj()), 1.0));
  CHECK_THROWS_AS(readMesh(folder.write("cut.stl", binary.substr(0, 300)), 1.0), InputError);
  binary.replace(84 + 12, 4, "\xff\xff\xff\x7f", 4);  // NaN
  CHECK_THROWS_AS(readMesh(folder.write("nan.stl", binary), 1.0), InputError);
  CHECK_THROWS_AS(readMesh(folder.path("absent.stl"), 1.0), InputError);
}
