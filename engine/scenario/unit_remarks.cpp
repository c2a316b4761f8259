#include "engine/scenario/unit_remarks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace grashof::xml {
namespace {

constexpr double kOsmium = 22600.0;            // kg/m³
constexpr double kLeastG = 9.7, kMostG = 9.9;  // of the earth's gravity in m/s²
constexpr double kFastestMotor = 1e5;          // rad/s; dentists' drills run at 4e4

double magnitude(const std::vector<double>& x) {
  double square = 0.0;
  for (const double a : x) square += a * a;
  return std::sqrt(square);
}

}  // namespace

std::string unitRemark(std::string_view attribute, std::string_view text, const std::vector<double>& numbers,
                       const FileUnits& units) {
  if (attribute == "density" && numbers.size() == 1 && numbers[0] > kOsmium) {
    const double unit = units.toSi({.length = -3, .mass = 1})(1.0);
    return fmt::format(
        "density=\"{}\" is {:.3g} kg/m³, denser than osmium, {:g} kg/m³ (densities are in the file's units "
        "of "
        "mass and length, of which one is {:g} kg/m³{})",
        text, numbers[0], kOsmium, unit, unit == 1.0 ? "" : fmt::format(": steel is {:.3g}", 7850.0 / unit));
  }
  if (attribute == "rpy") {
    const double turn = 2.0 * std::numbers::pi * (1.0 + 1e-9);
    if (std::any_of(numbers.begin(), numbers.end(), [&](double x) { return std::abs(x) > turn; }))
      return units.angle(1.0) == 1.0
                 ? fmt::format(
                       "rpy=\"{}\" turns by more than a turn: angles are in rad (write 1.5708 for 90 "
                       "degrees, or units=\"m deg kg\" in <scenario>)",
                       text)
                 : fmt::format("rpy=\"{}\" turns by more than a turn", text);
  }
  if (attribute == "gravity" && units.length(1.0) != 1.0) {
    const double g = magnitude(numbers), written = g / units.length(1.0);
    if (written >= kLeastG && written <= kMostG)
      return fmt::format(
          "gravity=\"{}\" is {:.3g} m/s²: it is in the file's unit of length over s² (the earth's is {:.6g})",
          text, g, 9.81 / units.length(1.0));
  }
  return {};
}

std::string motorRemark(double torqueConstant, double voltage, bool converts) {
  if (!(torqueConstant > 0.0 && voltage > 0.0) || voltage / torqueConstant <= kFastestMotor) return {};
  return fmt::format(
      "its torque-constant is {:.3g} N m/A, so that it would turn at {:.3g} rad/s at {:g} V: the constant "
      "looks "
      "like one in other units ({}; V s/rad is the same number as N m/A)",
      torqueConstant, voltage / torqueConstant, voltage,
      converts ? "it is in the file's units, N mm/A in one of millimetres" : "it is in N m/A");
}

}  // namespace grashof::xml
