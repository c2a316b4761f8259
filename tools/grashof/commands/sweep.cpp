#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/global_control.h>

#include "engine/base/error.h"
#include "engine/results/run_folder.h"
#include "engine/study/driver.h"
#include "engine/study/report.h"
#include "engine/study/study.h"
#include "engine/study/study_file.h"
#include "tools/grashof/cluster/cluster.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/exit_code.h"
#include "tools/grashof/interruption.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/result_name.h"

namespace grashof {
namespace {

using study::Study;
using Json = nlohmann::ordered_json;

struct StudyArguments {
  std::string file, out = "results", design, table = "csv";
  std::vector<std::string> params, measures;
  RunOptions options;
  std::uint64_t runs = 0;
  std::int64_t seed = -1;
  std::size_t jobs = 0;  ///< 0: one a processor
  double taskSeconds = 0.2;
  bool dry = false;
};

study::StudyDefinition definitionOf(const StudyArguments& a) {
  study::StudyDefinition d = study::readStudyFile(a.file);
  // What the command line says comes after what the file says, and counts.
  const std::vector<Override> overrides = overridesOf(a.options);
  d.set.insert(d.set.end(), overrides.begin(), overrides.end());
  d.params.insert(d.params.end(), a.params.begin(), a.params.end());
  d.measures.insert(d.measures.end(), a.measures.begin(), a.measures.end());
  if (!a.design.empty())
    d.design = static_cast<study::Design>(
        std::find(study::designNames().begin(), study::designNames().end(), a.design) -
        study::designNames().begin());
  if (a.runs > 0) d.runs = a.runs;
  if (a.seed >= 0) d.seed = static_cast<std::uint64_t>(a.seed);
  return d;
}

std::string timeText(double seconds) {
  return seconds < 120.0    ? fmt::format("{:.3g} s", seconds)
         : seconds < 7200.0 ? fmt::format("{:.3g} min", seconds / 60.0)
                            : fmt::format("{:.3g} h", seconds / 3600.0);
}

/// Makes a few runs, spread over the study, and says what all would take.
int estimate(Study& study, std::size_t workers, bool json) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const study::Rows none(study.runs(), study.measures().size());
  std::uint64_t made = 0, failed = 0;
  std::size_t bytes = 0;
  for (; made < 5 && made < study.firstPart() && (made < 1 || seconds() < 5.0); ++made) {
    const std::uint64_t run = made * (study.firstPart() - 1) / 4;
    const study::RunRow row = study.make(run, study.point(run, none));
    failed += row.status != study::RunStatus::Ok;
    bytes += packRow(row).size() + 8;
    if (row.status != study::RunStatus::Ok)
      fmt::print(stderr, "grashof: run {} is {}: {}\n", run, statusName(row.status), row.reason);
  }
  const double each = seconds() / static_cast<double>(made), all = each * static_cast<double>(study.runs());
  const double journal =
      static_cast<double>(bytes) / static_cast<double>(made) * static_cast<double>(study.runs());
  if (json) {
    printJson({{"study", study.hash()},
               {"runs", study.runs()},
               {"factors", study.factors().size()},
               {"measures", study.measures().size()},
               {"tried", made},
               {"failed", failed},
               {"seconds_a_run", each},
               {"workers", workers},
               {"seconds", all / static_cast<double>(workers)},
               {"journal_bytes", journal}});
    return kDone;
  }
  fmt::print("{}: {} runs of {} factors and {} measures, design {}\n", study.definition().name, study.runs(),
             study.factors().size(), study.measures().size(),
             study::designNames()[static_cast<std::size_t>(study.design())]);
  for (const study::Factor& f : study.factors())
    fmt::print("  {:<28} {}\n", f.name,
               f.distribution
                   ? f.distribution->text()
                   : fmt::format("{} levels, {} to {}", f.levels.size(), f.levels.front(), f.levels.back()));
  fmt::print("  {} of {} tried runs failed; {:.3g} ms a run: {} on {} worker{}; {:.3g} MB of rows\n", failed,
             made, 1e3 * each, timeText(all / static_cast<double>(workers)), workers, workers == 1 ? "" : "s",
             1e-6 * journal);
  return kDone;
}

Json figuresOf(const study::DriveReport& r, std::size_t workers) {
  return {{"workers", workers},
          {"runs_made", r.made},
          {"seconds", r.seconds},
          {"driver_seconds", r.driverSeconds},
          {"work_seconds", r.workSeconds},
          {"tasks", r.tasks},
          {"task_bytes", r.taskBytes},
          {"result_bytes", r.resultBytes},
          {"workers_lost", r.lost}};
}

/// Makes what is missing, and writes the results of what is there. Returns the exit code.
int makeStudy(const StudyArguments& a, Study& study, study::Farm& farm) {
  const std::string path = a.out + "/" + resultName(a.file);
  RunFolder folder(path);
  folder.hold();
  study::Rows rows(study.runs(), study.measures().size());
  study::Journal journal(path + "/runs.journal", study, rows);
  const std::uint64_t before = rows.count();
  study::DriveReport report;
  {
    const Interruption interruption;
    ProgressBar bar(study.definition().name, !a.options.quiet && !a.options.json, "runs");
    study::DriveOptions options;
    options.taskSeconds = a.taskSeconds;
    options.stop = [] { return !Interruption::name().empty(); };
    options.progress = [&](std::uint64_t done) {
      bar.show(static_cast<double>(done - before) / static_cast<double>(study.runs() - before),
               static_cast<std::int64_t>(done - before));
    };
    report = drive(study, rows, journal, farm, options);
  }
  study.checkUnchanged();
  writeReports(study, rows, path, a.table == "h5");
  if (a.options.json) {
    Json j = Json::parse(reportJson(study, rows));
    j["work"] = figuresOf(report, farm.workers());
    printJson(j);
  } else {
    fmt::print("{}", reportText(study, rows));
    if (report.made > 0)
      fmt::print("  {} run{} in {} on {} workers: {:.4g} runs/s, {:.3g} ms of processor a run\n", report.made,
                 report.made == 1 ? "" : "s", timeText(report.seconds), farm.workers(),
                 static_cast<double>(report.made) / std::max(report.seconds, 1e-9),
                 1e3 * report.workSeconds / static_cast<double>(report.made));
    if (before > 0) fmt::print("  {} runs were there already\n", before);
    if (report.lost > 0) fmt::print("  {} workers ended on the way and were replaced\n", report.lost);
    fmt::print("  results: {}/table.{}, study.json, report.html\n", path, a.table);
  }
  if (!report.complete) {
    fmt::print(stderr, "grashof: {} of {} runs are made (interrupted by {}); the same command goes on\n",
               rows.count(), study.runs(), Interruption::name());
    return Interruption::exitCode();
  }
  for (std::uint64_t run = 0; run < rows.runs(); ++run)
    if (rows.ok(run)) return kDone;
  fmt::print(stderr, "grashof: no run succeeded; the first: {}\n", rows.reason(0));
  return kFailed;
}

int sweep(const StudyArguments& a) {
  // Workers are copies of this process, which therefore has one thread.
  const tbb::global_control single(tbb::global_control::max_allowed_parallelism, 1);
  if (const std::unique_ptr<Cluster> cluster = joinCluster()) {
    if (cluster->rank() > 0) return serveStudies(*cluster);
    Study study(definitionOf(a));
    if (a.dry) return estimate(study, cluster->size() - 1, a.options.json);
    const std::unique_ptr<study::Farm> farm = clusterFarm(*cluster, study.pack());
    return makeStudy(a, study, *farm);
  }
  Study study(definitionOf(a));
  const std::size_t jobs = a.jobs > 0 ? a.jobs : study::availableProcessors();
  if (a.dry) return estimate(study, jobs, a.options.json);
  const std::unique_ptr<study::Farm> farm =
      study::processFarm(jobs, [&](const std::string& task) { return makeRuns(study, task); });
  return makeStudy(a, study, *farm);
}

}  // namespace

