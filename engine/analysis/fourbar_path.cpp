#include "engine/analysis/fourbar_path.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "engine/base/error.h"
#include "engine/base/halton.h"

namespace grashof {
namespace {

using Complex = std::complex<double>;
using Vector = Eigen::VectorXd;

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kNearChangePoint = 1e-6;
constexpr int kAnglesTried = 24;       // of the coupler, for the start of one
constexpr int kMostIterations = 150;   // of one start
constexpr double kStartBox = 3.0;      // half its side, in sizes of the points
constexpr double kSameLinkage = 1e-5;  // linkages that differ less are the same
constexpr double kPassed = 1e-6;       // of their size: points that are that near to the curve are on it
constexpr double kLeastBar = 1e-3;     // shorter bars are none, in sizes of the points

Complex complexOf(const Vec2& x) { return {x.x(), x.y()}; }
Vec2 vectorOf(const Complex& x) { return {x.real(), x.imag()}; }
Vec2 rotated(const Vec2& x, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * x.x() - s * x.y(), s * x.x() + c * x.y()};
}

/// The equations of a synthesis. x: A0, B0, u, v, a², c², then the angles at all points but the first.
class PathEquations {
 public:
  explicit PathEquations(std::vector<Vec2> points) : p_(std::move(points)) {}

  Eigen::Index unknowns() const { return 9 + static_cast<Eigen::Index>(p_.size()); }
  Eigen::Index equations() const { return 2 * static_cast<Eigen::Index>(p_.size()); }
  double angle(const Vector& x, std::size_t j) const {
    return j == 0 ? 0.0 : x[9 + static_cast<Eigen::Index>(j)];
  }

  /// Residuals, and their derivatives where `jacobian` is there.
  void evaluate(const Vector& x, Vector& r, Eigen::MatrixXd* jacobian) const {
    const Vec2 a0 = x.segment<2>(0), b0 = x.segment<2>(2), u = x.segment<2>(4), v = x.segment<2>(6);
    const double d = std::sqrt((u - v).squaredNorm() + (a0 - b0).squaredNorm());
    if (jacobian) jacobian->setZero();
    for (std::size_t j = 0; j < p_.size(); ++j) {
      const auto row = 2 * static_cast<Eigen::Index>(j);
      const double angle_rad = angle(x, j);
      const Vec2 ru = rotated(u, angle_rad), rv = rotated(v, angle_rad);
      const Vec2 ea = p_[j] + ru - a0, eb = p_[j] + rv - b0;
      const double a = ea.squaredNorm() - x[8], b = eb.squaredNorm() - x[9];
      r[row] = a;
      r[row + 1] = (a - b) / d;
      if (!jacobian) continue;
      auto& J = *jacobian;
      const Vec2 ua = 2.0 * rotated(ea, -angle_rad), vb = 2.0 * rotated(eb, -angle_rad);
      J.block<1, 2>(row, 0) = -2.0 * ea.transpose();
      J.block<1, 2>(row, 4) = ua.transpose();
      J(row, 8) = -1.0;
      // Of the quotient: of its numerator first, then of d.
      J.block<1, 2>(row + 1, 0) = -2.0 * ea.transpose() / d - r[row + 1] * (a0 - b0).transpose() / (d * d);
      J.block<1, 2>(row + 1, 2) = 2.0 * eb.transpose() / d + r[row + 1] * (a0 - b0).transpose() / (d * d);
      J.block<1, 2>(row + 1, 4) = ua.transpose() / d - r[row + 1] * (u - v).transpose() / (d * d);
      J.block<1, 2>(row + 1, 6) = -vb.transpose() / d + r[row + 1] * (u - v).transpose() / (d * d);
      J(row + 1, 8) = -1.0 / d;
      J(row + 1, 9) = 1.0 / d;
      if (j == 0) continue;
      const Vec2 du(-ru.y(), ru.x()), dv(-rv.y(), rv.x());
      const double da = 2.0 * ea.dot(du), db = 2.0 * eb.dot(dv);
      J(row, 9 + static_cast<Eigen::Index>(j)) = da;
      J(row + 1, 9 + static_cast<Eigen::Index>(j)) = (da - db) / d;
    }
  }

