#pragma once
/// How the row of a coupling changes with the poses of all its bodies: the rows of its coordinates, with
/// g' = Coupling::slope() as their weight, and g'' of a cam.

#include <span>

#include "engine/dynamics/kinematics/block_map.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"

namespace grashof {

/// Adds λ (`impulse`) times the slopes of the row's wrenches. `geometry`: at the poses of `joints`.
void addCouplingWrenchSlope(const JointEvaluator& joints, std::span<const JointGeometry> geometry,
                            const Coupling& coupling, double impulse, BlockMap& map);

/// Adds the slope by poses of rate + residualShare · residual at the twists to row `row` of the map.
void addCouplingRateSlope(const JointEvaluator& joints, std::span<const JointGeometry> geometry,
                          const Coupling& coupling, std::span<const Vec6> twists, double residualShare,
                          Eigen::Index row, BlockMap& map);

/// Adds factor times the row itself at row `row` and column `column` + 6 body.
void addCouplingRow(const JointEvaluator& joints, std::span<const JointGeometry> geometry,
                    const Coupling& coupling, double factor, Eigen::Index row, Eigen::Index column,
                    BlockMap& map);

}  // namespace grashof
