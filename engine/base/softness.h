#pragma once
/// Softness of joints, limits and contacts: rigid, a physical compliance, MuJoCo's impedance, or a share and
/// a force mixing of their own (theory.md, "Softness").

#include <algorithm>
#include <cmath>

namespace grashof {

/// How a group of rows yields. r is the residual of the row: f of a joint (m, rad), the gap of a limit or
/// contact (negative inside).
struct Softness {
  enum class Kind {
    Rigid,
    Compliant,  ///< r = -c f for the force f: a spring of stiffness 1/c without a damper, implicit in time
    Impedance,  ///< acceleration along the row (1 - d) a₀ - d (b v + k r): a₀ without the row, d(r) in (0, 1)
    Mixing      ///< v⁺ = -(erp/Δt) r - cfm f: a share of the residual per step, and a force that yields
  };
  Kind kind = Kind::Rigid;
  double compliance = 0.0;  ///< c, m/N or rad/(N·m)
  double erp = 0.2;         ///< share of r that is corrected per step, in [0, 1]
  double cfm = 0.0;         ///< (m/s)/N or (rad/s)/(N·m), >= 0
  // solimp and solref of MuJoCo, with its defaults.
  double impedance0 = 0.9, impedanceWidth = 0.95;  ///< d₀ at r = 0, d_w at |r| >= width, in (0, 1)
  double width = 1e-3;                             ///< m or rad
  double midpoint = 0.5, power = 2.0;              ///< of the sigmoid from d₀ to d_w
  double timeConstant = 0.02, dampingRatio = 1.0;  ///< T in s, ζ; softRow() uses max(T, 2 Δt)
  /// Of an impedance: the inverse inertia along the row that (1-d)/d counts, 1/kg or 1/(kg m²), as of the
  /// whole mechanism; 0: that of the bodies of the row alone.
  double mobility = 0.0;
  /// Of the impedance of a contact: how much less its tangents yield than its normal, over the inverse
  /// inertia of each; above 0.
  double impedanceRatio = 1.0;

  bool soft() const { return kind != Kind::Rigid; }
};

/// Impedance d(r) = d₀ + y(x) (d_w - d₀) with x = |r| / width, midpoint m and power p:
///   y = x^p / m^(p-1) for x < m,  1 - (1 - x)^p / (1 - m)^(p-1) for m <= x < 1,  1 beyond
/// ([MuJoCo], "Solver parameters"). `residual`: r, m or rad.
inline double impedanceAt(const Softness& s, double residual) {
  const double x = std::abs(residual) / s.width;
  double y = 1.0;
  if (x < s.midpoint)
    y = std::pow(x, s.power) / std::pow(s.midpoint, s.power - 1.0);
  else if (x < 1.0)
    y = 1.0 - std::pow(1.0 - x, s.power) / std::pow(1.0 - s.midpoint, s.power - 1.0);
  return s.impedance0 + y * (s.impedanceWidth - s.impedance0);
}

/// Energy that the spring of a compliance stores at the residual r (m, rad), r²/2c, J. An impedance is a law
/// of accelerations and stores nothing; a mixing depends on the step and counts as storing nothing.
inline double storedEnergy(const Softness& s, double residual) {
  return s.kind == Softness::Kind::Compliant ? 0.5 * residual * residual / s.compliance : 0.0;
}

/// One soft row, v⁺ + bias + R λ = 0. For limits and contacts the condition is v⁺ + bias + R λ >= 0,
/// complementary to λ >= 0.
struct SoftRow {
  double bias = 0.0;        ///< m/s, rad/s
  double compliance = 0.0;  ///< R, per N·s or N·m·s
};

/// The soft row v⁺ + bias + R λ = 0 at the residual r (m, rad).
/// Impedance ([MuJoCo], "Solver parameters"): reference acceleration a_ref = -b v⁻ - k r with b = 2/(d_w T)
/// and k = d/(d_w T ζ)²; bias = -(v⁻ + Δt a_ref), R = (1-d)/d D_ii, or that of s.mobility instead of D_ii
/// where it is given. Alone, the row then moves with the
/// acceleration (1 - d) a₀ + d a_ref. Compliance: r + Δt v⁺ = -c λ/Δt, the spring at the end of the step; so
/// bias = r/Δt, R = c/Δt². Mixing: bias = erp r/Δt, R = cfm/Δt, as of a spring erp/(cfm Δt) and a damper
/// (1 - erp)/cfm at the end of the step [ODE]. `velocity`: v⁻ = J u⁻, m/s or rad/s. `delassus`: D_ii = (J M⁻¹
/// Jᵀ)_ii. `timestep`: Δt, s.
/// @pre s.soft()
inline SoftRow softRow(const Softness& s, double residual, double velocity, double delassus,
                       double timestep) {
  if (s.kind == Softness::Kind::Compliant) return {residual / timestep, s.compliance / (timestep * timestep)};
  if (s.kind == Softness::Kind::Mixing) return {s.erp * residual / timestep, s.cfm / timestep};
  const double d = impedanceAt(s, residual);
  const double time = std::max(s.timeConstant, 2.0 * timestep);
  const double damping = 2.0 / (s.impedanceWidth * time);
  const double stiffness = d / std::pow(s.impedanceWidth * time * s.dampingRatio, 2);
  return {-velocity + timestep * (damping * velocity + stiffness * residual),
          (1.0 - d) / d * (s.mobility > 0.0 ? s.mobility : delassus)};
}

/// The same of a gap, which may close within the step where it is open: a share is of what is crossed only.
inline SoftRow softGapRow(const Softness& s, double gap, double velocity, double delassus, double timestep) {
  SoftRow row = softRow(s, gap, velocity, delassus, timestep);
  if (s.kind == Softness::Kind::Mixing && gap >= 0.0) row.bias = gap / timestep;
  return row;
}

/// The softer of two, for a pair of materials: soft before rigid, compliance before impedance before mixing;
/// of two compliances or mixings the larger one (of equal ones the lesser share), of two impedances the
/// slower one (larger T). `a` if they are equal.
inline const Softness& softer(const Softness& a, const Softness& b) {
  using Kind = Softness::Kind;
  if (a.kind != b.kind) {
    for (const Kind kind : {Kind::Compliant, Kind::Impedance, Kind::Mixing})
      if (a.kind == kind || b.kind == kind) return a.kind == kind ? a : b;
  }
  if (a.kind == Kind::Mixing) return b.cfm > a.cfm || (b.cfm == a.cfm && b.erp < a.erp) ? b : a;
  const bool second =
      a.kind == Kind::Compliant ? b.compliance > a.compliance : b.timeConstant > a.timeConstant;
  return second ? b : a;
}

}  // namespace grashof
