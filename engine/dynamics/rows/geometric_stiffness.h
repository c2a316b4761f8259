#pragma once
/// Geometric stiffness of joint forces (theory.md, "Geometric stiffness"; Tournier et al. 2015; Andrews et
/// al. 2017).

#include <span>
#include <vector>

#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// A joint force f acts at the arm r (world axes) and keeps its direction while the body turns by a small θ.
/// r changes by θ × r, so the moment r × f changes by (θ × r) × f = -K θ with K = (f·r) 1 - r fᵀ (N·m). Taut
/// links swing sideways at ω = √(K/I); explicit steps need ω Δt < 2.
/// Inertia I + ¼ Δt² K in place of I in the change of spin is the average-acceleration rule for those modes:
/// they stay stable at any step and lose no energy, and only their frequency is lowered to what the step can
/// follow. K is that of the step before; a moment -0.1 Δt K ω removes the energy that this lag feeds in. The
/// moment also brakes the common rotation of the links slightly: the chain of
/// assets/scenarios/heavy-chain-swing.xml loses 1.3 % of its energy in ten seconds, all counted as
/// dissipated.
constexpr double kGeometricInertia = 0.25, kGeometricDamping = 0.1;

/// A force on a body at a place other than its centre of mass.
struct ForceOnBody {
  int body = 0;
  Vec3 arm = Vec3::Zero();    ///< from the centre of mass, m, world axes
  Vec3 force = Vec3::Zero();  ///< N, world axes
};

/// stiffness[b] (N·m): the symmetric part of K summed over the joints of body b, with its negative part (a
/// link under pressure, which needs no help) set to zero; for the joint impulses of the step that was just
/// solved. `blocks`: place of each joint in problem.joints, or -1. `poses`: where the rows were evaluated.
/// `others`: forces besides those of joints. Moments of joints, actuators and contacts are left out: they do
/// not grow with the force along a link. Does not allocate.
void geometricStiffness(const Model& model, const DualProblem& problem, std::span<const int> blocks,
                        std::span<const double> impulse, std::span<const Pose> poses,
                        std::span<Mat3> stiffness, std::span<const ForceOnBody> others = {});

/// Adds ¼ Δt² K to the rotational inertia of each body and updates its inverse. Sizes: one per body.
void addGeometricInertia(std::span<const Mat3> stiffness, double timestep, std::span<InertiaBlock> inertia);

/// Adds the effect of the moment -0.1 Δt K ω to problem.freeTwist, with problem.inertia as M. `twists`: u⁻,
/// one per body.
void addGeometricDamping(std::span<const Mat3> stiffness, double timestep, std::span<const Vec6> twists,
                         DualProblem& problem);

/// Mean moment (N·m) over a step by which inertia and damping terms act on a body of stiffness K whose twist
/// goes from `before` to `after`: -Δt K (0.1 ω⁻ + ¼ (ω⁺ - ω⁻)).
Vec3 geometricMoment(const Mat3& stiffness, const Vec6& before, const Vec6& after, double timestep);

/// Energy (J) that inertia and damping terms remove from a body of stiffness K whose twist goes from `before`
/// to `after` in a step.
double geometricWork(const Mat3& stiffness, const Vec6& before, const Vec6& after, double timestep);

}  // namespace grashof
