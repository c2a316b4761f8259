#include <algorithm>

#include "joints/types/common_point.h"

namespace grashof {
namespace {

/// All rotations about a common point. Coordinates: Euler angles, R_rel = Rx(q0) Ry(q1) Rz(q2). They are
/// singular at q1 = ±π/2, where the rows are bounded instead of infinite.
class Gimbal final : public CommonPoint {
 public:
  std::string_view name() const override { return "gimbal"; }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    const Mat3 r = frames.baseAxes.transpose() * frames.followerAxes;
    q[0] = std::atan2(-r(1, 2), r(2, 2));
    q[1] = std::asin(std::clamp(r(0, 2), -1.0, 1.0));
    q[2] = std::atan2(-r(0, 1), r(0, 0));
    if (rows.empty()) return;
    // ω_rel = q̇0 e_x + Rx (q̇1 e_y + q̇2 (sin q1, 0, cos q1)), solved for the rates.
    const double s0 = std::sin(q[0]), c0 = std::cos(q[0]), s1 = std::sin(q[1]);
    const double c1 = std::max(std::cos(q[1]), 1e-6);
    const Vec3 y(0.0, c0, s0), z(0.0, -s0, c0);
    rows[0] = parts::rotationRowInBase(frames, Vec3::UnitX() - (s1 / c1) * z);
    rows[1] = parts::rotationRowInBase(frames, y);
    rows[2] = parts::rotationRowInBase(frames, z / c1);
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    // With the rows n of coordinates() in base axes, δq_i = n_i · δθ, y' = z and z' = -y by q0.
    const Mat3 r = frames.baseAxes.transpose() * frames.followerAxes;
    const double q0 = std::atan2(-r(1, 2), r(2, 2)), s0 = std::sin(q0), c0 = std::cos(q0);
    const double s1 = std::clamp(r(0, 2), -1.0, 1.0), c1 = std::max(std::sqrt(1.0 - s1 * s1), 1e-6);
    const Vec3 y(0.0, c0, s0), z(0.0, -s0, c0), n0 = Vec3::UnitX() - (s1 / c1) * z;
    slopes[0] =
        parts::rotationSlopeInBase(frames, (s1 / c1) * y * n0.transpose() - z * y.transpose() / (c1 * c1));
    slopes[1] = parts::rotationSlopeInBase(frames, z * n0.transpose());
    slopes[2] =
        parts::rotationSlopeInBase(frames, -y * n0.transpose() / c1 + (s1 / (c1 * c1)) * z * y.transpose());
  }
};

}  // namespace

const JointType& gimbalJoint() {
  static const Gimbal type;
  return type;
}

}  // namespace grashof
