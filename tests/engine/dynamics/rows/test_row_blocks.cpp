#include "engine/dynamics/rows/row_blocks.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

namespace {

JointRow randomRow(test::Random& random) { return {random.twist(), random.twist()}; }

}  // namespace

TEST_CASE("rows stand in the block's terms, base before follower; the world has no term") {
  test::Random random(21);
  Joint joint;
  joint.base = 2;
  joint.follower = 0;
  DualProblem problem;
  problem.inertia.resize(3);
  const JointRow first = randomRow(random), second = randomRow(random);
  openJointBlock(joint, problem);
  CHECK(addJointRow(joint, first, 0.25, 0.5, problem) == 0);
  CHECK(addJointRow(joint, second, 0.75, 0.0, problem) == 1);
  CHECK(closeJointBlock(problem) == 0);
  joint.base = kWorld;
  openJointBlock(joint, problem);
  CHECK(addJointRow(joint, first, 0.0, 0.0, problem) == 2);
  CHECK(closeJointBlock(problem) == 1);
  CHECK(problem.joints[1].terms == 1);
  CHECK(problem.bias == std::vector<double>{0.25, 0.75, 0.0});
  CHECK(problem.compliance == std::vector<double>{0.5, 0.0, 0.0});
  problem.jointRows = 3;
  const Eigen::MatrixXd j = denseJointJacobian(problem);
  CHECK(j.block<1, 6>(1, 12) == second.base.transpose());
  CHECK(j.block<1, 6>(1, 0) == second.follower.transpose());
  CHECK(j.block<1, 6>(2, 0) == first.follower.transpose());
  CHECK(j.block<1, 6>(2, 12).norm() == 0.0);
}

TEST_CASE("a block that got no row leaves the problem as it was") {
  Joint joint;
  joint.base = 0;
  joint.follower = 1;
  DualProblem problem;
  openJointBlock(joint, problem);
  CHECK(closeJointBlock(problem) == -1);
  CHECK(problem.joints.empty());
  CHECK(problem.jointTerms.empty());
}

TEST_CASE(
    "a coupling of two joints with a common base has three terms, with both rows summed in the base's") {
  const Scenario s = test::scenarioOf(R"(
    <body name="carrier" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="a" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="b" position="-1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="ja" type="revolute" base="carrier" follower="a" position="1 0 0" axis="0 0 1"/>
    <joint name="jb" type="revolute" base="carrier" follower="b" position="-1 0 0" axis="0 0 1"/>
    <coupling name="g" type="gear" joint-a="ja" joint-b="jb" ratio="-2"/>)");
  const Model& model = *s.model;
  const State state = model.initialState();
  std::vector<JointGeometry> geometry(2);
  evaluateJoints(model, state.poses, state.coordinates, geometry);
  DualProblem problem;
  problem.inertia.resize(3);
  addCouplingBlock(model, model.couplings[0], geometry, problem);
  problem.jointRows = 1;
  REQUIRE(problem.joints[0].terms == 3);
  const Eigen::MatrixXd j = denseJointJacobian(problem);
  const double slope = model.couplings[0].slope(0.0);
  CHECK(j(0, 6 + 5) == doctest::Approx(1.0));
  CHECK(j(0, 12 + 5) == doctest::Approx(-slope));
  CHECK(j(0, 5) == doctest::Approx(slope - 1.0));
}

TEST_CASE("an interval row is signed, and the diagonal of D is that of the dense product") {
  test::forAll(22, 10, [](test::Random& random, int trial) {
    DualProblem problem = test::randomProblem(random, 3, false, 0, 0);
    problem.clearRows();
    Joint joint;
    joint.base = trial % 2 == 0 ? kWorld : 2;
    joint.follower = 1;
    const JointRow row = randomRow(random);
    CHECK(addIntervalRow(joint, row, -1.0, 0.1, 0.2, -3.0, 4.0, problem) == 0);
    CHECK(problem.intervals[0].jacobianB == -row.follower);
    CHECK(problem.intervals[0].lower == -3.0);
    CHECK(problem.intervals[0].upper == 4.0);
    CHECK(delassusOf(problem, joint, row) == doctest::Approx(denseDelassus(problem)(0, 0)));
  });
}
