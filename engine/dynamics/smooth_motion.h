#pragma once
/// Integration of smooth motion with error control: the pair of order 5(4) of [Tsitouras 2011] over the
/// accelerations of ConstrainedMotion, with poses on the joints after every step and output at any time
/// (theory.md, "Smooth motion").

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "engine/dynamics/constrained_motion.h"

namespace grashof {

/// Moves one model through a smooth stretch of its motion. Its own steps are as long as the accuracy allows
/// and end where they please; results are given at the ends of the model's steps. @pre roughPart(model) is
/// empty.
class SmoothMotion {
 public:
  explicit SmoothMotion(const Model& model);
  /// Whether it moves a model better than a step by impulses, which is exact in free flight.
  static bool serves(const Model& model);

  /// Forgets the steps so far: the next one begins at the state that advance() is given.
  void forget();

  /// Writes poses and twists one step of the model after `state` into it. Efforts and wrenches are held as
  /// `inputs` and `controls` give them: while these stay and no state is set in between, steps may reach far
  /// ahead. False, with the state as it was, where no accuracy is to be had at any step: call forget() then.
  /// @pre no control is a ramp
  bool advance(State& state, std::span<const Control> controls, const Inputs& inputs);

  /// Energy (J) that crossed the border of the mechanism in the last advance().
  const EnergyFlow& work() const { return work_; }
  /// Mean effort of a drive over the last advance(), N or N·m. `k`: index in the list of motorsOf().
  double meanEffort(std::size_t k) const { return meanEffort_[k]; }
  /// Evaluations of the accelerations in the last advance().
  int evaluations() const { return evaluations_; }
  /// Largest violation of a joint at the end of the last advance(), m, rad.
  double violation() const { return violation_; }

  /// Loads at the state after the last advance(), see ConstrainedMotion::writeRecord().
  void writeRecord(const State& state, StepRecord& record);

 private:
  static constexpr std::size_t kStages = 7;
  /// Bodies, then quadratures: work of actuators, external wrenches, dampers, and efforts of motors.
  using Values = std::vector<double>;

  void begin(const State& state);
  bool step(double horizon);
  bool tryStep(double h, double latest);
  bool evaluate(double time, Values& y, Values& rate, bool onJoints = false);
  bool land(double time, Values& y);
  void takeRates(double time);
  void output(double time, State& state);
  void writeFlow(Values& rate) const;
  double error(const Values& before, const Values& after) const;
  double nextBreak(double time) const;
  bool inputsChanged(const Inputs& inputs) const;
  Instant at(double time) const;
  void unpack(const Values& y);
  void pack(Values& y) const;

  const Model& model_;
  ConstrainedMotion motion_;
  std::unique_ptr<ConstrainedMotion> probe_;  // for records; none until somebody asks
  std::vector<ActuatorId> motors_;
  double size_;  // of the mechanism, m
  std::vector<double> reference_;
  std::span<const Control> controls_;
  const Inputs* inputs_ = nullptr;
  Inputs held_;  // those of the present stretch
  // The last own step, from start_ to end_ (s): values and rates at both ends.
  bool running_ = false, atBreak_ = false, redundant_ = false;
  double start_ = 0.0, end_ = 0.0;
  Values before_, after_, rateBefore_, rateAfter_;
  double next_ = 0.0;       // proposed length, s
  double lastError_ = 0.0;  // relative, of the step before
  double ahead_ = 0.0;      // steps of the model that may be looked ahead
  std::array<Values, kStages> stage_;
  Values trial_, error_;
  std::vector<Pose> poses_;
  std::vector<Vec6> twists_;
  // Of the last advance().
  EnergyFlow work_;
  std::vector<double> last_;  // quadratures at its end
  std::vector<double> meanEffort_;
  int evaluations_ = 0;
  double violation_ = 0.0;
};

}  // namespace grashof
