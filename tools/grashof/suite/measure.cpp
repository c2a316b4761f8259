#include "tools/grashof/suite/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "solvers/solver.h"

namespace grashof {
namespace {

constexpr double kShort = 2e-3;  // s: solves below are repeated
constexpr int kRepeats = 3;
constexpr double kBeyond = 1e30;  // stands for infinite and not-a-number, which JSON has not

double number(double x) { return std::isfinite(x) ? x : kBeyond; }

Residuals judged(const DualProblem& problem, std::span<const double> impulse) {
  const Residuals r = measureResiduals(problem, impulse);
  return {number(r.primal), number(r.dual), number(r.complementarity), number(r.naturalMap)};
}

SolverOptions optionsOf(const std::string& solver, int iterations) {
  SolverOptions options;
  options.name = solver;
  options.tolerance = kAsked;
  options.maxIterations = iterations;
  return options;
}

}  // namespace

Measurement measure(const Sample& sample, NextConfiguration& next, const std::string& solver, bool warm,
                    int iterations) {
  using Clock = std::chrono::steady_clock;
  Measurement m;
  m.solver = solver;
  m.warm = warm;
  Solution solution;
  for (int i = 0; i < kRepeats && (i == 0 || m.seconds < kShort); ++i) {
    const auto fresh = makeSolver(optionsOf(solver, iterations));
    solution = {};
    solution.warm = warm;
    if (warm) solution.impulse = sample.warm;
    const auto start = Clock::now();
    fresh->solve(sample.problem, solution);
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    m.seconds = i == 0 ? took : std::min(m.seconds, took);
  }
  m.iterations = solution.iterations;
  m.factorizations = solution.factorizations;
  m.residuals = judged(sample.problem, solution.impulse);
  const Violation v = next.after(sample.place, sample.problem, solution.impulse);
  m.violation = {number(v.joints), number(v.limits), number(v.contacts)};
  const ResidualScale scale = residualScale(sample.problem, ToleranceKind::Relative);
  m.accuracy = number(measureResiduals(sample.problem, solution.impulse, ContactModel::Ncp, scale).judged());
  m.solved = m.accuracy <= kAsked;
  return m;
}

std::vector<Progression> progressionOf(const Sample& sample, const std::string& solver, int iterations) {
  std::vector<Progression> curve;
  for (int decade = 1; decade <= iterations; decade *= 10)
    for (const int factor : {1, 2, 5}) {
      if (decade * factor > iterations) break;
      Solution solution;
      makeSolver(optionsOf(solver, decade * factor))->solve(sample.problem, solution);
      curve.push_back({solver, 0, decade * factor, judged(sample.problem, solution.impulse).naturalMap});
      if (solution.iterations < decade * factor) return curve;  // done before
    }
  return curve;
}

}  // namespace grashof
