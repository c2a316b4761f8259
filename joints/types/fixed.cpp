#include "joints/parts.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

/// No relative motion: f = (d in base axes, 2 x).
class Fixed final : public JointType {
 public:
  std::string_view name() const override { return "fixed"; }
  std::span<const Direction> constrainedDirections() const override {
    static constexpr std::array<Direction, 6> s = {0, 1, 2, 3, 4, 5};
    return s;
  }
  std::span<const Direction> freeDirections() const override { return {}; }
  void constraint(const JointFrames& frames, const JointParameters&, std::span<double> f,
                  std::span<JointRow> rows) const override {
    parts::displacements(frames, 0, f, rows);
    parts::lockedRotation(frames, f.subspan(3), parts::rowsFrom(rows, 3));
  }
  void coordinates(const JointFrames&, const JointParameters&, std::span<double>,
                   std::span<JointRow>) const override {}
};

}  // namespace

const JointType& fixedJoint() {
  static const Fixed type;
  return type;
}

}  // namespace grashof
