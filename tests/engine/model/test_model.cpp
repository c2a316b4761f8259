#include "tests/support.h"

using namespace grashof;

TEST_CASE("names are found at their index; other names, also parts of names, at -1") {
  Model model;
  model.bodies.resize(2);
  model.bodies[0].name = "crank";
  model.bodies[1].name = "rod";
  model.joints.resize(1);
  model.joints[0].name = "pin";
  CHECK(model.findBody("rod") == 1);
  CHECK(model.findBody("ro") == -1);
  CHECK(model.findBody("pin") == -1);
  CHECK(model.findJoint("pin") == 0);
  CHECK(Model().findJoint("pin") == -1);
}

TEST_CASE("the initial state is that of the bodies; coordinates are 0 unless there is a hint for each") {
  Model model;
  model.bodies.resize(1);
  model.bodies[0].initialPose.position = Vec3(1.0, 2.0, 3.0);
  model.bodies[0].initialTwist[4] = 5.0;
  model.coordinateStart = {0, 1, 2};
  CHECK(model.initialState().time == 0.0);
  CHECK(model.initialState().poses[0].position == Vec3(1.0, 2.0, 3.0));
  CHECK(model.initialState().twists[0][4] == 5.0);
  CHECK(model.initialState().coordinates == std::vector<double>{0.0, 0.0});
  model.initialCoordinates = {7.0};
  CHECK(model.initialState().coordinates == std::vector<double>{0.0, 0.0});
  model.initialCoordinates = {7.0, 8.0};
  CHECK(model.initialState().coordinates == std::vector<double>{7.0, 8.0});
}
