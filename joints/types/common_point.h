#pragma once
/// Private: the joints that hold a common point and leave all rotations free. They differ in coordinates.

#include <array>

#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {

class CommonPoint : public JointType {
 public:
  std::span<const Direction> constrainedDirections() const final {
    static constexpr std::array<Direction, 3> s = {Tx, Ty, Tz};
    return s;
  }
  std::span<const Direction> freeDirections() const final {
    static constexpr std::array<Direction, 3> s = {Rx, Ry, Rz};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const final {
    parts::displacements(frames, 0, 3, f, rows);
  }
  void residual(const JointPlacement& joint, const JointParameters&, std::span<double> f) const final {
    const Vec3 d = joint.displacement();
    f[0] = d[0];
    f[1] = d[1];
    f[2] = d[2];
  }
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const final {
    parts::displacementSlopes(frames, 0, 3, slopes);
  }
  void constraintTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const final {
    parts::displacementTurns(frames, 0, 3, motion, turns);
  }
};

}  // namespace grashof
