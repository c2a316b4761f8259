#pragma once
/// NEWTON-NCP: proximal semismooth Newton on the natural map of the NCP (theory.md, "Newton").

#include "solvers/methods/newton_system.h"
#include "solvers/problem/residual_scale.h"
#include "solvers/solver.h"

namespace grashof {

/// Outer loop: proximal point. v_η = v⁺ + η (λ - λ̄)/ρ replaces v⁺ on contacts; the centre λ̄ is the last outer
/// iterate. η bounds the matrix where contacts are redundant. Inner loop: Newton's method on F = λ - P(λ - ρ
/// v_η), joints exact. After an inner loop that has converged, η shrinks (so that the outer loop converges
/// superlinearly); after one that has not, the outer loop goes on from the better of the two points with a
/// larger η, which makes the problem easier. From then on η shrinks more slowly, and stays where the inner
/// loop takes many steps: there the next smaller one would fail.
class Newton : public Solver {
 public:
  /// Reads tolerance, toleranceKind, maxIterations (at most 300 are made), jointProximal, history.
  explicit Newton(const SolverOptions& options);

  /// Newton steps of one problem, at most.
  void limitIterations(int limit) { limit_ = limit; }

  /// Iterations are Newton steps; none when the warm start solves the problem.
  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  /// A point and its velocities.
  struct Point {
    std::vector<double> impulse, velocity;
    std::vector<Vec6> twist;
  };
  void start(const DualProblem& problem, Solution& solution);
  bool iterate(const DualProblem& problem, Solution& solution);
  void recordIteration(const DualProblem& problem, double eta, Solution& solution) const;
  double firstEta(const DualProblem& problem) const;
  double jointSpeed(const DualProblem& problem, std::span<const double> velocity) const;
  double residual(const DualProblem& problem, double eta) const;
  bool accepts(const DualProblem& problem, Solution& solution);
  bool finish(const DualProblem& problem, Solution& solution);
  bool minimize(const DualProblem& problem, double eta, double goal, double lost, Solution& solution);
  void move(const DualProblem& problem);

  SolverOptions options_;
  NewtonSystem system_;
  ResidualScale units_;
  RoundingFloor floor_;
  Point point_, outer_;               // present, last outer iterate
  std::vector<double> centre_, end_;  // λ̄; v⁺ of a solution
  int limit_;
};

}  // namespace grashof
