#include <array>
#include <cstdlib>

#include "tests/properties/figures.h"

using namespace grashof;

// End states of four short runs, so that a change of the numbers that nobody meant is noticed. A change that
// was meant (another integrator, other rows) renews them: run
//   GRASHOF_GOLDEN=1 grashof_tests --source-file=*test_golden.cpp
// which prints the table instead of comparing, paste it here, and say in the commit why the numbers moved.
// Another order of elimination, another solver or compiler must not move them: they hold to 1e-9.

namespace {

struct Golden {
  const char* figure;
  const char* body;
  std::array<double, 3> position;  // m
  std::array<double, 6> twist;     // m/s, rad/s
};

// clang-format off
const std::vector<Golden> kGolden = {
  {"four-bar", "rocker",
   {0.3312086856259, 0, 0.1488183002997},
   {-0.7373468327467, 0, -0.09310492129656, 0, -4.95467849896, 0}},
  {"chain", "link4",
   {0.8455872793405, -1.409701436803e-05, -0.1959104156408},
   {-0.8030190040566, -0.00140548060097, -1.946479093488, -1.002248293781, 0.8139176243385, 0.05130958226402}},
  {"sliding box", "box",
   {0.4259259962083, 0.3140740986763, 0.1},
   {1.259259962056, 0.4407409867582, 0, 0, 0, 0}},
  {"Stewart platform", "platform",
   {0.000643884378019, -0.001649291804322, 0.5994476891736},
   {0.004109075979614, -0.02158266714846, -0.001768189302524, -0.03654140840692, -0.02136274087703, 0.7326658834028}},
};
// clang-format on

}  // namespace

TEST_CASE("end states of short runs are what they were, to 1e-9") {
  const bool print = std::getenv("GRASHOF_GOLDEN") != nullptr;
  std::size_t next = 0;
  for (test::Figure& figure : test::figures()) {
    if (figure.name == "driven wheel" || figure.name == "sled") continue;
    figure.model.solver.tolerance = 1e-11;
    figure.model.step.integrator = Integrator::Moreau;
    Simulator simulator(figure.model);
    test::stepTo(simulator, 200);
    const std::size_t body = figure.name == "Stewart platform" ? 0 : figure.model.bodies.size() - 1;
    const Vec3& x = simulator.state().poses[body].position;
    const Vec6& u = simulator.state().twists[body];
    if (print) {
      fmt::print("  {{\"{}\", \"{}\",\n   {{{:.13g}, {:.13g}, {:.13g}}},\n", figure.name,
                 figure.model.bodies[body].name, x[0], x[1], x[2]);
      fmt::print("   {{{:.13g}, {:.13g}, {:.13g}, {:.13g}, {:.13g}, {:.13g}}}}},\n", u[0], u[1], u[2], u[3],
                 u[4], u[5]);
      continue;
    }
    CAPTURE(figure.name);
    REQUIRE(next < kGolden.size());
    const Golden& golden = kGolden[next++];
    CHECK(figure.name == golden.figure);
    CHECK(figure.model.bodies[body].name == golden.body);
    for (int i = 0; i < 3; ++i) CHECK(std::abs(x[i] - golden.position[i]) < 1e-9);
    for (int i = 0; i < 6; ++i) CHECK(std::abs(u[i] - golden.twist[i]) < 1e-9 * (1.0 + std::abs(u[i])));
  }
}
