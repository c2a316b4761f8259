#include <numbers>

#include "engine/analysis/range_of_motion.h"
#include "engine/model/model_builder.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A crank-rocker: frame 0.35, crank 0.1, coupler 0.4, rocker 0.3.
Scenario crankRocker() { return readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml"); }

}  // namespace

TEST_CASE("the crank of a crank-rocker turns round, its rocker swings between the dead points of geometry") {
  const Scenario s = crankRocker();
  const State start = s.model->initialState();
  const RangeOfMotion crank = rangeOfMotion(*s.model, start, s.model->findJoint("A"), 0, 1.0);
  CHECK(crank.fullTurn);
  int poses = 0;
  double lowest = 1e9, highest = -1e9;
  const RangeOfMotion rocker =
      rangeOfMotion(*s.model, start, s.model->findJoint("D"), 0, 1.0, [&](double value, const State& state) {
        ++poses;
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
        CHECK(state.poses.size() == 3);
      });
  CHECK(!rocker.fullTurn);
  CHECK(rocker.lowerEnd == "dead point");
  CHECK(rocker.upperEnd == "dead point");
  CHECK(poses > 10);
  CHECK(lowest == rocker.lower);
  CHECK(highest == rocker.upper);
  // At the dead points crank and coupler lie in one line: the far pin is 0.5 or 0.3 from the crank's axle.
  const auto rockerAngle = [](double distance) {
    return std::acos((0.35 * 0.35 + 0.3 * 0.3 - distance * distance) / (2.0 * 0.35 * 0.3));
  };
  CHECK(rocker.upper - rocker.lower == doctest::Approx(rockerAngle(0.5) - rockerAngle(0.3)).epsilon(1e-4));
}

TEST_CASE("a limit ends the range of motion before a dead point does") {
  Scenario s = crankRocker();
  ModelBuilder limited(*s.model);
  limited.coordinate(JointId{s.model->findJoint("D")}).limit.upper = 0.02;
  s.model = limited.build();
  const RangeOfMotion crank =
      rangeOfMotion(*s.model, s.model->initialState(), s.model->findJoint("A"), 0, 1.0);
  CHECK(!crank.fullTurn);
  CHECK(crank.upperEnd == "limit of D");
}

TEST_CASE("inputs that are far away are reached on the branch of the start") {
  const Scenario s = crankRocker();
  State state = s.model->initialState();
  MoveOptions options;
  options.inputs = {{s.model->findJoint("A"), 0, 6.0}};
  std::vector<double> rocker;
  const MoveResult result = moveInputs(*s.model, state, options, [&](double, const State& at) {
    rocker.push_back(at.coordinates[static_cast<std::size_t>(
        s.model->coordinateStart[static_cast<std::size_t>(s.model->findJoint("D"))])]);
  });
  CHECK(result.share == 1.0);
  CHECK(result.stoppedBy.empty());
  for (std::size_t i = 1; i < rocker.size(); ++i) CHECK(std::abs(rocker[i] - rocker[i - 1]) <= 0.05);
  options.inputs[0].value = 2.0 * std::numbers::pi;
  CHECK(moveInputs(*s.model, state, options).share == 1.0);
  CHECK((state.poses[1].position - s.model->initialState().poses[1].position).norm() <= 1e-7);
}
