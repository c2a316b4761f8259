#pragma once
/// `grashof convert`: models from other formats, and back.

#include <string>

#include "tools/convert/formats.h"

namespace grashof {

struct ConvertArguments {
  std::string file, out, to, loops, keyframe;
  convert::FileOptions files;
  convert::BuildOptions build;
  bool json = false;
};

/// Returns the exit code. Throws InputError for bad input.
int convertFile(const ConvertArguments& arguments);

}  // namespace grashof
