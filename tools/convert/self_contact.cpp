#include "tools/convert/self_contact.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/close_pairs.h"
#include "engine/model/mechanism_size.h"
#include "joints/types/types.h"

namespace grashof::convert {
namespace {

constexpr double kTouching = 1e-3;     // of the mechanism's size: shapes nearer than this touch
constexpr const char* kOwn = "world";  // the link of the world's own shapes

bool collides(const Link& link) {
  return std::any_of(link.shapes.begin(), link.shapes.end(), [](const Shape& s) { return s.collides; });
}

/// Sets of numbers that are joined one by one.
class Unions {
 public:
  explicit Unions(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int of(int i) {
    int& up = parent_[static_cast<std::size_t>(i)];
    return up == i ? i : up = of(up);
  }
  void join(int a, int b) { parent_[static_cast<std::size_t>(of(a))] = of(b); }

 private:
  std::vector<int> parent_;
};

/// What moves or stands as one piece, by the number of one of its links, or of a place in
/// Tree::worldJoints behind the links; kWorldLink: the world itself.
class Parts {
 public:
  explicit Parts(const LinkGraph& g)
      : g_(g), whole_(g.tree.links.size() + g.tree.worldJoints.size()), robot_(whole_) {
    joinWelded();
    joinRobots();
    for (std::size_t i = 0; i < g.tree.links.size(); ++i)
      if (of(link(i)) >= 0) links_[of(link(i))].push_back(link(i));
  }

  int of(int i) {
    if (i < 0) return kWorldLink;
    const auto at = static_cast<std::size_t>(i);
    if (at < g_.group.size() && g_.group[at] >= 0) return g_.group[at];
    return at < g_.group.size() && g_.tree.links[at].isWorld ? kWorldLink : whole_.of(i);
  }
  /// A number that all parts of one robot have; the world itself is of none.
  int robotOf(int part) { return part < 0 ? kWorldLink : robot_.of(part); }
  bool moves(int part) const {
    return part >= 0 && static_cast<std::size_t>(part) < g_.group.size() &&
           g_.group[static_cast<std::size_t>(part)] >= 0;
  }
  /// Whether contacts with its neighbours are left out where those with what stands still are not.
  bool filters(int part) {
    const auto handled = [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      return at < g_.tree.links.size() && g_.tree.links[at].handled;
    };
    return moves(part) || (part >= 0 && std::any_of(links_[part].begin(), links_[part].end(), handled));
  }
  const std::vector<int>& linksOf(int part) { return links_[part]; }
  /// Pairs of parts that joints and loops join. `loops`: or joints alone.
  std::vector<std::pair<int, int>> joined(bool loops) {
    std::vector<std::pair<int, int>> pairs;
    const auto add = [&](int a, int b) {
      if (of(a) != of(b)) pairs.emplace_back(of(a), of(b));
    };
    for (const LinkJoint& j : g_.tree.joints)
      if (j.kind != LinkJointKind::Fixed && j.kind != LinkJointKind::Free) add(j.parent, j.child);
    for (std::size_t i = 0; i < g_.tree.worldJoints.size(); ++i)
      add(numbered(i), g_.tree.worldJoints[i].first);
    for (const Loop& loop : g_.tree.loops)
      if (loops && loop.type->numConstraints() > 0) add(loop.linkA, loop.linkB);
    return pairs;
  }
  /// Parts of the world's own shapes, of a joint with them.
  int numbered(std::size_t worldJoint) const { return link(g_.tree.links.size() + worldJoint); }

