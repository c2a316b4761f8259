#pragma once
/// Potentials of the convex contact models, one contact at a time (theory.md, "Convex contact fields";
/// [Castro 2024], V).

#include "engine/base/math.h"
#include "solvers/problem/normal_law.h"
#include "solvers/problem/termination.h"

namespace grashof {

/// A contact as its model sees it. y are the velocities of its rows (t, o, n), m/s: J u + v*, but of the
/// normal row J u where there is a law.
struct ContactField {
  ContactModel model = ContactModel::Sap;  ///< Sap, Lagged or Similar
  double friction = 0.0;
  double tangentCompliance = 0.0;  ///< R_t, 1/kg; > 0 for Sap
  double normalCompliance = 0.0;   ///< R_n > 0, 1/kg, without a law
  double tolerance = 0.0;          ///< ε_s > 0, m/s; Lagged, Similar
  double load = 0.0;               ///< n₀ >= 0, N·s; Lagged
  const NormalLaw* law = nullptr;  ///< none: n = (-y_n)₊/R_n. Not for Sap.
  /// r >= 0, 1/kg: Lagged and Similar have the Moreau envelope of their normals' potential, n(y) = n₀(y + r
  /// (n(y) - n̄)) with the law n₀ and the multiplier n̄. Where n = n̄ the law itself holds.
  double envelope = 0.0;
  double multiplier = 0.0;  ///< n̄ >= 0, N·s
};

/// ℓ(y) (J), the impulse -∂ℓ/∂y (N·s) and the Hessian ∂²ℓ/∂y², symmetric and positive semi-definite (kg).
struct FieldValue {
  double potential = 0.0;
  Vec3 impulse = Vec3::Zero();
  Mat3 hessian = Mat3::Zero();
};

/// The potential of a contact at y (m/s). Tangents with a compliance are springs in series with friction: the
/// potential is then the least over all slips p of that of p and ‖y_t - p‖²/2R_t.
FieldValue evaluateField(const ContactField& field, const Vec3& y);

}  // namespace grashof
