#pragma once
/// The energy balance of a run: stored energy, energy that crossed the border of the system, and drift.

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "contacts/contact.h"
#include "engine/base/softness.h"
#include "engine/dynamics/account/energy.h"
#include "engine/dynamics/rows/step_record.h"

namespace grashof {

/// Adds up the work of everything that acts in a step. The work of a row is its impulse times its mean
/// velocity; with the velocities before and after at the same configuration this balances the change of
/// kinetic energy exactly: ½ u⁺ᵀ M u⁺ - ½ u⁻ᵀ M u⁻ = ½ (u⁺ + u⁻)ᵀ Jᵀ λ. See theory.md, "Energy".
class EnergyLedger {
 public:
  explicit EnergyLedger(const Model& model);

  /// Begins a new balance at a state with the energy `initial`.
  void reset(const Energy& initial);
  /// Adds the work of a step that was solved. `geometry`: joints where the rows were evaluated. `stiffness`:
  /// the geometric stiffness used in the step, one per body. `controls`: see referenceOf(). `contacts`: of
  /// the step, one per contact of the problem.
  void addStep(const StepRecord& record, std::span<const JointGeometry> geometry,
               std::span<const Mat3> stiffness, std::span<const Control> controls,
               std::span<const Contact> contacts);
  /// Adds what crossed the border in a step that has no rows.
  void addFlow(const EnergyFlow& flow) {
    flow_.actuators += flow.actuators;
    flow_.external += flow.external;
    flow_.dissipated += flow.dissipated;
    begun_ = true;
  }
  /// Adds work (J) of prescribed motions outside of rows, as in a projection of the twists.
  void addMotionWork(double work) { flow_.actuators += work; }
  /// Adds the energy (J) that displacements gave to the bodies when they took back a penetration; it counts
  /// against what contacts have dissipated.
  void addRecovery(double energy) { flow_.dissipated -= energy; }
  /// Records the energy at the end of a step; exchanged() depends on it.
  void observe(const Energy& now);

  const EnergyFlow& flow() const { return flow_; }
  const Energy& initial() const { return initial_; }
  /// Energy in the compliances of the contacts at the end of the last step, as far as its rows foresaw them,
  /// J.
  double inContacts() const { return inContacts_; }
  /// The most energy that gravity, springs, actuators, the initial motion and what was deep in soft contacts,
  /// limits and joints at the start have moved so far, J.
  double exchanged() const { return exchanged_; }
  /// Energy that appeared (+) or vanished (-) without a known cause when the energy is `now`, J.
  double drift(const Energy& now) const;
  /// An energy (J) over exchanged(); 0 while exchanged() is negligible.
  double relative(double energy) const;
  void archive(Archive& archive) { archive(flow_, initial_, exchanged_, inContacts_, held_, given_, begun_); }

 private:
  void addBodyWork(const StepRecord& record, std::span<const Mat3> stiffness);
  void addSoftJointWork(const StepRecord& record, std::size_t joint, const JointGeometry& geometry);
  void addCoordinateWork(const StepRecord& record, std::size_t joint, std::size_t coordinate);
  void addLimitWork(const StepRecord& record, std::size_t joint, std::size_t coordinate,
                    const JointGeometry& geometry);
  void addContactWork(const StepRecord& record, std::span<const Contact> contacts);
  void addElementWork(const StepRecord& record);
  void addRelease(const StepRecord& record, const Softness& softness, int row, double residual);
  double released() const { return std::min(given_, held_); }
  void addFrictionWork(const StepRecord& record, std::initializer_list<RowKind> kinds);
  double work(const StepRecord& record, int row) const {
    return record.solution.impulse[row] * meanVelocity_[row];
  }

  const Model* model_;
  EnergyFlow flow_;
  Energy initial_;
  double exchanged_ = 0.0, inContacts_ = 0.0;
  double held_ = 0.0;   // at the start by soft rows that store nothing, as springs of their forces, J
  double given_ = 0.0;  // by these since then, what others of them took not subtracted, J
  bool begun_ = false;  // held_ is known
  std::vector<Vec6> meanTwist_;
  std::vector<double> meanVelocity_;  // one per row
};

}  // namespace grashof
