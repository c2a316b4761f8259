#include "solvers/linear/block_kernels.h"

namespace grashof::portable {
#include "solvers/linear/block_kernels.inc"
#include "solvers/problem/columns.inc"
}  // namespace grashof::portable
