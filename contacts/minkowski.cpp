#include "contacts/minkowski.h"

#include <algorithm>
#include <array>

namespace grashof {
namespace {

constexpr int kNewtonSteps = 12;
constexpr double kConverged = 1e-9;    // rad: the next step of Newton's method is below rounding
constexpr double kLargestTurn = 0.7;   // rad a step
constexpr double kLeastWeight = 1e-9;  // how negative rounding may make a weight
constexpr double kNearAxis = 0.05;     // sine of the angle within which a whole circle may be active
constexpr double kLevel = 1e-9;        // of the size: curvature and slope that are zero
constexpr double kDependent = 1e-9;    // sine between differences of points that count as parallel

/// Two tangents of n.
struct Tangents {
  Vec3 t, o;
  explicit Tangents(const Vec3& n) : t(n.unitOrthogonal()), o(n.cross(t)) {}
  Vec2 operator()(const Vec3& v) const { return {t.dot(v), o.dot(v)}; }
};

}  // namespace

Vec3 Simplex::onA() const {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < count; ++i) sum += weights[i] * points[i].onA;
  return sum;
}

Vec3 Simplex::onB() const {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < count; ++i) sum += weights[i] * points[i].onB;
  return sum;
}

MinkowskiDifference::MinkowskiDifference(const ConvexShape& a, const Pose& poseA, const ConvexShape& b,
                                         const Pose& poseB)
    : a_(a), b_(b) {
  const Mat3 toA = poseA.rotation.toRotationMatrix().transpose();
  rotation_ = toA * poseB.rotation.toRotationMatrix();
  position_ = toA * (poseB.position - poseA.position);
  between_ = rotation_ * b.center() + position_ - a.center();
  size_ = a.reach() + b.reach() + between_.norm();
}

/// The pieces of a simplex, each pair of pieces once. Frozen ones keep their points.
MinkowskiDifference::ActiveSet MinkowskiDifference::activate(const Simplex& simplex, bool freezeA,
                                                             bool freezeB) const {
  ActiveSet set;
  for (int i = 0; i < simplex.count; ++i) {
    const DifferencePoint& p = simplex.points[i];
    const bool movesA = a_.moves(p.pieceA) && !(freezeA && a_.circle(p.pieceA));
    const bool movesB = b_.moves(p.pieceB) && !(freezeB && b_.circle(p.pieceB));
    Active* const end = set.items.data() + set.count;
    Active* const known = std::find_if(set.items.data(), end, [&](const Active& other) {
      return other.point.pieceA == p.pieceA && other.point.pieceB == p.pieceB &&
             (movesA || other.point.onA == p.onA) && (movesB || other.point.onB == p.onB);
    });
    if (known != end)
      known->weight += simplex.weights[i];
    else
      set.items[set.count++] = {p, movesA, movesB, simplex.weights[i]};
  }
  return set;
}

void MinkowskiDifference::moveTo(ActiveSet& set, const Vec3& n) const {
  for (int i = 0; i < set.count; ++i) {
    Active& item = set.items[i];
    if (item.movesA) item.point.onA = a_.pointOf(item.point.pieceA, n);
    if (item.movesB)
      item.point.onB = rotation_ * b_.pointOf(item.point.pieceB, -(rotation_.transpose() * n)) + position_;
  }
}

/// -dz/dn, the mean over the active pieces.
Mat3 MinkowskiDifference::curvature(const ActiveSet& set, const Vec3& n) const {
  Mat3 onA = Mat3::Zero(), onB = Mat3::Zero();
  bool movesB = false;
  Vec3 there = n;
  for (int i = 0; i < set.count; ++i) {
    const Active& item = set.items[i];
    if (item.movesA) onA += item.weight * a_.curvatureOf(item.point.pieceA, n);
    if (!item.movesB) continue;
    if (!movesB) there = -(rotation_.transpose() * n);
    movesB = true;
    onB += item.weight * b_.curvatureOf(item.point.pieceB, there);
  }
  if (movesB) onA += rotation_ * onB * rotation_.transpose();
  return onA;
}

/// The step x to the maximum of ½ m x² - pull x, m < 0. Where all directions are as good (a point on the axis
/// of a cone), m is zero but for rounding, and x stays. Returns false at a minimum or saddle.
bool MinkowskiDifference::ascend(double m, double pull, double& step) const {
  const bool level = std::abs(m) < kLevel * size_;
  step = level ? 0.0 : pull / m;
  return level ? std::abs(pull) < kLevel * size_ : m < 0.0;
}

/// The same of two variables, along the principal axes of m.
bool MinkowskiDifference::ascend(const Mat2& m, const Vec2& pull, Vec2& step) const {
  const double det = m.determinant();
  if (m(0, 0) < 0.0 && det > kLevel * m.squaredNorm()) {
    step = Vec2(m(1, 1) * pull[0] - m(0, 1) * pull[1], m(0, 0) * pull[1] - m(1, 0) * pull[0]) / det;
    return true;
  }
  const double half = 0.5 * (m(0, 0) - m(1, 1)), radius = planeNorm(half, m(0, 1));
  const double angle = 0.5 * std::atan2(m(0, 1), half), mean = 0.5 * m.trace();
  const Vec2 first(std::cos(angle), std::sin(angle)), second(-first[1], first[0]);
  double along, over;
  if (!ascend(mean + radius, first.dot(pull), along) || !ascend(mean - radius, second.dot(pull), over))
    return false;
  step = along * first + over * second;
  return true;
}

