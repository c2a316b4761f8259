#include <algorithm>

#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// Row of the angle q = atan2(s, c) of two products of axes with the rates ċ = nc · (ω_F - ω_B) and
/// ṡ = ns · (ω_F - ω_B): q̇ = (c ṡ - s ċ) / (c² + s²).
JointRow angleRow(double c, double s, const Vec3& nc, const Vec3& ns) {
  return parts::rotationRow((c * ns - s * nc) / std::max(c * c + s * s, 1e-12));
}

/// Rotation about the base's x axis b_x and the follower's y axis a_y, which stay at right angles:
/// f = -b_x · a_y, ḟ = (b_x × a_y) · (ω_F - ω_B). Points coincide.
class Universal final : public JointType {
 public:
  std::string_view name() const override { return "universal"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 4> s = {Tx, Ty, Tz, Rz};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 2> s = {Rx, Ry};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 3, f, rows);
    const Vec3 bx = frames.baseAxes.col(0), ay = frames.followerAxes.col(1);
    f[3] = -bx.dot(ay);
    if (!rows.empty()) rows[3] = parts::rotationRow(bx.cross(ay));
  }
  void residual(const JointPlacement& joint, const JointParameters&, std::span<double> f) const override {
    const Vec3 d = joint.displacement();
    f[0] = d[0];
    f[1] = d[1];
    f[2] = d[2];
    f[3] = -joint.axis(1)[0];
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    // R_rel = Rx(q0) Ry(q1): a_y is (0, cos q0, sin q0) in base axes, b_x is (cos q1, 0, sin q1) in follower
    // axes.
    const Vec3 ay = frames.followerAxes.col(1);
    const Vec3 by = frames.baseAxes.col(1), bz = frames.baseAxes.col(2), bx = frames.baseAxes.col(0);
    const Vec3 ax = frames.followerAxes.col(0), az = frames.followerAxes.col(2);
    const double c0 = ay.dot(by), s0 = ay.dot(bz), c1 = bx.dot(ax), s1 = bx.dot(az);
    q[0] = std::atan2(s0, c0);
    q[1] = std::atan2(s1, c1);
    if (rows.empty()) return;
    rows[0] = angleRow(c0, s0, ay.cross(by), ay.cross(bz));
    rows[1] = angleRow(c1, s1, ax.cross(bx), az.cross(bx));
  }
};

}  // namespace

const JointType& universalJoint() {
  static const Universal type;
  return type;
}

}  // namespace grashof
