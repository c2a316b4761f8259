#include <utility>

#include "engine/analysis/mesh_remarks.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A closed cube, counter-clockwise seen from outside.
TriangleMesh cube(double edge) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(edge * (i & 1), edge * ((i >> 1) & 1), edge * ((i >> 2) & 1));
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// A model in which a body has one mesh, or the world.
Model modelWith(TriangleMesh mesh, int body = 0) {
  Model model;
  model.bodies.push_back(test::boxBody("part", 1.0, Vec3::Ones(), {}));
  Shape shape;
  shape.name = "skin";
  shape.type = ShapeType::Mesh;
  shape.body = body;
  shape.mesh = std::make_shared<TriangleMesh>(std::move(mesh));
  model.shapes = {shape};
  return model;
}

void checkSays(const Model& model, const std::string& text) {
  const auto remarks = meshRemarks(model);
  REQUIRE(remarks.size() == 1);
  CAPTURE(remarks[0]);
  CHECK(remarks[0].find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("a mesh that is a solid is not remarked") { CHECK(meshRemarks(modelWith(cube(0.1))).empty()); }

TEST_CASE("meshes that are open, turned, inside out or cross themselves are named, with what follows") {
  TriangleMesh open = cube(0.1);
  open.triangles.pop_back();
  checkSays(modelWith(open), "mesh 'skin' of body 'part' is open, 3 edges have one triangle");
  checkSays(modelWith(open), "a mass by its volume is wrong");
  checkSays(modelWith(open, -1), "mesh 'skin' of the world is open");

  TriangleMesh turned = cube(0.1);
  std::swap(turned.triangles[0][1], turned.triangles[0][2]);
  checkSays(modelWith(turned), "has 3 edges along which triangles look to different sides");

  TriangleMesh inside = cube(0.1);
  for (auto& triangle : inside.triangles) std::swap(triangle[1], triangle[2]);
  checkSays(modelWith(inside), "is inside out");

  TriangleMesh crossing = cube(0.1);
  TriangleMesh other = cube(0.1);
  for (const Vec3& v : other.vertices) crossing.vertices.push_back(v + Vec3(0.03, 0.04, 0.05));
  for (const auto& t : other.triangles) crossing.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  checkSays(modelWith(crossing), "crosses itself");
}

TEST_CASE("shapes with one mesh are named together, and a shape that makes no contact is not named") {
  TriangleMesh open = cube(0.1);
  open.triangles.pop_back();
  Model model = modelWith(open);
  model.shapes.push_back(model.shapes[0]);
  model.shapes[1].name = "spare";
  checkSays(model, "mesh 'skin' of body 'part', 'spare' of body 'part'");
  for (Shape& shape : model.shapes) shape.collides = false;
  CHECK(meshRemarks(model).empty());
}
