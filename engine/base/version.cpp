#include "engine/base/version.h"

namespace grashof {

const char* version() { return GRASHOF_VERSION; }

}  // namespace grashof
