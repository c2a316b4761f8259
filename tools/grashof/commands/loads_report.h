#pragma once
/// The loads of a scenario: a run that observes them, and what it found as JSON.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/analysis/loads.h"
#include "engine/scenario/scenario.h"

namespace grashof {

/// Components of a joint's load: forces, then moments.
inline constexpr std::array<const char*, 6> kLoadComponents = {"fx", "fy", "fz", "mx", "my", "mz"};

/// "world" for -1.
std::string bodyName(const Model& model, int body);
/// Where a blow fell, as in "limit rail upper".
std::string blowName(const Model& model, const BlowPlace& place);
/// What is said of steps that are left out; empty: none were.
std::string clashText(const Loads& loads);
/// Of the effort and rate of a coordinate, and of the impulse of a blow or the jump of a motion, SI.
const char* effortUnit(const Model& model, int joint, int coordinate);
const char* rateUnit(const Model& model, int joint, int coordinate);
const char* blowUnit(const Model& model, const BlowPlace& place);
/// Of a coupling, as in scenarios.
const char* couplingKind(CouplingKind kind);

/// What a run found. `model`: that of the scenario, with joints of declared compliance made rigid.
struct LoadsRun {
  std::shared_ptr<const Model> model;
  Loads loads;
  std::optional<Divergence> divergence;
};

/// Called after each step with the number of steps so far and of the run. False ends the run there.
using LoadsProgress = std::function<bool(const Simulator&, std::int64_t step, std::int64_t steps)>;

/// Throws InputError for loads `from` a time (s) that is not before the end of the run.
void checkStart(const Scenario& scenario, double from);

/// Runs a scenario for its duration and observes the loads of the steps that end after `from` (s), see
/// checkStart(). Throws AssemblyError for poses that cannot be brought onto
/// the joints. `progress` may be empty.
LoadsRun runLoads(const Scenario& scenario, double from, const LoadsProgress& progress);

/// The loads, as `grashof loads --json` prints them without the names of files.
nlohmann::ordered_json loadsJson(const Model& model, const Loads& loads);

}  // namespace grashof
