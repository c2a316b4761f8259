#include <cstdio>
#include <fstream>
#include <sstream>

#include "engine/base/version.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the version is MAJOR.MINOR.PATCH, that of CMakeLists.txt") {
  int major = -1, minor = -1, patch = -1, length = 0;
  REQUIRE(std::sscanf(version(), "%d.%d.%d%n", &major, &minor, &patch, &length) == 3);
  CHECK(version()[length] == '\0');
  std::ostringstream text;
  text << std::ifstream(test::sourceFolder() + "/CMakeLists.txt").rdbuf();
  CHECK(text.str().find(std::string("VERSION ") + version()) != std::string::npos);
}
