#pragma once
/// Runs a random mechanism and judges the run by what holds for every mechanism.

#include <cstdint>
#include <string>

#include "tests/fuzz/random_mechanism.h"

namespace grashof::fuzz {

enum class Verdict {
  Passed,
  Refused,   ///< it cannot be built or assembled, and an Error says so
  Diverged,  ///< the run says that it cannot go on
  Failed     ///< something that must hold does not
};

struct Judgement {
  Verdict verdict = Verdict::Passed;
  std::string reason;    ///< one line; empty: passed
  int steps = 0;         ///< that were made
  int unsolved = 0;      ///< steps of which the solver says that it did not solve them
  bool refined = false;  ///< it was run once more with smaller steps
};

/// Number of the step at which runs of `steps` steps begin: half of them come before the step that forgets,
/// see Simulator::kForgetSteps.
std::int64_t firstStep(int steps);

/// Runs `mechanism`, made for firstStep(steps), for `steps` steps. Judged are:
/// - errors: only those of engine/base/error.h that an input can cause, and only before the first step;
/// - all numbers finite, at every step, also loads of joints at the end;
/// - residuals of joints, after every step with projection: 1e-9 of max(1 m, size of the mechanism), 1e-6 of
///   it where the start is singular; not where prescribed motions ask for what the joints exclude, where
///   closedTo() finds no poses nearby either, or after a step whose problem stayed above a residual of 1e-3;
/// - solutions: with the status Solved, measures apart from the solvers find ten times the tolerance kept,
///   for the problem as a whole or in islands;
/// - energy, until a step is unsolved or coordinates jump: where more than a share of the energy exchanged
///   appears from nowhere, less of it appears with steps of 1/8, 1/64 or 1/512;
/// - momentum: of isolated mechanisms, until something is deep in a limit, the linear one to 1e-6; the
/// angular
///   one as energy;
/// - bits: the same with one thread and with `threads`, and after a restoration.
Judgement judge(const Mechanism& mechanism, int steps, int threads);

}  // namespace grashof::fuzz
