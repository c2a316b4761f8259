#pragma once
/// Writing whole files of text.

#include <fstream>
#include <string>

#include "engine/base/error.h"

namespace grashof {

/// Writes `text` to `path`. Throws InputError when it can't be written.
inline void save(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw InputError(path + ": cannot be written (does its folder exist, and is there space?)");
}

}  // namespace grashof
