#include "engine/model/shapes.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("each shape has the type and the lengths of its call, at the pose given") {
  const Pose pose{Vec3(1.0, 2.0, 3.0), Quat::Identity()};
  const Shape box = boxShape(Vec3(0.1, 0.2, 0.3), pose);
  CHECK(box.type == ShapeType::Box);
  CHECK(box.size == Vec3(0.1, 0.2, 0.3));
  CHECK(box.pose.position == pose.position);
  CHECK(ellipsoidShape(Vec3(1.0, 2.0, 3.0)).type == ShapeType::Ellipsoid);
  CHECK(sphereShape(0.4).type == ShapeType::Sphere);
  CHECK(sphereShape(0.4).radius == 0.4);
  CHECK(planeShape(pose).type == ShapeType::Plane);
  const Shape axial[] = {capsuleShape(0.1, 0.5), cylinderShape(0.1, 0.5), coneShape(0.1, 0.5)};
  const ShapeType types[] = {ShapeType::Capsule, ShapeType::Cylinder, ShapeType::Cone};
  for (int i = 0; i < 3; ++i) {
    CHECK(axial[i].type == types[i]);
    CHECK(axial[i].radius == 0.1);
    CHECK(axial[i].length == 0.5);
  }
}

TEST_CASE("a hull drops points inside; a mesh is shared, not copied") {
  std::vector<Vec3> points = {Vec3::Zero()};
  for (int i = 0; i < 8; ++i) points.emplace_back(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
  const Shape hull = hullShape(points);
  CHECK(hull.type == ShapeType::Hull);
  REQUIRE(hull.mesh);
  CHECK(hull.mesh->vertices.size() == 8);
  const Shape mesh = meshShape(hull.mesh);
  CHECK(mesh.type == ShapeType::Mesh);
  CHECK(mesh.mesh == hull.mesh);
}
