// Compiled for AVX2 and FMA (solvers/CMakeLists.txt).
#include "solvers/linear/block_kernels.h"

namespace grashof::avx2 {
#include "solvers/linear/block_kernels.inc"
}  // namespace grashof::avx2
