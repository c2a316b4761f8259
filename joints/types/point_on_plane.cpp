#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// The follower's point stays on the base's xy plane. Coordinates: displacements along x and y, then the
/// rotation vector.
class PointOnPlane final : public JointType {
 public:
  std::string_view name() const override { return "point-on-plane"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 1> s = {Tz};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 5> s = {Tx, Ty, Rx, Ry, Rz};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 2, 1, f, rows);
  }
  void residual(const JointPlacement& joint, const JointParameters&, std::span<double> f) const override {
    f[0] = joint.displacement()[2];
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 2, q, rows);
    parts::rotationVector(frames, q.subspan(2), parts::rowsFrom(rows, 2));
  }
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 2, 1, slopes);
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 2, slopes);
    parts::rotationVectorSlopes(frames, slopes.subspan(2));
  }
};

}  // namespace

const JointType& pointOnPlaneJoint() {
  static const PointOnPlane type;
  return type;
}

}  // namespace grashof
