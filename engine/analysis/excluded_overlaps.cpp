#include "engine/analysis/excluded_overlaps.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/close_pairs.h"

namespace grashof {
namespace {

constexpr double kDeeper = 0.05;        // of the thinner shape's thickness
constexpr double kDeeperMargin = 0.1;   // of the contact margin
constexpr std::size_t kPairsNamed = 5;  // in a warning
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

ExcludedOverlaps::ExcludedOverlaps(const Model& model, std::span<const Pose> start) : model_(model) {
  std::set<ShapeSet> named;
  for (const ExcludedPair& pair : model.exclusions) named.insert({pair.a, pair.b});
  for (const Shape& shape : model.shapes) {
    if (!shape.collides || !(named.contains({shape.body, {}}) || named.contains({shape.body, shape.link})))
      continue;
    shapes_.push_back(shape);
    shapes_.back().modulus = 0.0;
  }
  if (shapes_.empty()) return;
  world_ = std::make_unique<CollisionWorld>(
      shapes_, CollisionFilter(shapes_, model.exclusions, CollisionFilter::Wanted::Excluded));
  world_->detect(start, model.step.contactMargin, contacts_);
  for (const Contact& c : contacts_) {
    Watched& pair = watched(c.shapeA, c.shapeB);
    pair.atStart = joined(c.bodyA, c.bodyB) ? kNever : std::max(pair.atStart, -c.gap);
  }
}

ExcludedOverlaps::Watched& ExcludedOverlaps::watched(int shapeA, int shapeB) {
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), std::pair(shapeA, shapeB),
                                   [](const Watched& w, const std::pair<int, int>& shapes) {
                                     return std::pair(w.shapeA, w.shapeB) < shapes;
                                   });
  if (at != pairs_.end() && at->shapeA == shapeA && at->shapeB == shapeB) return *at;
  return *pairs_.insert(at, {shapeA, shapeB});
}

bool ExcludedOverlaps::joined(int bodyA, int bodyB) const {
  return std::any_of(model_.joints.begin(), model_.joints.end(), [&](const Joint& joint) {
    return std::minmax(joint.base, joint.follower) == std::minmax(bodyA, bodyB);
  });
}

void ExcludedOverlaps::look(std::span<const Pose> poses) {
  if (!world_) return;
  world_->detect(poses, 0.0, contacts_);
  for (const Contact& c : contacts_) {
    Watched& pair = watched(c.shapeA, c.shapeB);
    pair.deepest = std::max(pair.deepest, -c.gap);
  }
}

std::string ExcludedOverlaps::warning() const {
  std::map<std::pair<std::string, std::string>, double> depths;
  for (const Watched& w : pairs_) {
    const Shape &a = shapes_[static_cast<std::size_t>(w.shapeA)],
                &b = shapes_[static_cast<std::size_t>(w.shapeB)];
    const double allowed =
        std::max(kDeeper * std::min(thickness(a), thickness(b)), kDeeperMargin * model_.step.contactMargin);
    if (!(w.deepest > w.atStart + allowed)) continue;
    double& depth = depths[{quotedPart(model_, partOf(a)), quotedPart(model_, partOf(b))}];
    depth = std::max(depth, w.deepest);
  }
  if (depths.empty()) return {};
  std::vector<std::pair<double, std::string>> told;
  told.reserve(depths.size());
  for (const auto& [names, depth] : depths)
    told.emplace_back(-depth, fmt::format("{} and {} by {:.2g} m", names.first, names.second, depth));
  std::sort(told.begin(), told.end());
  std::string list;
  for (std::size_t i = 0; i < std::min(told.size(), kPairsNamed); ++i)
    list += (i > 0 ? ", " : "") + told[i].second;
  if (told.size() > kPairsNamed) list += fmt::format(", and {} more pairs", told.size() - kPairsNamed);
  return fmt::format(
      "bodies that never touch pass through each other: {} (a joint or an <exclude> in <contacts> keeps them "
      "from touching; neighbours=\"true\", or link-a and link-b, lets more touch)",
      list);
}

}  // namespace grashof
