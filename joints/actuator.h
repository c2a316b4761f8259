#pragma once
/// Actuators of a joint coordinate.

#include <limits>

#include "joints/passive.h"

namespace grashof {

/// One actuator. Its reference is a Signal of the model.
struct Actuator {
  enum class Kind {
    None,
    Effort,    ///< force or torque = reference
    Position,  ///< servo: effort = kp (reference - q) + kd (rate of the reference - q̇)
    Velocity,  ///< servo: effort = kd (reference - q̇)
    Motion     ///< prescribed: q = reference exactly; the effort is a result
  };
  Kind kind = Kind::None;
  int signal = -1;                ///< index into Model::signals
  int motor = -1;                 ///< index into Model::motors; -1: none, ideal
  double proportionalGain = 0.0;  ///< kp, N/m or N·m/rad
  double derivativeGain = 0.0;    ///< kd, N·s/m or N·m·s/rad
  double effortLimit = std::numeric_limits<double>::infinity();  ///< of servos, N or N·m

  bool servo() const { return kind == Kind::Position || kind == Kind::Velocity; }
  /// True if its own limit bounds the effort; see driveBounds() for that of its motor.
  bool limited() const { return effortLimit < std::numeric_limits<double>::max(); }
};

/// Law of a servo over one step. Its effort is evaluated at the end of the step, q_end = q + timeToEnd v⁺,
/// and acts for the whole step: λ = Δt [kp (reference - q_end) + kd (referenceRate - v⁺)]. As in implicit
/// Euler, this is stable for any gains >= 0. `q`: coordinate where the rows are evaluated, m or rad.
/// `reference`: at the end of the step; m or rad, for a velocity servo m/s or rad/s. `referenceRate`: its
/// derivative, unused by a velocity servo. `timestep`: Δt, s. `timeToEnd`: time from the configuration where
/// the rows are evaluated to the end of the step, s.
/// @pre a.servo()
inline LinearLaw servoLaw(const Actuator& a, double q, double reference, double referenceRate,
                          double timestep, double timeToEnd) {
  if (a.kind == Actuator::Kind::Velocity)
    return {a.derivativeGain * timestep, -a.derivativeGain * timestep * reference};
  return {timestep * (a.proportionalGain * timeToEnd + a.derivativeGain),
          timestep * (a.proportionalGain * (q - reference) - a.derivativeGain * referenceRate)};
}

}  // namespace grashof
