#include <numbers>

#include "engine/analysis/mobility.h"
#include "engine/analysis/range_of_motion.h"
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
  const auto d = static_cast<std::size_t>(s.model->findJoint("D"));
  Model limited = *s.model;
  limited.joints[d].coordinates[0].limit.upper = 0.02;
  s.model = std::make_shared<const Model>(limited);
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

TEST_CASE("loads that hold each other in balance leave every body at rest") {
  const Scenario s = crankRocker();
  const State state = s.model->initialState();
  const Mobility m = analyseMobility(*s.model, state.poses, state.coordinates);
  REQUIRE(m.internalLoads.size() == static_cast<std::size_t>(m.redundant()));
  std::vector<JointGeometry> geometry(s.model->joints.size());
  evaluateJoints(*s.model, state.poses, state.coordinates, geometry);
  for (const std::vector<double>& load : m.internalLoads) {
    std::vector<Vec6> wrench(s.model->bodies.size(), Vec6::Zero());
    std::size_t row = 0;
    for (std::size_t j = 0; j < s.model->joints.size(); ++j)
      for (int i = 0; i < s.model->joints[j].type->numConstraints(); ++i, ++row) {
        const Joint& joint = s.model->joints[j];
        const JointRow& r = geometry[j].constraintRow[static_cast<std::size_t>(i)];
        if (joint.base >= 0) wrench[static_cast<std::size_t>(joint.base)] += load[row] * r.base;
        wrench[static_cast<std::size_t>(joint.follower)] += load[row] * r.follower;
      }
    for (const Vec6& w : wrench) CHECK(w.norm() <= 1e-9);
  }
}

TEST_CASE("the rank of a mechanism of many bodies comes from the sparse decomposition") {
  // 60 four-bars in a row, each hanging on the rocker of the one before: mobility 1 each, 3 redundant rows
  // each.
  std::string xml;
  const auto body = [&](const std::string& name, double x, double z) {
    xml += "<body name='" + name + "' position='" + std::to_string(x) + " 0 " + std::to_string(z) +
           "'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>";
  };
  const auto pin = [&](const std::string& name, const std::string& base, const std::string& follower,
                       double x, double z) {
    xml += "<joint name='" + name + "' type='revolute' base='" + base + "' follower='" + follower +
           "' axis='0 1 0' position='" + std::to_string(x) + " 0 " + std::to_string(z) + "'/>";
  };
  constexpr int kLoops = 140;
  for (int i = 0; i < kLoops; ++i) {
    const std::string n = std::to_string(i), base = i == 0 ? "world" : "rocker" + std::to_string(i - 1);
    const double x = 2.0 * i;
    body("crank" + n, x, 0.3);
    body("coupler" + n, x + 0.5, 0.7);
    body("rocker" + n, x + 1.1, 0.5);
    pin("a" + n, base, "crank" + n, x, 0.0);
    pin("b" + n, "crank" + n, "coupler" + n, x + 0.1, 0.6);
    pin("c" + n, "coupler" + n, "rocker" + n, x + 1.0, 0.9);
    pin("d" + n, base, "rocker" + n, x + 1.2, 0.1);
  }
  const Scenario s = test::scenarioOf(xml);
  REQUIRE(s.model->bodies.size() > static_cast<std::size_t>(kMaxBodies));
  const State state = s.model->initialState();
  const Mobility m = analyseMobility(*s.model, state.poses, state.coordinates);
  CHECK(m.mobility() == kLoops);
  CHECK(m.redundant() == 3 * kLoops);
  CHECK(m.kutzbach() == -2 * kLoops);
}
