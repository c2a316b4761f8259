#include <algorithm>

#include <LinearMath/btConvexHullComputer.h>

#include "contacts/bullet_shapes.h"
#include "engine/base/error.h"

namespace grashof {

TriangleMesh convexHull(const std::vector<Vec3>& points) {
  std::vector<double> coordinates;
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), p.data(), p.data() + 3);
  btConvexHullComputer hull;
  hull.compute(coordinates.data(), 3 * static_cast<int>(sizeof(double)), static_cast<int>(points.size()), 0.0,
               0.0);
  TriangleMesh mesh;
  for (int v = 0; v < hull.vertices.size(); ++v) {
    // btConvexHullComputer rounds to a grid of integers: the exact input point is the nearest one.
    const Vec3 approximate = fromBullet(hull.vertices[v]);
    const auto nearest = std::min_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
      return (a - approximate).squaredNorm() < (b - approximate).squaredNorm();
    });
    mesh.vertices.push_back(*nearest);
  }
  for (int f = 0; f < hull.faces.size(); ++f) {
    const btConvexHullComputer::Edge* first = &hull.edges[hull.faces[f]];
    const btConvexHullComputer::Edge* edge = first->getNextEdgeOfFace();
    while (edge->getTargetVertex() != first->getSourceVertex()) {
      mesh.triangles.push_back({first->getSourceVertex(), edge->getSourceVertex(), edge->getTargetVertex()});
      edge = edge->getNextEdgeOfFace();
    }
  }
  Shape shape;
  shape.type = ShapeType::Mesh;
  shape.mesh = std::make_shared<TriangleMesh>(mesh);
  VolumeProperties volume = volumeProperties(shape);
  if (volume.volume < 0.0) {
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
    volume.volume = -volume.volume;
  }
  double size = 0.0;
  for (const Vec3& p : points) size = std::max(size, (p - points.front()).norm());
  if (mesh.triangles.size() < 4 || volume.volume <= 1e-12 * size * size * size)
    throw InputError("the points span no volume (a hull needs four points that are not in one plane)");
  return mesh;
}

}  // namespace grashof
