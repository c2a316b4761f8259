#pragma once
/// Inverse dynamics of one step with contact (theory.md, "Inverse dynamics with contact"; [Carpentier 2024]
/// IV): impulses of contacts and efforts of drives that bring about given twists.

#include <memory>
#include <span>
#include <vector>

#include "engine/dynamics/simulator.h"
#include "solvers/methods/motion_impulses.h"

namespace grashof {

/// How the bodies are to move: u⁺ of theory.md, "The step", the twists that the impulses of the step leave,
/// at the configuration of its rows.
struct MotionReference {
  /// One per joint coordinate, m/s, rad/s; NaN: left open. Empty: all of them.
  std::vector<double> rates;
  /// One per body, m/s, rad/s: unspecified coordinates follow these twists with least mass-weighted change.
  /// Empty: the twists by joints, springs, dampers and servos, without contacts, limits and dry friction.
  std::vector<Vec6> twists;
  /// One per entry of contacts(): (t, o, n) of its frame on body B, N. Where a rigid contact leaves its force
  /// open, this is the force. Of one that slides only the normal part counts: friction is μ times as large,
  /// against the motion. Empty: none.
  std::vector<Vec3> forces;
};

struct ContactInverseOptions {
  MotionImpulseOptions impulses;
  /// m/s: a rigid contact that the reference approaches, or leaves by less, stays closed. The reference is
  /// moved there. A gap of g counts as g/Δt.
  double closingSpeed = 1e-3;
  double stickingSpeed = 1e-6;  ///< m/s: closed contacts that slide by less do not slide
};

/// Result of one step. `impulse` solves the step exactly together with efforts and residual:
///   M (twists - u_f) = Jᵀ impulse + Δt (Sᵀ efforts + residual),  S the coordinate rows of the drives.
struct ContactInverseStep {
  std::vector<Vec6> twists;   ///< of the reference, once it fits joints and contacts; m/s, rad/s
  std::vector<double> rates;  ///< of all joint coordinates with them, m/s, rad/s
  double change = 0.0;        ///< largest |rates asked for - rates|, m/s, rad/s
  /// Largest velocity (m/s, rad/s) of a rigid joint or closed contact that is left, because such rows
  /// contradict each other; rounding otherwise. What a step then does differs from `twists` by as much.
  double violation = 0.0;
  std::vector<double> impulse;  ///< of all rows of problem(), N·s, N·m·s
  /// One per actuator, as Inputs::control takes them: N, N·m; NaN of those that are no drives. What exceeds
  /// the limit of a drive is not cut off here, but in a step.
  std::vector<double> efforts;
  /// What no drive and no joint can exert, by body: force (N) and moment (N·m) at its centre of mass, world
  /// axes. Of all splits it is the one with the least rᵀ M⁻¹ r. Applied as Inputs::wrench, it makes up for
  /// the drives that are missing.
  std::vector<Vec6> residual;
  std::vector<char> closed;  ///< one per contact: rigid, and kept closed by moving the reference
  MotionImpulseReport contacts;

  /// Largest force of the residual on a body, N.
  double residualForce() const;
};

/// Inverse dynamics of the steps of one model. Effort actuators are the drives, see knownEffort(); all else
/// takes part as in a step: other actuators, springs, soft contacts by their laws, dry friction and limits as
/// far as the motion determines their impulses.
class ContactInverseDynamics {
 public:
  /// Throws CallError for what a state alone does not tell, springs of contact tangents, and for friction
  /// that depends on loads.
  explicit ContactInverseDynamics(std::shared_ptr<const Model> model);

  /// Assembles the rows of the step from `state` as a simulator makes it after setState(). `inputs`: wrenches
  /// and other controls; those of drives are ignored. Throws CallError as Simulator::setState().
  void prepare(const State& state, const Inputs& inputs);
  void prepare(const State& state) { prepare(state, neutralInputs(*model_)); }

  /// Of the last prepare(): contacts, the problem without the efforts of drives, and where it stands.
  std::span<const Contact> contacts() const { return contacts_; }
  const DualProblem& problem() const { return problem_; }
  std::span<const Pose> poses() const { return simulator_.record().poses; }
  std::span<const ActuatorId> actuators() const { return simulator_.actuators(); }
  /// Whether an actuator is a drive, one per actuator.
  std::span<const char> drives() const { return drives_; }

  /// Solves for one reference after prepare(). Impulses of contacts first, by motionImpulses(); then joints
  /// and drives share what is left of M (u - u_f). Redundant drives share by least squares. Throws CallError
  /// for sizes that do not fit and for forces that are not finite or pull.
  ContactInverseStep solve(const MotionReference& reference, const ContactInverseOptions& options = {});

 private:
  enum class SoftRows { None, All, OfChange };
  void checkReference(const MotionReference& reference) const;
  void clearEquations();
  void addJoints(SoftRows soft);
  void addCoordinate(ActuatorId place, double bias);
  void addContactRows(std::size_t contact, bool tangents);
  void solveEquations(std::span<Vec6> twist);
  void rowVelocitiesAt(std::span<const Vec6> twist, std::vector<double>& velocity) const;
  void moveReference(const MotionReference& reference, const ContactInverseOptions& options,
                     ContactInverseStep& step);
  void closeContacts(const MotionReference& reference, const ContactInverseOptions& options,
                     ContactInverseStep& step);
  void startContacts(const MotionReference& reference, ContactInverseStep& step);
  void shareEfforts(ContactInverseStep& step);

  std::shared_ptr<const Model> model_;
  Simulator simulator_;
  JointEvaluator joints_;
  std::vector<char> drives_;
  // Of the step that was prepared.
  std::vector<JointGeometry> geometry_;
  DualProblem problem_;
  std::vector<Contact> contacts_;
  // Bilateral equations on the bodies, and their impulses.
  DualProblem equations_;
  KktSystem system_;
  std::vector<int> place_;  // of each equation: its row in problem_, or -1
  std::vector<double> equationImpulse_;
  std::vector<double> velocity_;  // of all rows of problem_ with the reference, closed contacts exactly so
};

}  // namespace grashof
