#include "solvers/methods/interior_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/problem/cones.h"

namespace grashof {
namespace {

constexpr int kIterations = 100;       // of all attempts
constexpr double kToBoundary = 0.98;   // share of the longest step
constexpr double kMinCentring = 1e-6;  // σ
constexpr double kMinStep = 1e-10;     // below it nothing moves any more
constexpr double kBacktrack = 0.8;
constexpr double kShort = 0.1;            // a step so short that De Saxcé's term is lagged instead
constexpr int kDirectionSolves = 3;       // linear solves of one direction, at most
constexpr double kExact = 1e-13;          // relative residual of Newton's equations that needs no refinement
constexpr double kSpoiltResidual = 1e-6;  // relative residual that shows a spoilt factorization
constexpr double kMinGive = 1e-11;        // η of the scaled rows: bounds the weights
constexpr double kFrictionless = 1e12;    // give of tangents that carry nothing, over D_ii
constexpr double kTiny = 1e-300;
constexpr double kProgress = 0.9;       // of the best residual, that counts as progress
constexpr int kStalledIterations = 12;  // iterations without progress that count as stalled
constexpr double kPolishing = 0.3;      // of the natural map, that an iteration past the tolerance must reach

// A second attempt starts farther inside and stays closer to the central path.
constexpr int kAttempts = 2;
constexpr double kStartSize[kAttempts] = {1.0, 30.0};
constexpr double kCentral[kAttempts] = {1e-4, 1e-2};  // least complementarity product over the mean one

}  // namespace

const InteriorPointMethod kIpmNcp = {InteriorPointMethod::DeSaxce::Newton};
const InteriorPointMethod kIpmNcpLagged = {InteriorPointMethod::DeSaxce::Lagged};
const InteriorPointMethod kIpmCcp = {InteriorPointMethod::DeSaxce::None};

InteriorPoint::InteriorPoint(const SolverOptions& options, const InteriorPointMethod& method)
    : options_(options), method_(method) {}

void InteriorPoint::start(const DualProblem& problem) {
  twist_.assign(problem.freeTwist.begin(), problem.freeTwist.end());
  endVelocities(problem, twist_, impulse_, velocity_);
  const auto scaleOf = [&](int row) { return scale_[row - problem.jointRows]; };
  bounded_.clear();
  cones_.clear();
  for (const IntervalRow& row : problem.intervals) {
    if (!(row.lower < row.upper)) {  // nothing to choose
      impulse_[row.row] = row.lower;
      give_[row.row - problem.jointRows] = kFrictionless / std::pow(scaleOf(row.row), 2);
      continue;
    }
    BoundedRow b;
    b.row = row.row;
    b.scale = scaleOf(row.row);
    b.lower = row.lower / b.scale;
    b.upper = row.upper / b.scale;
    bounded_.push_back(b);
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    if (contact.friction > 0.0) {
      Cone c;
      c.contact = static_cast<int>(k);
      c.row = contact.row;
      c.scale = scaleOf(contact.row);
      c.friction = contact.friction;
      cones_.push_back(c);
    } else {
      BoundedRow b;
      b.row = contact.row + 2;
      b.scale = scaleOf(b.row);
      b.upper = std::numeric_limits<double>::infinity();
      bounded_.push_back(b);
    }
  }
  // A point well inside, of the size of what is to be stopped.
  double size = 0.0;
  for (std::size_t i = 0; i < scale_.size(); ++i)
    size = std::max(size, std::abs(scale_[i] * velocity_[problem.jointRows + i]));
  // Impulses that stop heavy bodies don't show in the velocities of rows that move along with them.
  for (int b = 0; b < problem.bodies(); ++b)
    size = std::max(size,
                    std::sqrt(problem.freeTwist[b].dot(problem.inertia[b].multiply(problem.freeTwist[b]))));
  if (!(size > 0.0)) size = 1e-3;
  size *= kStartSize[attempt_];
  for (BoundedRow& b : bounded_) {
    if (b.hasLower() && b.hasUpper())
      b.x = 0.5 * (b.lower + b.upper);
    else
      b.x = b.hasLower() ? b.lower + size : b.hasUpper() ? b.upper - size : 0.0;
    b.dualLower = b.hasLower() ? size : 0.0;
    b.dualUpper = b.hasUpper() ? size : 0.0;
  }
  for (Cone& c : cones_) c.x = c.y = Vec3(size, 0.0, 0.0);
}

/// λ, u and v of the present point; the largest residual of the problem.
double InteriorPoint::evaluate(const DualProblem& problem) {
  for (const BoundedRow& b : bounded_) impulse_[b.row] = b.scale * b.x;
  for (const Cone& c : cones_)
    Vec3::Map(&impulse_[c.row]) = c.scale * Vec3(c.x[1], c.x[2], c.x[0] / c.friction);
  twistFromImpulse(problem, impulse_, twist_);
  endVelocities(problem, twist_, impulse_, velocity_);
  const ContactModel model =
      method_.deSaxce == InteriorPointMethod::DeSaxce::None ? ContactModel::Ccp : ContactModel::Ncp;
  naturalMap_ = naturalMapResidual(problem, impulse_, velocity_, model);
  return largestResidual(problem, impulse_, velocity_, model);
}

/// Infeasibility, scaling and the blocks of Newton's matrix at the present point.
void InteriorPoint::linearize(const DualProblem& problem) {
  for (const BoundedRow& b : bounded_) {
    double give = kMinGive;
    if (b.hasLower()) give += b.dualLower / std::max(b.x - b.lower, kTiny);
    if (b.hasUpper()) give += b.dualUpper / std::max(b.upper - b.x, kTiny);
    give_[b.row - problem.jointRows] = give / (b.scale * b.scale);
  }
  for (const IntervalRow& row : problem.intervals)
    weight_[row.row - problem.jointRows] =
        1.0 / (give_[row.row - problem.jointRows] + problem.compliance[row.row]);
  const bool ncp = method_.deSaxce != InteriorPointMethod::DeSaxce::None;
  for (Cone& c : cones_) {
    const Vec3 v(&velocity_[c.row]);
    const double slip = std::hypot(v[0], v[1]);
    c.infeasibility = c.scale * Vec3(v[2] / c.friction + (ncp ? slip : 0.0), v[0], v[1]) - c.y;
    c.scaling = soc::scaling(c.x, c.y);
    Mat3 dual = Mat3::Zero();  // E⁻ᵀ
    dual(0, 2) = c.scale / c.friction;
    dual(1, 0) = dual(2, 1) = c.scale;
    c.axes = c.scaling.axes();
    c.right = c.axes.transpose() * dual;
    if (method_.deSaxce == InteriorPointMethod::DeSaxce::Newton && slip > 0.0 && !lagging_)
      dual.row(0) += c.scale / slip * Vec3(v[0], v[1], 0.0).transpose();  // B
    c.left = c.axes.transpose() * dual;
    c.give = c.scaling.eigenvalues.cwiseInverse().array() + kMinGive;
    c.weight = c.give.cwiseInverse();
    c.unit = (1.0 + c.give.array()).rsqrt();
  }
}

bool InteriorPoint::factorize(const DualProblem& problem) {
  const int first = problem.contactRow(0) - problem.jointRows;
  if (!condensed_) {
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
      // What contacts without friction have; the others follow.
      const int i = first + 3 * static_cast<int>(k);
      const double s = scale_[i];
      ContactEquation& e = equation_[k];
      e.left = e.right = s * Mat3::Identity();
      e.own = (s * s * Vec3(&problem.compliance[problem.contacts[k].row])).asDiagonal();
      e.own.diagonal() += Vec3(kFrictionless, kFrictionless, s * s * give_[i + 2]);
    }
    for (const Cone& c : cones_) {
      ContactEquation& e = equation_[c.contact];
      e.left = c.unit.asDiagonal() * c.left;
      e.right = c.unit.asDiagonal() * c.right;
      e.own = e.left * Vec3(&problem.compliance[c.row]).asDiagonal() * e.right.transpose();
      e.own.diagonal() += c.unit.cwiseAbs2().cwiseProduct(c.give);
    }
    return explicitKkt_.factorizeGeneral(problem, weight_, options_.jointProximal, equation_);
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const int i = first + 3 * static_cast<int>(k);
    contactWeight_[k].setZero();
    contactWeight_[k](2, 2) = 1.0 / (give_[i + 2] + problem.compliance[problem.contacts[k].row + 2]);
  }
  for (const Cone& c : cones_) {
    Mat3 loaded;
    for (int i = 0; i < 3; ++i) loaded.col(i) = condensedImpulse(problem, c, c.left.col(i));
    contactWeight_[c.contact] = c.right.transpose() * loaded;
  }
  return method_.deSaxce == InteriorPointMethod::DeSaxce::Newton
             ? condensedKkt_.factorizeGeneral(problem, weight_, options_.jointProximal, contactWeight_)
             : condensedKkt_.factorize(problem, weight_, options_.jointProximal, contactWeight_);
}

