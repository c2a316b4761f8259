#include "tools/convert/self_contact.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/close_pairs.h"
#include "engine/model/mechanism_size.h"
#include "joints/types/types.h"

namespace grashof::convert {
namespace {

constexpr double kTouching = 1e-3;  // of the mechanism's size: shapes nearer than this touch

bool collides(const std::vector<Shape>& shapes) {
  return std::any_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s.collides; });
}

/// Whether what is joined to the world may touch it: the world has shapes of its own, or none at all. Else
/// its shapes are links of the robot.
bool worldIsScene(const LinkGraph& g) {
  if (!g.tree.worldShapes.empty()) return true;
  for (std::size_t i = 0; i < g.group.size(); ++i)
    if (g.group[i] == kWorldLink && collides(g.tree.links[i].shapes)) return false;
  return true;
}

bool joins(const GraphJoint& e) { return e.alive && e.type->numConstraints() > 0; }

/// The groups around `first` and the massless groups that joints connect with it.
std::set<int> groupsAround(const LinkGraph& g, int first) {
  std::set<int> around, through = {first};
  std::vector<int> open = {first};
  while (!open.empty()) {
    const int group = open.back();
    open.pop_back();
    for (const int e : g.edgesAt(group)) {
      if (!joins(g.edges[static_cast<std::size_t>(e)])) continue;
      const int next = g.other(e, group);
      if (!g.massless(next))
        around.insert(next);
      else if (through.insert(next).second)
        open.push_back(next);
    }
  }
  return around;
}

/// A number for each body, and as the last for the world, the same for those of one robot.
std::vector<int> robotsOf(const Model& model, bool withWorld) {
  std::vector<int> robot(model.bodies.size() + 1);
  std::iota(robot.begin(), robot.end(), 0);
  for (const Joint& joint : model.joints) {
    if (joint.type->numConstraints() == 0 || (joint.base < 0 && !withWorld)) continue;
    const int a = joint.base < 0 ? robot.back() : robot[static_cast<std::size_t>(joint.base)];
    std::replace(robot.begin(), robot.end(), robot[static_cast<std::size_t>(joint.follower)], a);
  }
  return robot;
}

}  // namespace

void excludeNeighbours(const LinkGraph& g, std::span<const BodyId> bodyOf, ModelBuilder& builder) {
  builder.setNeighboursCollide(g.tree.parentsCollide);
  if (g.tree.parentsCollide) return;
  const bool scene = worldIsScene(g);
  const auto exclude = [&](int a, int b) {
    const auto body = [&](int group) {
      return group < 0 ? kWorldBody : bodyOf[static_cast<std::size_t>(group)];
    };
    if (!scene || (a >= 0 && b >= 0)) builder.exclude(body(a), body(b));
  };
  const bool onWorld = std::any_of(g.edges.begin(), g.edges.end(), [](const GraphJoint& e) {
    return joins(e) && (e.base < 0 || e.follower < 0);
  });
  if (scene && onWorld) {
    builder.setNeighboursCollide(true);
    for (const GraphJoint& e : g.edges)
      if (joins(e)) exclude(e.base, e.follower);
  }
  for (std::size_t first = 0; first < g.group.size(); ++first) {
    if (g.gone[first] || g.group[first] != static_cast<int>(first) || !g.massless(static_cast<int>(first)))
      continue;
    const std::set<int> around = groupsAround(g, static_cast<int>(first));
    for (auto a = around.begin(); a != around.end(); ++a)
      for (auto b = std::next(a); b != around.end(); ++b) exclude(*a, *b);
  }
}

void limitSelfContact(const LinkGraph& g, const Model& model, std::span<const Pose> poses, SelfContact how,
                      ModelBuilder& builder, Report& report) {
  if (how == SelfContact::All) return;
  const std::vector<int> robot = robotsOf(model, !worldIsScene(g));
  const auto of = [&](int body) { return body < 0 ? robot.back() : robot[static_cast<std::size_t>(body)]; };
  const auto name = [&](int body) {
    return body < 0 ? "world" : model.bodies[static_cast<std::size_t>(body)].name;
  };
  const bool none = how == SelfContact::None;
  const double touching = kTouching * mechanismSize(model);
  if (none) {
    std::set<int> bodies;
    for (const Shape& s : model.shapes)
      if (s.collides) bodies.insert(s.body);
    std::size_t pairs = 0;
    for (auto a = bodies.begin(); a != bodies.end(); ++a)
      for (auto b = std::next(a); b != bodies.end(); ++b)
        if (of(*a) == of(*b)) builder.exclude({*a}, {*b}), ++pairs;
    if (pairs > 0) report.neverTouch.push_back("any two bodies of a robot (--self-contact none)");
    return;
  }
  for (const ClosePair& p : closePairs(model, poses, touching)) {
    if (of(p.bodyA) != of(p.bodyB)) continue;
    builder.exclude({p.bodyA}, {p.bodyB});
    report.neverTouch.push_back(
        fmt::format("{} and {} ({} at the start)", name(p.bodyA), name(p.bodyB),
                    p.gap < -touching ? fmt::format("{:.2g} m deep in each other", -p.gap) : "they touch"));
  }
}

}  // namespace grashof::convert
