#include "tools/convert/joint_order.h"

#include <algorithm>

#include <fmt/format.h>

namespace grashof::convert {
namespace {

void addDefect(std::vector<Diagnostic>& found, const Tree& tree, const LinkJoint& joint,
               std::string message) {
  found.push_back({tree.file, joint.line, "joint[" + joint.name + "]", std::move(message)});
}

/// How many parents each link has. Reports those with more than one.
std::vector<int> countParents(const Tree& tree, std::vector<Diagnostic>& found) {
  std::vector<int> parents(tree.links.size(), 0);
  for (const LinkJoint& j : tree.joints) {
    const auto child = static_cast<std::size_t>(j.child);
    if (++parents[child] == 2)
      addDefect(
          found, tree, j,
          fmt::format(
              "link '{}' has a second parent (a URDF is a tree: close loops with a YAML file or <loop>)",
              tree.links[child].name));
  }
  return parents;
}

/// Indices of the joints, parents first; those in rings are missing.
std::vector<std::size_t> parentsFirst(const Tree& tree, const std::vector<int>& parents) {
  std::vector<bool> placed(tree.links.size()), done(tree.joints.size(), false);
  for (std::size_t i = 0; i < placed.size(); ++i) placed[i] = parents[i] == 0;
  std::vector<std::size_t> order;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t j = 0; j < tree.joints.size(); ++j) {
      if (done[j] || !placed[static_cast<std::size_t>(tree.joints[j].parent)]) continue;
      placed[static_cast<std::size_t>(tree.joints[j].child)] = done[j] = more = true;
      order.push_back(j);
    }
  }
  return order;
}

}  // namespace

void orderJoints(Tree& tree, std::vector<Diagnostic>& found) {
  const std::size_t before = found.size();
  const std::vector<int> parents = countParents(tree, found);
  if (found.size() > before) return;
  const std::vector<std::size_t> order = parentsFirst(tree, parents);
  for (std::size_t j = 0; j < tree.joints.size() && order.size() < tree.joints.size(); ++j)
    if (std::find(order.begin(), order.end(), j) == order.end())
      return addDefect(found, tree, tree.joints[j], "is part of a ring of parents (a URDF is a tree)");
  std::vector<LinkJoint> sorted;
  std::vector<int> place(order.size());
  for (const std::size_t j : order) {
    place[j] = static_cast<int>(sorted.size());
    sorted.push_back(tree.joints[j]);
  }
  for (Mimic& m : tree.mimics) {
    m.jointA = place[static_cast<std::size_t>(m.jointA)];
    m.jointB = place[static_cast<std::size_t>(m.jointB)];
  }
  tree.joints = std::move(sorted);
  for (std::size_t i = 0; i < tree.links.size(); ++i)
    if (tree.links[i].name == "world_" && parents[i] == 0) {
      tree.links[i].isWorld = true;
      LinkJoint anchor;
      anchor.name = "world_anchor";
      anchor.child = static_cast<int>(i);
      tree.joints.insert(tree.joints.begin(), anchor);
      for (Mimic& m : tree.mimics) ++m.jointA, ++m.jointB;
    }
}

}  // namespace grashof::convert