/// Complementarity products are to become `target`; `corrected`: less the second-order term of the present
/// direction.
void InteriorPoint::setTarget(double target, bool corrected) {
  for (BoundedRow& b : bounded_) {
    b.termLower = target - (corrected ? b.dx * b.dDualLower : 0.0);
    b.termUpper = target - (corrected ? -b.dx * b.dDualUpper : 0.0);
  }
  for (Cone& c : cones_) {
    c.term = -c.y;
    if (target == 0.0 && !corrected) continue;
    const Mat3 p = c.scaling.root(), pInverse = c.scaling.inverseRoot();
    Vec3 wanted(target, 0.0, 0.0);
    if (corrected) wanted -= soc::product(pInverse * c.dx, p * c.dy);
    c.term += pInverse * soc::divide(wanted, pInverse * c.x);
  }
}

/// residual = b - (Newton's matrix) × change, relative to the largest b.
double InteriorPoint::updateResidual(const DualProblem& problem) {
  for (const Cone& c : cones_) Vec3::Map(&change_[c.row]) = c.right.transpose() * c.xi;
  for (Vec6& w : body_) w.setZero();
  addRowWrenches(problem, change_, body_);
  for (int b = 0; b < problem.bodies(); ++b) body_[b] = problem.inertia[b].solve(body_[b]);
  rowVelocities(problem, body_, product_);
  addCompliance(problem, change_, product_);
  double size = kTiny, worst = 0.0;
  const auto compare = [&](double wanted, double product) {
    const double error = wanted - product;
    size = std::max(size, std::abs(wanted));
    worst = std::max(worst, std::abs(error));
    return error;
  };
  for (int r = 0; r < problem.jointRows; ++r) residual_[r] = compare(rhs_[r], product_[r]);
  for (const BoundedRow& b : bounded_)
    residual_[b.row] =
        compare(rhs_[b.row], product_[b.row] + give_[b.row - problem.jointRows] * change_[b.row]);
  for (Cone& c : cones_) {
    const Vec3 product = c.left * Vec3(&product_[c.row]) + c.give.cwiseProduct(c.xi);
    for (int i = 0; i < 3; ++i) c.residual[i] = compare(c.rhs[i], product[i]);
  }
  return worst / size;
}

