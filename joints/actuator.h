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
    Position,  ///< servo: kp (reference - q) + kd (rate of reference - q̇)
    Velocity,  ///< servo: kd (reference - q̇)
    Motion     ///< prescribed: q = reference exactly, whatever effort it takes
  };
  Kind kind = Kind::None;
  int signal = -1;                                               ///< index into Model::signals
  double proportionalGain = 0.0;                                 ///< kp, N/m or N·m/rad
  double derivativeGain = 0.0;                                   ///< kd, N·s/m or N·m·s/rad
  double effortLimit = std::numeric_limits<double>::infinity();  ///< N or N·m

  bool servo() const { return kind == Kind::Position || kind == Kind::Velocity; }
  bool limited() const { return effortLimit < std::numeric_limits<double>::max(); }
};

/// A servo's law at the end of the step (stable for any gains). `ahead`: time from the configuration where
/// rows are evaluated to the end of the step, so that q_end = q + ahead v⁺. Reference and rate at the end of
/// the step.
inline LinearLaw servoLaw(const Actuator& a, double q, double reference, double referenceRate,
                          double timestep, double ahead) {
  if (a.kind == Actuator::Kind::Velocity)
    return {a.derivativeGain * timestep, -a.derivativeGain * timestep * reference};
  return {timestep * (a.proportionalGain * ahead + a.derivativeGain),
          timestep * (a.proportionalGain * (q - reference) - a.derivativeGain * referenceRate)};
}

}  // namespace grashof
