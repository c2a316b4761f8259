#pragma once
/// Inverse dynamics: the efforts with which drives carry out prescribed motions.

#include <optional>
#include <vector>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// Efforts of the prescribed motions of a model.
struct InverseDynamics {
  std::vector<int> joints, coordinates;      ///< of each driven coordinate: its joint, its index in the joint
  std::vector<double> times;                 ///< the middle of each step, s
  std::vector<std::vector<double>> efforts;  ///< N or N·m: one row per time, one column per driven coordinate
  /// Largest number of combinations of efforts that move nothing (more drives than motions). Where it is not
  /// zero, the efforts are those of least squares.
  int indeterminate = 0;
  /// Whether the efforts hold what the gears of motors lose, so that feedForward() keeps these gears.
  bool geared = false;
  std::optional<Divergence> divergence;  ///< why the run ended early
};

/// Simulates `duration` (s) with the prescribed motions and records the effort that each of them needs.
/// Everything else (loops, contacts, limits, springs, undriven bodies) takes part as in any run. Applied as
/// feed-forward (feedForward()), the efforts reproduce the run up to the error of the integrator. Efforts are
/// those before the gear of a motor: of what the gear transmits it loses its share, and what turns the rotor
/// is no part of that (theory.md, "Motors"). What the
/// motions leave open, forces of contacts among it, is as that run happens to have it;
/// contactEfforts() lets them be given. Throws InputError if no coordinate has a prescribed motion.
InverseDynamics inverseDynamics(const Model& model, double duration);

/// The coordinates with a prescribed motion, without times and efforts. Throws InputError if there is none.
InverseDynamics prescribedMotions(const Model& model);

/// The number of steps of a run of `duration` (s).
std::int64_t stepsOf(const Model& model, double duration);

/// The model with constant efforts, zero at first, in the place of its prescribed motions. Their signals are
/// the last ones. Bodies start where the motions have them, not where the file has them. Steps are by
/// impulses.
Model effortModel(const Model& model, const InverseDynamics& drives);

/// The model with efforts over time in the place of its prescribed motions. `inverse`: of this model. Motors
/// whose losses are in the efforts keep ratio, losses and rotor, under their name with "-gear", but no
/// ratings.
Model feedForward(const Model& model, const InverseDynamics& inverse);

/// Runs `forward`, made by feedForward(), for `duration` (s). Returns the largest distance of a driven
/// coordinate from its motion in `model` (m or rad), infinity if the run diverges. `worst`, unless null,
/// receives the index of that coordinate in inverse.joints.
double trackingError(const Model& model, const Model& forward, const InverseDynamics& inverse,
                     double duration, int* worst = nullptr);

}  // namespace grashof
