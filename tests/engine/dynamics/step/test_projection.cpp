#include <limits>

#include <fmt/format.h>

#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/step/projection.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Scenario fourbar() { return readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml"); }

/// Two links on ball joints: all rows are independent, as those of the four-bar are not.
Scenario chain() {
  return test::scenarioOf(R"(
    <body name="a" position="0.5 0 0"><inertial mass="2" inertia="0.1 0.2 0.3"/></body>
    <body name="b" position="1 0.5 0"><inertial mass="1" inertia="0.3 0.2 0.1"/></body>
    <joint name="ja" type="spherical" follower="a" position="0 0 0"/>
    <joint name="jb" type="spherical" base="a" follower="b" position="1 0 0"/>)");
}

/// A four-bar whose axes are parallel but for digits that its file rounds: rows that would be dependent see a
/// motion by this much.
Scenario roundedFourbar() {
  return test::scenarioOf(R"(
    <body name="a" position="0 0.5 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <body name="b" position="1 1 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <body name="c" position="2 0.5 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="j1" type="revolute" follower="a" position="0 0 0" axis="3e-7 0 1"/>
    <joint name="j2" type="revolute" base="a" follower="b" position="0 1 0" axis="0 -4e-7 1"/>
    <joint name="j3" type="revolute" base="b" follower="c" position="2 1 0" axis="-2e-7 3e-7 1"/>
    <joint name="j4" type="revolute" follower="c" position="2 0 0" axis="0 0 1"/>)");
}

/// A mechanism whose poses are a little off.
struct Disturbed {
  Scenario scenario;
  const Model& model = *scenario.model;
  State state = model.initialState();
  std::vector<JointGeometry> geometry{model.joints.size()};

  Disturbed(Scenario s, test::Random& random, double size) : scenario(std::move(s)) {
    for (Pose& pose : state.poses) pose = movePose(pose, random.twist(), size);
    for (Vec6& twist : state.twists) twist = random.twist();
  }
  Projection::Result projectPoses(Projection& projection) {
    return projection.projectPoses(state.poses, state.coordinates, 0.0, 1e-12, geometry);
  }
  /// The equality rows at the present poses, with M.
  DualProblem rows() {
    DualProblem problem;
    problem.inertia.resize(model.bodies.size());
    inertiaAt(model, state.poses, problem.inertia);
    assembleEqualityRows(model, geometry, 0.0, EqualityTarget::Velocity, problem);
    return problem;
  }
};

/// The share of `wrench` that no impulse of the rows explains.
double outsideRows(const DualProblem& problem, const Eigen::VectorXd& wrench) {
  const Eigen::MatrixXd transposed = denseJointJacobian(problem).transpose();
  const Eigen::VectorXd impulse = transposed.completeOrthogonalDecomposition().solve(wrench);
  return (transposed * impulse - wrench).norm() / wrench.norm();
}

}  // namespace

TEST_CASE("poses are brought onto the joints, and a second projection leaves them bit for bit") {
  test::forAll(5, 5, [](test::Random& random, int) {
    Disturbed d(fourbar(), random, 0.02);
    Projection projection(d.model);
    const auto first = d.projectPoses(projection);
    CHECK(first.converged);
    CHECK(first.violation <= 1e-12);
    CHECK(jointViolation(d.model, d.geometry, 0.0) <= 1e-12);
    const State before = d.state;
    CHECK(d.projectPoses(projection).iterations == 0);
    CHECK(d.state == before);
  });
}

TEST_CASE("rows that are nearly dependent do not take another matrix for every digit") {
  for (const double size : {1e-4, 3e-4})
    test::forAll(9, 3, [&](test::Random& random, int) {
      Disturbed d(roundedFourbar(), random, size);
      Projection projection(d.model);
      const auto result = projection.projectPoses(d.state.poses, d.state.coordinates, 0.0, 1e-11, d.geometry);
      CHECK(result.iterations <= 8);
      CHECK(result.violation <= 1e-10);
    });
}

TEST_CASE("a small displacement of poses is mass-orthogonal to what the joints leave free") {
  test::Random random(6);
  Disturbed d(chain(), random, 1e-5);
  const State before = d.state;
  Projection projection(d.model);
  d.projectPoses(projection);
  std::vector<Vec6> moved(d.state.poses.size());
  DualProblem problem = d.rows();
  for (std::size_t b = 0; b < moved.size(); ++b) {
    const Quat turn = d.state.poses[b].rotation * before.poses[b].rotation.conjugate();
    Vec6 displacement;
    displacement << d.state.poses[b].position - before.poses[b].position, 2.0 * turn.vec();
    moved[b] = problem.inertia[b].multiply(displacement);
  }
  CHECK(outsideRows(problem, test::stacked(std::span<const Vec6>(moved))) < 1e-4);  // second order in 1e-5
}

