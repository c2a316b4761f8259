#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/instruction_set.h"
#include "engine/base/sha256.h"
#include "engine/base/version.h"
#include "engine/study/bytes.h"
#include "tools/grashof/cluster/cluster.h"
#include "tools/grashof/commands/bench.h"
#include "tools/grashof/commands/solver_names.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/result_name.h"
#include "tools/grashof/suite/report.h"
#include "tools/grashof/suite/store.h"
#include "tools/grashof/temporary_folder.h"

namespace grashof {
namespace {

struct SuiteArguments {
  std::string preset = "small";      ///< small: minutes; full: all of it
  std::vector<std::string> systems;  ///< scenario files; empty: the preset's, in `folder`
  std::vector<std::string> solvers;  ///< empty: the preset's
  std::vector<double> timesteps;     ///< s; empty: the preset's
  std::string folder = "assets/suite";
  std::string out = "results/suite";
  int samples = 0;  ///< a system and time step; 0: the preset's
  int iterations = 2000;
  double budget = 0.0;  ///< minutes after which it stops, to go on another time; 0: none
  bool quiet = false;
};

/// The systems of the report, in its order, and those of other papers.
constexpr const char* kSystems[] = {"box-on-plane", "boxes-fixed",  "nunchuk",        "fourbar-fixed",
                                    "fourbar-free", "arm7d",        "quadruped",      "bdx",
                                    "lima",         "misha",        "walker",         "gazelle",
                                    "ironman",      "stack15-hit",  "light-on-heavy", "clutter",
                                    "conveyor",     "steel-sphere", "painleve-rod",   "quadruped-bumpy",
                                    "hand"};
constexpr std::size_t kOfTheReport = 13;
constexpr const char* kSmallSolvers[] = {"auto",    "ADMM",    "ADMM-NCP-SA", "ADMM-NCP-LA", "ADMM-CCP",
                                         "IPM-NCP", "PGS-NCP", "PGS-CCP",     "NBGS",        "RAISIM-DS"};
constexpr double kSmallDuration = 2.0, kFullDuration = 10.0;  // s
constexpr int kSmallSamples = 12, kFullSamples = 20;

SuitePlan planOf(const SuiteArguments& a) {
  const bool full = a.preset == "full";
  SuitePlan plan;
  plan.systems = a.systems;
  if (plan.systems.empty())
    for (const char* name : std::span(kSystems).first(full ? std::size(kSystems) : kOfTheReport))
      plan.systems.push_back(fmt::format("{}/{}.xml", a.folder, name));
  plan.solvers = a.solvers;
  if (plan.solvers.empty() && full)
    for (const SolverEntry& entry : solverRegistry()) plan.solvers.emplace_back(entry.name);
  if (plan.solvers.empty()) plan.solvers.assign(std::begin(kSmallSolvers), std::end(kSmallSolvers));
  for (const std::string& solver : plan.solvers) findSolver(solver);
  plan.timesteps = a.timesteps;
  if (plan.timesteps.empty()) plan.timesteps = full ? std::vector{1e-3, 4e-3} : std::vector{1e-3};
  plan.samples = a.samples > 0 ? a.samples : full ? kFullSamples : kSmallSamples;
  plan.duration = full ? kFullDuration : kSmallDuration;
  plan.iterations = a.iterations;
  return plan;
}

/// Measures one solver on all samples of a unit.
void measureSolver(const SuitePlan& plan, const std::string& solver, const std::vector<Sample>& samples,
                   SuiteUnit& unit) {
  if (samples.empty()) return;
  NextConfiguration next(samples.front().model);
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (const bool warm : {false, true}) {
      unit.measurements.push_back(measure(samples[i], next, solver, warm, plan.iterations));
      unit.measurements.back().sample = static_cast<int>(i);
    }
  // Convergence curves of the middle sample: one a unit is enough to see how a solver goes.
  const std::size_t middle = samples.size() / 2;
  for (Progression point : progressionOf(samples[middle], solver, plan.iterations)) {
    point.sample = static_cast<int>(middle);
    unit.progressions.push_back(point);
  }
}

/// Runs a unit's system for samples, and keeps what they are unless the store has it.
std::vector<Sample> takeSamplesOf(const SuitePlan& plan, const SuiteStore& store, const Scenario& scenario,
                                  SuiteUnit& unit) {
  RunInfo run;
  std::vector<Sample> samples;
  takeSamples(scenario, unit.timestep, std::min(plan.duration, scenario.duration), plan.samples, run,
              samples);
  if (unit.run.steps == 0) {
    unit.run = run;
    for (const Sample& sample : samples) unit.samples.push_back(sample.info);
    store.writeSamples(unit);
  }
  return samples;
}

/// Measures one solver on the samples of a unit, for the store. Returns what is new.
SuiteUnit measureFor(const SuitePlan& plan, const SuiteStore& store, const std::string& solver,
                     const std::vector<Sample>& samples, const SuiteUnit& unit) {
  SuiteUnit part;
  part.system = unit.system;
  part.timestep = unit.timestep;
  measureSolver(plan, solver, samples, part);
  store.writeSolver(solver, part);
  return part;
}

SuiteUnit unitOf(const SuitePlan& plan, std::size_t system, std::size_t timestep) {
  SuiteUnit unit;
  unit.system = resultName(plan.systems.at(system));
  unit.timestep = plan.timesteps.at(timestep);
  return unit;
}

/// Measures what the store lacks, one piece of work after the other.
class SuiteRun {
 public:
  SuiteRun(const SuiteArguments& a, const SuitePlan& plan)
      : plan_(plan), budget_(60.0 * a.budget), store_(a.out, plan), bar_("suite", !a.quiet, "parts") {}

