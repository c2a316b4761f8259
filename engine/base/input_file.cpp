#include "engine/base/input_file.h"

#include <filesystem>
#include <fstream>

#include "engine/base/error.h"

namespace grashof {

void checkInputFile(const std::string& path, std::uintmax_t largest, const std::string& wanted) {
  std::error_code code;
  const bool file = std::filesystem::is_regular_file(path, code);
  const std::uintmax_t size = file ? std::filesystem::file_size(path, code) : 0;
  if (!file || code) throw InputError(path + ": cannot be read (is the path right? needs " + wanted + ")");
  if (size > largest)
    throw InputError(path + ": larger than " + std::to_string(largest >> 20) + " MiB (needs " + wanted + ")");
}

std::string readInputFile(const std::string& path, std::uintmax_t largest, const std::string& wanted) {
  checkInputFile(path, largest, wanted);
  std::error_code code;
  std::string text(static_cast<std::size_t>(std::filesystem::file_size(path, code)), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) throw InputError(path + ": cannot be read (is it yours to read?)");
  return text;
}

}  // namespace grashof
