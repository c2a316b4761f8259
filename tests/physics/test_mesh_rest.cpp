#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "tests/support.h"

using namespace grashof;

namespace {

/// A box of triangles, each side cut into cells; written as OBJ.
std::string meshBox(const Vec3& size, int cells) {
  std::string vertices, faces;
  int count = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-0.5, 0.5}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3, first = count;
      for (int j = 0; j <= cells; ++j)
        for (int i = 0; i <= cells; ++i) {
          Vec3 x;
          x[axis] = side * size[axis];
          x[u] = (double(i) / cells - 0.5) * size[u];
          x[v] = (double(j) / cells - 0.5) * size[v];
          vertices += fmt::format("v {:.17g} {:.17g} {:.17g}\n", x[0], x[1], x[2]);
          ++count;
        }
      for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) {
          const int a = first + j * (cells + 1) + i + 1, b = a + 1, c = a + cells + 1, d = c + 1;
          faces += side > 0.0 ? fmt::format("f {} {} {}\nf {} {} {}\n", a, b, d, a, d, c)
                              : fmt::format("f {} {} {}\nf {} {} {}\n", a, d, b, a, c, d);
        }
    }
  return vertices + faces;
}

}  // namespace

TEST_CASE("mesh boxes that fall on mesh boxes come to rest") {
  const test::ScratchFolder folder;
  test::forAll(61, 100, [&](test::Random& random, int trial) {
    const auto edge = [&] { return random.uniform(0.1, 0.3); };
    const Vec3 low(1.0, 1.0, edge()), high(edge(), edge(), edge());
    folder.write("low.obj", meshBox(low, 1 + trial % 5));
    folder.write("high.obj", meshBox(high, 1 + trial % 4));
    const Scenario s = readScenario(folder.write(
        "rest.xml", fmt::format("<scenario><material name='default' friction='0.6'/>"
                                "<shape type='mesh' file='low.obj' position='0 0 {:.17g}'/><body name='b' "
                                "position='{:.17g} {:.17g} {:.17g}' rpy='{:.17g} {:.17g} {:.17g}'>"
                                "<shape type='mesh' file='high.obj' density='500'/></body></scenario>",
                                -0.5 * low.z(), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1),
                                0.5 * high.norm() + 0.02, random.uniform(), random.uniform(),
                                random.uniform(-3.0, 3.0))));
    Simulator simulator(s.model, startState(*s.model));
    double speed = 1.0;
    while (simulator.state().time < 5.0 && speed > 1e-8) {
      simulator.step();
      REQUIRE(!simulator.diverged());
      speed = simulator.state().twists[0].norm();
    }
    CHECK(speed <= 1e-8);
  });
}
