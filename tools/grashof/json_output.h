#pragma once
/// JSON on the standard output and in files.

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace grashof {

/// With two blanks a level. Names of files need not be UTF-8; what is not is replaced.
inline std::string jsonText(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

inline void printJson(const nlohmann::ordered_json& json) { fmt::print("{}", jsonText(json)); }

}  // namespace grashof
