#pragma once
/// The normal law of a contact that yields, as an impulse of the velocity after the step (theory.md, "Contact
/// laws").

#include <algorithm>
#include <cmath>
#include <limits>

namespace grashof {

/// n(v) = Δt k x^p (1 - d v)₊ with the penetration x = (-gap - Δt v)₊ at the end of the step: an elastic law
/// with the dissipation of Hunt and Crossley ([Hunt 1975]; [Castro 2024] eqs. 7, 22). It falls with v, and is
/// convex.
struct NormalLaw {
  double stiffness = 0.0;    ///< k > 0, N/m^p
  double exponent = 1.0;     ///< p >= 1; 3/2 by Hertz
  double dissipation = 0.0;  ///< d >= 0, s/m
  double gap = 0.0;          ///< at the start of Δt, m; negative where the surfaces overlap
  double timestep = 0.0;     ///< Δt > 0, s

  /// Velocity from which on there is no force: the smaller of -gap/Δt and 1/d (m/s).
  double breakaway() const {
    const double closes = -gap / timestep;
    return dissipation > 0.0 ? std::min(closes, 1.0 / dissipation) : closes;
  }
  double penetration(double v) const { return std::max(0.0, -gap - timestep * v); }
  /// n(v), N·s.
  double impulse(double v) const {
    return timestep * stiffness * std::pow(penetration(v), exponent) * std::max(0.0, 1.0 - dissipation * v);
  }
  /// -n'(v) >= 0, N·s per m/s.
  double slope(double v) const {
    const double x = penetration(v), rest = 1.0 - dissipation * v;
    if (x <= 0.0 || rest <= 0.0) return 0.0;
    const double power = std::pow(x, exponent - 1.0);
    return timestep * stiffness * power * (timestep * exponent * rest + dissipation * x);
  }
  /// The derivative of n(v) by the gap, N·s/m; <= 0.
  double gapSlope(double v) const {
    const double x = penetration(v), rest = 1.0 - dissipation * v;
    if (x <= 0.0 || rest <= 0.0) return 0.0;
    return -timestep * stiffness * exponent * std::pow(x, exponent - 1.0) * rest;
  }
  /// The potential ℓ(v) with n = -ℓ', zero from breakaway() on, J.
  double potential(double v) const {
    const double x = penetration(v), end = penetration(breakaway());
    if (x <= end) return 0.0;
    const double a = exponent + 1.0, b = exponent + 2.0;
    const auto primitive = [&](double y) {
      return (1.0 + dissipation * gap / timestep) * std::pow(y, a) / a +
             dissipation / timestep * std::pow(y, b) / b;
    };
    return stiffness * (primitive(x) - primitive(end));
  }
  /// The same law as a row, v + bias + R λ = 0 for λ > 0: its tangent at v, or just inside breakaway().
  struct Tangent {
    double bias = 0.0;        ///< m/s
    double compliance = 0.0;  ///< R, 1/kg
  };
  Tangent tangent(double v) const {
    const double at = std::min(v, breakaway() - kInside / timestep);
    const double s = slope(at);
    return {-at - impulse(at) / s, 1.0 / s};
  }

 private:
  static constexpr double kInside = 1e-12;  // m: where the law begins its slope may be zero
};

}  // namespace grashof
