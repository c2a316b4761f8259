#include <algorithm>

#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// Row of the angle q = atan2(s, c) of two products of axes with the rates ċ = nc · (ω_F - ω_B) and
/// ṡ = ns · (ω_F - ω_B): q̇ = (c ṡ - s ċ) / (c² + s²).
JointRow angleRow(double c, double s, const Vec3& nc, const Vec3& ns) {
  return parts::rotationRow((c * ns - s * nc) / std::max(c * c + s * s, 1e-12));
}

/// Its slope: δc = nc · δθ, δs = ns · δθ, and c δns - s δnc = `turn` δθ.
Mat6 angleSlope(double c, double s, const Vec3& nc, const Vec3& ns, const Mat3& turn) {
  const double size = std::max(c * c + s * s, 1e-12);
  const Vec3 n = (c * ns - s * nc) / size;
  return parts::rotationSlope(
      (turn + ns * nc.transpose() - nc * ns.transpose() - 2.0 * n * (c * nc + s * ns).transpose()) / size);
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
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::displacementSlopes(frames, 0, 3, slopes);
    slopes[3] = parts::rotationSlope(-skew(frames.baseAxes.col(0)) * skew(frames.followerAxes.col(1)));
  }
  void constraintTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const override {
    parts::displacementTurns(frames, 0, 3, motion, turns);
    const Vec3 spin = motion.tail<3>();
    turns[3] = parts::turnOf(frames.baseAxes.col(0).cross(spin.cross(frames.followerAxes.col(1))));
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    const Vec3 ay = frames.followerAxes.col(1);
    const Vec3 by = frames.baseAxes.col(1), bz = frames.baseAxes.col(2), bx = frames.baseAxes.col(0);
    const Vec3 ax = frames.followerAxes.col(0), az = frames.followerAxes.col(2);
    const double c0 = ay.dot(by), s0 = ay.dot(bz), c1 = bx.dot(ax), s1 = bx.dot(az);
    slopes[0] = angleSlope(c0, s0, ay.cross(by), ay.cross(bz), skew(c0 * bz - s0 * by) * skew(ay));
    slopes[1] = angleSlope(c1, s1, ax.cross(bx), az.cross(bx), skew(bx) * skew(c1 * az - s1 * ax));
  }
};

}  // namespace

const JointType& universalJoint() {
  static const Universal type;
  return type;
}

}  // namespace grashof
