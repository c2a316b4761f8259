#pragma once
/// Units of numbers in scenario files: those of a file (`units="mm deg kg"`), and those that a parameter or
/// motion names (`unit="N/mm"`).

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/expression.h"

namespace grashof::xml {

/// A factor as a ratio, so that 120 mm are 120/1000 m, which is the double nearest to 0.12.
struct Factor {
  double times = 1.0, over = 1.0;
  double operator()(double x) const { return times == 1.0 && over == 1.0 ? x : x * times / over; }
  Factor inverse() const { return {over, times}; }
  /// This factor, `exponent` times.
  Factor power(int exponent) const;
};
Factor operator*(const Factor& a, const Factor& b);

/// How often length, angle and mass enter a unit. What else it is made of (s, N, W, V, A, Ω) is the same in
/// all files.
struct Dimension {
  int length = 0, angle = 0, mass = 0;
  bool operator==(const Dimension&) const = default;
};

/// A unit: what it is of, and its size in SI.
struct Unit {
  Dimension dimension;
  Factor si;
};

/// Reads `mm`, `deg/s`, `N/mm`, `kg mm^2`, `N m/rad`: products of units with whole exponents, what follows a
/// slash divides. Nothing for another text.
std::optional<Unit> parseUnit(std::string_view text);

/// The units in which the numbers of a file are meant.
struct FileUnits {
  Factor length, angle, mass;  ///< one of the file in m, rad, kg

  bool si() const;
  /// From a number of the file to SI.
  Factor toSi(const Dimension& dimension) const;
  AngleUnit angles() const;
};

/// Reads up to one unit each of length, angle and mass. Throws InputError.
FileUnits parseFileUnits(const std::string& text);

/// What the number of an attribute measures, as assets/schema.md states it. Those that depend on what refers
/// to their element, or mix both kinds, are SI in every file and have no dimension.
struct AttributeUnit {
  Dimension translation;          ///< of a displacement; of all attributes that do not depend on a coordinate
  std::optional<Dimension> turn;  ///< of the same attribute along an angle
};

}  // namespace grashof::xml
