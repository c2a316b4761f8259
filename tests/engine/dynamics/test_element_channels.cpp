#include "engine/base/error.h"
#include "engine/dynamics/element_channels.h"
#include "tests/support.h"

using namespace grashof;

static const char* const kElements = R"(
  <body name="a" position="3 4 0" velocity="0 1 0"><inertial mass="1" inertia="1 1 1"/></body>
  <spring name="strut.left" body2="a" stiffness="10"/><bushing name="mount" follower="a" stiffness="1 1 1 1 1 1"/>)";

TEST_CASE("channels of elements are length, speed and force; of bushings their six components") {
  test::Run run(kElements);
  CHECK(run["element.strut.left.length"] == doctest::Approx(5.0));
  CHECK(run["element.strut.left.speed"] == doctest::Approx(0.8));
  CHECK(run["element.strut.left.force"] == 0.0);
  CHECK(run["element.mount.displacement.y"] == 0.0);
  CHECK(run["element.mount.rotation.z"] == 0.0);
  run.simulator().step();
  CHECK(run["element.strut.left.force"] == doctest::Approx(-10.0 * 0.5e-3 * 0.8).epsilon(0.02));
  CHECK(run["element.mount.force.y"] == doctest::Approx(-0.5e-3).epsilon(0.02));
}

TEST_CASE("an unknown channel of an element says what is known") {
  const test::Run run(kElements);
  CHECK_THROWS_WITH_AS(run["element.strut.left.torque"],
                       doctest::Contains("force tension start-tension length speed"), InputError);
  CHECK_THROWS_WITH_AS(run["element.mount.length"], doctest::Contains("rotation.x"), InputError);
  CHECK_THROWS_WITH_AS(run["element.other.force"], doctest::Contains("no such element"), InputError);
}
