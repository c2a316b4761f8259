#include "solvers/linear/block_kernels.h"

#include "engine/base/instruction_set.h"

namespace grashof {

template <>
const BlockKernels& blockKernels<3>() {
#if defined(__x86_64__)
  if (useAvx2()) return avx2::kKernels3;
#endif
  return portable::kKernels3;
}

template <>
const BlockKernels& blockKernels<6>() {
#if defined(__x86_64__)
  if (useAvx2()) return avx2::kKernels6;
#endif
  return portable::kKernels6;
}

}  // namespace grashof
