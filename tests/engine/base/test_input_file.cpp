#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a file is read to its last byte, also one with zeros in it") {
  const test::ScratchFolder folder;
  const std::string text("a\0b\n", 4);
  CHECK(readInputFile(folder.write("a", text), 4, "text") == text);
  CHECK(readInputFile(folder.write("empty", ""), 4, "text").empty());
}

TEST_CASE("pipes, devices, folders and files beyond the size are refused, saying what is needed") {
  const test::ScratchFolder folder;
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  for (const std::string& path :
       {folder.path("pipe"), folder.path(), folder.path("missing"), std::string("/dev/zero")}) {
    CAPTURE(path);
    CHECK_THROWS_WITH_AS(readInputFile(path, 100, "a table"), doctest::Contains("needs a table"), InputError);
  }
  CHECK_THROWS_WITH_AS(checkInputFile(folder.write("long", "12345"), 4, "a table"),
                       doctest::Contains("larger than"), InputError);
}
