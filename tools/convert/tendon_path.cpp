#include "tools/convert/tendon_path.h"

#include <cstddef>
#include <span>

namespace grashof::convert {

CableNode nodeAt(const PathNode& node, const Pose& pose) {
  return {node.kind, pose * node.position, pose.rotation * node.axis, node.radius, node.sense, 0.0};
}

PathWay pathWay(const std::vector<PathNode>& path, const std::function<Pose(int link)>& poseOf) {
  std::vector<CableNode> nodes;
  nodes.reserve(path.size());
  for (const PathNode& n : path) nodes.push_back(nodeAt(n, n.link < 0 ? Pose{} : poseOf(n.link)));
  std::vector<CableTouch> touch(path.size());
  PathWay way;
  for (std::size_t from = 0, to = 0; from < path.size(); from = to) {
    to = from + 1;
    while (to < path.size() && !path[to].divisor) ++to;
    const double share = 1.0 / path[from].divisor.value_or(1.0);
    way.length += share * wrapCable(std::span<const CableNode>(nodes).subspan(from, to - from),
                                    std::span<CableTouch>(touch).subspan(from, to - from));
    std::size_t before = from;
    for (std::size_t i = from + 1; i < to; ++i) {
      if (!touch[i].touches) continue;
      way.spans.push_back({path[before].link, path[i].link, touch[before].out, touch[i].in, share});
      before = i;
    }
  }
  return way;
}

bool isInside(const CableNode& round, const Vec3& point) {
  Vec3 d = point - round.position;
  if (round.kind == CableNodeKind::Cylinder) d -= round.axis.dot(d) * round.axis;
  return d.norm() < round.radius;
}

}  // namespace grashof::convert
