#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support.h"

using namespace grashof;

namespace {

const std::vector<std::string> kRunners = {
    "type='sphere' radius='0.05'", "type='box' size='0.12 0.1 0.1'",
    "type='cylinder' radius='0.05' length='0.1' rpy='1.5707963267948966 0 0'",
    "type='capsule' radius='0.05' length='0.1' rpy='1.5707963267948966 0 0'"};

/// Flush boxes of random sizes, in rows along x whose seams lie across and along the way.
std::string tiles(test::Random& random, double length) {
  std::string text;
  for (double y = -0.6; y < 0.6;) {
    const double width = random.uniform(0.1, 0.5);
    for (double x = -0.5; x < length;) {
      const double size = random.uniform(0.05, 0.6), thick = random.uniform(0.02, 0.2);
      text +=
          fmt::format("<shape type='box' size='{:.17g} {:.17g} {:.17g}' position='{:.17g} {:.17g} {:.17g}'/>",
                      size, width, thick, x + 0.5 * size, y + 0.5 * width, -0.5 * thick);
      x += size;
    }
    y += width;
  }
  return text;
}

/// A flat mesh of irregular triangles; writes it into `folder`.
std::string mesh(test::Random& random, double length, const test::ScratchFolder& folder) {
  const int columns = static_cast<int>(length / 0.2) + 4, rows = 7;
  std::string text, faces;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      const double x = -0.5 + 0.2 * (i + random.uniform(-0.3, 0.3)),
                   y = 0.2 * (j - 3 + random.uniform(-0.3, 0.3));
      text += fmt::format("v {:.17g} {:.17g} 0\n", x, y);
      if (i + 1 == columns || j + 1 == rows) continue;
      const int a = j * columns + i + 1, b = a + 1, c = a + columns, d = c + 1;
      faces += random.uniform() > 0.0 ? fmt::format("f {} {} {}\nf {} {} {}\n", a, b, d, a, d, c)
                                      : fmt::format("f {} {} {}\nf {} {} {}\n", a, b, c, b, d, c);
    }
  folder.write("floor.obj", text + faces);
  return "<shape type='mesh' file='floor.obj'/>";
}

std::string field(test::Random& random, double length, const test::ScratchFolder& folder) {
  const double spacing = random.uniform(0.05, 0.4);
  const int columns = static_cast<int>((length + 1.0) / spacing) + 2,
            rows = static_cast<int>(1.2 / spacing) + 2;
  std::string text;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) text += "0 ";
    text += "\n";
  }
  folder.write("floor.txt", text);
  return fmt::format("<shape type='height-field' file='floor.txt' spacing='{:.17g}' position='{:.17g} 0 0'/>",
                     spacing, 0.5 * length);
}

/// How a runner crosses a floor without friction.
struct Crossing {
  double lost = 0.0, aside = 0.0;  ///< share of its speed, and m
};
Crossing crossing(const std::string& floor, const std::string& runner, double speed, double time,
                  const test::ScratchFolder& folder) {
  const Scenario scenario = readScenario(folder.write(
      "seams.xml",
      "<scenario><material name='default' friction='0'/>" + floor +
          fmt::format("<body name='b' position='0 0 0.05' velocity='{:.17g} 0 0'><shape {} mass='1'/>"
                      "</body></scenario>",
                      speed, runner)));
  Simulator simulator(scenario.model, startState(*scenario.model));
  Crossing worst;
  while (simulator.state().time < time - 1e-9) {
    simulator.step();
    REQUIRE(!simulator.diverged());
    worst.lost = std::max(worst.lost, std::abs(simulator.state().twists[0][0] / speed - 1.0));
    worst.aside = std::max(worst.aside, std::abs(simulator.state().poses[0].position.y()));
  }
  return worst;
}

}  // namespace

TEST_CASE("without friction, what slides over the seams of random floors keeps its speed and direction") {
  const test::ScratchFolder folder;
  Crossing tiled, meshed, fielded;
  test::forAll(51, 32, [&](test::Random& random, int trial) {
    const double speed = std::pow(10.0, random.uniform(-1.0, 1.0));
    const double length = std::clamp(speed, 0.3, 4.0), time = length / speed;
    const std::string& runner = kRunners[static_cast<std::size_t>(trial) % kRunners.size()];
    CAPTURE(runner);
    CAPTURE(speed);
    const auto cross = [&](const std::string& floor, Crossing& worst) {
      const Crossing found = crossing(floor, runner, speed, time, folder);
      CHECK(found.lost < 1e-6);
      CHECK(found.aside < 1e-8);
      worst.lost = std::max(worst.lost, found.lost);
      worst.aside = std::max(worst.aside, found.aside);
    };
    cross(tiles(random, length + 1.0), tiled);
    cross(mesh(random, length + 1.0, folder), meshed);
    cross(field(random, length + 1.0, folder), fielded);
  });
  MESSAGE("lost and aside (m): tiles " << tiled.lost << ", " << tiled.aside << "; meshes " << meshed.lost
                                       << ", " << meshed.aside << "; fields " << fielded.lost << ", "
                                       << fielded.aside);
}
