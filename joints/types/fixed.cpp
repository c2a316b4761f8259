#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// No relative motion: f = (displacements along the base axes, locked rotation).
class Fixed final : public JointType {
 public:
  std::string_view name() const override { return "fixed"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 6> s = {Tx, Ty, Tz, Rx, Ry, Rz};
    return s;
  }
  std::span<const Direction> freeDirections() const override { return {}; }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 3, f, rows);
    parts::lockedRotation(frames, f.subspan(3), parts::rowsFrom(rows, 3));
  }
  void coordinates(const JointFrames&, const JointParameters&, std::span<double>,
                   std::span<JointRow>) const override {}
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 3, slopes);
    parts::lockedRotationSlopes(frames, slopes.subspan(3));
  }
  void constraintTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const override {
    parts::displacementTurns(frames, 0, 3, motion, turns);
    parts::lockedRotationTurns(frames, motion, turns.subspan(3));
  }
  void coordinateSlopes(const JointFrames&, std::span<Mat6>) const override {}
};

}  // namespace

const JointType& fixedJoint() {
  static const Fixed type;
  return type;
}

}  // namespace grashof
