#pragma once
/// Integration of smooth motion with error control over the accelerations of ConstrainedMotion, with poses on
/// the joints after every step and output at any time (theory.md, "Smooth motion"): an explicit pair of order
/// 5(4), and backward differences from where stability bounds its steps.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "engine/dynamics/smooth/backward_differences.h"
#include "engine/dynamics/smooth/limit_events.h"
#include "engine/dynamics/smooth/tsitouras.h"

namespace grashof {

/// Moves one model through a smooth stretch of its motion. Its own steps are as long as the accuracy allows
/// and end where they please; results are given at the ends of the model's steps. @pre roughPart(model) is
/// empty.
class SmoothMotion {
 public:
  explicit SmoothMotion(const Model& model);
  /// Whether it moves a model better than a step by impulses, which is exact in free flight. A solver or a
  /// geometric stiffness that is asked for, and forces that the rounding of lengths hides, ask for the
  /// latter.
  static bool serves(const Model& model);

  /// Forgets the steps so far: the next one begins at the state that advance() is given.
  void forget();
  /// Whether the motion was found stiff. It stays so until somebody says otherwise.
  bool stiff() const { return method_ != &explicit_; }
  void setStiff(bool stiff);

  enum class Outcome {
    Made,
    NotNow,  ///< stiff, and inputs have changed: a step by impulses costs less than a start. The state stays
    Failed   ///< no accuracy is to be had at any step, or limits fit no motion; the state stays
  };
  /// Writes poses and twists one step of the model after `state` into it. Efforts and wrenches are held as
  /// `inputs` and `controls` give them: while these stay and no state is set in between, steps may reach far
  /// ahead. Call forget() where it failed. @pre no control is a ramp
  Outcome advance(State& state, std::span<const Control> controls, const Inputs& inputs);

  /// Energy (J) that crossed the border of the mechanism in the last advance().
  const EnergyFlow& work() const { return work_; }
  /// Mean effort of a drive over the last advance(), N or N·m. `k`: index in the list of motorsOf().
  double meanEffort(std::size_t k) const { return meanEffort_[k]; }
  /// Whether limits or rates that jumped gave impulses in the last advance().
  bool struck() const { return !system_.blow().empty() || !events_.blows().empty(); }
  /// Evaluations of the accelerations in the last advance().
  int evaluations() const { return system_.evaluations; }
  /// Largest violation of a joint at the end of the last advance(), m, rad.
  double violation() const { return system_.violation(); }

  /// Loads at the state after the last advance(), and the blows in it, see ConstrainedMotion::writeRecord().
  void writeRecord(const State& state, StepRecord& record);

 private:
  bool step(double horizon);
  bool begin(double time, double instant);
  bool takeEvent();
  void applyEvents();
  double reach() const { return std::min(event_, method_->end()); }
  void changeMethod();
  bool output(double time, State& state);
  void book(const SmoothValues& y);
  double nextBreak(double time) const;

  const Model& model_;
  SmoothSystem system_;
  LimitEvents events_;
  double event_;  // the next one, within the last step, s; infinite: none
  int met_ = 0;   // events in the last advance()
  Tsitouras explicit_;
  std::unique_ptr<BackwardDifferences> implicit_;  // none until the motion is stiff
  SmoothMethod* method_;                           // one of both
  std::unique_ptr<ConstrainedMotion> probe_;       // for records; none until somebody asks
  std::span<const Control> controls_;
  Inputs held_;                                             // those of the present stretch
  bool running_ = false, atBreak_ = false, known_ = false;  // known: held_
  int calm_ = 0;        // calls with the same inputs, counted up to where a stiff motion may start
  double mostAhead_;    // largest ahead_
  double ahead_ = 0.0;  // steps of the model that may be looked ahead
  SmoothValues values_, rates_;
  // Of the last advance().
  EnergyFlow work_;
  std::vector<double> last_;  // quadratures at its end
  std::vector<double> meanEffort_;
};

}  // namespace grashof
