#include "solvers/methods/staggered.h"

#include <algorithm>

#include "solvers/problem/stall_monitor.h"

namespace grashof {
namespace {

// The stages are as exact as the pair needs them: this share of its last residual, and of the tolerance at
// last.
constexpr double kStageShare = 0.2;
constexpr double kFirstResidual = 1e-3;  // taken for the residual before the first pair
constexpr int kInnerIterations = 1000;
constexpr double kPairProgress = 0.99;  // of the best residual
constexpr int kStalledPairs = 50;       // pairs without progress that count as stalled

SolverOptions innerOptions(SolverOptions options) {
  options.maxIterations = kInnerIterations;
  options.history = false;
  // Stages are convex problems of one kind of row, and short.
  if (options.acceleration == Acceleration::Default) options.acceleration = Acceleration::Nesterov;
  return options;
}

}  // namespace

Staggered::Staggered(const SolverOptions& options, ContactModel model)
    : options_(options),
      law_(model, options.facets),
      normal_(innerOptions(options), kAdmm),
      friction_(innerOptions(options), kAdmm) {}

void Staggered::solve(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  if (!solution.warm || solution.impulse.size() != rows) solution.impulse.assign(rows, 0.0);
  given_.assign(solution.impulse.begin(), solution.impulse.end());
  velocity_.resize(rows);
  best_.assign(rows, 0.0);
  normal_.restrictContacts(ContactSet::Normal, given_);
  friction_.restrictContacts(law_.model == ContactModel::Pyramid ? ContactSet::Polygon : ContactSet::Disk,
                             given_);
  const ResidualScale units = residualScale(problem, options_.toleranceKind);
  floor_.fit(problem);
  double best = std::numeric_limits<double>::infinity();
  StallMonitor progress(kPairProgress, kStalledPairs, StallMonitor::Reference::Best);
  int factorizations = 0, iteration = 0;
  SolveStatus status = SolveStatus::IterationLimit;
  const bool wasWarm = solution.warm;
  double last = problem.contacts.empty() ? 0.0 : kFirstResidual;  // without contacts one pair is all
  while (status == SolveStatus::IterationLimit && iteration < options_.maxIterations) {
    ++iteration;
    for (Admm* stage : {&normal_, &friction_}) {
      solution.warm = true;
      stage->setTolerance(kStageShare * std::max(options_.tolerance, std::min(last, kFirstResidual)));
      stage->solve(problem, solution);
      factorizations += solution.factorizations;
      std::copy(solution.impulse.begin(), solution.impulse.end(), given_.begin());
    }
    endVelocities(problem, solution.twist, solution.impulse, velocity_);
    const double worst = largestResidual(problem, solution.impulse, velocity_, law_, units);
    progress.observe(worst);
    last = worst;
    if (worst < best) {
      best = worst;
      std::copy(solution.impulse.begin(), solution.impulse.end(), best_.begin());
    }
    if (best <= options_.tolerance) status = SolveStatus::Solved;
    if (progress.stalled()) status = SolveStatus::Stalled;
    if (problem.contacts.empty() && status == SolveStatus::IterationLimit)
      status = SolveStatus::Stalled;  // nothing to stagger
  }
  std::copy(best_.begin(), best_.end(), solution.impulse.begin());
  twistFromImpulse(problem, solution.impulse, solution.twist);
  endVelocities(problem, solution.twist, solution.impulse, velocity_);
  completeDual(problem, velocity_, ContactModel::Ncp, solution);
  solution.warm = wasWarm;
  // Rounding may keep the inner problems above their share of the tolerance, and the pair with them.
  solution.atRounding =
      status != SolveStatus::Solved && floor_.allows(problem, solution.impulse, units, best);
  solution.status = solution.atRounding ? SolveStatus::Solved : status;
  solution.iterations = iteration;
  solution.factorizations = factorizations;
  solution.residual = best;
}

}  // namespace grashof
