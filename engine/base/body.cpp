#include "engine/base/body.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace grashof {

EqualMoments equalMomentsOf(const Mat3& inertia) {
  constexpr double kEqual = 1e-13;
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(inertia);
  const Vec3& moment = principal.eigenvalues();  // ascending
  const double low = moment[1] - moment[0], high = moment[2] - moment[1], equal = kEqual * moment[2];
  if (!(std::min(low, high) <= equal)) return {};
  if (std::max(low, high) <= equal) return {EqualMoments::Kind::Three};
  return {EqualMoments::Kind::Two, principal.eigenvectors().col(low <= high ? 2 : 0)};
}

}  // namespace grashof
