#include "engine/base/output_file.h"

#include <filesystem>
#include <fstream>

#include "engine/base/error.h"

namespace grashof {

void makeFolder(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) throw FileError(path, "the folder cannot be made (" + code.message() + ")");
}

void saveText(const std::string& path, const std::string& text) {
  std::error_code code;
  const std::filesystem::file_status found = std::filesystem::symlink_status(path, code);
  const bool beside = !std::filesystem::exists(found) || std::filesystem::is_regular_file(found);
  const std::string written = beside ? path + ".new" : path;
  std::ofstream out(written, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    if (beside) std::filesystem::remove(written, code);
    throw FileError(path, "cannot be written (does its folder exist, is it yours, and is there space?)");
  }
  if (beside) replaceFile(written, path);
}

void replaceFile(const std::string& fresh, const std::string& path) {
  std::error_code code, ignored;
  std::filesystem::rename(fresh, path, code);
  if (!code) return;
  std::filesystem::remove(fresh, ignored);
  throw FileError(path, "cannot be written (" + code.message() + ")");
}

}  // namespace grashof
