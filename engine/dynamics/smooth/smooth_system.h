#pragma once
/// What the methods for smooth motion share: the values of a mechanism in one vector, their rates, errors and
/// the way back onto the joints (theory.md, "Smooth motion").

#include <span>
#include <vector>

#include "engine/dynamics/smooth/constrained_motion.h"

namespace grashof {

/// Values of all bodies, kBodyValues each (position, quaternion as x, y, z, w, twist), then quadratures: work
/// of actuators, of external wrenches and of dampers (J), the forces of held limits over time, the efforts of
/// motors over time.
using SmoothValues = std::vector<double>;
constexpr std::size_t kBodyValues = 13;
constexpr std::size_t kFlows = 4;  // the works and the forces of limits

/// q̇ = ½ (ω, 0) q, both four numbers.
void quaternionRate(const double* quaternion, const Vec3& spin, double* rate);

/// One model at one instant after another, by values. @pre roughPart(model) is empty
class SmoothSystem {
 public:
  explicit SmoothSystem(const Model& model);

  const Model& model() const { return model_; }
  std::size_t values() const { return flows() + kFlows + motors_.size(); }
  /// Index of the first quadrature.
  std::size_t flows() const { return kBodyValues * poses.size(); }
  std::size_t motors() const { return motors_.size(); }

  /// What acts from now on. Both must stay where they are.
  void setInputs(std::span<const Control> controls, const Inputs& inputs);
  /// The values at `state`, with quadratures of 0.
  void take(const State& state, SmoothValues& y);

  /// Poses and twists from values, and back.
  void unpack(const SmoothValues& y);
  void pack(SmoothValues& y) const;
  Instant at(double time) const { return {time, poses, twists, reference_, controls_, *inputs_}; }

  /// The rates of all values at `y`. `onJoints`: at the state that is nearest on the joints, which replaces
  /// `y`; with the factorization that motion().keepFactor() kept.
  bool evaluate(double time, SmoothValues& y, SmoothValues& rate, bool onJoints = false);
  /// Rates of the quadratures as of the last instant of `motion`.
  void writeFlows(const ConstrainedMotion& motion, double* rate) const;
  /// Changes the twists of `y` to the rates that motions and held limits ask for at `time`, and books the
  /// work. False: nothing to change. @pre the last instant of motion() is this
  bool takeRates(SmoothValues& y);
  /// Impulses of the rows of joints, motions and couplings, then of rotors, in takeRates() since
  /// forgetBlow(); empty: none.
  std::span<const double> blow() const {
    return blew_ ? std::span<const double>(blow_) : std::span<const double>();
  }
  /// What motor `k` gave of them, N·s, N·m·s.
  double motorBlow(std::size_t k) const;
  void forgetBlow() { blew_ = false; }

  /// Poses onto the joints and twists onto the rates of rows, both by the last factorization of `motion`.
  /// False where that does not reach.
  bool land(ConstrainedMotion& motion, double time, SmoothValues& y);
  /// Poses onto the joints to the tolerance of the model; sets violation().
  void settle(ConstrainedMotion& motion, double time);
  /// Coordinates near which angles are unwrapped from now on: those of the last instant of `motion`.
  void follow(const ConstrainedMotion& motion);

  /// The largest part of `error` over what the accuracy allows.
  double measure(const SmoothValues& error, const SmoothValues& before, const SmoothValues& after) const;
  /// The norm of a difference of values of bodies, over the size of the mechanism; twists over 10/s.
  double distance(const SmoothValues& a, const SmoothValues& b) const;

  ConstrainedMotion& motion() { return motion_; }
  double violation() const { return violation_; }  ///< of joints at the last end, m, rad

  std::vector<Pose> poses;   ///< of the instant
  std::vector<Vec6> twists;  ///< of the instant
  int evaluations = 0;       ///< of accelerations

 private:
  const Model& model_;
  ConstrainedMotion motion_;
  std::vector<ActuatorId> motors_;
  double size_;  // of the mechanism, m
  double mass_;  // of the lightest body, kg
  std::vector<double> reference_;
  std::span<const Control> controls_;
  const Inputs* inputs_ = nullptr;
  double violation_ = 0.0;
  bool blew_ = false;
  std::vector<double> blow_;
};

/// A method that moves the values step by step. Its steps end where they please.
class SmoothMethod {
 public:
  virtual ~SmoothMethod() = default;

  /// Goes on at `time` (s) from values and rates that differ from what it has.
  virtual void begin(double time, const SmoothValues& y, const SmoothValues& rate) = 0;
  /// One step that ends at `farthest` (s) at most; `latest`: where inputs are looked up at most. False where
  /// no accuracy is to be had.
  virtual bool step(double farthest, double latest) = 0;
  /// The values at a time within the last step.
  virtual void interpolate(double time, SmoothValues& y) const = 0;
  /// The values at the end of the last step.
  virtual const SmoothValues& values() const = 0;
  /// Its accelerations; the last factorization is one of the last step.
  virtual ConstrainedMotion& motion() = 0;
  /// Whether kinks in the rates of inputs are stepped over.
  virtual bool overKinks() const { return false; }
  double end() const { return end_; }  ///< of the last step, s

 protected:
  double end_ = 0.0;
};

/// The length (s) of the next step where accuracy asks for `proposed` and `room` is left: two equal ones
/// rather than a long and a tiny one.
double sharedStep(double proposed, double room);

}  // namespace grashof
