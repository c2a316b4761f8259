#include "engine/model/mechanism_size.h"

namespace grashof {

double mechanismSize(const Model& model) {
  double sum = 0.0;
  int count = 0;
  const auto add = [&](double distance) {
    if (distance > 0.0) sum += distance, ++count;
  };
  for (const Joint& joint : model.joints) {
    if (joint.base >= 0) add(joint.baseFrame.position.norm());
    add(joint.followerFrame.position.norm());
  }
  return count > 0 ? sum / count : 1.0;
}

}  // namespace grashof
