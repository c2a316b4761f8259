#pragma once
/// What motors did in a run and whether they are large enough, as text, JSON and CSV.

#include <string>

#include <nlohmann/json.hpp>

#include "engine/analysis/loads.h"
#include "engine/scenario/display_units.h"

namespace grashof {

/// One object per motor, with its checks.
nlohmann::ordered_json motorsJson(const Model& model, const Loads& loads);
/// One line per motor and rating, with a heading. Empty without motors.
std::string motorsCsv(const Model& model, const Loads& loads);
/// A table of the motors, and a line for each rating that is too small.
void printMotors(const Model& model, const Loads& loads, const DisplayUnits& units);

}  // namespace grashof
