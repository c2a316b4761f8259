#include "joints/mesh.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace grashof {
namespace {

constexpr double kSlantedAxes = 1e-3;  // rad: axes that are no more apart are parallel, or across each other
constexpr double kSameWheels = 1e-9;   // of the ratio: wheels of one size that turn alike have no pitch point
constexpr double kOneAxis = 1e-9;      // m

/// From the axis of a to that of b, across them.
Vec3 distance(const MeshSide& a, const MeshSide& b) {
  const Vec3 d = b.point - a.point;
  return d - a.axis.dot(d) * a.axis;
}

/// 1 where coordinates turn both wheels about one direction, -1 where about opposite ones.
double sense(const MeshSide& a, const MeshSide& b) { return a.axis.dot(b.axis) < 0.0 ? -1.0 : 1.0; }

Vec6 wrenchOf(const Vec3& force, const Vec3& point) {
  Vec6 w;
  w << force, point.cross(force);
  return w;
}

/// Of two wheels. With the senses σ: ρ r_a = σ r_b from the axes to the pitch point, r_a - r_b = D.
Vec6 toothWrench(const Mesh& mesh, const MeshSide& a, const MeshSide& b, double ratio, double effort) {
  const double s = sense(a, b);
  const Vec3 arm = s / (s - ratio) * distance(a, b);
  const double radius = arm.norm(), force = effort / radius;
  const Vec3 out = arm / radius, along = a.axis.cross(out);
  // The teeth of a ring, whose wheel is inside, push it outwards.
  const bool ring = s * ratio > 0.0 && std::abs(ratio) < 1.0;
  const double apart = std::abs(force) * std::tan(mesh.pressureAngle) / std::cos(mesh.helixAngle);
  const Vec3 whole =
      force * along + (ring ? apart : -apart) * out - force * std::tan(mesh.helixAngle) * a.axis;
  return wrenchOf(whole, a.point + arm);
}

/// On the rack; `ratio`: its rate over that of the wheel, the radius of which is its magnitude.
Vec6 rackWrench(const Mesh& mesh, const MeshSide& rack, const MeshSide& wheel, double ratio, double effort) {
  const Vec3 arm = ratio * rack.axis.cross(wheel.axis);
  const double apart = std::abs(effort) * std::tan(mesh.pressureAngle) / std::cos(mesh.helixAngle);
  const double axial = std::copysign(effort, effort * ratio) * std::tan(mesh.helixAngle);
  const Vec3 whole = effort * rack.axis + apart * arm.normalized() - axial * wheel.axis;
  return wrenchOf(whole, wheel.point + arm);
}

/// Spans along the tangents of both pulleys: outer ones where both turn alike, else they cross.
Vec6 beltWrench(const Mesh& mesh, const MeshSide& a, const MeshSide& b, double ratio, double effort) {
  const Vec3 d = distance(a, b);
  const double far = d.norm(), radius = mesh.radius;
  const double other = radius * std::abs(ratio) * (sense(a, b) * ratio > 0.0 ? 1.0 : -1.0);
  const Vec3 ahead = d / far, aside = a.axis.cross(ahead);
  const double lean = (radius - other) / far, rest = std::sqrt(std::max(0.0, 1.0 - lean * lean));
  Vec6 sum = Vec6::Zero();
  for (const double side : {1.0, -1.0}) {
    const Vec3 normal = lean * ahead + side * rest * aside;
    const Vec3 span = (d + (other - radius) * normal).normalized();
    // The span at the side `aside` turns a backwards.
    const double tension = mesh.slack + std::max(0.0, -side * effort) / radius;
    sum += wrenchOf(tension * span, a.point + radius * normal);
  }
  return sum;
}

/// Of belts, whose pulleys must not overlap.
std::string beltDefect(const Mesh& mesh, const MeshSide& a, const MeshSide& b, double ratio) {
  const double far = distance(a, b).norm(), radius = mesh.radius, other = radius * std::abs(ratio);
  const bool open = sense(a, b) * ratio > 0.0;
  if (far > (open ? std::abs(radius - other) : radius + other)) return {};
  return fmt::format(
      "its pulleys of {:.4g} m and {:.4g} m, {:.4g} m apart, overlap{} (correct the radius, the ratio or the "
      "positions)",
      radius, other, far, open ? "" : ", and its belt crosses, as they turn against each other");
}

/// The body that both joints have.
std::optional<int> carrierOf(const Joint& a, const Joint& b) {
  for (const int body : {a.base, a.follower})
    if (body == b.base || body == b.follower) return body;
  return std::nullopt;
}

}  // namespace

