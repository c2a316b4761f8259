// Links without mass: joints through them become one, ends are left out, others get a little mass.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "joints/types/types.h"
#include "tools/convert/inertia.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {
namespace {

constexpr double kNoMass = 1e-6;     // kg: lighter links do not count for the usual mass
constexpr double kGiven = 1e-4;      // of the usual or a neighbour's mass: what a group without mass is given
constexpr double kSamePoint = 1e-9;  // m

bool hasShapes(const LinkGraph& g, int group) {
  for (std::size_t i = 0; i < g.group.size(); ++i)
    if (g.group[i] == group && !g.tree.links[i].shapes.empty()) return true;
  return false;
}

/// Replaces the joints of a run between two groups by one, when there is a type for it.
void replaceRun(LinkGraph& g, std::vector<int> run, int from, int to, Report& report) {
  if (from == to) return;
  if (to == kWorldLink) {
    std::reverse(run.begin(), run.end());
    std::swap(from, to);
  }
  std::vector<RunStep> steps;
  int at = from;
  std::string names;
  for (const int index : run) {
    const GraphJoint& e = g.edges[static_cast<std::size_t>(index)];
    const bool forward = e.base == at;
    const Pose frame = g.zeroOf(e.base) * e.baseFrame;
    RunStep s;
    s.sign = forward ? 1.0 : -1.0;
    s.axis = s.sign * (frame.rotation * Vec3::UnitX());
    s.point = frame.position;
    s.turns = e.type == &revoluteJoint();
    s.own = e.axes[0];
    s.motor = e.motors[0];
    s.name = e.name;
    steps.push_back(s);
    at = g.other(index, at);
    names += (names.empty() ? "" : ", ") + e.name;
  }
  const auto merged = oneJoint(steps);
  if (!merged) return;
  at = from;
  for (const int index : run)
    if ((at = g.other(index, at)) != to) {
      g.gone[static_cast<std::size_t>(at)] = true;
      if (hasShapes(g, at))
        report.leftOut.push_back(fmt::format("shapes of link {} (it has no mass, and its joints are one)",
                                             g.tree.links[static_cast<std::size_t>(at)].name));
    }
  GraphJoint e = *merged;
  for (const int index : run) g.edges[static_cast<std::size_t>(index)].alive = false;
  e.base = from;
  e.follower = to;
  const Pose frame = e.baseFrame;  // in the world
  e.baseFrame = g.zeroOf(from).inverse() * frame;
  e.followerFrame = g.zeroOf(to).inverse() * frame;
  e.name = commonName(steps);
  report.merged.push_back(fmt::format("joints {} through links without mass into {} joint {}", names,
                                      std::string(e.type->name()), e.name));
  g.edges.push_back(std::move(e));
}

/// True if a point of the world belongs to both groups of a joint however it moves, at coordinate zero.
bool shared(const LinkGraph& g, const GraphJoint& e, const Vec3& point) {
  if (e.softness.soft()) return false;
  const Pose frame = g.zeroOf(e.base) * e.baseFrame;
  const Vec3 off = point - frame.position;
  if (e.type == &revoluteJoint()) return off.cross(frame.rotation * Vec3::UnitX()).norm() <= kSamePoint;
  const bool turns = e.type == &universalJoint() || e.type == &gimbalJoint() || e.type == &sphericalJoint();
  return turns && off.norm() <= kSamePoint;
}

/// The group with a mass, or the world, that has a point in common with `group` however joints move; none:
/// -2.
int holderOf(const LinkGraph& g, int group, const Vec3& point, double mass, std::vector<int> passed) {
  passed.push_back(group);
  for (const int index : g.edgesAt(group)) {
    const int next = g.other(index, group);
    if (std::find(passed.begin(), passed.end(), next) != passed.end()) continue;
    if (!shared(g, g.edges[static_cast<std::size_t>(index)], point)) continue;
    if (next == kWorldLink || canSpare(g, next, {next, mass, g.zeroOf(next).inverse() * point})) return next;
    const int further = holderOf(g, next, point, mass, passed);
    if (further != -2) return further;
  }
  return -2;
}

/// Gives a group a mass. Where a joint's point belongs to a heavy group, too, it stands there and is taken
/// from that group: nothing is heavier then, and only what turns the light group is added.
void weigh(LinkGraph& g, int group, double mass) {
  const Pose zero = g.zeroOf(group);
  for (const int index : g.edgesAt(group)) {
    const GraphJoint& e = g.edges[static_cast<std::size_t>(index)];
    const Vec3 point = (e.base == group ? e.baseFrame : e.followerFrame).position, world = zero * point;
    const int holder = holderOf(g, group, world, mass, {});
    if (holder == -2) continue;
    g.added.push_back({group, mass, point});
    if (holder != kWorldLink) g.added.push_back({holder, -mass, g.zeroOf(holder).inverse() * world});
    return;
  }
  g.added.push_back({group, mass, Vec3::Zero()});
}

/// The least mass, kg, of groups to which joints lead from a group without mass, also through others without;
/// infinite where there is none.
double lightestAround(const LinkGraph& g, int group) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<int> open = {group};
  std::set<int> passed = {group};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    for (const int index : g.edgesAt(at)) {
      const int next = g.other(index, at);
      if (next == kWorldLink || !passed.insert(next).second) continue;
      if (g.massless(next))
        open.push_back(next);
      else
        least = std::min(least, g.massOf(next));
    }
  }
  return least;
}

}  // namespace

