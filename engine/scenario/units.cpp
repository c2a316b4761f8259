#include "engine/scenario/units.h"

#include <algorithm>
#include <charconv>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof::xml {
namespace {

struct NamedUnit {
  std::string_view name;
  Unit unit;
};

constexpr Dimension kLength{1, 0, 0}, kAngle{0, 1, 0}, kMass{0, 0, 1}, kNone{};

const std::vector<NamedUnit>& namedUnits() {
  static const std::vector<NamedUnit> all = {
      {"m", {kLength, {1.0, 1.0}}},
      {"cm", {kLength, {1.0, 100.0}}},
      {"mm", {kLength, {1.0, 1000.0}}},
      {"um", {kLength, {1.0, 1e6}}},
      {"in", {kLength, {25.4, 1000.0}}},
      {"rad", {kAngle, {1.0, 1.0}}},
      {"deg", {kAngle, {std::numbers::pi, 180.0}}},
      {"kg", {kMass, {1.0, 1.0}}},
      {"g", {kMass, {1.0, 1000.0}}},
      {"lb", {kMass, {0.45359237, 1.0}}},
      {"s", {kNone, {1.0, 1.0}}},
      {"ms", {kNone, {1.0, 1000.0}}},
      {"N", {kNone, {1.0, 1.0}}},
      {"kN", {kNone, {1000.0, 1.0}}},
      {"W", {kNone, {1.0, 1.0}}},
      {"V", {kNone, {1.0, 1.0}}},
      {"A", {kNone, {1.0, 1.0}}},
      {"ohm", {kNone, {1.0, 1.0}}},
      {"Hz", {kNone, {1.0, 1.0}}},
      {"1", {kNone, {1.0, 1.0}}},
      {"%", {kNone, {1.0, 100.0}}},
  };
  return all;
}

const Unit* findUnit(std::string_view name) {
  const auto& all = namedUnits();
  const auto found = std::find_if(all.begin(), all.end(), [&](const NamedUnit& u) { return u.name == name; });
  return found == all.end() ? nullptr : &found->unit;
}

bool isSeparator(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '*' || c == '/'; }

}  // namespace

Factor Factor::power(int exponent) const {
  Factor result;
  const Factor base = exponent < 0 ? inverse() : *this;
  for (int i = 0; i < std::abs(exponent); ++i) result = result * base;
  return result;
}

Factor operator*(const Factor& a, const Factor& b) { return {a.times * b.times, a.over * b.over}; }

std::optional<Unit> parseUnit(std::string_view text) {
  Unit product;
  int sign = 1;
  std::size_t at = 0, factors = 0;
  while (at < text.size()) {
    if (isSeparator(text[at])) {
      if (text[at] == '/') {
        if (sign < 0 || factors == 0) return std::nullopt;
        sign = -1;
      }
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !isSeparator(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    int exponent = 1;
    if (const auto hat = word.find('^'); hat != std::string_view::npos) {
      const std::string_view digits = word.substr(hat + 1);
      const auto [next, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
      if (error != std::errc() || next != digits.data() + digits.size() || exponent < 1 || exponent > 4)
        return std::nullopt;
      word = word.substr(0, hat);
    }
    const Unit* unit = findUnit(word);
    if (!unit || ++factors > 8) return std::nullopt;
    exponent *= sign;
    product.dimension.length += exponent * unit->dimension.length;
    product.dimension.angle += exponent * unit->dimension.angle;
    product.dimension.mass += exponent * unit->dimension.mass;
    product.si = product.si * unit->si.power(exponent);
    at = end;
  }
  return factors == 0 ? std::nullopt : std::optional(product);
}

bool FileUnits::si() const { return length(1.0) == 1.0 && angle(1.0) == 1.0 && mass(1.0) == 1.0; }

Factor FileUnits::toSi(const Dimension& d) const {
  return length.power(d.length) * angle.power(d.angle) * mass.power(d.mass);
}

AngleUnit FileUnits::angles() const { return angle(1.0) == 1.0 ? AngleUnit::Radian : AngleUnit::Degree; }

FileUnits parseFileUnits(const std::string& text) {
  FileUnits units;
  std::array<bool, 3> given{};
  for (const std::string_view word : splitItems(text)) {
    const Unit* unit = findUnit(word);
    const int kind = !unit                        ? -1
                     : unit->dimension == kLength ? 0
                     : unit->dimension == kAngle  ? 1
                     : unit->dimension == kMass   ? 2
                                                  : -1;
    if (kind < 0)
      throw InputError(
          fmt::format("'{}' is no unit of length, angle or mass (m cm mm um in, rad deg, kg g lb)", word));
    if (given[static_cast<std::size_t>(kind)])
      throw InputError(
          fmt::format("'{}' is a second unit of its kind (one each of length, angle and mass)", word));
    given[static_cast<std::size_t>(kind)] = true;
    (kind == 0 ? units.length : kind == 1 ? units.angle : units.mass) = unit->si;
  }
  return units;
}

}  // namespace grashof::xml
