#pragma once
/// The impulses of intervals and contacts that belong to a known motion: the contact part of inverse dynamics
/// (theory.md, "Inverse dynamics with contact"; [Carpentier 2024] IV, algorithm 2).

#include <span>
#include <vector>

#include "solvers/problem/dual_problem.h"
#include "solvers/problem/termination.h"

namespace grashof {

struct MotionImpulseOptions {
  /// Ncp, or Ccp: without De Saxcé's term. That one has no solution for rigid contacts that slide.
  ContactModel model = ContactModel::Ncp;
  /// ρ over the least compliance of the contact or interval that is not zero, or over its own entry of
  /// J M⁻¹ Jᵀ where it is rigid; > 0. An iteration divides the error of a compliant one by about 1 + 1/ρ.
  double proximal = 1e-3;
  int maxIterations = 1000;
  double tolerance = 1e-12;  ///< of the largest velocity of a row, or of ρ λ where all stands still
};

struct MotionImpulseReport {
  bool solved = false;
  int iterations = 0;  ///< the most that a contact or interval took
  /// Largest change (m/s, rad/s) of row velocities for which the impulses are an exact solution.
  double residual = 0.0;
  std::vector<int> unsolvedContacts;   ///< indices into DualProblem::contacts
  std::vector<int> unsolvedIntervals;  ///< indices into DualProblem::intervals
};

/// Finds λ of all intervals and contacts with
///
///     K ∋ λ ⟂ σ + Γ(σ) ∈ K*,  σ = R λ + v        [Carpentier 2024, eq. 47]
///
/// for given velocities v = J u + bias of all rows (m/s, rad/s) by the proximal iteration
///
///     λ ← P_K^{R+ρ}( -(R + ρ)⁻¹ (v + Γ(σ) - ρ λ) )
///
/// with the projection in the metric R + ρ. M does not occur, so that every block of rows is solved apart.
/// Where tangents yield and the contact slides, Γ lags behind λ and the error shrinks by μ² R_t / (R_n + μ²
/// R_t) per iteration. Of two tangents with different R the softer one gets the smaller ρ, for a metric with
/// one tangential entry.
///
/// Rigid contacts (R = 0) that touch, v_n = 0, leave the normal impulse open: any N >= 0 with friction
/// against the motion solves, and so does any λ in the cone when v = 0. The result then depends on where the
/// iteration starts: a start that solves stays as it is.
///
/// `impulse`: where to start, and the result (N·s, N·m·s); rows of joints are not touched. Normal laws that
/// are no straight lines count by their tangent at v_n, which is exact there. Sizes: velocity, impulse =
/// rows. Throws CallError for contacts that a compliance couples, for bounds that depend on loads, and for
/// another model than Ncp and Ccp.
MotionImpulseReport motionImpulses(const DualProblem& problem, std::span<const double> velocity,
                                   std::span<double> impulse, const MotionImpulseOptions& options = {});

}  // namespace grashof
