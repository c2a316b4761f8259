#pragma once
/// Mechanical energy of a state.

#include <span>

#include "engine/base/archive.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/model/model.h"

namespace grashof {

/// J. `kinetic` includes armatures.
struct Energy {
  double kinetic = 0.0;
  double potential = 0.0;  ///< gravity, zero at the world origin
  double elastic = 0.0;    ///< springs of joints, force elements, bushings; compliances
  double total() const { return kinetic + potential + elastic; }
  void archive(Archive& archive) { archive(kinetic, potential, elastic); }
};

/// Energy that crossed the border of the mechanical system since the start, J.
struct EnergyFlow {
  double actuators = 0.0;   ///< work done by actuators and prescribed motions
  double external = 0.0;    ///< work done by external wrenches
  double dissipated = 0.0;  ///< removed by dampers, dry friction, limits, contacts and what is soft
  void archive(Archive& archive) { archive(actuators, external, dissipated); }
};

/// Of poses, twists and the joint geometry evaluated at the poses, at `time` (s). Without the compliances of
/// contacts: see EnergyLedger::inContacts().
Energy mechanicalEnergy(const Model& model, double time, std::span<const Pose> poses,
                        std::span<const Vec6> twists, std::span<const JointGeometry> geometry);

}  // namespace grashof
