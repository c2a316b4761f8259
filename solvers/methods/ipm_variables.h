#pragma once
/// Primal and dual variables of the interior point, their steps and their distance to the boundary.

#include <limits>
#include <span>
#include <vector>

#include "solvers/problem/dual_problem.h"
#include "solvers/problem/second_order_cone.h"

namespace grashof {

/// Variables of all unilateral rows whose impulse is not fixed, scaled by s = 1/√D_ii (one scalar per
/// contact).
class IpmVariables {
 public:
  /// One row with bounds: an interval, or the normal of a contact without friction. One slack and one dual
  /// per finite bound.
  struct BoundedRow {
    int row = 0;
    double scale = 1.0;                       ///< s
    double lower = 0.0, upper = 0.0;          ///< of x
    double x = 0.0;                           ///< λ / s
    double dualLower = 0.0, dualUpper = 0.0;  ///< s v = dualLower - dualUpper
    double dx = 0.0, dDualLower = 0.0, dDualUpper = 0.0;
    double termLower = 0.0, termUpper = 0.0;  ///< targets of the complementarity products

    bool hasLower() const { return lower > -std::numeric_limits<double>::infinity(); }
    bool hasUpper() const { return upper < std::numeric_limits<double>::infinity(); }
  };
  /// A contact with friction, in the second-order cone: x = E λ, y = E⁻ᵀ (v + Γ(v)).
  struct Cone {
    int contact = 0, row = 0;
    double scale = 1.0, friction = 0.0;
    Vec3 x = Vec3::Zero(), y = Vec3::Zero(), dx = Vec3::Zero(), dy = Vec3::Zero();
    soc::Scaling scaling;         ///< Q(w) y = x at the point of the last linearization
    Vec3 rhsTerm = Vec3::Zero();  ///< dy = rhsTerm - Q(w)⁻¹ dx
  };

  std::vector<BoundedRow> bounded;
  std::vector<Cone> cones;

  bool empty() const { return bounded.empty() && cones.empty(); }

  /// One variable for each row whose impulse is not fixed. `scale` has one entry per unilateral row.
  void build(const DualProblem& problem, std::span<const double> scale);
  /// A point of the given size well inside all bounds and cones.
  void setInitialPoint(double size);
  /// impulse = λ of the present point; other rows keep theirs.
  void writeImpulses(std::span<double> impulse) const;

  /// Sets the terms by which the complementarity products become `target`. `corrected`: with the second-order
  /// term of the present direction (Mehrotra).
  void setTarget(double target, bool corrected);
  /// The longest step along the present direction, at most 1, of which `share` reaches a boundary.
  double maxStepToBoundary(double share) const;
  /// Mean complementarity product μ after a step along the present direction.
  double complementarityMeasure(double step) const;
  /// Whether no complementarity product after a step (for a cone: eigenvalue of x ∘ y) is below `share` of
  /// their mean. A point that is close to the boundary on one side only leaves no room for the next step.
  bool isCentral(double step, double share) const;
  /// Moves the point by `step` times the present direction.
  void move(double step);
};

}  // namespace grashof
