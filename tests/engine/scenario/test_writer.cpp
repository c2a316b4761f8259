#include <filesystem>
#include <tuple>

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
      CHECK(a.model->exclusions == b.model->exclusions);
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

TEST_CASE("motors are the same after writing and reading, and armatures hold no rotors") {
  const test::ScratchFolder folder;
  const Scenario a = test::scenarioOf(R"(<motion name="u" type="constant" value="1"/>
    <motor name="full" gear-ratio="193" efficiency="0.7" back-efficiency="0.5" rotor-inertia="1e-7" stall-torque="0.013"
      no-load-speed="1100" torque-limit="0.012" speed-limit="1000" rms-torque="0.005" torque-constant="0.0107"
      resistance="8.3" voltage="12"/>
    <motor name="plain"/>
    <body name="arm"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="cylindrical" follower="arm" axis="0 0 1"><dynamics coordinate="1" armature="0.1"/>
      <actuator type="effort" motion="u" motor="plain"/>
      <actuator coordinate="1" type="position" kp="3" motion="u" motor="full"/></joint>)");
  writeScenario(a, folder.path("copy.xml"), "");
  const Scenario b = readScenario(folder.path("copy.xml"));
  REQUIRE(b.model->motors.size() == 2);
  const Motor &m = a.model->motors[0], &n = b.model->motors[0];
  CHECK(std::tie(m.name, m.gearRatio, m.efficiency, m.backEfficiency, m.rotorInertia, m.stallTorque,
                 m.noLoadSpeed, m.torqueLimit, m.speedLimit, m.rmsTorque, m.torqueConstant, m.resistance,
                 m.voltage) == std::tie(n.name, n.gearRatio, n.efficiency, n.backEfficiency, n.rotorInertia,
                                        n.stallTorque, n.noLoadSpeed, n.torqueLimit, n.speedLimit,
                                        n.rmsTorque, n.torqueConstant, n.resistance, n.voltage));
  CHECK(b.model->motors[1].stall() == Motor::kNone);
  for (int i = 0; i < 2; ++i) {
    const JointCoordinate &c = a.model->joints[0].coordinates[i], &d = b.model->joints[0].coordinates[i];
    CHECK(c.actuator.motor == d.actuator.motor);
    CHECK(c.passive.armature == d.passive.armature);
    CHECK(c.passive.rotor == d.passive.rotor);
  }
  CHECK(motionDigest(a) == motionDigest(b));
}

TEST_CASE("the number of facets is the same after writing and reading, and not written where it is four") {
  const test::ScratchFolder folder;
  for (const int facets : {4, 16}) {
    const Scenario a = test::scenarioOf("<solver name=\"LCP-PGS\" facets=\"" + std::to_string(facets) +
                                        R"("/><body name="arm"><inertial mass="1" inertia="1 1 1"/></body>)");
    writeScenario(a, folder.path("copy.xml"), "");
    CHECK(readScenario(folder.path("copy.xml")).model->solver.facets == facets);
    CHECK((test::contentOf(folder.path("copy.xml")).find("facets") != std::string::npos) == (facets != 4));
  }
}

TEST_CASE("contact laws and the options of regularized solvers are the same after writing and reading") {
  const test::ScratchFolder folder;
  const Scenario a = test::scenarioOf(
      R"(<solver name="SAP" stiction-regularization="0.002" impact-regularization="false" near-rigid="0.5"/>
    <material name="p" stiffness="12345.678" exponent="1.3" hunt-crossley="2.5" tangential-stiffness="3e4" stiction-speed="2e-4"/>
    <material name="q" young-modulus="2.1e11" poisson-ratio="0.28" edge-radius="0.003" hunt-crossley="0.7"/>
    <material name="r" stiffness="1e7" relaxation-time="0.001"/>
    <material name="s" hydroelastic-modulus="123456.78" hunt-crossley="0.7"/>
    <shape type="plane" material="s" thickness="0.0123"/><shape type="box" size="1 1 1" material="s" resolution="0.234"/>
    <surface a="p" b="q" stiffness="777" relaxation-time="0.02"/>
    <body name="arm"><inertial mass="1" inertia="1 1 1"/></body>)");
  writeScenario(a, folder.path("copy.xml"), "");
  const Scenario b = readScenario(folder.path("copy.xml"));
  REQUIRE(b.model->materials.size() == a.model->materials.size());
  for (std::size_t m = 0; m < a.model->materials.size(); ++m)
    CHECK(a.model->materials[m].surface.law == b.model->materials[m].surface.law);
  REQUIRE(b.model->surfacePairs.size() == 1);
  CHECK(a.model->surfacePairs.begin()->second.law == b.model->surfacePairs.begin()->second.law);
  CHECK(a.model->surface(1, 2).law.stiffness == 777.0);
  REQUIRE(b.model->shapes.size() == 2);
  CHECK(b.model->shapes[0].thickness == 0.0123);
  CHECK(b.model->shapes[1].resolution == 0.234);
  CHECK(b.model->shapes[1].modulus == 123456.78);
  CHECK(b.model->solver.regularization.stiction == 0.002);
  CHECK(!b.model->solver.regularization.impacts);
  CHECK(b.model->solver.regularization.nearRigid == 0.5);
}
