#include <filesystem>

#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("every scenario written and read again is the same model, and moves the same") {
  const test::ScratchFolder folder;
  int count = 0;
  for (const char* set : {"scenarios", "suite"})
    for (const auto& entry :
         std::filesystem::directory_iterator(test::sourceFolder() + "/assets/" + std::string(set))) {
      if (entry.path().extension() != ".xml") continue;
      const std::string file = entry.path().string();
      CAPTURE(file);
      const Scenario a = readScenario(file);
      const std::string copy = folder.path(entry.path().filename().string());
      writeScenario(a, copy, "a copy -- of " + file);
      const Scenario b = readScenario(copy);
      ++count;
      CHECK(a.name == b.name);
      CHECK(a.duration == b.duration);
      CHECK(a.expectations.size() == b.expectations.size());
      REQUIRE(a.model->bodies.size() == b.model->bodies.size());
      REQUIRE(a.model->joints.size() == b.model->joints.size());
      REQUIRE(a.model->shapes.size() == b.model->shapes.size());
      CHECK(a.model->couplings.size() == b.model->couplings.size());
      CHECK(a.model->forces.size() == b.model->forces.size());
      CHECK(a.model->wrenches.size() == b.model->wrenches.size());
      CHECK(a.model->excludedBodies == b.model->excludedBodies);
      for (std::size_t i = 0; i < a.model->bodies.size(); ++i) {
        CHECK(a.model->bodies[i].mass == b.model->bodies[i].mass);
        CHECK((a.model->bodies[i].inertia - b.model->bodies[i].inertia).norm() <=
              1e-14 * a.model->bodies[i].inertia.norm());
      }
      // Rounding errors grow on their way; a few steps tell what is missing.
      Simulator first(a.model, startState(*a.model)), second(b.model, startState(*b.model));
      double furthest = 0.0;
      for (int k = 0; k < 5; ++k) first.step(), second.step();
      for (std::size_t i = 0; i < a.model->bodies.size(); ++i)
        furthest =
            std::max(furthest, (first.state().poses[i].position - second.state().poses[i].position).norm());
      CHECK(furthest <= 1e-9);
    }
  CHECK(count >= 35);
}

TEST_CASE("a scenario that can't be written says so") {
  const Scenario s = test::scenarioOf("<body name='a'><inertial mass='1' inertia='1 1 1'/></body>");
  CHECK_THROWS_WITH_AS(writeScenario(s, "/nonexistent/folder/a.xml"), doctest::Contains("cannot be written"),
                       FileError);
}
