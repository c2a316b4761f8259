#pragma once
/// Shared libraries: one that a user names on the command line, and parts of the program itself.

#include <string>

namespace grashof {

/// Loaded as long as the object lives.
class SharedLibrary {
 public:
  /// `text`: LIBRARY or LIBRARY:ARGUMENT; `option`: the option that it was given with, for messages. Throws
  /// InputError when it cannot be loaded.
  SharedLibrary(const std::string& option, const std::string& text);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  const std::string& path() const { return path_; }
  const std::string& argument() const { return argument_; }  ///< empty: none was given

  /// The function called `name`, which `header` declares. Throws InputError when there is none.
  template <typename Function>
  Function function(const std::string& name, const std::string& header) const {
    return reinterpret_cast<Function>(symbol(name, header));
  }

 private:
  void* symbol(const std::string& name, const std::string& header) const;

  std::string option_, path_, argument_;
  void* handle_ = nullptr;
};

/// The function `symbol` of a part of the program that is loaded only when it is needed, so that nothing else
/// waits for the libraries under it: `file`, which lies beside the program, or where packages put it. It
/// stays loaded. nullptr: there is none, and `why` says why.
void* partOfProgram(const std::string& file, const char* symbol, std::string& why);

}  // namespace grashof
