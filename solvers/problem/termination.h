#pragma once
/// The residuals by which solvers judge themselves (TR 156-158). Apart from residuals.h, which judges them.

#include <span>

#include "solvers/problem/dual_problem.h"

namespace grashof {

/// What a solver makes of Coulomb's law.
enum class ContactModel {
  Ncp,      ///< Coulomb and Signorini exactly: K ∋ λ ⟂ v + Γ(v) ∈ K*
  Ccp,      ///< the convex relaxation, Γ = 0: sliding contacts lift off
  Pyramid,  ///< each tangent bounded by itself, |λ_t|, |λ_o| <= μ λ_n
};

/// The largest of the primal (N·s, N·m·s), dual (m/s, rad/s) and complementarity residual of λ; infinite when
/// anything is not finite. Complementarity (J) is taken over max(1, ‖λ‖∞): v is known to rounding of D λ, and
/// its product with a large λ to no better than that. `velocity` is v⁺(λ) without Γ. Sizes: impulse, velocity
/// = rows.
double largestResidual(const DualProblem& problem, std::span<const double> impulse,
                       std::span<const double> velocity, ContactModel model);

/// ‖λ - P_K(λ - v⁺ - Γ)‖∞ over contacts and intervals, over max(1, ‖λ‖∞). For methods whose iterates approach
/// from inside: their complementarity is small long before λ and v⁺ are known as well (it is their product).
double naturalMapResidual(const DualProblem& problem, std::span<const double> impulse,
                          std::span<const double> velocity, ContactModel model);

/// ‖λ - P_K(λ - s² (v⁺ + Γ))‖ / s² over contacts and intervals, in m/s (rad/s), with the scaling s of
/// scaleRows (from row jointRows on): how far v⁺ is off where λ is at work, and λ, as the velocity that it
/// makes, where it is not. Complementarity, a product of two small numbers, does not see either in light
/// bodies.
double scaledNaturalMap(const DualProblem& problem, std::span<const double> impulse,
                        std::span<const double> velocity, std::span<const double> scale);

/// velocity = v⁺ = J u + v* + (R + W) λ. Sizes: twist = bodies; impulse, velocity = rows.
void endVelocities(const DualProblem& problem, std::span<const Vec6> twist, std::span<const double> impulse,
                   std::span<double> velocity);

}  // namespace grashof
