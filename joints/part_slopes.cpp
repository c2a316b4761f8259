#include "joints/part_slopes.h"

#include <algorithm>

#include "engine/base/rotation_vector.h"
#include "joints/parts.h"

namespace grashof::parts {

void lockedRotationSlopes(const JointFrames& frames, std::span<Mat6> slopes) {
  Quat q = relativeRotation(frames);
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  const Mat3 rate = q.w() * Mat3::Identity() - skew(q.vec());
  for (int k = 0; k < 3; ++k) {
    Mat3 turn = -0.5 * skew(Vec3::Unit(k)) * rate;
    turn.row(k) -= 0.5 * q.vec().transpose();
    slopes[k] = rotationSlopeInBase(frames, turn);
  }
}

void lockedRotationTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) {
  Quat q = relativeRotation(frames);
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  const Vec3 spin = frames.baseAxes.transpose() * motion.tail<3>();
  const Vec3 rate = q.w() * spin - q.vec().cross(spin);
  const double real = q.vec().dot(spin);
  for (int k = 0; k < 3; ++k) {
    const Vec3 e = Vec3::Unit(k);
    turns[k] = turnOf(frames.baseAxes * (-0.5 * (real * e + e.cross(rate))));
  }
}

Mat6 twistAngleSlope(const JointFrames& frames, int k) {
  const Vec3 a = frames.followerAxes.col(k), b = frames.baseAxes.col(k);
  const double c = std::max(1.0 + a.dot(b), 2e-12);
  // b · δa = b · (δθ × a) = (a × b) · δθ.
  return rotationSlope(-skew(a) / c - (a + b) * a.cross(b).transpose() / (c * c));
}

void rotationVectorSlopes(const JointFrames& frames, std::span<Mat6> slopes) {
  const Vec3 phi = logRotation(relativeRotation(frames));
  const Mat3 rate = leftJacobianInverse(phi), s = skew(phi);
  const auto [c, slope] = quadraticFactor(phi.squaredNorm());
  for (int k = 0; k < 3; ++k) {
    const Vec3 e = Vec3::Unit(k), once = phi.cross(e), twice = phi.cross(once);
    const Mat3 ofPhi =
        -0.5 * skew(e) + c * (-skew(once) - s * skew(e)) + 2.0 * slope * twice * phi.transpose();
    slopes[k] = rotationSlopeInBase(frames, ofPhi * rate);
  }
}

}  // namespace grashof::parts
