#pragma once
/// Writing a scenario as it was read: with its parameters, expressions and templates.

#include <string>

#include "engine/scenario/scenario.h"

namespace grashof::xml {

/// Whether the text that a scenario was read from still says what it is.
bool saysAll(const Scenario& scenario);

/// Writes that text. Files that it names are looked for where they were. Throws FileError.
void writeSource(const ScenarioSource& source, const std::string& path, const std::string& remark);

}  // namespace grashof::xml
