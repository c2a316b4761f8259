#pragma once
/// Independent measures of a solution (theory.md, "Measures"; [Tsounis 2025] eqs. 156-164, 173-176). No
/// solver uses this code.

#include <span>

#include "solvers/problem/termination.h"

namespace grashof {

/// ∞-norms over all rows of the unscaled problem; impulses in N·s (N·m·s), velocities in m/s (rad/s).
struct Residuals {
  double primal = 0.0;           ///< dist(λ, K)
  double dual = 0.0;             ///< dist(v⁺ + Γ(v⁺), K*)
  double complementarity = 0.0;  ///< max |λ_kᵀ (v⁺ + Γ)_k|
  double naturalMap = 0.0;       ///< ‖λ - P_K(λ - (v⁺ + Γ(v⁺)))‖

  /// The largest of the four.
  double worst() const;
};

/// Evaluates all four for the impulse λ (size rows). On interval rows with finite bounds [l, h] the
/// complementarity products are v_+ (λ - l) and v_- (h - λ). `model`: the contact law whose problem is
/// measured. Allocates.
Residuals measureResiduals(const DualProblem& problem, std::span<const double> impulse,
                           ContactModel model = ContactModel::Ncp);

}  // namespace grashof
