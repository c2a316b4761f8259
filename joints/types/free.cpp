#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// No constraint: it carries springs, actuators and measured coordinates between two bodies. Coordinates:
/// displacements along the base axes, then the rotation vector.
class Free final : public JointType {
 public:
  std::string_view name() const override { return "free"; }
  std::span<const Direction> constrainedDirections() const override { return {}; }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 6> s = {Tx, Ty, Tz, Rx, Ry, Rz};
    return s;
  }
  void constraint(const JointFrames&, const JointParameters&, std::span<double>,
                  std::span<JointRow>) const override {}
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 3, q, rows);
    parts::rotationVector(frames, q.subspan(3), parts::rowsFrom(rows, 3));
  }
  void constraintSlopes(const JointFrames&, std::span<Mat6>) const override {}
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 3, slopes);
    parts::rotationVectorSlopes(frames, slopes.subspan(3));
  }
};

}  // namespace

const JointType& freeJoint() {
  static const Free type;
  return type;
}

}  // namespace grashof
