#include "solvers/problem/contact_products.h"

namespace grashof::portable {
#include "solvers/problem/contact_products.inc"
}  // namespace grashof::portable
