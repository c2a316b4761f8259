#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/drive.h"
#include "solvers/problem/residuals.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/commands/solver_names.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/progress.h"

namespace grashof {
namespace {

struct CompareArguments {
  std::vector<std::string> files, solvers;
  RunOptions options;
};

/// One scenario through one solver.
struct Row {
  std::string scenario, solver;
  std::int64_t steps = 0, solved = 0;
  double solveTime = 0.0, stepTime = 0.0;  // s, whole run
  double iterations = 0.0, maxIterations = 0.0;
  Residuals worst;  // of the NCP, by the independent measures, over all steps; unit of the tolerance
  double jointResidual = 0.0, penetration = 0.0, drift = 0.0;
  std::string diverged;
};

Row runOne(const Scenario& scenario, bool quiet) {
  Row row;
  row.scenario = scenario.name;
  row.solver = scenario.model->solver.name;
  const auto model = steppedByImpulses(scenario.model);  // solvers have problems in such steps alone
  Simulator simulator(model, startState(*model));
  simulator.timeStages(true);
  const std::int64_t steps = scenario.steps();
  ResidualMeasure measure;
  double drift = 0.0;  // largest so far, J
  ProgressBar bar(scenario.name + " " + row.solver, !quiet);
  const DriveCounts made = drive(simulator, steps, [&](const Simulator& s, const DriveCounts& soFar) {
    const StepReport& report = s.report();
    row.iterations += report.iterations;
    row.maxIterations = std::max<double>(row.maxIterations, report.iterations);
    const DualProblem& problem = s.problem();
    const Residuals r = measure.measure(problem, s.solution().impulse, ContactModel::Ncp,
                                        residualScale(problem, scenario.model->solver.toleranceKind));
    row.worst.primal = std::max(row.worst.primal, r.primal);
    row.worst.dual = std::max(row.worst.dual, r.dual);
    row.worst.complementarity = std::max(row.worst.complementarity, r.complementarity);
    row.worst.naturalMap = std::max(row.worst.naturalMap, r.naturalMap);
    drift = std::max(drift, std::abs(s.energyDrift()));
    row.drift = s.relativeEnergy(drift);
    bar.show(static_cast<double>(soFar.steps) / static_cast<double>(steps), soFar.steps);
    return true;
  });
  if (simulator.diverged()) row.diverged = simulator.diverged()->reason;
  row.steps = made.steps;
  row.solved = made.steps - made.unsolved;
  row.jointResidual = made.jointResidual;
  row.penetration = made.penetration;
  row.iterations /= static_cast<double>(std::max<std::int64_t>(row.steps, 1));
  row.solveTime = simulator.times().solve;
  row.stepTime = simulator.times().total();
  return row;
}

void print(const std::vector<Row>& rows) {
  std::string last;
  for (const Row& r : rows) {
    if (r.scenario != last)
      fmt::print("{}{}\n  {:<13} {:>9} {:>9} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
                 last.empty() ? "" : "\n", r.scenario, "solver", "us/solve", "us/step", "iter.", "most",
                 "solved %", "primal", "dual", "compl.", "joints", "penetr.", "drift %");
    last = r.scenario;
    const double n = static_cast<double>(std::max<std::int64_t>(r.steps, 1));
    fmt::print(
        "  {:<13} {:>9.2f} {:>9.2f} {:>8.2f} {:>8.0f} {:>8.1f} {:>9.1e} {:>9.1e} {:>9.1e} {:>9.1e} {:>9.1e} "
        "{:>9.2g}\n",
        r.solver, 1e6 * r.solveTime / n, 1e6 * r.stepTime / n, r.iterations, r.maxIterations,
        100.0 * static_cast<double>(r.solved) / n, r.worst.primal, r.worst.dual, r.worst.complementarity,
        r.jointResidual, r.penetration, 100.0 * r.drift);
    if (!r.diverged.empty()) fmt::print("    stopped after {} steps: {}\n", r.steps, r.diverged);
  }
}

void printRows(const std::vector<Row>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Row& r : rows)
    all.push_back({{"scenario", r.scenario},
                   {"solver", r.solver},
                   {"steps", r.steps},
                   {"solved", r.solved},
                   {"solve_time_s", r.solveTime},
                   {"step_time_s", r.stepTime},
                   {"mean_iterations", r.iterations},
                   {"max_iterations", r.maxIterations},
                   {"residuals",
                    {{"primal", r.worst.primal},
                     {"dual", r.worst.dual},
                     {"complementarity", r.worst.complementarity},
                     {"natural_map", r.worst.naturalMap}}},
                   {"max_joint_residual", r.jointResidual},
                   {"max_penetration", r.penetration},
                   {"max_relative_drift", r.drift},
                   {"diverged", !r.diverged.empty()}});
  printJson(all);
}

int compareSolvers(const CompareArguments& a) {
  std::vector<Scenario> scenarios;
  std::vector<Diagnostic> wrong;
  for (const std::string& solver : a.solvers) findSolver(solver);
  for (const std::string& file : a.files)
    for (const std::string& solver : a.solvers) {
      std::vector<Override> overrides = overridesOf(a.options);
      overrides.push_back({"solver.name", solver});
      try {
        scenarios.push_back(readScenario(file, overrides));
      } catch (const InputError& error) {
        wrong.insert(wrong.end(), error.diagnostics().begin(), error.diagnostics().end());
        break;
      }
    }
  if (!wrong.empty()) throw InputError(wrong);
  std::vector<Row> rows;
  rows.reserve(scenarios.size());
  for (const Scenario& scenario : scenarios)
    rows.push_back(runOne(scenario, a.options.quiet || a.options.json));
  a.options.json ? printRows(rows) : print(rows);
  return 0;
}

}  // namespace

Command addCompare(CLI::App& app) {
  const auto a = std::make_shared<CompareArguments>();
  CLI::App& command =
      *app.add_subcommand("compare", "the same scenarios through several solvers, side by side");
  command.add_option("SCENARIO", a->files, "scenario files (assets/schema.md)")->required();
  command.add_option("--solvers", a->solvers, "separated by commas: " + solverNames())
      ->delimiter(',')
      ->required();
  addRunOptions(command, a->options);
  return {&command, [a] { return compareSolvers(*a); }};
}

}  // namespace grashof
