#include "solvers/problem/joint_products.h"

namespace grashof::portable {
#include "solvers/problem/joint_products.inc"
}  // namespace grashof::portable
