#pragma once
/// Collision shapes: what a scenario describes, without knowing how contacts are found.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

/// Indexed triangles; counter-clockwise seen from outside.
struct TriangleMesh {
  std::vector<Vec3> vertices;  ///< m
  std::vector<std::array<int, 3>> triangles;
};

/// Heights on a regular grid in the shape's xy plane, centred at its origin.
struct HeightGrid {
  int columns = 0, rows = 0;    ///< samples along x and along y, >= 2
  double spacing = 1.0;         ///< m between samples
  std::vector<double> heights;  ///< m, row by row, columns * rows
};

enum class ShapeType { Plane, Box, Sphere, Capsule, Cylinder, Cone, Ellipsoid, Hull, Mesh, HeightField };

/// One shape fixed to a body (or to the world: body = -1). Axial shapes stand along z, centred at their
/// origin.
struct Shape {
  std::string name;
  ShapeType type = ShapeType::Box;
  int body = -1;
  Pose pose;                 ///< in the body's CoM frame (the world frame for body = -1)
  Vec3 size = Vec3::Ones();  ///< box: full edges; ellipsoid: semi-axes, m
  double radius = 0.5;       ///< sphere, capsule, cylinder, cone, m
  double length = 1.0;       ///< capsule: between the centres of its caps; cylinder, cone: height, m
  std::shared_ptr<const TriangleMesh> mesh;   ///< hull (its vertices), mesh
  std::shared_ptr<const HeightGrid> heights;  ///< height field
  int material = 0;
  std::uint32_t group = 1;           ///< bit set: groups it belongs to
  std::uint32_t mask = 0xffffffffu;  ///< bit set: groups it touches
  bool collides = true;              ///< false: for mass and pictures only
};

/// Volume (m³), centre (m) and inertia per unit density about that centre (m⁵), in shape axes.
struct VolumeProperties {
  double volume = 0.0;
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

/// Of a solid shape. Planes and height fields have no volume (0). A mesh must be closed: an open one gives a
/// meaningless volume, which may be negative.
VolumeProperties volumeProperties(const Shape& shape);

/// Reads a triangle mesh from an OBJ or (binary or text) STL file, scaled by `scale`. Throws InputError for a
/// file that is missing, is neither, or holds no triangle, a non-finite number or an index out of range.
std::shared_ptr<const TriangleMesh> readMesh(const std::string& path, double scale);

/// The convex hull of points, as triangles. Throws InputError when they span no volume.
TriangleMesh convexHull(const std::vector<Vec3>& points);

}  // namespace grashof
