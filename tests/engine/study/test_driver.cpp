#include <csignal>

#include <unistd.h>

#include "engine/base/error.h"
#include "engine/study/driver.h"
#include "engine/study/table.h"
#include "tests/support.h"

using namespace grashof;
using study::DriveOptions;
using study::DriveReport;
using study::Rows;
using study::RunStatus;
using study::Study;

namespace {

Study studyIn(const test::ScratchFolder& folder) {
  study::StudyDefinition d;
  d.scenario = folder.write(
      "m.xml", R"(<scenario><options duration="0.02"/><parameter name="m" value="1" tolerance="10%"/>
    <body name="a"><inertial mass="m" inertia="1 1 1"/></body></scenario>)");
  d.measures = {"end:body.a.position.z", "mean:energy.total"};
  d.runs = 60;
  return Study(d);
}

/// The table that `workers` processes make with `work`.
std::string tableOf(const test::ScratchFolder& folder, Study& study, std::size_t workers,
                    const study::Work& work, DriveReport& report) {
  const std::string path = folder.path("runs.journal");
  std::filesystem::remove(path);
  Rows rows(study.runs(), study.measures().size());
  study::Journal journal(path, study, rows);
  const auto farm = study::processFarm(workers, work);
  report = drive(study, rows, journal, *farm, {});
  writeCsv(study, rows, folder.path("table.csv"));
  return test::contentOf(folder.path("table.csv"));
}

}  // namespace

TEST_CASE("the table is the same with one worker, with three, and with workers that are killed") {
  const test::ScratchFolder folder;
  Study study = studyIn(folder);
  const study::Work work = [&](const std::string& task) { return makeRuns(study, task); };
  DriveReport report;
  const std::string one = tableOf(folder, study, 1, work, report);
  CHECK(report.complete);
  CHECK(report.made == 60);
  CHECK(std::count(one.begin(), one.end(), '\n') == 61);
  CHECK(tableOf(folder, study, 3, work, report) == one);
  // Each worker is killed in the midst of the third task that it gets, unless that is a single run given
  // out again, of which no more than three workers may die. The first third tasks are of many runs.
  int tasks = 0;
  const std::size_t single = study::packTask({{0, study.point(0, {})}}).size();
  const study::Work mortal = [&](const std::string& task) {
    if (++tasks == 3 && task.size() > single) std::raise(SIGKILL);
    return makeRuns(study, task);
  };
  CHECK(tableOf(folder, study, 2, mortal, report) == one);
  CHECK(report.lost > 0);
}

TEST_CASE("a run that ends whatever makes it becomes a row that says so, and costs no other") {
  const test::ScratchFolder folder;
  Study study = studyIn(folder);
  const study::Work work = [&](const std::string& task) {
    if (task.find(study::packTask({{17, study.point(17, {})}}).substr(8)) != std::string::npos) {
      std::signal(SIGSEGV, SIG_DFL);  // not that of the tests
      std::raise(SIGSEGV);
    }
    return makeRuns(study, task);
  };
  const std::string path = folder.path("runs.journal");
  Rows rows(study.runs(), study.measures().size());
  study::Journal journal(path, study, rows);
  const auto farm = study::processFarm(2, work);
  const DriveReport report = drive(study, rows, journal, *farm, {});
  CHECK(report.complete);
  for (std::uint64_t run = 0; run < 60; ++run)
    CHECK(rows.status(run) == (run == 17 ? RunStatus::Lost : RunStatus::Ok));
  CHECK(rows.reason(17).find("3 workers ended in it") == 0);
}

TEST_CASE("a study that is stopped goes on from what its journal has") {
  const test::ScratchFolder folder;
  Study study = studyIn(folder);
  const study::Work work = [&](const std::string& task) { return makeRuns(study, task); };
  DriveReport report;
  const std::string whole = tableOf(folder, study, 1, work, report);
  const std::string path = folder.path("part.journal");
  std::uint64_t known = 0;
  for (int part = 0; part < 50; ++part) {
    Rows rows(study.runs(), study.measures().size());
    study::Journal journal(path, study, rows);
    CHECK(rows.count() == known);
    DriveOptions options;
    options.taskSeconds = 1e-3;
    options.stop = [&] { return rows.count() >= known + 10; };
    const auto farm = study::processFarm(1, work);
    const bool complete = drive(study, rows, journal, *farm, options).complete;
    known = rows.count();
    if (!complete) continue;
    writeCsv(study, rows, folder.path("table.csv"));
    CHECK(test::contentOf(folder.path("table.csv")) == whole);
    CHECK(part > 0);
    return;
  }
  FAIL("it never ended");
}

TEST_CASE("workers that all end at once are an error, no endless loop") {
  const test::ScratchFolder folder;
  Study study = studyIn(folder);
  Rows rows(study.runs(), study.measures().size());
  study::Journal journal(folder.path("runs.journal"), study, rows);
  const auto farm = study::processFarm(2, [](const std::string&) -> std::string { _exit(3); });
  CHECK_THROWS_WITH_AS(drive(study, rows, journal, *farm, {}), doctest::Contains("ended with code 3"), Error);
}
