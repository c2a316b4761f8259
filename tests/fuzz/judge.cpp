#include "tests/fuzz/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "engine/analysis/mobility.h"
#include "engine/dynamics/simulator.h"
#include "engine/model/mechanism_size.h"
#include "engine/model/model_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/fuzz/closure.h"
#include "tests/fuzz/islands.h"
#include "tests/momentum.h"

namespace grashof::fuzz {
namespace {

// m, rad, of a mechanism of up to 1 m: hundred times the default tolerance of the projection.
constexpr double kJointResidual = 1e-9;
// The same where joints leave motions of the first order that those of the second order forbid: there
// Newton's method has no inverse to go by, and the run says how far the joints are off.
constexpr double kSingularResidual = 1e-6;
// Residuals are relative to the speeds and impulses of an island, and a solver chooses its islands: contacts
// that stay open may be in them or not. All of it as one is tried, too; one must do, to this factor of the
// tolerance.
constexpr double kToleranceFactor = 10.0;
// Linear momentum: of the sum of m |v|, or of the largest impulse if that is larger. Impulses act on two
// bodies with opposite signs; what is left is what solvers, whose tolerance is 1e-8, leave in the twists.
constexpr double kLinearMomentum = 1e-6;
// Joint rows hold at the poses of the rows, so that angular momentum and energy are kept to the order of the
// integrator. Errors of this share are too large for rounding, and small enough to be found early.
constexpr double kAngularMomentum = 1e-3;
constexpr double kEnergyGain = 0.05;
constexpr double kLeastGain = kEnergyGain * 1e-6;  // J
// What comes of the length of the step shrinks with it: at first order to 1/8, of stiff springs only once the
// steps resolve them. A source of energy in the code, such as work that is counted twice or with the wrong
// sign, gives the same at any step.
constexpr std::array kRefinements = {8, 64, 512};
constexpr double kShrunk = 0.5;
constexpr double kDeep = 1e-3;      // m, rad: what is deeper in a limit is taken back by displacements
constexpr double kSingular = 0.05;  // of singular values: rates of motions that nearly exclude each other
constexpr double kAstray = 1e-3;    // residual of a step's problem from which its motion is anything

bool isFinite(const State& state) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::all_of(
             state.poses.begin(), state.poses.end(),
             [](const Pose& p) { return p.position.allFinite() && p.rotation.coeffs().allFinite(); }) &&
         std::all_of(state.twists.begin(), state.twists.end(), [](const Vec6& u) { return u.allFinite(); }) &&
         std::all_of(state.coordinates.begin(), state.coordinates.end(), finite);
}

/// Whether joints and couplings let the prescribed motions have any rates at the start. If not, no poses fit
/// both, and a run goes on with what remains open until it counts as divergence.
bool canFollow(const Model& model, const State& start) {
  std::vector<std::size_t> driven;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i)
      if (model.joints[j].coordinates[i].actuator.kind == Actuator::Kind::Motion)
        driven.push_back(static_cast<std::size_t>(model.coordinateStart[j]) + i);
  if (driven.empty()) return true;
  const Mobility mobility = analyseMobility(model, start.poses, start.coordinates);
  if (mobility.modes.size() < driven.size() || mobility.nearby < mobility.mobility()) return false;
  Eigen::MatrixXd rates(driven.size(), mobility.modes.size());
  for (std::size_t d = 0; d < driven.size(); ++d)
    for (std::size_t m = 0; m < mobility.modes.size(); ++m)
      rates(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(m)) = mobility.modes[m].rates[driven[d]];
  const Eigen::VectorXd values = rates.jacobiSvd().singularValues();
  return values.minCoeff() > kSingular * values.maxCoeff();
}

double residualOf(const Model& model, const State& start) {
  const Mobility mobility = analyseMobility(model, start.poses, start.coordinates);
  return mobility.nearby < mobility.mobility() ? kSingularResidual : kJointResidual;
}

/// A run, and the largest errors in it.
struct Run {
  State end;
  std::vector<double> memory;  // archive before the step that forgets; empty: it was not reached
  std::optional<Divergence> divergence;
  std::string failure;
  int made = 0, unsolved = 0;
  double gained = 0.0;                         // J, the most in the run
  double gain = 0.0;                           // of energy, over what was exchanged
  double impulse = 0.0;                        // N·s, N·m·s, the largest of any row
  double linearSize = 0.0, angularSize = 0.0;  // the largest of momenta
  double linear = 0.0, angular = 0.0;          // errors of momenta, over their sizes
};

/// Judges single steps.
class StepJudge {
 public:
  StepJudge(const Model& model, const State& start, bool isolated)
      : model_(model),
        closes_(model.step.projection && canFollow(model, start)),
        law_(findSolver(model.solver.name).model),
        largestResidual_(residualOf(model, start) * std::max(1.0, mechanismSize(model))),
        isolated_(isolated) {}

  void start(const Simulator& simulator) { before_ = test::momentumOf(simulator); }

