#pragma once
/// Intervals whose bounds depend on other impulses: friction of bearings and guides, threads, gears, ropes on
/// drums, rolling and torsional friction (theory.md, "Friction that depends on a load").

#include <memory>
#include <vector>

#include "solvers/methods/acceleration.h"
#include "solvers/problem/residual_scale.h"
#include "solvers/solver.h"

namespace grashof {

/// Makes any solver one for problems with bound loads. It solves with the bounds that loads of the sizes x
/// make, which is a problem of the usual kind, and seeks the fixed point x = G(x), where G(x) are the sizes
/// in that solution, by Anderson's iteration [Walker 2011]. Problems without bound loads go straight to the
/// solver. Existence and uniqueness are those of load-dependent friction: a drive that jams has a solution
/// with friction inside its bounds: if the iteration does not settle, it restarts with all rows sticking.
/// Where there is none, as for a prescribed motion against a drive that locks itself, the result is
/// the round with the least error, and the status says so.
class LoadedBounds : public Solver {
 public:
  /// `entry`: the solver to use, with `options`.
  LoadedBounds(const SolverEntry& entry, const SolverOptions& options);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  void nextSizes(int round);
  double residualOf(const DualProblem& problem, const Solution& solution);

  SolverOptions options_;
  const SolverEntry& entry_;
  std::unique_ptr<Solver> plain_, tight_;  // tight_: made for the first problem with loads
  DualProblem fixed_, judged_;
  Solution best_;
  bool settled_ = true;  // the last problem
  std::vector<double> size_, found_, next_, velocity_;
  Accelerator accelerator_{Acceleration::Anderson};
};

}  // namespace grashof
