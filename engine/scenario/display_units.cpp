#include "engine/scenario/display_units.h"

#include <algorithm>
#include <utility>

#include <tinyxml2.h>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/scenario/units.h"

namespace grashof {
namespace {

/// How often a factor stands in a unit, as m² or s^2; 1 without a number.
int exponentOf(std::string_view rest) {
  if (rest == "²" || rest == "^2") return 2;
  if (rest == "³" || rest == "^3") return 3;
  return rest.empty() ? 1 : 0;  // 0: another word that begins alike
}

std::string unitsIn(const std::string& xml) {
  tinyxml2::XMLDocument document;
  if (document.Parse(xml.data(), xml.size()) != tinyxml2::XML_SUCCESS || !document.RootElement()) return {};
  const char* const units = document.RootElement()->Attribute("units");
  return units ? units : "";
}

}  // namespace

DisplayUnits::DisplayUnits(const std::string& text) : text_(text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string name = text.substr(at, end - at);
    at = end + 1;
    const auto unit = xml::parseUnit(name);
    if (!unit) continue;
    Shown* const shown = unit->dimension == xml::Dimension{1, 0, 0}   ? &length_
                         : unit->dimension == xml::Dimension{0, 1, 0} ? &angle_
                         : unit->dimension == xml::Dimension{0, 0, 1} ? &mass_
                                                                      : nullptr;
    if (shown) *shown = {unit->si.inverse()(1.0), name};
  }
}

DisplayUnits::Shown DisplayUnits::of(std::string_view unit) const {
  Shown result{1.0, ""};
  double ofPart = 1.0;
  bool first = true;  // part of a list
  int sign = 1;
  std::size_t at = 0;
  while (at <= unit.size()) {
    const std::size_t end = std::min(unit.find_first_of(" /,", at), unit.size());
    const std::string_view word = unit.substr(at, end - at);
    const Shown* known = nullptr;
    int exponent = 0;
    for (const auto& [name, shown] : {std::pair("rad", &angle_), {"kg", &mass_}, {"m", &length_}})
      if (!known && word.starts_with(name)) {
        exponent = exponentOf(word.substr(std::string_view(name).size()));
        if (exponent > 0) known = shown;
      }
    if (known) {
      result.unit += known->unit + std::string(word.substr(known == &angle_ ? 3 : known == &mass_ ? 2 : 1));
      for (int i = 0; i < exponent; ++i) ofPart = sign > 0 ? ofPart * known->scale : ofPart / known->scale;
    } else {
      result.unit += word;
    }
    if (end == unit.size() || unit[end] == ',') {
      if (!first && ofPart != result.scale) return {1.0, std::string(unit)};
      result.scale = ofPart;
      first = false;
      ofPart = 1.0;
      sign = 1;
    }
    if (end < unit.size()) result.unit += unit[end];
    if (end < unit.size() && unit[end] == '/') sign = -1;
    at = end + 1;
  }
  return result;
}

DisplayUnits displayUnits(const Scenario& scenario) {
  if (scenario.source) return DisplayUnits(unitsIn(scenario.source->text));
  try {
    return DisplayUnits(unitsIn(readInputFile(scenario.file, kLargestScenario, "a scenario")));
  } catch (const Error&) {
    return {};  // made in memory
  }
}

}  // namespace grashof
