#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// Rotation about x: points coincide, x axes parallel. Coordinate: the twist angle about x.
class Revolute final : public JointType {
 public:
  std::string_view name() const override { return "revolute"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 5> s = {Tx, Ty, Tz, Ry, Rz};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 1> s = {Rx};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 3, f, rows);
    parts::alignedAxis(frames, 0, f.subspan(3), parts::rowsFrom(rows, 3));
  }
  void residual(const JointPlacement& joint, const JointParameters&, std::span<double> f) const override {
    const Vec3 d = joint.displacement();
    f[0] = d[0];
    f[1] = d[1];
    f[2] = d[2];
    const Vec3 a = joint.axis(0);
    f[3] = -a[2];
    f[4] = a[1];
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    q[0] = parts::twistAngle(frames, 0);
    if (!rows.empty()) rows[0] = parts::twistAngleRow(frames, 0);
  }
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 3, slopes);
    parts::alignedAxisSlopes(frames, 0, slopes.subspan(3));
  }
  void constraintTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const override {
    parts::displacementTurns(frames, 0, 3, motion, turns);
    parts::alignedAxisTurns(frames, 0, motion, turns.subspan(3));
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    slopes[0] = parts::twistAngleSlope(frames, 0);
  }
};

}  // namespace

const JointType& revoluteJoint() {
  static const Revolute type;
  return type;
}

}  // namespace grashof
