#pragma once
/// Writing whole files of text, and the folders they go to.

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/error.h"

namespace grashof {

/// Makes the folder `path` and those above it, where they are missing. Throws FileError when it cannot be
/// made.
inline void makeFolder(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) throw FileError(path, "the folder cannot be made (" + code.message() + ")");
}

/// Writes `text` to the file `path`. Throws FileError when it cannot be written.
inline void save(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw FileError(path, "cannot be written (does its folder exist, and is there space?)");
}

}  // namespace grashof
