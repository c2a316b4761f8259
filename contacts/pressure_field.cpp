#include "contacts/pressure_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grashof {
namespace {

constexpr double kThin = 1e-9;  // of its size: a facet or cell that is thinner has no inside

/// Area vector of a flat polygon, m².
Vec3 areaOf(std::span<const Vec3> corners) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 2; i < corners.size(); ++i)
    sum += 0.5 * (corners[i - 1] - corners[0]).cross(corners[i] - corners[0]);
  return sum;
}

Vec3 meanOf(std::span<const Vec3> points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

double sizeOf(std::span<const Vec3> corners) {
  double size = 0.0;
  for (const Vec3& c : corners) size = std::max(size, (c - corners[0]).norm());
  return size;
}

/// The cell under a facet; without faces where it is too thin.
FieldCell cellUnder(const ShellFacet& facet, double modulus) {
  const auto n = static_cast<std::size_t>(facet.count);
  const std::span<const Vec3> outer(facet.outer.data(), n), inner(facet.inner.data(), n);
  FieldCell cell;
  const Vec3 area = areaOf(outer), middle = meanOf(outer);
  const double size = sizeOf(outer);
  if (!(area.norm() > kThin * size * size)) return cell;
  const Vec3 up = area.normalized();
  const double depth = up.dot(middle - inner[0]);
  if (!(depth > kThin * size)) return cell;
  const auto face = [&](const Vec3& normal, const Vec3& on) {
    cell.faces[static_cast<std::size_t>(cell.count++)] = {normal, normal.dot(on)};
  };
  face(up, middle);
  face(-up, inner[0]);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 edge = outer[(i + 1) % n] - outer[i];
    Vec3 side = edge.cross(inner[i] - outer[i]).normalized();
    if (side.dot(middle - outer[i]) > 0.0) side = -side;
    face(side, outer[i]);
  }
  cell.gradient = -modulus / depth * up;
  cell.pressureAtOrigin = -cell.gradient.dot(middle);
  cell.center = 0.5 * (middle + meanOf(inner));
  for (std::size_t i = 0; i < n; ++i)
    cell.reach = std::max({cell.reach, (outer[i] - cell.center).norm(), (inner[i] - cell.center).norm()});
  return cell;
}

/// By which the corners of a round shape stand out of it, m.
double beyond(const Shape& shape, const ShellFacet& facet) {
  double most = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(facet.count); ++i) {
    const Vec3& corner = facet.outer[i];
    switch (shape.type) {
      case ShapeType::Sphere:
        most = std::max(most, corner.norm() - shape.radius);
        break;
      case ShapeType::Ellipsoid:
        most = std::max(most, (corner.cwiseQuotient(shape.size).norm() - 1.0) * shape.size.maxCoeff());
        break;
      case ShapeType::Capsule:
      case ShapeType::Cylinder:
      case ShapeType::Cone:
        most = std::max(most, corner.head<2>().norm() - shape.radius);
        break;
      default:
        break;
    }
  }
  return most;
}

FieldCell halfSpace(const Shape& plane) {
  FieldCell cell;
  cell.count = 1;
  cell.gradient = -plane.modulus / plane.thickness * Vec3::UnitZ();
  cell.reach = std::numeric_limits<double>::infinity();
  return cell;
}

}  // namespace

FieldCell FieldCell::in(const Pose& pose) const {
  FieldCell moved = *this;
  const Mat3 turn = pose.rotation.toRotationMatrix();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    moved.faces[i].normal = turn * faces[i].normal;
    moved.faces[i].offset += moved.faces[i].normal.dot(pose.position);
  }
  moved.gradient = turn * gradient;
  moved.pressureAtOrigin -= moved.gradient.dot(pose.position);
  moved.center = pose * center;
  return moved;
}

PatchGeometry patchGeometryOf(const Shape& shape, bool facing) {
  PatchGeometry geometry;
  const bool compliant = shape.modulus > 0.0;
  if (shape.type == ShapeType::Plane) {
    geometry.plane = true;
    if (compliant) geometry.cells.push_back(halfSpace(shape));
    return geometry;
  }
  const bool divided = compliant || (facing && shape.type != ShapeType::Mesh);
  const double resolution =
      shape.resolution > 0.0 ? shape.resolution : (divided ? usualResolution(shape) : 0.0);
  std::vector<PieceBounds> boxes;
  for (const ShellFacet& facet : shellOf(shape, resolution, compliant)) {
    const std::span<const Vec3> outer(facet.outer.data(), static_cast<std::size_t>(facet.count));
    PieceBounds bounds = PieceBounds::of(outer);
    if (compliant) {
      const FieldCell cell = cellUnder(facet, shape.modulus);
      if (cell.count == 0) continue;
      geometry.cells.push_back(cell);
      const PieceBounds inside = PieceBounds::of({facet.inner.data(), outer.size()});
      bounds = {bounds.low.cwiseMin(inside.low), bounds.high.cwiseMax(inside.high)};
    } else {
      const Vec3 area = areaOf(outer);
      if (!(area.norm() > 0.0)) continue;
      geometry.facets.push_back({facet.count, facet.outer, area.normalized()});
    }
    geometry.beyond = std::max(geometry.beyond, beyond(shape, facet));
    boxes.push_back(bounds);
  }
  geometry.tree = BoxTree(boxes);
  return geometry;
}

}  // namespace grashof
