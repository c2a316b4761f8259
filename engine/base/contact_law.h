#pragma once
/// Elastic laws of contacts as materials have them: stiffness, exponent, dissipation, springs of the tangents
/// (theory.md, "Contact laws").

#include <algorithm>
#include <cmath>

namespace grashof {

/// The force of a contact of the penetration x > 0 that separates at v (m/s), not below zero:
///   k x^p (1 - d v)      with a Hunt-Crossley dissipation d [Hunt 1975]
///   k (x - τ v)          with a relaxation time τ (Kelvin and Voigt); only for p = 1
/// k and p are given, or are Hertz's, 4/3 E* √R and 3/2 [Johnson 1985, section 4.2], of Young's modulus and
/// the radius R of the shapes. With a hydroelastic modulus shapes touch by patches: k is that of a polygon,
/// its area times the slope of its pressure, and p = 1. The default is no law: the contact is rigid or has a
/// Softness.
struct ContactLaw {
  double stiffness = 0.0;     ///< k, N/m^p; 0: none given
  double exponent = 1.0;      ///< p, 1 … 10
  double youngModulus = 0.0;  ///< E, Pa; 0: none given
  double poissonRatio = 0.3;  ///< ν, -1 < ν <= 0.5
  double edgeRadius = 0.0;    ///< m: of edges and corners, where no shape of a contact is round; 0: none
  double hydroelasticModulus = 0.0;  ///< of the pressure field in a shape, Pa; 0: none given
  double huntCrossley = 0.0;         ///< d, s/m
  double relaxationTime = 0.0;       ///< τ, s
  double tangentialStiffness = 0.0;  ///< N/m, of springs along the surface in series with friction; 0: rigid
  double stictionSpeed = 1e-4;  ///< v_s, m/s: slip that counts as sticking, of the solvers LAGGED and SIMILAR

  /// Whether the normal yields by this law.
  bool yields() const { return stiffness > 0.0 || youngModulus > 0.0 || hydroelastic(); }
  bool hydroelastic() const { return hydroelasticModulus > 0.0; }
  bool hertz() const { return youngModulus > 0.0; }
  /// E/(1 - ν²), Pa: of a pair of materials, as mixed() makes it, Hertz's E*.
  double planeModulus() const { return youngModulus / (1.0 - poissonRatio * poissonRatio); }
  bool operator==(const ContactLaw&) const = default;
};

/// The law of two materials:
///   two stiffnesses of one exponent    springs in series
///   two moduli                         1/E* = Σ (1 - ν²)/E
///   one law yields                     that one
///   a stiffness and a modulus          the stiffness
///   two exponents                      the lower
///   dissipation                        the mean, weighed by the share of the penetration that each takes (½
///   each
///                                      with different exponents); of two kinds the softer one's
///   a hydroelastic modulus             before all others; two of them in series
///   tangential springs                 in series
///   radii, stiction speeds             the larger
inline ContactLaw mixed(const ContactLaw& a, const ContactLaw& b) {
  ContactLaw pair;
  const auto inSeries = [](double x, double y) {
    return x > 0.0 && y > 0.0 ? x * y / (x + y) : std::max(x, y);
  };
  pair.edgeRadius = std::max(a.edgeRadius, b.edgeRadius);
  pair.stictionSpeed = std::max(a.stictionSpeed, b.stictionSpeed);
  pair.tangentialStiffness = inSeries(a.tangentialStiffness, b.tangentialStiffness);
  if (!a.yields() && !b.yields()) return pair;
  const auto take = [&](const ContactLaw& one) {
    pair.stiffness = one.stiffness;
    pair.exponent = one.exponent;
    pair.huntCrossley = one.huntCrossley;
    pair.relaxationTime = one.relaxationTime;
    pair.hydroelasticModulus = one.hydroelasticModulus;
    pair.youngModulus = one.hertz() ? one.planeModulus() : 0.0;
    pair.poissonRatio = one.hertz() ? 0.0 : pair.poissonRatio;
    return pair;
  };
  if (!a.yields() || !b.yields()) return take(a.yields() ? a : b);
  if (a.hydroelastic() != b.hydroelastic()) return take(a.hydroelastic() ? a : b);
  if (a.hertz() != b.hertz()) return take(a.hertz() ? b : a);
  if (a.exponent != b.exponent) return take(a.exponent < b.exponent ? a : b);
  // x_a/x_b = (k_b/k_a)^(1/p) under the same force, of moduli as of springs k = E.
  const auto springOf = [](const ContactLaw& law) {
    if (law.hydroelastic()) return law.hydroelasticModulus;
    return law.hertz() ? law.planeModulus() : std::pow(law.stiffness, 1.0 / law.exponent);
  };
  const double ka = springOf(a), kb = springOf(b);
  const double shareOfA = kb / (ka + kb);
  take(a);
  if (a.hydroelastic())
    pair.hydroelasticModulus = inSeries(ka, kb);
  else if (a.hertz())
    pair.youngModulus = inSeries(ka, kb);
  else
    pair.stiffness = std::pow(inSeries(ka, kb), a.exponent);
  const bool crossley = a.huntCrossley > 0.0 || b.huntCrossley > 0.0;
  const bool voigt = a.relaxationTime > 0.0 || b.relaxationTime > 0.0;
  const ContactLaw& soft = ka <= kb ? a : b;
  pair.huntCrossley = shareOfA * a.huntCrossley + (1.0 - shareOfA) * b.huntCrossley;
  pair.relaxationTime = shareOfA * a.relaxationTime + (1.0 - shareOfA) * b.relaxationTime;
  if (crossley && voigt) {
    pair.huntCrossley = soft.huntCrossley;
    pair.relaxationTime = soft.relaxationTime;
  }
  return pair;
}

/// A contact's own law, with the numbers of its place. The default does not yield.
struct ElasticContact {
  double stiffness = 0.0;  ///< k, N/m^p
  double exponent = 1.0;
  double huntCrossley = 0.0, relaxationTime = 0.0;  ///< s/m, s; one of them is 0
  double tangentialStiffness = 0.0;                 ///< N/m; 0: rigid
  double stictionSpeed = 1e-4;                      ///< m/s

