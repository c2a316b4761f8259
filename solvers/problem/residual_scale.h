#pragma once
/// What residuals are compared with: the speeds and impulses of the problem at hand, and the rounding of its
/// data (theory.md, "What solved means").

#include <span>
#include <vector>

#include "solvers/problem/dual_problem.h"

namespace grashof {

/// What a tolerance is a share of.
enum class ToleranceKind {
  Relative,  ///< of the speeds and impulses of the problem: dimensionless
  Absolute   ///< of 1 m/s (1 rad/s) and 1 N·s (1 N·m·s)
};

/// Units of a problem. A velocity residual counts relative to `velocity`, an impulse relative to the larger
/// of `impulse` and the largest unilateral impulse, a product of both relative to both. Rows without a linear
/// part (rad/s, N·m·s) are first converted by `length`. Made once per problem by residualScale(); the default
/// is the absolute scale, which leaves residuals in SI.
struct ResidualScale {
  double velocity = 1.0;  ///< V > 0, m/s: the largest speed that bodies or rows have without impulses
  double impulse = 1.0;   ///< Λ₀ > 0, N·s: about the least that changes a unilateral row by V
  double length = 1.0;    ///< L > 0, m: the largest radius of gyration
  bool relative = false;
};

/// Scale of a problem: of bodies, contacts and joints without impulses, V = max(|v_b|, k_b |ω_b|, |(J u_f +
/// v*)_r|) with k_b the radius of gyration; the part of an interval or contact row that its impulse may not
/// change does not count. V is at least 1e-6 m/s, below which positions that are rounded make speeds as
/// large. Allocates nothing.
ResidualScale residualScale(const DualProblem& problem, ToleranceKind kind);

/// Whether the row acts on rotations only (rad/s, N·m·s).
bool isRotational(const DualProblem& problem, const IntervalRow& row);
bool isRotational(const DualProblem& problem, const JointBlock& joint, int row);

/// The residual that rounding allows for the data of a problem and its impulses λ:
///
///     max over rows  c ε (|J| (|u_f| + |M⁻¹| |J|ᵀ |λ|) + |v*| + R |λ| + |W| |λ|)  over V
///
/// because v⁺, evaluated from λ in doubles, is known to no better; ε is the unit roundoff, c = 8. It grows
/// with internal forces of light bodies. At most 1e-6: impulses that explode excuse nothing.
class RoundingFloor {
 public:
  /// Allocates for a problem of this size, so that nothing else does.
  void fit(const DualProblem& problem) { body_.resize(static_cast<std::size_t>(problem.bodies())); }
  /// Sizes: impulse = rows. In the unit of the residuals of that scale.
  double of(const DualProblem& problem, std::span<const double> impulse, const ResidualScale& scale);
  /// residual <= of(problem, impulse, scale), found without it for residuals that no rounding explains.
  bool allows(const DualProblem& problem, std::span<const double> impulse, const ResidualScale& scale,
              double residual);

 private:
  void addSizes(const DualProblem& problem, std::span<const double> impulse);

  std::vector<Vec6> body_;
};

}  // namespace grashof
