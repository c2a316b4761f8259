#include <fmt/format.h>

#include "joints/types/types.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {
namespace {

constexpr double kTogether = 1e-6;  // m, rad: places nearer than this coincide

/// Merges groups that rigid loops join.
void groupLoops(LinkGraph& g, Report& report) {
  for (const Loop& loop : g.tree.loops) {
    if (loop.type != &fixedJoint() || loop.softness.soft()) continue;
    if (g.groupOf(loop.linkA) == g.groupOf(loop.linkB)) {
      const Pose a = g.placed(loop.linkA) * loop.frameA, b = g.placed(loop.linkB) * loop.frameB;
      if ((a.position - b.position).norm() > kTogether || a.rotation.angularDistance(b.rotation) > kTogether)
        g.fail(loop.line, "loop " + loop.name,
               "joins two places of one rigid group that do not coincide (remove it, or free a joint between "
               "them)");
      continue;
    }
    g.merge(loop.linkA, loop.linkB, loop.frameA * loop.frameB.inverse());
    report.merged.push_back(fmt::format("link {} and {} (loop {} holds all directions)",
                                        g.linkName(loop.linkA), g.linkName(loop.linkB), loop.name));
  }
}

}  // namespace

void groupLinks(LinkGraph& g, const BuildOptions& options, Report& report) {
  const std::size_t n = g.tree.links.size();
  g.group.resize(n);
  g.inGroup.assign(n, Pose{});
  for (std::size_t i = 0; i < n; ++i) g.group[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < n; ++i)
    if (g.rooted[i] && !options.floatingBase) {
      g.group[i] = kWorldLink;
      g.inGroup[i] = g.tree.links[i].pose;
      Report::once(report.assumed,
                   fmt::format("link {} has no parent: fixed to the world (--floating-base lets it move)",
                               g.tree.links[i].name));
    }
  for (const LinkJoint& j : g.tree.joints) {
    if (j.kind != LinkJointKind::Fixed) continue;
    g.merge(j.parent, j.child, j.parentFrame * j.childFrame.inverse());
    if (j.parent >= 0)
      report.merged.push_back(fmt::format("link {} into {} (fixed joint {})",
                                          g.tree.links[static_cast<std::size_t>(j.child)].name,
                                          g.tree.links[static_cast<std::size_t>(j.parent)].name, j.name));
  }
  groupLoops(g, report);
}

}  // namespace grashof::convert
