#include "solvers/linear/block_kernels.h"

#include <cstdlib>
#include <string_view>

namespace grashof {
namespace {

#if defined(__x86_64__)
bool useAvx2() {
  static const bool use = [] {
    const char* portable = std::getenv("GRASHOF_PORTABLE");
    if (portable && std::string_view(portable) == "1") return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  }();
  return use;
}
#endif

}  // namespace

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
