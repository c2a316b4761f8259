#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// Translations along x and y, rotation about z: the follower slides on the base's xy plane. Coordinates:
/// displacements along x and y, then the twist angle about z.
class Planar final : public JointType {
 public:
  std::string_view name() const override { return "planar"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 3> s = {Tz, Rx, Ry};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 3> s = {Tx, Ty, Rz};
    return s;
  }
  bool isAngle(int coordinate) const override { return coordinate == 2; }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 2, 1, f, rows);
    parts::alignedAxis(frames, 2, f.subspan(1), parts::rowsFrom(rows, 1));
  }
  void residual(const JointPlacement& joint, const JointParameters&, std::span<double> f) const override {
    const Vec3 d = joint.displacement();
    f[0] = d[2];
    const Vec3 a = joint.axis(2);
    f[1] = -a[1];
    f[2] = a[0];
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 2, q, rows);
    q[2] = parts::twistAngle(frames, 2);
    if (!rows.empty()) rows[2] = parts::twistAngleRow(frames, 2);
  }
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 2, 1, slopes);
    parts::alignedAxisSlopes(frames, 2, slopes.subspan(1));
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 2, slopes);
    slopes[2] = parts::twistAngleSlope(frames, 2);
  }
};

}  // namespace

const JointType& planarJoint() {
  static const Planar type;
  return type;
}

}  // namespace grashof
