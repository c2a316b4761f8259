#pragma once
/// The feasible sets of impulses and their projections (theory.md, "Limits and contacts"). Contact vectors
/// are (t, o, n); K_μ = { ‖(λ_t, λ_o)‖ <= μ λ_n }, K_μ* = K_{1/μ}.

#include <algorithm>
#include <cmath>

#include "engine/base/math.h"

namespace grashof {

/// Euclidean projection of x onto K_μ ([Tsounis 2025] eq. 150). μ >= 0; μ = 0 is the ray λ_n >= 0.
inline Vec3 projectOntoCone(const Vec3& x, double friction) {
  const double t = planeNorm(x[0], x[1]);
  const double n = x[2];
  if (n >= 0.0 && t <= friction * n) return x;
  if (friction * t <= -n) return Vec3::Zero();
  const double normal = (friction * t + n) / (1.0 + friction * friction);
  const double scale = t > 0.0 ? friction * normal / t : 0.0;
  return {scale * x[0], scale * x[1], normal};
}

/// Projection of x onto K_μ in the metric diag(d_t, d_t, d_n), d_t, d_n > 0: the y in K_μ with the least
/// d_t ‖y_to - x_to‖² + d_n (y_n - x_n)². Stretched by √d it is the Euclidean one onto the cone of
/// μ √(d_t/d_n) [Carpentier 2024, IV].
inline Vec3 projectOntoConeInMetric(const Vec3& x, double friction, double tangentWeight,
                                    double normalWeight) {
  const Vec3 stretch(std::sqrt(tangentWeight), std::sqrt(tangentWeight), std::sqrt(normalWeight));
  return projectOntoCone(stretch.cwiseProduct(x), friction * stretch[0] / stretch[2]).cwiseQuotient(stretch);
}

/// Euclidean projection of x onto the disk of `radius` >= 0 ([Tsounis 2025] eq. 148).
inline Vec2 projectOntoDisk(const Vec2& x, double radius) {
  const double size = x.norm();
  return size > radius ? Vec2(x * (radius / size)) : x;
}

/// Derivative of projectOntoCone() at x: symmetric, positive semi-definite, eigenvalues in [0, 1]. On the
/// boundaries between its three pieces, where the projection has a kink, the result is the derivative of the
/// piece inside the cone or of the polar piece.
inline Mat3 coneProjectionDerivative(const Vec3& x, double friction) {
  const double t = planeNorm(x[0], x[1]), n = x[2];
  if (n >= 0.0 && t <= friction * n) return Mat3::Identity();
  if (friction * t <= -n) return Mat3::Zero();
  const Vec3 ray(friction * x[0] / t, friction * x[1] / t, 1.0);
  const double normal = (friction * t + n) / (1.0 + friction * friction);
  Mat3 d = ray * ray.transpose() / (1.0 + friction * friction);
  const Vec2 e = ray.head<2>() / std::max(friction, 1e-300);
  if (friction > 0.0)
    d.topLeftCorner<2, 2>() += friction * normal / t * (Mat2::Identity() - e * e.transpose());
  return d;
}

/// Euclidean projection onto the dual cone K_μ*, by Moreau's decomposition. μ = 0 is the half space v_n >= 0.
inline Vec3 projectOntoDualCone(const Vec3& v, double friction) { return v + projectOntoCone(-v, friction); }

/// Projection onto the interval [lower, upper].
inline double projectOntoInterval(double x, double lower, double upper) {
  return std::min(std::max(x, lower), upper);
}

}  // namespace grashof
