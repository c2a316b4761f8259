#pragma once
/// Passive dynamics along a joint coordinate, integrated implicitly as one soft bilateral row.
///
/// Over a step Δt a spring of stiffness k and a damper d give the impulse
///   λ = -Δt [k (q_s - q_rest) + d v_s],   q_s, v_s: coordinate and rate at which they are evaluated.
/// Semi-implicit Euler: rows stand at the start of the step, q = q⁻, spring and damper at its end:
///   q_s = q⁺ = q + Δt v⁺, v_s = v⁺.
/// Moreau's midpoint scheme: rows stand at q½ = q⁻ + Δt/2 v⁻, and q⁺ = q½ + Δt/2 v⁺. The implicit midpoint
/// rule evaluates the spring at
///   q_s = (q⁻ + q⁺)/2 = q½ + Δt/4 v⁺ - Δt/4 v⁻
/// and keeps the energy of a spring without a damper for any Δt: with q from the rest position, the work of
/// the impulse is λ (v⁻ + v⁺)/2 = -k (q⁻ + q⁺)/2 · (q⁺ - q⁻) = k/2 (q⁻)² - k/2 (q⁺)². Both rules are q_s = q
/// + weightAfter v⁺ + weightBefore v⁻, which is linear in v⁺: one soft row. The damper acts at v_s = θ v⁺ +
/// (1
/// - θ) v⁻ with the share θ of decayShare() (soft_law.h).
///
/// A rotor of inertia a resists every change of the rate: λ = -a (v⁺ - v⁻ + freeChange), where freeChange is
/// the part of the change that does not come from impulses, but from axes that turn with the bodies.

#include <cmath>

namespace grashof {

/// Friction of the bearing or guide of one joint coordinate: bounded by coefficient times what it carries
/// across its axis (theory.md, "Friction that depends on a load").
struct BearingFriction {
  double coefficient = 0.0;   ///< μ; 0: none
  double radius = 0.0;        ///< of the journal, m; of an angle
  double thrustRadius = 0.0;  ///< mean radius of the collar that carries the axial force, m; of an angle
  /// Distance of the two bearings along the axis, m, between which moments are carried; 0: moments are
  /// carried without friction.
  double length = 0.0;
};

/// Spring, viscous damper, reflected rotor inertia and Coulomb dry friction of one joint coordinate.
struct PassiveDynamics {
  double stiffness = 0.0;    ///< N/m or N·m/rad
  double rest = 0.0;         ///< coordinate at which the spring is relaxed, m or rad
  double damping = 0.0;      ///< N·s/m or N·m·s/rad
  double armature = 0.0;     ///< rotor inertia seen at the joint, kg or kg·m²
  double dryFriction = 0.0;  ///< largest friction effort, N or N·m
  BearingFriction bearing{};
  double staticRatio = 1.0;     ///< friction at rest over friction in motion, >= 1
  double stribeckSpeed = 0.01;  ///< v_s of the fall from one to the other, m/s or rad/s
  double rotor = 0.0;  ///< the same as armature, of the actuator's motor; set by ModelBuilder::build()

  /// Inertia of all that turns with the coordinate, kg or kg·m².
  double inertia() const { return armature + rotor; }
  /// True if there is a spring, damper or rotor for passiveLaw() and damperLaw(); dry friction is a separate
  /// row.
  bool smooth() const { return stiffness > 0.0 || damping > 0.0 || inertia() > 0.0; }
  bool frictional() const { return dryFriction > 0.0 || bearing.coefficient > 0.0; }
};

/// Friction at the speed v (m/s, rad/s) over friction in motion, by Stribeck's curve: 1 + (ratio - 1)
/// exp(-(v/v_s)²).
inline double stribeck(double ratio, double stribeckSpeed, double speed) {
  if (ratio <= 1.0) return 1.0;
  const double x = speed / stribeckSpeed;
  return 1.0 + (ratio - 1.0) * std::exp(-x * x);
}

/// A linear law of an impulse, λ = -(slope v⁺ + offset). As a row of the dual problem it is v⁺ + bias + R λ =
/// 0 with R = 1/slope and bias = offset/slope; laws along the same coordinate add up.
struct LinearLaw {
  double slope = 0.0;   ///< impulse per rate, >= 0: kg or kg·m²
  double offset = 0.0;  ///< impulse, N·s or N·m·s

  LinearLaw& operator+=(const LinearLaw& other) {
    slope += other.slope;
    offset += other.offset;
    return *this;
  }
  /// λ (N·s, N·m·s) at the rate v⁺ (m/s, rad/s).
  double impulse(double rate) const { return -(slope * rate + offset); }
};

/// Law of a damper (N·s/m, N·m·s/rad) over one step of Δt = `timestep` s. `share`: θ above; `rateBefore`: v⁻,
/// m/s or rad/s.
inline LinearLaw damperLaw(double damping, double share, double rateBefore, double timestep) {
  return {damping * timestep * share, damping * timestep * (1.0 - share) * rateBefore};
}

/// Law of spring and rotor over one step (derivation above).
/// `q`: coordinate where the rows are evaluated, m or rad. `rateBefore`: v⁻, m/s or rad/s. `freeChange`:
/// change of the rate over the step by the free motion of the bodies (turning axes, gyroscopic motion), m/s
/// or rad/s. `timestep`: Δt, s. `weightAfter`, `weightBefore`: the spring acts at q + weightAfter v⁺ +
/// weightBefore v⁻, s; Δt and 0 for semi-implicit Euler, Δt/4 and -Δt/4 for the implicit midpoint rule.
inline LinearLaw passiveLaw(const PassiveDynamics& p, double q, double rateBefore, double freeChange,
                            double timestep, double weightAfter, double weightBefore) {
  return {p.stiffness * timestep * weightAfter + p.inertia(),
          p.stiffness * timestep * (q + weightBefore * rateBefore - p.rest) -
              p.inertia() * (rateBefore - freeChange)};
}

}  // namespace grashof
