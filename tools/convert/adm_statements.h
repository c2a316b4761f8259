#pragma once
/// Statements of an Adams/Solver dataset: lines, continuations, names, arguments.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

/// Stands in the text of a function where a line was continued with a comma, which may be one or not.
inline constexpr char kAdmContinued = '\x01';

/// An argument `NAME`, `NAME = v1, v2` or `NAME = expression`.
struct AdmArgument {
  std::string name;                 ///< in full, in capitals
  int line = 0;                     ///< where it begins
  std::vector<std::string> values;  ///< of a function the whole text
};

/// One statement `KEYWORD/id, arguments`.
struct AdmStatement {
  std::string keyword;  ///< in full, in capitals
  std::string name;     ///< of the comment `adams_view_name='...'` before it; empty: none
  int id = 0;           ///< 0: none
  int line = 0;
  std::vector<AdmArgument> arguments;

  /// As in messages: `JOINT/3`.
  std::string element() const;
  const AdmArgument* find(std::string_view argument) const;
  bool has(std::string_view argument) const { return find(argument) != nullptr; }
};

/// The statements of a dataset, but for those without an effect. Defects go to `found`, what is left out to
/// `report`. `file`: as messages call it. `title`: receives the first line.
std::vector<AdmStatement> readAdmStatements(const std::string& text, const std::string& file,
                                            std::string& title, std::vector<Diagnostic>& found,
                                            Report& report);

/// A number of a dataset: decimal, in degrees with the suffix D, exponents with E or D.
std::optional<double> admNumber(std::string_view text);
/// An identifier: digits, > 0.
std::optional<int> admIdentifier(std::string_view text);
/// The text without blanks at its ends.
std::string_view admTrimmed(std::string_view text);
std::string admCapitals(std::string_view text);

}  // namespace grashof::convert
