#include "engine/dynamics/rows/soft_law.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

constexpr double kNoSlope = 1e-12;  // of 1/D: laws flatter than this are explicit to rounding
// A damper that the step does not resolve multiplies the speed that it takes by -(1 - θ)/θ = -2/3 per step;
// θ = 1 would take the speed at once.
constexpr double kMaxDamperShare = 0.6;

bool isMidpoint(const StepContext& step) { return step.timeToRows() > 0.0; }

}  // namespace

double springShare(double stiffness, double delassus, const StepContext& step) {
  if (!isMidpoint(step)) return 1.0;
  const double ratio = stiffness * delassus * step.timestep * step.timestep / 16.0;
  const double s = ratio * ratio;
  return 0.5 + 0.5 * (s < 1.0 ? s / (1.0 + s) : 1.0 / (1.0 + 1.0 / s));
}

double decayShare(double damping, double delassus, const StepContext& step) {
  if (!isMidpoint(step)) return 1.0;
  const double a = damping * delassus * step.timestep;
  if (a < 1e-3) return 0.5 + a / 12.0;  // the next term is a³/720
  return 1.0 / -std::expm1(-a) - 1.0 / a;
}

double damperShare(double damping, double delassus, const StepContext& step) {
  const double share = decayShare(damping, delassus, step);
  return isMidpoint(step) ? std::min(share, kMaxDamperShare) : share;
}

SpringWeights springWeights(double share, const StepContext& step) {
  if (!isMidpoint(step)) return {0.0, step.timestep};
  const double w = 0.5 * step.timestep * share;  // x⁺ - x⁻ = Δt/2 (v⁻ + v⁺)
  return {w, w};
}

void applyImpulse(double impulse, std::span<const RowTerm> row, DualProblem& problem) {
  for (const RowTerm& t : row)
    problem.freeTwist[t.body] += problem.inertia[t.body].solve(impulse * t.jacobian);
}

SplitImpulse addSplitRow(const LinearLaw& law, std::span<const RowTerm> row, double rateBefore,
                         DualProblem& problem) {
  SplitImpulse split;
  const double d = delassusOf(problem, row);
  const double whole = 1.0 + law.slope * d;
  split.applied = -(law.offset + law.slope * rateBefore) / whole;
  if (law.slope * d > kNoSlope)
    split.row = addBlockRow(row, (law.offset * d - rateBefore) / whole, 1.0 / law.slope, problem);
  applyImpulse(split.applied, row, problem);
  return split;
}

SplitImpulse addSplitRow(const LinearLaw& law, int base, int follower, const JointRow& row, double rateBefore,
                         DualProblem& problem) {
  const std::array<RowTerm, 2> terms = {RowTerm{base, row.base}, RowTerm{follower, row.follower}};
  return addSplitRow(law, std::span(terms).subspan(base >= 0 ? 0 : 1), rateBefore, problem);
}

double rowRate(std::span<const RowTerm> row, std::span<const Vec6> twists) {
  double rate = 0.0;
  for (const RowTerm& t : row) rate += t.jacobian.dot(twists[t.body]);
  return rate;
}

double rowRate(int base, int follower, const JointRow& row, std::span<const Vec6> twists) {
  double rate = row.follower.dot(twists[follower]);
  if (base >= 0) rate += row.base.dot(twists[base]);
  return rate;
}

}  // namespace grashof