 private:
  static int link(std::size_t i) { return static_cast<int>(i); }
  /// A root without shape and mass is a frame: what is fixed to it is not welded together by that.
  bool frameOnly(int i) const {
    if (static_cast<std::size_t>(i) >= g_.tree.links.size()) return false;
    const Link& l = g_.tree.links[static_cast<std::size_t>(i)];
    return g_.rooted[static_cast<std::size_t>(i)] && l.shapes.empty() && !(l.mass > 0.0);
  }
  void joinWelded() {
    const Tree& tree = g_.tree;
    const auto weld = [&](int a, int b) {
      if (a < 0 || b < 0 || of(a) == kWorldLink || of(b) == kWorldLink) return;
      if (moves(of(a)) || moves(of(b))) return;
      robot_.join(a, b);
      if (!frameOnly(a)) whole_.join(a, b);
    };
    for (const LinkJoint& j : tree.joints)
      if (j.kind == LinkJointKind::Fixed) weld(j.parent, j.child);
    for (const Loop& loop : tree.loops)
      if (loop.type == &fixedJoint() && !loop.softness.soft()) weld(loop.linkA, loop.linkB);
    for (std::size_t i = 0; i < tree.worldJoints.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k)
        if (tree.worldJoints[k].second == tree.worldJoints[i].second) weld(numbered(k), numbered(i));
      weld(tree.worldJoints[i].first, numbered(i));
    }
  }
  void joinRobots() {
    for (std::size_t i = 0; i < g_.group.size(); ++i)
      if (of(link(i)) >= 0) robot_.join(link(i), of(link(i)));
    for (const auto& [a, b] : joined(true))
      if (a >= 0 && b >= 0) robot_.join(a, b);
  }

  const LinkGraph& g_;
  Unions whole_, robot_;
  std::map<int, std::vector<int>> links_;  // of each part
};

/// Pairs of parts, each once.
using PartPairs = std::set<std::pair<int, int>>;

/// What joints join, also through parts that only carry joints.
PartPairs neighbours(const std::vector<std::pair<int, int>>& joined, const std::set<int>& carriers) {
  std::map<int, std::vector<int>> at;
  PartPairs pairs;
  for (const auto& [a, b] : joined) {
    at[a].push_back(b);
    at[b].push_back(a);
    pairs.insert(std::minmax(a, b));
  }
  for (const int first : carriers) {
    std::set<int> around, through = {first};
    std::vector<int> open = {first};
    while (!open.empty()) {
      const int part = open.back();
      open.pop_back();
      for (const int next : at[part])
        if (!carriers.contains(next))
          around.insert(next);
        else if (through.insert(next).second)
          open.push_back(next);
    }
    for (auto a = around.begin(); a != around.end(); ++a)
      for (auto b = std::next(a); b != around.end(); ++b) pairs.insert({*a, *b});
  }
  return pairs;
}

/// Adds exclusions of parts and links to a model.
class Exclusions {
 public:
  Exclusions(const LinkGraph& g, std::span<const BodyId> bodyOf, Parts& parts, ModelBuilder& builder)
      : g_(g), bodyOf_(bodyOf), parts_(parts), builder_(builder) {}

  /// The shapes of a part: a body, or links of the world.
  std::vector<ShapeSet> ofPart(int part) const {
    if (part < 0) return {};
    if (parts_.moves(part)) {
      if (g_.gone[static_cast<std::size_t>(part)]) return {};
      return {{bodyOf_[static_cast<std::size_t>(part)].value, {}}};
    }
    std::set<std::string> names;
    for (const int link : parts_.linksOf(part))
      if (collides(g_.tree.links[static_cast<std::size_t>(link)]))
        names.insert(g_.tree.links[static_cast<std::size_t>(link)].name);
    for (std::size_t i = 0; i < g_.tree.worldJoints.size(); ++i)
      if (parts_.of(parts_.numbered(i)) == part && hasWorldShape(g_.tree.worldJoints[i].second))
        names.insert(g_.tree.worldJoints[i].second);
    std::vector<ShapeSet> sets;
    sets.reserve(names.size());
    for (const std::string& name : names) sets.push_back({kWorld, name});
    return sets;
  }
  /// The shapes of a link alone; empty where it has none.
  std::vector<ShapeSet> ofLink(int link) const {
    if (link < 0) {
      if (g_.tree.worldShapes.empty()) return {};
      return {{kWorld, ownWorldLink(g_.tree)}};
    }
    const auto at = static_cast<std::size_t>(link);
    const int group = g_.group[at];
    if (!collides(g_.tree.links[at]) || (group >= 0 && g_.gone[static_cast<std::size_t>(group)])) return {};
    if (group < 0) return {{kWorld, g_.tree.links[at].name}};
    const bool alone = parts_.linksOf(group).size() == 1;
    return {{bodyOf_[static_cast<std::size_t>(group)].value, alone ? "" : g_.tree.links[at].name}};
  }
  /// The number of pairs that this adds. Shapes of one body never touch anyway.
  std::size_t add(const std::vector<ShapeSet>& first, const std::vector<ShapeSet>& second) {
    std::size_t pairs = 0;
    for (const ShapeSet& a : first)
      for (const ShapeSet& b : second)
        if (a.body != b.body) builder_.exclude({a.body}, a.link, {b.body}, b.link), ++pairs;
    return pairs;
  }

