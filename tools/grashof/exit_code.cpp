#include "tools/grashof/exit_code.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof {
namespace {

constexpr std::size_t kMostTold = 100;  // defects of an input

/// Whether the standard output or the error stream cannot be written.
bool streamFailed(const std::exception& error) {
  const auto* const system = dynamic_cast<const std::system_error*>(&error);
  if (!system || dynamic_cast<const std::filesystem::filesystem_error*>(&error)) return false;
  const int code = system->code().value();
  return code == ENOSPC || code == EFBIG || code == EDQUOT || code == EIO || code == EBADF || code == EPIPE;
}

}  // namespace

std::string exitCodeHelp() {
  return "Exit codes: 0 done, 1 an expectation failed, a mechanism does not close or no run of a study "
         "succeeded, 2 bad input or usage, 3 a run diverged, 4 a mechanism "
         "cannot be assembled, 5 a file cannot be written, 70 an error inside the program, 128 + N ended by "
         "signal N (130: Ctrl-C).";
}

int exitCodeOf(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error)) return kBadInput;
  if (dynamic_cast<const DivergedError*>(&error)) return kDiverged;
  if (dynamic_cast<const AssemblyError*>(&error)) return kNotAssembled;
  if (dynamic_cast<const FileError*>(&error) || streamFailed(error)) return kNotWritten;
  return kInternal;
}

std::string messageOf(const std::exception& error) {
  const auto* const input = dynamic_cast<const InputError*>(&error);
  if (input && input->diagnostics().size() > kMostTold) {
    const std::vector<Diagnostic>& all = input->diagnostics();
    const InputError first(std::vector<Diagnostic>(all.begin(), all.begin() + std::ptrdiff_t{kMostTold}));
    return first.what() + fmt::format("\nand {} more", all.size() - kMostTold);
  }
  if (exitCodeOf(error) != kInternal) return error.what();
  return std::string("internal error: ") + error.what() + " (please report it)";
}

}  // namespace grashof
