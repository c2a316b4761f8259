#pragma once
/// One Newton direction of NEWTON-NCP: linearized rows and the linear system that joins them (theory.md,
/// "Newton").

#include <span>
#include <vector>

#include "solvers/linear/kkt_system.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Newton's equation slope dλ + velocitySlope dv = -value of one contact.
struct ContactEquationTerms {
  Mat3 impulseSlope = Mat3::Identity();
  Mat3 velocitySlope = Mat3::Zero();
  Vec3 value = Vec3::Zero();
};

/// The natural map F = λ - P(λ - ρ v) of a contact and an element of its generalized Jacobian [Alart 1991].
/// P projects the normal impulse onto λ_n >= 0, then the tangential one onto the disk of radius μ times that
/// result. Its zeros are the solutions of the NCP: P needs no De Saxcé term. `size` > 0 is ρ (N·s per m/s).
ContactEquationTerms linearizeContact(const Vec3& impulse, const Vec3& velocity, double friction,
                                      double size);

/// F of the same contact, as a velocity: F / ρ (m/s).
Vec3 contactNaturalMap(const Vec3& impulse, const Vec3& velocity, double friction, double size);

/// Rows linearized at a point, factorized, and solved for a direction. Contacts and what they touch are
/// factorized anew for every direction; what is linear as long as no interval row changes between its bounds
/// and its inside is eliminated once (KktSystem::factorizeHead()). Contacts that a compliance couples are
/// explicit rows, and then the whole system is factorized.
class NewtonSystem {
 public:
  /// Plans and scales for `problem`. Reuses the plan and the η of joints of the last problem if that plan
  /// covers this one.
  void prepare(const DualProblem& problem, double jointProximal);

  /// ρ of each unilateral row, 1/D_rr; one value per contact. Size rows - jointRows.
  std::span<const double> size() const { return size_; }

  /// The direction (twist, impulse) at λ and v⁺ = `velocity`, of the problem with v_η = v⁺ + η (λ - centre)/ρ
  /// on contacts. Sizes: impulse, velocity, centre = rows. False when the matrix cannot be factorized.
  bool direction(const DualProblem& problem, std::span<const double> impulse,
                 std::span<const double> velocity, std::span<const Vec6> twist,
                 std::span<const double> centre, double eta);
  std::span<const Vec6> twistChange() const { return twist_; }
  std::span<const double> impulseChange() const { return impulse_; }

  /// Takes out of a solution (λ, u) what rounding and η have left on the joints. Where joints are redundant,
  /// their impulses become those of least norm. `velocity` receives v⁺. @pre direction() was true.
  void finishJoints(const DualProblem& problem, std::span<double> impulse, std::span<Vec6> twist,
                    std::span<double> velocity);

  /// Whether joints are redundant, so that finishJoints() splits their impulses. @pre direction() was true.
  bool redundant() const { return !coupled_ && kkt_.redundant(); }

  int factorizations() const { return kkt_.factorizations() + explicit_.factorizations(); }

 private:
  void linearize(const DualProblem& problem, std::span<const double> impulse,
                 std::span<const double> velocity, std::span<const double> centre, double eta);
  bool factorize(const DualProblem& problem);
  void momentumError(const DualProblem& problem, std::span<const double> impulse,
                     std::span<const Vec6> twist);
  void recoverImpulses(const DualProblem& problem);
  KktSystem& system() { return coupled_ ? explicit_ : kkt_; }

  KktSystem kkt_;
  KktSystem explicit_{ContactRows::Explicit};
  bool coupled_ = false, headDone_ = false;
  double jointProximal_ = 0.0;
  std::vector<double> size_;
  std::vector<char> late_;                   // bodies in contact
  std::vector<double> weight_, headWeight_;  // of interval rows, as they are and as they were factorized
  std::vector<double> step_;                 // dλ = step - weight J du on unilateral rows; size rows
  std::vector<Mat3> contactWeight_;
  std::vector<ContactEquation> equation_;  // of coupled contacts
  std::vector<Vec6> twist_;
  std::vector<double> impulse_;
};

}  // namespace grashof
