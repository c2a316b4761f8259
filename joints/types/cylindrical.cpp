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
    parts::displacements(frames, 1, f, rows);
    parts::alignedAxis(frames, 0, f.subspan(2), parts::rowsFrom(rows, 2));
  }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    q[0] = parts::displacement(frames, 0);
    rows[0] = parts::displacementRow(frames, 0);
    q[1] = parts::twistAngle(frames, 0, rows[1]);
  }
};

}  // namespace

const JointType& cylindricalJoint() {
  static const Cylindrical type;
  return type;
}

}  // namespace grashof
