#include "engine/dynamics/kinematics/free_rotation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/rotation_vector.h"

namespace grashof {
namespace {

constexpr int kOrders = 24;            // of a series, at most
constexpr double kNegligible = 1e-17;  // of the last term, relative, where the one before is below kSmall
constexpr double kSmall = 1e-10;
constexpr double kPartAngle = 0.7;  // rad that a body turns within the first choice of a part
constexpr int kMostParts = 1 << 14;

using Turn = Eigen::Vector4d;  // quaternion (w, x, y, z)

/// Adds the quaternion product of `q` and the vector `w`.
void addProduct(const Turn& q, const Vec3& w, Turn& sum) {
  sum[0] -= q[1] * w[0] + q[2] * w[1] + q[3] * w[2];
  sum[1] += q[0] * w[0] + q[2] * w[2] - q[3] * w[1];
  sum[2] += q[0] * w[1] + q[3] * w[0] - q[1] * w[2];
  sum[3] += q[0] * w[2] + q[1] * w[1] - q[2] * w[0];
}

/// A body with the moments (I_t, I_t, I_s), the last about the axis e, turns steadily by M/I_t about the
/// momentum, and at the same time by the rate σ = (1/I_s - 1/I_t) e·M about its axis.
struct SteadyTurn {
  double acrossInverse;  // 1/I_t, 1/(kg·m²)
  double excess;         // 1/I_s - 1/I_t, 1/(kg·m²)
  Vec3 momentum;         // M, kg·m²/s

  SteadyTurn(const Body& body, const Vec3& spin) : momentum(body.inertia * spin) {
    const double along = body.equalMoments.axis.dot(body.inertia * body.equalMoments.axis);
    const double across = 0.5 * (body.inertia.trace() - along);
    acrossInverse = 1.0 / across;
    excess = body.equalMoments.kind == EqualMoments::Kind::Two ? 1.0 / along - acrossInverse : 0.0;
  }
};

/// Taylor series of the rotation over a part of the time: the coefficients times the powers of that part.
/// M' = M × ω, ω = I⁻¹ M and q' = ½ q ω in body axes. With slopes also D' = -[ω]× D + [M]× I⁻¹ D and
/// E' = I⁻¹ D - [ω]× E, D and E those of FreeTurnSlope.
struct Series {
  std::array<Vec3, kOrders + 1> momentum, spin;
  std::array<Turn, kOrders + 1> turn;
  std::array<Mat3, kOrders + 1> momentumBy, spinBy, turnBy;  // D, I⁻¹ D, E
  int order = 0;

  /// Writes the coefficients; false where the last are not negligible.
  bool expand(const Mat3& inverse, double duration, bool slopes);

 private:
  double perMomentum = 0.0;  // 1/|M|²

