#include "tools/convert/features.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace grashof::convert {
namespace {

/// Whether `word` is among the words of `list`, separated by blanks; no word is in no list.
bool lists(const char* list, const std::string& word) {
  std::istringstream words(list);
  std::string next;
  while (words >> next)
    if (next == word) return true;
  return word.empty() && *list == '\0';
}

}  // namespace

const Feature* findFeature(std::span<const Feature> table, const std::string& element,
                           const std::string& attribute) {
  const auto at = std::find_if(table.begin(), table.end(), [&](const Feature& f) {
    return lists(f.elements, element) && lists(f.attributes, attribute);
  });
  return at == table.end() ? nullptr : &*at;
}

std::string featureTable(std::span<const Feature> table) {
  std::string text;
  for (const Feature& f : table)
    text += fmt::format("| {} | {} | {} | {} |\n", f.elements, f.attributes,
                        f.treatment == Treatment::Taken      ? "taken"
                        : f.treatment == Treatment::NoEffect ? "no effect"
                                                             : "left out",
                        f.note);
  return text;
}

}  // namespace grashof::convert