  /// A start: the linkage at these shares of the box, closed at the first point, with the best of some angles
  /// at the others.
  Vector start(const std::vector<double>& shares) const {
    Vector x = Vector::Zero(unknowns());
    for (Eigen::Index i = 0; i < 8; ++i) x[i] = kStartBox * (2.0 * shares[static_cast<std::size_t>(i)] - 1.0);
    const Vec2 a0 = x.segment<2>(0), b0 = x.segment<2>(2), u = x.segment<2>(4), v = x.segment<2>(6);
    x[8] = (p_[0] + u - a0).squaredNorm();
    x[9] = (p_[0] + v - b0).squaredNorm();
    for (std::size_t j = 1; j < p_.size(); ++j) {
      double least = std::numeric_limits<double>::infinity();
      for (int k = 0; k < kAnglesTried; ++k) {
        const double angle_rad = kTurn * k / kAnglesTried;
        const double a = (p_[j] + rotated(u, angle_rad) - a0).squaredNorm() - x[8];
        const double b = (p_[j] + rotated(v, angle_rad) - b0).squaredNorm() - x[9];
        if (a * a + b * b >= least) continue;
        least = a * a + b * b;
        x[9 + static_cast<Eigen::Index>(j)] = angle_rad;
      }
    }
    return x;
  }

  const std::vector<Vec2>& points() const { return p_; }

 private:
  std::vector<Vec2> p_;
};

/// Levenberg and Marquardt's method [Nocedal 2006, section 10.3]; the sum of squares at its end.
double leastSquares(const PathEquations& equations, Vector& x) {
  Vector r(equations.equations()), trial(equations.equations());
  Eigen::MatrixXd J(equations.equations(), equations.unknowns());
  equations.evaluate(x, r, &J);
  double cost = r.squaredNorm(), damping = 1e-2;
  for (int i = 0; i < kMostIterations && cost > 1e-28 && damping < 1e12; ++i) {
    const Eigen::MatrixXd normal = J.transpose() * J;
    const Vector gradient = J.transpose() * r;
    Eigen::MatrixXd damped = normal;
    damped.diagonal() += damping * (normal.diagonal().array() + 1e-9).matrix();
    const Vector next = x - damped.ldlt().solve(gradient);
    if (!next.allFinite()) return std::numeric_limits<double>::infinity();
    equations.evaluate(next, trial, nullptr);
    const double value = trial.squaredNorm();
    if (value < cost) {
      const bool settled = cost - value <= 1e-13 * cost;
      x = next;
      cost = value;
      damping = std::max(0.2 * damping, 1e-15);
      equations.evaluate(x, r, &J);
      if (settled) break;
    } else {
      damping *= 4.0;
    }
    // Far away, or no longer on its way to a solution.
    if (i == 60 && cost > 1e-2) break;
  }
  return cost;
}

PathFourBar linkageOf(const Vector& x) {
  PathFourBar f;
  f.crankPivot = x.segment<2>(0);
  f.rockerPivot = x.segment<2>(2);
  const Complex u(x[4], x[5]), v(x[6], x[7]);
  f.crank = std::sqrt(std::max(x[8], 0.0));
  f.rocker = std::sqrt(std::max(x[9], 0.0));
  f.coupler = std::abs(v - u);
  f.point = vectorOf(-u / (v - u) * f.coupler);
  return f;
}

/// Whether the bars have lengths that can be built; `size`: of the points.
bool isBuildable(const PathFourBar& f, double size, double largest) {
  for (const double bar : lengthsOf(f))
    if (!(bar > kLeastBar * size) || !(bar < largest * size)) return false;
  return f.point.norm() < largest * size;
}

/// Equal up to rounding, or with crank and rocker exchanged.
bool areSame(const PathFourBar& f, const PathFourBar& g, double size) {
  const auto near = [&](const PathFourBar& h) {
    return (f.crankPivot - h.crankPivot).norm() + (f.rockerPivot - h.rockerPivot).norm() +
               std::abs(f.crank - h.crank) + std::abs(f.coupler - h.coupler) + std::abs(f.rocker - h.rocker) +
               (f.point - h.point).norm() <
           kSameLinkage * size;
  };
  const PathFourBar exchanged{g.rockerPivot, g.crankPivot, g.rocker,
                              g.coupler,     g.crank,      {g.coupler - g.point.x(), -g.point.y()}};
  return near(g) || near(exchanged);
}

/// What is wanted most first: linkages that pass the points on one branch, in order, by a bar that turns.
int rankOf(const SynthesizedFourBar& f, bool passes) {
  if (!passes || !f.oneBranch || !f.inOrder) return 2;
  return f.kind == "triple rocker" ? 1 : 0;
}

/// Whether B is on the left of the line from A to B0.
bool isLeft(const Vec2& a, const Vec2& b, const Vec2& b0) {
  return (b0 - a).x() * (b - a).y() - (b0 - a).y() * (b - a).x() > 0.0;
}

/// Crank angles and branches at the points, from the solution's angles of the coupler.
void judgeOrder(const PathEquations& equations, const Vector& x, SynthesizedFourBar& found) {
  const Vec2 a0 = x.segment<2>(0), b0 = x.segment<2>(2), u = x.segment<2>(4), v = x.segment<2>(6);
  const std::size_t count = equations.points().size();
  std::vector<double> angles;
  int left = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double angle_rad = equations.angle(x, j);
    const Vec2 a = equations.points()[j] + rotated(u, angle_rad);
    const Vec2 b = equations.points()[j] + rotated(v, angle_rad);
    angles.push_back(std::atan2((a - a0).y(), (a - a0).x()));
    left += isLeft(a, b, b0);
  }
  found.branch = left > 0 && isLeft(equations.points()[0] + u, equations.points()[0] + v, b0) ? 1 : -1;
  found.start = angles[0];
  // A linkage without a bar that turns round passes both branches in one circuit.
  found.oneBranch = left == 0 || left == static_cast<int>(count) || found.kind == "triple rocker";
  for (const double way : {1.0, -1.0}) {
    double sum = 0.0;
    for (std::size_t j = 1; j < count; ++j) {
      const double turn = std::fmod(way * (angles[j] - angles[j - 1]), kTurn);
      sum += turn < 0.0 ? turn + kTurn : turn;
    }
    if (sum >= kTurn || found.inOrder) continue;
    found.inOrder = true;
    found.travel = way * sum;
  }
}

}  // namespace

