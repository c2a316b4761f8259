#include "tools/grashof/exit_code.h"

#include "engine/base/error.h"

namespace grashof {

std::string exitCodeHelp() {
  return "Exit codes: 0 done, 1 an expectation failed, 2 bad input or usage, 3 a run diverged, 4 a mechanism "
         "cannot be assembled, 5 a file cannot be written, 70 an error inside the program.";
}

int exitCodeOf(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error)) return kBadInput;
  if (dynamic_cast<const DivergedError*>(&error)) return kDiverged;
  if (dynamic_cast<const AssemblyError*>(&error)) return kNotAssembled;
  if (dynamic_cast<const FileError*>(&error)) return kNotWritten;
  return kInternal;
}

std::string messageOf(const std::exception& error) {
  if (exitCodeOf(error) != kInternal) return error.what();
  return std::string("internal error: ") + error.what() + " (please report it)";
}

}  // namespace grashof
