#pragma once
/// A loop over joints that uses several threads where that pays.

#include <cstddef>

#include "engine/base/parallel.h"

namespace grashof {

/// Calls use(j) for all 0 ≤ j < joints, spread over threads when they are many. The calls must not depend on
/// each other.
template <typename Use>
void forEachJoint(std::size_t joints, const Use& use) {
  constexpr std::size_t kParallelJoints = 1024;  // below this, threads cost more than they bring
  if (joints < kParallelJoints) {
    for (std::size_t j = 0; j < joints; ++j) use(j);
    return;
  }
  parallelFor(joints, 256, use);
}

}  // namespace grashof