void joinRuns(LinkGraph& g, Report& report) {
  std::vector<bool> seen(g.tree.links.size(), false);
  for (std::size_t first = 0; first < g.tree.links.size(); ++first) {
    const int group = static_cast<int>(first);
    if (seen[first] || g.group[first] != group || !g.carrier(group)) continue;
    // To the end of the run, then back along it.
    int end = group, last = g.edgesAt(group)[0];
    while (g.carrier(end)) {
      seen[static_cast<std::size_t>(end)] = true;
      const auto around = g.edgesAt(end);
      last = around[0] == last ? around[1] : around[0];
      end = g.other(last, end);
      if (end == group) break;
    }
    if (g.carrier(end)) continue;  // a ring without mass
    std::vector<int> run;
    int at = end, edge = last;
    const int start = end;
    do {
      run.push_back(edge);
      at = g.other(edge, at);
      seen[static_cast<std::size_t>(std::max(at, 0))] =
          seen[static_cast<std::size_t>(std::max(at, 0))] || g.carrier(at);
      if (!g.carrier(at)) break;
      const auto around = g.edgesAt(at);
      edge = around[0] == edge ? around[1] : around[0];
    } while (true);
    // Along the tree rather than against it.
    if (g.edges[static_cast<std::size_t>(run.front())].base == start || at == kWorldLink)
      replaceRun(g, run, start, at, report);
    else
      replaceRun(g, {run.rbegin(), run.rend()}, at, start, report);
  }
}

void dropOrWeigh(LinkGraph& g, Report& report) {
  std::vector<double> masses;
  for (std::size_t i = 0; i < g.tree.links.size(); ++i)
    if (g.group[i] >= 0 && g.tree.links[i].mass > kNoMass) masses.push_back(g.tree.links[i].mass);
  std::sort(masses.begin(), masses.end());
  bool again = true;
  while (again) {
    again = false;
    for (std::size_t first = 0; first < g.tree.links.size(); ++first) {
      const int group = static_cast<int>(first);
      if (g.group[first] != group || g.gone[first] || !g.massless(group)) continue;
      const auto around = g.edgesAt(group);
      if (around.size() > 1 || (around.size() == 1 && hasShapes(g, group))) continue;
      for (const int e : around) g.edges[static_cast<std::size_t>(e)].alive = false;
      g.gone[first] = true;
      again = true;
      report.leftOut.push_back(fmt::format(
          "link {} (no mass, and nothing hangs on it){}", g.tree.links[first].name,
          around.empty() ? "" : " with its joint " + g.edges[static_cast<std::size_t>(around[0])].name));
    }
  }
  std::vector<int> light;
  for (std::size_t first = 0; first < g.tree.links.size(); ++first) {
    const int group = static_cast<int>(first);
    if (g.group[first] != group || g.gone[first] || !g.massless(group)) continue;
    if (masses.empty())
      g.fail(g.tree.links[first].line, "link " + g.tree.links[first].name,
             "has no mass, nor has any other link (give them masses)");
    light.push_back(group);
  }
  // All are known before the first has a mass.
  std::vector<double> given;
  given.reserve(light.size());
  for (const int group : light)
    given.push_back(kGiven * std::min(masses[masses.size() / 2], lightestAround(g, group)));
  for (std::size_t i = 0; i < light.size(); ++i) {
    const int group = light[i];
    weigh(g, group, std::max(given[i] - g.massOf(group), 0.0));
    report.approximated.push_back(fmt::format("link {} has no mass of its own: given {:.3g} kg",
                                              g.linkName(group), g.wholeMassOf(group)));
  }
}

}  // namespace grashof::convert
