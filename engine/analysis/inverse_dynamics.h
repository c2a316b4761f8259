#pragma once
/// Efforts that realize a motion.

#include <vector>

#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"

namespace grashof {

/// Efforts of the prescribed motions of a model.
struct InverseDynamics {
  std::vector<int> joints, coordinates;      ///< the coordinates with an actuator of kind Motion
  std::vector<double> times;                 ///< s, the middle of each step
  std::vector<std::vector<double>> efforts;  ///< N or N·m: one row a time, one column a coordinate
  int indeterminate = 0;  ///< ways in which efforts and reactions could be shifted (over-actuated,
                          ///< hyperstatic); then the efforts are those of least squares
  std::optional<Divergence> divergence;
};

/// Runs the model for `duration` s with its prescribed motions and reads what carries them: loops, contacts,
/// limits, springs and the bodies that nothing drives move as the equations say, so that the efforts, put in
/// the place of the motions, give the same run to the order of the integrator (papers/004 IV does this for
/// trees with compliant contact, in minimal coordinates). Throws InputError when no coordinate has a
/// prescribed motion.
InverseDynamics inverseDynamics(const Model& model, double duration);

/// The model with the prescribed motions replaced by these efforts.
Model feedForward(const Model& model, const InverseDynamics& inverse);

/// Runs `forward` (from feedForward()) and returns the largest distance of its driven coordinates from the
/// motions of `model`, m or rad; infinity when it diverges. `worst`: which of inverse.joints.
double trackingError(const Model& model, const Model& forward, const InverseDynamics& inverse,
                     double duration, int* worst = nullptr);

}  // namespace grashof
