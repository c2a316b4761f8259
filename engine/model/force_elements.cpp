#include "engine/model/force_elements.h"

namespace grashof {

CableNode cableNode(const CableSupport& support, std::span<const Pose> poses) {
  CableNode node;
  node.kind = support.kind;
  node.position = support.position;
  node.axis = support.axis;
  node.radius = support.radius;
  node.sense = support.sense;
  node.turns = static_cast<double>(support.turns);
  if (support.body < 0) return node;
  const Pose& pose = poses[support.body];
  node.position = pose * support.position;
  node.axis = pose.rotation * support.axis;
  return node;
}

}  // namespace grashof