std::optional<FourBarPose> fourBarPose(const PathFourBar& f, double crankAngle, int branch) {
  FourBarPose pose;
  pose.crankPin = f.crankPivot + f.crank * Vec2(std::cos(crankAngle), std::sin(crankAngle));
  const Vec2 diagonal = f.rockerPivot - pose.crankPin;
  const double square = diagonal.squaredNorm();
  if (!(square > 0.0)) return std::nullopt;
  // B = A + (along + i across) diagonal, at the distances of coupler and rocker from A and B0.
  const double along = 0.5 * (1.0 + (f.coupler * f.coupler - f.rocker * f.rocker) / square);
  const double rest = f.coupler * f.coupler / square - along * along;
  if (rest < 0.0) return std::nullopt;
  const Complex toB = Complex(along, branch * std::sqrt(rest)) * complexOf(diagonal);
  pose.rockerPin = pose.crankPin + vectorOf(toB);
  pose.point = pose.crankPin + vectorOf(toB / f.coupler * complexOf(f.point));
  return pose;
}

std::array<double, 4> lengthsOf(const PathFourBar& f) { return {f.frame(), f.crank, f.coupler, f.rocker}; }

std::string fourBarKind(const std::array<double, 4>& lengths) {
  std::array<double, 4> sorted = lengths;
  std::sort(sorted.begin(), sorted.end());
  const double grashof = (sorted[0] + sorted[3]) / (sorted[1] + sorted[2]);
  const auto shortest = std::min_element(lengths.begin(), lengths.end()) - lengths.begin();
  if (std::abs(grashof - 1.0) <= kNearChangePoint) return "change point";
  if (grashof > 1.0) return "triple rocker";
  if (shortest == 0) return "double crank";
  return shortest == 2 ? "double rocker" : "crank-rocker";
}

std::array<PathFourBar, 2> cognatesOf(const PathFourBar& f) {
  const Complex a0 = complexOf(f.crankPivot), b0 = complexOf(f.rockerPivot);
  const Complex fromA = complexOf(f.point) / f.coupler,
                fromB = 1.0 - fromA;  // (P - A) / (B - A), (P - B) / (A - B)
  const Complex c0 = a0 + fromA * (b0 - a0);
  const auto cognate = [&](const Complex& pivot, const Complex& ratio, double bar, double otherBar) {
    PathFourBar g;
    g.crankPivot = vectorOf(pivot);
    g.rockerPivot = vectorOf(c0);
    g.crank = std::abs(ratio) * f.coupler;
    g.coupler = std::abs(ratio) * bar;
    g.rocker = std::abs(ratio) * otherBar;
    g.point = vectorOf(g.coupler / ratio);
    return g;
  };
  return {cognate(a0, fromA, f.crank, f.rocker), cognate(b0, fromB, f.rocker, f.crank)};
}

