#pragma once
/// Rotation vectors φ (rad): how they change with the spin ω (rad/s) of exp([φ]×), which turns in its outer
/// frame, φ̇ = J_l⁻¹(φ) ω [Hairer 2006, section IV.8].

#include <cmath>
#include <utility>

#include "engine/base/math.h"

namespace grashof {

/// Left Jacobian of SO(3) at φ: exp(φ + δ) = exp(J_l(φ) δ) exp(φ) to first order,
/// J_l = I + (1 - cos |φ|)/|φ|² [φ]× + (|φ| - sin |φ|)/|φ|³ [φ]×². That of -φ is the right one.
inline Mat3 leftJacobian(const Vec3& phi_rad) {
  const double angle2 = phi_rad.squaredNorm();
  double a, b;
  if (angle2 < 1e-3) {
    a = 0.5 - angle2 * (1.0 / 24.0 - angle2 * (1.0 / 720.0 - angle2 / 40320.0));
    b = 1.0 / 6.0 - angle2 * (1.0 / 120.0 - angle2 * (1.0 / 5040.0 - angle2 / 362880.0));
  } else {
    const double angle = std::sqrt(angle2);
    a = (1.0 - std::cos(angle)) / angle2;
    b = (angle - std::sin(angle)) / (angle2 * angle);
  }
  const Mat3 s = skew(phi_rad);
  return Mat3::Identity() + a * s + b * s * s;
}

/// c of leftJacobianInverse(), and its derivative by |φ|² (1/rad²). `angle2`: |φ|², rad².
inline std::pair<double, double> quadraticFactor(double angle2) {
  // Beyond the third term the series is below rounding; the closed form of the derivative loses digits there.
  if (angle2 < 1e-2) {
    const double c1 = 1.0 / 720.0, c2 = 1.0 / 30240.0, c3 = 1.0 / 1209600.0, c4 = 1.0 / 47900160.0;
    return {1.0 / 12.0 + angle2 * (c1 + angle2 * (c2 + angle2 * (c3 + angle2 * c4))),
            c1 + angle2 * (2.0 * c2 + angle2 * (3.0 * c3 + angle2 * 4.0 * c4))};
  }
  // c = 1/s - cot(t/2)/(2 t), s = t²; dc/ds = -1/s² + [cot(t/2)/t² + 1/(2 t sin²(t/2))]/(4 t).
  const double angle = std::sqrt(angle2), half = 0.5 * angle, sine = std::sin(half);
  const double cotangent = std::cos(half) / sine;
  return {1.0 / angle2 - 0.5 * cotangent / angle,
          -1.0 / (angle2 * angle2) + 0.25 * (cotangent / angle2 + 0.5 / (angle * sine * sine)) / angle};
}

/// Inverse of the left Jacobian of SO(3) at φ: φ̇ = J_l⁻¹(φ) ω for φ = logRotation(q), with ω in the outer
/// frame, J_l⁻¹ = I - ½ [φ]× + c [φ]×², c = 1/|φ|² - 1/(2 |φ| tan(|φ|/2)).
inline Mat3 leftJacobianInverse(const Vec3& phi_rad) {
  const double c = quadraticFactor(phi_rad.squaredNorm()).first;
  const Mat3 s = skew(phi_rad);
  return Mat3::Identity() - 0.5 * s + c * s * s;
}

/// φ̈ (rad/s²) with the rate φ̇ (rad/s) that belongs to the spin ω, and ω̇ (rad/s²), all in the outer frame.
/// @pre |φ| < 2π
inline Vec3 rotationVectorSecondRate(const Vec3& phi_rad, const Vec3& rate, const Vec3& spin,
                                     const Vec3& spinRate) {
  const auto [c, slope] = quadraticFactor(phi_rad.squaredNorm());
  const Vec3 across = phi_rad.cross(spin), change = rate.cross(spin);
  return leftJacobianInverse(phi_rad) * spinRate - 0.5 * change +
         2.0 * slope * phi_rad.dot(rate) * phi_rad.cross(across) +
         c * (rate.cross(across) + phi_rad.cross(change));
}

}  // namespace grashof
