#pragma once
/// Files that a user names.

#include <cstdint>
#include <string>

namespace grashof {

/// Most bytes of a scenario, with all that it includes.
inline constexpr std::uintmax_t kLargestScenario = 256u << 20;

/// Throws InputError unless `path` is a regular file of at most `largest` bytes: a pipe or a device may never
/// end. `wanted`: what should be there, for the message, as in "a CSV file: time, then values".
void checkInputFile(const std::string& path, std::uintmax_t largest, const std::string& wanted);

/// The content of such a file.
std::string readInputFile(const std::string& path, std::uintmax_t largest, const std::string& wanted);

}  // namespace grashof
