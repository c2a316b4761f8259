#pragma once
/// The residuals by which solvers decide that they are done (theory.md, "Measures"; [Tsounis 2025] eqs.
/// 156-158). residuals.h measures solutions for everyone else, by separate code.

#include <algorithm>
#include <span>

#include "solvers/problem/dual_problem.h"
#include "solvers/problem/residual_scale.h"

namespace grashof {

/// The contact law that a solver solves.
enum class ContactModel {
  Ncp,      ///< Coulomb and Signorini exactly: K ∋ λ ⟂ v + Γ(v) ∈ K*
  Ccp,      ///< the convex relaxation, Γ = 0: sliding contacts lift off
  Pyramid,  ///< as Ncp, with the cone replaced by a pyramid around it (friction_polygon.h)
  Sap,      ///< Ccp with the compliances of regularize()
  Lagged,  ///< normal law of v_n alone, friction μ n₀ v_t/√(v_t² + ε²) with the load n₀ of the step before
  Similar,  ///< normal law of z = v_n - μ (√(v_t² + ε²) - ε), friction μ λ_n v_t/√(v_t² + ε²)
};

/// The law by which a solution is judged. A model alone is one with its usual parameter.
struct SolvedLaw {
  ContactModel model = ContactModel::Ncp;
  int facets = 4;  ///< sides of Pyramid, even, >= 4

  SolvedLaw(ContactModel which, int sides = 4)  // NOLINT(google-explicit-constructor)
      : model(which), facets(sides) {}
};

/// Parameters of Sap, Lagged and Similar; see regularize().
struct Regularization {
  double stiction = 1e-3;  ///< σ > 0: R_t of Sap over the tangential mobility
  bool impacts = true;     ///< Lagged, Similar: hard impacts soften sticking by the same σ
  double nearRigid = 1.0;  ///< β > 0: period of near-rigid contact over the time step
};

/// Residuals of λ. With a relative scale all are dimensionless: primal, the distance to bounds and cones,
/// over Λ; dual, the distance of v⁺ + Γ to what they allow, over V; complementarity over V Λ. Λ is the larger
/// of ResidualScale::impulse and the largest unilateral impulse. With the absolute scale they are in SI (N·s,
/// m/s), and complementarity (J) is over max(1, ‖λ‖∞): v is known to rounding of D λ, and its product with a
/// large λ to no better than that.
struct ResidualParts {
  double primal = 0.0;
  double dual = 0.0;
  double complementarity = 0.0;

  double largest() const { return std::max({primal, dual, complementarity}); }
};

/// All are infinite when anything is not finite. `velocity` is v⁺(λ) without Γ. Sizes: impulse, velocity =
/// rows. Of Sap, Lagged and Similar the rows of `problem` are those of regularize();
/// friction of Lagged and Similar is part of the primal residual, over Λ + V S with its slope S = μ n/√(p² +
/// ε²).
ResidualParts residualParts(const DualProblem& problem, std::span<const double> impulse,
                            std::span<const double> velocity, const SolvedLaw& law,
                            const ResidualScale& scale = {});

/// The largest of residualParts().
double largestResidual(const DualProblem& problem, std::span<const double> impulse,
                       std::span<const double> velocity, const SolvedLaw& law,
                       const ResidualScale& scale = {});

/// Λ of a relative scale (N·s): the larger of scale.impulse and the largest impulse of intervals and
/// contacts.
double impulseSize(const DualProblem& problem, std::span<const double> impulse, const ResidualScale& scale);

/// ‖λ - P_K(λ - t (v⁺ + Γ))‖∞ over contacts and intervals, with a relative scale over Λ and with t = Λ/V;
/// absolute, over max(1, ‖λ‖∞) and with t = 1. For methods that approach the solution from inside the cones:
/// their complementarity, a product of λ and v⁺, is small long before either factor is known as well.
double naturalMapResidual(const DualProblem& problem, std::span<const double> impulse,
                          std::span<const double> velocity, ContactModel model,
                          const ResidualScale& scale = {});

/// ‖λ - P_K(λ - s² (v⁺ + Γ))‖∞ / s² over contacts and intervals, s from scaleUnilateralRows(), with a
/// relative scale over V. It is the error of v⁺ where λ is inside its set, and the error of λ as the velocity
/// that it makes where λ is zero or at a bound. Complementarity, a product of two small numbers, shows
/// neither for light bodies.
double scaledNaturalMap(const DualProblem& problem, std::span<const double> impulse,
                        std::span<const double> velocity, std::span<const double> rowScale,
                        const ResidualScale& scale = {});

/// velocity = v⁺ = J u + v* + (R + W) λ. Sizes: twist = bodies; impulse, velocity = rows.
void endVelocities(const DualProblem& problem, std::span<const Vec6> twist, std::span<const double> impulse,
                   std::span<double> velocity);

}  // namespace grashof
