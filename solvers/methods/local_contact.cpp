#include "solvers/methods/local_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"
#include "solvers/problem/friction_polygon.h"

namespace grashof {
namespace {

constexpr double kLopsided = 0.9;  // of the trace

double polynomial(const double* coefficients, int degree, double t) {
  double value = coefficients[degree];
  for (int i = degree - 1; i >= 0; --i) value = value * t + coefficients[i];
  return value;
}

/// The zero of a polynomial that changes sign between low and high, by Newton's method kept inside the
/// bracket.
double bracketedRoot(const double* p, const double* derivative, int degree, double low, double high) {
  const bool rising = polynomial(p, degree, low) < 0.0;
  double t = 0.5 * (low + high);
  for (int i = 0; i < 80; ++i) {
    const double value = polynomial(p, degree, t);
    ((value < 0.0) == rising ? low : high) = t;
    const double slope = polynomial(derivative, degree - 1, t);
    double next = slope != 0.0 ? t - value / slope : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= 1e-16 * (1.0 + std::abs(t)) || value == 0.0) break;
    t = next;
  }
  return t;
}

/// Real roots with a change of sign in [-bound, bound], ascending, degree <= 4: between those of the
/// derivative a polynomial is monotonic.
int realRoots(const double* p, int degree, double bound, std::array<double, 4>& roots) {
  if (degree == 0) return 0;
  std::array<double, 4> derivative{};
  for (int i = 0; i < degree; ++i) derivative[i] = (i + 1) * p[i + 1];
  std::array<double, 4> turns{};
  const int count = realRoots(derivative.data(), degree - 1, bound, turns);
  int found = 0;
  double low = -bound;
  for (int i = 0; i <= count; ++i) {
    const double high = i < count ? turns[i] : bound;
    if ((polynomial(p, degree, low) < 0.0) != (polynomial(p, degree, high) < 0.0))
      roots[found++] = bracketedRoot(p, derivative.data(), degree, low, high);
    low = high;
  }
  return found;
}

/// Frictionless, open, sticking or wedged contacts; nothing: it slides. `stick`: the impulse that stops it.
std::optional<Vec3> solveWithoutSliding(const LocalContact& contact, Vec3& stick) {
  const Mat3& d = contact.delassus;
  if (contact.free[2] > 0.0) return Vec3::Zero();
  if (contact.friction == 0.0) return Vec3(0.0, 0.0, std::max(0.0, -contact.free[2] / d(2, 2)));
  stick = d.ldlt().solve(-contact.free);
  if (stick.head<2>().norm() <= contact.friction * stick[2]) return stick;
  if (contact.free[2] < 0.0) return std::nullopt;
  // free_n = 0: no impulse, or, where friction outweighs the normal (h = 0 for some direction: the conic is a
  // parabola or a hyperbola), a wedged one along those rays.
  const Vec2 coupling = contact.friction * Vec2(d(2, 0), d(2, 1));
  const double size = coupling.norm();
  Vec3 best = Vec3::Zero();
  if (size < d(2, 2)) return best;
  double least = 0.0;
  const double middle = std::atan2(coupling[1], coupling[0]), aside = std::acos(-d(2, 2) / size);
  for (const double angle : {middle - aside, middle + aside}) {
    const Vec3 ray(contact.friction * std::cos(angle), contact.friction * std::sin(angle), 1.0);
    const double push = -ray.dot(contact.free), inertia = ray.dot(d * ray);
    if (push <= 0.0 || inertia <= 0.0 || -0.5 * push * push / inertia >= least) continue;
    least = -0.5 * push * push / inertia;
    best = push / inertia * ray;
  }
  return best;
}

}  // namespace

Vec3 stepCcp(const LocalContact& contact, bool deSaxceTerm) {
  Vec3 v = contact.velocity();
  if (deSaxceTerm) v[2] += deSaxce(v[0], v[1], contact.friction);
  // One row that has most of the trace, as the normal of a soft contact: 3/tr(D) would overshoot ever further
  // there.
  const double trace = contact.delassus.trace(), most = contact.delassus.diagonal().maxCoeff();
  const double step = most > kLopsided * trace ? 1.0 / most : 3.0 / trace;
  return projectOntoCone(contact.impulse - step * v, contact.friction);
}

