// Compiled for AVX2, without FMA (solvers/CMakeLists.txt).
#include "solvers/problem/contact_products.h"

namespace grashof::avx2 {
#include "solvers/problem/contact_products.inc"
}  // namespace grashof::avx2
