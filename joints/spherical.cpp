#include "joints/parts.h"
#include "joints/types.h"

namespace grashof {
namespace {

/// All rotations about a common point. Coordinates: the rotation vector.
class Spherical final : public JointType {
 public:
  std::string_view name() const override { return "spherical"; }
  std::span<const Direction> constrained() const override {
    static constexpr std::array<Direction, 3> s = {0, 1, 2};
    return s;
  }
  std::span<const Direction> free() const override {
    static constexpr std::array<Direction, 3> s = {3, 4, 5};
    return s;
  }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    f[0] = parts::displacement(frames, 0);
    rows[0] = parts::displacementRow(frames, 0);
    f[1] = parts::displacement(frames, 1);
    rows[1] = parts::displacementRow(frames, 1);
    f[2] = parts::displacement(frames, 2);
    rows[2] = parts::displacementRow(frames, 2);
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
