#include "engine/model/mechanism_size.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the size of a mechanism is the mean distance of joints from centres of mass, 1 m without any") {
  Model model;
  CHECK(mechanismSize(model) == 1.0);
  Joint joint;
  joint.base = kWorld;
  joint.baseFrame.position = Vec3(100.0, 0.0, 0.0);  // in the world: no length of the mechanism
  model.joints.push_back(joint);
  CHECK(mechanismSize(model) == 1.0);  // at the centre of mass
  model.joints[0].followerFrame.position = Vec3(0.3, 0.0, 0.4);
  CHECK(mechanismSize(model) == doctest::Approx(0.5));
  joint.base = 0;
  joint.baseFrame.position = Vec3(0.0, 2.0, 0.0);
  joint.followerFrame.position = Vec3(0.0, 0.0, 3.5);
  model.joints.push_back(joint);
  CHECK(mechanismSize(model) == doctest::Approx(2.0));
}
