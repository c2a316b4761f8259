#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/derivative/step_rows.h"
#include "engine/scenario/scenario.h"
#include "tests/engine/dynamics/derivative/step_differences.h"
#include "tests/support.h"

using namespace grashof;

namespace {

const std::string kScene =
    R"(<material name='m' friction='0.3'/><shape type='plane' material='m'/>
       <body name='a' position='0 0 0.04999' velocity='0.7 0.2 0'><shape type='box' size='0.2 0.3 0.1' density='1000' material='m'/></body>
       <body name='b' position='0 0 0.25'><inertial mass='2' inertia='0.05 0.08 0.06'/></body>
       <joint name='j' type='revolute' base='a' follower='b' position='0 0 0.1' axis='0 1 0'><dynamics stiffness='3' damping='0.2' friction='0.1'/></joint>)";

void takeStep(const std::shared_ptr<const Model>& model, StepRows& rows) {
  Simulator simulator(model, startState(*model));
  for (int i = 0; i < 3; ++i) simulator.step();
  const State start = simulator.state();
  simulator.setState(start);
  std::vector<double> rates(start.coordinates.size());
  simulator.coordinateRates(rates);
  simulator.step();
  rows.take(simulator, simulator.state(), rates);
}

}  // namespace

TEST_CASE("the rows of a step hold at its solution, and their slopes are those of all bodies together") {
  const Scenario s = test::scenarioOf(kScene);
  const auto model = test::accurate(*s.model);
  StepRows rows(model);
  takeStep(model, rows);
  const std::vector<Control> controls(rows.controls().begin(), rows.controls().end());
  const std::vector<Pose> poses(rows.poses().begin(), rows.poses().end());
  const std::vector<Vec6> twists(rows.twistsBefore().begin(), rows.twistsBefore().end());
  VecX r;
  rows.residual(poses, twists, controls, r);
  CHECK(r.cwiseAbs().maxCoeff() < 1e-8);
  const Eigen::SparseMatrix<double> slope = rows.slope().sparse();
  const auto bodies = static_cast<Eigen::Index>(poses.size());
  REQUIRE(slope.cols() == 12 * bodies);
  test::Random random(9);
  for (int trial = 0; trial < 5; ++trial) {
    VecX x(12 * bodies);
    for (double& value : x) value = random.uniform();
    const auto along = [&](double step) {
      std::vector<Pose> p = poses;
      std::vector<Vec6> u = twists;
      for (std::size_t b = 0; b < p.size(); ++b) {
        const auto i = static_cast<Eigen::Index>(b);
        p[b] = movePose(p[b], step * x.segment<6>(6 * i), 1.0);
        u[b] += step * x.segment<6>(6 * (bodies + i));
      }
      VecX at;
      rows.residual(p, u, controls, at);
      return at;
    };
    constexpr double kStep = 2e-6;
    const VecX expected = (along(kStep) - along(-kStep)) / (2.0 * kStep), found = slope * x;
    CHECK((found - expected).norm() < 1e-6 * expected.norm());
  }
}

TEST_CASE("what is not differentiated is refused by name") {
  const auto refused = [](const std::string& inner) {
    const Scenario s = test::scenarioOf(inner);
    try {
      StepRows rows(s.model);
      takeStep(s.model, rows);
    } catch (const CallError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string body = "<body name='a'><inertial mass='1' inertia='1 1 1'/></body>";
  CHECK(refused(body).empty());
  CHECK(refused("<options geometric-stiffness='true'/>" + body).find("geometric stiffness") !=
        std::string::npos);
  CHECK(refused(body +
                "<joint name='j' type='planar' follower='a' axis='0 1 0'><clearance radial='0.001'/></joint>")
            .find("clearances") != std::string::npos);
  const std::string standing =
      "<shape type='plane'/><body name='a' position='0 0 0.05'><shape type='box' size='0.2 0.3 0.1' "
      "mass='1'/></body>";
  CHECK(refused(standing).empty());
  CHECK(refused("<solver name='ADMM-CCP'/>" + standing).find("NCP") != std::string::npos);
}
