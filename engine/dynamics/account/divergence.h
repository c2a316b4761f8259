#pragma once
/// Conditions under which a run is stopped as diverged.

#include <optional>
#include <span>
#include <string>

#include "engine/dynamics/account/energy_ledger.h"
#include "engine/dynamics/account/step_report.h"

namespace grashof {

/// Why a run cannot go on.
struct Divergence {
  double time = 0.0;   ///< s, when the step that failed began
  std::string reason;  ///< the observation, its place, and what might help
};

/// Checks the end of a step that began at `time` (s) for divergence as StepOptions defines it: a state
/// that is not finite, a body too fast, a joint torn apart (with projection only), or mechanical energy
/// without a cause. Only gains of energy count: energy that vanishes cannot make a run explode.
std::optional<Divergence> findDivergence(const Model& model, const State& state,
                                         std::span<const JointGeometry> geometry, const StepReport& report,
                                         const EnergyLedger& ledger, double time);

}  // namespace grashof
