#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;
using test::Run;

namespace {

/// A rotor (moments `along`, `across`, kg·m²) at the rate `spin` about x in a frame that turns at 2 rad/s
/// about z, by a motion or freely.
std::string rotorInFrame(double spin, double along, double across, const std::string& options, bool driven) {
  return fmt::format(R"(<options gravity="0 0 0" {}/>
    <motion name="turn" type="series" interpolation="linear" samples="0 0 10 20"/>
    <body name="frame" angular-velocity="0 0 2"><inertial mass="1" inertia="2e-3 3e-3 4e-3"/></body>
    <body name="rotor" angular-velocity="{} 0 2"><inertial mass="0.7" inertia="{} {} {}"/></body>
    <joint name="axle" type="revolute" base="frame" follower="rotor" axis="1 0 0"/>
    <joint name="table" type="revolute" follower="frame" axis="0 0 1">{}</joint>)",
                     options, spin, along, across, across,
                     driven ? R"(<actuator type="motion" motion="turn"/>)" : "");
}

/// Wheels about parallel axes, one at `spin`, the other turned by it at a fifth of its rate the other way.
std::string gearedWheels(double spin, const std::string& more) {
  return fmt::format(R"(<options gravity="0 0 0"/>
    <body name="fast" angular-velocity="0 {} 0"><inertial mass="1" inertia="2e-4 3e-4 2e-4"/></body>
    <body name="slow" position="0.2 0 0" angular-velocity="0 {} 0"><inertial mass="2" inertia="2e-3 3e-3 2e-3"/></body>
    <joint name="axle" type="revolute" follower="fast" axis="0 1 0">{}</joint>
    <joint name="out" type="revolute" follower="slow" position="0.2 0 0" axis="0 1 0"/>
    <coupling name="gear" type="gear" joint-a="out" joint-b="axle" ratio="-0.2"/>)",
                     spin, -0.2 * spin, more);
}

}  // namespace

TEST_CASE(
    "the bearings of a rotor on a turning frame carry I w times the rate, to 1e-6, up to 10 rad a step") {
  // Moments from a disk's to a rod's, and a rotor that is a ball.
  for (const auto& [along, across] : {std::pair(5e-4, 2.6e-4), {5e-4, 5e-4}, {1e-4, 6e-4}})
    for (const double spin : {100.0, 1000.0, 2000.0, 3700.0, 6283.0, 10000.0})
      for (const std::string options : {"", "integrator=\"euler\""}) {
        CAPTURE(spin);
        CAPTURE(along / across);
        CAPTURE(options);
        Run run(rotorInFrame(spin, along, across, options, true));
        run.until(0.02);
        for (int i = 1; i <= 20; ++i) {
          run.until(0.02 + 0.001 * i);
          const double moment = Vec3(run.simulator().jointReaction(0).tail<3>()).norm();
          CHECK(moment == doctest::Approx(along * spin * 2.0).epsilon(1e-6));
        }
        CHECK(run["joint.axle.angle"] == doctest::Approx(spin * 0.04).epsilon(1e-9));
        CHECK(run["joint.axle.rate.0"] == doctest::Approx(spin).epsilon(1e-9));
      }
}