  std::size_t pieces() const {
    return plan_.systems.size() * plan_.timesteps.size() * (plan_.solvers.size() + 1);
  }
  std::size_t missing() const { return missing_; }  ///< pieces for which no time was left
  /// Measurements of solvers that are there already.
  std::size_t kept() const {
    std::size_t count = 0;
    for (std::size_t s = 0; s < plan_.systems.size(); ++s)
      for (std::size_t t = 0; t < plan_.timesteps.size(); ++t)
        for (const std::string& solver : plan_.solvers)
          count += store_.has(SuiteStore::solverFile(unitOf(plan_, s, t), solver)) ? 1 : 0;
    return count;
  }
  const SuiteStore& store() const { return store_; }

  /// All that is known of one system at one time step in the end; nothing when no time was left for its run.
  std::optional<SuiteUnit> measureUnit(const std::string& file, const Scenario& scenario, double timestep) {
    SuiteUnit unit;
    unit.system = resultName(file);
    unit.timestep = timestep;
    std::optional<std::vector<Sample>> samples;
    if (!store_.readSamples(unit)) {
      if (late()) {
        missing_ += plan_.solvers.size() + 1;
        return std::nullopt;
      }
      samples = takeSamplesOf(plan_, store_, scenario, unit);
    }
    pieceDone();
    for (const std::string& solver : plan_.solvers) {
      if (!store_.readSolver(solver, unit)) {
        if (late()) {
          ++missing_;
          continue;
        }
        // Taken again when only a solver is missing: a run is deterministic, and its problems need not be
        // kept.
        if (!samples) samples = takeSamplesOf(plan_, store_, scenario, unit);
        const SuiteUnit part = measureFor(plan_, store_, solver, *samples, unit);
        unit.measurements.insert(unit.measurements.end(), part.measurements.begin(), part.measurements.end());
        unit.progressions.insert(unit.progressions.end(), part.progressions.begin(), part.progressions.end());
      }
      pieceDone();
    }
    return unit;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool late() const {
    return budget_ > 0.0 && std::chrono::duration<double>(Clock::now() - start_).count() > budget_;
  }
  void pieceDone() {
    ++done_;
    bar_.show(static_cast<double>(done_) / static_cast<double>(pieces()), static_cast<std::int64_t>(done_));
  }
  const SuitePlan& plan_;
  double budget_;  ///< s; 0: none
  SuiteStore store_;
  ProgressBar bar_;
  Clock::time_point start_ = Clock::now();
  std::size_t done_ = 0, missing_ = 0;
};

/// What ranks of a cluster measure: solvers on units, each for a store of its own, whose files are the
/// results.
class SuiteWorker {
 public:
  SuiteWorker(const SuitePlan& plan, const std::vector<Scenario>& scenarios)
      : plan_(plan), scenarios_(scenarios), store_(folder_.path(), plan) {}

