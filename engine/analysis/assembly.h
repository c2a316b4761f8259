#pragma once
/// Brings bodies from approximate poses onto the joints.

#include <span>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

struct AssemblyOptions : AssemblySetup {
  double tolerance = 1e-10;  ///< largest residual of an assembled mechanism, m, rad
  int maxIterations = 500;
};

/// A loop that does not close.
struct OpenLoop {
  int joint = -1;         ///< whose residual is the largest of its loop
  double residual = 0.0;  ///< m or rad
  std::vector<int>
      joints;  ///< the loop, from that joint's base the other way round to its follower; empty: none
};

struct AssemblyResult {
  bool assembled = false;
  int iterations = 0;
  double violation = 0.0;       ///< largest residual of joints, couplings, prescribed motions; m, rad
  double limitViolation = 0.0;  ///< m, rad
  std::vector<OpenLoop> open;   ///< worst first; empty when assembled
};

/// Moves `state` onto rigid joints, couplings, limits and the prescribed motions at t = 0, by damped
/// Gauss-Newton steps (Levenberg-Marquardt, in a metric in which all bodies weigh the same and turn as far as
/// they move). From far away the nearest assembled pose is not always found, and none may exist: the result
/// says so, and which loop is open. Coordinates of `state` are hints for angles beyond half a turn, and are
/// updated.
AssemblyResult assembleMechanism(const Model& model, State& state, const AssemblyOptions& options = {});

/// The state at t = 0 from which `model` is simulated: model.initialState(), assembled first if the model
/// asks for it. Poses are not yet projected to the last digits; the simulator does that. Throws AssemblyError
/// that names the open loops when the mechanism cannot be assembled.
State startState(const Model& model);

/// The same from `start` and then from random poses around it, `attempts` times: all different assembled
/// poses that were found, in this order. To be countable, all motions of the mechanism must be held by
/// inputs. Deterministic.
std::vector<State> assembledPoses(const Model& model, const State& start, int attempts,
                                  const AssemblyOptions& options = {});

/// Which loops are open and by how much, as text; `result` not assembled.
std::string assemblyFailure(const Model& model, const AssemblyResult& result);

}  // namespace grashof
