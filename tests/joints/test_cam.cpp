#include <numbers>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A cam that turns about z and lifts a slide by 0.1 (1 - cos) in n samples; `drive`: of the cam.
std::string camFigure(int n, const std::string& drive) {
  std::string samples;
  for (int i = 0; i <= n; ++i) {
    const double a = 2.0 * std::numbers::pi * i / n;
    samples += fmt::format("{} {} ", a, i == n ? 0.0 : 0.1 * (1.0 - std::cos(a)));
  }
  return fmt::format(
      R"(<options gravity="0 0 -9.81"/><motion name="turn" type="series" samples="0 0 2 14" interpolation="linear"/>
         <body name="cam"><inertial mass="1" inertia="0.1 0.1 0.1"/></body><body name="valve" position="1 0 0"><inertial mass="0.5" inertia="0.1 0.1 0.1"/></body>
         <joint name="axle" type="revolute" follower="cam" axis="0 1 0">{}</joint>
         <joint name="guide" type="prismatic" follower="valve" position="1 0 0" axis="0 0 1"/>
         <coupling name="lift" type="cam" cam="axle" follower="guide" samples="{}" offset="0.02"/>)",
      drive, samples);
}

}  // namespace

TEST_CASE("a cam lifts its follower by its profile over several turns, and the loop stays closed") {
  test::Run run(camFigure(72, R"(<actuator type="motion" motion="turn"/>)"));
  double worst = 0.0;
  while (run.simulator().state().time < 1.9) {
    worst = std::max(worst, run.simulator().step().jointResidual);
    const double q = run["joint.axle.q.0"];
    CHECK(run["joint.guide.q.0"] == doctest::Approx(0.02 + 0.1 * (1.0 - std::cos(q))).epsilon(1e-4));
  }
  CHECK(run["joint.axle.q.0"] > 4.0 * std::numbers::pi);
  CHECK(worst <= 1e-10);
}

TEST_CASE("a free cam trades lift for speed: energy is kept") {
  test::Run run(camFigure(36, "") + R"(<perturb angular-velocity="3" seed="3"/>)");
  run.until(1.0);
  CHECK(std::abs(run.simulator().relativeEnergyDrift()) <= 1e-3);
}

TEST_CASE("a cam's row is the derivative of its residual, at the seam, too") {
  const Scenario s = test::scenarioOf(camFigure(12, ""));
  const Coupling& c = s.model->couplings[0];
  for (const double q : {-7.0, -0.3, -1e-4, 0.0, 1e-4, 0.4, 3.0, 6.28, 12.6}) {
    const double h = 1e-6;
    CHECK(c.slope(q) == doctest::Approx((c.value(q + h) - c.value(q - h)) / (2.0 * h)).epsilon(1e-4));
    CHECK(c.value(q) == doctest::Approx(c.value(q + 2.0 * std::numbers::pi)).epsilon(1e-9));
  }
  CHECK(std::abs(c.slope(0.0)) <= 1e-9);
  // Written and read again it is the same.
  const test::ScratchFolder folder;
  writeScenario(s, folder.path("cam.xml"));
  const Coupling again = readScenario(folder.path("cam.xml")).model->couplings[0];
  CHECK(again.profile.times == c.profile.times);
  CHECK(again.profile.values == c.profile.values);
}

TEST_CASE("a cam with too few samples, or none, says so") {
  const auto error = [](const std::string& attributes) -> std::string {
    try {
      test::scenarioOf(
          R"(<body name="a"><inertial mass="1" inertia="1 1 1"/></body><body name="b"><inertial mass="1" inertia="1 1 1"/></body>
        <joint name="i" type="revolute" follower="a"/><joint name="k" type="prismatic" follower="b"/><coupling name="c" type="cam" cam="i" follower="k" )" +
          attributes + "/>");
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  CHECK(error("").find("needs either file or samples") != std::string::npos);
  CHECK(error("samples='0 0 1 1'").find("at least three samples") != std::string::npos);
  CHECK(error("samples='0 0 1 1 1 0'").find("do not increase") != std::string::npos);
  CHECK(error("file='none.csv'").find("cannot be read") != std::string::npos);
}
