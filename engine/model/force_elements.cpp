#include "engine/model/force_elements.h"

namespace grashof {

CableNode cableNode(const CableSupport& support, std::span<const Pose> poses) {
  CableNode node = {support.kind,   support.position, support.axis,
                    support.radius, support.sense,    static_cast<double>(support.turns)};
  if (support.body < 0) return node;
  const Pose& pose = poses[support.body];
  node.position = pose * support.position;
  node.axis = pose.rotation * support.axis;
  return node;
}

std::size_t branchEnd(std::span<const CableSupport> path, std::size_t from) {
  std::size_t end = from + 1;
  while (end < path.size() && !path[end].begins) ++end;
  return end;
}

}  // namespace grashof
