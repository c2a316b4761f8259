#include <limits>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "tests/support.h"

using namespace grashof;

namespace {

const char* const kFourBar = "/assets/scenarios/fourbar-fixed.xml";

}  // namespace

TEST_CASE("rates of coordinates are the derivatives of coordinates along free motion") {
  const Scenario s = readScenario(test::sourceFolder() + kFourBar);
  const Model& model = *s.model;
  test::Random random(71);
  State state = model.initialState();
  for (Vec6& u : state.twists) u = random.twist();
  std::vector<JointGeometry> here(model.joints.size()), there(model.joints.size());
  std::vector<double> rates(model.coordinates());
  evaluateJoints(model, state.poses, state.coordinates, here);
  coordinateRates(model, here, state.twists, rates);
  constexpr double kStep = 1e-6;
  std::vector<Pose> moved;
  for (std::size_t b = 0; b < state.poses.size(); ++b)
    moved.push_back(movePose(state.poses[b], state.twists[b], kStep));
  evaluateJoints(model, moved, state.coordinates, there);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int i = 0; i < model.joints[j].type->numDofs(); ++i)
      CHECK((there[j].coordinate[i] - here[j].coordinate[i]) / kStep ==
            doctest::Approx(rates[model.coordinateStart[j] + i]).epsilon(1e-4));
}

TEST_CASE("the violation is the largest of all, and NaN if one residual is NaN") {
  const Scenario s = readScenario(test::sourceFolder() + kFourBar);
  const Model& model = *s.model;
  const State state = model.initialState();
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, state.poses, state.coordinates, geometry);
  geometry[1].residual[0] = -0.25;
  CHECK(jointViolation(model, geometry, 0.0) == 0.25);
  CHECK(worstJoint(model, geometry).find("'" + model.joints[1].name + "'") != std::string::npos);
  CHECK(worstJoint(model, geometry).find("0.25 m") != std::string::npos);
  geometry[0].residual[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(jointViolation(model, geometry, 0.0)));
}
