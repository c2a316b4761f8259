#include "engine/analysis/motion_remarks.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// What is said of an arm of 1 s that follows a motion within limits.
std::vector<std::string> ofMotion(const std::string& motion, const std::string& limit = {}) {
  const Scenario s =
      test::scenarioOf("<options duration='1' timestep='0.001' gravity='0 0 0'/><motion name='m' " + motion +
                       "/><body name='a'><inertial mass='1' inertia='1 1 1'/></body><joint "
                       "name='knob' type='revolute' follower='a' axis='0 1 0'>" +
                       limit + "<actuator type='motion' motion='m'/></joint>");
  return motionRemarks(*s.model, s.duration);
}

bool says(const std::vector<std::string>& remarks, const std::string& text) {
  return remarks.size() == 1 && remarks[0].find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the largest jump of a prescribed rate is named with its time, and none where there is none") {
  const auto linear = [](const std::string& samples) {
    return ofMotion("type='series' interpolation='linear' samples='" + samples + "'");
  };
  CHECK(says(linear("0 0 0.5 1 2 1"), "motion of joint 'knob' jumps by 2 rad/s at t = 0.5 s: peaks there"));
  CHECK(says(linear("0 0 0.25 1 0.5 0 2 0"), "jumps by 8 rad/s at t = 0.25 s, the largest of 2 jumps"));
  CHECK(says(linear("0 0 0.5 1"), "jumps by 2 rad/s at t = 0.5 s"));  // it ends before the run
  CHECK(linear("0 0 1 1").empty());                                   // with it
  CHECK(linear("0 0 0.5 0.5 0.6 0.6 2 2").empty());                   // straight on
  CHECK(linear("0 0 0.4999 0 0.5003 0.1 0.5007 0.3 2 0.3").size() == 1);
  CHECK(ofMotion("type='series' samples='0 0 0.5 1 2 1'").empty());
  CHECK(ofMotion("type='sine' amplitude='1' frequency='1'").empty());
}

TEST_CASE("a motion beyond the limits of its joint is named with both numbers and when") {
  const std::string limit = "<limit lower='-0.5' upper='0.5'/>";
  // sin(2 pi t / 4) passes 0.5 at a third of a second.
  CHECK(says(ofMotion("type='sine' amplitude='1' frequency='0.25'", limit),
             "motion of joint 'knob' goes to 1 rad at 1 s, beyond its upper limit 0.5 rad from 0.334 s on"));
  CHECK(says(ofMotion("type='series' samples='0 0 0.5 -0.7 1 -0.2'", limit),
             "goes to -0.7 rad at 0.5 s, beyond its lower limit -0.5 rad"));
  CHECK(ofMotion("type='series' samples='0 0 0.5 -0.5 1 -0.5'", limit).empty());
  CHECK(ofMotion("type='series' samples='0 0 0.5 0.4 1 0.45 3 2'", limit).empty());  // after the run
}
