#pragma once
/// Exit codes of the grashof program.

#include <exception>
#include <string>

namespace grashof {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,        ///< an expectation failed, a mechanism does not close, or no run of a study succeeded
  kBadInput = 2,      ///< bad input or usage
  kDiverged = 3,      ///< a run diverged
  kNotAssembled = 4,  ///< bodies cannot be brought onto the joints
  kNotWritten = 5,    ///< a file cannot be written
  kInternal = 70      ///< an error inside the program (EX_SOFTWARE of sysexits.h)
};

/// The exit codes for --help, each with its meaning.
std::string exitCodeHelp();

/// The exit code for an error of this type. Errors that the user did not cause, such as a CallError or
/// exhausted memory, give kInternal.
int exitCodeOf(const std::exception& error);

/// The message for the user: what() for errors that the user can mend, else a request to report the error.
std::string messageOf(const std::exception& error);

}  // namespace grashof