 private:
  bool hasWorldShape(const std::string& link) const {
    return std::any_of(g_.tree.worldShapes.begin(), g_.tree.worldShapes.end(),
                       [&](const Shape& s) { return s.collides && s.link == link; });
  }

  const LinkGraph& g_;
  std::span<const BodyId> bodyOf_;
  Parts& parts_;
  ModelBuilder& builder_;
};

/// Parts that only carry joints by the rule of the tree.
std::set<int> carriersOf(const LinkGraph& g, Parts& parts) {
  std::set<int> carriers;
  for (std::size_t i = 0; i < g.group.size(); ++i) {
    if (g.group[i] != static_cast<int>(i)) continue;
    const std::vector<int>& links = parts.linksOf(static_cast<int>(i));
    const bool between = std::all_of(
        links.begin(), links.end(), [&](int l) { return g.tree.links[static_cast<std::size_t>(l)].between; });
    if (g.tree.neighbours == TreeNeighbours::ParentAndChild ? between : g.massless(static_cast<int>(i)))
      carriers.insert(static_cast<int>(i));
  }
  return carriers;
}

}  // namespace

std::string ownWorldLink(const Tree& tree) {
  const bool named = std::any_of(tree.excluded.begin(), tree.excluded.end(),
                                 [](const auto& p) { return p.first < 0 || p.second < 0; });
  return named ? kOwn : "";
}

void excludeNeighbours(const LinkGraph& g, std::span<const BodyId> bodyOf, ModelBuilder& builder) {
  builder.setNeighbours(Neighbours::Touch);  // all that never touch is told
  Parts parts(g);
  Exclusions exclusions(g, bodyOf, parts, builder);
  for (const auto& [a, b] : g.tree.excluded) exclusions.add(exclusions.ofLink(a), exclusions.ofLink(b));
  if (g.tree.neighbours == TreeNeighbours::Touch) return;
  const bool all = g.tree.neighbours == TreeNeighbours::Joined;
  for (const auto& [a, b] : neighbours(parts.joined(all), carriersOf(g, parts)))
    if (all || (parts.filters(a) && parts.filters(b)))
      exclusions.add(exclusions.ofPart(a), exclusions.ofPart(b));
}

void limitSelfContact(const LinkGraph& g, std::span<const BodyId> bodyOf, const Model& model,
                      std::span<const Pose> poses, SelfContact how, ModelBuilder& builder, Report& report) {
  if (how == SelfContact::All) return;
  Parts parts(g);
  Exclusions exclusions(g, bodyOf, parts, builder);
  std::map<ShapeSet, int> robotOf;  // of all sets of shapes that a robot has
  for (std::size_t i = 0; i < g.group.size(); ++i) {
    const int part = parts.of(static_cast<int>(i));
    for (const ShapeSet& set : exclusions.ofPart(part)) robotOf.emplace(set, parts.robotOf(part));
  }
  if (how == SelfContact::None) {
    std::size_t pairs = 0;
    for (auto a = robotOf.begin(); a != robotOf.end(); ++a)
      for (auto b = std::next(a); b != robotOf.end(); ++b)
        if (a->second == b->second) pairs += exclusions.add({a->first}, {b->first});
    if (pairs > 0) report.neverTouch.push_back("any two bodies of a robot (--self-contact none)");
    return;
  }
  const auto name = [&](const ShapeSet& set) {
    return set.body < 0 ? set.link : model.bodies[static_cast<std::size_t>(set.body)].name;
  };
  const double touching = kTouching * mechanismSize(model);
  for (const ClosePair& p : closePairs(model, poses, touching)) {
    const auto a = robotOf.find(p.a), b = robotOf.find(p.b);
    if (a == robotOf.end() || b == robotOf.end() || a->second != b->second) continue;
    exclusions.add({p.a}, {p.b});
    report.neverTouch.push_back(
        fmt::format("{} and {} ({} at the start)", name(p.a), name(p.b),
                    p.gap < -touching ? fmt::format("{:.2g} m deep in each other", -p.gap) : "they touch"));
  }
}

}  // namespace grashof::convert
