#pragma once
/// JSON on the standard output and in files.

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace grashof {

/// In one line. Names of files need not be UTF-8; what is not is replaced.
inline std::string jsonLine(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The same with two blanks a level.
inline std::string jsonText(const nlohmann::ordered_json& json) { return jsonLine(json, 2) + "\n"; }

inline void printJson(const nlohmann::ordered_json& json) { fmt::print("{}", jsonText(json)); }

}  // namespace grashof