  /// Empty: nothing is wrong with the last step.
  std::string failureOf(const Simulator& s) {
    const StepReport& report = s.report();
    if (!isFinite(s.state()) || !std::isfinite(report.energy.total()) || !std::isfinite(s.energyDrift()) ||
        std::isnan(report.jointResidual))
      return "a number is not finite, and the run goes on";
    closes_ = closes_ && report.solverResidual <= kAstray;
    if (closes_ && !(report.jointResidual <= largestResidual_) && canFollow(model_, s.state())) {
      const double possible = closedTo(model_, s.state());
      if (possible <= largestResidual_)
        return fmt::format("joint residual {:.3g}, allowed are {:.3g}, possible {:.3g}", report.jointResidual,
                           largestResidual_, possible);
      closes_ = false;
    }
    return solutionFailure(s);
  }

  void observe(const Simulator& s, Run& run) {
    // Over what the whole run exchanged: in its first steps both are of second order in the step's length.
    run.gained = std::max(run.gained, s.energyDrift());
    run.gain = run.gained > kLeastGain ? s.relativeEnergy(run.gained) : 0.0;
    // What is deep in a limit is displaced without a velocity, which changes the arms of momenta.
    displaced_ = displaced_ || std::max(s.report().limitViolation, s.report().penetration) > kDeep;
    if (!isolated_ || displaced_) return;
    const test::Momentum moved = test::momentumOf(s);
    for (const double impulse : s.solution().impulse) run.impulse = std::max(run.impulse, std::abs(impulse));
    // Over the largest sizes of the run: what swings has hardly any where it turns round.
    run.linearSize = std::max({run.linearSize, before_.linearSize, moved.linearSize, run.impulse, 1e-12});
    run.angularSize = std::max({run.angularSize, before_.angularSize, moved.angularSize, run.impulse, 1e-12});
    run.linear = std::max(run.linear, (moved.linear - before_.linear).norm() / run.linearSize);
    run.angular = std::max(run.angular, (moved.angular - before_.angular).norm() / run.angularSize);
  }

 private:
  std::string solutionFailure(const Simulator& s) {
    const StepReport& report = s.report();
    if (report.status != SolveStatus::Solved || report.atRounding) return {};
    const DualProblem& problem = s.problem();
    const std::span<const double> impulse = s.solution().impulse;
    const double pressing = std::max(measured(impulse, islandsOf(problem, impulse)), closing(s, problem));
    const double found =
        std::min({measured(impulse, {wholeOf(problem)}), measured(impulse, islandsOf(problem)), pressing});
    const SolverOptions& options = model_.solver;
    if (found <= kToleranceFactor * options.tolerance) return {};
    return fmt::format("{} says solved to {:.3g}, measured are {:.3g}", options.name, report.solverResidual,
                       found);
  }

  /// The largest residual of any island.
  double measured(std::span<const double> impulse, const std::vector<Island>& islands) {
    double worst = 0.0;
    for (const Island& island : islands) {
      const DualProblem& problem = island.problem;
      if (problem.rows() == problem.jointRows) continue;  // linear: joints are measured by themselves
      std::vector<double> own;
      for (const int row : island.rows) own.push_back(impulse[static_cast<std::size_t>(row)]);
      const Residuals found =
          measure_.measure(problem, own, law_, residualScale(problem, model_.solver.toleranceKind), false);
      worst = std::max(worst, found.judged());
    }
    return worst;
  }

  /// How fast contacts without an impulse close, of the speeds of the problem.
  double closing(const Simulator& s, const DualProblem& problem) const {
    double worst = 0.0;
    for (const ContactBlock& contact : problem.contacts) {
      if (s.solution().impulse[static_cast<std::size_t>(contact.row + 2)] > 0.0) continue;
      const Vec3 v = contact.velocity(s.solution().twist) + Vec3(&problem.bias[contact.row]);
      const double least = law_ == ContactModel::Ccp ? contact.friction * v.head<2>().norm() : 0.0;
      worst = std::max(worst, least - v[2]);
    }
    const ResidualScale scale = residualScale(problem, model_.solver.toleranceKind);
    return scale.relative ? worst / scale.velocity : worst;
  }

  const Model& model_;
  bool closes_;  // joints can, and must: not after a step that was far from solved
  ContactModel law_;
  double largestResidual_;
  bool isolated_, displaced_ = false;
  test::Momentum before_;
  ResidualMeasure measure_;
};

/// Runs `model` from `start` for `steps` steps. Steps that the solver did not solve, and coordinates that
/// jump, end what is said about energy and momentum.
Run runOf(const std::shared_ptr<const Model>& model, const State& start, int steps, bool isolated,
          bool judged, int threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  Run run;
  Simulator simulator(model, start);
  StepJudge judge(*model, simulator.state(), isolated);
  judge.start(simulator);
  bool jumped = false;
  while (run.made < steps) {
    if (simulator.state().step == Simulator::kForgetSteps) {
      (void)simulator.loads();
      Archive saving(run.memory);
      simulator.archive(saving);
    }
    const StepReport& report = simulator.step();
    if (simulator.diverged()) break;
    ++run.made;
    if (report.status != SolveStatus::Solved) ++run.unsolved;
    if (judged) run.failure = judge.failureOf(simulator);
    if (!run.failure.empty()) {
      run.failure += fmt::format(" (step {})", run.made);
      break;
    }
    jumped = jumped || report.jumpedJoint >= 0 || report.jumpedBushing >= 0;
    if (run.unsolved == 0 && !jumped) judge.observe(simulator, run);
  }
  run.divergence = simulator.diverged();
  run.end = simulator.state();
  for (std::size_t j = 0; j < model->joints.size() && !run.divergence; ++j)
    if (!simulator.jointReaction(static_cast<int>(j)).allFinite() && run.failure.empty())
      run.failure = fmt::format("the load of joint {} is not finite", j);
  return run;
}

