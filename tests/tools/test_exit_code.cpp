// What the program tells the shell of an error, by the error's type.
#include <new>
#include <stdexcept>

#include "engine/base/error.h"
#include "tests/support.h"
#include "tools/grashof/exit_code.h"

using namespace grashof;

TEST_CASE("exit codes tell the causes of errors apart") {
  CHECK(exitCodeOf(InputError("no such joint")) == 2);
  CHECK(exitCodeOf(DivergedError("a body moves at 1e9 m/s", 0.5)) == 3);
  CHECK(exitCodeOf(AssemblyError("the loop of joints A, B does not close", 0.1)) == 4);
  CHECK(exitCodeOf(FileError("out/plan.json", "cannot be written")) == 5);
}

TEST_CASE("an error that the user did not cause is never called bad input") {
  CHECK(exitCodeOf(CallError("a state of another model")) == 70);
  CHECK(exitCodeOf(std::bad_alloc()) == 70);
  CHECK(exitCodeOf(std::out_of_range("vector::at")) == 70);
  CHECK(messageOf(std::out_of_range("vector::at")) == "internal error: vector::at (please report it)");
}

TEST_CASE("the message of an error that the user can mend is the error's own") {
  CHECK(messageOf(InputError("no such joint")) == "no such joint");
  CHECK(messageOf(FileError("out", "the folder cannot be made")) == "out: the folder cannot be made");
}

TEST_CASE("the help lists every exit code") {
  for (const char* code : {"0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "70 "})
    CHECK(exitCodeHelp().find(code) != std::string::npos);
}

TEST_CASE("of very many defects a hundred are told, and the number of the others") {
  const InputError error(std::vector<Diagnostic>(250, {"a.xml", 1, "body", "wrong"}));
  const std::string text = messageOf(error);
  CHECK(std::count(text.begin(), text.end(), '\n') == 100);
  CHECK(text.ends_with("\nand 150 more"));
  CHECK(error.diagnostics().size() == 250);
}
