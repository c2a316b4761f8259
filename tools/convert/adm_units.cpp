#include <array>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "tools/convert/adm_context.h"

namespace grashof::convert {
namespace {

struct UnitName {
  std::string_view name;
  double value;  // in SI
};

constexpr double kPound = 0.45359237, kPoundForce = kPound * 9.80665, kFoot = 0.3048, kInch = 0.0254;

constexpr auto kForces = std::to_array<UnitName>({{"NEWTON", 1.0},
                                                  {"KNEWTON", 1e3},
                                                  {"KILONEWTON", 1e3},
                                                  {"MEGANEWTON", 1e6},
                                                  {"CENTINEWTON", 1e-2},
                                                  {"MILLINEWTON", 1e-3},
                                                  {"MICRONEWTON", 1e-6},
                                                  {"NANONEWTON", 1e-9},
                                                  {"DYNE", 1e-5},
                                                  {"KILOGRAM_FORCE", 9.80665},
                                                  {"POUND_FORCE", kPoundForce},
                                                  {"KPOUND_FORCE", 1e3 * kPoundForce},
                                                  {"OUNCE_FORCE", kPoundForce / 16.0},
                                                  {"POUNDAL", kPound* kFoot},
                                                  {"NONE", 1.0}});
constexpr auto kMasses = std::to_array<UnitName>({{"KILOGRAM", 1.0},
                                                  {"GRAM", 1e-3},
                                                  {"MILLIGRAM", 1e-6},
                                                  {"MICROGRAM", 1e-9},
                                                  {"NANOGRAM", 1e-12},
                                                  {"MEGAGRAM", 1e3},
                                                  {"TONNE", 1e3},
                                                  {"POUND_MASS", kPound},
                                                  {"KPOUND_MASS", 1e3 * kPound},
                                                  {"OUNCE_MASS", kPound / 16.0},
                                                  {"US_TON", 2e3 * kPound},
                                                  {"SLUG", kPoundForce / kFoot},
                                                  {"SLINCH", kPoundForce / kInch},
                                                  {"NONE", 1.0}});
constexpr auto kLengths = std::to_array<UnitName>({{"METER", 1.0},
                                                   {"MILLIMETER", 1e-3},
                                                   {"CENTIMETER", 1e-2},
                                                   {"KILOMETER", 1e3},
                                                   {"MICROMETER", 1e-6},
                                                   {"NANOMETER", 1e-9},
                                                   {"ANGSTROM", 1e-10},
                                                   {"INCH", kInch},
                                                   {"FOOT", kFoot},
                                                   {"YARD", 3.0 * kFoot},
                                                   {"MILE", 5280.0 * kFoot},
                                                   {"MILS", 1e-3 * kInch},
                                                   {"MICROINCH", 1e-6 * kInch},
                                                   {"NONE", 1.0}});
constexpr auto kTimes = std::to_array<UnitName>({{"SECOND", 1.0},
                                                 {"MILLISECOND", 1e-3},
                                                 {"MICROSECOND", 1e-6},
                                                 {"NANOSECOND", 1e-9},
                                                 {"MINUTE", 60.0},
                                                 {"HOUR", 3600.0},
                                                 {"DAY", 86400.0},
                                                 {"NONE", 1.0}});

/// Sets `value` to the unit that the argument names, in full or abbreviated.
void readUnit(AdmContext& c, const AdmStatement& s, const char* argument, std::span<const UnitName> known,
              double& value) {
  const AdmArgument* a = s.find(argument);
  if (!a) return;
  const std::string word = a->values.empty() ? std::string() : admCapitals(a->values[0]);
  const UnitName* match = nullptr;
  for (const UnitName& u : known) {
    if (u.name == word) {
      match = &u;
      break;
    }
    if (!match && word.size() >= 2 && u.name.starts_with(word)) match = &u;
  }
  if (match) {
    value = match->value;
    return;
  }
  std::vector<std::string> names;
  for (const UnitName& u : known) names.emplace_back(u.name);
  c.fail(s, fmt::format("{}: '{}' is no unit that is known ({})", argument, word, joined(names)), a->line);
}

void readSystem(AdmContext& c, const AdmStatement& s) {
  const AdmArgument* a = s.find("SYSTEM");
  if (!a) return;
  const std::string word = a->values.empty() ? std::string() : admCapitals(a->values[0]);
  if (word == "CGS")
    c.units = {1e-5, 1e-3, 1e-2, 1.0};
  else if (word == "FPS")
    c.units = {kPoundForce, kPoundForce / kFoot, kFoot, 1.0};
  else if (word == "IPS")
    c.units = {kPoundForce, kPoundForce / kInch, kInch, 1.0};
  else if (word != "MKS" && word != "NONE")
    c.fail(s, fmt::format("SYSTEM: '{}' is none that is known (CGS, FPS, IPS, MKS, NONE)", word), a->line);
}

}  // namespace

void readAdmUnits(AdmContext& c, const AdmStatements& all) {
  bool given = false;
  for (const AdmStatement& s : all) {
    if (s.keyword != "UNITS") continue;
    if (given) c.fail(s, "stands twice (leave one out)");
    given = true;
    readSystem(c, s);
    readUnit(c, s, "FORCE", kForces, c.units.force);
    readUnit(c, s, "MASS", kMasses, c.units.mass);
    readUnit(c, s, "LENGTH", kLengths, c.units.length);
    readUnit(c, s, "TIME", kTimes, c.units.time);
  }
  if (!given) c.report.assumed.emplace_back("there are no UNITS: numbers are in N, kg, m, s");
}

}  // namespace grashof::convert
