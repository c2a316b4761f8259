#pragma once
/// Brings bodies from approximate poses onto the joints.

#include <span>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// Pinned bodies and inputs (AssemblySetup), and when to stop.
struct AssemblyOptions : AssemblySetup {
  double tolerance = 1e-10;  ///< largest residual of an assembled mechanism, m, rad
  int maxIterations = 500;
};

/// A joint that does not close, and the loop it belongs to.
struct OpenLoop {
  int joint = -1;         ///< the joint with the largest residual of the loop
  double residual = 0.0;  ///< m or rad
  /// The other joints of the loop, along the shortest path from the base of `joint` to its follower; empty if
  /// the joint is in no loop.
  std::vector<int> joints;
};

/// The outcome of an assembly.
struct AssemblyResult {
  bool assembled = false;
  int iterations = 0;
  double violation = 0.0;       ///< largest residual of joints, couplings and prescribed motions; m, rad
  double limitViolation = 0.0;  ///< m, rad
  std::vector<OpenLoop> open;   ///< worst first; empty when assembled
};

/// Moves `state` onto rigid joints, couplings, limits, options.inputs and the prescribed motions at t = 0, by
/// Levenberg-Marquardt steps. Their metric gives all bodies the same mass, and the radius of gyration
/// mechanismSize(). From far away the nearest assembled pose is not always found, and there may be none; the
/// result then says which loops are open. Coordinates of `state` select the turn of angles beyond half a
/// turn; on return they are those of the poses.
AssemblyResult assembleMechanism(const Model& model, State& state, const AssemblyOptions& options = {});

/// The state at t = 0 from which `model` is simulated: model.initialState(), assembled first if the model
/// asks for it. Poses are not yet projected to the last digits; the simulator does that. Throws AssemblyError
/// that names the open loops when the mechanism cannot be assembled.
State startState(const Model& model);

/// Assembles from `start` and then from random poses around it, `attempts` times in all. Returns the
/// different assembled poses in the order in which they were found. They are countable only if options.inputs
/// hold all motions of the mechanism. Deterministic.
std::vector<State> assembledPoses(const Model& model, const State& start, int attempts,
                                  const AssemblyOptions& options = {});

/// Text for a user: which loops are open, and by how much. @pre !result.assembled.
std::string assemblyFailure(const Model& model, const AssemblyResult& result);

}  // namespace grashof