/// ξ of a condensed contact whose equation's right side is b.
Vec3 InteriorPoint::condensedImpulse(const DualProblem& problem, const Cone& c, const Vec3& b) {
  const Vec3 compliance(&problem.compliance[c.row]);
  if (compliance.isZero(0.0)) return c.weight.cwiseProduct(b);
  Mat3 g = c.left * compliance.asDiagonal() * c.right.transpose();
  g.diagonal() += c.give;
  return g.inverse() * b;
}

/// One solve for the present residual, added to the change.
void InteriorPoint::solveNewton(const DualProblem& problem) {
  const int first = problem.jointRows;
  // Condensed rows load the bodies: ξ = w (b - J du).
  std::fill(rowWork_.begin(), rowWork_.end(), 0.0);
  for (const BoundedRow& b : bounded_)
    if (condensed_ || b.row < problem.contactRow(0))
      rowWork_[b.row] = residual_[b.row] / (give_[b.row - first] + problem.compliance[b.row]);
  if (condensed_)
    for (const Cone& c : cones_)
      Vec3::Map(&rowWork_[c.row]) = c.right.transpose() * condensedImpulse(problem, c, c.residual);
  for (Vec6& w : body_) w.setZero();
  addRowWrenches(problem, rowWork_, body_);
  for (int r = 0; r < first; ++r) rowWork_[r] = residual_[r];
  if (!condensed_) {
    for (const BoundedRow& b : bounded_)
      if (b.row >= problem.contactRow(0)) rowWork_[b.row] = b.scale * residual_[b.row];
    for (const Cone& c : cones_) Vec3::Map(&rowWork_[c.row]) = c.unit.cwiseProduct(c.residual);
  }
  (condensed_ ? condensedKkt_ : explicitKkt_).solve(problem, body_, rowWork_);
  rowVelocities(problem, body_, product_);
  for (int r = 0; r < first; ++r) change_[r] += rowWork_[r];
  for (const BoundedRow& b : bounded_)
    change_[b.row] +=
        condensed_ || b.row < problem.contactRow(0)
            ? (residual_[b.row] - product_[b.row]) / (give_[b.row - first] + problem.compliance[b.row])
            : b.scale * rowWork_[b.row];
  for (Cone& c : cones_)
    c.xi += condensed_ ? condensedImpulse(problem, c, c.residual - c.left * Vec3(&product_[c.row]))
                       : Vec3(c.unit.cwiseProduct(Vec3(&rowWork_[c.row])));
}

