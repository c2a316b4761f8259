#pragma once
/// Collision shapes as a scenario describes them, and what follows from their geometry alone.

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

/// Heights along z on a regular grid in the xy plane of the shape, centred at its origin.
struct HeightGrid {
  int columns = 0, rows = 0;    ///< samples along x and along y, >= 2
  double spacing = 1.0;         ///< m between samples
  std::vector<double> heights;  ///< m, columns * rows values, row by row (x runs fastest)
};

enum class ShapeType { Plane, Box, Sphere, Capsule, Cylinder, Cone, Ellipsoid, Hull, Mesh, HeightField };

/// One shape, fixed to a body or to the world. Capsules, cylinders and cones stand along z, centred at their
/// origin; a plane is z = 0, solid below.
struct Shape {
  std::string name;
  ShapeType type = ShapeType::Box;
  int body = -1;             ///< index; -1: the world
  std::string link;          ///< part of the body or of the world that the shape belongs to; empty: none
  Pose pose;                 ///< in the body's CoM frame (the world frame for body = -1)
  Vec3 size = Vec3::Ones();  ///< box: full edges; ellipsoid: semi-axes, m
  double radius = 0.5;       ///< sphere, capsule, cylinder, cone, m
  double length = 1.0;       ///< capsule: between the centres of its caps; cylinder, cone: height, m
  std::shared_ptr<const TriangleMesh> mesh;   ///< hull (its vertices), mesh
  std::shared_ptr<const HeightGrid> heights;  ///< height field
  int material = 0;                           ///< index into Model::materials
  std::uint32_t group = 1;                    ///< bit set: groups to which it belongs
  std::uint32_t mask = 0xffffffffu;  ///< bit set: groups that it touches; both shapes of a pair must agree
  /// In the shape's frame; zero: friction is the same in all directions. Else the surface has its `friction`
  /// along it and its friction across at right angles to it.
  Vec3 frictionDirection = Vec3::Zero();
  Vec3 surfaceVelocity = Vec3::Zero();  ///< of a belt on the shape, in its frame, m/s
  /// Of the pressure field inside, Pa: the pressure at its deepest places, 0 on the surface. 0: the shape is
  /// rigid. In a Model it is the hydroelasticModulus of the shape's material.
  double modulus = 0.0;
  double resolution = 0.0;  ///< edges of the facets of patches, m; 0: usualResolution()
  double thickness = 0.0;   ///< of a compliant plane: the depth of the modulus, m
  bool collides = true;     ///< false: it serves for mass and pictures only
  std::string color;        ///< in pictures, as in "#4e79a7"; empty: that of its body
};

/// Volume (m³), centre (m) and inertia per unit density about that centre (m⁵), in shape axes.
struct VolumeProperties {
  double volume = 0.0;
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

/// Volume properties of a solid shape; zero for planes and height fields. The volume of an open mesh is
/// meaningless and may be negative.
VolumeProperties volumeProperties(const Shape& shape);

/// Radius (m) of a sphere that is curved as a shape is where its outward normal is `normal` (unit vector,
/// shape axes): of spheres and capsules their own, of ellipsoids (R₁ R₂)^½ of the radii of curvature.
/// Infinite for shapes that are flat or have edges there.
double curvatureRadius(const Shape& shape, const Vec3& normal);
/// Whether a shape has edges or corners: neither round as those of curvatureRadius() nor a plane or height
/// field.
bool hasEdges(const Shape& shape);

/// Reads a triangle mesh from an OBJ or STL file (binary or text); `scale`: m per unit of the file. Throws
/// InputError for a file that is missing, larger than 512 MiB or neither of these, and for one without a
/// triangle, with a number that is not finite or with an index out of range.
std::shared_ptr<const TriangleMesh> readMesh(const std::string& path, double scale);

/// The convex hull of points (m) as a closed surface, counter-clockwise seen from outside. Its vertices are
/// input points. Throws InputError if the points span no volume.
TriangleMesh convexHull(const std::vector<Vec3>& points);

}  // namespace grashof
