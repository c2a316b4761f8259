#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/dynamics/body_classes.h"
#include "engine/scenario/scenario.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Scenario chainOf(int bodies) {
  std::string inner;
  for (int b = 0; b < bodies; ++b)
    inner += fmt::format(
        "<body name='b{0}' position='{0} 0 0'><inertial mass='1' inertia='1 1 1'/></body>"
        "<joint name='j{0}' type='revolute' {1} follower='b{0}' position='{0} 0 0' axis='0 1 0'/>",
        b, b > 0 ? fmt::format("base='b{}'", b - 1) : "");
  return test::scenarioOf(inner);
}

}  // namespace

TEST_CASE("classes of bodies hold each body once, and none with a neighbour in common") {
  const Scenario s = chainOf(30);
  Contact touch;  // the ends of the chain
  touch.bodyA = 0;
  touch.bodyB = 29;
  const BodyClasses classes(*s.model, std::vector<Contact>{touch});
  CHECK(classes.all().size() <= 5);  // however long the chain is
  std::vector<int> count(30, 0);
  for (const BodyClasses::Class& one : classes.all()) {
    for (const int b : one.bodies) {
      ++count[static_cast<std::size_t>(b)];
      for (const int near : {b - 1, b, b + 1})
        CHECK(one.owner[static_cast<std::size_t>((near + 30) % 30)] == b);
      for (const int other : one.bodies) {
        const int apart = std::abs(b - other);
        CHECK((b == other || std::min(apart, 30 - apart) > 2));
      }
    }
  }
  CHECK(std::all_of(count.begin(), count.end(), [](int n) { return n == 1; }));
}

TEST_CASE("slopes of a class go to the columns of the bodies that own them") {
  const Scenario s = chainOf(7);
  const BodyClasses classes(*s.model, {});
  const BodyClasses::Class& one = classes.all().front();
  REQUIRE(one.bodies.size() >= 2);
  const std::vector<int> place = bodiesOfTwists(7);
  VecX values = VecX::Zero(42);
  for (const int b : one.bodies) values[6 * b + 1] = 1.0 + b;
  for (const int component : {2, 8}) {
    std::vector<Eigen::Triplet<double>> entries;
    addSlope(one, component, values, place, entries);
    REQUIRE(entries.size() == one.bodies.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const int b = one.bodies[i];
      CHECK(entries[i].row() == 6 * b + 1);
      CHECK(entries[i].col() == (component == 2 ? 6 * b + 2 : 6 * (7 + b) + 2));
      CHECK(entries[i].value() == 1.0 + b);
    }
  }
}
