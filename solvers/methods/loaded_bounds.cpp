#include "solvers/methods/loaded_bounds.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/termination.h"

namespace grashof {
namespace {

// Shares of the tolerance that the inner solves and the mismatch of the bounds may use: together below one.
constexpr double kSolveShare = 0.4;
constexpr double kMismatchShare = 0.4;
constexpr int kMaxRounds = 60;
constexpr int kDampedFrom =
    20;  // rounds after which steps are halved: G may jump where a row begins to slide

SolverOptions tightened(SolverOptions options) {
  options.tolerance *= kSolveShare;
  return options;
}

}  // namespace

LoadedBounds::LoadedBounds(const SolverEntry& entry, const SolverOptions& options)
    : options_(options), entry_(entry), plain_(entry.make(options)) {}

/// Largest difference of a bound between the sizes assumed and those found, in the unit of the tolerance.
double LoadedBounds::mismatch(const DualProblem& problem, const Solution& solution) const {
  const ResidualScale scale = residualScale(fixed_, options_.toleranceKind);
  const double impulse = scale.relative ? impulseSize(fixed_, solution.impulse, scale) : 1.0;
  double worst = 0.0;
  for (const IntervalRow& row : problem.intervals) {
    double lower = 0.0, upper = 0.0;
    for (int l = row.firstLoad; l < row.firstLoad + row.loads; ++l) {
      const auto i = static_cast<std::size_t>(l);
      lower += problem.boundLoads[i].lowerShare * (found_[i] - size_[i]);
      upper += problem.boundLoads[i].upperShare * (found_[i] - size_[i]);
    }
    const double unit = scale.relative && isRotational(problem, row) ? scale.length : 1.0;
    worst = std::max(worst, std::max(std::abs(lower), std::abs(upper)) / (impulse * unit));
  }
  return worst;
}

void LoadedBounds::solve(const DualProblem& problem, Solution& solution) {
  if (problem.boundLoads.empty()) {
    plain_->solve(problem, solution);
    return;
  }
  if (!tight_) tight_ = entry_.make(tightened(options_));
  const bool wasWarm = solution.warm;
  if (!solution.warm || static_cast<int>(solution.impulse.size()) != problem.rows())
    solution.impulse.assign(static_cast<std::size_t>(problem.rows()), 0.0);
  for (std::vector<double>* sizes : {&size_, &found_, &next_}) sizes->resize(problem.boundLoads.size());
  loadSizes(problem, solution.impulse, size_);
  accelerator_.reset(size_.size());
  int iterations = 0, factorizations = 0;
  double error = 0.0;
  for (int round = 0; round < kMaxRounds; ++round) {
    fixBounds(problem, size_, fixed_);
    tight_->solve(fixed_, solution);
    iterations += solution.iterations;
    factorizations += solution.factorizations;
    solution.warm = true;
    loadSizes(problem, solution.impulse, found_);
    error = mismatch(problem, solution);
    if (!(error > kMismatchShare * options_.tolerance)) break;
    next_.assign(found_.begin(), found_.end());
    accelerator_.extrapolate(size_, next_);
    for (std::size_t l = 0; l < size_.size(); ++l) {
      const double next = std::max(0.0, next_[l]);
      size_[l] = round < kDampedFrom ? next : 0.5 * (size_[l] + found_[l]);
    }
  }
  solution.warm = wasWarm;
  solution.iterations = iterations;
  solution.factorizations = factorizations;
  solution.residual = std::max(solution.residual, error);
  if (!(solution.residual <= options_.tolerance) && !solution.atRounding &&
      solution.status == SolveStatus::Solved)
    solution.status = SolveStatus::Stalled;
}

}  // namespace grashof