Vec3 stepNcp(const LocalContact& contact) {
  const Mat3& d = contact.delassus;
  const Vec3 v = contact.velocity();
  Vec3 next;
  next[2] = std::max(0.0, contact.impulse[2] - v[2] / d(2, 2));
  const Vec2 tangent = contact.impulse.head<2>() - v.head<2>() / std::min(d(0, 0), d(1, 1));
  next.head<2>() = projectOntoDisk(tangent, contact.friction * next[2]);
  return next;
}

Vec3 stepPyramid(const LocalContact& contact, int facets) {
  const Mat3& d = contact.delassus;
  const Vec3 v = contact.velocity();
  Vec3 next;
  next[2] = std::max(0.0, contact.impulse[2] - v[2] / d(2, 2));
  const double step = 1.0 / std::min(d(0, 0), d(1, 1));
  next.head<2>() =
      projectOntoPolygon(contact.impulse.head<2>() - step * v.head<2>(), contact.friction * next[2], facets);
  return next;
}

Vec3 stepProx(const LocalContact& contact, double factor) {
  const Mat3& d = contact.delassus;
  Vec3 next = contact.impulse;
  const double normal = contact.velocity()[2];
  next[2] = std::max(0.0, next[2] - factor / d(2, 2) * normal);
  const Vec2 v = contact.free.head<2>() + d.topRows<2>() * next;
  const double mean = 0.5 * (d(0, 0) + d(1, 1));
  const double largest = mean + std::hypot(0.5 * (d(0, 0) - d(1, 1)), d(0, 1));
  next.head<2>() = projectOntoDisk(next.head<2>() - factor / largest * v, contact.friction * next[2]);
  return next;
}

SlidingContact::SlidingContact(const LocalContact& contact, double deSaxceTerm)
    : normal_(contact.delassus(2, 2)),
      scale_(-contact.friction * contact.free[2]),
      friction_(contact.friction) {
  const Mat3& d = contact.delassus;
  const Vec2 cross = d.topRightCorner<2, 1>();
  coupling_ = contact.friction * cross;
  linear_ = contact.free.head<2>() - (contact.free[2] + deSaxceTerm) / normal_ * cross;
  schur_ = d.topLeftCorner<2, 2>() - cross * cross.transpose() / normal_;
  const Vec2& m = coupling_;
  const Vec2& b = linear_;
  const double k = scale_, dn = normal_;
  const double turn = m[0] * b[1] - m[1] * b[0];
  harmonics_ = {1.5 * dn * turn,  //
                k * (m[0] * schur_(0, 1) - m[1] * schur_(0, 0)) + dn * dn * b[1] + turn * m[0],
                k * (m[0] * schur_(1, 1) - m[1] * schur_(0, 1)) - dn * dn * b[0] + turn * m[1],
                k * dn * schur_(0, 1) + 0.5 * dn * (m[0] * b[1] + m[1] * b[0]),
                0.5 * dn * (k * (schur_(1, 1) - schur_(0, 0)) + m[1] * b[1] - m[0] * b[0])};
}

double SlidingContact::slope(const Vec2& direction) const {
  const double c = direction[0], s = direction[1];
  return harmonics_[0] + harmonics_[1] * c + harmonics_[2] * s + harmonics_[3] * (c * c - s * s) +
         harmonics_[4] * 2.0 * c * s;
}

double SlidingContact::objective(const Vec2& direction) const {
  const double h = reach(direction);
  if (!(h > 0.0)) return std::numeric_limits<double>::infinity();
  const Vec2 x = scale_ / h * direction;
  return x.dot(0.5 * (schur_ * x) + linear_);
}

Vec3 SlidingContact::impulse(const Vec2& direction) const {
  const double radius = scale_ / reach(direction);
  return {radius * direction[0], radius * direction[1], radius / friction_};
}

