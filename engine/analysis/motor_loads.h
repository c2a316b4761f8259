#pragma once
/// Whether the motors of a mechanism are large enough for a run.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/analysis/peak.h"
#include "engine/dynamics/simulator.h"

namespace grashof {

/// What a motor is measured by.
enum class MotorRating {
  Line,    ///< torque-speed line; its use is Motor::lineUse()
  Torque,  ///< torque limit
  Speed,   ///< speed limit
  Rms      ///< continuous torque, by the mean square over the run
};
/// Their names in results, in this order.
inline constexpr std::array<std::string_view, 4> kMotorRatingNames = {"torque-speed-line", "torque-limit",
                                                                      "speed-limit", "rms-torque"};

/// One rating of one motor in a run.
struct MotorCheck {
  MotorRating rating = MotorRating::Line;
  double rated = 0.0;     ///< N·m or rad/s; of the line its stall torque
  Peak use;               ///< what is asked for over what is rated, the largest, and when
  double torque = 0.0;    ///< asked for then, N·m; of Rms the mean
  double speed = 0.0;     ///< then, rad/s
  double first = -1.0;    ///< s, when the rating was exceeded for the first time; -1: never, or Rms
  double exceeded = 0.0;  ///< for how long, s

  bool tooSmall() const { return use.value > 1.0 + 1e-6; }
};

/// A motor in a run. Torques and speeds are those of its shaft.
struct MotorLoad {
  int joint = 0, coordinate = 0;
  int motor = 0;  ///< index into Model::motors
  /// True for servos and effort actuators: what is asked for is their command, which may be more than the
  /// motor gives. Of prescribed motions it is what they take.
  bool commanded = false;
  /// True for an effort on a torque-speed line, a motor on its supply: the command is the supply's voltage,
  /// which the line answers, so that the line is no rating. It is judged by what it gives.
  bool supplied = false;
  Peak torque, speed;  ///< N·m, rad/s
  Peak current;        ///< A; 0 when not known
  double torqueRms = 0.0, currentRms = 0.0;
  double heat = 0.0;               ///< lost in the winding, J
  std::vector<MotorCheck> checks;  ///< of the ratings that the motor has

  /// The check with the largest use; null without ratings.
  const MotorCheck* worst() const;
  bool tooSmall() const { return worst() && worst()->tooSmall(); }
};

/// Torque (N·m) of motor k of simulator.motors() over the last step. Where statics leaves the efforts of
/// drives open it is that of JointLoads.
double motorTorque(const Simulator& simulator, std::size_t k);

/// A motor in one step, at its shaft.
struct MotorSample {
  double torque = 0.0, speed = 0.0;            ///< N·m, rad/s
  double askedTorque = 0.0, askedSpeed = 0.0;  ///< what is judged
};

/// Follows a run and collects what its motors did.
class MotorLoadsObserver {
 public:
  explicit MotorLoadsObserver(const Model& model);

  std::vector<MotorSample> sample(const Simulator& simulator) const;  ///< the last step
  /// Takes the step of motor `k` that ended at `time` (s).
  void add(std::size_t k, const MotorSample& sample, double time);
  ActuatorId placeOf(std::size_t k) const { return {loads_[k].joint, loads_[k].coordinate}; }
  /// The motors of the run. Call it once, after the last step.
  std::vector<MotorLoad> finish();

 private:
  void check(MotorLoad& load, double torque, double speed, double time) const;

  const Model& model_;
  std::vector<MotorLoad> loads_;
  std::vector<std::int64_t> steps_;  // of each motor
  double time_ = 0.0;                // s, of the last step
};

}  // namespace grashof
