#include "engine/base/csv.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("cells with commas and quotes read back as they were") {
  const std::vector<std::string> cells = {"time", "hinge, left", "say \"so\"", "", "\"", "a\"b", "1.5"};
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + csvCell(cells[i]);
  CHECK(csvCells(line) == cells);
  CHECK(csvCell("plain") == "plain");
  CHECK(csvCell("a,b") == "\"a,b\"");
  CHECK(csvCells("1,2,") == std::vector<std::string>{"1", "2", ""});
}
