#pragma once
/// Solvers of one contact with all others fixed: the local steps of Gauss-Seidel (theory.md, "Gauss-Seidel";
/// [Tsounis 2025] VI-C). Vectors are (t, o, n). D is the contact's own Delassus block, positive semi-definite
/// with D_nn > 0; μ >= 0. Each function returns the new impulse λ (N·s).

#include <array>

#include "engine/base/math.h"

namespace grashof {

/// Data of one contact.
struct LocalContact {
  Mat3 delassus = Mat3::Identity();  ///< D_kk, compliance of the contact included, m/s per N·s
  Vec3 free = Vec3::Zero();          ///< v_f,k + Σ_{j≠k} D_kj λ_j, m/s
  Vec3 impulse = Vec3::Zero();       ///< present λ_k, N·s
  double friction = 0.0;             ///< μ

  /// v = free + D λ, m/s.
  Vec3 velocity() const { return free + delassus * impulse; }
};

/// λ <- P_K(λ - 3/tr(D) (v + Γ)), Γ only with `deSaxceTerm` ([Tsounis 2025] Alg. 2); 1/max D_ii in place of
/// 3/tr(D) where that is 0.9 of the trace.
Vec3 stepCcp(const LocalContact& contact, bool deSaxceTerm);

/// The normal first, then the tangent onto the disk of radius μ λ_n, with the step 1/min(D_tt, D_oo)
/// ([Tsounis 2025] Alg. 3).
Vec3 stepNcp(const LocalContact& contact);

/// As stepNcp(), but onto the polygon with that many facets (even, >= 4) around the disk; with four each
/// tangent is limited separately to ±μ λ_n ([Lidec 2024] Alg. 1).
Vec3 stepPyramid(const LocalContact& contact, int facets);

/// PROX ([Studer 2009], [Erleben 2017]): λ_n <- P(λ_n - r/D_nn v_n), then with that λ_n the tangent onto the
/// disk with the step r / λ_max(D_TT); r = `factor`.
Vec3 stepProx(const LocalContact& contact, double factor);

/// A sliding contact ([Tsounis 2025] eq. 152, [Lidec 2024] eq. 23):
///     min ½ λᵀDλ + λᵀ(free + s n)  over  ‖λ_T‖ = μ λ_n,  (Dλ + free)_n = 0.
/// The constraints leave only the direction e of λ_T free: λ = k/h(e) (e, 1/μ) with k = -μ free_n > 0 and
/// h = D_nn + μ D_nT·e, a conic section with the origin in a focus. Eliminating λ_n leaves ½ xᵀAx + bᵀx over
/// x = λ_T with A = D_TT - D_Tn D_nT / D_nn, b = free_T - D_Tn (free_n + s) / D_nn, whose derivative along
/// the angle of e times h³/k is a trigonometric polynomial of degree two.
class SlidingContact {
 public:
  /// `deSaxceTerm`: s (m/s), 0 except for RAISIM-DS. @pre μ > 0 and free_n < 0.
  SlidingContact(const LocalContact& contact, double deSaxceTerm);

  /// h(e): λ_n > 0 where it is positive.
  double reach(const Vec2& direction) const { return normal_ + coupling_.dot(direction); }
  /// Sign of d(objective)/dθ where reach() > 0.
  double slope(const Vec2& direction) const;
  /// Objective up to a constant, J; infinite where reach() <= 0.
  double objective(const Vec2& direction) const;
  Vec3 impulse(const Vec2& direction) const;  ///< λ, N·s
  /// c, c₁, s₁, c₂, s₂ of slope = c + c₁ cos θ + s₁ sin θ + c₂ cos 2θ + s₂ sin 2θ.
  const std::array<double, 5>& harmonics() const { return harmonics_; }
  const Vec2& coupling() const { return coupling_; }  ///< μ D_nT
  /// A guess: the direction opposite to the tangential velocity of a frictionless contact.
  Vec2 guess() const { return linear_.isZero(0.0) ? Vec2(1.0, 0.0) : Vec2(-linear_.normalized()); }

 private:
  double normal_, scale_, friction_;  // D_nn, k, μ
  Vec2 coupling_, linear_;            // μ D_nT, b
  Mat2 schur_;                        // A
  std::array<double, 5> harmonics_{};
};

/// NBGS ([Tsounis 2025] Alg. 4): open, sticking, or the global minimum of SlidingContact, found by the real
/// roots of a quartic.
Vec3 solveQuartic(const LocalContact& contact);

/// RAISIM ([Lidec 2024] Alg. 5): the same by bisection over the direction, starting from that of the sticking
/// impulse. `deSaxceTerm`: with s = μ ‖v_T‖ at the present impulse (RAISIM-DS); its fixed points obey maximum
/// dissipation.
Vec3 solveBisection(const LocalContact& contact, bool deSaxceTerm);

/// The directions e at which c + c₁ cos θ + s₁ sin θ + c₂ cos 2θ + s₂ sin 2θ changes sign, at most four, by
/// the quartic in tan(θ/2). Returns their number.
int trigonometricRoots(const std::array<double, 5>& harmonics, std::array<Vec2, 4>& roots);

}  // namespace grashof
