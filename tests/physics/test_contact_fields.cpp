// The convex contact models SAP, LAGGED and SIMILAR on the cases of [Castro 2024, XI], and in closed form.
#include <cmath>
#include <numbers>

#include "tests/support.h"

using namespace grashof;

namespace {

/// A scenario of assets/scenarios with overrides, stepped by hand.
class FieldRun {
 public:
  FieldRun(const std::string& name, const std::vector<Override>& overrides)
      : scenario_(readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml", overrides)),
        simulator_(scenario_.model, startState(*scenario_.model)) {}
  double operator[](const std::string& channel) const {
    return findChannel(*scenario_.model, channel)(simulator_);
  }
  bool before(double time) const { return simulator_.state().time < time - 1e-9; }
  void step() {
    simulator_.step();
    REQUIRE(!simulator_.diverged());
    CHECK(simulator_.report().status == SolveStatus::Solved);
  }
  const Simulator& simulator() const { return simulator_; }

 private:
  Scenario scenario_;
  Simulator simulator_;
};

/// Overrides for a solver: SAP dissipates by a relaxation time, the others as the file says.
std::vector<Override> fieldOverrides(const std::string& solver, const std::string& material,
                                     double relaxationTime, double timestep) {
  std::vector<Override> all = {{"solver.name", solver}, {"options.timestep", std::to_string(timestep)}};
  if (solver == "SAP") {
    all.push_back({"material[" + material + "].hunt-crossley", "0"});
    all.push_back({"material[" + material + "].relaxation-time", std::to_string(relaxationTime)});
  }
  return all;
}

/// A solution of the model `name` from impulses at random, up to ten times those that change rows by V.
Solution fromRandomStart(const std::string& name, const DualProblem& problem, test::Random& random) {
  SolverOptions options;
  options.name = name;
  const double size = 10.0 * residualScale(problem, options.toleranceKind).impulse;
  Solution solution;
  solution.warm = true;
  for (int r = 0; r < problem.rows(); ++r) solution.impulse.push_back(random.uniform(-size, size));
  makeSolver(options)->solve(problem, solution);
  return solution;
}

/// A cube of 2 kg and 0.2 m on a plane, μ 0.5, under a horizontal force at its foot.
std::string pushedCube(const std::string& solver, const std::string& law, double force) {
  return "<options timestep=\"0.001\" integrator=\"euler\"/><solver name=\"" + solver +
         "\"/><material name=\"cube\" friction=\"0.5\" " + law +
         "/><material name=\"floor\" friction=\"0.5\"/><shape type=\"plane\" material=\"floor\"/>"
         "<body name=\"cube\" position=\"0 0 0.1\"><shape type=\"box\" size=\"0.2 0.2 0.2\" mass=\"2\" "
         "material=\"cube\"/></body><wrench body=\"cube\" force=\"" +
         std::to_string(force) + " 0 0\" point=\"0 0 -0.1\"/>";
}

}  // namespace

TEST_CASE(
    "on an oscillating belt SAP and SIMILAR glide by mu times step, with SAP's dissipation, times slip; "
    "LAGGED does not") {
  for (const double dt : {0.01, 0.002})
    for (const std::string solver : {"SAP", "LAGGED", "SIMILAR"}) {
      CAPTURE(solver);
      CAPTURE(dt);
      FieldRun run("oscillating-belt", fieldOverrides(solver, "pad", 1e-3, dt));
      double least = 1.0, force = 0.0;
      std::vector<std::pair<double, double>> slides;
      while (run.before(1.0)) {
        run.step();
        if (run.before(0.05)) continue;
        const double z = run["body.box.position.z"];
        least = std::min(least, z);
        force = std::max(force, std::abs(run["contact.belt.box.normal"] / test::kGravity - 1.0));
        const double slip = std::abs(run["body.box.velocity.x"] - run["joint.rail.rate.0"]);
        if (slip > 0.05) slides.emplace_back(slip, z);
      }
      REQUIRE(slides.size() > 0.1 / dt);
      if (solver == "LAGGED") {
        CHECK(force < 1e-3);  // tilts of the box where friction turns
        for (const auto& [slip, z] : slides) CHECK(std::abs(z - least) < 1e-8);
        continue;
      }
      CHECK(force > 0.01);  // where slip begins, changes and ends
      double ratio = 0.0;
      for (const auto& [slip, z] : slides)
        ratio += (z - least) / (0.7 * (dt + (solver == "SAP" ? 1e-3 : 0.0)) * slip) /
                 static_cast<double>(slides.size());
      CHECK(ratio == doctest::Approx(1.0).epsilon(0.05));
    }
}

TEST_CASE(
    "a falling sphere is pushed earlier by SAP and SIMILAR, by their gliding, and rolls at 5/7 of its speed "
    "by LAGGED") {
  const double dt = 2e-3, slip = 2.0, mu = 0.5;
  for (const std::string solver : {"SAP", "LAGGED", "SIMILAR"}) {
    CAPTURE(solver);
    FieldRun run("falling-steel-sphere", fieldOverrides(solver, "steel", 1e-3, dt));
    double gap = 1.0, fall = 0.0;
    while (run["contacts.normal-force"] == 0.0) {
      gap = run["body.sphere.position.z"] - 0.025;
      fall = -run["body.sphere.velocity.z"] + test::kGravity * dt;
      run.step();
    }
    const double time = dt + (solver == "SAP" ? 1e-3 : 0.0);
    const double begins = time * (fall + (solver == "LAGGED" ? 0.0 : mu * slip));
    CHECK(gap <= begins);
    CHECK(gap > begins - 1.1 * dt * fall);
    while (run.before(0.2)) run.step();
    // The height at which SAP and SIMILAR begin is an arm that the others do not have.
    CHECK(run["body.sphere.velocity.x"] ==
          doctest::Approx(10.0 / 7.0).epsilon(solver == "LAGGED" ? 1e-3 : 0.02));
    CHECK(0.025 * run["body.sphere.angular-velocity.y"] ==
          doctest::Approx(run["body.sphere.velocity.x"]).epsilon(1e-3));
  }
}

TEST_CASE("a sliding rod jams and is thrown up without having hit anything, at the same time by all models") {
  double first = 0.0;
  for (const std::string solver : {"LAGGED", "SIMILAR", "SAP"}) {
    CAPTURE(solver);
    FieldRun run("sliding-rod", fieldOverrides(solver, "steel", 0.0, 1e-6));
    CHECK(run["body.rod.velocity.z"] == 0.0);
    double jams = 0.0;
    while (run.before(0.03)) {
      run.step();
      for (const ContactBlock& contact : run.simulator().problem().contacts)
        if (jams == 0.0 && run.simulator().solution().impulse[contact.row + 2] > 0.0 &&
            contact.velocity(run.simulator().solution().twist).head<2>().norm() < 1e-3)
          jams = run.simulator().state().time;
    }
    CHECK(jams > 0.01);
    CHECK(run["body.rod.velocity.z"] > 2.0);
    CHECK(run["body.rod.velocity.x"] < 3.0);
    if (first == 0.0) first = jams;
    CHECK(jams == doctest::Approx(first).epsilon(0.05));
  }
}

TEST_CASE(
    "a cube of SAP creeps and sinks as Drake documents it: sigma w per impulse, and the near-rigid spring") {
  // w of a corner is 4/m in all directions, so that the cube creeps at σ Δt F/m and sinks by (Δt + τ) β²/4π²
  // g Δt.
  const double dt = 1e-3, tau = 2e-3, force = 4.0, m = 2.0;
  test::Run run(pushedCube("SAP", "stiffness=\"1e12\" relaxation-time=\"0.002\"", force));
  run.until(1.0);
  CHECK(run["body.cube.velocity.x"] == doctest::Approx(1e-3 * dt * force / m).epsilon(1e-4));
  const double sinks = (dt + tau) * test::kGravity * dt / (4.0 * std::numbers::pi * std::numbers::pi);
  const Contact& corner = run.simulator().contacts()[0];
  double mean = 0.0;
  for (const Contact& contact : run.simulator().contacts()) mean += contact.gap / 4.0;
  REQUIRE(run.simulator().contacts().size() == 4);
  CHECK(mean == doctest::Approx(-sinks).epsilon(1e-3));
  CHECK(corner.gap < 0.0);
  // A stiffness that SAP can resolve is what it says.
  test::Run soft(pushedCube("SAP", "stiffness=\"1e5\"", 1e-5));
  soft.until(1.0);
  CHECK(0.1 - soft["body.cube.position.z"] == doctest::Approx(m * test::kGravity / 4e5).epsilon(1e-6));
}

TEST_CASE("a cube of LAGGED and SIMILAR creeps by the stiction speed that its material has") {
  const double share = 4.0 / (0.5 * 2.0 * test::kGravity);  // of the bound of friction
  for (const std::string solver : {"LAGGED", "SIMILAR"})
    for (const double speed : {1e-4, 1e-3}) {
      test::Run run(pushedCube(
          solver, "stiffness=\"1e5\" hunt-crossley=\"10\" stiction-speed=\"" + std::to_string(speed) + "\"",
          4.0));
      run.until(1.0);
      CAPTURE(solver);
      CAPTURE(speed);
      CHECK(run["body.cube.velocity.x"] ==
            doctest::Approx(speed * share / std::sqrt(1.0 - share * share)).epsilon(1e-3));
    }
}

TEST_CASE(
    "rigid contacts are near-rigid: what rests sinks by micrometres, friction holds, bounces lose what the "
    "spring takes") {
  for (const std::string solver : {"SAP", "LAGGED", "SIMILAR"}) {
    CAPTURE(solver);
    test::Run run(pushedCube(solver, "", 4.0));
    run.until(1.0);
    CHECK(std::abs(run["body.cube.position.z"] - 0.1) < 2e-6);
    CHECK(std::abs(run["body.cube.position.x"]) < 2e-4);
    test::Run ball("<options timestep=\"0.001\"/><solver name=\"" + solver +
                   "\"/><material name=\"default\" restitution=\"0.5\"/><shape type=\"plane\"/><body "
                   "name=\"b\" position=\"0 0 0.3\">"
                   "<shape type=\"sphere\" radius=\"0.1\" mass=\"1\"/></body>");
    double up = 0.0;
    while (ball.simulator().state().time < 0.4) {
      ball.simulator().step();
      up = std::max(up, ball["body.b.velocity.z"]);
    }
    // w is 1 along the normal and 7/2 along the tangents, R = β²/4π² times their root mean square.
    const double r = std::sqrt((1.0 + 2.0 * 3.5 * 3.5) / 3.0) / (4.0 * std::numbers::pi * std::numbers::pi);
    CHECK(up ==
          doctest::Approx(std::sqrt(2.0 * test::kGravity * 0.2) * (1.5 / (1.0 + r) - 1.0)).epsilon(0.02));
  }
}

TEST_CASE("very stiff piles leave no step unsolved, also long ones, and problems have one solution" *
          doctest::test_suite("long")) {
  struct Case {
    const char *solver, *stiffness, *timestep;
    double duration;
  };
  for (const Case& c : {Case{"LAGGED", "1e12", "0.02", 3.0}, Case{"LAGGED", "1e12", "0.01", 3.0},
                        Case{"SIMILAR", "1e7", "0.02", 3.0}, Case{"SIMILAR", "1e9", "0.01", 1.0},
                        Case{"SIMILAR", "1e12", "0.02", 3.0}, Case{"SIMILAR", "1e12", "0.005", 1.0}}) {
    CAPTURE(c.solver);
    CAPTURE(c.stiffness);
    FieldRun run("clutter-drop", {{"material[water].stiffness", c.stiffness},
                                  {"options.timestep", c.timestep},
                                  {"solver.name", c.solver}});
    test::Random random(7);
    int problems = 0;
    while (run.before(c.duration)) {
      run.step();
      const DualProblem& problem = run.simulator().record().problem;
      if (run.simulator().state().step % 25 != 0 || problem.contacts.empty()) continue;
      ++problems;
      Solution cold, warm;
      warm.warm = true;
      for (int r = 0; r < problem.rows(); ++r) warm.impulse.push_back(0.1 * random.uniform());
      for (Solution* start : {&cold, &warm}) {
        makeSolver(run.simulator().model().solver)->solve(problem, *start);
        CHECK(start->status == SolveStatus::Solved);
      }
      CHECK((test::stacked(warm.twist) - test::stacked(cold.twist)).cwiseAbs().maxCoeff() < 1e-5);
    }
    CHECK(problems >= 3);
  }
}

TEST_CASE("clutter of any stiffness and step has one minimum, found from random starts in few Newton steps") {
  int problems = 0;
  for (const double dt : {0.001, 0.005, 0.02})
    for (const std::string stiffness : {"1e3", "1e6", "1e8", "1e10", "1e12"}) {
      std::vector<Override> overrides = fieldOverrides("LAGGED", "water", 0.0, dt);
      overrides.push_back({"material[water].stiffness", stiffness});
      FieldRun run("clutter-drop", overrides);
      test::Random random(461, ++problems);
      for (const double time : {0.1, 0.2, 0.3}) {
        while (run.before(time)) run.step();
        const DualProblem& problem = run.simulator().problem();
        REQUIRE(!problem.contacts.empty());
        const double speed = residualScale(problem, ToleranceKind::Relative).velocity;
        for (const std::string name : {"SAP", "LAGGED", "SIMILAR"}) {
          CAPTURE(dt);
          CAPTURE(stiffness);
          CAPTURE(time);
          CAPTURE(name);
          const Solution one = fromRandomStart(name, problem, random);
          const Solution other = fromRandomStart(name, problem, random);
          for (const Solution& solution : {one, other}) {
            CHECK(solution.status == SolveStatus::Solved);
            CHECK(solution.iterations <= 120);
          }
          const double apart = (test::stacked(one.twist) - test::stacked(other.twist)).norm();
          CHECK(apart < 1e-4 * speed);
        }
      }
    }
}