/// The run over the same time with steps `factor` times shorter.
Run refined(const Mechanism& m, State start, int steps, int factor) {
  ModelBuilder builder(*m.model);
  builder.options().timestep /= factor;
  start.step *= factor;
  return runOf(builder.build(), start, factor * steps, m.isolated, false, 1);
}

/// Empty, or what is wrong with the sums of the run. Runs again with shorter steps where an error may come of
/// their length.
std::string balanceFailure(const Mechanism& m, const State& start, int steps, const Run& run,
                           Judgement& judgement) {
  if (run.linear > kLinearMomentum)
    return fmt::format("linear momentum changes by {:.3g} of its size", run.linear);
  const auto bad = [](double error, double allowed, double before) {
    return error > allowed && error > kShrunk * before;
  };
  constexpr double kAny = 0.0;
  if (!bad(run.gain, kEnergyGain, kAny) && !bad(run.angular, kAngularMomentum, kAny)) return {};
  judgement.refined = true;
  std::string failure;
  for (const int factor : kRefinements) {
    const Run fine = refined(m, start, steps, factor);
    if (fine.divergence || fine.unsolved > 0) return {};  // that is said, and no balance
    if (bad(fine.gain, kEnergyGain, run.gain))
      failure = fmt::format("energy appears: {:.3g} of what was exchanged, {:.3g} with steps of 1/{}",
                            run.gain, fine.gain, factor);
    else if (bad(fine.angular, kAngularMomentum, run.angular))
      failure = fmt::format("angular momentum changes by {:.3g} of its size, {:.3g} with steps of 1/{}",
                            run.angular, fine.angular, factor);
    else
      return {};
  }
  return failure;
}

bool sameEnd(const Run& a, const Run& b) {
  return a.end == b.end && a.divergence.has_value() == b.divergence.has_value();
}

/// Whether a simulator that has made some steps, and then restores what `run` saved, ends as `run` did.
bool sameRestored(const Mechanism& m, const State& start, int steps, const Run& run) {
  if (run.memory.empty()) return true;
  Simulator simulator(m.model, start);
  for (int i = 0; i < 3; ++i) simulator.step();  // so that there is something to forget
  Archive restoring{std::span<const double>(run.memory)};
  simulator.archive(restoring);
  restoring.finish();
  const std::int64_t last = start.step + steps;
  while (simulator.state().step < last && !simulator.diverged()) simulator.step();
  return simulator.state() == run.end && simulator.diverged().has_value() == run.divergence.has_value();
}

Judgement judged(const Mechanism& m, int steps, int threads) {
  Judgement judgement;
  const auto end = [&](Verdict verdict, const std::string& reason) {
    judgement.verdict = verdict;
    judgement.reason = reason;
    return judgement;
  };
  if (!m.model) return end(Verdict::Refused, m.refusal);
  State start;
  try {
    start = startOf(*m.model, firstStep(steps));
    const Simulator fits(m.model, start);
  } catch (const AssemblyError& error) {
    return end(Verdict::Refused, error.what());
  }
  const Run run = runOf(m.model, start, steps, m.isolated, true, threads);
  judgement.steps = run.made;
  judgement.unsolved = run.unsolved;
  if (!run.failure.empty()) return end(Verdict::Failed, run.failure);
  if (!sameEnd(run, runOf(m.model, start, steps, false, false, 1)))
    return end(Verdict::Failed, fmt::format("other bits with {} threads than with one", threads));
  if (!sameRestored(m, start, steps, run)) return end(Verdict::Failed, "other bits after a restoration");
  if (run.divergence) return end(Verdict::Diverged, run.divergence->reason);
  const std::string balance = balanceFailure(m, start, steps, run, judgement);
  return end(balance.empty() ? Verdict::Passed : Verdict::Failed, balance);
}

}  // namespace

std::int64_t firstStep(int steps) { return std::max<std::int64_t>(Simulator::kForgetSteps - steps / 2, 0); }

Judgement judge(const Mechanism& mechanism, int steps, int threads) {
  try {
    return judged(mechanism, steps, threads);
  } catch (const std::exception& error) {  // also a CallError: nobody here breaks a contract
    Judgement failed;
    failed.verdict = Verdict::Failed;
    failed.reason = fmt::format("throws: {}", error.what());
    return failed;
  }
}

}  // namespace grashof::fuzz
