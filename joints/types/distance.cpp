#include <algorithm>
#include <tuple>

#include "joints/part_slopes.h"
#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

JointRow combine(double a, const JointRow& x, double b, const JointRow& y, double c, const JointRow& z) {
  return {a * x.base + b * y.base + c * z.base, a * x.follower + b * y.follower + c * z.follower};
}

/// A massless rod between two points: f = |d| - length, d = p_F - p_B, n = d/|d|, ḟ = n · (ṗ_F - ṗ_B).
/// Coordinates: azimuth atan2(y, x) and elevation atan2(z, √(x² + y²)) of d in base axes, then the rotation
/// vector. The azimuth is singular for a rod along the base's z axis, and jumps by half a turn there.
class Distance final : public JointType {
 public:
  std::string_view name() const override { return "distance"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 1> s = {Tx};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 5> s = {Ty, Tz, Rx, Ry, Rz};
    return s;
  }
  bool isAngle(int coordinate) const override { return coordinate == 0; }
  bool canJump(int coordinate) const override { return coordinate != 1; }
  void constraint(const JointFrames& frames, const JointParameters& parameters, std::span<double> f,
                  std::span<JointRow> rows) const override {
    const Vec3 d = frames.followerPoint - frames.basePoint;
    const double length = d.norm();
    const Vec3 n = length > 1e-12 ? Vec3(d / length) : Vec3(frames.baseAxes.col(0));
    f[0] = length - parameters.length;
    if (rows.empty()) return;
    rows[0].base << -n, -(frames.basePoint - frames.baseCenter).cross(n);
    rows[0].follower << n, (frames.followerPoint - frames.followerCenter).cross(n);
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    const double x = parts::displacement(frames, 0), y = parts::displacement(frames, 1),
                 z = parts::displacement(frames, 2);
    const double h2 = std::max(x * x + y * y, 1e-18), h = std::sqrt(h2), l2 = h2 + z * z;
    q[0] = std::atan2(y, x);
    q[1] = std::atan2(z, h);
    parts::rotationVector(frames, q.subspan(2), parts::rowsFrom(rows, 2));
    if (rows.empty()) return;
    const JointRow rx = parts::displacementRow(frames, 0), ry = parts::displacementRow(frames, 1),
                   rz = parts::displacementRow(frames, 2);
    rows[0] = combine(-y / h2, rx, x / h2, ry, 0.0, rz);
    rows[1] = combine(-z * x / (h * l2), rx, -z * y / (h * l2), ry, h / l2, rz);
  }
  void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    // δn = (I - n nᵀ)/|d| (δr + δθ × arm) and δm = (δθ × arm) × n + arm × δn, arm = p_F - r_F.
    const Vec3 d = frames.followerPoint - frames.basePoint;
    const Vec3 arm = frames.followerPoint - frames.followerCenter;
    const double length = std::max(d.norm(), 1e-12);
    const Vec3 n = d / length;
    const Mat3 across = (Mat3::Identity() - n * n.transpose()) / length;
    Mat36 turn;
    turn << across, -across * skew(arm);
    slopes[0] << turn, skew(arm) * turn;
    slopes[0].bottomRightCorner<3, 3>() += skew(n) * skew(arm);
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    // Of q(x, y, z) with the gradient g and the Hessian H: Σ g_i K_i + Σ H_ij r_i r_jᵀ, with the rows r and
    // the slopes K of the displacements x, y, z.
    Vec3 at;
    Mat6 r = Mat6::Zero();  // columns
    std::array<Mat6, 3> k;
    for (int i = 0; i < 3; ++i) {
      at[i] = parts::displacement(frames, i);
      r.col(i) = parts::displacementRow(frames, i).follower;
      k[i] = parts::displacementSlope(frames, i);
    }
    const auto [x, y, z] = std::tuple(at[0], at[1], at[2]);
    const double h2 = std::max(x * x + y * y, 1e-18), h = std::sqrt(h2), l2 = h2 + z * z;
    const auto slopeOf = [&](const Vec3& g, const Mat3& hessian) -> Mat6 {
      return g[0] * k[0] + g[1] * k[1] + g[2] * k[2] +
             r.leftCols<3>() * hessian * r.leftCols<3>().transpose();
    };
    Mat3 hessian = Mat3::Zero();
    hessian.topLeftCorner<2, 2>() << 2.0 * x * y, y * y - x * x, y * y - x * x, -2.0 * x * y;
    slopes[0] = slopeOf(Vec3(-y, x, 0.0) / h2, hessian / (h2 * h2));
    // The elevation by h = √(x² + y²) and z, and h by x and y.
    const Vec3 along(x / h, y / h, 0.0);
    const Vec3 up = Vec3::UnitZ();
    const double bend = 2.0 * z * h / (l2 * l2), mixed = (z * z - h2) / (l2 * l2);
    Mat3 flat = Mat3::Identity() - along * along.transpose();
    flat(2, 2) = 0.0;
    hessian = bend * (along * along.transpose() - up * up.transpose()) +
              mixed * (along * up.transpose() + up * along.transpose()) - z / (l2 * h) * flat;
    slopes[1] = slopeOf(-z / l2 * along + h / l2 * up, hessian);
    parts::rotationVectorSlopes(frames, slopes.subspan(2));
  }
};

}  // namespace

const JointType& distanceJoint() {
  static const Distance type;
  return type;
}

}  // namespace grashof
