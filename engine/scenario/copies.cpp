// Patterns and templates: elements that are read several times.
#include <cstring>

#include <fmt/format.h>

#include "engine/base/expression.h"
#include "engine/base/spelling.h"
#include "engine/scenario/reader.h"

namespace grashof::xml {
namespace {

constexpr int kMostCopies = 250'000;  // elements of copies in all
constexpr int kDeepest = 32;          // copies within copies
constexpr std::size_t kLongAttribute = 1024;

/// Elements inside of one; a long attribute counts as several.
std::size_t elementsIn(const tinyxml2::XMLElement& e) {
  std::size_t count = 0;
  for (const auto* a = e.FirstAttribute(); a; a = a->Next())
    count += std::strlen(a->Value()) / kLongAttribute;
  for (const auto* child = e.FirstChildElement(); child; child = child->NextSiblingElement())
    count += 1 + elementsIn(*child);
  return count;
}

}  // namespace

bool Reader::admitCopy(Element& e, const Element& content) {
  copies_ += 1 + elementsIn(*content.element_);
  if (nested_ >= kDeepest)
    e.error(fmt::format("copies are nested more than {} deep (does a template use itself?)", kDeepest));
  else if (copies_ > kMostCopies)
    e.error(fmt::format("makes more than {} elements in all (make fewer copies)", kMostCopies));
  else
    return true;
  return false;
}

void Reader::readReplicate(Element e, const Placement& placement) {
  int count = 1;
  e.read("count", count);
  const std::string index = e.text("index");
  if (!isParameterName(index))
    e.error(fmt::format("index=\"{}\" is not allowed (a name of letters, digits and _)", index));
  const std::size_t errorsBefore = found_.size();
  for (int k = 0; k < count && found_.size() == errorsBefore; ++k) {
    if (!admitCopy(e, e)) return;
    const std::shared_ptr<Context> context = insideOf(e.context());
    context->names[index] = k;
    context->fillsTexts = true;
    Element copy = e;
    copy.readWithin(context);
    const Placement inner{placement.pose * copy.pose(), placement.prefix + copy.text("prefix")};
    if (k == 0) copy.finish();
    Arguments none;
    defineParameters(copy, none, false);
    ++nested_;
    readBlock(copy, inner, Block::Copy);
    --nested_;
  }
}

void Reader::defineTemplates(Element& block) {
  for (Element& e : block.children("template")) {
    const std::string name = e.requiredText("name");
    e.finish();
    const auto [at, fresh] = templates_.emplace(std::pair(block.context().get(), name), e);
    if (!fresh)
      e.error(fmt::format("'{}' is defined in line {} already (keep one)", name, at->second.line()));
  }
}

Element* Reader::findTemplate(const Element& e, const std::string& name) {
  for (const Context* place = e.context().get(); place; place = place->outer.get())
    if (const auto at = templates_.find({place, name}); at != templates_.end()) return &at->second;
  return nullptr;
}

void Reader::readUse(Element e, const Placement& placement) {
  const std::string name = e.requiredText("template");
  const Placement inner{placement.pose * e.pose(), placement.prefix + e.text("prefix")};
  const Element* const found = findTemplate(e, name);
  if (!found) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : templates_) names.push_back(known.second);
    const std::string near = closest(name, names);
    if (!name.empty())
      e.error(fmt::format(
          "template=\"{}\": there is no such template ({})", name,
          near.empty() ? fmt::format("{} are known", names.size()) : "did you mean " + near + "?"));
    return;
  }
  Element copy = *found;
  if (!admitCopy(e, copy)) return;
  const std::shared_ptr<Context> context = insideOf(copy.context());
  context->fillsTexts = true;
  copy.readWithin(context);
  Arguments arguments{&e};
  defineParameters(copy, arguments, false);
  e.finishLeaf();
  ++nested_;
  readBlock(copy, inner, Block::Copy);
  --nested_;
}

}  // namespace grashof::xml
