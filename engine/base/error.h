#pragma once
/// Errors that a user can cause, by type. Programming errors inside the engine are assertions.
///
///   Error
///     InputError     the input is wrong: scenario, model, argument, damaged file   -> exit code 2
///     FileError      the operating system refuses a file that is to be written     -> exit code 5
///     AssemblyError  bodies cannot be brought onto the joints                      -> exit code 4
///     CallError      a call of the library breaks its contract (wrong sizes, NaN)  -> exit code 70: a defect
///     DivergedError  a run cannot go on                                            -> exit code 3
///
/// The exit codes are those of the grashof program.

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace grashof {

/// One defect of an input: where it is, what is wrong and what would be right.
struct Diagnostic {
  std::string file;     ///< empty when the input did not come from a file
  int line = 0;         ///< 1-based; 0 when unknown
  std::string element;  ///< for example `body[crank]/inertial`
  std::string message;  ///< what is wrong (what would be right)

  /// `file:line: element: message`, without the parts that are unknown.
  std::string text() const {
    std::string s;
    if (!file.empty()) s += file + ":";
    if (line > 0) s += std::to_string(line) + ":";
    if (!s.empty()) s += " ";
    if (!element.empty()) s += element + ": ";
    return s + message;
  }
};

/// Base of all errors that the library throws. what() tells a user what is wrong and how to mend it.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bad input, with every defect that was found in it.
class InputError : public Error {
 public:
  explicit InputError(std::vector<Diagnostic> found) : Error(join(found)), diagnostics_(std::move(found)) {}
  explicit InputError(std::string message)
      : InputError(std::vector<Diagnostic>{{{}, 0, {}, std::move(message)}}) {}

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  static std::string join(const std::vector<Diagnostic>& all) {
    std::string text;
    for (const Diagnostic& d : all) {
      if (!text.empty()) text += '\n';
      text += d.text();
    }
    return text;
  }
  std::vector<Diagnostic> diagnostics_;
};

/// A file or folder that cannot be written.
class FileError : public Error {
 public:
  /// `why` may end with a cure in parentheses.
  FileError(std::string path, const std::string& why) : Error(path + ": " + why), path_(std::move(path)) {}

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Bodies that cannot be brought onto the joints.
class AssemblyError : public Error {
 public:
  /// `violation`: the largest residual that remains, m or rad.
  AssemblyError(const std::string& message, double violation) : Error(message), violation_(violation) {}

  double violation() const { return violation_; }

 private:
  double violation_;
};

/// A call that breaks its contract, such as a state of another model or a control that is not finite. The
/// object that was called is unchanged.
class CallError : public Error {
 public:
  using Error::Error;
};

/// A run that cannot go on; the state is that before the step that failed.
class DivergedError : public Error {
 public:
  /// `time`: s, when the step that failed began.
  DivergedError(const std::string& message, double time) : Error(message), time_(time) {}

  double time() const { return time_; }

 private:
  double time_;
};

}  // namespace grashof
