#pragma once
/// Rates of a rotation vector φ (rad) and the spin ω (rad/s) of the rotation exp([φ]×), which turns in its
/// outer frame: φ̇ = J_l⁻¹(φ) ω [Hairer 2006, section IV.8].

#include <cmath>

#include "engine/base/math.h"

namespace grashof {

namespace detail {

/// c of leftJacobianInverse() and its derivative by |φ|, over |φ|. `square`: |φ|², rad².
struct TurnWeights {
  explicit TurnWeights(double square) {
    if (square < 0.0625) {
      c = 1.0 / 12.0 + square * (1.0 / 720.0 +
                                 square * (1.0 / 30240.0 + square * (1.0 / 1209600.0 + square / 47900160.0)));
      slope = 1.0 / 360.0 + square * (1.0 / 7560.0 + square * (1.0 / 201600.0 + square / 5987520.0));
    } else {
      const double angle = std::sqrt(square), cot = 1.0 / std::tan(0.5 * angle);
      c = 1.0 / square - 0.5 * cot / angle;
      slope = (-2.0 / square + 0.5 * cot / angle + 0.25 * (1.0 + cot * cot)) / square;
    }
  }
  double c, slope;
};

}  // namespace detail

/// φ̇ of a rotation φ with the spin ω. @pre |φ| < 2π
inline Vec3 rotationVectorRate(const Vec3& phi_rad, const Vec3& spin) {
  const Vec3 across = phi_rad.cross(spin);
  return spin - 0.5 * across + detail::TurnWeights(phi_rad.squaredNorm()).c * phi_rad.cross(across);
}

/// φ̈ with the rate φ̇ that belongs to the spin ω, and ω̇ (rad/s²). @pre |φ| < 2π
inline Vec3 rotationVectorSecondRate(const Vec3& phi_rad, const Vec3& rate, const Vec3& spin,
                                     const Vec3& spinRate) {
  const detail::TurnWeights w(phi_rad.squaredNorm());
  const Vec3 across = phi_rad.cross(spin), change = rate.cross(spin), across2 = phi_rad.cross(spinRate);
  return spinRate - 0.5 * across2 + w.c * phi_rad.cross(across2) - 0.5 * change +
         w.slope * phi_rad.dot(rate) * phi_rad.cross(across) +
         w.c * (rate.cross(across) + phi_rad.cross(change));
}

/// ω of a rotation φ that changes with φ̇.
inline Vec3 spinOf(const Vec3& phi_rad, const Vec3& rate) {
  const double square = phi_rad.squaredNorm();
  double a, b;
  if (square < 1e-3) {
    a = 0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0 - square / 40320.0));
    b = 1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0 - square / 362880.0));
  } else {
    const double angle = std::sqrt(square);
    a = (1.0 - std::cos(angle)) / square;
    b = (1.0 - std::sin(angle) / angle) / square;
  }
  const Vec3 across = phi_rad.cross(rate);
  return rate + a * across + b * phi_rad.cross(across);
}

}  // namespace grashof
