#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// Translation along and rotation about x. Coordinates: displacement along, then twist angle about x.
class Cylindrical final : public JointType {
 public:
  std::string_view name() const override { return "cylindrical"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 4> s = {Ty, Tz, Ry, Rz};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 2> s = {Tx, Rx};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 1, 2, f, rows);
    parts::alignedAxis(frames, 0, f.subspan(2), parts::rowsFrom(rows, 2));
  }
  void residual(const JointPlacement& joint, const JointParameters&, std::span<double> f) const override {
    const Vec3 d = joint.displacement();
    f[0] = d[1];
    f[1] = d[2];
    const Vec3 a = joint.axis(0);
    f[2] = -a[2];
    f[3] = a[1];
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 1, q, rows);
    q[1] = parts::twistAngle(frames, 0);
    if (!rows.empty()) rows[1] = parts::twistAngleRow(frames, 0);
  }
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 1, 2, slopes);
    parts::alignedAxisSlopes(frames, 0, slopes.subspan(2));
  }
  void constraintTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const override {
    parts::displacementTurns(frames, 1, 2, motion, turns);
    parts::alignedAxisTurns(frames, 0, motion, turns.subspan(2));
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 1, slopes);
    slopes[1] = parts::twistAngleSlope(frames, 0);
  }
};

}  // namespace

const JointType& cylindricalJoint() {
  static const Cylindrical type;
  return type;
}

}  // namespace grashof
