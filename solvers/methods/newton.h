#pragma once
/// NEWTON-NCP: proximal semismooth Newton on the natural map of the NCP (theory.md, "Newton").

#include "solvers/methods/newton_system.h"
#include "solvers/solver.h"

namespace grashof {

/// Outer loop: proximal point. v_η = v⁺ + η (λ - λ̄)/ρ replaces v⁺ on contacts; the centre λ̄ is the last outer
/// iterate. η bounds the matrix where contacts are redundant. Inner loop: Newton's method on F = λ - P(λ - ρ
/// v_η), joints exact, with a line search on the largest residual. After an inner loop that has converged, η
/// shrinks (so that the outer loop converges superlinearly); after one that has not, the centre is taken
/// again with a larger η, which makes the problem easier.
class Newton : public Solver {
 public:
  /// Reads tolerance, maxIterations, jointProximal, history.
  explicit Newton(const SolverOptions& options) : options_(options) {}

  /// Iterations are Newton steps.
  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  /// A point and its velocities.
  struct Point {
    std::vector<double> impulse, velocity;
    std::vector<Vec6> twist;
  };
  void start(const DualProblem& problem, const Solution& solution);
  void evaluate(const DualProblem& problem, Point& point) const;
  double residual(const DualProblem& problem, const Point& point, double eta) const;
  bool finish(const DualProblem& problem, Solution& solution);
  bool minimize(const DualProblem& problem, double eta, double goal, Solution& solution);
  double move(const DualProblem& problem, double eta, double before);
  void moveTo(double length);

  SolverOptions options_;
  NewtonSystem system_;
  Point point_, trial_, outer_;          // present, of the line search, last outer iterate
  std::vector<double> centre_, change_;  // λ̄; change of the velocities along the direction
  int limit_ = 0;
};

}  // namespace grashof
