#pragma once
/// Algebra of the second-order cone x₀ >= ‖(x₁, x₂)‖: Jordan product, Nesterov-Todd scaling (theory.md,
/// "Interior point").

#include <cmath>
#include <limits>

#include "engine/base/math.h"

namespace grashof::soc {

/// x₀² - ‖(x₁, x₂)‖²; positive inside the cone.
inline double determinant(const Vec3& x) {
  const double t = planeNorm(x[1], x[2]);
  return (x[0] - t) * (x[0] + t);
}

/// The scaling of Nesterov and Todd between x and y inside the cone: Q(w) y = x. Kept as eigenvectors and
/// eigenvalues, which may differ by 1e20: a matrix would keep the digits of the largest only.
struct Scaling {
  Vec2 direction = Vec2::UnitX();   ///< unit vector along (w₁, w₂)
  Vec3 eigenvalues = Vec3::Ones();  ///< of Q(w): largest, smallest, middle

  /// Orthonormal eigenvectors of Q(w), as columns in the order of the eigenvalues.
  Mat3 axes() const {
    const double h = std::sqrt(0.5), c = h * direction[0], s = h * direction[1];
    Mat3 m;
    m << h, h, 0.0,            //
        c, -c, -direction[1],  //
        s, -s, direction[0];
    return m;
  }
  /// Q(√w): maps y to the scaled point, Q(√w) y = Q(√w)⁻¹ x.
  Mat3 root() const { return axes() * eigenvalues.cwiseSqrt().asDiagonal() * axes().transpose(); }
  /// Q(√w)⁻¹.
  Mat3 inverseRoot() const {
    return axes() * eigenvalues.cwiseSqrt().cwiseInverse().asDiagonal() * axes().transpose();
  }
};

/// The scaling of x and y. @pre both inside the cone.
inline Scaling scaling(const Vec3& x, const Vec3& y) {
  const double dx = std::sqrt(determinant(x)), dy = std::sqrt(determinant(y));
  const Vec3 xs = x / dx, ys = y / dy;
  const double g = std::sqrt(0.5 * (1.0 + xs.dot(ys)));
  const Vec3 w = (xs + Vec3(ys[0], -ys[1], -ys[2])) / (2.0 * g);  // of determinant one
  const double t = planeNorm(w[1], w[2]), stretch = (w[0] + t) * (w[0] + t);
  Scaling s;
  if (t > 0.0) s.direction = w.tail<2>() / t;
  s.eigenvalues = dx / dy * Vec3(stretch, 1.0 / stretch, 1.0);
  return s;
}

/// Solves x ∘ c = b for c, x inside the cone.
inline Vec3 divide(const Vec3& b, const Vec3& x) {
  const double c0 = (x[0] * b[0] - x[1] * b[1] - x[2] * b[2]) / determinant(x);
  return {c0, (b[1] - x[1] * c0) / x[0], (b[2] - x[2] * c0) / x[0]};
}

/// Jordan product x ∘ y.
inline Vec3 product(const Vec3& x, const Vec3& y) {
  return {x.dot(y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]};
}

/// Largest α with x + α d in the cone, for x inside; infinite when d never leaves it.
inline double longestStep(const Vec3& x, const Vec3& d) {
  const double a = determinant(d);
  const double b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
  const double c = determinant(x);
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0 || (a >= 0.0 && b >= 0.0)) return std::numeric_limits<double>::infinity();
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  const double r1 = q / a, r2 = c / q;
  double step = std::numeric_limits<double>::infinity();
  if (r1 > 0.0) step = r1;
  if (r2 > 0.0 && r2 < step) step = r2;
  return step;
}

}  // namespace grashof::soc
