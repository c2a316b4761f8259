#include <set>

#include "engine/base/error.h"
#include "engine/study/driver.h"
#include "engine/study/page.h"
#include "engine/study/page_parts.h"
#include "engine/study/report.h"
#include "engine/study/study.h"
#include "engine/study/study_file.h"
#include "tests/support.h"

using namespace grashof;
using study::Design;
using study::Rows;
using study::RunStatus;
using study::Study;
using study::StudyDefinition;

namespace {

constexpr const char* kPendulum = R"(<scenario name="p"><options timestep="0.01" duration="0.05"/>
  <parameter name="L" value="1" tolerance="±0.1"/><parameter name="m" value="2" tolerance="5%" spread="uniform"/>
  <body name="bob" position="L 0 0"><inertial mass="m" inertia="0.1 0.1 0.1"/></body>
  <joint name="pin" type="revolute" follower="bob" position="0 0 0" axis="0 1 0"/></scenario>)";

StudyDefinition definitionOf(const std::string& file) {
  StudyDefinition d;
  d.scenario = file;
  d.measures = {"end:body.bob.position.z"};
  return d;
}

std::string refusal(const StudyDefinition& d) {
  try {
    const Study study(d);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Makes all runs here.
Rows allRows(Study& study) {
  Rows rows(study.runs(), study.measures().size());
  for (std::uint64_t run = 0; run < study.runs(); ++run) rows.add(study.make(run, study.point(run, rows)));
  return rows;
}

}  // namespace

TEST_CASE(
    "a grid has all combinations of its levels, the last parameter fastest; paths and texts may vary too") {
  const test::ScratchFolder folder;
  StudyDefinition d = definitionOf(folder.write("p.xml", kPendulum));
  d.params = {"L=0.5:1:3", "joint[pin].type=revolute,spherical", "m=1,3"};
  Study study(d);
  CHECK(study.design() == Design::Grid);
  REQUIRE(study.runs() == 12);
  const Rows none(12, 2);
  std::vector<std::string> texts;
  for (std::uint64_t run = 0; run < 12; ++run) {
    const study::Point p = study.point(run, none);
    texts.push_back(study.valueText(0, p[0]) + " " + study.valueText(1, p[1]) + " " +
                    study.valueText(2, p[2]));
  }
  CHECK(texts[0] == "0.5 revolute 1");
  CHECK(texts[1] == "0.5 revolute 3");
  CHECK(texts[2] == "0.5 spherical 1");
  CHECK(texts[11] == "1 spherical 3");
  CHECK(study.valueNumber(0, 1.0) == 0.75);
  CHECK(std::isnan(study.valueNumber(1, 1.0)));
  const study::RunRow row = study.make(11, study.point(11, none));
  CHECK(row.status == RunStatus::Ok);
  // What the library gives for the same scenario.
  const Scenario same =
      readScenario(d.scenario, {{"param.L", "1"}, {"joint[pin].type", "spherical"}, {"param.m", "3"}});
  Simulator simulator(same.model, startState(*same.model));
  for (int i = 0; i < 5; ++i) simulator.step();
  CHECK(row.measures[0] == findChannel(*same.model, "body.bob.position.z")(simulator));
}

TEST_CASE("without parameters the tolerances of the file vary; distributions may be joined with levels") {
  const test::ScratchFolder folder;
  StudyDefinition d = definitionOf(folder.write("p.xml", kPendulum));
  d.runs = 50;
  Study tolerances(d);
  REQUIRE(tolerances.factors().size() == 2);
  CHECK(tolerances.design() == Design::Random);
  for (std::uint64_t run = 0; run < 50; ++run) {
    const study::Point p = tolerances.point(run, {});
    CHECK(std::abs(p[0] - 1.0) <= 0.1);
    CHECK(std::abs(p[1] - 2.0) <= 0.1);
  }
  d.params = {"L=1,2", "m~uniform(1, 2)"};
  Study mixed(d);
  REQUIRE(mixed.runs() == 100);
  CHECK(mixed.point(3, {})[1] == mixed.point(53, {})[1]);  // the same draws at every level
  CHECK(mixed.point(3, {})[0] == 0.0);
  CHECK(mixed.point(53, {})[0] == 1.0);
}

TEST_CASE("a worst case finds the corners from both ends of each factor") {
  const test::ScratchFolder folder;
  StudyDefinition d = definitionOf(folder.write("p.xml", kPendulum));
  d.set = {{"options.duration", "0.3"}};
  d.measures = {"end:body.bob.position.x", "end:body.bob.position.z"};
  d.design = Design::WorstCase;
  Study study(d);
  CHECK(study.firstPart() == 5);
  REQUIRE(study.runs() == 11);  // 2 measures, and the residual
  const Rows rows = allRows(study);
  CHECK(study.role(0) == "nominal");
  CHECK(study.role(1) == "L low");
  CHECK(study.role(5) == "largest end:body.bob.position.x");
  double largest = rows.value(0, 0), smallest = largest;
  for (std::uint64_t run = 0; run < 5; ++run) {
    largest = std::max(largest, rows.value(run, 0));
    smallest = std::min(smallest, rows.value(run, 0));
  }
  CHECK(rows.value(5, 0) >= largest);
  CHECK(rows.value(6, 0) <= smallest);
}

TEST_CASE("runs that cannot be made are rows with their reason, the same wherever the files lie") {
  const test::ScratchFolder one, other;
  std::vector<std::string> reasons;
  for (const test::ScratchFolder* folder : {&one, &other}) {
    StudyDefinition d = definitionOf(folder->write("p.xml", kPendulum));
    d.params = {"m=-1,1"};
    Study study(d);
    const Rows rows = allRows(study);
    CHECK(rows.status(0) == RunStatus::Refused);
    CHECK(rows.status(1) == RunStatus::Ok);
    CHECK(std::isnan(rows.value(0, 0)));
    reasons.push_back(rows.reason(0));
  }
  CHECK(reasons[0] == reasons[1]);
  CHECK(reasons[0].find("p.xml:3: body[bob]/inertial: mass=\"-1\" is not allowed") == 0);
}

TEST_CASE("reasons name files above the scenario as seen from it; a file that changes meanwhile is noticed") {
  const test::ScratchFolder folder;
  std::filesystem::create_directories(folder.path("in/deep"));
  const char* part =
      "<scenario><parameter name='m' value='1'/><body name='a'><inertial mass='m' inertia='1 1 "
      "1'/></body></scenario>";
  folder.write("in/part.xml", part);
  StudyDefinition d = definitionOf(folder.write(
      "in/deep/p.xml",
      "<scenario><parameter name='m' value='1'/><include file='../part.xml' m='m'/></scenario>"));
  d.params = {"m=-1,1"};
  d.measures = {"max:residual.joint"};
  Study study(d);
  const Rows rows = allRows(study);
  CHECK(rows.reason(0).find("../part.xml:1: body[a]/inertial") == 0);
  CHECK(rows.ok(1));
  CHECK_NOTHROW(study.checkUnchanged());
  folder.write("in/part.xml", std::string(part) + " ");
  CHECK_THROWS_WITH_AS(study.checkUnchanged(), doctest::Contains("was changed while"), InputError);
}

TEST_CASE("studies that make no sense are refused before anything runs") {
  const test::ScratchFolder folder;
  const StudyDefinition good = definitionOf(folder.write("p.xml", kPendulum));
  const auto with = [&](auto change) {
    StudyDefinition d = good;
    d.runs = 10;
    change(d);
    return refusal(d);
  };
  CHECK(with([](StudyDefinition&) {}).empty());
  const std::vector<std::pair<std::string, std::function<void(StudyDefinition&)>>> cases = {
      {"measures nothing", [](auto& d) { d.measures.clear(); }},
      {"body.rob", [](auto& d) { d.measures = {"max:body.rob.speed"}; }},
      {"a column of this name",
       [](auto& d) {
         d.measures = {"max:time", "max:time"};
       }},
      {"did you mean L?", [](auto& d) { d.params = {"l=1,2"}; }},
      {"there is no <body name=\"rob\">", [](auto& d) { d.params = {"body[rob].position=1,2"}; }},
      {"unknown attribute mas", [](auto& d) { d.params = {"body[bob].inertial.mas~uniform(1, 2)"}; }},
      {"needs FROM:TO:COUNT", [](auto& d) { d.params = {"L=1:2:1"}; }},
      {"needs FROM:TO:COUNT", [](auto& d) { d.params = {"L=1:2:3:4"}; }},
      {"unknown element <sovler>", [](auto& d) { d.params = {"sovler.name=ADMM,PGS-NCP"}; }},
      {"a column of this name", [](auto& d) { d.measures = {"L=max:energy.total"}; }},
      {"is no distribution", [](auto& d) { d.params = {"L~gauss(1, 2)"}; }},
      {"a column of this name",
       [](auto& d) {
         d.params = {"L~uniform(1, 2)", "L=1,2"};
       }},
      {"needs a number of runs", [](auto& d) { d.runs = 0; }},
      {"has a distribution, no levels", [](auto& d) { d.design = Design::Grid; }},
      {"no parameter has a distribution", [](auto& d) { d.design = Design::Sobol, d.params = {"L=1,2"}; }},
      {"counted by itself", [](auto& d) { d.params = {"L=1,2"}; }},
      {"has levels",
       [](auto& d) {
         d.design = Design::Indices, d.params = {"L=1,2", "m"};
       }},
      {"more than",
       [](auto& d) {
         d.runs = 0, d.params = {"L=0:1:10000", "m=1:2:10000"};
       }},
      {"cannot be read", [](auto& d) { d.scenario += "x"; }},
  };
  for (const auto& [expected, change] : cases) {
    const std::string& message = expected;  // macros cannot capture a binding
    const std::string said = with(change);
    CAPTURE(message);
    CHECK_MESSAGE(said.find(message) != std::string::npos, said);
  }
}

TEST_CASE("the hash is that of definition and files; a packed study is the same elsewhere") {
  const test::ScratchFolder folder, elsewhere;
  folder.write("part.xml", "<scenario><body name='q'><inertial mass='1' inertia='1 1 1'/></body></scenario>");
  StudyDefinition d =
      definitionOf(folder.write("p.xml", std::string(kPendulum).replace(std::string(kPendulum).find("<body"),
                                                                        0, "<include file='part.xml'/>")));
  d.runs = 3;
  Study study(d);
  Study copy = Study::unpack(study.pack(), elsewhere.path());
  CHECK(copy.hash() == study.hash());
  for (std::uint64_t run = 0; run < 3; ++run)
    CHECK(packRow(copy.make(run, copy.point(run, {}))) == packRow(study.make(run, study.point(run, {}))));
  std::set<std::string> hashes = {study.hash()};
  d.seed = 2;
  hashes.insert(Study(d).hash());
  d.measures.push_back("max:time");
  hashes.insert(Study(d).hash());
  folder.write("part.xml", "<scenario><body name='q'><inertial mass='2' inertia='1 1 1'/></body></scenario>");
  hashes.insert(Study(d).hash());
  CHECK(hashes.size() == 4);
  const std::string packed = study.pack();
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, packed.size() / 2, packed.size() - 1})
    CHECK_THROWS_AS(Study::unpack(packed.substr(0, size), elsewhere.path()), InputError);
}

