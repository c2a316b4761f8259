#pragma once
/// Vectors, rotations and screws. SI units. Quaternions follow Hamilton's convention and turn vectors of the
/// inner frame (body) into the outer one (world).

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <span>

namespace grashof {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using Mat36 = Eigen::Matrix<double, 3, 6>;
using RowVec6 = Eigen::Matrix<double, 1, 6>;
using VecX = Eigen::VectorXd;
using Quat = Eigen::Quaterniond;

/// √(x² + y²). std::hypot takes five times as long, for the sake of numbers whose squares leave the range of
/// double.
inline double planeNorm(double x, double y) { return std::sqrt(x * x + y * y); }

/// Cross-product matrix: skew(a) b = a × b.
inline Mat3 skew(const Vec3& a) {
  Mat3 s;
  s << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return s;
}

/// Velocity (m/s) of the point at `arm` (m) from the centre of mass of a body with the twist [v; ω] (m/s,
/// rad/s); world axes.
inline Vec3 pointVelocity(const Vec6& twist, const Vec3& arm) {
  const Vec3 spin = twist.tail<3>();
  return twist.head<3>() + spin.cross(arm);
}

/// Unit quaternion of the rotation vector `phi_rad` (axis times angle, rad).
inline Quat expRotation(const Vec3& phi_rad) {
  const double angle2 = phi_rad.squaredNorm();
  double s;  // sin(|phi|/2)/|phi|
  double c;  // cos(|phi|/2)
  if (angle2 < 1e-3) {
    // The next terms are below 1e-20.
    s = 0.5 - angle2 * (1.0 / 48.0 - angle2 * (1.0 / 3840.0 - angle2 / 645120.0));
    c = 1.0 - angle2 * (1.0 / 8.0 - angle2 * (1.0 / 384.0 - angle2 * (1.0 / 46080.0 - angle2 / 10321920.0)));
  } else {
    const double angle = std::sqrt(angle2);
    s = std::sin(0.5 * angle) / angle;
    c = std::cos(0.5 * angle);
  }
  return Quat(c, s * phi_rad.x(), s * phi_rad.y(), s * phi_rad.z());
}

/// The rotation `turn` after `rotation`, of unit length. Both must have unit length but for rounding errors,
/// which one step of Newton's method for 1/√|q|² removes.
inline Quat turned(const Quat& rotation, const Quat& turn) {
  Quat q = turn * rotation;
  q.coeffs() *= 1.5 - 0.5 * q.squaredNorm();
  return q;
}

/// Rotation vector (rad, |phi| <= π) of a unit quaternion; inverse of expRotation().
inline Vec3 logRotation(const Quat& q) {
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  const Vec3 v = sign * q.vec();
  const double n = v.norm();
  if (n < 1e-10) return 2.0 * v;
  return v * (2.0 * std::atan2(n, sign * q.w()) / n);
}

/// Rotation by the smallest angle that turns the direction of `from` into that of `to`. For opposite
/// directions the axis is not unique, and one is chosen. Replaces Eigen's FromTwoVectors(), whose SVD costs
/// compile time in every file that calls it.
/// @pre neither vector is zero
inline Quat rotationBetween(const Vec3& from, const Vec3& to) {
  const Vec3 a = from.normalized(), b = to.normalized();
  const double bisector = (a + b).norm();
  if (bisector < 1e-2) {
    // Nearly opposite: the cross product is inexact. Turn by π about a chosen axis first.
    const Vec3 axis = a.unitOrthogonal();
    return rotationBetween(-a, b) * Quat(0.0, axis.x(), axis.y(), axis.z());
  }
  const Vec3 v = a.cross(b) / bisector;
  return Quat(0.5 * bisector, v.x(), v.y(), v.z()).normalized();
}

/// The larger of two numbers; NaN if one of them is NaN.
inline double maxOrNan(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

/// Largest |x| of all values, 0 if there are none; NaN if one of them is NaN, wherever it stands.
inline double maxAbs(std::span<const double> values) {
  double largest = 0.0;
  for (const double x : values) largest = maxOrNan(largest, std::abs(x));
  return largest;
}

/// `angle_rad` shifted by whole turns to lie within half a turn of `reference_rad`.
inline double unwrapAngle(double angle_rad, double reference_rad) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return angle_rad - turn * std::round((angle_rad - reference_rad) / turn);
}

/// Right-handed orthonormal frame with the columns (t, o, n) for a unit normal n: two tangents and the
/// normal. Continuous in n except where n.z changes its sign (Duff et al., "Building an Orthonormal Basis,
/// Revisited", JCGT 2017).
inline Mat3 frameFromNormal(const Vec3& n) {
  const double sign = std::copysign(1.0, n.z());
  const double a = -1.0 / (sign + n.z());
  const double b = n.x() * n.y() * a;
  Mat3 frame;
  frame.col(0) = Vec3(1.0 + sign * n.x() * n.x() * a, sign * b, -sign * n.x());
  frame.col(1) = Vec3(b, sign + n.y() * n.y() * a, -n.y());
  frame.col(2) = n;
  return frame;
}

/// The orthonormal frame (t, o, n) with the normal of `frame` and the tangents of `like`, turned the shortest
/// way. @pre that tangent is not along the normal
inline Mat3 alignedFrame(const Mat3& frame, const Mat3& like) {
  Mat3 aligned = frame;
  const Vec3 normal = frame.col(2), tangent = like.col(0);
  aligned.col(0) = (tangent - tangent.dot(normal) * normal).normalized();
  aligned.col(1) = normal.cross(aligned.col(0));
  return aligned;
}

/// Placement of an inner frame in an outer one: x_outer = rotation x_inner + position (m).
struct Pose {
  Vec3 position = Vec3::Zero();
  Quat rotation = Quat::Identity();

  Vec3 operator*(const Vec3& x) const { return rotation * x + position; }
  Pose operator*(const Pose& inner) const {
    return {rotation * inner.position + position, (rotation * inner.rotation).normalized()};
  }
  Pose inverse() const {
    const Quat r = rotation.conjugate();
    return {-(r * position), r};
  }
};

/// The pose after `duration` (s) at the constant twist [v; ω] (m/s, rad/s) in world axes; exact on SO(3).
inline Pose movePose(const Pose& pose, const Vec6& twist, double duration) {
  Pose moved;
  moved.position = pose.position + duration * twist.head<3>();
  moved.rotation = turned(pose.rotation, expRotation(duration * twist.tail<3>()));
  return moved;
}

}  // namespace grashof
