#include "solvers/problem/contact_products.h"

#include "engine/base/instruction_set.h"

namespace grashof {

const ContactProducts& contactProducts() {
#if defined(__x86_64__)
  if (useAvx2()) return avx2::kContactProducts;
#endif
  return portable::kContactProducts;
}

}  // namespace grashof
