#pragma once
/// Functions of numbers that Adams/Solver has.

#include <span>
#include <string>
#include <string_view>

namespace grashof::convert {

/// Whether there is such a function of numbers.
bool isAdmFunction(std::string_view name);
/// What is behind the name of a function that is not read: what was meant, or that there is none. Empty: it
/// is one of Adams/Solver.
std::string admFunctionHint(const std::string& name);
/// Whether it may have so many arguments.
bool takesAdmArguments(std::string_view name, std::size_t count);
/// Its value; NaN where it has none. @pre both above
double admFunction(std::string_view name, std::span<const double> a);

}  // namespace grashof::convert
