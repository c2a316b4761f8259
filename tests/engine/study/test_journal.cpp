#include <csignal>

#include <sys/resource.h>

#include "engine/base/error.h"
#include "engine/study/journal.h"
#include "tests/support.h"

using namespace grashof;
using study::Journal;
using study::packRow;
using study::Rows;
using study::RunStatus;

namespace {

study::Study journalledStudy(const test::ScratchFolder& folder, const std::string& level = "1,2") {
  study::StudyDefinition d;
  d.scenario = folder.write(
      "m.xml", "<scenario><body name='a'><inertial mass='1' inertia='1 1 1'/></body></scenario>");
  d.params = {"body[a].inertial.mass=" + level + ",3,4,5"};
  d.measures = {"max:residual.joint"};
  return study::Study(d);
}

}  // namespace

TEST_CASE("whatever is cut off the end of a journal, the rows before are read and new ones follow them") {
  const test::ScratchFolder folder;
  const study::Study study = journalledStudy(folder);
  const std::string path = folder.path("runs.journal");
  {
    Rows rows(study.runs(), 1);
    Journal journal(path, study, rows);
    for (std::uint64_t run = 0; run < 3; ++run) journal.append({packRow({run, RunStatus::Ok, {0.5}, {}})});
  }
  const std::string whole = test::contentOf(path);
  std::uint64_t most = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    folder.write("runs.journal", whole.substr(0, size));
    CAPTURE(size);
    {
      Rows rows(study.runs(), 1);
      Journal journal(path, study, rows);
      CHECK(rows.count() >= most);
      most = rows.count();
      journal.append({packRow({3, RunStatus::Diverged, {}, "why"})});
    }
    Rows again(study.runs(), 1);
    const Journal journal(path, study, again);
    CHECK(again.count() == most + 1);
    CHECK(again.reason(3) == "why");
  }
  CHECK(most == 3);
}

TEST_CASE("a byte that flips ends what is read; a journal of another study is refused") {
  const test::ScratchFolder folder;
  const study::Study study = journalledStudy(folder);
  const std::string path = folder.path("runs.journal");
  Rows rows(study.runs(), 1);
  Journal(path, study, rows)
      .append({packRow({0, RunStatus::Ok, {0.5}, {}}), packRow({1, RunStatus::Ok, {0.5}, {}})});
  std::string bytes = test::contentOf(path);
  bytes[bytes.size() - 12] = static_cast<char>(bytes[bytes.size() - 12] ^ 1);
  folder.write("runs.journal", bytes);
  Rows less(study.runs(), 1);
  { const Journal journal(path, study, less); }
  CHECK(less.count() == 1);
  const study::Study other = journalledStudy(folder, "1,2.5");
  Rows none(other.runs(), 1);
  CHECK_THROWS_WITH_AS(Journal(path, other, none), doctest::Contains("another study"), InputError);
}

TEST_CASE("a full disk is an error that keeps the rows before") {
  const test::ScratchFolder folder;
  const study::Study study = journalledStudy(folder);
  const std::string path = folder.path("runs.journal");
  Rows rows(study.runs(), 1);
  Journal journal(path, study, rows);
  journal.append({packRow({0, RunStatus::Ok, {0.5}, {}})});
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{journal.bytes() + 20, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  CHECK_THROWS_WITH_AS(journal.append({packRow({1, RunStatus::Ok, {0.5}, {}})}),
                       doctest::Contains("the same command goes on"), FileError);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  journal.append({packRow({2, RunStatus::Ok, {0.5}, {}})});
  Rows again(study.runs(), 1);
  const Journal reread(path, study, again);
  CHECK(again.has(0));
  CHECK_FALSE(again.has(1));
  CHECK(again.has(2));
}
