#include "solvers/methods/tangent_laws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/problem/regularization.h"
#include "solvers/problem/termination.h"

namespace grashof {
namespace {

constexpr double kLawShare = 0.4;  // of the tolerance, of the inner solves
constexpr int kLawRounds = 40;
constexpr int kFullLawRounds = 12;  // then half steps, for tangents that cycle
constexpr int kPredictSteps = 60;

/// The velocity v = free + w n(v) of one contact alone: Newton's method inside a bracket, for v - w n(v)
/// grows.
double velocityAlone(const NormalLaw& law, double free, double mobility) {
  double low = free, high = std::max(free, law.breakaway());
  double v = low;
  for (int i = 0; i < kPredictSteps && low < high; ++i) {
    const double excess = v - free - mobility * law.impulse(v);
    if (excess == 0.0) return v;
    (excess > 0.0 ? high : low) = v;
    double next = v - excess / (1.0 + mobility * law.slope(v));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == v) return v;
    v = next;
  }
  return v;
}

}  // namespace

std::unique_ptr<Solver> makeForLaws(const SolverEntry& entry, const SolverOptions& options) {
  if (entry.model == ContactModel::Lagged || entry.model == ContactModel::Similar) return entry.make(options);
  return std::make_unique<TangentLaws>(entry, options);
}

TangentLaws::TangentLaws(const SolverEntry& entry, const SolverOptions& options)
    : options_(options), model_(entry.model), plain_(entry.make(options)), entry_(entry) {}

/// Velocities at which the laws are replaced by tangents at first: each contact under its own impulse, with
/// those of the others as the warm start has them.
void TangentLaws::predict(const DualProblem& problem, const Solution& solution) {
  twist_.resize(problem.inertia.size());
  twistFromImpulse(problem, solution.impulse, twist_);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    if (contact.law < 0) continue;
    const double mobility = contactMobility(problem, k)[2];
    const double free = contact.velocity(twist_)[2] - mobility * solution.impulse[contact.row + 2];
    at_[k] = velocityAlone(problem.laws[static_cast<std::size_t>(contact.law)], free, mobility);
  }
}

/// The residual with the laws themselves.
double TangentLaws::residualOf(const DualProblem& problem, const Solution& solution) {
  judged_ = problem;
  setSolutionRows(problem, model_, options_.regularization, solution.twist, solution.impulse, judged_);
  velocity_.resize(solution.impulse.size());
  endVelocities(judged_, solution.twist, solution.impulse, velocity_);
  return largestResidual(judged_, solution.impulse, velocity_, entry_.law(options_),
                         residualScale(problem, options_.toleranceKind));
}

void TangentLaws::solve(const DualProblem& problem, Solution& solution) {
  if (problem.laws.empty()) {
    plain_->solve(problem, solution);
    return;
  }
  if (!tight_) {
    SolverOptions tight = options_;
    tight.tolerance *= kLawShare;
    tight_ = entry_.make(tight);
  }
  const bool wasWarm = solution.warm;
  if (!solution.warm || static_cast<int>(solution.impulse.size()) != problem.rows())
    solution.impulse.assign(static_cast<std::size_t>(problem.rows()), 0.0);
  at_.resize(problem.contacts.size());
  fixed_ = problem;
  predict(problem, solution);
  int iterations = 0, factorizations = 0;
  double best = std::numeric_limits<double>::infinity();
  bool solved = false;
  for (int round = 0; round < kLawRounds && !solved; ++round) {
    fixed_.laws = problem.laws;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      fixed_.contacts[k].law = problem.contacts[k].law;
      if (fixed_.contacts[k].law >= 0) setTangent(at_[k], k, fixed_);
      fixed_.contacts[k].law = -1;
    }
    fixed_.laws.clear();
    tight_->solve(fixed_, solution);
    iterations += solution.iterations;
    factorizations += solution.factorizations;
    const double error = residualOf(problem, solution);
    solved = error <= options_.tolerance;
    const double share = round < kFullLawRounds ? 1.0 : 0.5;
    for (std::size_t k = 0; k < at_.size(); ++k)
      at_[k] += share * (lawVelocity(model_, solution.twist, solution.impulse, k, judged_) - at_[k]);
    if (error < best || round == 0) {
      best = error;
      std::swap(best_, solution);
      solution.impulse.assign(best_.impulse.begin(), best_.impulse.end());
    }
    solution.warm = true;
  }
  std::swap(best_, solution);
  solution.warm = wasWarm;
  solution.iterations = iterations;
  solution.factorizations = factorizations;
  solution.residual = best;
  if (!solved && solution.status == SolveStatus::Solved) solution.status = SolveStatus::Stalled;
}

}  // namespace grashof
