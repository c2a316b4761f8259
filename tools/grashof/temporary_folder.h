#pragma once
/// A folder for the life of this process.

#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/base/error.h"

namespace grashof {

/// Removed with all that is in it at the end of its life. Throws FileError when it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "grashof-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw FileError(pattern, "the folder cannot be made (is there space?)");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  /// Of a file or folder in it.
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace grashof
