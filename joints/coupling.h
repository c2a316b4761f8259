#pragma once
/// Couplings between joint coordinates: q_a = ratio q_b + offset, one bilateral row.

#include <string>
#include <string_view>

namespace grashof {

enum class CouplingKind {
  Gear,          ///< two angles (or any two coordinates: mimic)
  Screw,         ///< translation of a cylindrical joint by its own rotation; ratio = pitch / 2π
  RackAndPinion  ///< a translation by an angle; ratio = pinion radius
};

/// One coupling row: f = q_a - ratio q_b - offset, J = J_a(a) - ratio J_a(b); up to four bodies.
struct Coupling {
  std::string name;
  CouplingKind kind = CouplingKind::Gear;
  int jointA = 0, axisA = 0;
  int jointB = 0, axisB = 0;
  double ratio = 1.0;   ///< unit of q_a over unit of q_b
  double offset = 0.0;  ///< m or rad
};

}  // namespace grashof
