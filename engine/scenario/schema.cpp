#include "engine/scenario/schema.h"

#include <algorithm>
#include <map>

#include "engine/base/expression.h"
#include "engine/scenario/units.h"

namespace grashof::xml {
namespace {

/// Attributes that mean the same in all elements.
constexpr Attribute kCommon[] = {
    {"position", "vector", "m", "", ""},
    {"rpy", "vector", "rad", "", ""},
    {"quaternion", "unitQuaternion", "", "", ""},
    {"axis axis2", "vector", "", "", ""},
    {"compliance cfm mobility", "notNegative", "SI", "", ""},
    {"erp", "share", "", "", ""},
    {"impedance", "five", "SI", "", ""},
    {"reference", "two", "SI", "", ""},
};

const Attribute& common(std::string_view name) {
  return *std::find_if(std::begin(kCommon), std::end(kCommon), [&](const Attribute& a) {
    const auto names = splitItems(a.names);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

AttributeUnit unitOf(const AttributeType& type) {
  AttributeUnit unit{.known = type.numeric(), .translation = {}, .turn = {}};
  const std::string_view text = type.unit;
  if (!unit.known || text.starts_with("SI")) return unit;
  const auto dimension = [](std::string_view part) {
    const auto parsed = parseUnit(part);
    return parsed ? parsed->dimension : Dimension{};
  };
  const auto comma = text.find(", ");
  unit.translation = dimension(text.substr(0, comma));
  if (comma != std::string_view::npos) unit.turn = dimension(text.substr(comma + 2));
  return unit;
}

}  // namespace

bool AttributeType::numeric() const {
  return kind != "text" && kind != "truth" && kind != "color" && kind != "identifier" &&
         kind.find('|') == std::string::npos;
}

ElementType::ElementType(const char* named, std::initializer_list<std::span<const Attribute>> rows,
                         const char* within, int fewest)
    : tag(named), children(within), least(fewest) {
  for (const std::span<const Attribute> table : rows)
    for (const Attribute& row : table)
      for (const std::string_view name : splitItems(row.names)) {
        const Attribute& type = *row.kind == '\0' ? common(name) : row;
        const std::string_view unit = row.unit;
        attributes.push_back({std::string(name), type.kind, type.unit,
                              std::string(unit.starts_with("SI: ") ? unit.substr(4) : unit), row.standard,
                              row.meaning});
      }
}

const std::vector<ElementType>& elementTypes() {
  static const std::vector<ElementType> all = [] {
    std::vector<ElementType> made;
    addSettings(made);
    addBodies(made);
    addElements(made);
    return made;
  }();
  return all;
}

AttributeUnit attributeUnit(std::string_view element, std::string_view attribute) {
  using Units = std::map<std::string, AttributeUnit, std::less<>>;
  static const std::map<std::string, Units, std::less<>> all = [] {
    std::map<std::string, Units, std::less<>> made;
    for (const ElementType& type : elementTypes())
      for (const AttributeType& a : type.attributes) made[type.tag].emplace(a.name, unitOf(a));
    return made;
  }();
  const auto units = all.find(element);
  if (units == all.end()) return {};
  const auto found = units->second.find(attribute);
  return found == units->second.end() ? AttributeUnit{} : found->second;
}

}  // namespace grashof::xml
