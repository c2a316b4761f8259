#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// All translations, no rotation. Coordinates: displacements along the base axes.
class Cartesian final : public JointType {
 public:
  std::string_view name() const override { return "cartesian"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 3> s = {Rx, Ry, Rz};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 3> s = {Tx, Ty, Tz};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::lockedRotation(frames, f, rows);
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 3, q, rows);
  }
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::lockedRotationSlopes(frames, slopes);
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 3, slopes);
  }
};

}  // namespace

const JointType& cartesianJoint() {
  static const Cartesian type;
  return type;
}

}  // namespace grashof