/// Newton's direction for the present target, refined until it is exact or gets no better, in `passes` solves
/// at most; one solve is not judged.
void InteriorPoint::direction(const DualProblem& problem, int passes) {
  for (int r = 0; r < problem.jointRows; ++r) rhs_[r] = -velocity_[r];
  for (const BoundedRow& b : bounded_) {
    double dual = 0.0;
    if (b.hasLower()) dual += b.termLower / std::max(b.x - b.lower, kTiny);
    if (b.hasUpper()) dual -= b.termUpper / std::max(b.upper - b.x, kTiny);
    rhs_[b.row] = dual / b.scale - velocity_[b.row];
  }
  for (Cone& c : cones_) {
    c.rhs = c.axes.transpose() * (c.term - c.infeasibility);
    c.xi.setZero();
  }
  std::fill(change_.begin(), change_.end(), 0.0);
  std::copy(rhs_.begin(), rhs_.end(), residual_.begin());
  for (Cone& c : cones_) c.residual = c.rhs;
  linearError_ = 1.0;
  for (int pass = 0; pass < passes; ++pass) {
    solveNewton(problem);
    if (passes == 1) break;
    const double previous = linearError_;
    linearError_ = updateResidual(problem);
    if (linearError_ <= kExact || (pass > 0 && !(linearError_ < 0.5 * previous))) break;
  }
  for (BoundedRow& b : bounded_) {
    b.dx = change_[b.row] / b.scale;
    if (b.hasLower())
      b.dDualLower = (b.termLower - b.dualLower * b.dx) / std::max(b.x - b.lower, kTiny) - b.dualLower;
    if (b.hasUpper())
      b.dDualUpper = (b.termUpper + b.dualUpper * b.dx) / std::max(b.upper - b.x, kTiny) - b.dualUpper;
  }
  for (Cone& c : cones_) {
    c.dx = c.axes * c.xi;
    c.dy = c.term - c.axes * c.give.cwiseProduct(c.xi);
  }
}

