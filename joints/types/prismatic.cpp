#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// Translation along x, no rotation. Coordinate: the displacement along the base's x axis.
class Prismatic final : public JointType {
 public:
  std::string_view name() const override { return "prismatic"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 5> s = {Ty, Tz, Rx, Ry, Rz};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 1> s = {Tx};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 1, 2, f, rows);
    parts::lockedRotation(frames, f.subspan(2), parts::rowsFrom(rows, 2));
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 1, q, rows);
  }
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 1, 2, slopes);
    parts::lockedRotationSlopes(frames, slopes.subspan(2));
  }
  void constraintTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const override {
    parts::displacementTurns(frames, 1, 2, motion, turns);
    parts::lockedRotationTurns(frames, motion, turns.subspan(2));
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 1, slopes);
  }
};

}  // namespace

const JointType& prismaticJoint() {
  static const Prismatic type;
  return type;
}

}  // namespace grashof
