#pragma once
/// What of a run can be steered, as the page of a live run shows it.

#include <vector>

#include <nlohmann/json.hpp>

#include "engine/scenario/scenario.h"

namespace grashof {

/// `actuators` (name, kind, unit of the reference, and the range of a slider), `solvers` (names), `solver`,
/// `timestep` (s), `duration` (s), `parameters` (path and value of each attribute, as `overrides` leave them)
/// and `overrides`.
nlohmann::ordered_json setupJson(const Scenario& scenario, const std::vector<Override>& overrides);

}  // namespace grashof
