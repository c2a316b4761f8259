#pragma once
/// What is wrong in a file, for a page that shows it at its line.

#include <exception>

#include <nlohmann/json.hpp>

namespace grashof {

/// An error as a list: one entry per defect with `file`, `line` (0: unknown), `element`, `message` and
/// `source`, the lines around it as { "line", "text" }.
nlohmann::ordered_json defectsJson(const std::exception& error);

}  // namespace grashof
