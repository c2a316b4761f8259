#pragma once
/// What the motors of a model did: torque, speed and heat (theory.md, "Motors").

#include <vector>

#include "engine/base/archive.h"
#include "engine/dynamics/kinematics/inputs.h"

namespace grashof {

/// The joint coordinates whose actuators have a motor, in the order of the joints' coordinates.
std::vector<ActuatorId> motorsOf(const Model& model);

/// Follows the motors of a run, in the order of motorsOf(). Keeps a reference to the model. Torques and
/// speeds are those of the motor's shaft, and the torques those of the magnetic field: what turns the rotor
/// is in them.
class MotorLedger {
 public:
  explicit MotorLedger(const Model& model);

  std::size_t count() const { return places_.size(); }
  ActuatorId place(std::size_t k) const { return places_[k]; }
  const Motor& motor(std::size_t k) const;

  /// Starts anew; then setRate() of each.
  void reset();
  /// Rate of the coordinate at the start, m/s or rad/s.
  void setRate(std::size_t k, double rate) { uses_[k].rate = rate; }
  /// Adds a step: mean effort (N or N·m) of the drive, and the rate of its coordinate at the end.
  void addStep(std::size_t k, double effort, double rate);
  /// Ends a step of all motors.
  void finishStep() { time_ += timestep_; }

  /// Torque (N·m) of motor k over the last step when its drive has this effort (N or N·m). Of prescribed
  /// motions with the losses of the gear: efforts of servos and effort actuators are what the motor gives,
  /// those of motions what the gear has to transmit.
  double shaftTorque(std::size_t k, double effort) const;
  /// The same at the acceleration of its coordinate, m/s² or rad/s².
  double shaftTorque(std::size_t k, double effort, double acceleration) const;

  // Over the last step; 0 before it.
  double torque(std::size_t k) const { return uses_[k].torque; }  ///< N·m, mean
  double speed(std::size_t k) const;                              ///< rad/s, at the end
  // Since the start.
  double heat(std::size_t k) const { return uses_[k].heat; }  ///< lost in the winding, J
  double torqueRms(std::size_t k) const;                      ///< N·m

  void archive(Archive& archive);

 private:
  struct Use {
    double rate = 0.0, rateBefore = 0.0;  // of the coordinate
    double torque = 0.0;
    double heat = 0.0, torqueSquared = 0.0;  // J, N²·m²·s

    void archive(Archive& archive) { archive(rate, heat, torqueSquared); }
  };

  const Actuator& actuator(std::size_t k) const;

  const Model* model_;
  double timestep_;
  std::vector<ActuatorId> places_;
  std::vector<Use> uses_;
  double time_ = 0.0;  // s, since the start
};

}  // namespace grashof
