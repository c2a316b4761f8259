#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// All rotations about a common point. Coordinates: the rotation vector.
class Spherical final : public JointType {
 public:
  std::string_view name() const override { return "spherical"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 3> s = {Tx, Ty, Tz};
    return s;
  }
  std::span<const Direction> freeDirections() const override {
    static constexpr std::array<Direction, 3> s = {Rx, Ry, Rz};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, 3, f, rows);
  }
  void residual(const JointPlacement& joint, const JointParameters&, std::span<double> f) const override {
    const Vec3 d = joint.displacement();
    f[0] = d[0];
    f[1] = d[1];
    f[2] = d[2];
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    parts::rotationVector(frames, q, rows);
  }
};

}  // namespace

const JointType& sphericalJoint() {
  static const Spherical type;
  return type;
}

}  // namespace grashof
