#pragma once
/// The rows of the regularized contact models SAP, LAGGED and SIMILAR (theory.md, "Convex contact fields").

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "solvers/problem/dual_problem.h"
#include "solvers/problem/termination.h"

namespace grashof {

/// Whether a model yields at every contact: SAP, LAGGED, SIMILAR.
constexpr bool isRegularized(ContactModel model) {
  return model == ContactModel::Sap || model == ContactModel::Lagged || model == ContactModel::Similar;
}

/// Sets the rows of the contacts of `problem`, a copy of `given`, to those of a regularized model, with the
/// mobilities w of contactMobility(), each of t and n at least the root mean square of all three:
///   SAP               R_n = max(R_n, β²/4π² w_n), R_t = max(R_t, σ w_t)          [Castro 2022]
///   LAGGED, SIMILAR   R_n = β²/4π² w_n where it is 0; R_t as it is; stictionSpeed = stictionTolerance()
/// Both tangents of a contact get the larger of their compliances. `impulse` (of all rows, or empty) tells
/// LAGGED the loads that the problem does not know.
void regularize(const DualProblem& given, ContactModel model, const Regularization& regularization,
                std::span<const double> impulse, DualProblem& problem);

/// The normal impulse n₀ >= 0 (N·s) that bounds the friction of a contact in LAGGED: that of the state
/// before, or where it is unknown λ_n (N·s).
inline double laggedLoad(const ContactBlock& contact, double normalImpulse) {
  return std::max(0.0, contact.impulseBefore >= 0.0 ? contact.impulseBefore : normalImpulse);
}

/// ε_s of contact `index` under the normal impulse γ >= 0 (N·s), m/s: v_s, or with `impacts` max(v_s, σ w_t μ
/// γ) [Castro 2024, eq. 26].
double stictionTolerance(const DualProblem& problem, std::size_t index, const Regularization& regularization,
                         double load);

/// The velocity v (m/s) at which a model takes the normal law of contact `index`, with the velocities of
/// `twist` (one per body) and impulses λ (one per row): v_n, less μ ‖s‖ of CCP and SAP, which lift what
/// slides at s = v_t + v*_t + R_t λ_t by that much, and μ ‖s‖_ε of SIMILAR. The rows of the regularized
/// models are those of regularize() already.
double lawVelocity(ContactModel model, std::span<const Vec6> twist, std::span<const double> impulse,
                   std::size_t index, const DualProblem& problem);
/// Sets bias and compliance of the normal row of contact `index`, which has a law, to its tangent at v (m/s).
void setTangent(double v, std::size_t index, DualProblem& problem);
/// The same of all contacts with a law, at their lawVelocity(): where v⁺ = 0 with these rows, the laws hold.
void setTangents(ContactModel model, std::span<const Vec6> twist, std::span<const double> impulse,
                 DualProblem& problem);

/// Sets all rows of `problem`, a copy of `given`, that depend on the solution (twist, λ): setTangents() and,
/// of a regularized model, regularize().
void setSolutionRows(const DualProblem& given, ContactModel model, const Regularization& regularization,
                     std::span<const Vec6> twist, std::span<const double> impulse, DualProblem& problem);

/// √(p² + ε²) - ε, the soft norm of a slip of the size p (m/s) [Castro 2024, appendix A].
inline double softNorm(double p, double tolerance) {
  return p * p / (std::sqrt(p * p + tolerance * tolerance) + tolerance);
}

}  // namespace grashof
