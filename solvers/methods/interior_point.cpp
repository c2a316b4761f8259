#include "solvers/methods/interior_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/problem/stall_monitor.h"

namespace grashof {
namespace {

constexpr int kIterations = 100;       // of all attempts
constexpr double kToBoundary = 0.98;   // share of the longest step
constexpr double kMinCentring = 1e-6;  // σ
constexpr double kMinStep = 1e-10;     // shorter steps make no difference
constexpr double kBacktrack = 0.8;
constexpr double kShort = 0.1;            // steps below it are tried again with De Saxcé's term lagged
constexpr int kDirectionSolves = 3;       // linear solves of one direction, at most
constexpr double kSpoiltResidual = 1e-6;  // relative residual that shows a spoilt factorization
constexpr double kIpmProgress = 0.9;      // of the best residual
constexpr int kStalledIterations = 12;    // iterations without progress that count as stalled
constexpr double kPolishing =
    0.3;  // factor of the natural map that an iteration past the tolerance must reach

// A second attempt starts farther inside and stays closer to the central path.
constexpr int kAttempts = 2;
constexpr double kStartSize[kAttempts] = {1.0, 30.0};
constexpr double kCentral[kAttempts] = {1e-4, 1e-2};  // least complementarity product over the mean one

}  // namespace

const InteriorPointMethod kIpmNcp = {InteriorPointMethod::DeSaxce::Newton};
const InteriorPointMethod kIpmNcpLagged = {InteriorPointMethod::DeSaxce::Lagged};
const InteriorPointMethod kIpmCcp = {InteriorPointMethod::DeSaxce::None};

InteriorPoint::InteriorPoint(const SolverOptions& options, const InteriorPointMethod& method)
    : options_(options), method_(method), newton_(method.deSaxce == InteriorPointMethod::DeSaxce::Newton) {}

/// A point well inside, of the size of the impulses that stop the motion.
void InteriorPoint::initialPoint(const DualProblem& problem) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  twist_.assign(problem.freeTwist.begin(), problem.freeTwist.end());
  endVelocities(problem, twist_, impulse_, velocity_);
  for (const IntervalRow& row : problem.intervals)
    if (!(row.lower < row.upper)) impulse_[row.row] = row.lower;  // no choice
  const std::span<const double> scale = newton_.scale();
  double size = 0.0;
  for (std::size_t i = 0; i < scale.size(); ++i)
    size = std::max(size, std::abs(scale[i] * velocity_[problem.jointRows + i]));
  // Rows that move along with heavy bodies do not show the impulses that stop these bodies.
  for (int b = 0; b < problem.bodies(); ++b)
    size = std::max(size,
                    std::sqrt(problem.freeTwist[b].dot(problem.inertia[b].multiply(problem.freeTwist[b]))));
  if (!(size > 0.0)) size = 1e-3;
  variables_.build(problem, scale);
  variables_.setInitialPoint(kStartSize[attempt_] * size);
}

/// λ, u and v of the present point. Returns the largest residual of the problem.
double InteriorPoint::evaluate(const DualProblem& problem) {
  variables_.writeImpulses(impulse_);
  twistFromImpulse(problem, impulse_, twist_);
  endVelocities(problem, twist_, impulse_, velocity_);
  naturalMap_ = naturalMapResidual(problem, impulse_, velocity_, model(), units_);
  return largestResidual(problem, impulse_, velocity_, model(), units_);
}

double InteriorPoint::centralStep() const {
  double length = variables_.maxStepToBoundary(kToBoundary);
  while (length > kMinStep && !variables_.isCentral(length, kCentral[attempt_])) length *= kBacktrack;
  return length;
}

/// Predictor and corrector at the present point. Leaves the direction and returns the length of the step; 0
/// when there is none.
double InteriorPoint::predictAndCorrect(const DualProblem& problem) {
  using DeSaxce = InteriorPointMethod::DeSaxce;
  newton_.linearize(problem, velocity_,
                    {method_.deSaxce != DeSaxce::None, method_.deSaxce == DeSaxce::Newton && !lagging_},
                    variables_);
  if (!newton_.factorize(problem, variables_)) return 0.0;
  if (variables_.empty()) {
    newton_.newtonDirection(problem, velocity_, kDirectionSolves, variables_);
    return 1.0;
  }
  variables_.setTarget(0.0, false);
  // Without refinement, explicit contacts are exact enough for the choice of a target.
  newton_.newtonDirection(problem, velocity_, newton_.condensed() ? kDirectionSolves : 1, variables_);
  const double present = variables_.complementarityMeasure(0.0);
  const double predicted = variables_.complementarityMeasure(variables_.maxStepToBoundary(kToBoundary));
  const double shrink = present > 0.0 ? std::max(predicted, 0.0) / present : 0.0;
  variables_.setTarget(std::clamp(shrink * shrink * shrink, kMinCentring, 1.0) * present, true);
  newton_.newtonDirection(problem, velocity_, kDirectionSolves, variables_);
  if (newton_.condensed() && !(newton_.linearError() < kSpoiltResidual)) {
    newton_.makeExplicit(problem);
    return predictAndCorrect(problem);
  }
  return centralStep();
}

