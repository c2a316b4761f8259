// readSdf() of the program: by the part of it that links libsdformat.
#include <fmt/format.h>

#include "engine/base/error.h"
#include "tools/convert/sdf_part.h"
#include "tools/shared_library.h"

namespace grashof::convert {

Tree readSdf(const std::string& path, const FileOptions& options, Report& report) {
  std::string why;
  void* const found = partOfProgram("grashof_sdf.so", kSdfPart, why);
  if (!found)
    throw InputError(
        fmt::format("{}: is SDF, and what reads it, grashof_sdf.so, cannot be loaded: {} "
                    "(install libsdformat-dev, configure and build again)",
                    path, why));
  Tree tree;
  reinterpret_cast<SdfPart>(found)(path, options, report, tree);
  return tree;
}

}  // namespace grashof::convert
