#include "solvers/linear/block_kernels.h"

namespace grashof::portable {
#include "solvers/linear/block_kernels.inc"
}  // namespace grashof::portable
