#include <algorithm>

#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// atan2(s, c) and the row of its rate, for c = cos-like and s = sin-like products of axes whose rates are
/// nc · ω_rel and ns · ω_rel.
double angleRow(double c, double s, const Vec3& nc, const Vec3& ns, JointRow& row) {
  row = parts::rotationRow((c * ns - s * nc) / std::max(c * c + s * s, 1e-12));
  return std::atan2(s, c);
}

/// Rotation about the base's x axis b_x and the follower's y axis a_y, kept at right angles: f = -b_x · a_y
/// with row b_x × a_y, the current cross axis.
class Universal final : public JointType {
 public:
  std::string_view name() const override { return "universal"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 4> s = {0, 1, 2, 5};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 2> s = {3, 4};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, f, rows);
    const Vec3 bx = frames.baseAxes.col(0), ay = frames.followerAxes.col(1);
    f[3] = -bx.dot(ay);
    if (!rows.empty()) rows[3] = parts::rotationRow(bx.cross(ay));
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    // R_rel = Rx(q0) Ry(q1): a_y in base axes is (0, cos q0, sin q0), b_x in follower axes (cos q1, 0, sin
    // q1).
    const Vec3 ay = frames.followerAxes.col(1);
    const Vec3 by = frames.baseAxes.col(1), bz = frames.baseAxes.col(2), bx = frames.baseAxes.col(0);
    const Vec3 ax = frames.followerAxes.col(0), az = frames.followerAxes.col(2);
    q[0] = angleRow(ay.dot(by), ay.dot(bz), ay.cross(by), ay.cross(bz), rows[0]);
    q[1] = angleRow(bx.dot(ax), bx.dot(az), ax.cross(bx), az.cross(bx), rows[1]);
  }
};

}  // namespace

const JointType& universalJoint() {
  static const Universal type;
  return type;
}

}  // namespace grashof