double distanceToCurve(const PathFourBar& f, const Vec2& point) {
  // Along the crank's angle, and along the rocker's, whose curve is finely sampled where the crank is at its
  // end.
  const PathFourBar exchanged{f.rockerPivot, f.crankPivot, f.rocker,
                              f.coupler,     f.crank,      {f.coupler - f.point.x(), -f.point.y()}};
  constexpr int kSamples = 720;
  double least = std::numeric_limits<double>::infinity();
  for (const PathFourBar& g : {f, exchanged})
    for (const int branch : {1, -1}) {
      const auto distance = [&](double angle_rad) {
        const auto pose = fourBarPose(g, angle_rad, branch);
        return pose ? (pose->point - point).norm() : std::numeric_limits<double>::infinity();
      };
      std::array<double, kSamples> sampled{};
      for (int k = 0; k < kSamples; ++k)
        sampled[static_cast<std::size_t>(k)] = distance(kTurn * k / kSamples);
      for (std::size_t k = 0; k < kSamples; ++k) {
        double here = sampled[k], at = kTurn * static_cast<double>(k) / kSamples, step = kTurn / kSamples;
        if (!std::isfinite(here) || here > sampled[(k + 1) % kSamples] ||
            here > sampled[(k + kSamples - 1) % kSamples])
          continue;             // a least distance is elsewhere
        while (step > 1e-15) {  // downhill, by halving steps
          const double ahead = distance(at + step), behind = distance(at - step);
          if (std::min(ahead, behind) < here) {
            at += ahead < behind ? step : -step;
            here = std::min(ahead, behind);
          } else {
            step *= 0.5;
          }
        }
        least = std::min(least, here);
      }
    }
  return least;
}

std::vector<SynthesizedFourBar> synthesizePath(const std::vector<Vec2>& points,
                                               const SynthesisOptions& options) {
  if (points.size() < 5) throw InputError("the synthesis of a four-bar needs five points or more");
  Vec2 mean = Vec2::Zero();
  for (const Vec2& p : points) mean += p / static_cast<double>(points.size());
  double size = 0.0;
  for (const Vec2& p : points) size = std::max(size, (p - mean).norm());
  if (!(size > 1e-12 * mean.norm()) || !std::isfinite(size))
    throw InputError("the points of the path are all the same");
  std::vector<Vec2> scaled;
  scaled.reserve(points.size());
  for (const Vec2& p : points) scaled.push_back((p - mean) / size);
  const PathEquations equations(scaled);
  std::vector<std::pair<double, SynthesizedFourBar>> found;  // by what remains of the equations
  for (std::uint64_t i = 1; i <= options.starts; ++i) {
    Vector x = equations.start(haltonPoint(i, 8));
    const double cost = leastSquares(equations, x);
    if (x[9] < x[8]) {  // the shorter bar is the crank
      x.segment<2>(0).swap(x.segment<2>(2));
      x.segment<2>(4).swap(x.segment<2>(6));
      std::swap(x[8], x[9]);
    }
    SynthesizedFourBar one;
    one.linkage = linkageOf(x);
    const bool known = std::any_of(found.begin(), found.end(), [&](const auto& other) {
      return areSame(other.second.linkage, one.linkage, 1.0);
    });
    if (std::isfinite(cost) && !known && isBuildable(one.linkage, 1.0, options.largest)) {
      one.kind = fourBarKind(lengthsOf(one.linkage));
      judgeOrder(equations, x, one);
      found.emplace_back(cost, std::move(one));
      std::stable_sort(found.begin(), found.end(), [](const auto& l, const auto& r) {
        const int left = rankOf(l.second, l.first < kPassed * kPassed);
        const int right = rankOf(r.second, r.first < kPassed * kPassed);
        return left != right ? left < right : l.first < r.first;
      });
      if (found.size() > options.solutions) found.pop_back();
    }
    if (options.goOn && !options.goOn(i)) break;
  }
  std::vector<SynthesizedFourBar> all;
  for (auto& [cost, one] : found) {
    PathFourBar& f = one.linkage;
    for (const Vec2& p : scaled) one.error = std::max(one.error, size * distanceToCurve(f, p));
    f.crankPivot = mean + size * f.crankPivot;
    f.rockerPivot = mean + size * f.rockerPivot;
    f.crank *= size;
    f.coupler *= size;
    f.rocker *= size;
    f.point *= size;
    all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [&](const SynthesizedFourBar& l, const SynthesizedFourBar& r) {
    const int left = rankOf(l, l.error < kPassed * size), right = rankOf(r, r.error < kPassed * size);
    return left != right ? left < right : l.error < r.error;
  });
  return all;
}

}  // namespace grashof