std::string meshJointDefect(const Joint& a, int coordinateA, const Joint& b, int coordinateB) {
  for (const auto& [joint, coordinate] : {std::pair(&a, coordinateA), std::pair(&b, coordinateB)}) {
    const std::string_view type = joint->type->name();
    const bool turns = isRotation(joint->type->freeDirections()[static_cast<std::size_t>(coordinate)]);
    if (type != "cylindrical" && type != (turns ? "revolute" : "prismatic"))
      return fmt::format(
          "forces of teeth and belts are those of revolute, prismatic and cylindrical joints, and '{}' is {} "
          "(change its type, or remove the pressure angle or radius)",
          joint->name, type);
  }
  if (carrierOf(a, b)) return {};
  return fmt::format(
      "no body carries both joints '{}' and '{}' (couple angles against one body, as those of a planet and "
      "its "
      "sun against their carrier; or remove the pressure angle or radius)",
      a.name, b.name);
}

MeshPlace meshPlace(const Joint& a, int coordinateA, const JointFrames& framesA, const Joint& b,
                    int coordinateB, const JointFrames& framesB) {
  MeshPlace place;
  const int carrier = carrierOf(a, b).value_or(kWorld);
  const auto sideOf = [&](const Joint& joint, int coordinate, const JointFrames& frames, double& sign) {
    const Direction direction = joint.type->freeDirections()[static_cast<std::size_t>(coordinate)];
    const bool fromBase = joint.base == carrier;
    sign = fromBase ? 1.0 : -1.0;
    return MeshSide{fromBase ? frames.basePoint : frames.followerPoint,
                    sign * frames.baseAxes.col(axisOf(direction)), isRotation(direction)};
  };
  place.a = sideOf(a, coordinateA, framesA, place.signA);
  place.b = sideOf(b, coordinateB, framesB, place.signB);
  return place;
}

std::string meshDefect(const Mesh& mesh, const MeshSide& a, const MeshSide& b, double ratio) {
  if (mesh.kind == Mesh::Kind::None) return {};
  if (!a.turns && !b.turns) return "two translations have no wheel (remove its pressure angle)";
  if (!std::isfinite(ratio) || ratio == 0.0) return {};  // reported elsewhere
  const double across = a.axis.cross(b.axis).norm();
  if (a.turns != b.turns) {
    if (mesh.kind == Mesh::Kind::Belt) return "a belt needs two wheels (remove its radius)";
    if (std::abs(a.axis.dot(b.axis)) > kSlantedAxes)
      return "the rack does not move across the axis of its pinion (correct the axes, or remove the pressure "
             "angle)";
    return {};
  }
  if (across > kSlantedAxes)
    return "the axes of its wheels are not parallel, so that their forces are not known (correct the axes, "
           "or "
           "remove its pressure angle or radius)";
  if (mesh.kind == Mesh::Kind::Belt) return beltDefect(mesh, a, b, ratio);
  if (distance(a, b).norm() < kOneAxis)
    return "both wheels turn about one axis, and cannot mesh (correct the positions of the joints, or remove "
           "the pressure angle)";
  if (std::abs(sense(a, b) - ratio) < kSameWheels)
    return "wheels of one size that turn alike cannot mesh (correct the ratio, or remove the pressure angle)";
  return {};
}

Vec6 meshWrench(const Mesh& mesh, const MeshSide& a, const MeshSide& b, double ratio, double effort) {
  if (mesh.kind == Mesh::Kind::None) return Vec6::Zero();
  if (!a.turns) return rackWrench(mesh, a, b, ratio, effort);
  if (!b.turns) return -rackWrench(mesh, b, a, 1.0 / ratio, -ratio * effort);
  return mesh.kind == Mesh::Kind::Belt ? beltWrench(mesh, a, b, ratio, effort)
                                       : toothWrench(mesh, a, b, ratio, effort);
}

}  // namespace grashof
