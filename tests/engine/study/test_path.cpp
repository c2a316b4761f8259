#include <cmath>
#include <numbers>

#include "engine/base/error.h"
#include "engine/study/measure.h"
#include "engine/study/path.h"
#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;
using study::fitLine;
using study::missOf;

TEST_CASE(
    "the best line of points on an arc has half the arc's sagitta as deviation, and its chord as length") {
  std::vector<Vec3> points;
  const double half = 0.3;
  for (int i = -50; i <= 50; ++i)
    points.emplace_back(1.0 + std::sin(half * i / 50.0), 2.0, std::cos(half * i / 50.0));
  const study::LineFit fit = fitLine(points);
  CHECK(fit.length == doctest::Approx(2.0 * std::sin(half)).epsilon(1e-12));
  CHECK(fit.deviation == doctest::Approx(0.5 * (1.0 - std::cos(half))).epsilon(1e-12));
  CHECK(fit.straightness() == fit.deviation / fit.length);
  CHECK(std::isnan(fitLine({Vec3::Zero(), Vec3::Zero()}).straightness()));
}

TEST_CASE("a miss is the distance from the path, or from where it is at the target's time") {
  const std::vector<Vec3> path = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const std::vector<double> times = {0.0, 1.0, 2.0};
  CHECK(missOf(path, times, study::parseTargets("1.25 0 3")) == doctest::Approx(3.0));
  CHECK(missOf(path, times, study::parseTargets("3 4 0")) == doctest::Approx(std::sqrt(17.0)));
  CHECK(missOf(path, times, study::parseTargets("0.5 0.5 0 1; 0.5 1.5 0 0")) ==
        doctest::Approx(std::sqrt(1.0)));
  CHECK(std::isnan(missOf({}, {}, study::parseTargets("0 0 0"))));
}

TEST_CASE("measures of a path follow a point of a body, and a transmission angle is that of its triangle") {
  // A bar that turns by a quarter: its far end draws a quarter of a circle.
  const Scenario s = test::scenarioOf(R"(<options timestep="1e-3" duration="1" gravity="0 0 0"/>
    <motion name="u" type="series" samples="0 0 1 1.5707963267948966"/>
    <body name="a" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="revolute" follower="a" position="0 0 0" axis="0 1 0"><actuator type="motion" motion="u"/></joint>
    <joint name="k" type="fixed" base="a" follower="b" position="1 0 0"/>
    <joint name="l" type="fixed" base="b" follower="c" position="1 0 2"/>
    <body name="b" position="1 0 1"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="c" position="1 0 2"><inertial mass="1" inertia="1 1 1"/></body>)");
  std::vector<study::Measure> measures;
  for (const char* text : {"straightness:a:1,0,0", "extent:a:1,0,0", "miss:a:1,0,0@0 0 -2; 2 0 0",
                           "transmission:j,k,l", "extent[..0.5]:a"})
    measures.push_back(study::parseMeasure(text));
  World world(s.model);
  study::Measurement measurement(measures, *s.model);
  for (int i = 0; i < 1000; ++i) {
    world.step();
    measurement.observe(world.simulator());
  }
  const std::vector<double> x = measurement.values();
  const double root = std::numbers::sqrt2;
  CHECK(x[0] == doctest::Approx((2.0 - root) / 2.0 / (2.0 * root)).epsilon(1e-2));
  CHECK(x[1] == doctest::Approx(2.0 * root).epsilon(1e-2));
  CHECK(x[2] < 1e-2);
  CHECK(x[3] == doctest::Approx(0.5 * std::numbers::pi).epsilon(1e-6));
  CHECK(x[4] < x[1]);
  CHECK_THROWS_AS(study::Measurement({study::parseMeasure("extent:d")}, *s.model), InputError);
  CHECK_THROWS_AS(study::Measurement({study::parseMeasure("transmission:j,k")}, *s.model), InputError);
  CHECK_THROWS_AS(study::parseMeasure("miss:a"), InputError);
  CHECK_THROWS_AS(study::parseMeasure("miss:a@1 2"), InputError);
}

TEST_CASE("points are read from CSV with and without headings, and a wrong line is named") {
  const test::ScratchFolder folder;
  CHECK(study::readTargets(folder.write("a.csv", "x,z\n0.1,0.2\n0.3,0.4\n")) == "0.1 0 0.2; 0.3 0 0.4");
  CHECK(study::readTargets(folder.write("b.csv", "0,1,2,3\n1,4,5,6\n")) == "0 1 2 3; 1 4 5 6");
  for (const char* text : {"x,z\n", "1,2\n1,2,3\n", "1,2\n1,nan\n", "1\n"})
    CHECK_THROWS_AS(study::readTargets(folder.write("c.csv", text)), InputError);
}