TEST_CASE("twists are brought onto the joints by a mass-orthogonal change") {
  test::Random random(7);
  Disturbed d(fourbar(), random, 0.0);
  Projection projection(d.model);
  d.projectPoses(projection);
  const State before = d.state;
  projection.projectTwists(d.state.poses, d.geometry, 0.0, d.state.twists);
  const DualProblem problem = d.rows();
  const Eigen::MatrixXd jacobian = denseJointJacobian(problem);
  const Eigen::VectorXd after = test::stacked(std::span<const Vec6>(d.state.twists));
  const Eigen::VectorXd target = test::stacked(std::span<const double>(problem.bias));
  CHECK((jacobian * after + target.head(jacobian.rows())).norm() < 1e-10);
  const Eigen::VectorXd change = after - test::stacked(std::span<const Vec6>(before.twists));
  CHECK(outsideRows(problem, denseMass(problem) * change) < 1e-9);
}

TEST_CASE("a pose that is not a number is reported, never accepted") {
  test::Random random(8);
  Disturbed d(fourbar(), random, 0.0);
  d.state.poses[0].position.y() = std::numeric_limits<double>::quiet_NaN();
  Projection projection(d.model);
  const auto result = d.projectPoses(projection);
  CHECK_FALSE(result.converged);
  CHECK(std::isnan(result.violation));
}

TEST_CASE("what starts a driven wheel from rest is its inertia, armature included, times the rate") {
  const Scenario s = test::scenarioOf(R"(<motion name="u" type="sine" amplitude="0.4" frequency="0.5"/>
    <body name="arm" position="0 0 -0.5"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
    <joint name="pivot" type="revolute" follower="arm" position="0 0 0" axis="0 1 0">
      <actuator type="motion" motion="u"/><dynamics armature="0.5"/></joint>)");
  State state = s.model->initialState();
  std::vector<JointGeometry> geometry(1);
  Projection projection(*s.model);
  projection.projectPoses(state.poses, state.coordinates, 0.0, 1e-12, geometry);
  const double work = projection.projectTwists(state.poses, geometry, 0.0, state.twists);
  const double rate = 0.4 * M_PI, inertia = 0.1 + 2.0 * 0.25 + 0.5;
  CHECK(state.twists[0][4] == doctest::Approx(rate));
  CHECK(projection.motionImpulse(0, 0) == doctest::Approx(inertia * rate));
  CHECK(work == doctest::Approx(0.5 * inertia * rate * rate));
}

TEST_CASE("a knee that is all but stretched bends, where Newton's method is stuck") {
  // Two links of 0.5 m between pins whose distance is 1e-5 m shorter than both: the knee has to go 1.6 mm
  // aside, and the rows see hardly anything of that way. Masses are far apart.
  const auto knee = [](double shorter, double aside) {
    return test::scenarioOf(
        fmt::format(R"(<body name="a" position="0 0.25 {0}"><inertial mass="1000" inertia="10 10 10"/></body>
        <body name="b" position="0 {1} {0}"><inertial mass="0.001" inertia="1e-6 1e-6 1e-6"/></body>
        <joint name="ja" type="revolute" follower="a"><base-frame/><follower-frame position="0 -0.25 0"/></joint>
        <joint name="jb" type="revolute" base="a" follower="b"><base-frame position="0 0.25 0"/>
          <follower-frame position="0 -0.25 0"/></joint>
        <joint name="jc" type="revolute" follower="b"><base-frame position="0 {2} 0"/>
          <follower-frame position="0 0.25 0"/></joint>)",
                    aside, 0.75, 1.0 - shorter));
  };
  const auto project = [](const Scenario& s) {
    State state = s.model->initialState();
    std::vector<JointGeometry> geometry(s.model->joints.size());
    Projection projection(*s.model);
    const Projection::Result r =
        projection.projectPoses(state.poses, state.coordinates, 0.0, 1e-11, geometry);
    return std::pair(r, state.poses[0].position.z());
  };
  const auto [closed, height] = project(knee(1e-5, 1e-8));
  CHECK(closed.converged);
  CHECK(std::abs(height) ==
        doctest::Approx(0.5 * std::sqrt(0.25 - 0.25 * (1.0 - 1e-5) * (1.0 - 1e-5))).epsilon(1e-3));
  // Pins that are farther apart than the links are long: nothing closes, and it rests in between.
  const Projection::Result open = project(knee(-1e-3, 1e-8)).first;
  CHECK(!open.converged);
  CHECK(open.violation == doctest::Approx(1e-3 / 3.0).epsilon(0.1));
}
