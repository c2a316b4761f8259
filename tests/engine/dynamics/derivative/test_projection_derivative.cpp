#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "engine/analysis/assembly.h"
#include "engine/dynamics/derivative/projection_derivative.h"
#include "engine/dynamics/derivative/step_rows.h"
#include "engine/dynamics/step/projection.h"
#include "engine/scenario/scenario.h"
#include "tests/engine/dynamics/derivative/step_differences.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the derivative of a projection is the difference of projections, and its transpose the adjoint") {
  // A ring of three bodies without redundant rows: a millimetre beside its joints such rows are not
  // redundant.
  const Scenario s = test::scenarioOf(
      R"(<body name='a' position='0.3 0 0.1'><inertial mass='2' inertia='0.05 0.08 0.06'/></body>
         <body name='b' position='0.7 0.1 0'><inertial mass='1.4' inertia='0.03 0.05 0.04'/></body>
         <body name='c' position='0.8 0 0.5'><inertial mass='1' inertia='0.03 0.05 0.04'/></body>
         <joint name='i' type='revolute' follower='a' axis='0.1 1 0'/>
         <joint name='j' type='spherical' base='a' follower='b' position='0.5 0 0.1'/>
         <joint name='k' type='universal' base='b' follower='c' position='0.8 0 0.2' axis='0 1 0'/>
         <joint name='l' type='spherical' follower='c' position='0.8 0 0.7'/>)");
  const auto model = test::accurate(*s.model);
  const State start = startState(*model);
  const std::size_t bodies = start.poses.size();
  test::Random random(3);
  // What is projected is a millimetre beside the joints.
  std::vector<Pose> beside = start.poses;
  for (Pose& pose : beside) pose = movePose(pose, random.twist(1e-3), 1.0);
  const auto projected = [&](const std::vector<Pose>& from) {
    Projection projection(*model);
    std::vector<Pose> poses = from;
    std::vector<JointGeometry> geometry(model->joints.size());
    const auto result = projection.projectPoses(poses, start.coordinates, start.time, 1e-14, geometry);
    CHECK(result.violation < 1e-13);
    return poses;
  };
  const std::vector<Pose> reached = projected(beside);
  ProjectionDerivative derivative(*model);
  derivative.set(beside, reached, start.coordinates, start.time);
  REQUIRE(!derivative.empty());
  const std::vector<Vec6> way = posesBetween(beside, reached);
  derivative.takeMoved(way);
  BlockMap forceSlope;
  derivative.forceSlope(forceSlope);
  const Eigen::SparseMatrix<double> force = forceSlope.sparse();
  const auto n = 6 * static_cast<Eigen::Index>(bodies);
  for (int trial = 0; trial < 5; ++trial) {
    Eigen::MatrixXd change(n, 1);
    for (double& x : change.col(0)) x = random.uniform();
    const auto along = [&](double step) {
      std::vector<Pose> poses = beside;
      for (std::size_t b = 0; b < bodies; ++b)
        poses[b] = movePose(poses[b], step * change.col(0).segment<6>(6 * static_cast<Eigen::Index>(b)), 1.0);
      return projected(poses);
    };
    constexpr double kStep = 1e-5;
    const auto less = along(-kStep), more = along(kStep);
    const Eigen::VectorXd slope = test::stacked(posesBetween(less, more)) / (2.0 * kStep);
    Eigen::MatrixXd found = change;
    derivative.apply(found, force * change, {}, true);           // the matrix moves with what is projected
    CHECK((found.col(0) - slope).cwiseAbs().maxCoeff() < 1e-5);  // the square of 1 mm is left out
    Eigen::MatrixXd pulled(n, 1), wrench, gap;
    for (double& x : pulled.col(0)) x = random.uniform();
    const double expected = pulled.col(0).dot(found.col(0));
    derivative.applyTransposed(pulled, wrench, gap, true);
    CHECK((pulled + force.transpose() * wrench).col(0).dot(change.col(0)) ==
          doctest::Approx(expected).epsilon(1e-9));
  }
}
