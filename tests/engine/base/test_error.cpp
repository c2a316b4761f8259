#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a diagnostic says file, line and element as far as they are known") {
  CHECK(Diagnostic{"a.xml", 12, "body[crank]", "mass is -1 (greater than 0)"}.text() ==
        "a.xml:12: body[crank]: mass is -1 (greater than 0)");
  CHECK(Diagnostic{"a.stl", 0, "mesh", "holds no triangle"}.text() == "a.stl: mesh: holds no triangle");
  CHECK(Diagnostic{{}, 0, {}, "wrong"}.text() == "wrong");
}

TEST_CASE("an input error holds every defect, one per line") {
  const InputError error(
      std::vector<Diagnostic>{{"a.xml", 1, "body", "first"}, {"a.xml", 2, "joint", "second"}});
  CHECK(std::string(error.what()) == "a.xml:1: body: first\na.xml:2: joint: second");
  REQUIRE(error.diagnostics().size() == 2);
  CHECK(error.diagnostics()[1].line == 2);
  const InputError plain("no such solver");
  CHECK(std::string(plain.what()) == "no such solver");
  CHECK(plain.diagnostics().size() == 1);
}

TEST_CASE("every error is an Error and carries what its handler needs") {
  CHECK_THROWS_AS(throw InputError("x"), Error);
  CHECK_THROWS_AS(throw CallError("x"), Error);
  CHECK_THROWS_AS(throw FileError("a.h5", "x"), Error);
  CHECK_THROWS_AS(throw AssemblyError("x", 0.5), Error);
  CHECK_THROWS_AS(throw DivergedError("x", 1.5), Error);
  const FileError file("out/a.h5", "no space left (free some)");
  CHECK(std::string(file.what()) == "out/a.h5: no space left (free some)");
  CHECK(file.path() == "out/a.h5");
  CHECK(AssemblyError("open", 0.25).violation() == 0.25);
  CHECK(DivergedError("too fast", 1.5).time() == 1.5);
}
