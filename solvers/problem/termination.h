#pragma once
/// The residuals by which solvers decide that they are done (theory.md, "Measures"; [Tsounis 2025] eqs.
/// 156-158). residuals.h measures solutions for everyone else, by separate code.

#include <algorithm>
#include <span>

#include "solvers/problem/dual_problem.h"

namespace grashof {

/// The contact law that a solver solves.
enum class ContactModel {
  Ncp,      ///< Coulomb and Signorini exactly: K ∋ λ ⟂ v + Γ(v) ∈ K*
  Ccp,      ///< the convex relaxation, Γ = 0: sliding contacts lift off
  Pyramid,  ///< each tangent bounded by itself, |λ_t|, |λ_o| <= μ λ_n
};

/// Residuals of λ. Primal: distance to the bounds and cones (N·s, N·m·s); dual: distance of v⁺ + Γ to what
/// they allow (m/s, rad/s); complementarity (J) over max(1, ‖λ‖∞), because v is known to rounding of D λ, and
/// its product with a large λ to no better than that.
struct ResidualParts {
  double primal = 0.0;
  double dual = 0.0;
  double complementarity = 0.0;

  double largest() const { return std::max({primal, dual, complementarity}); }
};

/// All are infinite when anything is not finite. `velocity` is v⁺(λ) without Γ. Sizes: impulse, velocity =
/// rows.
ResidualParts residualParts(const DualProblem& problem, std::span<const double> impulse,
                            std::span<const double> velocity, ContactModel model);

/// The largest of residualParts().
double largestResidual(const DualProblem& problem, std::span<const double> impulse,
                       std::span<const double> velocity, ContactModel model);

/// ‖λ - P_K(λ - v⁺ - Γ)‖∞ over contacts and intervals, over max(1, ‖λ‖∞). For methods that approach the
/// solution from inside the cones: their complementarity, a product of λ and v⁺, is small long before either
/// factor is known as well.
double naturalMapResidual(const DualProblem& problem, std::span<const double> impulse,
                          std::span<const double> velocity, ContactModel model);

/// ‖λ - P_K(λ - s² (v⁺ + Γ))‖∞ / s² over contacts and intervals (m/s, rad/s), s from scaleUnilateralRows().
/// It is the error of v⁺ where λ is inside its set, and the error of λ as the velocity that it makes where λ
/// is zero or at a bound. Complementarity, a product of two small numbers, shows neither for light bodies.
double scaledNaturalMap(const DualProblem& problem, std::span<const double> impulse,
                        std::span<const double> velocity, std::span<const double> scale);

/// velocity = v⁺ = J u + v* + (R + W) λ. Sizes: twist = bodies; impulse, velocity = rows.
void endVelocities(const DualProblem& problem, std::span<const Vec6> twist, std::span<const double> impulse,
                   std::span<double> velocity);

}  // namespace grashof
