#include "joints/parts.h"

namespace grashof::parts {

JointRow rotationRow(const Vec3& n) {
  JointRow row;
  row.base.tail<3>() = -n;
  row.follower.tail<3>() = n;
  return row;
}

JointRow rotationRowInBase(const JointFrames& frames, const Vec3& b) {
  return rotationRow(frames.baseAxes * b);
}

Quat relativeRotation(const JointFrames& frames) {
  return Quat(Mat3(frames.baseAxes.transpose() * frames.followerAxes)).normalized();
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

void displacements(const JointFrames& frames, int first, std::span<double> f, std::span<JointRow> rows) {
  for (int i = 0; first + i < 3; ++i) {
    f[i] = displacement(frames, first + i);
    if (!rows.empty()) rows[i] = displacementRow(frames, first + i);
  }
}

void alignedAxis(const JointFrames& frames, int k, std::span<double> f, std::span<JointRow> rows) {
  const Vec3 a = frames.followerAxes.col(k);
  const Vec3 bi = frames.baseAxes.col((k + 1) % 3);
  const Vec3 bj = frames.baseAxes.col((k + 2) % 3);
  f[0] = -bj.dot(a);
  f[1] = bi.dot(a);
  if (rows.empty()) return;
  rows[0] = rotationRow(bj.cross(a));
  rows[1] = rotationRow(a.cross(bi));
}

void lockedRotation(const JointFrames& frames, std::span<double> f, std::span<JointRow> rows) {
  Quat q = relativeRotation(frames);
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  for (int k = 0; k < 3; ++k) f[k] = 2.0 * q.vec()[k];
  if (rows.empty()) return;
  const Mat3 map = q.w() * Mat3::Identity() - skew(q.vec());
  for (int k = 0; k < 3; ++k) rows[k] = rotationRowInBase(frames, map.row(k).transpose());
}

double twistAngle(const JointFrames& frames, int k, JointRow& row) {
  Quat q = relativeRotation(frames);
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const double w = q.w();
  const Vec3 x = q.vec();
  const double norm = std::max(w * w + x[k] * x[k], 1e-12);
  Vec3 b;
  b[k] = 1.0;
  b[i] = (w * x[j] + x[k] * x[i]) / norm;
  b[j] = (x[k] * x[j] - w * x[i]) / norm;
  row = rotationRowInBase(frames, b);
  return 2.0 * std::atan2(x[k], w);
}

void rotationVector(const JointFrames& frames, std::span<double> q, std::span<JointRow> rows) {
  const Vec3 phi = logRotation(relativeRotation(frames));
  const Mat3 map = leftJacobianInverse(phi);
  for (int k = 0; k < 3; ++k) {
    q[k] = phi[k];
    rows[k] = rotationRowInBase(frames, map.row(k).transpose());
  }
}

}  // namespace grashof::parts