/// One step. False when there is none.
bool InteriorPoint::iterate(const DualProblem& problem) {
  lagging_ = false;
  length_ = predictAndCorrect(problem);
  if (length_ < kShort && method_.deSaxce == InteriorPointMethod::DeSaxce::Newton &&
      !variables_.cones.empty()) {
    // The problem is not monotone, and its central path may turn back. With De Saxcé's term frozen it is
    // convex, and there is always a direction.
    lagging_ = true;
    length_ = predictAndCorrect(problem);
  }
  if (!(length_ > kMinStep)) return false;
  for (int r = 0; r < problem.jointRows; ++r) impulse_[r] += length_ * newton_.impulseChange()[r];
  variables_.move(length_);
  return true;
}

void InteriorPoint::recordBest(double residual) {
  bestResidual_ = residual;
  std::copy(impulse_.begin(), impulse_.end(), best_.begin());
}

void InteriorPoint::recordIteration(const DualProblem& problem, Solution& solution) const {
  if (!options_.history) return;
  const ResidualParts parts = residualParts(problem, impulse_, velocity_, model(), units_);
  solution.history.push_back({parts.primal, parts.dual, parts.complementarity, length_});
}

/// Iterates from the initial point of this attempt. Keeps the best impulses of all attempts.
SolveStatus InteriorPoint::solveFrom(const DualProblem& problem, int limit, Solution& solution) {
  initialPoint(problem);
  length_ = 0.0;
  double best = std::numeric_limits<double>::infinity(), polished = best;
  StallMonitor progress(kIpmProgress, kStalledIterations, StallMonitor::Reference::Best);
  for (bool first = true;; first = false, ++solution.iterations) {
    const double worst = evaluate(problem);
    if (!first) recordIteration(problem, solution);
    progress.observe(worst);
    if (worst <= options_.tolerance) {
      // From inside, complementarity is small long before λ and v⁺ are accurate: go on while it pays.
      const bool pays = naturalMap_ < kPolishing * polished;
      if (naturalMap_ < polished) {
        polished = naturalMap_;
        recordBest(worst);
      }
      if (polished <= options_.tolerance || !pays) return SolveStatus::Solved;
    } else if (best <= options_.tolerance) {
      return SolveStatus::Solved;
    } else if (worst < bestResidual_) {
      recordBest(worst);
    }
    best = std::min(best, worst);
    const bool solved = best <= options_.tolerance;
    if (solution.iterations >= limit || progress.stalled() || !iterate(problem)) {
      if (solved) return SolveStatus::Solved;
      return solution.iterations >= options_.maxIterations ? SolveStatus::IterationLimit
                                                           : SolveStatus::Stalled;
    }
  }
}

void InteriorPoint::solve(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  const int factorizationsBefore = newton_.factorizations();
  const int limit = std::min(options_.maxIterations, kIterations);
  newton_.prepare(problem, options_.jointProximal);
  units_ = residualScale(problem, options_.toleranceKind);
  floor_.fit(problem);
  for (auto* v : {&velocity_, &impulse_, &best_}) v->assign(rows, 0.0);
  twist_.resize(problem.bodies());
  solution.clearHistory(options_.history ? limit : 0);

  bestResidual_ = std::numeric_limits<double>::infinity();
  solution.iterations = 0;
  solution.atRounding = false;
  for (attempt_ = 0; attempt_ < kAttempts; ++attempt_) {
    solution.status = solveFrom(problem, limit, solution);
    if (solution.status != SolveStatus::Stalled || !std::isfinite(bestResidual_)) break;
    solution.atRounding = floor_.allows(problem, best_, units_, bestResidual_);
    if (!solution.atRounding) continue;
    solution.status = SolveStatus::Solved;
    break;
  }

  solution.impulse.assign(best_.begin(), best_.end());
  solution.residual = bestResidual_;
  solution.twist.resize(problem.bodies());
  twistFromImpulse(problem, solution.impulse, solution.twist);
  endVelocities(problem, solution.twist, solution.impulse, velocity_);
  completeDual(problem, velocity_, model(), solution);
  solution.factorizations = newton_.factorizations() - factorizationsBefore;
}

}  // namespace grashof