/// The extremum of an active set that has converged, if it is one.
std::optional<Extremum> MinkowskiDifference::accept(ActiveSet& set, const Vec3& n) const {
  moveTo(set, n);
  Simplex result;
  result.count = set.count;
  for (int i = 0; i < set.count; ++i) {
    if (!(set.items[i].weight > -kLeastWeight)) return {};
    result.points[i] = set.items[i].point;
    result.weights[i] = std::max(set.items[i].weight, 0.0);
  }
  const Vec3 onA = result.onA(), onB = result.onB();
  const double separation = n.dot(onB - onA);
  if (n.dot(lowest(n).z()) < separation - 10.0 * rounding()) return {};
  return Extremum{n, separation, onA, onB};
}

/// With n + T a, T the tangents, and the first weight by the others:
///     [ M   E ] [ a  ]   [ -Tᵀ Σ w z    ]        M = -Tᵀ (Σ w H) T - d,   E = [Tᵀ (z_i - z_1)]
///     [ Eᵀ  0 ] [ dw ] = [ -n·(z_i - z_1) ]
std::optional<Extremum> MinkowskiDifference::solve(ActiveSet set, Vec3 n) const {
  for (int step = 0; step < kNewtonSteps; ++step) {
    moveTo(set, n);
    const Tangents tangents(n);
    const Vec3 first = set.items[0].point.z();
    Vec3 mean = Vec3::Zero();
    for (int i = 0; i < set.count; ++i) mean += set.items[i].weight * set.items[i].point.z();
    const double d = n.dot(mean);
    const Vec2 pull = -tangents(mean);
    const Mat3 h = curvature(set, n);
    const Vec3 ht = h * tangents.t, ho = h * tangents.o;
    Mat2 m;
    m << -tangents.t.dot(ht) - d, -tangents.t.dot(ho), -tangents.o.dot(ht), -tangents.o.dot(ho) - d;
    Vec2 turn;
    double change[3] = {0.0, 0.0, 0.0};
    if (set.count == 1) {
      if (!ascend(m, pull, turn)) return {};
    } else if (set.count == 2) {
      const Vec3 z = set.items[1].point.z() - first;
      const Vec2 e = tangents(z);
      const double e2 = e.squaredNorm();
      if (!(e2 > 0.0)) return {};
      const Vec2 across(-e[1], e[0]);  // of the length of e
      const Vec2 along = e * (-n.dot(z) / e2);
      double over;
      if (!ascend(across.dot(m * across) / e2, across.dot(pull - m * along) / e2, over)) return {};
      turn = along + across * over;
      change[1] = e.dot(pull - m * turn) / e2;
    } else {
      const Vec3 z1 = set.items[1].point.z() - first, z2 = set.items[2].point.z() - first;
      const Vec2 e1 = tangents(z1), e2 = tangents(z2);
      const double det = e1[0] * e2[1] - e1[1] * e2[0];
      if (!(std::abs(det) > kDependent * e1.norm() * e2.norm())) return {};
      const double r1 = -n.dot(z1), r2 = -n.dot(z2);
      turn = Vec2(e2[1] * r1 - e1[1] * r2, e1[0] * r2 - e2[0] * r1) / det;
      const Vec2 rest = pull - m * turn;
      change[1] = (e2[1] * rest[0] - e2[0] * rest[1]) / det;
      change[2] = (e1[0] * rest[1] - e1[1] * rest[0]) / det;
    }
    change[0] = -change[1] - change[2];
    for (int i = 0; i < set.count; ++i) set.items[i].weight += change[i];
    const double angle = turn.norm();
    if (!(angle < kLargestTurn)) return {};
    n = (n + tangents.t * turn[0] + tangents.o * turn[1]).normalized();
    if (angle > kConverged) continue;

    return accept(set, n);
  }
  return {};
}

/// Whether a whole circle of `shape` seems to be active: n is nearly its axis, and several of its points are
/// in the simplex.
bool MinkowskiDifference::flat(const ConvexShape& shape, const Simplex& simplex, bool ofA) const {
  for (int i = 0; i < simplex.count; ++i)
    for (int j = 0; j < i; ++j) {
      const DifferencePoint &p = simplex.points[i], &q = simplex.points[j];
      const int piece = ofA ? p.pieceA : p.pieceB;
      if (piece == (ofA ? q.pieceA : q.pieceB) && shape.circle(piece) &&
          (ofA ? p.onA != q.onA : p.onB != q.onB))
        return true;
    }
  return false;
}

std::optional<Extremum> MinkowskiDifference::polish(const Simplex& simplex, const Vec3& n) const {
  const auto nearAxis = [](double z) { return 1.0 - z * z < kNearAxis * kNearAxis; };
  const bool flatA = nearAxis(n.z()) && flat(a_, simplex, true);
  const bool flatB = nearAxis(rotation_.col(2).dot(n)) && flat(b_, simplex, false);
  for (const bool freezeA : {true, false})
    for (const bool freezeB : {true, false}) {
      if ((freezeA && !flatA) || (freezeB && !flatB)) continue;
      const ActiveSet set = activate(simplex, freezeA, freezeB);
      if (set.count > 3) continue;
      if (auto found = solve(set, n)) return found;
    }
  return {};
}

}  // namespace grashof
