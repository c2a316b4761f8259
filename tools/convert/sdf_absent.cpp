// Stands for the reader of SDF where libsdformat is not installed.
#include "engine/base/error.h"
#include "tools/convert/formats.h"

namespace grashof::convert {

Tree readSdf(const std::string& path, const FileOptions& /*options*/, Report& /*report*/) {
  throw InputError(path +
                   ": is SDF, and this program was built without it (install libsdformat-dev, configure and "
                   "build again)");
}

}  // namespace grashof::convert
