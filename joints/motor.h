#pragma once
/// Motors with gears: what a data sheet tells, and the law of a drive that has such a motor.
///
/// At the supply's voltage U a permanent-magnet motor has the torque-speed line T(ω) = Ts (1 - ω/ω0): with
/// the torque constant k (N·m/A, the same number as the back electromotive force in V·s/rad) and the
/// winding's resistance R, U = R I + k ω and T = k I give Ts = k U/R and ω0 = U/k. The voltage may have
/// either sign, so that torques lie between -Ts (1 + ω/ω0) and Ts (1 - ω/ω0). See theory.md, "Motors".

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "joints/actuator.h"
#include "joints/passive.h"

namespace grashof {

/// A motor and its gear. All values but the ratio and the efficiencies are at the motor's shaft.
struct Motor {
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  std::string name;
  double gearRatio = 1.0;  ///< turns of the shaft per turn of the coordinate; of a translation rad/m; > 0
  /// Power behind the gear over power before it, in (0, 1]: with the motor driving, and with the load driving
  /// it backwards. Servos and efforts feel it as friction of the gear; prescribed motions do not, for their
  /// effort is what the gear transmits, but analyses of loads count it.
  double efficiency = 1.0, backEfficiency = 1.0;
  double rotorInertia = 0.0;    ///< kg·m²
  double stallTorque = kNone;   ///< N·m, at rest; none: of voltage, torque constant and resistance
  double noLoadSpeed = kNone;   ///< rad/s; none: of voltage and torque constant
  double torqueLimit = kNone;   ///< N·m; acts on servos and efforts, as of an amplifier
  double speedLimit = kNone;    ///< rad/s; a rating, which does not act
  double rmsTorque = kNone;     ///< N·m, continuous; a rating
  double torqueConstant = 0.0;  ///< N·m/A; 0: not known
  double resistance = 0.0;      ///< of the winding, Ω; 0: not known
  double voltage = 0.0;         ///< of the supply, V; 0: not known

  /// Ends of the torque-speed line: as given, or k U/R and U/k. kNone when neither is known.
  double stall() const;
  double noLoad() const;
  /// Inertia of the rotor as the coordinate sees it, kg·m² or kg.
  double reflectedInertia() const { return rotorInertia * gearRatio * gearRatio; }
  /// Current (A) of a torque (N·m), and the power (W) that it loses in the winding; 0 when not known.
  double current(double torque) const { return torqueConstant > 0.0 ? torque / torqueConstant : 0.0; }
  double copperLoss(double torque) const { return resistance * current(torque) * current(torque); }
  /// |T/Ts + ω/ω0|: the voltage that torque (N·m) and speed (rad/s) need at once, over that of the line; more
  /// than 1 lies beyond the line. 0 without a stall torque.
  double lineUse(double torque, double speed) const;
  /// Torque at the shaft (N·m) behind which the gear transmits `load` (N·m at the shaft, by the ratio alone):
  /// load / efficiency when the motor drives, load · backEfficiency when the load drives it. `speed`: of the
  /// shaft, rad/s; at rest the load as it is.
  double gearedTorque(double load, double speed) const;
};

/// Bounds of the effort of a drive at its coordinate: its torque-speed line, within ± a limit.
struct DriveBounds {
  double stall = Motor::kNone;   ///< N or N·m
  double noLoad = Motor::kNone;  ///< m/s or rad/s
  double limit = Motor::kNone;   ///< N or N·m, > 0

  bool line() const { return noLoad < Motor::kNone; }
  /// True if anything bounds the effort.
  bool bounded() const { return line() || limit < std::numeric_limits<double>::max(); }
  /// The largest and the least effort at a rate (m/s, rad/s).
  double upper(double rate) const;
  double lower(double rate) const { return -upper(-rate); }
};

/// Bounds of an actuator with `motor`, which may be null. A stall torque without a no-load speed is a limit.
DriveBounds driveBounds(const Actuator& actuator, const Motor* motor);

/// A saturated ramp: λ = clamp(-slope (v - zeroRate), lower, upper), an impulse (N·s, N·m·s) over the rate v.
/// As an interval row: bias -zeroRate, compliance 1/slope. Slope 0: there is no ramp.
struct DriveRamp {
  double slope = 0.0;               ///< kg or kg·m²
  double zeroRate = 0.0;            ///< m/s or rad/s
  double lower = 0.0, upper = 0.0;  ///< lower <= 0 <= upper

  double impulse(double rate) const;
};

/// Indices of the ramps of a drive, by what sets their slope.
enum DriveRampKind { kCommandRamp = 0, kUpperLineRamp = 1, kLowerLineRamp = 2, kDriveRamps = 3 };
using DriveRamps = std::array<DriveRamp, kDriveRamps>;

/// The law of a drive over a step Δt: its command λ(v), clamped between the lines and then to ± the limit,
///   λ = clamp(clamp(command(v), lo(v), hi(v)), -limit Δt, limit Δt),   hi = Δt stall (1 - v/noLoad),
///                                                                     lo = -Δt stall (1 + v/noLoad),
/// as a sum of ramps: exactly, at any rate v. `command.slope` may be 0 when there is a line: an effort.
/// @pre bounds.line() or command.slope > 0
DriveRamps driveRamps(const LinearLaw& command, const DriveBounds& bounds, double timestep);

}  // namespace grashof
