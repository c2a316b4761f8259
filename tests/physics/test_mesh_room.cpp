#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kRoom = 1.0;  // m

/// The sides of a cube as OBJ, each cut into cells, which look outwards or inwards. `first`: vertices before.
std::string cube(double edge, int cells, bool outwards, int first) {
  std::string vertices, faces;
  int count = first;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-0.5, 0.5}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3, start = count + 1;
      for (int j = 0; j <= cells; ++j)
        for (int i = 0; i <= cells; ++i) {
          Vec3 x;
          x[axis] = side * edge;
          x[u] = (double(i) / cells - 0.5) * edge;
          x[v] = (double(j) / cells - 0.5) * edge;
          vertices += fmt::format("v {:.17g} {:.17g} {:.17g}\n", x[0], x[1], x[2]);
          ++count;
        }
      for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) {
          const int a = start + j * (cells + 1) + i, b = a + 1, c = a + cells + 1, d = c + 1;
          faces += (side > 0.0) == outwards ? fmt::format("f {} {} {}\nf {} {} {}\n", a, b, d, a, d, c)
                                            : fmt::format("f {} {} {}\nf {} {} {}\n", a, d, b, a, c, d);
        }
    }
  return vertices + faces;
}

/// A closed room of one mesh: walls, `thick` m, with an outer and an inner side.
std::string room(int cells, double thick = 0.02) {
  const int vertices = 6 * (cells + 1) * (cells + 1);
  return cube(kRoom + 2.0 * thick, cells, true, 0) + cube(kRoom, cells, false, vertices);
}

/// How far (m) the middle of a thing is over the floor that it touches, and the thing.
struct Thing {
  double height;
  std::string shape;
};

const std::vector<Thing> kRoomThings = {{0.01, "type='sphere' radius='0.01'"},
                                        {0.01, "type='box' size='0.03 0.025 0.02'"},
                                        {0.025, "type='capsule' radius='0.01' length='0.03'"},
                                        {0.015, "type='cylinder' radius='0.01' length='0.03'"}};

}  // namespace

TEST_CASE("what flies, slides and rolls in a room of one mesh stays in it") {
  const test::ScratchFolder folder;
  test::forAll(81, 400, [&](test::Random& random, int trial) {
    folder.write("room.obj", room(1 + trial % 3));
    const Thing& thing = kRoomThings[static_cast<std::size_t>(trial) % kRoomThings.size()];
    const double speed = std::pow(10.0, random.uniform(0.0, 1.6)), angle = random.uniform(-3.14, 3.14);
    // One in two goes along the floor, on it or just above.
    const bool along = trial / 4 % 2 == 0;
    const double above = along ? 1e-3 * (trial / 8 % 3) : 0.1;
    const double rise = along ? 0.0 : random.uniform();
    const Scenario s = readScenario(folder.write(
        "room.xml",
        fmt::format("<scenario><options timestep='1e-3'/><material name='default' friction='{}' "
                    "restitution='{}'/><shape type='mesh' file='room.obj'/>"
                    "<body name='b' position='{:.17g} {:.17g} {:.17g}' velocity='{:.17g} {:.17g} {:.17g}'>"
                    "<shape {} density='1000'/></body></scenario>",
                    0.1 * (trial / 24 % 3), 0.2 * (trial / 72 % 4), random.uniform(-0.4, 0.4),
                    random.uniform(-0.4, 0.4), -0.5 * kRoom + thing.height + above, speed * std::cos(angle),
                    speed * std::sin(angle), speed * rise, thing.shape)));
    Simulator simulator(s.model, startState(*s.model));
    CAPTURE(speed);
    double out = -kRoom, leap = 0.0;
    for (int i = 0; i < 100; ++i) {
      simulator.step();
      REQUIRE(!simulator.diverged());
      leap = std::max(leap, simulator.report().leap);
      out = std::max(out, simulator.state().poses[0].position.lpNorm<Eigen::Infinity>() - 0.5 * kRoom);
    }
    CHECK((out < 0.0 || leap > 10.0));
  });
}

TEST_CASE("balls that roll or bounce along the floor of a mesh room stop at its walls, thin ones too") {
  const test::ScratchFolder folder;
  for (const double thick : {0.002, 0.02})
    for (const double restitution : {0.0, 0.5})
      for (const double fall : {0.0, 1.0})
        for (int start = 0; start < 20; ++start) {
          folder.write("room.obj", room(1, thick));
          const double speed = 40.0, radius = 0.01, place = 0.3 + start * 0.1 * speed * 1e-3;
          const Scenario s = readScenario(folder.write(
              "room.xml",
              fmt::format(
                  "<scenario><options timestep='1e-3'/><material name='default' friction='0' "
                  "restitution='{}'/><shape type='mesh' file='room.obj'/><body name='b' position='{} 0 {}' "
                  "velocity='{} 0 {}'><shape type='sphere' radius='{}' density='1000'/></body></scenario>",
                  restitution, place, -0.5 * kRoom + radius + 1e-3 * fall, speed, -fall, radius)));
          Simulator simulator(s.model, startState(*s.model));
          double farthest = 0.0;
          for (int i = 0; i < 12; ++i) {
            simulator.step();
            farthest = std::max(farthest, simulator.state().poses[0].position.x() + radius);
          }
          CAPTURE(thick);
          CAPTURE(restitution);
          CAPTURE(fall);
          CAPTURE(start);
          CHECK(farthest < 0.5 * kRoom + 1e-3);
          CHECK(simulator.state().twists[0][0] == doctest::Approx(-restitution * speed).epsilon(1e-6));
        }
}
