#pragma once
/// Arithmetic expressions in text, such as `L/2*cos(30)`.
///
///   a ? b : c   a || b   a && b   == != < <= > >=   + -   * / %   unary + - !   a^b (from the right)   (a)
///
/// from the loosest to the tightest; -2^2 is -4. Comparisons are 1 or 0, and what is not 0 is true. Numbers
/// are decimal, names are letters, digits and _. Known without being defined: the constant pi and the
/// functions sin cos tan asin acos atan atan2 sinh cosh tanh sqrt cbrt exp log log10 abs sign floor ceil
/// round min max hypot pow. All is computed in double precision, in the order in which it is written.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grashof {

/// In which unit functions take and return angles. Sines and cosines of whole quarters of a turn are exact in
/// degrees.
enum class AngleUnit { Radian, Degree };

/// What an expression is worth, or why it is worth nothing.
struct Evaluation {
  double value = 0.0;        ///< finite, if there is no defect
  std::string defect;        ///< what is wrong; empty: nothing
  std::size_t position = 0;  ///< of the defect: characters before it
};

/// The value of a name; nothing when it is unknown. It may throw, and that goes through evaluate().
using NameValues = std::function<std::optional<double>(std::string_view name)>;

/// Evaluates the whole of `text`. Nesting of more than some hundred levels is a defect, so that no text
/// exhausts the stack. `known`: names for the message about an unknown one.
Evaluation evaluate(std::string_view text, const NameValues& names, AngleUnit angles = AngleUnit::Radian,
                    const std::function<std::vector<std::string>()>& known = {});

/// Whether a parameter may have this name: a letter or _, then letters, digits and _, and not the name of a
/// function or constant.
bool isParameterName(std::string_view name);

/// Splits a list at its blanks outside of parentheses.
std::vector<std::string_view> splitItems(std::string_view text);

}  // namespace grashof
