#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/results/problem_file.h"
#include "engine/scenario/solver_options.h"
#include "solvers/problem/residuals.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/commands/solver_names.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"

namespace grashof {
namespace {

struct SolveArguments {
  std::vector<std::string> files, solvers = {"auto"};
  double tolerance = SolverOptions().tolerance;
  std::string kind = "relative";
  int maxIterations = 20000;
  int repeat = 1;  ///< each problem is solved that often; the time is the least
  bool json = false;
  std::string reactionOut;
  RunOptions set;         ///< of which --set is used
  SolverOptions options;  ///< as it says
};

struct SolveOutcome {
  std::string file, solver, status;
  int iterations = 0, factorizations = 0;
  std::size_t contacts = 0;
  double time = 0.0;
  Residuals residuals;
  bool worseThanNone = false;  ///< Solution::worseThanNone
};

SolveOutcome solveOne(const std::string& file, const DualProblem& problem, const SolverEntry& entry,
                      const SolveArguments& a, Solution& solution) {
  SolverOptions options = a.options;
  options.name = entry.name;
  options.tolerance = a.tolerance;
  options.toleranceKind = a.kind == "absolute" ? ToleranceKind::Absolute : ToleranceKind::Relative;
  options.maxIterations = a.maxIterations;
  SolveOutcome outcome;
  outcome.time = std::numeric_limits<double>::infinity();
  for (int i = 0; i < a.repeat; ++i) {
    const auto solver = makeSolver(options);
    solution = {};
    const auto start = std::chrono::steady_clock::now();
    solver->solve(problem, solution);
    outcome.time = std::min(outcome.time,
                            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  outcome.file = file;
  outcome.solver = entry.name;
  outcome.contacts = problem.contacts.size();
  outcome.iterations = solution.iterations;
  outcome.factorizations = solution.factorizations;
  const ResidualScale scale = residualScale(problem, options.toleranceKind);
  outcome.residuals = measureResiduals(problem, solution.impulse, ContactModel::Ncp, scale);
  // Whatever the solver says of itself: solved is what the independent measures of its model find so.
  SolutionJudge(a.tolerance, options.toleranceKind, entry.law(options), options.regularization)
      .judge(problem, solution);
  outcome.status = solution.status == SolveStatus::IterationLimit ? "limit"
                   : solution.status == SolveStatus::Solved       ? "solved"
                                                                  : "stalled";
  outcome.worseThanNone = solution.worseThanNone;
  return outcome;
}

void print(const std::vector<SolveOutcome>& outcomes) {
  fmt::print("{:<32} {:<13} {:>7} {:>10} {:>7} {:>11} {:>8} {:>9} {:>9} {:>9} {:>11}\n", "file", "solver",
             "status", "iterations", "factor.", "time ms", "contacts", "primal", "dual", "compl.",
             "natural map");
  for (const SolveOutcome& o : outcomes)
    fmt::print("{:<32} {:<13} {:>7} {:>10} {:>7} {:>11.3f} {:>8} {:>9.1e} {:>9.1e} {:>9.1e} {:>11.1e}\n",
               o.file.substr(o.file.find_last_of('/') + 1), o.solver, o.status, o.iterations,
               o.factorizations, 1e3 * o.time, o.contacts, o.residuals.primal, o.residuals.dual,
               o.residuals.complementarity, o.residuals.naturalMap);
  for (const SolveOutcome& o : outcomes)
    if (o.worseThanNone)
      fmt::print("{}, {}: by its own law this is worse than no impulse at all\n",
                 o.file.substr(o.file.find_last_of('/') + 1), o.solver);
}

/// Performance profile (Dolan & Moré 2002): the share of files that each solver solved within τ times the
/// least time that any took.
void printProfile(const std::vector<SolveOutcome>& outcomes, const std::vector<std::string>& solvers) {
  constexpr std::array<double, 5> kFactors = {1.0, 2.0, 5.0, 10.0, 100.0};
  std::map<std::string, double> least;
  for (const SolveOutcome& o : outcomes)
    if (o.status == "solved") {
      const auto at = least.try_emplace(o.file, o.time).first;
      at->second = std::min(at->second, o.time);
    }
  fmt::print("\n{:<13} {:>7} {:>11} {:>9} {:>9}   within a factor of the fastest: 1, 2, 5, 10, 100\n",
             "solver", "solved", "median it.", "factor.", "sum ms");
  for (const std::string& solver : solvers) {
    int files = 0, solved = 0, factorizations = 0;
    double time = 0.0;
    std::vector<int> iterations;
    std::array<int, kFactors.size()> within{};
    for (const SolveOutcome& o : outcomes) {
      if (o.solver != solver) continue;
      ++files;
      time += o.time;
      factorizations += o.factorizations;
      if (o.status != "solved") continue;
      ++solved;
      iterations.push_back(o.iterations);
      for (std::size_t i = 0; i < kFactors.size(); ++i) within[i] += o.time <= kFactors[i] * least[o.file];
    }
    std::sort(iterations.begin(), iterations.end());
    fmt::print("{:<13} {:>3}/{:<3} {:>11} {:>9.1f} {:>9.1f}  ", solver, solved, files,
               iterations.empty() ? 0 : iterations[iterations.size() / 2], double(factorizations) / files,
               1e3 * time);
    for (const int count : within) fmt::print(" {:>3.0f} %", 100.0 * count / files);
    fmt::print("\n");
  }
}

void printOutcomes(const std::vector<SolveOutcome>& outcomes) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const SolveOutcome& o : outcomes)
    all.push_back({{"file", o.file},
                   {"solver", o.solver},
                   {"status", o.status},
                   {"iterations", o.iterations},
                   {"factorizations", o.factorizations},
                   {"time_s", o.time},
                   {"contacts", o.contacts},
                   {"worse_than_none", o.worseThanNone},
                   {"residuals",
                    {{"primal", o.residuals.primal},
                     {"dual", o.residuals.dual},
                     {"complementarity", o.residuals.complementarity},
                     {"natural_map", o.residuals.naturalMap}}}});
  printJson(all);
}

/// The reactions of the contacts in the rows of the file (n, t, o), one number a line.
void writeReaction(const std::string& path, const DualProblem& problem, const Solution& solution) {
  std::ofstream out(path);
  for (const ContactBlock& contact : problem.contacts)
    for (const int row : {2, 0, 1}) fmt::print(out, "{:.17g}\n", solution.impulse[contact.row + row]);
  if (!out.flush()) throw FileError(path, "cannot be written (is the disk full, or the folder missing?)");
}

int solveFiles(const SolveArguments& a) {
  std::vector<const SolverEntry*> entries;
  for (const std::string& name : a.solvers) entries.push_back(&findSolver(name));
  if (!a.reactionOut.empty() && a.files.size() * entries.size() != 1)
    throw InputError("--reaction-out takes the reaction of one file and one solver (give one of each)");
  std::vector<ProblemFile> problems;
  std::vector<Diagnostic> wrong;
  for (const std::string& file : a.files) try {
      problems.push_back(readProblem(file));
    } catch (const InputError& error) {
      wrong.insert(wrong.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  if (!wrong.empty()) throw InputError(wrong);
  std::vector<SolveOutcome> outcomes;
  Solution solution;
  ProgressBar bar("solving", !a.json);
  const auto total = static_cast<double>(a.files.size() * entries.size());
  for (std::size_t i = 0; i < a.files.size(); ++i) {
    for (const std::string& note : problems[i].notes) fmt::print(stderr, "{}: {}\n", a.files[i], note);
    for (const SolverEntry* entry : entries) {
      outcomes.push_back(solveOne(a.files[i], problems[i].problem, *entry, a, solution));
      bar.show(static_cast<double>(outcomes.size()) / total, static_cast<std::int64_t>(outcomes.size()));
    }
  }
  if (!a.reactionOut.empty()) writeReaction(a.reactionOut, problems[0].problem, solution);
  if (a.json) {
    printOutcomes(outcomes);
    return 0;
  }
  print(outcomes);
  if (a.files.size() > 1 && entries.size() > 1) printProfile(outcomes, a.solvers);
  return 0;
}

}  // namespace

Command addSolve(CLI::App& app) {
  const auto a = std::make_shared<SolveArguments>();
  CLI::App& command =
      *app.add_subcommand("solve", "solve contact problems from files and judge the solutions");
  command.add_option("FILE", a->files, "problem files (HDF5, FCLIB layout, local or global form)")
      ->required();
  command.add_option("--solver", a->solvers, "solvers, separated by commas: " + solverNames())
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--tolerance", a->tolerance, "largest primal, dual and complementarity residual")
      ->check(finiteBetween(1e-15, 1.0))
      ->capture_default_str();
  command
      .add_option("--tolerance-kind", a->kind,
                  "unit of tolerance and residuals: relative to the problem's "
                  "speeds and impulses, or absolute in SI")
      ->check(CLI::IsMember({"relative", "absolute"}))
      ->capture_default_str();
  command.add_option("--max-iterations", a->maxIterations, "iterations after which a solver gives up")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  command
      .add_option(
          "--set", a->set.set,
          "PATH=VALUE, an attribute of <solver> (assets/schema.md), as solver.penalty-step=0.1; may be "
          "repeated")
      ->allow_extra_args(false);
  command.add_option("--repeat", a->repeat, "solve each so often and tell the least time")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_option("--reaction-out", a->reactionOut,
                     "write the reaction in the file's own row order, one number a line");
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] {
            a->options = solverOptions(overridesOf(a->set));
            return solveFiles(*a);
          }};
}

}  // namespace grashof
