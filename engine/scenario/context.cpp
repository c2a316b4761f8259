#include "engine/scenario/context.h"

#include <set>

namespace grashof::xml {

std::optional<double> Context::find(std::string_view name) const {
  for (const Context* c = this; c; c = c->outer.get()) {
    if (const auto at = c->names.find(name); at != c->names.end()) return at->second;
    if (c->pending)
      if (const auto value = c->pending(name)) return value;
  }
  return std::nullopt;
}

std::vector<std::string> Context::known() const {
  std::set<std::string> all;
  for (const Context* c = this; c; c = c->outer.get())
    for (const auto& [name, value] : c->names) all.insert(name);
  return {all.begin(), all.end()};
}

std::shared_ptr<Context> insideOf(const std::shared_ptr<const Context>& outer) {
  auto inner = std::make_shared<Context>();
  inner->outer = outer;
  inner->units = outer->units;
  inner->converts = outer->converts;
  inner->fillsTexts = outer->fillsTexts;
  inner->notes = outer->notes;
  return inner;
}

}  // namespace grashof::xml
