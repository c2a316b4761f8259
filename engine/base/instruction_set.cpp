#include "engine/base/instruction_set.h"

#include <cstdlib>
#include <string_view>

namespace grashof {

bool useAvx2() {
#if defined(__x86_64__)
  static const bool use = [] {
    const char* portable = std::getenv("GRASHOF_PORTABLE");
    if (portable && std::string_view(portable) == "1") return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  }();
  return use;
#else
  return false;
#endif
}

}  // namespace grashof
