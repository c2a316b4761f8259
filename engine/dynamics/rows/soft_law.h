#pragma once
/// Laws of force elements in a step: how implicit they are, and how a linear law becomes an impulse and a row
/// (theory.md, "Force elements").

#include "engine/dynamics/rows/step_context.h"
#include "joints/joint_type.h"
#include "joints/passive.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Share β of a step after which a spring is evaluated that has kinks or a damper beside it: x_s = x⁻ + β (x⁺
/// - x⁻), from ½ (implicit midpoint rule, no energy lost) for springs that the step resolves to 1 for those
/// that it does not. With ω² = stiffness · delassus, s = (ω Δt / 4)⁴: β = ½ + ½ s/(1 + s), so that β - ½ =
/// O(Δt⁴). Euler: 1.
double springShare(double stiffness, double delassus, const StepContext& step);

/// Share θ of the velocity after the step at which a damper acts, v_s = θ v⁺ + (1 - θ) v⁻: with
/// α = damping · delassus · Δt, θ = 1/(1 - exp(-α)) - 1/α, so that speed under the damper alone decays as
/// exp(-α) exactly, and never changes its sign. ½ for small α, 1 for large ones and for Euler.
double decayShare(double damping, double delassus, const StepContext& step);

/// The same of force elements and bushings: at most 0.6, since they often move slowly against a damper that
/// the step does not resolve, and that motion is off by (θ - ½) Δt of its rate.
double damperShare(double damping, double delassus, const StepContext& step);

/// x_s = x⁻ + before v⁻ + after v⁺ (s) for the share β, ½ for the implicit midpoint rule. Euler: x_s = x⁻ +
/// Δt v⁺.
struct SpringWeights {
  double before = 0.0, after = 0.0;
};
SpringWeights springWeights(double share, const StepContext& step);

/// A law's part that is applied before the solve, and its row in the open block of the problem.
struct SplitImpulse {
  double applied = 0.0;  ///< N·s, N·m·s
  int row = -1;          ///< the row holds the rest; -1: there is none

  /// The whole impulse. `impulses`: of all rows.
  double total(const std::vector<double>& impulses) const {
    return applied + (row >= 0 && !impulses.empty() ? impulses[static_cast<std::size_t>(row)] : 0.0);
  }
};

/// Adds λ = -(slope v⁺ + offset) along `row` to the open block on the bodies of `row`. The impulse that the
/// row would have if it were alone, λ₀ = -(offset + slope v⁻)/(1 + slope D), is applied to problem.freeTwist;
/// the row
///   v⁺ + (offset D - v⁻)/(1 + slope D) + λ'/slope = 0
/// holds the rest λ' = λ - λ₀, which is small for soft laws: neither strong preloads nor tiny stiffnesses
/// enter the sizes by which a solver judges. A slope below 1e-12/D needs no row. `rateBefore`: v⁻ along
/// `row`. problem.inertia and freeTwist must be set.
SplitImpulse addSplitRow(const LinearLaw& law, std::span<const RowTerm> row, double rateBefore,
                         DualProblem& problem);
/// The same of a row on two bodies; `base` may be the world.
SplitImpulse addSplitRow(const LinearLaw& law, int base, int follower, const JointRow& row, double rateBefore,
                         DualProblem& problem);

/// Applies an impulse along `row` (N·s, N·m·s) to problem.freeTwist.
void applyImpulse(double impulse, std::span<const RowTerm> row, DualProblem& problem);

/// Rate along `row`, m/s or rad/s.
double rowRate(std::span<const RowTerm> row, std::span<const Vec6> twists);
/// The same on two bodies; `base` may be the world.
double rowRate(int base, int follower, const JointRow& row, std::span<const Vec6> twists);

}  // namespace grashof
