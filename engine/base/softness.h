#pragma once
/// Compliance of joints, limits and contacts: rigid, a physical compliance, or MuJoCo's impedance (TR
/// 103-110).

#include <algorithm>
#include <cmath>

namespace grashof {

/// How a group of rows gives way. r is the residual of the row: f of a joint, the gap (negative inside) of a
/// limit or contact.
struct Softness {
  enum class Kind {
    Rigid,
    Compliant,  ///< r = -c f, f the force: a spring of stiffness 1/c without a damper, implicit in time
    Impedance   ///< the acceleration along the row is (1 - d) a₀ - d (b v + k r), d = d(r) in (0, 1)
  };
  Kind kind = Kind::Rigid;
  double compliance = 0.0;  ///< c, m/N or rad/(N·m)
  // MuJoCo's solimp and solref, with its defaults.
  double impedance0 = 0.9, impedanceWidth = 0.95;  ///< d₀ at r = 0, d_w at |r| >= width, in (0, 1)
  double width = 1e-3;                             ///< m or rad
  double midpoint = 0.5, power = 2.0;              ///< of the sigmoid between them
  double timeConstant = 0.02, dampingRatio = 1.0;  ///< T in s, ζ; T is kept above 2 Δt

  bool soft() const { return kind != Kind::Rigid; }
};

/// d(r): TR 103-104; MuJoCo documentation, "solver parameters".
inline double impedanceAt(const Softness& s, double residual) {
  const double x = std::abs(residual) / s.width;
  double y = 1.0;
  if (x < s.midpoint)
    y = std::pow(x, s.power) / std::pow(s.midpoint, s.power - 1.0);
  else if (x < 1.0)
    y = 1.0 - std::pow(1.0 - x, s.power) / std::pow(1.0 - s.midpoint, s.power - 1.0);
  return s.impedance0 + y * (s.impedanceWidth - s.impedance0);
}

/// v⁺ + bias + R λ = 0 of one soft row.
struct SoftRow {
  double bias = 0.0;        ///< m/s, rad/s
  double compliance = 0.0;  ///< R, per N·s or N·m·s
};

/// The row of a softness. `velocity`: J u⁻, `delassus`: D_ii, `timestep`: Δt. Impedance: R = (1-d)/d D_ii and
/// v⁺ = v⁻ + Δt a_ref with a_ref = -b v⁻ - k r, b = 2/(d_w T), k = d/(d_w² T² ζ²) (TR 105-106 is garbled;
/// these are MuJoCo's). Compliant: r + Δt v⁺ = -c λ/Δt. Not for rigid rows.
inline SoftRow softRow(const Softness& s, double residual, double velocity, double delassus,
                       double timestep) {
  if (s.kind == Softness::Kind::Compliant) return {residual / timestep, s.compliance / (timestep * timestep)};
  const double d = impedanceAt(s, residual);
  const double time = std::max(s.timeConstant, 2.0 * timestep);
  const double damping = 2.0 / (s.impedanceWidth * time);
  const double stiffness = d / std::pow(s.impedanceWidth * time * s.dampingRatio, 2);
  return {-velocity + timestep * (damping * velocity + stiffness * residual), (1.0 - d) / d * delassus};
}

/// The softer of two: a rigid one gives way to a soft one, a compliance to a larger one, an impedance to a
/// slower one; a compliance goes before an impedance.
inline const Softness& softer(const Softness& a, const Softness& b) {
  if (a.kind != b.kind) {
    if (!a.soft() || !b.soft()) return a.soft() ? a : b;
    return a.kind == Softness::Kind::Compliant ? a : b;
  }
  const bool second =
      a.kind == Softness::Kind::Compliant ? b.compliance > a.compliance : b.timeConstant > a.timeConstant;
  return second ? b : a;
}

}  // namespace grashof
