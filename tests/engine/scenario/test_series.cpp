#include "engine/base/error.h"
#include "engine/scenario/series.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Signal seriesOf(const std::string& text, const std::string& column = {}) {
  const test::ScratchFolder folder;
  Signal signal;
  readSeries(folder.write("s.csv", text), column, signal);
  return signal;
}

std::string seriesError(const std::string& text, const std::string& column = {}) {
  try {
    seriesOf(text, column);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("columns are chosen by heading, or by number from 2 where there are no headings") {
  const Signal second = seriesOf("time,a,b\n0,1,10\n1,2,20\n");
  CHECK(second.times == std::vector<double>{0.0, 1.0});
  CHECK(second.values == std::vector<double>{1.0, 2.0});
  CHECK(seriesOf("time,a,b\n0,1,10\n1,2,20\n", "b").values == std::vector<double>{10.0, 20.0});
  CHECK(seriesOf("0,1,10\n1,2,20\n", "3").values == std::vector<double>{10.0, 20.0});
  CHECK(seriesOf("0,1,10\n1,2,20").values == std::vector<double>{1.0, 2.0});
}

TEST_CASE("headings in quotes may hold commas") {
  CHECK(seriesOf("time,\"rod, left\",b\n0,1,10\n1,2,20\n", "rod, left").values ==
        std::vector<double>{1.0, 2.0});
  CHECK(seriesOf("time,\"rod, left\",b\n0,1,10\n1,2,20\n", "b").values == std::vector<double>{10.0, 20.0});
}

TEST_CASE("comments, empty rows, blanks and the line ends of other systems are not read as data") {
  const Signal s = seriesOf("# measured\r\n\r\n -1e-1 , 2 \r\n# more\r\n+0.5,-3\r\n");
  CHECK(s.times == std::vector<double>{-0.1, 0.5});
  CHECK(s.values == std::vector<double>{2.0, -3.0});
}

TEST_CASE("headings are the first row that is not a comment, none where it holds numbers") {
  const test::ScratchFolder folder;
  CHECK(seriesHeadings(folder.write("h.csv", "# x\ntime,a b,c\n0,1,2\n")) ==
        std::vector<std::string>{"time", "a b", "c"});
  CHECK(seriesHeadings(folder.write("n.csv", "0,1\n")).empty());
  CHECK(seriesHeadings(folder.write("e.csv", "")).empty());
  CHECK_THROWS_AS(seriesHeadings(folder.path("missing.csv")), InputError);
}

TEST_CASE("defects of a series name the line") {
  CHECK(seriesError("time,a\n0,1\n1,x\n").find("s.csv:3: needs a finite time and value") !=
        std::string::npos);
  CHECK(seriesError("0,1\n1,inf\n").find("s.csv:2:") != std::string::npos);
  CHECK(seriesError("0,1\n1\n").find("s.csv:2:") != std::string::npos);
  CHECK(seriesError("# c\n0,1\n0,2\n").find("s.csv:3: time does not increase") != std::string::npos);
  CHECK(seriesError("time,a\n0,1\n", "b").find("there is no column 'b'") != std::string::npos);
  CHECK(seriesError("0,1\n", "a").find("has no headings") != std::string::npos);
  CHECK(seriesError("0,1\n", "1").find("from 2 on") != std::string::npos);
  CHECK(seriesError("0,1,2\n", "2.5").find("from 2 on") != std::string::npos);
  CHECK(seriesError("0,1\n", "3").find("s.csv:1:") != std::string::npos);
  CHECK(seriesError("time,a\n").find("holds no samples") != std::string::npos);
}
