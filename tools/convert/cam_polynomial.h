#pragma once
/// Profiles of cams as polynomials, which is what MJCF has.

#include <array>
#include <optional>

#include "joints/coupling.h"

namespace grashof::convert {

/// g(q) = sum c_i (q - centre)^i over the samples of a profile.
struct CamPolynomial {
  std::array<double, 5> coefficients{};  ///< m or rad, over powers of m or rad
};

/// The polynomial about `centre` that a profile is; none if it repeats, or differs from every polynomial of
/// the fourth degree by more than a millionth of its rise.
/// @pre cam.kind == CouplingKind::Cam
std::optional<CamPolynomial> camPolynomial(const Coupling& cam, double centre);

}  // namespace grashof::convert
