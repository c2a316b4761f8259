#pragma once
/// Passive dynamics along a joint coordinate, integrated implicitly as one soft bilateral row.

namespace grashof {

/// Spring, viscous damper, reflected rotor inertia and Coulomb dry friction of one joint coordinate.
struct PassiveDynamics {
  double stiffness = 0.0;    ///< N/m or N·m/rad
  double rest = 0.0;         ///< spring's rest coordinate, m or rad
  double damping = 0.0;      ///< N·s/m or N·m·s/rad
  double armature = 0.0;     ///< kg or kg·m²
  double dryFriction = 0.0;  ///< largest friction effort, N or N·m

  bool smooth() const { return stiffness > 0.0 || damping > 0.0 || armature > 0.0; }
};

/// A linear law of an impulse, λ = -(slope v⁺ + offset). As a row of the dual problem, v⁺ + bias + R λ = 0
/// with R = 1/slope and bias = offset/slope; laws along the same coordinate add up.
struct LinearLaw {
  double slope = 0.0;   ///< impulse per rate, >= 0
  double offset = 0.0;  ///< impulse

  LinearLaw& operator+=(const LinearLaw& other) {
    slope += other.slope;
    offset += other.offset;
    return *this;
  }
  double impulse(double rate) const { return -(slope * rate + offset); }
};

/// Spring, damper and armature over one step. `q` is the coordinate where rows are evaluated, `rateBefore`
/// the rate before the step. The spring acts at q + lead v⁺ + lag v⁻: semi-implicit Euler lead = Δt, lag = 0;
/// Moreau midpoint lead = Δt/4, lag = -Δt/4, the implicit midpoint rule, which keeps the energy of an
/// undamped spring. `freeChange`: what the free motion of the bodies (turning axes, gyroscopic) changes the
/// rate by over the step; the rotor resists that, too.
inline LinearLaw passiveLaw(const PassiveDynamics& p, double q, double rateBefore, double freeChange,
                            double timestep, double lead, double lag) {
  return {p.stiffness * timestep * lead + p.damping * timestep + p.armature,
          p.stiffness * timestep * (q + lag * rateBefore - p.rest) - p.armature * (rateBefore - freeChange)};
}

}  // namespace grashof