  bool yields() const { return stiffness > 0.0; }
  /// Whether impulse and velocity are on a straight line.
  bool linear() const { return exponent == 1.0 && huntCrossley == 0.0; }
  /// Force (N) at the gap (m, negative inside) and the rate v (m/s) of separation.
  double force(double gap, double v) const {
    if (linear()) return std::max(0.0, stiffness * (-gap - relaxationTime * v));
    return stiffness * std::pow(std::max(0.0, -gap), exponent) * std::max(0.0, 1.0 - huntCrossley * v);
  }
  /// Energy (J) that is stored at the gap.
  double energy(double gap) const {
    return gap < 0.0 ? stiffness * std::pow(-gap, exponent + 1.0) / (exponent + 1.0) : 0.0;
  }
};

/// The law of `pair` at a place with the radius R (m; infinite where both are flat), k = 4/3 E* √R by Hertz.
inline ElasticContact contactAt(const ContactLaw& pair, double radius) {
  ElasticContact contact;
  contact.stiffness = pair.hertz() ? 4.0 / 3.0 * pair.planeModulus() * std::sqrt(radius) : pair.stiffness;
  contact.exponent = pair.hertz() ? 1.5 : pair.exponent;
  contact.huntCrossley = pair.huntCrossley;
  contact.relaxationTime = pair.relaxationTime;
  contact.tangentialStiffness = pair.tangentialStiffness;
  contact.stictionSpeed = pair.stictionSpeed;
  return contact;
}

/// The law of `pair` for a polygon of a patch: area m², slope of its pressure Pa/m.
inline ElasticContact patchContact(const ContactLaw& pair, double area, double slope) {
  ElasticContact contact;
  contact.stiffness = area * slope;
  contact.huntCrossley = pair.huntCrossley;
  contact.relaxationTime = pair.relaxationTime;
  contact.stictionSpeed = pair.stictionSpeed;
  return contact;
}

}  // namespace grashof
