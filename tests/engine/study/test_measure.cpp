#include <cmath>
#include <numbers>

#include "engine/base/error.h"
#include "engine/study/measure.h"
#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;
using study::Measure;
using study::parseMeasure;
using study::Reduction;

TEST_CASE("measures of a motion that is known have the values of its formula") {
  // q = 0.2 + sin(2 pi t), followed exactly.
  const Scenario s = test::scenarioOf(R"(<options timestep="1e-3" duration="3.2" gravity="0 0 0"/>
    <motion name="u" type="sine" amplitude="1" frequency="1" offset="0.2"/>
    <body name="a"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="prismatic" follower="a" position="0 0 0" axis="1 0 0"><actuator type="motion" motion="u"/></joint>)");
  std::vector<Measure> measures;
  for (const char* text :
       {"max", "min", "peak", "range", "mean[0..3]", "rms[0..3]", "deviation[0..3]", "integral[0..3]", "end",
        "at[0.25]", "time-of-max[0..1]", "time-of-min[..1]", "period"})
    measures.push_back(parseMeasure(std::string(text) + ":joint.j.q.0"));
  World world(s.model);
  study::Measurement measurement(measures, *s.model);
  for (int i = 0; i < 3200; ++i) {
    world.step();
    measurement.observe(world.simulator());
  }
  const std::vector<double> x = measurement.values();
  const double wanted[] = {1.2,
                           -0.8,
                           1.2,
                           2.0,
                           0.2,
                           std::sqrt(0.04 + 0.5),
                           std::sqrt(0.5),
                           0.6,
                           0.2 + std::sin(0.4 * std::numbers::pi),
                           1.2,
                           0.25,
                           0.75,
                           1.0};
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(measures[i].name);
    CHECK(std::abs(x[i] - wanted[i]) < 2e-6);
  }
}

TEST_CASE("texts of measures") {
  const Measure m = parseMeasure("load=rms[0.5..2]:joint.a=b.reaction");
  CHECK(m.name == "load");
  CHECK(m.reduction == Reduction::Rms);
  CHECK(m.from == 0.5);
  CHECK(m.to == 2.0);
  CHECK(m.channel == "joint.a=b.reaction");
  CHECK(parseMeasure("max:time").name == "max:time");
  CHECK(std::isinf(parseMeasure("max[1..]:time").to));
  for (const char* bad :
       {"", "max", "max:", "maxx:time", ":time", "=max:time", "max[1..2:time", "max[2..1]:time",
        "max[1]:time", "max[a..b]:time", "at:time", "at[-1]:time", "at[]:time", "max[1..2]time"})
    CHECK_THROWS_AS(parseMeasure(bad), InputError);
}

TEST_CASE("a measure without steps, and one that never rises twice, is not a number") {
  const Scenario s = test::scenarioOf(R"(<body name="a"><inertial mass="1" inertia="1 1 1"/></body>)");
  study::Measurement measurement(
      {parseMeasure("max[5..6]:time"), parseMeasure("period:time"), parseMeasure("at[7]:time")}, *s.model);
  World world(s.model);
  world.step();
  measurement.observe(world.simulator());
  for (const double x : measurement.values()) CHECK(std::isnan(x));
  CHECK_THROWS_AS(study::Measurement({parseMeasure("max:body.b.speed")}, *s.model), InputError);
}
