// The part of ModelBuilder::build() for what never touches.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/spelling.h"
#include "engine/model/model_content.h"

namespace grashof {
namespace {

/// All links that shapes have.
std::set<ShapeSet> linksOf(const Model& model) {
  std::set<ShapeSet> links;
  for (const Shape& shape : model.shapes)
    if (!shape.link.empty()) links.insert({shape.body, shape.link});
  return links;
}

/// Reports a link that no shape of the body has.
void checkLink(const char* attribute, const ShapeSet& set, const std::set<ShapeSet>& links,
               const Where& where, Defects& defects) {
  if (set.link.empty() || links.contains(set)) return;
  std::vector<std::string> known;
  for (const ShapeSet& s : links)
    if (s.body == set.body) known.push_back(s.link);
  const std::string near = closest(set.link, known);
  defects.report(
      where,
      fmt::format("{}=\"{}\": no shape of that body has this link ({})", attribute, set.link,
                  near.empty() ? "give it to the shapes that are meant" : "did you mean " + near + "?"));
}

}  // namespace

bool excludes(const Joint& joint, Neighbours rule) {
  if (!joint.type || !(joint.type->numConstraints() > 0 || joint.clearance.any())) return false;
  return rule == Neighbours::Never || (rule == Neighbours::World && joint.base != kWorld);
}

void placeFilters(const ModelContent& content, Model& model, Defects& defects) {
  const std::set<ShapeSet> links = linksOf(model);
  for (const auto& [a, b, linkA, linkB, where] : content.exclusions) {
    const bool bodyA = checkBody(a, true, "a", model.bodies.size(), where, defects);
    const bool bodyB = checkBody(b, true, "b", model.bodies.size(), where, defects);
    if (!bodyA || !bodyB) continue;
    if (a == b) defects.report(where, "a and b are the same (two shapes of one body never touch anyway)");
    checkLink("link-a", {a.value, linkA}, links, where, defects);
    checkLink("link-b", {b.value, linkB}, links, where, defects);
    model.exclusions.push_back({ShapeSet{a.value, linkA}, ShapeSet{b.value, linkB}});
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!content.joints[j].made && excludes(joint, content.neighbours))
      model.exclusions.push_back({joint.base, joint.follower});
  }
  std::vector<ExcludedPair>& all = model.exclusions;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace grashof
