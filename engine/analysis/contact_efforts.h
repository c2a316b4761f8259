#pragma once
/// Inverse dynamics over time for motions that touch: efforts with which drives carry out prescribed motions
/// and press on what they touch with a given force.

#include <optional>

#include "engine/analysis/contact_inverse_dynamics.h"
#include "engine/analysis/inverse_dynamics.h"

namespace grashof {

/// Efforts of prescribed motions with contact, and how well a run with them follows.
struct ContactEfforts {
  /// As of inverseDynamics(); feedForward() takes it. `indeterminate` is that of the start.
  InverseDynamics inverse;
  /// Largest difference between the twists of the run and those asked for, over the greatest speed of all.
  double twistError = 0.0;
  /// Largest difference of the sum of all contact forces, over the greatest that was asked for.
  double forceError = 0.0;
  /// Largest change of a rate so that the motion fits joints and contacts, m/s, rad/s.
  double change = 0.0;
  double residualForce = 0.0;  ///< N, the most that the drives could not exert on a body
  double contactForce = 0.0;   ///< N, the greatest sum of the normal forces of contacts in a step
  /// Time (s) of the first step that has no solution, where the run ended.
  std::optional<double> unsolved;
};

/// Finds the efforts of the prescribed motions of `model` step by step by ContactInverseDynamics, and runs
/// the model with them. Rigid contacts that the motions keep closed press with `normalForce` (N) each, which
/// the motions leave open. In each step the rates are those of the motions at its end, less a share of the
/// error in position. Throws InputError if no coordinate has a prescribed motion, CallError for `normalForce`
/// < 0 and as ContactInverseDynamics.
ContactEfforts contactEfforts(const Model& model, double duration, double normalForce,
                              const ContactInverseOptions& options = {});

}  // namespace grashof