/// The longest step that keeps every variable inside, at most 1.
double InteriorPoint::step() const {
  double longest = 1.0 / kToBoundary;
  const auto keep = [&](double x, double dx) {
    if (dx < 0.0) longest = std::min(longest, -x / dx);
  };
  for (const BoundedRow& b : bounded_) {
    if (b.hasLower()) {
      keep(b.x - b.lower, b.dx);
      keep(b.dualLower, b.dDualLower);
    }
    if (b.hasUpper()) {
      keep(b.upper - b.x, -b.dx);
      keep(b.dualUpper, b.dDualUpper);
    }
  }
  for (const Cone& c : cones_)
    longest = std::min({longest, soc::longestStep(c.x, c.dx), soc::longestStep(c.y, c.dy)});
  return std::min(1.0, kToBoundary * longest);
}

/// After a step `a`, no complementarity product (eigenvalue of x ∘ y, for a cone) is much below their mean: a
/// point near the boundary on one side only has no way on.
bool InteriorPoint::central(double a) const {
  const double least = kCentral[attempt_] * gap(a);
  for (const BoundedRow& b : bounded_) {
    if (b.hasLower() && (b.x + a * b.dx - b.lower) * (b.dualLower + a * b.dDualLower) < least) return false;
    if (b.hasUpper() && (b.upper - b.x - a * b.dx) * (b.dualUpper + a * b.dDualUpper) < least) return false;
  }
  for (const Cone& c : cones_) {
    const Vec3 x = c.x + a * c.dx, y = c.y + a * c.dy;
    const double mean = x.dot(y), product = soc::determinant(x) * soc::determinant(y);
    if (product < least * (mean + std::sqrt(std::max(mean * mean - product, 0.0)))) return false;
  }
  return true;
}

