#include <cmath>
#include <cstdlib>
#include <new>

#include "engine/results/recorder.h"
#include "engine/world.h"
#include "tests/support.h"

// Counts every allocation of the program while armed.
namespace {
bool armed = false;
long allocations = 0;
}  // namespace

void* operator new(std::size_t size) {
  if (armed) ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (armed) ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(a, (size + a - 1) / a * a)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (armed) ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

using namespace grashof;

namespace {

/// Solves with every solver, twice cold and then once warm, when nothing may be allocated.
void checkSolvers(const DualProblem& problem) {
  for (const SolverEntry& entry : solverRegistry()) {
    SolverOptions options;
    options.name = entry.name;
    options.maxIterations = 50;
    const auto solver = makeSolver(options);
    Solution solution;
    solver->solve(problem, solution);
    solution = {};
    solver->solve(problem, solution);  // all memory is there
    solution.warm = true;
    allocations = 0;
    armed = true;
    solver->solve(problem, solution);
    armed = false;
    CAPTURE(entry.name);
    CHECK(allocations == 0);
  }
}

}  // namespace

TEST_CASE("sweeps of the Gauss-Seidel family and iterations of ADMM allocate nothing") {
  test::Random random(31);
  checkSolvers(test::randomProblem(random, 8, true, 4, 6));
}

TEST_CASE(
    "normal laws that are curves allocate nothing, whether a solver knows them or gets their tangents") {
  test::Random random(32);
  DualProblem problem = test::randomProblem(random, 5, false, 2, 3);
  for (ContactBlock& contact : problem.contacts) {
    contact.law = static_cast<int>(problem.laws.size());
    problem.laws.push_back(
        {.stiffness = 1e5, .exponent = 1.5, .dissipation = 1.0, .gap = -1e-3, .timestep = 1e-2});
    problem.bias[contact.row + 2] = -problem.laws.back().breakaway();
  }
  checkSolvers(problem);
}

TEST_CASE("a step of a settled scenario allocates nothing") {
  for (const std::string name :
       {"ten-cube-stack", "fourbar-free", "fourbar-fixed", "boxes-fixed", "gear-train", "stewart-platform",
        "dropped-mesh", "force-elements", "differential", "cables", "tendon-finger", "cable-eye",
        "screw-jack", "loose-fourbar", "turntable", "oscillating-belt", "breakaway-finger",
        "patch-fingers"}) {
    const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    Simulator simulator(scenario.model, startState(*scenario.model));
    for (int i = 0; i < 1200; ++i) simulator.step();
    allocations = 0;
    armed = true;
    for (int i = 0; i < 100; ++i) simulator.step();
    armed = false;
    CAPTURE(name);
    CHECK(allocations == 0);
  }
}

TEST_CASE("the loads of a step allocate nothing once they are known to be redundant or not") {
  for (const std::string name : {"fourbar-free", "fourbar-fixed", "gear-train", "stewart-platform"}) {
    const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    Simulator simulator(scenario.model, startState(*scenario.model));
    double sum = 0.0;
    const auto step = [&] {
      simulator.step();
      sum += simulator.jointReaction(0).norm();
    };
    for (int i = 0; i < 600; ++i) step();
    allocations = 0;
    armed = true;
    for (int i = 0; i < 100; ++i) step();
    armed = false;
    CAPTURE(name);
    CHECK(std::isfinite(sum));
    CHECK(allocations == 0);
  }
}

TEST_CASE("a step of a world with controls, wrenches and a controller allocates nothing") {
  for (const std::string name : {"fourbar-fixed", "slider-crank", "stewart-platform"}) {
    World world(readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml").model);
    double sum = 0.0;
    world.onStep([&sum](World& w) {
      for (std::size_t a = 0; a < w.controls().size(); ++a) {
        const auto [joint, axis] = w.actuators()[a];
        w.controls()[a] = w.state().coordinates[w.model().coordinateStart[joint] + axis];
        sum += w.efforts()[a] + w.rates()[0];
      }
      w.wrenches()[0][2] = 0.01;
    });
    for (int i = 0; i < 1200; ++i) world.step();
    allocations = 0;
    armed = true;
    for (int i = 0; i < 100; ++i) world.step();
    armed = false;
    CAPTURE(name);
    CHECK(std::isfinite(sum));
    CHECK(allocations == 0);
  }
}

TEST_CASE("records with contacts allocate nothing until a chunk is full") {
  Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/ten-cube-stack.xml");
  scenario.output.contacts = true;
  const test::ScratchFolder folder;
  Simulator simulator(scenario.model, startState(*scenario.model));
  Recorder recorder(scenario, folder.path());
  for (int i = 0; i < 1200; ++i) simulator.step();
  const auto record = [&](int count) {
    for (int i = 0; i < count; ++i) {
      simulator.step();
      recorder.record(simulator);
    }
  };
  record(600);  // the first chunk has 512
  allocations = 0;
  armed = true;
  record(100);
  armed = false;
  CHECK(allocations == 0);
}
