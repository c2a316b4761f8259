#include <algorithm>

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
};

}  // namespace

const JointType& distanceJoint() {
  static const Distance type;
  return type;
}

}  // namespace grashof
