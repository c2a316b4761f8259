#pragma once
/// Expressions of xacro: the part of Python that robots are described with.

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace grashof::convert {

/// What an expression or a property is worth.
struct XacroValue {
  enum class Kind { Text, Whole, Real, Truth };
  Kind kind = Kind::Text;
  double number = 0.0;  ///< of all but texts; a truth is 1 or 0
  std::string text{};   ///< of a text

  /// As xacro writes it: a whole real number as 2.0, a truth as True.
  std::string written() const;
  bool holds() const { return kind == Kind::Text ? !text.empty() : number != 0.0; }
};

/// What the text of a property or parameter is worth: a number, a truth, what stands in quotes, or itself.
XacroValue xacroLiteral(const std::string& text);

/// What is wrong with an expression.
struct XacroDefect : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The value of a name; nothing when it is unknown. It may throw, and that goes through.
using XacroNames = std::function<std::optional<XacroValue>(const std::string& name)>;

/// Evaluates `a if c else b`, or, and, not, comparisons, in (texts), + - * / // % **, calls of the functions
/// of engine/base/expression.h (angles in radians) and of radians, degrees, int, float, str, numbers, texts,
/// True, False, pi, tau. Throws XacroDefect, also for lists, dictionaries and methods.
XacroValue evaluateXacro(std::string_view text, const XacroNames& names);

}  // namespace grashof::convert
