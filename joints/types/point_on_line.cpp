#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// The follower's point stays on the base's x axis: a closure that does not over-constrain a planar loop.
/// Coordinates: displacement along x, then the rotation vector.
class PointOnLine final : public JointType {
 public:
  std::string_view name() const override { return "point-on-line"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 2> s = {Ty, Tz};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 4> s = {Tx, Rx, Ry, Rz};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 1, 2, f, rows);
  }
  void residual(const JointPlacement& joint, const JointParameters&, std::span<double> f) const override {
    const Vec3 d = joint.displacement();
    f[0] = d[1];
    f[1] = d[2];
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 1, q, rows);
    parts::rotationVector(frames, q.subspan(1), parts::rowsFrom(rows, 1));
  }
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 1, 2, slopes);
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 1, slopes);
    parts::rotationVectorSlopes(frames, slopes.subspan(1));
  }
};

}  // namespace

const JointType& pointOnLineJoint() {
  static const PointOnLine type;
  return type;
}

}  // namespace grashof
