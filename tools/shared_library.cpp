#include "tools/shared_library.h"

#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof {

SharedLibrary::SharedLibrary(const std::string& option, const std::string& text) : option_(option) {
  const auto colon = text.find(':');
  path_ = text.substr(0, colon);
  if (colon != std::string::npos) argument_ = text.substr(colon + 1);
  handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_)
    throw InputError(
        fmt::format("{}: {} (is it a shared library, with a path as in ./name.so?)", option_, dlerror()));
}

SharedLibrary::~SharedLibrary() {
  if (handle_) dlclose(handle_);
}

void* SharedLibrary::symbol(const std::string& name, const std::string& header) const {
  void* found = dlsym(handle_, name.c_str());
  if (!found)
    throw InputError(fmt::format("{} {}: has no function {} (see {})", option_, path_, name, header));
  return found;
}

void* partOfProgram(const std::string& file, const char* symbol, std::string& why) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::path folder = fs::read_symlink("/proc/self/exe", code).parent_path();
  why = "it is not there";
  for (const fs::path& path : {folder / file, folder / ".." / GRASHOF_LIBRARY_FOLDER / file}) {
    if (!fs::exists(path, code)) continue;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (void* const found = library ? dlsym(library, symbol) : nullptr) return found;
    why = dlerror();
  }
  return nullptr;
}

}  // namespace grashof
