#include "tools/convert/sdf_part.h"

extern "C" void grashof_sdf(const std::string& path, const grashof::convert::FileOptions& options,
                            grashof::convert::Report& report, grashof::convert::Tree& tree) {
  tree = grashof::convert::readSdf(path, options, report);
}
