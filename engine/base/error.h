#pragma once
/// What a user can cause, as data: a list of located messages. Programming errors are assertions.

#include <stdexcept>
#include <string>
#include <vector>

namespace grashof {

/// One defect of an input: where it is, what is wrong and what would be right.
struct Diagnostic {
  std::string file;     ///< empty when the input did not come from a file
  int line = 0;         ///< 1-based; 0 when unknown
  std::string element;  ///< for example `body[crank]/inertial`
  std::string message;  ///< what is wrong (what would be right)

  /// `file:line: element: message`, parts that are unknown left out.
  std::string text() const {
    std::string s;
    if (!file.empty()) s += file + ":";
    if (line > 0) s += std::to_string(line) + ":";
    if (!s.empty()) s += " ";
    if (!element.empty()) s += element + ": ";
    return s + message;
  }
};

/// Thrown for bad input, with everything that was found wrong in it. `grashof` prints it and exits with 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> found)
      : std::runtime_error(join(found)), diagnostics_(std::move(found)) {}
  explicit InputError(std::string message)
      : InputError(std::vector<Diagnostic>{{{}, 0, {}, std::move(message)}}) {}

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  static std::string join(const std::vector<Diagnostic>& all) {
    std::string text;
    for (const Diagnostic& d : all) text += (text.empty() ? "" : "\n") + d.text();
    return text;
  }
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace grashof
