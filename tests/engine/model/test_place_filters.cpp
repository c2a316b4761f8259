#include "contacts/collision_filter.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A floor, a post and a table in the world; an arm of two links on the world, and a ball.
Scenario cell(const std::string& contacts) {
  const auto box = [](const char* name) {
    return "<body name='" + std::string(name) + "'><shape name='" + name +
           "' type='box' size='1 1 1'/></body>";
  };
  return test::scenarioOf(contacts +
                          "<shape name='floor' type='plane'/><shape name='post' type='box' size='1 1 1' "
                          "link='post'/><shape name='table' type='box' size='1 1 1' link='table'/>" +
                          box("upper") + box("lower") + box("ball") +
                          "<joint name='s' type='revolute' follower='upper' axis='0 1 0'/>"
                          "<joint name='e' type='revolute' base='upper' follower='lower' axis='0 1 0'/>"
                          "<joint name='f' type='free' follower='ball'/>");
}

/// The pairs that never touch, as "a-b ".
std::string never(const Scenario& s) {
  const Model& m = *s.model;
  const CollisionFilter filter(m.shapes, m.exclusions, CollisionFilter::Wanted::Excluded);
  std::string text;
  for (int i = 0; i < static_cast<int>(m.shapes.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(m.shapes.size()); ++j)
      if (filter.mayTouch(i, j))
        text += m.shapes[static_cast<std::size_t>(i)].name + "-" +
                m.shapes[static_cast<std::size_t>(j)].name + " ";
  return text;
}

/// The same, also after writing and reading.
std::string neverTwice(const std::string& contacts) {
  const Scenario s = cell(contacts);
  const test::ScratchFolder folder;
  writeScenario(s, folder.path("s.xml"));
  const Scenario again = readScenario(folder.path("s.xml"));
  CHECK(again.model->exclusions == s.model->exclusions);
  return never(again);
}

}  // namespace

TEST_CASE("a joint keeps its two bodies from touching, and from the world only where that is said") {
  CHECK(neverTwice("") == "upper-lower ");
  CHECK(neverTwice("<contacts neighbours='world'/>") == "upper-lower ");
  CHECK(neverTwice("<contacts neighbours='true'/>").empty());
  CHECK(neverTwice("<contacts neighbours='false'/>") == "upper-lower upper-floor upper-post upper-table ");
}

TEST_CASE("an exclusion holds for all shapes of a body, or for those of a link of it") {
  CHECK(neverTwice("<contacts><exclude a='upper' b='world' link-b='post'/></contacts>") ==
        "upper-lower upper-post ");
  CHECK(neverTwice("<contacts><exclude a='world' b='ball'/></contacts>") ==
        "upper-lower ball-floor ball-post ball-table ");
  CHECK(neverTwice("<contacts neighbours='true'><exclude a='world' link-a='table' b='lower'/></contacts>") ==
        "lower-table ");
}

TEST_CASE("a link that no shape has is refused, with the name that is meant") {
  const auto message = [](const std::string& contacts) -> std::string {
    try {
      cell(contacts);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  const std::string near = message("<contacts><exclude a='upper' b='world' link-b='pst'/></contacts>");
  CHECK(near.find("link-b=\"pst\"") != std::string::npos);
  CHECK(near.find("did you mean post?") != std::string::npos);
  CHECK(
      message("<contacts><exclude a='upper' link-a='post' b='world'/></contacts>").find("link-a=\"post\"") !=
      std::string::npos);
  CHECK(message("<contacts neighbours='yes'/>").find("neighbours=\"yes\"") != std::string::npos);
}
