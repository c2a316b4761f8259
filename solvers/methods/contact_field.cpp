#include "solvers/methods/contact_field.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/regularization.h"

namespace grashof {
namespace {

constexpr int kMaxSlipSteps = 100;
constexpr int kMaxEnvelopeSteps = 100;

/// A potential by the size s of the slip and v_n: it has the direction of the slip by symmetry.
struct RadialValue {
  double potential = 0.0;
  double friction = 0.0;     // ∂ℓ/∂s >= 0
  double normal = 0.0;       // -∂ℓ/∂v
  double alongSlip = 0.0;    // ∂²ℓ/∂s²
  double acrossSlip = 0.0;   // ∂ℓ/∂s / s
  double mixed = 0.0;        // ∂²ℓ/∂s∂v
  double normalSlope = 0.0;  // ∂²ℓ/∂v²
};

/// n = n₀(y + r n) of the law n₀: from below by Newton's method, as n₀ is convex and falls.
double envelopeImpulse(const NormalLaw& law, double y, double r) {
  double n = 0.0;
  for (int i = 0; i < kMaxEnvelopeSteps; ++i) {
    const double v = y + r * n;
    const double next = n + (law.impulse(v) - n) / (1.0 + r * law.slope(v));
    if (!(next > n)) break;
    n = next;
  }
  return n;
}

/// n(v), -n'(v) and ℓ_n(v) of the normal row, with its envelope.
struct NormalValue {
  double impulse, slope, potential;
};
NormalValue normalAt(const ContactField& f, double y) {
  const double r = f.envelope, shifted = y - r * f.multiplier;
  if (!f.law) {
    const double whole = f.normalCompliance + r;
    const double n = std::max(0.0, -shifted) / whole;
    return {n, shifted < 0.0 ? 1.0 / whole : 0.0, 0.5 * whole * n * n};
  }
  const double n = r > 0.0 ? envelopeImpulse(*f.law, shifted, r) : f.law->impulse(y);
  const double inside = shifted + r * n, slope = f.law->slope(inside);
  return {n, slope / (1.0 + r * slope), f.law->potential(inside) + 0.5 * r * n * n};
}

/// Half the square of R^(1/2) γ, γ the projection of -y/R onto the cone in the norm of R [Castro 2022].
RadialValue sapContact(const ContactField& f, double s, double yn) {
  const double rt = f.tangentCompliance, rn = f.normalCompliance, mu = f.friction;
  const double pt = s / rt, pn = -yn / rn;  // of the impulse without the cone
  RadialValue value;
  if (pn >= 0.0 && pt <= mu * pn) {
    value.friction = pt;
    value.normal = pn;
    value.alongSlip = value.acrossSlip = 1.0 / rt;
    value.normalSlope = 1.0 / rn;
  } else if (pn > -mu * rt / rn * pt) {
    const double whole = rn + mu * mu * rt;  // γ_n = (μ s - y_n)/(R_n + μ² R_t)
    value.normal = (mu * s - yn) / whole;
    value.friction = mu * value.normal;
    value.alongSlip = mu * mu / whole;
    value.acrossSlip = value.friction / s;
    value.mixed = -mu / whole;
    value.normalSlope = 1.0 / whole;
  }
  value.potential = 0.5 * (rt * value.friction * value.friction + rn * value.normal * value.normal);
  return value;
}

/// Lagged and Similar at the slip p, without the compliance of the tangents.
RadialValue softContact(const ContactField& f, double p, double yn) {
  const double root = planeNorm(p, f.tolerance), share = p / root;
  const double norm = softNorm(p, f.tolerance), bend = f.tolerance / root;
  const bool similar = f.model == ContactModel::Similar;
  const NormalValue n = normalAt(f, similar ? yn - f.friction * norm : yn);
  const double most = f.friction * (similar ? n.impulse : f.load);  // of friction
  RadialValue value;
  value.potential = n.potential + (similar ? 0.0 : most * norm);
  value.friction = most * share;
  value.normal = n.impulse;
  value.alongSlip = most * bend * bend / root;
  value.acrossSlip = most / root;
  value.normalSlope = n.slope;
  if (!similar) return value;
  value.alongSlip += f.friction * f.friction * share * share * n.slope;
  value.mixed = -f.friction * share * n.slope;
  return value;
}

/// The slip p in p + R_t ∂ℓ/∂p = s: Newton's method inside a bracket, for the left side grows with p.
double slipOf(const ContactField& f, double s, double yn) {
  double low = 0.0, high = s, p = s;
  for (int i = 0; i < kMaxSlipSteps && low < high; ++i) {
    const RadialValue value = softContact(f, p, yn);
    const double excess = p + f.tangentCompliance * value.friction - s;
    if (excess == 0.0) return p;
    (excess > 0.0 ? high : low) = p;
    double next = p - excess / (1.0 + f.tangentCompliance * value.alongSlip);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == p) return p;
    p = next;
  }
  return p;
}

RadialValue radialValue(const ContactField& f, double s, double yn) {
  if (f.model == ContactModel::Sap) return sapContact(f, s, yn);
  const double r = f.tangentCompliance;
  if (r == 0.0) return softContact(f, s, yn);
  RadialValue value = softContact(f, slipOf(f, s, yn), yn);
  value.potential += 0.5 * r * value.friction * value.friction;
  const double along = 1.0 / (1.0 + r * value.alongSlip);
  value.normalSlope -= r * value.mixed * value.mixed * along;
  value.mixed *= along;
  value.alongSlip *= along;
  value.acrossSlip /= 1.0 + r * value.acrossSlip;
  return value;
}

}  // namespace

FieldValue evaluateField(const ContactField& field, const Vec3& y) {
  const double s = planeNorm(y[0], y[1]);
  const Vec2 e = s > 0.0 ? Vec2(y.head<2>() / s) : Vec2(Vec2::UnitX());
  const RadialValue value = radialValue(field, s, y[2]);
  FieldValue result;
  result.potential = value.potential;
  result.impulse << -value.friction * e, value.normal;
  result.hessian.topLeftCorner<2, 2>() =
      value.acrossSlip * Mat2::Identity() + (value.alongSlip - value.acrossSlip) * e * e.transpose();
  result.hessian.topRightCorner<2, 1>() = value.mixed * e;
  result.hessian.bottomLeftCorner<1, 2>() = value.mixed * e.transpose();
  result.hessian(2, 2) = value.normalSlope;
  return result;
}

}  // namespace grashof
