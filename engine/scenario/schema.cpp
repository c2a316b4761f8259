#include "engine/scenario/schema.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/base/expression.h"
#include "engine/scenario/words.h"
#include "engine/scenario/xml_element.h"

namespace grashof::xml {
namespace {

/// Attributes that mean the same in all elements.
constexpr Attribute kCommon[] = {
    {"position", "vector", "m", "", ""},
    {"rpy", "vector", "rad", "", ""},
    {"quaternion", "unitQuaternion", "", "", ""},
    {"axis axis2", "vector", "", "", ""},
    {"compliance cfm", "notNegative", "SI", "", ""},
    {"mobility", "notNegative checked", "SI", "", ""},
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

/// What the numbers of a kind are.
struct NumberKind {
  std::string_view name;
  Range range;
  std::vector<std::size_t> counts;
};
const NumberKind& numberKind(std::string_view name) {
  static const std::vector<NumberKind> kinds = {{"positive", kPositive, {}},
                                                {"notNegative", kNotNegative, {}},
                                                {"tensor", {}, {3, 6}},
                                                {"stiffness", {}, {6, 36}},
                                                {"two", {}, {2}},
                                                {"five", {}, {5}},
                                                {"six", {}, {6}},
                                                {"", {}, {}}};
  return *std::find_if(kinds.begin(), kinds.end() - 1, [&](const NumberKind& k) { return k.name == name; });
}

AttributeUnit unitOf(const AttributeType& type) {
  AttributeUnit unit;
  const std::string_view text = type.unit;
  if (!type.numeric() || text.starts_with("SI")) return unit;
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

AttributeType::AttributeType(std::string_view named, const Attribute& row, const Attribute& type)
    : name(named), unit(type.unit), shown(row.unit), standard(row.standard), meaning(row.meaning) {
  if (shown.starts_with("SI: ")) shown.erase(0, 4);
  required = standard == "required";
  refused = standard == "refused";
  const auto items = splitItems(type.kind);
  kind = items[0];
  counts = numberKind(kind).counts;
  if (items.size() == 2) range = numberKind(kind).range;
  if (items.size() == 3)
    range = {(*parseNumbers(std::string(items[1])))[0], (*parseNumbers(std::string(items[2])))[0]};
  if (const auto bars = std::count(kind.begin(), kind.end(), '|'); bars > 0)
    for (int i = 0; i <= bars; ++i) words.emplace_back(wordAt(kind, i));
  if (kind == "truth") words = {"false", "true"};
  measure = unitOf(*this);
  const auto last = standard.size() - 1;
  usualText = standard.size() > 2 && standard.find('`', 1) == last ? standard.substr(1, last - 1) : standard;
  if (const auto numbers = numeric() ? parseNumbers(usualText) : std::nullopt) usual = *numbers;
  if (usualText.size() == standard.size()) usualText.clear();
}

std::string_view wordAt(std::string_view text, int index) {
  for (; index > 0; --index) text.remove_prefix(text.find('|') + 1);
  return text.substr(0, text.find('|'));
}

bool AttributeType::numeric() const {
  return kind != "text" && kind != "truth" && kind != "color" && kind != "identifier" &&
         kind.find('|') == std::string::npos;
}

ElementType::ElementType(const char* named, std::initializer_list<std::span<const Attribute>> rows,
                         const char* within, int fewest)
    : tag(named), children(within), least(fewest) {
  for (const std::span<const Attribute> table : rows)
    for (const Attribute& row : table)
      for (const std::string_view name : splitItems(row.names))
        attributes.emplace_back(name, row, *row.kind == '\0' ? common(name) : row);
}

const AttributeType* ElementType::find(std::string_view name) const {
  const auto at = std::find_if(attributes.begin(), attributes.end(),
                               [&](const AttributeType& a) { return a.name == name; });
  return at == attributes.end() ? nullptr : &*at;
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

const ElementType* findElementType(std::string_view tag) {
  static const std::unordered_map<std::string_view, const ElementType*> all = [] {
    std::unordered_map<std::string_view, const ElementType*> made;
    for (const ElementType& type : elementTypes()) made.emplace(type.tag, &type);
    return made;
  }();
  const auto found = all.find(tag);
  return found == all.end() ? nullptr : found->second;
}

const AttributeType& listedAttribute(std::string_view tag, std::string_view name) {
  const ElementType* const type = findElementType(tag);
  if (const AttributeType* const found = type ? type->find(name) : nullptr) return *found;
  throw std::logic_error(fmt::format("the list of attributes has no {} of <{}>", name, tag));
}

}  // namespace grashof::xml
