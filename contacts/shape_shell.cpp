#include "contacts/shape_shell.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "contacts/mesh_topology.h"
#include "engine/base/error.h"

namespace grashof {
namespace {

using Shell = std::vector<ShellFacet>;

constexpr double kUsualShare = 0.25;      // of the largest extent, of boxes and the like
constexpr double kDrumShare = 1.0 / 6.0;  // of the largest extent, of cylinders and cones
constexpr double kRoundShare = 0.2;       // of the radius of spheres and the like
constexpr int kMostPieces = 256;          // of one edge
constexpr int kFewestAround = 8;          // edges of a circle

int piecesOf(double length, double resolution) {
  if (!(resolution > 0.0)) return 1;
  return static_cast<int>(std::clamp(std::ceil(length / resolution - 1e-9), 1.0, double{kMostPieces}));
}

double at(int i, int count, double low, double high) { return low + (high - low) * i / count; }

/// Adds a facet; `inner` maps a corner to where it ends inside.
template <typename Inner>
void add(Shell& shell, std::initializer_list<Vec3> corners, const Inner& inner) {
  ShellFacet facet;
  facet.count = static_cast<int>(corners.size());
  std::size_t i = 0;
  for (const Vec3& corner : corners) {
    facet.outer[i] = corner;
    facet.inner[i++] = inner(corner);
  }
  shell.push_back(facet);
}

Shell boxShell(const Vec3& size, double resolution) {
  Shell shell;
  const Vec3 half = 0.5 * size, ridge = half.array() - half.minCoeff();
  const auto inner = [&](const Vec3& p) { return Vec3(p.cwiseMax(-ridge).cwiseMin(ridge)); };
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      const int nu = piecesOf(size[u], resolution), nv = piecesOf(size[v], resolution);
      const auto corner = [&](int i, int j) {
        Vec3 p;
        p[axis] = side * half[axis];
        p[u] = at(i, nu, -half[u], half[u]);
        p[v] = at(j, nv, -half[v], half[v]);
        return p;
      };
      for (int i = 0; i < nu; ++i)
        for (int j = 0; j < nv; ++j) {
          const Vec3 a = corner(i, j), b = corner(i + 1, j), c = corner(i + 1, j + 1), d = corner(i, j + 1);
          if (side > 0.0)
            add(shell, {a, b, c, d}, inner);
          else
            add(shell, {a, d, c, b}, inner);
        }
    }
  return shell;
}

/// Points of a regular polygon with the area of a circle.
class Circle {
 public:
  Circle(double radius, int count) : count_(count) {
    const double angle = 2.0 * std::numbers::pi / count;
    scale_ = std::sqrt(angle / std::sin(angle));
    radius_ = radius;
  }
  int count() const { return count_; }
  double scale() const { return scale_; }
  double radius() const { return radius_ * scale_; }
  Vec3 point(int i, double radius, double z) const {
    const double angle = 2.0 * std::numbers::pi * (i % count_) / count_;
    return {radius * scale_ * std::cos(angle), radius * scale_ * std::sin(angle), z};
  }

