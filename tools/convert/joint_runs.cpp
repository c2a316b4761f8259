#include "tools/convert/joint_runs.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "joints/types/types.h"

namespace grashof::convert {
namespace {

constexpr double kLinesMeet = 1e-6;  // m: lines nearer than this meet
constexpr double kSquare = 1e-6;     // cosine of axes that are square to each other

bool square(const Vec3& a, const Vec3& b) { return std::abs(a.dot(b)) <= kSquare; }

/// The point nearest to all axes of the turning steps, when they meet.
std::optional<Vec3> meeting(const std::vector<RunStep>& steps) {
  Mat3 sum = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (const RunStep& s : steps) {
    const Mat3 across = Mat3::Identity() - s.axis * s.axis.transpose();
    sum += across;
    right += across * s.point;
  }
  const Vec3 p = sum.ldlt().solve(right);
  for (const RunStep& s : steps)
    if ((p - s.point).cross(s.axis).norm() > kLinesMeet) return std::nullopt;
  return p;
}

Quat frameOf(const Vec3& x, const Vec3& y) {
  Mat3 r;
  r << x, y, x.cross(y);
  return Quat(r).normalized();
}

}  // namespace

bool plain(const JointCoordinate& axis) {
  const PassiveDynamics& p = axis.passive;
  return !axis.limit.bounded() && !p.smooth() && !(p.dryFriction > 0.0) &&
         axis.actuator.kind == Actuator::Kind::None;
}

JointCoordinate mirrored(JointCoordinate axis) {
  std::swap(axis.limit.lower, axis.limit.upper);
  axis.limit.lower = -axis.limit.lower;
  axis.limit.upper = -axis.limit.upper;
  axis.passive.rest = -axis.passive.rest;
  return axis;
}

std::string commonName(const std::vector<RunStep>& steps) {
  std::string common = steps[0].name;
  for (const RunStep& s : steps) {
    std::size_t n = 0;
    while (n < common.size() && n < s.name.size() && common[n] == s.name[n]) ++n;
    common.resize(n);
  }
  while (!common.empty() && (common.back() == '_' || common.back() == '-')) common.pop_back();
  if (common.ends_with("_rev")) common.resize(common.size() - 4);
  return common.size() >= 3 ? common : steps[0].name;
}

namespace {

/// Makes a step a coordinate of `e`. `sign`: of the coordinate relative to the step.
void take(GraphJoint& e, const RunStep& s, double sign) {
  const double total = s.sign * sign;
  e.axes.push_back(total > 0.0 ? s.own : mirrored(s.own));
  e.motors.push_back(s.motor);
  e.names.push_back(s.name);
  e.coordinates.push_back(static_cast<int>(e.axes.size()) - 1);
  e.signs.push_back(total);
}

int turning(const std::vector<RunStep>& steps) {
  return static_cast<int>(
      std::count_if(steps.begin(), steps.end(), [](const RunStep& s) { return s.turns; }));
}

/// Two steps as a universal or a cylindrical joint.
std::optional<GraphJoint> jointOfTwo(const std::vector<RunStep>& steps) {
  GraphJoint e;
  const RunStep &a = steps[0], &b = steps[1];
  if (turning(steps) == 2 && square(a.axis, b.axis)) {
    const auto point = meeting(steps);
    if (!point) return std::nullopt;
    e.type = &universalJoint();
    e.baseFrame = {*point, frameOf(a.axis, b.axis)};
    take(e, a, 1.0);
    take(e, b, 1.0);
    return e;
  }
  if (turning(steps) == 1 && a.axis.cross(b.axis).norm() <= kSquare) {
    const RunStep &slide = a.turns ? b : a, &turn = a.turns ? a : b;
    e.type = &cylindricalJoint();
    Vec3 side =
        std::abs(turn.axis.z()) < 0.9 ? Vec3::UnitZ().cross(turn.axis) : Vec3::UnitY().cross(turn.axis);
    side.normalize();
    e.baseFrame = {turn.point, frameOf(turn.axis, side)};
    take(e, slide, slide.axis.dot(turn.axis) > 0.0 ? 1.0 : -1.0);
    take(e, turn, 1.0);
    return e;
  }
  return std::nullopt;
}

GraphJoint sphericalAt(const Vec3& point) {
  GraphJoint e;
  e.type = &sphericalJoint();
  e.baseFrame.position = point;
  e.axes.resize(3);
  e.motors.assign(3, false);
  e.names.assign(3, {});
  e.coordinates = {0, 1, 2};
  e.signs.assign(3, 1.0);
  return e;
}

/// Three steps as a spherical, gimbal, Cartesian or planar joint.
std::optional<GraphJoint> jointOfThree(const std::vector<RunStep>& steps) {
  GraphJoint e;
  const RunStep &a = steps[0], &b = steps[1], &c = steps[2];
  const bool allSquare = square(a.axis, b.axis) && square(b.axis, c.axis) && square(a.axis, c.axis);
  const double volume = a.axis.cross(b.axis).dot(c.axis), hand = volume > 0.0 ? 1.0 : -1.0;
  if (turning(steps) == 3) {
    const auto point = meeting(steps);
    if (!point) return std::nullopt;
    const bool allPlain =
        std::all_of(steps.begin(), steps.end(), [](const RunStep& s) { return plain(s.own) && !s.motor; });
    if (allPlain && std::abs(volume) > 1e-3) return sphericalAt(*point);
    if (!allSquare) return std::nullopt;
    e.type = &gimbalJoint();
    e.baseFrame = {*point, frameOf(a.axis, b.axis)};
  } else if (turning(steps) == 0 && allSquare) {
    e.type = &cartesianJoint();
    e.baseFrame = {c.point, frameOf(a.axis, b.axis)};
  } else if (turning(steps) == 1 && c.turns && allSquare) {
    e.type = &planarJoint();
    e.baseFrame = {c.point, frameOf(a.axis, b.axis)};
  } else {
    return std::nullopt;
  }
  take(e, a, 1.0);
  take(e, b, 1.0);
  take(e, c, hand);
  return e;
}

}  // namespace

std::optional<GraphJoint> oneJoint(const std::vector<RunStep>& steps) {
  if (steps.size() == 2) return jointOfTwo(steps);
  if (steps.size() == 3) return jointOfThree(steps);
  return std::nullopt;
}

}  // namespace grashof::convert
