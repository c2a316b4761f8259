#include <fmt/format.h>

#include "tests/support.h"
#include "tools/grashof/fourbar.h"

using namespace grashof;

namespace {

/// A planar four-bar on the world with these lengths, the rocker's pin found from the crank at right angles
/// to the frame.
std::vector<FourBar> fourBar(double frame, double crank, double coupler, double rocker) {
  Vec3 pin, way;
  double along = 0.0, off2 = -1.0;
  for (double angle = 0.1; off2 < 1e-4; angle += 0.1) {  // a crank angle at which it closes
    pin = crank * Vec3(std::cos(angle), 0.0, std::sin(angle));
    const double d = (Vec3(frame, 0.0, 0.0) - pin).norm();
    way = (Vec3(frame, 0.0, 0.0) - pin) / d;
    along = (coupler * coupler - rocker * rocker + d * d) / (2.0 * d);
    off2 = coupler * coupler - along * along;
    REQUIRE(angle < 6.3);
  }
  const Vec3 far = pin + along * way + std::sqrt(off2) * Vec3(-way.z(), 0.0, way.x());
  const auto at = [](const Vec3& p) { return fmt::format("{} {} {}", p.x(), p.y(), p.z()); };
  const std::string inertial = "<inertial mass='1' inertia='1 1 1'/>";
  const Scenario s = test::scenarioOf(fmt::format(
      "<body name='crank'>{0}</body><body name='coupler'>{0}</body><body name='rocker'>{0}</body>"
      "<joint name='a' type='revolute' follower='crank' axis='0 1 0'/>"
      "<joint name='b' type='revolute' base='crank' follower='coupler' axis='0 1 0' position='{1}'/>"
      "<joint name='c' type='revolute' base='coupler' follower='rocker' axis='0 1 0' position='{2}'/>"
      "<joint name='d' type='revolute' follower='rocker' axis='0 1 0' position='{3} 0 0'/>",
      inertial, at(pin), at(far), frame));
  return findFourBars(*s.model, s.model->initialState().poses);
}

}  // namespace

TEST_CASE("Grashof's classes by the shortest bar") {
  const auto kind = [](double frame, double crank, double coupler, double rocker) {
    const auto found = fourBar(frame, crank, coupler, rocker);
    REQUIRE(found.size() == 1);
    return found[0].kind;
  };
  CHECK(kind(0.35, 0.1, 0.4, 0.3) == "crank-rocker");
  CHECK(kind(0.35, 0.3, 0.4, 0.1) == "crank-rocker");
  CHECK(kind(0.1, 0.3, 0.35, 0.4) == "double crank");
  CHECK(kind(0.4, 0.35, 0.1, 0.3) == "double rocker");
  CHECK(kind(0.5, 0.3, 0.3, 0.15) == "triple rocker");
  CHECK(kind(0.4, 0.3, 0.4, 0.3) == "change point");
  const auto found = fourBar(0.35, 0.1, 0.4, 0.3);
  CHECK(found[0].grashof == doctest::Approx(0.5 / 0.65));
  CHECK(found[0].bodies[3] == -1);
}