  std::string make(const std::string& task) {
    study::ByteReader in(task);
    const std::uint64_t system = in.number(), timestep = in.number(), solver = in.number();
    const SuiteUnit unit = unitOf(plan_, system, timestep);
    if (unit.name() != unit_.name()) {
      unit_ = unit;
      samples_ = takeSamplesOf(plan_, store_, scenarios_.at(system), unit_);
    }
    (void)measureFor(plan_, store_, plan_.solvers.at(solver), samples_, unit_);
    study::ByteWriter out;
    for (const std::string& name :
         {SuiteStore::samplesFile(unit), SuiteStore::solverFile(unit, plan_.solvers[solver])}) {
      out.text(name);
      out.text(readInputFile(folder_.path() + "/" + name, std::uintmax_t{1} << 30, "a part of the suite"));
    }
    return out.bytes();
  }

 private:
  const SuitePlan& plan_;
  const std::vector<Scenario>& scenarios_;
  TemporaryFolder folder_;
  SuiteStore store_;
  SuiteUnit unit_;
  std::vector<Sample> samples_;  // of the unit of the task before
};

/// Lets the other ranks measure what the store lacks.
void measureOn(Cluster& cluster, const std::string& hash, const SuitePlan& plan, const SuiteStore& store) {
  std::vector<std::string> tasks;
  for (std::size_t s = 0; s < plan.systems.size(); ++s)
    for (std::size_t t = 0; t < plan.timesteps.size(); ++t)
      for (std::size_t k = 0; k < plan.solvers.size(); ++k) {
        const SuiteUnit unit = unitOf(plan, s, t);
        if (store.has(SuiteStore::samplesFile(unit)) &&
            store.has(SuiteStore::solverFile(unit, plan.solvers[k])))
          continue;
        study::ByteWriter task;
        for (const std::size_t number : {s, t, k}) task.number(number);
        tasks.push_back(task.bytes());
      }
  const std::unique_ptr<study::Farm> farm = clusterFarm(cluster, hash);
  std::size_t given = 0, done = 0;
  while (done < tasks.size()) {
    for (; farm->wantsTask() && given < tasks.size(); ++given) farm->give(given, tasks[given]);
    for (const study::Outcome& outcome : farm->collect(1.0)) {
      study::ByteReader in(outcome.result);
      while (!in.done()) {
        const std::string name = in.text(), text = in.text();
        if (!store.has(name)) store.writeText(name, text);
      }
      ++done;
    }
  }
}

/// Of the systems with all their files: ranks whose files or instructions differ would measure something
/// else.
std::string hashOf(const std::vector<Scenario>& systems) {
  std::string all = version();
  all += useAvx2() ? "avx2" : "portable";
  for (const Scenario& system : systems)
    for (const std::string& file : system.files)
      all += sha256(readInputFile(file, std::uintmax_t{256} << 20, "a file of the suite"));
  return sha256(all);
}

int serveSuite(Cluster& cluster, const SuitePlan& plan, const std::vector<Scenario>& scenarios) {
  SuiteWorker worker(plan, scenarios);
  return serve(cluster, [&](const std::string& hash) -> study::Work {
    if (hash != hashOf(scenarios))
      throw InputError("its program or files of the suite are others than those of rank 0");
    return [&](const std::string& task) { return worker.make(task); };
  });
}

std::string statementsText(const SuitePlan& plan, const std::vector<SuiteUnit>& units) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Finding& f : judgeStatements(plan, units))
    all.push_back({{"statement", f.statement},
                   {"source", f.source},
                   {"verdict", verdictName(f.verdict)},
                   {"evidence", f.evidence},
                   {"criterion", f.criterion},
                   {"refuted_by", f.refuted},
                   {"difference", f.difference}});
  return jsonText(all);
}

/// Measures what is missing and writes the results of all that is there. Returns the exit code.
int benchSuite(const SuiteArguments& a) {
  const std::unique_ptr<Cluster> cluster = joinCluster();
  const SuitePlan plan = planOf(a);
  std::vector<Scenario> scenarios;
  for (const std::string& file : plan.systems) scenarios.push_back(readScenario(file));
  if (cluster && cluster->rank() > 0) return serveSuite(*cluster, plan, scenarios);
  SuiteRun run(a, plan);
  const std::size_t kept = run.kept();
  if (cluster) measureOn(*cluster, hashOf(scenarios), plan, run.store());
  std::vector<SuiteUnit> units;
  for (std::size_t s = 0; s < scenarios.size(); ++s)
    for (const double timestep : plan.timesteps)
      if (auto unit = run.measureUnit(plan.systems[s], scenarios[s], timestep))
        units.push_back(std::move(*unit));
  run.store().writeResults(plan, units);
  const SuiteReport report(plan, units);
  run.store().writeText("report.html", report.html());
  run.store().writeText("RESULTS.md", report.markdown());
  run.store().writeText("statements.json", statementsText(plan, units));
  if (run.missing() > 0)
    fmt::print("{} of {} pieces are still to be measured: the same command goes on with them\n",
               run.missing(), run.pieces());
  if (kept > 0)
    fmt::print(
        "{} of {} measurements are kept from an earlier run; a solver or program that has changed takes "
        "another --out\n",
        kept, plan.systems.size() * plan.timesteps.size() * plan.solvers.size());
  fmt::print("{}/report.html: tables and plots; RESULTS.md, results.json, results.h5 and CSV beside it\n",
             a.out);
  return 0;
}

}  // namespace

