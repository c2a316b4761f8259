// Which links of SDF files touch each other.
#include "tests/tools/sdf_support.h"
#include "tests/tools/who_touches.h"

using namespace grashof;
using test::never, test::pitchAfter, test::restAngle;

namespace {

std::string box(const std::string& pose, const std::string& size) {
  return "<collision name='c'><pose>" + pose + "</pose><geometry><box><size>" + size +
         "</size></box></geometry></collision>";
}

const std::string kCube = box("0 0 0 0 0 0", "0.1 0.1 0.1");

}  // namespace

TEST_CASE("SDF: joined links never touch, also of static models; what else stands still is touched") {
  const std::string world =
      "<world name='w'><model name='door'><self_collide>1</self_collide>"
      "<model name='room'><static>true</static><link name='frame'>" +
      kCube + "</link><link name='table'><pose>0 3 0 0 0 0</pose>" + kCube + "</link></model>" +
      test::sdfLink("leaf", "0 0.5 0 0 0 0", kCube) + test::sdfLink("handle", "0 0.9 0 0 0 0", kCube) +
      test::sdfLink("latch", "0 1.9 0 0 0 0", kCube) +
      test::sdfJoint("h", "revolute", "leaf", "handle", "1 0 0") +
      test::sdfJoint("l", "revolute", "handle", "latch", "1 0 0") +
      test::sdfJoint("hinge", "revolute", "room::frame", "leaf", "0 0 1") + "</model></world>";
  CHECK(never(test::fromSdfText(world).model()) ==
        "door::handle_c-door::latch_c door::handle_c-door::leaf_c door::leaf_c-door::room::frame_c ");
}

TEST_CASE("SDF: an arm joined to the world rests on the static model below it") {
  const std::string arm =
      "<link name='arm'><inertial><pose>0.25 0 0 0 0 0</pose><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.02"
      "</iyy><izz>0.02</izz></inertia></inertial>" +
      box("0.25 0 0 0 0 0", "0.5 0.04 0.04") + "</link>";
  const auto made = test::fromSdfText(
      "<world name='w'><model name='table'><static>true</static><link name='l'>" +
      box("0.45 0 -0.25 0 0 0", "0.5 0.4 0.1") + "</link></model><model name='robot'>" + arm +
      test::sdfJoint("j", "revolute", "world", "arm", "0 1 0",
                     "<dynamics><damping>0.3</damping></dynamics>") +
      "</model></world>");
  CHECK(never(made.model()).empty());
  CHECK(pitchAfter(made.model(), "robot::arm", 4.0) ==
        doctest::Approx(restAngle(0.5, 0.02, 0.2)).epsilon(2e-3));
}
