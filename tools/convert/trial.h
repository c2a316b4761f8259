#pragma once
/// A short run of a converted model, to see whether it holds.

#include <optional>
#include <string>
#include <vector>

#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"

namespace grashof::convert {

/// What a short run showed.
struct Trial {
  double simulated = 0.0;  ///< s
  std::int64_t steps = 0;
  double msPerStep = 0.0;     ///< of wall time
  double jointError = 0.0;    ///< largest residual of joints, m, rad
  std::int64_t unsolved = 0;  ///< steps in which the solver missed its tolerance
  std::optional<Divergence> divergence;
  std::vector<std::string> touching;       ///< pairs of bodies that came into contact, and when
  std::vector<std::string> crossedLimits;  ///< at the start, and by how much
  std::vector<std::string> overlapping;    ///< pairs of bodies that overlap at the start, and how deep

  bool holds() const { return !divergence; }
};

/// Runs `scenario` for `duration` (s) in memory; ends sooner when it diverges, or after `patience` (s of wall
/// time). Throws AssemblyError for poses that do not fit the joints.
Trial tryOut(const Scenario& scenario, double duration = 1.0, double patience = 30.0);

}  // namespace grashof::convert