 private:
  int count_;
  double scale_, radius_;
};

/// Facets between two rings of a surface of revolution; a ring without radius is a point.
template <typename Inner>
void addRing(Shell& shell, const Circle& circle, double lowRadius, double lowZ, double highRadius,
             double highZ, const Inner& inner) {
  for (int i = 0; i < circle.count(); ++i) {
    const Vec3 a = circle.point(i, lowRadius, lowZ), b = circle.point(i + 1, lowRadius, lowZ);
    const Vec3 c = circle.point(i + 1, highRadius, highZ), d = circle.point(i, highRadius, highZ);
    if (lowRadius == 0.0)
      add(shell, {a, c, d}, inner);
    else if (highRadius == 0.0)
      add(shell, {a, b, d}, inner);
    else
      add(shell, {a, b, c, d}, inner);
  }
}

Circle circleOf(double radius, double resolution) {
  return {radius, std::max(kFewestAround, piecesOf(2.0 * std::numbers::pi * radius, resolution))};
}

Shell cylinderShell(double radius, double length, double round, double flat) {
  Shell shell;
  const Circle circle = circleOf(radius, round);
  const double half = 0.5 * length, depth = std::min(radius, half);
  const double ridgeRadius = (radius - depth) * circle.scale(), ridgeHalf = half - depth;
  const auto inner = [&](const Vec3& p) {
    const double r = p.head<2>().norm(), shrink = r > ridgeRadius ? ridgeRadius / r : 1.0;
    return Vec3(shrink * p.x(), shrink * p.y(), std::clamp(p.z(), -ridgeHalf, ridgeHalf));
  };
  const int rings = piecesOf(radius, flat), floors = piecesOf(length, flat);
  for (int k = 0; k < rings; ++k)
    addRing(shell, circle, at(k, rings, 0.0, radius), -half, at(k + 1, rings, 0.0, radius), -half, inner);
  for (int k = 0; k < floors; ++k)
    addRing(shell, circle, radius, at(k, floors, -half, half), radius, at(k + 1, floors, -half, half), inner);
  for (int k = 0; k < rings; ++k)
    addRing(shell, circle, at(k, rings, radius, 0.0), half, at(k + 1, rings, radius, 0.0), half, inner);
  return shell;
}

Shell capsuleShell(double radius, double length, double round, double flat) {
  Shell shell;
  const Circle circle = circleOf(radius, round);
  const double half = 0.5 * length;
  const auto inner = [&](const Vec3& p) { return Vec3(0.0, 0.0, std::clamp(p.z(), -half, half)); };
  const int lats = std::max(2, piecesOf(0.5 * std::numbers::pi * radius, round));
  const auto cap = [&](int k) { return 0.5 * std::numbers::pi * k / lats; };  // from the equator
  const auto ring = [&](int k) { return k == lats ? 0.0 : radius * std::cos(cap(k)); };
  for (int k = lats; k > 0; --k)
    addRing(shell, circle, ring(k), -half - radius * std::sin(cap(k)), ring(k - 1),
            -half - radius * std::sin(cap(k - 1)), inner);
  const int floors = piecesOf(length, flat);
  for (int k = 0; k < floors; ++k)
    addRing(shell, circle, radius, at(k, floors, -half, half), radius, at(k + 1, floors, -half, half), inner);
  for (int k = 0; k < lats; ++k)
    addRing(shell, circle, ring(k), half + radius * std::sin(cap(k)), ring(k + 1),
            half + radius * std::sin(cap(k + 1)), inner);
  return shell;
}

/// Radius and height above the base of the sphere that a cone holds.
double inscribedRadius(double radius, double height) {
  return radius * height / (radius + std::hypot(radius, height));
}

Shell coneShell(double radius, double length, double round, double flat) {
  Shell shell;
  const Circle circle = circleOf(radius, round);
  const double half = 0.5 * length;
  const Vec3 center(0.0, 0.0, inscribedRadius(radius, length) - half);
  const auto inner = [&](const Vec3&) -> const Vec3& { return center; };
  const int rings = piecesOf(radius, flat), floors = piecesOf(std::hypot(radius, length), flat);
  for (int k = 0; k < rings; ++k)
    addRing(shell, circle, at(k, rings, 0.0, radius), -half, at(k + 1, rings, 0.0, radius), -half, inner);
  for (int k = 0; k < floors; ++k)
    addRing(shell, circle, at(k, floors, radius, 0.0), at(k, floors, -half, half),
            k + 1 == floors ? 0.0 : at(k + 1, floors, radius, 0.0), at(k + 1, floors, -half, half), inner);
  return shell;
}

/// The triangle a b c in pieces² equal ones; `place` moves their corners.
template <typename Place, typename Inner>
void addTriangle(Shell& shell, const Vec3& a, const Vec3& b, const Vec3& c, int pieces, const Place& place,
                 const Inner& inner) {
  const auto corner = [&](int i, int j) {
    return place(Vec3((a * (pieces - i - j) + b * i + c * j) / static_cast<double>(pieces)));
  };
  for (int i = 0; i < pieces; ++i)
    for (int j = 0; i + j < pieces; ++j) {
      add(shell, {corner(i, j), corner(i + 1, j), corner(i, j + 1)}, inner);
      if (i + j + 1 < pieces) add(shell, {corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)}, inner);
    }
}

/// An icosahedron with divided faces on an ellipsoid, of the same volume.
Shell ellipsoidShell(const Vec3& semiAxes, double resolution) {
  const double t = std::numbers::phi;
  const std::array<Vec3, 12> v = {Vec3(-1, t, 0), Vec3(1, t, 0), Vec3(-1, -t, 0), Vec3(1, -t, 0),
                                  Vec3(0, -1, t), Vec3(0, 1, t), Vec3(0, -1, -t), Vec3(0, 1, -t),
                                  Vec3(t, 0, -1), Vec3(t, 0, 1), Vec3(-t, 0, -1), Vec3(-t, 0, 1)};
  constexpr int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  // Edges of the icosahedron are 1.051 radii long.
  const int pieces = piecesOf(1.051 * semiAxes.maxCoeff(), resolution);
  Shell shell;
  for (const auto& face : faces)
    addTriangle(
        shell, v[static_cast<std::size_t>(face[0])], v[static_cast<std::size_t>(face[1])],
        v[static_cast<std::size_t>(face[2])], pieces, [](const Vec3& p) { return Vec3(p.normalized()); },
        [](const Vec3&) { return Vec3(Vec3::Zero()); });
  double volume = 0.0;
  for (const ShellFacet& f : shell) volume += f.outer[0].dot(f.outer[1].cross(f.outer[2])) / 6.0;
  const double scale = std::cbrt(4.0 / 3.0 * std::numbers::pi / volume);
  for (ShellFacet& f : shell)
    for (Vec3& corner : f.outer) corner = scale * corner.cwiseProduct(semiAxes);
  return shell;
}

