#include "tools/shared_library.h"

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

}  // namespace grashof
