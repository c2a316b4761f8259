#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a file is replaced whole, and nothing is left beside it") {
  const test::ScratchFolder folder;
  saveText(folder.path("a.txt"), std::string("first\0line\n", 11));
  CHECK(test::contentOf(folder.path("a.txt")).size() == 11);
  saveText(folder.path("a.txt"), "second");
  CHECK(test::contentOf(folder.path("a.txt")) == "second");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a link is written through, so that what it names is the file") {
  const test::ScratchFolder folder;
  std::filesystem::create_symlink(folder.path("target"), folder.path("link"));
  saveText(folder.path("link"), "text");
  CHECK(test::contentOf(folder.path("target")) == "text");
}

TEST_CASE("what cannot be written is a file error with its path, and the old file stays") {
  const test::ScratchFolder folder;
  CHECK_THROWS_WITH_AS(saveText(folder.path("missing/a.txt"), "x"), doctest::Contains("missing/a.txt"),
                       FileError);
  std::filesystem::create_directories(folder.path("folder/inside"));
  CHECK_THROWS_AS(saveText(folder.path("folder"), "x"), FileError);
  CHECK(std::filesystem::is_directory(folder.path("folder/inside")));
  CHECK_THROWS_AS(makeFolder(folder.write("file", "") + "/below"), FileError);
  folder.write("fresh", "new");
  CHECK_THROWS_AS(replaceFile(folder.path("fresh"), folder.path("folder")), FileError);
  CHECK(!std::filesystem::exists(folder.path("fresh")));
  if (std::filesystem::exists("/dev/full")) CHECK_THROWS_AS(saveText("/dev/full", "x"), FileError);
}
