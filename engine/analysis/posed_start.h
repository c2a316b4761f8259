#pragma once
/// A start on its joints, and what these leave of velocities.

#include <vector>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/step/projection.h"
#include "engine/model/model.h"

namespace grashof {

/// Keeps a reference to the model.
struct PosedStart {
  /// Moves the poses of `given` onto the joints.
  PosedStart(const Model& model, const State& given)
      : state(given), geometry(model.joints.size()), projection(model) {
    projection.projectPoses(state.poses, state.coordinates, 0.0, model.step.projectionTolerance, geometry);
  }
  /// Gives all bodies velocities of about 1 m/s and 1 rad/s, without symmetry, the same every time.
  void moveAll() {
    for (std::size_t b = 0; b < state.twists.size(); ++b) {
      const double x = 1.0 + 0.1 * static_cast<double>((7 * b) % 11);
      state.twists[b] << Vec3(0.9, -0.5, 0.7) * x, Vec3(-0.6, 1.1, 0.8) / x;
    }
  }
  /// Changes the twists to those that joints and motions at `time` (s) allow.
  void projectTwists(double time) { projection.projectTwists(state.poses, geometry, time, state.twists); }
  /// Of all coordinates, m/s, rad/s.
  std::vector<double> rates(const Model& model) const {
    std::vector<double> rates(model.coordinates());
    coordinateRates(model, geometry, state.twists, rates);
    return rates;
  }

  State state;
  std::vector<JointGeometry> geometry;
  Projection projection;
};

}  // namespace grashof
