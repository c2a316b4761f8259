#include <unistd.h>

#include "engine/base/error.h"
#include "engine/results/run_folder.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a folder belongs to one run, and who wants it next learns the process that has it") {
  const test::ScratchFolder scratch;
  {
    RunFolder first(scratch.path("out"));
    first.open();
    RunFolder second(scratch.path("out"));
    CHECK_THROWS_WITH_AS(second.open(), doctest::Contains(("process " + std::to_string(getpid())).c_str()),
                         FileError);
    RunFolder(scratch.path("other")).open();
  }
  RunFolder(scratch.path("out")).open();
  CHECK(!std::filesystem::exists(scratch.path("out/run.lock")));
}

TEST_CASE("the lock that a killed run left behind stops nobody") {
  const test::ScratchFolder scratch;
  scratch.write("run.lock", "process 1 on elsewhere\n");
  RunFolder folder(scratch.path());
  folder.open();
  std::ifstream lock(scratch.path("run.lock"));
  std::string owner;
  std::getline(lock, owner);
  CHECK(owner.starts_with("process " + std::to_string(getpid()) + " on "));
}

TEST_CASE("results of an earlier run are removed, other files are not") {
  const test::ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path("problems"));
  const std::vector<std::string> stale = {
      "summary.json", "trajectory.h5", "trajectory.h5.tail", "trajectory.csv",
      "motion.svg",   "view.html",     "problems/step-1.h5", "problems/step-000002.h5.new"};
  const std::vector<std::string> own = {"notes.txt", "plot.svg", "problems/mine.h5",
                                        "problems/step-list.txt"};
  for (const auto& names : {stale, own})
    for (const std::string& name : names) scratch.write(name, "old");
  RunFolder folder(scratch.path());
  folder.open();
  for (const std::string& name : stale) CHECK(!std::filesystem::exists(scratch.path(name)));
  for (const std::string& name : own) CHECK(std::filesystem::exists(scratch.path(name)));
}

TEST_CASE("a link in place of a result is removed, not followed; a folder there is refused") {
  const test::ScratchFolder scratch;
  scratch.write("precious", "data");
  std::filesystem::create_directories(scratch.path("out"));
  std::filesystem::create_symlink(scratch.path("precious"), scratch.path("out/trajectory.h5"));
  RunFolder(scratch.path("out")).open();
  CHECK(!std::filesystem::exists(std::filesystem::symlink_status(scratch.path("out/trajectory.h5"))));
  CHECK(std::filesystem::file_size(scratch.path("precious")) == 4);
  std::filesystem::create_directories(scratch.path("out/summary.json"));
  CHECK_THROWS_WITH_AS(RunFolder(scratch.path("out")).open(), doctest::Contains("is a folder"), FileError);
}
