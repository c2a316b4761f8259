#pragma once
/// Mobility and redundancy of a mechanism as JSON, and in words.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/analysis/mobility.h"

namespace grashof {

/// Below this regularity a pose counts as near a singular one.
inline constexpr double kSingularRegularity = 1e-3;

/// What a joint contributes: its redundancy, and the directions that could be released there.
struct JointShare {
  double redundancy = 0.0;
  std::vector<int> released;
};

/// One per joint.
std::vector<JointShare> redundancyShares(const Model& model, const Mobility& mobility);
/// What a joint could be instead, so that `released` are free; empty: nothing.
std::string releaseAdvice(const Joint& joint, const std::vector<int>& released);
/// The coordinate, or the component of a twist, that leads a motion.
std::string leaderName(const Model& model, const MotionMode& mode);
/// The name of a coordinate counted over all joints.
std::string coordinateName(const Model& model, int coordinate);

/// As `grashof analyze --json` prints it. `file`: of the scenario.
nlohmann::ordered_json mobilityJson(const std::string& file, const Model& model, const Mobility& mobility);

}  // namespace grashof