Command addSweep(CLI::App& app) {
  const auto a = std::make_shared<StudyArguments>();
  CLI::App& command = *app.add_subcommand(
      "sweep", "many runs of a scenario whose parameters vary: grids, tolerances, sensitivity; one table");
  command.add_option("FILE", a->file, "a scenario, or a study (assets/docs/studies.md)")->required();
  command
      .add_option(
          "--param", a->params,
          "what varies: L=0.1:0.2:11 (from, to, count), L=0.1,0.2, mu~normal(0.4,0.05), or L alone for the "
          "tolerance in the file; a <parameter>, a deviation of a <tolerance>, or the path of an attribute. "
          "Default: all tolerances")
      ->allow_extra_args(false);
  command
      .add_option(
          "--measure", a->measures,
          "what to know of each run: max:joint.crank.reaction, name=rms[0.5..2]:CHANNEL; words: max min peak "
          "range mean rms deviation integral end at time-of-max time-of-min period")
      ->allow_extra_args(false);
  command
      .add_option("--design", a->design, "grid, random, lhs, sobol, indices (of sensitivity) or worst-case")
      ->check(CLI::IsMember(study::designNames()));
  command
      .add_option("--runs", a->runs, "samples; of indices each is as many runs as there are factors, and two")
      ->check(CLI::Range(std::uint64_t{1}, study::kMostRuns));
  command.add_option("--design-seed", a->seed, "of the samples")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53));
  command
      .add_option("-j,--jobs", a->jobs,
                  "worker processes; the table does not depend on it (default: processors)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{4096}));
  command.add_option("-o,--out", a->out, "folder for results; what is there already is not made again")
      ->capture_default_str();
  command.add_option("--table", a->table, "csv or h5")
      ->check(CLI::IsMember({"csv", "h5"}))
      ->capture_default_str();
  command
      .add_option("--task-seconds", a->taskSeconds, "work that a worker gets at once: what is lost with it")
      ->check(finiteBetween(1e-3, 3600.0))
      ->capture_default_str();
  command.add_flag("--dry-run", a->dry, "make a few runs, and say what all would take");
  addRunOptions(command, a->options);
  return {&command, [a] { return sweep(*a); }};
}

}  // namespace grashof
