#pragma once
/// MuJoCo's solref and solimp as the softness of a scenario.

#include <array>

#include "engine/scenario/xml_element.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

/// solref and solimp as the file has them, with MuJoCo's defaults.
struct SoftParameters {
  std::array<double, 2> reference = {0.02, 1.0};                ///< T (s) and ζ, or both negative: -k, -b
  std::array<double, 5> impedance = {0.9, 0.95, 1e-3, 0.5, 2};  ///< d0, dw, width, midpoint, power
  bool operator==(const SoftParameters&) const = default;
};

/// Reads two attributes; lists that are shorter keep the rest of MuJoCo's defaults.
SoftParameters readSoftness(xml::Element& e, const char* reference, const char* impedance);

/// The same as an impedance, brought into the ranges that MuJoCo allows.
Softness softnessOf(const SoftParameters& p);

/// The parameters of a contact of two shapes. `share`: of the first, 0 ... 1.
SoftParameters mixed(const SoftParameters& a, const SoftParameters& b, double share);

}  // namespace grashof::convert
