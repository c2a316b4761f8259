#pragma once
/// What the reader does with each statement and argument of an Adams/Solver dataset.

#include <span>
#include <string>
#include <vector>

#include "tools/convert/features.h"

namespace grashof::convert {

/// `elements`: statements; `attributes`: their arguments, by their full names.
std::span<const Feature> admFeatures();

/// All statements that the table knows.
std::vector<std::string> admStatements();
/// All arguments of a statement that the table knows.
std::vector<std::string> admArguments(const std::string& statement);

}  // namespace grashof::convert
