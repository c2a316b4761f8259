// Compiled for AVX2 and FMA (solvers/CMakeLists.txt).
#include "solvers/problem/joint_products.h"

namespace grashof::avx2 {
#include "solvers/problem/joint_products.inc"
}  // namespace grashof::avx2
