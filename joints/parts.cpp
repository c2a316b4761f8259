#include "joints/parts.h"

#include "engine/base/rotation_vector.h"

namespace grashof::parts {

JointRow rotationRowInBase(const JointFrames& frames, const Vec3& b) {
  return rotationRow(frames.baseAxes * b);
}

Quat relativeRotation(const JointFrames& frames) {
  return Quat(Mat3(frames.baseAxes.transpose() * frames.followerAxes));
}

double displacement(const JointFrames& frames, int k) {
  return frames.baseAxes.col(k).dot(frames.followerPoint - frames.basePoint);
}

JointRow displacementRow(const JointFrames& frames, int k) {
  const Vec3 a = frames.baseAxes.col(k);
  JointRow row;
  row.base << -a, -(frames.followerPoint - frames.baseCenter).cross(a);
  row.follower << a, (frames.followerPoint - frames.followerCenter).cross(a);
  return row;
}

void lockedRotation(const JointFrames& frames, std::span<double> f, std::span<JointRow> rows) {
  Quat q = relativeRotation(frames);
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  for (int k = 0; k < 3; ++k) f[k] = 2.0 * q.vec()[k];
  if (rows.empty()) return;
  const Mat3 map = q.w() * Mat3::Identity() - skew(q.vec());
  for (int k = 0; k < 3; ++k) rows[k] = rotationRowInBase(frames, map.row(k).transpose());
}

double twistAngle(const JointFrames& frames, int k) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const auto bi = frames.baseAxes.col(i), bj = frames.baseAxes.col(j);
  const auto ai = frames.followerAxes.col(i), aj = frames.followerAxes.col(j);
  return std::atan2(bj.dot(ai) - bi.dot(aj), bi.dot(ai) + bj.dot(aj));
}

JointRow twistAngleRow(const JointFrames& frames, int k) {
  const Vec3 a = frames.followerAxes.col(k), b = frames.baseAxes.col(k);
  return rotationRow((a + b) / std::max(1.0 + a.dot(b), 2e-12));
}

void rotationVector(const JointFrames& frames, std::span<double> q, std::span<JointRow> rows) {
  const Vec3 phi = logRotation(relativeRotation(frames));
  for (int k = 0; k < 3; ++k) q[k] = phi[k];
  if (rows.empty()) return;
  const Mat3 map = leftJacobianInverse(phi);
  for (int k = 0; k < 3; ++k) rows[k] = rotationRowInBase(frames, map.row(k).transpose());
}

}  // namespace grashof::parts
