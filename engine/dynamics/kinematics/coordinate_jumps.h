#pragma once
/// Coordinates that jump, see JointType::canJump().

#include <span>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// Watches those joints whose springs, limits, rotors, position servos, motions, couplings or elements act
/// along coordinates that can jump. Such a jump is no motion, but the forces jump with it, and so does the
/// energy of springs and rotors. Of bushings see jumpedBushing().
class CoordinateJumps {
 public:
  explicit CoordinateJumps(const Model& model);

  /// The first joint of which a coordinate differs by more than a quarter of a turn; -1: none. `before`,
  /// `after`: all coordinates (m, rad) at both ends of a step.
  int find(std::span<const double> before, std::span<const double> after) const;

 private:
  struct Watched {
    int joint = 0, coordinate = 0;  // this one of all coordinates
  };
  std::vector<Watched> watched_;
};

}  // namespace grashof