int trigonometricRoots(const std::array<double, 5>& harmonics, std::array<Vec2, 4>& roots) {
  // The angle is counted from a turn at which the polynomial is far from zero half a circle away, where
  // tan(θ/2) is infinite: the quartic then keeps its degree and its roots stay small.
  constexpr int kTurns = 8;
  const auto [c, c1, s1, c2, s2] = harmonics;
  double turn = 0.0, largest = -1.0;
  for (int i = 0; i < kTurns; ++i) {
    const double a = 2.0 * std::numbers::pi * i / kTurns;
    const double opposite =
        std::abs(c - c1 * std::cos(a) - s1 * std::sin(a) + c2 * std::cos(2 * a) + s2 * std::sin(2 * a));
    if (opposite > largest) {
      largest = opposite;
      turn = a;
    }
  }
  if (!(largest > 0.0)) return 0;
  const double ct = std::cos(turn), st = std::sin(turn), ct2 = std::cos(2 * turn), st2 = std::sin(2 * turn);
  const double r1 = c1 * ct + s1 * st, i1 = s1 * ct - c1 * st;
  const double r2 = c2 * ct2 + s2 * st2, i2 = s2 * ct2 - c2 * st2;
  const std::array<double, 5> quartic = {c + r1 + r2, 2.0 * i1 + 4.0 * i2, 2.0 * c - 6.0 * r2,
                                         2.0 * i1 - 4.0 * i2, c - r1 + r2};
  double bound = 0.0;
  for (int i = 0; i < 4; ++i) bound = std::max(bound, std::abs(quartic[i] / quartic[4]));
  std::array<double, 4> tangents{};
  const int found = realRoots(quartic.data(), 4, 1.0 + bound, tangents);
  for (int i = 0; i < found; ++i) {
    const double t = tangents[i], w = 1.0 / (1.0 + t * t);
    const double cosine = (1.0 - t * t) * w, sine = 2.0 * t * w;
    roots[i] = Vec2(ct * cosine - st * sine, st * cosine + ct * sine);
  }
  return found;
}

Vec3 solveQuartic(const LocalContact& contact) {
  Vec3 stick;
  if (const auto simple = solveWithoutSliding(contact, stick)) return *simple;
  const SlidingContact sliding(contact, 0.0);
  std::array<Vec2, 4> roots;
  const int found = trigonometricRoots(sliding.harmonics(), roots);
  Vec2 best = sliding.guess();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < found; ++i) {
    const double objective = sliding.objective(roots[i]);
    if (objective >= least) continue;
    least = objective;
    best = roots[i];
  }
  return sliding.impulse(best);
}

Vec3 solveBisection(const LocalContact& contact, bool deSaxceTerm) {
  Vec3 stick;
  if (const auto simple = solveWithoutSliding(contact, stick)) return *simple;
  const Vec3 v = contact.velocity();
  const SlidingContact sliding(contact, deSaxceTerm ? deSaxce(v[0], v[1], contact.friction) : 0.0);
  Vec2 low = stick.head<2>().normalized();
  if (!(sliding.reach(low) > 0.0)) low = sliding.guess();
  if (!(sliding.reach(low) > 0.0)) low = sliding.coupling().normalized();
  // Downhill in growing strides until the slope changes; a stride that leaves the branch h > 0 is halved.
  const double side = sliding.slope(low) > 0.0 ? -1.0 : 1.0;
  double stride = 0.05;
  Vec2 high = low;
  bool found = false;
  for (int i = 0; i < 60 && !found; ++i) {
    high = Eigen::Rotation2Dd(side * stride) * low;
    if (!(sliding.reach(high) > 0.0)) {
      stride *= 0.5;
      continue;
    }
    found = side * sliding.slope(high) >= 0.0;
    if (!found) low = high;
    stride = std::min(1.5 * stride, 0.5);
  }
  for (int i = 0; i < 60; ++i) {
    const Vec2 middle = (low + high).normalized();
    if (middle == low || middle == high) break;
    (side * sliding.slope(middle) < 0.0 ? low : high) = middle;
  }
  return sliding.impulse(high);
}

}  // namespace grashof
