#pragma once
/// Defects of a model: their places and the messages for users.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/math.h"

namespace grashof {

/// Where a definition was written. Without an element a definition is called by its name, as in
/// `body[crank]`.
struct Where {
  std::string file;     ///< empty: made in code
  int line = 0;         ///< 1-based; 0: made in code
  std::string element;  ///< as in `body[crank]/inertial`
};

/// Allowed range of a number.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool openLower = false;  ///< the lower bound itself is not allowed
};
inline constexpr Range kAny{};
inline constexpr Range kNotNegative{0.0, kAny.upper, false};
inline constexpr Range kPositive{0.0, kAny.upper, true};
inline constexpr Range kShare{0.0, 1.0, false};

/// True for a finite number in the range.
bool within(double x, Range range);

/// As in "a number > 0".
std::string describeRange(Range range);

// What is wrong with the value of an attribute. `text`: the value as it was written.
std::string numberDefect(const std::string& name, const std::string& text, Range range);
std::string integerDefect(const std::string& name, const std::string& text, int lower, int upper);
std::string numbersDefect(const std::string& name, const std::string& text, const std::string& counts);
/// `known`: the words that are allowed; the one closest in spelling is suggested.
std::string wordDefect(const std::string& name, const std::string& text,
                       const std::vector<std::string>& known);
std::string missingDefect(const std::string& name);
/// Empty for a quaternion of unit length (to 1e-6).
std::optional<std::string> quaternionDefect(const Quat& quaternion);

/// Collects the defects of a model, so that all are reported together.
class Defects {
 public:
  void report(const Where& where, const std::string& message) {
    found_.push_back({where.file, where.line, where.element, message});
  }
  void report(Diagnostic defect) { found_.push_back(std::move(defect)); }
  /// Reports a number that is not finite or not in the range.
  void number(const Where& where, const char* name, double value, Range range = kAny);
  void integer(const Where& where, const char* name, int value, int lower, int upper);
  /// Reports a vector or a pose with a number that is not finite, or a rotation that is not of unit length.
  void vector(const Where& where, const char* name, const Vec3& value);
  void rotation(const Where& where, const Quat& value);
  void pose(const Where& where, const Pose& value);

  std::size_t count() const { return found_.size(); }
  /// All defects; those of one file in the order of their lines.
  std::vector<Diagnostic> sorted() const;

 private:
  std::vector<Diagnostic> found_;
};

}  // namespace grashof
