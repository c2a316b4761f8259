#include "tests/support.h"

using namespace grashof;

namespace {

/// A ball that is thrown obliquely at a tilted block without friction; `shape`: how the ball is written.
std::string thrownAt(const std::string& shape, const std::string& block) {
  return R"(<options timestep="1e-3" gravity="0 0 0"/><material name="default" friction="0" restitution="0.6"/>
    <shape position="0.03 -0.02 0" rpy="0.3 0.5 -0.2" )" +
         block + R"(/>
    <body name="ball" position="0.01 0.02 0.5" velocity="0.15 -0.1 -1.5">)" +
         shape + R"(</body>)";
}

}  // namespace

TEST_CASE("a ball written as an ellipsoid leaves a frictionless blow as the ball does, and does not spin") {
  for (const std::string block :
       {R"(type="box" size="0.3 0.4 0.2")", R"(type="cylinder" radius="0.15" length="0.2")",
        R"(type="cone" radius="0.2" length="0.3")", R"(type="ellipsoid" size="0.2 0.15 0.1")",
        R"(type="capsule" radius="0.1" length="0.2")"}) {
    CAPTURE(block);
    test::Run ball(thrownAt(R"(<shape type="sphere" radius="0.08" mass="1"/>)", block)),
        egg(thrownAt(R"(<shape type="ellipsoid" size="0.08 0.08 0.08" mass="1"/>)", block));
    ball.until(0.6);
    egg.until(0.6);
    const Vec6 &u = ball.simulator().state().twists.back(), &v = egg.simulator().state().twists.back();
    CHECK((u - Vec6((Vec6() << 0.15, -0.1, -1.5, 0.0, 0.0, 0.0).finished())).norm() >
          0.1);  // there was a blow
    CHECK((u - v).norm() < 1e-7);
    CHECK(v.tail<3>().norm() < 1e-7);
    CHECK((ball.simulator().state().poses.back().position - egg.simulator().state().poses.back().position)
              .norm() < 1e-7);
  }
}
