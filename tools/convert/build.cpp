#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tools/convert/drives.h"
#include "tools/convert/impedance.h"
#include "tools/convert/inertia.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {
namespace {

/// True for a joint that has the name of the one joint of the tree from which it comes.
bool namedAsGiven(const GraphJoint& e) {
  return !e.names.empty() &&
         std::all_of(e.names.begin(), e.names.end(), [&](const std::string& n) { return n == e.name; });
}

/// Gives names to joints made of several, and to loops, that no other joint has.
void nameApart(LinkGraph& g, Report& report) {
  std::set<std::string> used;
  for (const GraphJoint& e : g.edges)
    if (e.alive && namedAsGiven(e)) used.insert(e.name);
  for (GraphJoint& e : g.edges) {
    if (!e.alive || namedAsGiven(e) || used.insert(e.name).second) continue;
    const std::string taken = e.name;
    // A run may have the name of its first joint, if that is a joint no more.
    if (!e.names.empty() && !e.names[0].empty()) e.name = e.names[0];
    for (int n = 2; !used.insert(e.name).second; ++n) e.name = fmt::format("{}_{}", taken, n);
    report.assumed.push_back(fmt::format("a second joint '{}' is called '{}'", taken, e.name));
  }
}

/// Whether the model is one rigid body that the file fixes nowhere, as of a drone: it moves freely.
bool freeAlone(const Tree& tree, Report& report) {
  double mass = 0.0;
  for (const Link& link : tree.links) mass += link.mass;
  const bool rigid = std::all_of(tree.joints.begin(), tree.joints.end(), [](const LinkJoint& j) {
    return j.kind == LinkJointKind::Fixed && j.parent >= 0;
  });
  if (!rigid || !(mass > 0.0) || tree.startsAsGiven) return false;
  report.assumed.push_back(fmt::format("{} moves freely, as with --floating-base: it has no joint that moves",
                                       tree.links[0].name));
  return true;
}

}  // namespace

void Report::once(std::vector<std::string>& lines, const std::string& line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

int Tree::findLink(const std::string& wanted) const {
  const auto at = std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.name == wanted; });
  return at == links.end() ? -2 : static_cast<int>(at - links.begin());
}

int Tree::findJoint(const std::string& wanted) const {
  const auto at =
      std::find_if(joints.begin(), joints.end(), [&](const LinkJoint& j) { return j.name == wanted; });
  return at == joints.end() ? -2 : static_cast<int>(at - joints.begin());
}

Scenario buildScenario(const Tree& tree, const BuildOptions& options, Report& report) {
  Tree held = tree;
  holdFollowersOfFixed(held, report);
  if (options.allMotors) driveAll(held);
  reportUndriven(held, report);
  BuildOptions own = options;
  own.floatingBase = options.floatingBase || freeAlone(held, report);
  weighByShapes(held, report);
  LinkGraph graph(held);
  groupLinks(graph, own, report);
  makeEdges(graph, report);
  joinRuns(graph, report);
  dropOrWeigh(graph, report);
  matchImpedances(graph);
  nameApart(graph, report);
  return scenarioOf(graph, own, report);
}

}  // namespace grashof::convert