/// Whether each edge of a mesh belongs to two triangles that run along it in opposite directions. Vertices
/// at the same place count as one: files repeat them.
bool closed(const TriangleMesh& mesh) {
  std::map<std::array<double, 3>, int> places;
  std::vector<int> place;
  for (const Vec3& v : mesh.vertices)
    place.push_back(places.try_emplace({v.x(), v.y(), v.z()}, static_cast<int>(places.size())).first->second);
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i)
      ++edges[{place[static_cast<std::size_t>(t[i])], place[static_cast<std::size_t>(t[(i + 1) % 3])]}];
  return std::all_of(edges.begin(), edges.end(), [&](const auto& edge) {
    const auto opposite = edges.find({edge.first.second, edge.first.first});
    return edge.second == 1 && opposite != edges.end() && opposite->second == 1;
  });
}

Shell meshShell(const TriangleMesh& mesh, const Vec3& center, double resolution, bool inside) {
  if (inside && !closed(mesh))
    throw InputError(
        "a pressure field needs a closed mesh, each edge between two triangles (close it, or leave "
        "hydroelastic-modulus to the other shape)");
  Shell shell;
  const auto inner = [&](const Vec3&) { return center; };
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[static_cast<std::size_t>(t[0])],
               &b = mesh.vertices[static_cast<std::size_t>(t[1])],
               &c = mesh.vertices[static_cast<std::size_t>(t[2])];
    const Vec3 normal = (b - a).cross(c - a);
    if (!(normal.norm() > 0.0)) continue;
    if (inside && !(normal.dot(a - center) > 0.0))
      throw InputError(
          "a pressure field needs a mesh of which every point is seen from its centre of volume (divide "
          "it into several shapes that are convex)");
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    addTriangle(
        shell, a, b, c, piecesOf(longest, resolution), [](const Vec3& p) { return p; }, inner);
  }
  return shell;
}

}  // namespace

double usualResolution(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Sphere:
    case ShapeType::Capsule:
      return kRoundShare * shape.radius;
    case ShapeType::Ellipsoid:
      return kRoundShare * shape.size.maxCoeff();
    case ShapeType::Box:
      return kUsualShare * shape.size.maxCoeff();
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      return kDrumShare * std::max(2.0 * shape.radius, shape.length);
    case ShapeType::Hull:
    case ShapeType::Mesh: {
      Vec3 low = shape.mesh->vertices[0], high = low;
      for (const Vec3& v : shape.mesh->vertices) {
        low = low.cwiseMin(v);
        high = high.cwiseMax(v);
      }
      return kUsualShare * (high - low).maxCoeff();
    }
    default:
      return 0.0;
  }
}

std::vector<ShellFacet> shellOf(const Shape& shape, double resolution, bool inside) {
  const double flat = resolution, round = resolution > 0.0 ? resolution : usualResolution(shape);
  switch (shape.type) {
    case ShapeType::Box:
      return boxShell(shape.size, flat);
    case ShapeType::Sphere:
      return ellipsoidShell(Vec3::Constant(shape.radius), round);
    case ShapeType::Ellipsoid:
      return ellipsoidShell(shape.size, round);
    case ShapeType::Capsule:
      return capsuleShell(shape.radius, shape.length, round, flat);
    case ShapeType::Cylinder:
      return cylinderShell(shape.radius, shape.length, round, flat);
    case ShapeType::Cone:
      return coneShell(shape.radius, shape.length, round, flat);
    case ShapeType::Hull:
      return meshShell(convexHull(shape.mesh->vertices), volumeProperties(shape).center, flat, inside);
    case ShapeType::Mesh:
      return meshShell(*shape.mesh, inside ? volumeProperties(shape).center : Vec3(Vec3::Zero()), flat,
                       inside);
    case ShapeType::HeightField:
      return meshShell(surfaceOf(*shape.heights), Vec3::Zero(), flat, inside);
    case ShapeType::Plane:
      break;
  }
  return {};
}

}  // namespace grashof
