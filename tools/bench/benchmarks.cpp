/// Kernels, factorizations, solvers and whole steps, with Google Benchmark. Compare lines of one run.

#include <chrono>
#include <filesystem>

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include "engine/analysis/assembly.h"
#include "engine/dynamics/rows/step_context.h"
#include "engine/dynamics/simulator.h"
#include "engine/results/recorder.h"
#include "engine/results/run_folder.h"
#include "engine/scenario/scenario.h"
#include "solvers/linear/kkt_system.h"
#include "solvers/methods/island_solver.h"
#include "solvers/solver.h"
#include "tools/bench/element_scenes.h"
#include "tools/bench/problems.h"

namespace {

using namespace grashof;

/// One numeric factorization, contacts condensed or as rows of their own.
void factorize(benchmark::State& state, const DualProblem& problem, ContactRows rows) {
  KktSystem kkt(rows);
  kkt.analyze(problem);
  const std::vector<double> weights(problem.rows() - problem.jointRows, 10.0);
  while (state.KeepRunning()) benchmark::DoNotOptimize(kkt.factorize(problem, weights, 1e-11));
  state.counters["blocks"] = kkt.fillBlocks();
}

void solveFactorized(benchmark::State& state, const DualProblem& problem) {
  KktSystem kkt;
  kkt.analyze(problem);
  const std::vector<double> weights(problem.rows() - problem.jointRows, 10.0);
  kkt.factorize(problem, weights, 1e-11);
  std::vector<Vec6> body(problem.bodies(), Vec6::Ones());
  std::vector<double> rows(problem.rows(), 1.0);
  while (state.KeepRunning()) {
    kkt.solve(problem, body, rows);
    benchmark::DoNotOptimize(rows.data());
  }
}

void solveProblem(benchmark::State& state, const DualProblem& problem, const std::string& name, bool warm) {
  SolverOptions options;
  options.name = name;
  const auto solver = makeSolver(options);
  Solution solution;
  solver->solve(problem, solution);
  solution.warm = warm;
  while (state.KeepRunning()) solver->solve(problem, solution);
  state.counters["iterations"] = solution.iterations;
  state.counters["factorizations"] = solution.factorizations;
}

/// Mechanisms side by side, solved apart on so many threads; 0: as one problem.
void solveIslands(benchmark::State& state, const DualProblem& problem, const std::string& name, int threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::max(threads, 1));
  SolverOptions options;
  options.name = name;
  const std::unique_ptr<Solver> solver =
      threads == 0 ? makeSolver(options) : std::make_unique<IslandSolver>(options);
  Solution solution;
  while (state.KeepRunning()) solver->solve(problem, solution);
  state.counters["iterations"] = solution.iterations;
  state.counters["factorizations"] = solution.factorizations;
}

/// The same solver's work by the dense Delassus matrix: as many factorizations and solves, D formed once.
void solveDense(benchmark::State& state, const DualProblem& problem, bool warm) {
  SolverOptions options;
  options.name = "ADMM";
  Solution solution;
  const auto solver = makeSolver(options);
  solver->solve(problem, solution);
  solution.warm = warm;
  if (warm) solver->solve(problem, solution);
  while (state.KeepRunning()) {
    bench::DenseDelassus dense(problem);
    for (int i = 0; i < solution.factorizations; ++i) dense.factorize(0.1);
    for (int i = 0; i < solution.iterations; ++i) dense.solve();
    benchmark::DoNotOptimize(dense.result());
  }
  state.counters["iterations"] = solution.iterations;
  state.counters["factorizations"] = solution.factorizations;
}

void step(benchmark::State& state, const Scenario& scenario) {
  Simulator simulator(steppedByImpulses(scenario.model), startState(*scenario.model));
  while (simulator.state().time < 0.5) simulator.step();
  while (state.KeepRunning()) simulator.step();
}

