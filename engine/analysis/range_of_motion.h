#pragma once
/// Moves inputs of a mechanism far, in small steps, so that it stays on its branch.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/assembly.h"

namespace grashof {

struct TravelOptions : AssemblyOptions {
  double angleStep = 0.02;  ///< rad: largest step of an angle
  double shareStep = 0.02;  ///< of the mechanism's size: largest step of a translation
};

/// Called at each assembled pose on the way, the first included, with the share of the way in [0, 1].
using TravelObserver = std::function<void(double share, const State& state)>;

struct TravelResult {
  double share = 0.0;    ///< of the way that was gone: 1 at the goal
  std::string obstacle;  ///< what ended it earlier: a limit, or a dead point; empty at the goal
};

/// Moves `state`, assembled, until the inputs of `options` have their values; other motions of the mechanism
/// follow by the least displacement. Near dead points steps are halved down to 1e-6 of the first. `state`
/// ends at the furthest pose reached.
TravelResult travel(const Model& model, State& state, const TravelOptions& options,
                    const TravelObserver& observer = {});

/// How far a coordinate can move from an assembled pose, alone.
struct Reach {
  double start = 0.0, lower = 0.0, upper = 0.0;  ///< m, rad
  std::string lowerEnd, upperEnd;                ///< what ends it; empty: nothing within the way looked at
  bool fullTurn = false;                         ///< turns round without end
};

/// `mostWay`: how far to look, m (angles: one turn). The observer sees the poses in order from the lower to
/// the upper end.
Reach reachOf(const Model& model, const State& state, int joint, int axis, double mostWay,
              const std::function<void(double value, const State& state)>& observer = {});

}  // namespace grashof
