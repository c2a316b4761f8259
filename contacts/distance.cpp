#include "contacts/distance.h"

#include <limits>

#include "contacts/overlap.h"

namespace grashof {
namespace {

constexpr int kGjkIterations = 64;
constexpr double kPolish = 2e-2;  // of the size: how near GJK must be for Newton's method to be tried

/// Reduces a simplex to the corners that hold its point nearest to the origin, and gives their weights.
/// Returns false if it holds the origin.
class NearestPoint {
 public:
  explicit NearestPoint(Simplex& simplex) : simplex_(simplex) {
    for (int i = 0; i < simplex.count; ++i) z_[i] = simplex.points[i].z();
  }
  bool find() {
    if (simplex_.count == 4) return ofTetrahedron();
    if (simplex_.count == 3)
      ofTriangle(0, 1, 2);
    else if (simplex_.count == 2)
      ofSegment(0, 1);
    else
      keep({0, -1, -1}, {1.0, 0.0, 0.0});
    apply();
    return true;
  }

 private:
  void keep(const std::array<int, 3>& corners, const std::array<double, 3>& weights) {
    Vec3 v = Vec3::Zero();
    for (int i = 0; i < 3; ++i)
      if (corners[i] >= 0) v += weights[i] * z_[corners[i]];
    const double distance2 = v.squaredNorm();
    if (!(distance2 < least_)) return;
    least_ = distance2;
    corners_ = corners;
    weights_ = weights;
  }
  void ofSegment(int i, int j) {
    const Vec3 e = z_[j] - z_[i];
    const double along = -z_[i].dot(e), whole = e.squaredNorm();
    if (along <= 0.0) return keep({i, -1, -1}, {1.0, 0.0, 0.0});
    if (along >= whole) return keep({j, -1, -1}, {1.0, 0.0, 0.0});
    const double t = along / whole;
    keep({i, j, -1}, {1.0 - t, t, 0.0});
  }
  void ofTriangle(int i, int j, int k) {
    const Vec3 n = (z_[j] - z_[i]).cross(z_[k] - z_[i]);
    const double wi = n.dot(z_[j].cross(z_[k])), wj = n.dot(z_[k].cross(z_[i])),
                 wk = n.dot(z_[i].cross(z_[j])), sum = n.squaredNorm();
    if (wi > 0.0 && wj > 0.0 && wk > 0.0 && sum > 0.0) {
      const double all = wi + wj + wk;
      return keep({i, j, k}, {wi / all, wj / all, wk / all});
    }
    ofSegment(i, j);
    ofSegment(j, k);
    ofSegment(k, i);
  }
  bool ofTetrahedron() {
    constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    bool outside = false;
    for (const auto& f : faces) {
      const Vec3 n = (z_[f[1]] - z_[f[0]]).cross(z_[f[2]] - z_[f[0]]);
      const double origin = -n.dot(z_[f[0]]), fourth = n.dot(z_[f[3]] - z_[f[0]]);
      if (origin * fourth > 0.0) continue;
      outside = true;
      ofTriangle(f[0], f[1], f[2]);
    }
    if (!outside) return false;
    apply();
    return true;
  }
  void apply() {
    Simplex kept;
    for (int i = 0; i < 3; ++i)
      if (corners_[i] >= 0) {
        kept.points[kept.count] = simplex_.points[corners_[i]];
        kept.weights[kept.count++] = weights_[i];
      }
    simplex_ = kept;
  }

  Simplex& simplex_;
  Vec3 z_[4];
  double least_ = std::numeric_limits<double>::infinity();
  std::array<int, 3> corners_{0, -1, -1};
  std::array<double, 3> weights_{1.0, 0.0, 0.0};
};

/// The separation of the shapes without their balls. Where it is larger than `within`, any lower bound of it
/// larger than that.
Extremum separationOfCores(const MinkowskiDifference& c, double within) {
  // GJK [Gilbert 1988]: the point of the simplex nearest to the origin is brought nearer by the point of C
  // that lies lowest along it.
  Vec3 hint = c.between();
  if (!(hint.squaredNorm() > 0.0)) hint = Vec3::UnitZ();
  Simplex simplex;
  simplex.points[0] = c.lowest(hint.normalized());
  simplex.weights[0] = 1.0;
  simplex.count = 1;
  Extremum best{hint.normalized(), -std::numeric_limits<double>::infinity(), Vec3::Zero(), Vec3::Zero()};
  for (int i = 0; i < kGjkIterations; ++i) {
    const Vec3 onA = simplex.onA(), onB = simplex.onB(), v = onB - onA;
    const double distance = v.norm();
    if (distance <= c.rounding()) return deepest(c, best.n);
    const Vec3 n = v / distance;
    const DifferencePoint point = c.lowest(n);
    const double separation = n.dot(point.z());
    if (separation > best.separation) best = {n, separation, onA, onA + separation * n};
    if (best.separation > within) return best;
    if (distance - separation < kPolish * c.size())
      if (const auto found = c.polish(simplex, n)) return *found;
    if (distance - separation < c.rounding()) return {n, separation, onA, onB};
    simplex.points[simplex.count] = point;
    simplex.weights[simplex.count++] = 0.0;
    if (!NearestPoint(simplex).find()) return deepest(c, best.n);
    if (simplex.onB().isApprox(onB, 0.0) && simplex.onA().isApprox(onA, 0.0)) break;  // rounding
  }
  return best.separation > 0.0 ? best : deepest(c, best.n);
}

}  // namespace

Separation separationOf(const ConvexShape& a, const Pose& poseA, const ConvexShape& b, const Pose& poseB,
                        double within) {
  const MinkowskiDifference c(a, poseA, b, poseB);
  const double balls = a.radius() + b.radius();
  const Extremum found = separationOfCores(c, within + balls);
  Separation result;
  result.normal = poseA.rotation * found.n;
  result.gap = found.separation - balls;
  result.pointA = poseA * found.onA + a.radius() * result.normal;
  result.pointB = poseA * found.onB - b.radius() * result.normal;
  return result;
}

}  // namespace grashof
