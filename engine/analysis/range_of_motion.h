#pragma once
/// Moves inputs of a mechanism far, in small steps, so that it stays on its branch of assembled poses.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/assembly.h"

namespace grashof {

/// Inputs to move (AssemblyOptions) and the size of the steps.
struct MoveOptions : AssemblyOptions {
  double angleStep = 0.02;     ///< largest step of an angle, rad
  double relativeStep = 0.02;  ///< largest step of a translation, relative to mechanismSize()
};

/// Called at each assembled pose on the way, the first included, with the share of the way in [0, 1].
using MoveObserver = std::function<void(double share, const State& state)>;

/// How far the inputs were moved.
struct MoveResult {
  double share = 0.0;     ///< of the way that was covered; 1: the inputs have their values
  std::string stoppedBy;  ///< why it ended earlier: a limit, by name, or a dead point; else empty
};

/// Moves the inputs of `options` from their coordinates in `state` to their values along a straight line, and
/// assembles the mechanism at every step (continuation). Bodies that the inputs do not determine follow by
/// the least displacement. A step that does not assemble, or moves the bodies so far that it must have
/// changed the branch, is halved, down to 1e-6 of the first. `state` must be assembled; on return it is the
/// furthest pose that was reached. Values in m, rad.
MoveResult moveInputs(const Model& model, State& state, const MoveOptions& options,
                      const MoveObserver& observer = {});

/// The interval in which one coordinate can move while nothing else is prescribed; m, rad.
struct RangeOfMotion {
  double start = 0.0, lower = 0.0, upper = 0.0;
  std::string lowerEnd, upperEnd;  ///< what stops the motion there; empty: the search ended there
  bool fullTurn = false;           ///< an angle that turns without end; `lower` is then `start`
};

/// Range of coordinate `coordinate` of joint `joint`, from the assembled pose `state`. `maxTravel`: search
/// distance in each direction along a translation, m; along an angle it is one turn. `observer` sees the
/// poses in order from the lower to the upper end.
RangeOfMotion rangeOfMotion(const Model& model, const State& state, int joint, int coordinate,
                            double maxTravel,
                            const std::function<void(double value, const State& state)>& observer = {});

}  // namespace grashof
