#include "engine/analysis/close_pairs.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "contacts/collision_world.h"

namespace grashof {
namespace {

// Shallower overlaps are not reported:
constexpr double kIntended = 0.02;       // of a shape's thickness
constexpr double kPressed = 0.2;         // the same where a shape is compliant: an overlap presses it
constexpr double kIntendedMargin = 0.1;  // of the contact margin
constexpr std::size_t kNamed = 5;        // pairs that a warning names

}  // namespace

double thickness(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Plane:
    case ShapeType::HeightField:
      return std::numeric_limits<double>::infinity();
    case ShapeType::Box:
      return shape.size.minCoeff();
    case ShapeType::Ellipsoid:
      return 2.0 * shape.size.minCoeff();
    case ShapeType::Sphere:
    case ShapeType::Capsule:
      return 2.0 * shape.radius;
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      return std::min(2.0 * shape.radius, shape.length);
    case ShapeType::Hull:
    case ShapeType::Mesh: {
      Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
      for (const Vec3& v : shape.mesh->vertices) {
        low = low.cwiseMin(v);
        high = high.cwiseMax(v);
      }
      return (high - low).minCoeff();
    }
  }
  return 0.0;
}

ShapeSet partOf(const Shape& shape) { return {shape.body, shape.body < 0 ? shape.link : std::string()}; }

std::string quotedPart(const Model& model, const ShapeSet& part) {
  if (part.body >= 0) return "'" + model.bodies[static_cast<std::size_t>(part.body)].name + "'";
  return part.link.empty() ? "the world" : "'" + part.link + "' of the world";
}

std::vector<ClosePair> closePairs(const Model& model, std::span<const Pose> poses, double margin) {
  std::vector<Contact> contacts;
  CollisionWorld(model.shapes, model.exclusions).detect(poses, margin, contacts);
  std::vector<ClosePair> pairs;
  for (const Contact& c : contacts) {
    const auto partAt = [&](int shape) { return partOf(model.shapes[static_cast<std::size_t>(shape)]); };
    const ExcludedPair sets(partAt(c.shapeA), partAt(c.shapeB));
    pairs.push_back({sets.a, sets.b, c.shapeA, c.shapeB, c.gap});
  }
  const auto bodies = [](const ClosePair& p) { return std::pair(p.a, p.b); };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const ClosePair& p, const ClosePair& q) {
    return std::pair(bodies(p), p.gap) < std::pair(bodies(q), q.gap);
  });
  const auto same = [&](const ClosePair& p, const ClosePair& q) { return bodies(p) == bodies(q); };
  pairs.erase(std::unique(pairs.begin(), pairs.end(), same), pairs.end());
  return pairs;
}

std::vector<ClosePair> overlaps(const Model& model, std::span<const Pose> poses) {
  std::vector<ClosePair> pairs = closePairs(model, poses, 0.0);
  const auto intended = [&](const ClosePair& p) {
    const Shape &a = model.shapes[static_cast<std::size_t>(p.shapeA)],
                &b = model.shapes[static_cast<std::size_t>(p.shapeB)];
    const double share = a.modulus > 0.0 || b.modulus > 0.0 ? kPressed : kIntended;
    return -p.gap <=
           std::max(share * std::min(thickness(a), thickness(b)), kIntendedMargin * model.step.contactMargin);
  };
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(), intended), pairs.end());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ClosePair& p, const ClosePair& q) { return p.gap < q.gap; });
  return pairs;
}

std::string overlapWarning(const Model& model, const std::vector<ClosePair>& overlapping, RunMoment moment) {
  if (overlapping.empty()) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min(overlapping.size(), kNamed); ++i) {
    const ClosePair& p = overlapping[i];
    names += fmt::format("{}{} and {} by {:.2g} m", i > 0 ? ", " : "", quotedPart(model, p.a),
                         quotedPart(model, p.b), -p.gap);
  }
  if (overlapping.size() > kNamed) names += fmt::format(", and {} more pairs", overlapping.size() - kNamed);
  if (moment == RunMoment::End)
    return fmt::format(
        "bodies overlap at the end: {} (what presses them is more than their contacts bear, or a step was "
        "too "
        "long for their speed: stiffer materials, a smaller timestep)",
        names);
  return fmt::format(
      "bodies overlap at the start: {} (contacts push them apart; if they are not to touch: <exclude> in "
      "<contacts>, groups and touches of their shapes, or collides=\"false\")",
      names);
}

}  // namespace grashof
