#include "engine/base/error.h"
#include "engine/results/trajectory_tail.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a tail gives back the records since its last start, bit for bit") {
  const test::ScratchFolder folder;
  const std::string path = folder.path("trajectory.h5");
  CHECK(readTail(path, 2, 10).values.empty());
  TrajectoryTail tail(path, 2);
  const std::vector<double> values = {1.0, 0.1, 2.0, -0.0, 3.0, 1e-310};
  tail.restart(7, values.data(), 1);
  tail.append(values.data() + 2, 2);
  TailRecords read = readTail(path, 2, 10);
  CHECK(read.before == 7);
  CHECK(read.values == values);
  tail.restart(10, nullptr, 0);
  read = readTail(path, 2, 10);
  CHECK(read.before == 10);
  CHECK(read.values.empty());
  tail.remove();
  CHECK(!std::filesystem::exists(path + ".tail"));
}

TEST_CASE("a part of a record at the end is left out, and what is no tail is refused") {
  const test::ScratchFolder folder;
  const std::string path = folder.path("trajectory.h5"), file = path + ".tail";
  TrajectoryTail tail(path, 3);
  const std::vector<double> values(6, 1.5);
  tail.restart(0, values.data(), 2);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  CHECK(readTail(path, 3, 10).values.size() == 3);
  CHECK_THROWS_WITH_AS(readTail(path, 4, 10), doctest::Contains("trajectory.h5.tail"), InputError);
  CHECK_THROWS_AS(readTail(path, 3, 0), InputError);
  folder.write("trajectory.h5.tail", "grashof1");
  CHECK_THROWS_AS(readTail(path, 3, 10), InputError);
}