TEST_CASE("rows and tasks are read back from their bytes; damaged ones are refused") {
  const study::RunRow row{7, RunStatus::Diverged, {}, "because"};
  const std::string bytes = packRow(row);
  CHECK(study::unpackRow(bytes).reason == "because");
  CHECK_THROWS_AS(study::unpackRow(bytes.substr(0, bytes.size() - 1)), InputError);
  CHECK_THROWS_AS(study::unpackRow(bytes + "x"), InputError);
  Rows rows(5, 2);
  CHECK_THROWS_AS(rows.add(row), InputError);
  CHECK_THROWS_AS(rows.add({1, RunStatus::Ok, {1.0}, {}}), InputError);
  rows.add({1, RunStatus::Ok, {1.0, 2.0}, {}});
  rows.add({1, RunStatus::Ok, {5.0, 5.0}, {}});
  CHECK(rows.value(1, 0) == 1.0);
  CHECK(rows.count() == 1);
}

TEST_CASE("a study file says what options of the command line say") {
  const test::ScratchFolder folder;
  folder.write("p.xml", kPendulum);
  const StudyDefinition d =
      study::readStudyFile(folder.write("s.xml", R"x(<study scenario="p.xml" design="lhs" runs="9" seed="4">
    <set path="options.duration" value="1"/><param name="L" values="1,2"/><param name="m" distribution="uniform(1, 2)"/>
    <measure name="z" of="end:body.bob.position.z"/></study>)x"));
  CHECK(d.name == "s");
  CHECK(d.scenario == folder.path("p.xml"));
  CHECK(*d.design == Design::Latin);
  CHECK(d.runs == 9);
  CHECK(d.seed == 4);
  CHECK(d.params == std::vector<std::string>{"L=1,2", "m~uniform(1, 2)"});
  CHECK(d.measures == std::vector<std::string>{"z=end:body.bob.position.z"});
  CHECK(study::readStudyFile(folder.path("p.xml")).scenario == folder.path("p.xml"));
  for (const char* bad :
       {"<study/>", "<study scenario='p.xml' design='all'/>", "<study scenario='p.xml' runs='0'/>",
        "<study scenario='p.xml'><param/></study>", "<study scenario='p.xml'><measure/></study>",
        "<study scenario='p.xml'><factor/></study>", "<study scenario='p.xml' run='1'/>", "<study",
        "<study scenario='p.xml'><param name='L' values='1' distribution='uniform(0,1)'/></study>"})
    CHECK_THROWS_AS(study::readStudyFile(folder.write("bad.xml", bad)), InputError);
}

TEST_CASE("all pages have one style and ask for nothing from elsewhere") {
  const std::string page = htmlPage("a<b>", "<h1>x</h1>\n", chartScript());
  CHECK(page.find("<title>a&lt;b&gt;</title>") != page.npos);
  CHECK(page.find(pageStyle()) != page.npos);
  CHECK(pageStyle().find("prefers-color-scheme: dark") != std::string_view::npos);
  CHECK(pageStyle().find("@media print") != std::string_view::npos);
  for (const std::string_view part : {pageStyle(), chartScript(), studyScript()}) {
    CHECK(part.size() > 1000);
    for (const char* loads : {"@import", "src=", "</script"})
      CHECK(part.find(loads) == std::string_view::npos);
  }
  CHECK(study::pageOf("s", R"({"a":"</script>"})").find(R"({"a":"\u003c/script>"})") != std::string::npos);
}

TEST_CASE("measures have the units of what they measure") {
  const test::ScratchFolder folder;
  const Scenario s = readScenario(folder.write("p.xml", kPendulum));
  for (const auto& [measure, unit] :
       std::vector<std::pair<std::string, std::string>>{{"max:body.bob.speed", "m/s"},
                                                        {"integral:energy.kinetic", "J s"},
                                                        {"time-of-max:body.bob.speed", "s"},
                                                        {"extent:bob", "m"},
                                                        {"straightness:bob", ""},
                                                        {"max:solver.iterations", ""}}) {
    const std::string text = measure;  // clang 14 captures no structured binding
    CAPTURE(text);
    CHECK(study::unitOf(study::parseMeasure(text), *s.model) == unit);
  }
}