/// What it costs a second of a run that its records are on the disk once a second. Time: of writing them out,
/// with the recorder's memory for a checkpoint. Counters: its share of that second, the steps in it.
void keepRecords(benchmark::State& state, Scenario scenario) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point t) {
    return std::chrono::duration<double>(Clock::now() - t).count();
  };
  RunFolder folder((std::filesystem::temp_directory_path() / "grashof-benchmark").string());
  folder.open();
  scenario.output.trajectory = true;
  Simulator simulator(scenario.model, startState(*scenario.model));
  Recorder recorder(scenario, folder.path());
  const std::int64_t interval = scenario.output.stepsPerRecord(scenario.model->step.timestep);
  double kept = 0.0, all = 0.0;
  std::int64_t steps = 0;
  while (state.KeepRunning()) {
    const Clock::time_point start = Clock::now();
    while (since(start) < 1.0) {
      simulator.step();
      if (++steps % interval == 0) recorder.record(simulator);
    }
    std::vector<double> memory;
    const Clock::time_point end = Clock::now();
    recorder.save(memory);
    const double seconds = since(end);
    state.SetIterationTime(seconds);
    kept += seconds;
    all += since(start);
  }
  state.counters["share"] = kept / all;
  state.counters["steps"] = static_cast<double>(steps) / static_cast<double>(state.iterations());
}

/// A folder of results is made, locked, cleared and let go: once a run.
void ownFolder(benchmark::State& state) {
  const std::string path = (std::filesystem::temp_directory_path() / "grashof-benchmark").string();
  while (state.KeepRunning()) RunFolder(path).open();
}

void registerAll() {
  using benchmark::RegisterBenchmark;
  static std::vector<DualProblem> problems;
  problems.reserve(16);
  const auto add = [&](const std::string& name, DualProblem p) {
    problems.push_back(std::move(p));
    const DualProblem& q = problems.back();
    RegisterBenchmark(("factorize/condensed/" + name).c_str(), factorize, q, ContactRows::Condensed);
    RegisterBenchmark(("factorize/explicit/" + name).c_str(), factorize, q, ContactRows::Explicit);
    RegisterBenchmark(("solve/" + name).c_str(), solveFactorized, q);
    if (q.contacts.empty()) return;
    RegisterBenchmark(("solver/ADMM/warm/" + name).c_str(), solveProblem, q, "ADMM", true);
    RegisterBenchmark(("solver/ADMM/cold/" + name).c_str(), solveProblem, q, "ADMM", false);
    RegisterBenchmark(("solver/NEWTON-NCP/warm/" + name).c_str(), solveProblem, q, "NEWTON-NCP", true);
    RegisterBenchmark(("solver/NEWTON-NCP/cold/" + name).c_str(), solveProblem, q, "NEWTON-NCP", false);
    RegisterBenchmark(("solver/IPM-NCP/" + name).c_str(), solveProblem, q, "IPM-NCP", false);
    RegisterBenchmark(("solver/dense/warm/" + name).c_str(), solveDense, q, true);
    RegisterBenchmark(("solver/dense/cold/" + name).c_str(), solveDense, q, false);
  };
  add("tree54+loops+20contacts", bench::largestSystem());
  add("stack10", bench::cubeStack(10, 1.0));
  add("stack15-ratio1e4", bench::cubeStack(15, 1e4));
  add("chain100", bench::chain(100));
  problems.push_back(bench::copies(bench::largestSystem(), 8));
  for (const char* solver : {"ADMM", "NEWTON-NCP", "IPM-NCP"}) {
    const std::string name = std::string("islands/") + solver + "/8x tree54+loops+20contacts";
    const char* const ways[] = {"one problem", "apart", "apart, two threads"};
    for (int threads = 0; threads < 3; ++threads)
      RegisterBenchmark((name + ", " + ways[threads]).c_str(), solveIslands, problems.back(), solver, threads)
          ->UseRealTime();
  }
  for (const char* name : {"fourbar-fixed", "heavy-chain", "scissor-lift", "ten-cube-stack", "jansen-walker"})
    for (const char* solver : {"auto", "ADMM"})
      RegisterBenchmark((std::string("step/") + name + "/" + solver).c_str(), [=](benchmark::State& state) {
        step(state, readScenario(std::string(GRASHOF_SOURCE_DIR) + "/assets/scenarios/" + name + ".xml",
                                 {{"solver.name", solver}}));
      });
  RegisterBenchmark("results/kept for a second/jansen-walker", keepRecords,
                    readScenario(GRASHOF_SOURCE_DIR "/assets/scenarios/jansen-walker.xml"))
      ->UseManualTime()
      ->Iterations(10)
      ->Unit(benchmark::kMillisecond);
  RegisterBenchmark("results/folder", ownFolder);
  for (const bench::ElementScene& scene : bench::elementScenes())
    RegisterBenchmark(("elements/" + scene.name).c_str(), [scene](benchmark::State& state) {
      step(state, parseScenario(scene.xml, scene.name));
    });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  registerAll();
  benchmark::RunSpecifiedBenchmarks();
}
