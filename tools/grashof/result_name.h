#pragma once
/// How results are called.

#include <filesystem>
#include <string>

namespace grashof {

/// The name of `file` without folders and ending; with its ending where only dots would be left, which name
/// other folders.
inline std::string resultName(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string stem = path.stem().string();
  return stem.find_first_not_of('.') == std::string::npos ? path.filename().string() : stem;
}

}  // namespace grashof
