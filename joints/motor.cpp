#include "joints/motor.h"

#include <algorithm>

namespace grashof {
namespace {

constexpr double kStill = 1e-6;  // rad/s: a shaft that turns no faster neither drives nor is driven

/// The rate at which two lines of different slopes have the same impulse.
double crossing(const LinearLaw& a, const LinearLaw& b) {
  return -(a.offset - b.offset) / (a.slope - b.slope);
}

/// The part of `line` from the impulse `first` down to `last`, which may be infinite, within ±limit, as a
/// ramp that is 0 where it is nearest to 0.
DriveRamp rampOf(const LinearLaw& line, double first, double last, double limit) {
  DriveRamp ramp;
  first = std::min(first, limit);
  last = std::max(last, -limit);
  if (!(line.slope > 0.0) || !(first > last)) return ramp;
  const double base = std::clamp(0.0, last, first);
  ramp.slope = line.slope;
  ramp.zeroRate = -(base + line.offset) / line.slope;
  ramp.lower = last - base;
  ramp.upper = first - base;
  return ramp;
}

}  // namespace

double Motor::stall() const {
  if (stallTorque < kNone) return stallTorque;
  const bool known = voltage > 0.0 && torqueConstant > 0.0 && resistance > 0.0;
  return known ? torqueConstant * voltage / resistance : kNone;
}

double Motor::noLoad() const {
  if (noLoadSpeed < kNone) return noLoadSpeed;
  return voltage > 0.0 && torqueConstant > 0.0 ? voltage / torqueConstant : kNone;
}

double Motor::lineUse(double torque, double speed) const {
  return std::abs(torque / stall() + speed / noLoad());
}

double Motor::gearedTorque(double load, double speed) const {
  if (std::abs(speed) <= kStill) return load;
  return load * speed > 0.0 ? load / efficiency : load * backEfficiency;
}

double DriveBounds::upper(double rate) const {
  return line() ? std::clamp(stall * (1.0 - rate / noLoad), -limit, limit) : limit;
}

DriveBounds driveBounds(const Actuator& actuator, const Motor* motor) {
  DriveBounds bounds;
  bounds.limit = actuator.effortLimit;
  if (!motor) return bounds;
  const double ratio = motor->gearRatio;
  bounds.limit = std::min(bounds.limit, motor->torqueLimit * ratio);
  if (motor->noLoad() < Motor::kNone) {
    bounds.stall = motor->stall() * ratio;
    bounds.noLoad = motor->noLoad() / ratio;
  } else {
    bounds.limit = std::min(bounds.limit, motor->stall() * ratio);
  }
  return bounds;
}

double DriveRamp::impulse(double rate) const {
  return slope > 0.0 ? std::clamp(-slope * (rate - zeroRate), lower, upper) : 0.0;
}

DriveRamps driveRamps(const LinearLaw& command, const DriveBounds& bounds, double timestep) {
  DriveRamps ramps;
  const double limit = bounds.limit * timestep, end = Motor::kNone;
  if (!bounds.line()) {
    // Its own zero, so that nothing is rounded.
    ramps[kCommandRamp] = {command.slope, -command.offset / command.slope, -limit, limit};
    return ramps;
  }
  const double stall = bounds.stall * timestep, slope = stall / bounds.noLoad;
  const LinearLaw upper{slope, -stall}, lower{slope, stall};
  // Which line holds before and after the command. Where they meet, the impulse is that of the less steep
  // one, which rounding changes less, for both: so the ramps join.
  if (command.slope > slope) {
    const double reached = upper.impulse(crossing(command, upper));
    const double left = lower.impulse(crossing(command, lower));
    ramps[kUpperLineRamp] = rampOf(upper, end, reached, limit);
    ramps[kCommandRamp] = rampOf(command, reached, left, limit);
    ramps[kLowerLineRamp] = rampOf(lower, left, -end, limit);
  } else if (command.slope < slope) {
    const double reached = command.impulse(crossing(command, lower));
    const double left = command.impulse(crossing(command, upper));
    ramps[kLowerLineRamp] = rampOf(lower, end, reached, limit);
    ramps[kCommandRamp] = rampOf(command, reached, left, limit);
    ramps[kUpperLineRamp] = rampOf(upper, left, -end, limit);
  } else if (-command.offset >= stall) {
    ramps[kUpperLineRamp] = rampOf(upper, end, -end, limit);
  } else if (-command.offset <= -stall) {
    ramps[kLowerLineRamp] = rampOf(lower, end, -end, limit);
  } else {
    ramps[kCommandRamp] = rampOf(command, end, -end, limit);
  }
  return ramps;
}

}  // namespace grashof
