#pragma once
/// Motors of joints, with the bounds that a file gives them.

#include <vector>

#include "engine/model/model_builder.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {

/// Puts a gear before a motor: `sheet` keeps what it says of the coordinate. `ratio`: turns of the motor per
/// turn of the coordinate, not 0; its sign is that of a direction and does not count.
void gearDown(Motor& sheet, double ratio);

/// Bounds of the coordinate: `effort` (N, N m) and `speed` (m/s, rad/s); those that are not positive and
/// finite bound nothing. Reports these.
void boundDrive(Motor& sheet, double effort, double speed, Report& report);

/// Makes motors of all joints of one coordinate that follow no other and have no drive.
void driveAll(Tree& tree);

/// Tells which joints have bounds of a motor, but none.
void reportUndriven(const Tree& tree, Report& report);

/// A motion for each motor of the joints that are alive, about the pose `state`, with a Motor where the file
/// tells of it. `jointOf`: of these joints.
void addMotors(const LinkGraph& g, const std::vector<JointId>& jointOf, const State& state,
               const std::vector<int>& coordinateStart, const BuildOptions& options, ModelBuilder& builder,
               Report& report);

}  // namespace grashof::convert
