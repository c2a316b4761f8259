#include "joints/types/common_point.h"

namespace grashof {
namespace {

/// All rotations about a common point. Coordinates: the rotation vector.
class Spherical final : public CommonPoint {
 public:
  std::string_view name() const override { return "spherical"; }
  void coordinates(const JointFrames& frames, const JointParameters&, std::span<double> q,
                   std::span<JointRow> rows) const override {
    parts::rotationVector(frames, q, rows);
  }
  void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const override {
    parts::rotationVectorSlopes(frames, slopes);
  }
};

}  // namespace

const JointType& sphericalJoint() {
  static const Spherical type;
  return type;
}

}  // namespace grashof