  double nextTerm(const Mat3& inverse, double share);
  double nextSlope(const Mat3& inverse, double share);
};

/// Each returns the square of the size of the term relative to the sum.
double Series::nextTerm(const Mat3& inverse, double share) {
  Vec3 m = Vec3::Zero();
  Turn q = Turn::Zero();
  for (int i = 0; i <= order; ++i) {
    const Vec3& w = spin[static_cast<std::size_t>(order - i)];
    m += momentum[static_cast<std::size_t>(i)].cross(w);
    addProduct(turn[static_cast<std::size_t>(i)], w, q);
  }
  const auto next = static_cast<std::size_t>(order) + 1;
  momentum[next] = share * m;
  spin[next] = inverse * momentum[next];
  turn[next] = 0.5 * share * q;
  return std::max(momentum[next].squaredNorm() * perMomentum, turn[next].squaredNorm());
}

double Series::nextSlope(const Mat3& inverse, double share) {
  Mat3 d = Mat3::Zero(), e = spinBy[static_cast<std::size_t>(order)];
  for (int i = 0; i <= order; ++i) {
    const auto own = static_cast<std::size_t>(i), other = static_cast<std::size_t>(order - i);
    const Mat3 turning = skew(spin[other]);
    d += skew(momentum[own]) * spinBy[other] - turning * momentumBy[own];
    e -= turning * turnBy[own];
  }
  const auto next = static_cast<std::size_t>(order) + 1;
  momentumBy[next] = share * d;
  spinBy[next] = inverse * momentumBy[next];
  turnBy[next] = share * e;
  return std::max(momentumBy[next].squaredNorm() / momentumBy[0].squaredNorm(),
                  turnBy[next].squaredNorm() / perMomentum);
}

bool Series::expand(const Mat3& inverse, double duration, bool slopes) {
  spin[0] = inverse * momentum[0];
  perMomentum = 1.0 / momentum[0].squaredNorm();
  if (slopes) spinBy[0] = inverse * momentumBy[0];
  double before = 1.0;
  for (order = 0; order < kOrders; ++order) {
    const double share = duration / (order + 1);
    // The slopes first: they look at the same orders.
    const double slope = slopes ? nextSlope(inverse, share) : 0.0;
    const double size = std::max(nextTerm(inverse, share), slope);
    if (size < kNegligible * kNegligible && before < kSmall * kSmall) return true;
    before = size;
  }
  return false;
}

/// The sum of the terms, from the smallest on.
template <typename T>
T sum(const std::array<T, kOrders + 1>& terms, int order) {
  T s = terms[static_cast<std::size_t>(order)];
  for (int k = order - 1; k >= 0; --k) s += terms[static_cast<std::size_t>(k)];
  return s;
}

/// The rotation by series, in `parts` equal parts of the time; false where a series does not end. `slopes`:
/// none or where to write them.
bool turnByParts(const Body& body, const Vec3& momentum, double duration, int parts, Quat& turn,
                 FreeTurnSlope* slopes) {
  Series series;
  Turn q(1.0, 0.0, 0.0, 0.0);
  Vec3 m = momentum;
  Mat3 d = Mat3::Identity(), e = Mat3::Zero();
  for (int part = 0; part < parts; ++part) {
    series.momentum[0] = m;
    series.turn[0] = q;
    series.momentumBy[0] = d;
    series.turnBy[0] = e;
    if (!series.expand(body.inverseInertia, duration / parts, slopes != nullptr)) return false;
    q = sum(series.turn, series.order);
    q *= 1.5 - 0.5 * q.squaredNorm();
    m = sum(series.momentum, series.order);
    if (!slopes) continue;
    d = sum(series.momentumBy, series.order);
    e = sum(series.turnBy, series.order);
  }
  turn = Quat(q[0], q[1], q[2], q[3]);
  if (slopes) *slopes = {turn, e, d};
  return true;
}

/// The rotation over an angle so small that few terms of Magnus' series [Hairer 2006, section IV.7] are
/// exact, with ω = w₀ + w₁ + w₂ + … as in Series; false where they are not.
bool turnBySmallAngle(const Body& body, const Vec3& spin, double duration, Quat& turn) {
  constexpr double kSmallAngle = 1e-4, kThirdTerm = 1e-13;  // rad
  if (!(duration * duration * spin.squaredNorm() < kSmallAngle * kSmallAngle)) return false;
  const Vec3 m0 = body.inertia * spin, m1 = duration * m0.cross(spin);
  const Vec3 w1 = body.inverseInertia * m1;
  const Vec3 w2 = body.inverseInertia * Vec3(0.5 * duration * (m0.cross(w1) + m1.cross(spin)));
  const Vec3 third = duration / 3.0 * w2;
  if (!(third.squaredNorm() < kThirdTerm * kThirdTerm)) return false;
  turn = expRotation(duration * (spin + 0.5 * w1) + third + duration * duration / 12.0 * spin.cross(w1));
  return true;
}

/// The rotation by series, in as many parts as it takes.
Quat turnBySeries(const Body& body, const Vec3& spin, double duration, FreeTurnSlope* slopes) {
  Quat turn;
  if (!slopes && turnBySmallAngle(body, spin, duration, turn)) return turn;
  const Vec3 momentum = body.inertia * spin;
  const double angle = spin.norm() * std::abs(duration);
  turn = expRotation(duration * spin);
  if (slopes) slopes->turn = turn;
  if (!(angle < kPartAngle * kMostParts)) return turn;
  for (int parts = static_cast<int>(angle / kPartAngle) + 1; parts <= kMostParts; parts *= 2)
    if (turnByParts(body, momentum, duration, parts, turn, slopes)) break;
  return turn;
}

}  // namespace

Quat freeTurn(const Body& body, const Vec3& spin, double duration) {
  if (body.equalMoments.kind == EqualMoments::Kind::Three) return expRotation(duration * spin);
  if (body.equalMoments.kind == EqualMoments::Kind::None) return turnBySeries(body, spin, duration, nullptr);
  const SteadyTurn steady(body, spin);
  const Vec3& axis = body.equalMoments.axis;
  const double slip = steady.excess * axis.dot(steady.momentum);
  return expRotation(duration * steady.acrossInverse * steady.momentum) * expRotation(duration * slip * axis);
}

FreeTurnSlope freeTurnSlope(const Body& body, const Vec3& spin, double duration) {
  FreeTurnSlope slope;
  if (spin.isZero(0.0)) {
    slope.turnByMomentum = duration * body.inverseInertia;
    return slope;
  }
  if (body.equalMoments.kind == EqualMoments::Kind::None) {
    turnBySeries(body, spin, duration, &slope);
    return slope;
  }
  const SteadyTurn steady(body, spin);
  const Vec3& axis = body.equalMoments.axis;
  const double slip = steady.excess * axis.dot(steady.momentum);
  const Vec3 precession = duration * steady.acrossInverse * steady.momentum;
  const Quat about = expRotation(duration * slip * axis);
  const Mat3 back = about.toRotationMatrix().transpose();
  slope.turn = expRotation(precession) * about;
  slope.turnByMomentum = duration * (steady.acrossInverse * back * leftJacobian(-precession) +
                                     steady.excess * axis * axis.transpose());
  const Vec3 after = back * steady.momentum;
  slope.momentumByMomentum = back - duration * steady.excess * axis.cross(after) * axis.transpose();
  return slope;
}

}  // namespace grashof
