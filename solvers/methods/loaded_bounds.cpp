#include "solvers/methods/loaded_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/methods/tangent_laws.h"
#include "solvers/problem/regularization.h"
#include "solvers/problem/termination.h"

namespace grashof {
namespace {

constexpr double kSolveShare = 0.4;  // of the tolerance, of the inner solves
constexpr int kMostFailures = 4;     // of inner solves: then from the side of sticking, then no further
constexpr int kMaxRounds = 64;
constexpr int kCycle = 12;            // rounds: first extrapolated, from nothing, for the sizes have kinks;
constexpr int kExtrapolated = 8;      // then damped, for sizes that fall steeply where others grow
constexpr double kDamping = 0.2;      // share of the step then
constexpr int kStickRound = 36;       // starts from the side of sticking, and goes on in cycles
constexpr double kStick = 1e4;        // of the largest size
constexpr double kRunawaySize = 100;  // of the sizes at first: beyond, only the solution counts

SolverOptions tightened(SolverOptions options) {
  options.tolerance *= kSolveShare;
  return options;
}

}  // namespace

LoadedBounds::LoadedBounds(const SolverEntry& entry, const SolverOptions& options)
    : options_(options), entry_(entry), plain_(makeForLaws(entry, options)) {}

/// The residual of a solution with the bounds of its own loads, of the sizes found_.
double LoadedBounds::residualOf(const DualProblem& problem, const Solution& solution) {
  setBounds(problem, found_, fixed_);
  const bool lawful = !problem.laws.empty() || isRegularized(entry_.model);
  if (lawful) {
    judged_ = fixed_;
    setSolutionRows(fixed_, entry_.model, options_.regularization, solution.twist, solution.impulse, judged_);
  }
  const DualProblem& judged = lawful ? judged_ : fixed_;
  velocity_.resize(solution.impulse.size());
  endVelocities(judged, solution.twist, solution.impulse, velocity_);
  return largestResidual(judged, solution.impulse, velocity_, entry_.law(options_),
                         residualScale(fixed_, options_.toleranceKind));
}

void LoadedBounds::solve(const DualProblem& problem, Solution& solution) {
  if (problem.boundLoads.empty()) {
    plain_->solve(problem, solution);
    return;
  }
  if (!tight_) tight_ = makeForLaws(entry_, tightened(options_));
  const bool wasWarm = solution.warm;
  // What a step without a solution has left is no start for the next.
  if (!solution.warm || !settled_ || static_cast<int>(solution.impulse.size()) != problem.rows())
    solution.impulse.assign(static_cast<std::size_t>(problem.rows()), 0.0);
  for (std::vector<double>* sizes : {&size_, &found_, &next_}) sizes->resize(problem.boundLoads.size());
  loadSizes(problem, solution.impulse, size_);
  copyWithoutLoads(problem, fixed_);
  int iterations = 0, factorizations = 0;
  double best = std::numeric_limits<double>::infinity();
  double first = 0.0;  // the largest size of the first round
  int failures = 0;
  bool found = false;  // a round without infinite numbers
  for (int round = 0; round < kMaxRounds; ++round) {
    setBounds(problem, size_, fixed_);
    tight_->solve(fixed_, solution);
    iterations += solution.iterations;
    factorizations += solution.factorizations;
    loadSizes(problem, solution.impulse, found_);
    const double error = residualOf(problem, solution);
    failures += solution.status == SolveStatus::Solved ? 0 : 1;
    // Rounding may keep the inner solves above their share.
    settled_ = error <= options_.tolerance || (solution.atRounding && error <= 2.0 * solution.residual);
    const double most = *std::max_element(found_.begin(), found_.end());
    if (round == 0) first = most;
    if (error < best && (settled_ || most <= kRunawaySize * first)) {
      best = error;
      found = true;
      std::swap(best_, solution);
      solution.impulse.assign(best_.impulse.begin(), best_.impulse.end());
    }
    if (settled_ || failures > 2 * kMostFailures) break;
    if (failures == kMostFailures && round < kStickRound) round = kStickRound;
    solution.warm = true;
    nextSizes(round);
  }
  if (found) std::swap(best_, solution);
  solution.warm = wasWarm;
  solution.iterations = iterations;
  solution.factorizations = factorizations;
  if (!settled_ && solution.status == SolveStatus::Solved) solution.status = SolveStatus::Stalled;
  solution.residual = best;
}

/// The sizes for the round after `round`: extrapolated and damped in turn; after some cycles from friction
/// without bounds, where a drive that jams has its solution.
void LoadedBounds::nextSizes(int round) {
  if (round == kStickRound) {
    const double most = *std::max_element(found_.begin(), found_.end());
    std::fill(size_.begin(), size_.end(), kStick * std::max(most, 1e-300));
    return;
  }
  const int step = (round < kStickRound ? round : round - kStickRound - 1) % kCycle;
  if (step == 0) accelerator_.reset(size_.size());
  next_.assign(found_.begin(), found_.end());
  if (step < kExtrapolated) accelerator_.extrapolate(size_, next_);
  // A cycle after the first begins with a short step: two points on one side of a kink.
  const bool damped = step >= kExtrapolated || (step == 0 && round > 0);
  for (std::size_t l = 0; l < size_.size(); ++l)
    size_[l] = std::max(0.0, damped ? size_[l] + kDamping * (found_[l] - size_[l]) : next_[l]);
}

}  // namespace grashof