/// Mean complementarity product after a step along the present direction.
double InteriorPoint::gap(double a) const {
  double sum = 0.0;
  int count = 0;
  for (const BoundedRow& b : bounded_) {
    if (b.hasLower()) {
      sum += (b.x + a * b.dx - b.lower) * (b.dualLower + a * b.dDualLower);
      ++count;
    }
    if (b.hasUpper()) {
      sum += (b.upper - b.x - a * b.dx) * (b.dualUpper + a * b.dDualUpper);
      ++count;
    }
  }
  for (const Cone& c : cones_) {
    sum += (c.x + a * c.dx).dot(c.y + a * c.dy);
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

double InteriorPoint::centralStep() const {
  double a = step();
  while (a > kMinStep && !central(a)) a *= kBacktrack;
  return a;
}

/// Predictor and corrector at the present point: leaves the direction, returns the length of the step; 0 when
/// there is none.
double InteriorPoint::predictAndCorrect(const DualProblem& problem) {
  linearize(problem);
  if (!factorize(problem)) return 0.0;
  if (bounded_.empty() && cones_.empty()) {
    direction(problem, kDirectionSolves);
    return 1.0;
  }
  setTarget(0.0, false);
  direction(problem, condensed_ ? kDirectionSolves : 1);  // rows of their own are exact enough for a target
  const double present = gap(0.0);
  const double shrink = present > 0.0 ? std::max(gap(step()), 0.0) / present : 0.0;
  setTarget(std::clamp(shrink * shrink * shrink, kMinCentring, 1.0) * present, true);
  direction(problem, kDirectionSolves);
  if (condensed_ && !(linearError_ < kSpoiltResidual)) {
    condensed_ = false;
    explicitKkt_.plan(problem);
    return predictAndCorrect(problem);
  }
  return centralStep();
}

/// False when there is no way on.
bool InteriorPoint::iterate(const DualProblem& problem) {
  lagging_ = false;
  double length = predictAndCorrect(problem);
  if (length < kShort && method_.deSaxce == InteriorPointMethod::DeSaxce::Newton && !cones_.empty()) {
    // The problem is not monotone, and its central path may turn back. With De Saxcé's term frozen it is
    // convex, and there is always a way.
    lagging_ = true;
    length = predictAndCorrect(problem);
  }
  if (!(length > kMinStep)) return false;
  for (int r = 0; r < problem.jointRows; ++r) impulse_[r] += length * change_[r];
  for (BoundedRow& b : bounded_) {
    b.x += length * b.dx;
    b.dualLower += length * b.dDualLower;
    b.dualUpper += length * b.dDualUpper;
  }
  for (Cone& c : cones_) {
    c.x += length * c.dx;
    c.y += length * c.dy;
  }
  return true;
}

/// Iterates from one starting point. Keeps the best impulses that any attempt has seen.
SolveStatus InteriorPoint::attempt(const DualProblem& problem, int limit, int& iterations) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  start(problem);
  double best = std::numeric_limits<double>::infinity(), polished = best;
  for (int since = 0;; ++iterations) {
    const double worst = evaluate(problem);
    since = worst < kProgress * best ? 0 : since + 1;
    if (worst <= options_.tolerance) {
      // From inside, complementarity is small long before λ and v⁺ are known as well: go on while it pays.
      const bool pays = naturalMap_ < kPolishing * polished;
      if (naturalMap_ < polished) {
        polished = naturalMap_;
        keep(worst);
      }
      if (polished <= options_.tolerance || !pays) return SolveStatus::Solved;
    } else if (best <= options_.tolerance) {
      return SolveStatus::Solved;
    } else if (worst < bestResidual_) {
      keep(worst);
    }
    best = std::min(best, worst);
    const bool solved = best <= options_.tolerance;
    if (iterations >= limit) return solved ? SolveStatus::Solved : SolveStatus::IterationLimit;
    if (since > kStalledIterations || !iterate(problem))
      return solved ? SolveStatus::Solved : SolveStatus::Stalled;
  }
}

void InteriorPoint::keep(double residual) {
  bestResidual_ = residual;
  std::copy(impulse_.begin(), impulse_.end(), best_.begin());
}

void InteriorPoint::solve(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  const std::size_t unilateral = rows - problem.jointRows;
  const int factorizationsBefore = condensedKkt_.factorizations() + explicitKkt_.factorizations();
  condensed_ = problem.coupled.empty();
  (condensed_ ? condensedKkt_ : explicitKkt_).plan(problem);
  for (auto* v : {&velocity_, &impulse_, &rhs_, &residual_, &change_, &product_, &rowWork_, &best_})
    v->assign(rows, 0.0);
  scale_.resize(unilateral);
  give_.assign(unilateral, 1.0);
  weight_.assign(unilateral, 0.0);
  contactWeight_.resize(problem.contacts.size());
  equation_.resize(problem.contacts.size());
  twist_.resize(problem.bodies());
  body_.resize(problem.bodies());
  scaleRows(problem, problem.jointRows, scale_);

  bestResidual_ = std::numeric_limits<double>::infinity();
  solution.iterations = 0;
  const int limit = std::min(options_.maxIterations, kIterations);
  for (attempt_ = 0; attempt_ < kAttempts; ++attempt_) {
    solution.status = attempt(problem, limit, solution.iterations);
    if (solution.status != SolveStatus::Stalled || !std::isfinite(bestResidual_)) break;
  }

  solution.impulse.assign(best_.begin(), best_.end());
  solution.residual = bestResidual_;
  solution.twist.resize(problem.bodies());
  twistFromImpulse(problem, solution.impulse, solution.twist);
  endVelocities(problem, solution.twist, solution.impulse, velocity_);
  solution.dual.assign(velocity_.begin(), velocity_.end());
  std::fill(solution.dual.begin(), solution.dual.begin() + problem.jointRows, 0.0);
  if (method_.deSaxce != InteriorPointMethod::DeSaxce::None)
    for (const ContactBlock& contact : problem.contacts) {
      double* v = &solution.dual[contact.row];
      v[2] += deSaxce(v[0], v[1], contact.friction);
    }
  solution.factorizations =
      condensedKkt_.factorizations() + explicitKkt_.factorizations() - factorizationsBefore;
}

}  // namespace grashof
