#include <algorithm>

#include "engine/base/error.h"
#include "engine/scenario/attributes.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;

namespace {

const Override* find(const std::vector<Override>& all, const std::string& path) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Override& o) { return o.path == path; });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("attributes that are listed can be overridden: with their own values the scenario is the same") {
  for (const char* name : {"neck", "cables", "turntable", "hoist", "screw-jack"}) {
    CAPTURE(name);
    const std::string file = test::sourceFolder() + "/assets/scenarios/" + name + ".xml";
    const std::vector<Override> all = attributesOf(file);
    CHECK(all.size() > 20);
    CHECK(motionDigest(readScenario(file, all)) == motionDigest(readScenario(file)));
  }
}

TEST_CASE("each path reaches what its value is of: of elements without a name the first") {
  const test::ScratchFolder folder;
  const std::string file = folder.write("f.xml", R"(<scenario name="f"><options timestep="0.002"/>
    <body name="a.b"><shape type="box" size="1 1 1" mass="1"/><shape type="sphere" radius="1" mass="2"/>
      <shape name="s" type="box" size="2 2 2" mass="3"/></body></scenario>)");
  const std::vector<Override> all = attributesOf(file);
  REQUIRE(find(all, "options.timestep"));
  CHECK(find(all, "options.timestep")->value == "0.002");
  REQUIRE(find(all, "body[a.b].shape.mass"));
  CHECK(find(all, "body[a.b].shape.mass")->value == "1");
  REQUIRE(find(all, "body[a.b].shape[s].mass"));
  CHECK(find(all, "body[a.b].shape[s].mass")->value == "3");
  CHECK(std::none_of(all.begin(), all.end(),
                     [](const Override& o) { return o.value == "2" || o.path.ends_with(".name"); }));
  const Scenario changed =
      readScenario(file, {{"body[a.b].shape.mass", "5"}, {"body[a.b].shape[s].mass", "7"}});
  CHECK(changed.model->bodies[0].mass == doctest::Approx(14.0));
  CHECK(attributesOf(file, 3).size() == 3);
  // No path holds such a name, which readers refuse.
  CHECK(attributesOf(folder.write("g.xml", R"(<scenario><body name="c]" position="1 2 3"/></scenario>)"))
            .empty());
}

TEST_CASE("text that is no XML is an error at its line; files of a scenario are those that were read") {
  const test::ScratchFolder folder;
  const std::string broken = folder.write("broken.xml", "<scenario>\n<body></scenario>");
  try {
    attributesOf(broken);
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(error.diagnostics().front().line == 2);
  }
  CHECK_THROWS_AS(attributesOf(folder.path("none.xml")), InputError);
  const std::string part = folder.write(
      "part.xml", R"(<scenario><body name="a"><inertial mass="1" inertia="1 1 1"/></body></scenario>)");
  const std::string whole = folder.write(
      "whole.xml",
      R"(<scenario><include file="part.xml" prefix="l."/><include file="part.xml" prefix="r."/></scenario>)");
  CHECK(readScenario(whole).files == std::vector<std::string>{whole, part});
}
