#include "tools/convert/mjcf_axes.h"

#include <array>
#include <cmath>

namespace grashof::convert {
namespace {

constexpr double kNoProduct = 1e-12;  // kg m²: a product of inertia, or a difference of moments, that is none
constexpr int kMostTurns = 500;       // a few do

/// The axis about which a turn removes the largest product of inertia; of equal ones the first axis.
int axisOfLargest(const Mat3& d) {
  const double xy = std::abs(d(0, 1)), xz = std::abs(d(0, 2)), yz = std::abs(d(1, 2));
  if (xy > xz && xy > yz) return 2;
  return xz > yz ? 1 : 0;
}

}  // namespace

Quat principalAxes(const Mat3& inertia) {
  Quat turn = Quat::Identity();
  const auto inAxes = [&]() -> Mat3 {
    const Mat3 r = turn.toRotationMatrix();
    return r.transpose() * inertia * r;
  };
  Mat3 d = inAxes();
  for (int n = 0; n < kMostTurns; ++n) {  // Jacobi's method
    const int axis = axisOfLargest(d), i = axis == 0 ? 1 : 0, j = axis == 2 ? 1 : 2;
    if (std::abs(d(i, j)) < kNoProduct) break;
    const double ratio = (d(j, j) - d(i, i)) / (2.0 * d(i, j));
    const double tangent =
        std::copysign(1.0 / (std::abs(ratio) + std::sqrt(1.0 + ratio * ratio)), ratio >= 0.0 ? 1.0 : -1.0);
    if (1.0 / std::sqrt(1.0 + tangent * tangent) > 1.0 - kNoProduct) break;
    // About y the turn from the first to the third axis is a negative one.
    const double angle = (axis == 1 ? 1.0 : -1.0) * std::atan(tangent);
    turn = (turn * Quat(Eigen::AngleAxisd(angle, Vec3::Unit(axis)))).normalized();
    d = inAxes();
  }
  Vec3 moments = d.diagonal();
  for (const int i : {0, 1, 0}) {
    if (moments[i] + kNoProduct >= moments[i + 1]) continue;
    std::swap(moments[i], moments[i + 1]);
    turn = (turn * Quat(Eigen::AngleAxisd(0.5 * M_PI, Vec3::Unit((i + 2) % 3)))).normalized();
  }
  return turn;
}

}  // namespace grashof::convert
