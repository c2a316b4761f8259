#include <algorithm>

#include "tools/convert/link_graph.h"

namespace grashof::convert {

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
  LinkGraph graph(held);
  groupLinks(graph, options, report);
  makeEdges(graph, report);
  joinRuns(graph, report);
  dropOrWeigh(graph, report);
  return scenarioOf(graph, options, report);
}

}  // namespace grashof::convert
