#pragma once
/// Whose the rows of a dual problem are. Solvers carry it and never read it.

#include <cstddef>
#include <cstdint>

namespace grashof {

/// What a row is for. `item` of its owner is an index of the model, of contacts of the step; `part` counts
/// the rows of an item.
enum class RowKind : std::int8_t {
  Constraint,        ///< of joint `item`: its constraint number `part`
  Motion,            ///< along coordinate `part` of joint `item`: its prescribed motion
  Law,               ///< the same: spring, damper, rotor and servo together
  Drive,             ///< the same: ramp `part` % kDriveRamps of coordinate `part` / kDriveRamps
  Friction,          ///< along coordinate `part` of joint `item`
  Lower,             ///< the same: its lower limit
  Upper,             ///< the same
  Coupling,          ///< coupling `item`
  CouplingFriction,  ///< the same
  Velocity,          ///< constraint `item` on velocities
  Force,             ///< force element `item` where it acts both ways
  Taut,              ///< force element `item` where it acts one way
  Across,            ///< across the lines of force element `item`
  Pulley,            ///< friction on the pulleys of force element `item`, from the last one on
  Bushing,           ///< bushing `item`, its direction `part`
  Turning,           ///< friction of contact `item` of the step against rolling and torsion
  Contact,           ///< contact `item` of the step: tangents and normal
};
constexpr std::size_t kRowKinds = static_cast<std::size_t>(RowKind::Contact) + 1;

struct RowOwner {
  RowKind kind = RowKind::Constraint;
  std::int16_t part = 0;
  std::int32_t item = -1;
};

}  // namespace grashof
