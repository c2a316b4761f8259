#pragma once
/// What the grashof program tells the shell that started it.

#include <exception>
#include <string>

namespace grashof {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,        ///< an expectation of a scenario failed, or a mechanism does not close
  kBadInput = 2,      ///< bad input or usage
  kDiverged = 3,      ///< a run diverged
  kNotAssembled = 4,  ///< bodies cannot be brought onto the joints
  kNotWritten = 5,    ///< a file cannot be written
  kInternal = 70      ///< an error inside the program (EX_SOFTWARE of sysexits.h)
};

/// The exit codes for --help, each with its meaning.
std::string exitCodeHelp();

/// The exit code that tells an error of this type. Whatever the user did not cause is kInternal, such as a
/// CallError or exhausted memory.
int exitCodeOf(const std::exception& error);

/// What to tell the user: what() for errors that the user can mend, a request to report all others.
std::string messageOf(const std::exception& error);

}  // namespace grashof