Command addSuite(CLI::App& bench) {
  const auto a = std::make_shared<SuiteArguments>();
  CLI::App& command = *bench.add_subcommand(
      "suite", "the benchmark suite: systems, solvers and time steps, judged by the report's measures");
  command
      .add_option("--preset", a->preset,
                  "small: some minutes; full: two time steps, all solvers, ten seconds")
      ->check(CLI::IsMember({"small", "full"}))
      ->capture_default_str();
  command
      .add_option("--systems", a->systems,
                  "scenario files, separated by commas (default: those of the suite)")
      ->delimiter(',');
  command
      .add_option("--solvers", a->solvers, "separated by commas (default: the preset's): " + solverNames())
      ->delimiter(',');
  command.add_option("--timesteps", a->timesteps, "s, separated by commas (default: the preset's)")
      ->delimiter(',')
      ->check(finiteBetween(1e-9, 1.0));
  command.add_option("--samples", a->samples, "problems taken from each run (default: the preset's)")
      ->check(CLI::Range(1, 100000));
  command.add_option("--max-iterations", a->iterations, "iterations after which a solver gives up")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  command
      .add_option("--budget", a->budget,
                  "minutes after which it stops; the same command goes on (default: none)")
      ->check(positiveFinite());
  command.add_option("--suite", a->folder, "folder of the suite's systems")->capture_default_str();
  command.add_option("-o,--out", a->out, "folder for results; what is there already is not measured again")
      ->capture_default_str();
  command.add_flag("-q,--quiet", a->quiet, "no progress bar");
  return {&command, [a] { return benchSuite(*a); }};
}

}  // namespace grashof
