#pragma once
/// Geometric stiffness of joint forces (numerics.md 6; Tournier et al. 2015; Andrews et al. 2017).

#include <span>
#include <vector>

#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// A force f that a joint puts on a body at the arm r turns with neither: when the body turns by θ, its
/// moment r × f changes by -K θ with K = (f·r) 1 - r fᵀ. A taut chain of light links swings sideways at
/// √(K/I), and explicit steps of Δt blow up when that passes 2/Δt. Inertia I + ¼ Δt² K in place of I in the
/// change of spin is the average-acceleration rule for those modes: they stay stable at any step and lose no
/// energy, only their frequency is lowered to what the step can follow. K is of the step before;
/// what that lag feeds in is taken out by a moment -0.1 Δt K ω. It brakes the links' common turning as well,
/// by little: the chain of assets/scenarios/heavy-chain-swing.xml loses 1.3 % of its energy in ten seconds,
/// all counted as dissipated.
constexpr double kGeometricInertia = 0.25, kGeometricDamping = 0.1;

/// stiffness[b] (N·m): the symmetric part of K summed over the joints of body b, with its negative part (a
/// link under pressure, which needs no help) set to zero; for the joint impulses of the step that was just
/// solved. `blocks`: place of each joint in problem.joints, or -1. `poses`: where the rows were evaluated.
/// Moments of joints, actuators and contacts are left out: they don't grow with the force along a link. Does
/// not allocate.
void geometricStiffness(const Model& model, const DualProblem& problem, std::span<const int> blocks,
                        std::span<const double> impulse, std::span<const Pose> poses,
                        std::span<Mat3> stiffness);

/// inertia[b] of the spin, and its inverse, with ¼ Δt² K.
void addGeometricInertia(std::span<const Mat3> stiffness, double timestep, std::span<InertiaBlock> inertia);

/// Largest ω Δt over all bodies, each as if it were free to turn, ω² the largest eigenvalue of I⁻¹ K: an
/// upper bound of Projection::maxNaturalFrequency() Δt. Explicit steps need less than 2.
double stabilityNumber(const DualProblem& problem, std::span<const Mat3> stiffness, double timestep);

}  // namespace grashof
