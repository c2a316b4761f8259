#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/analysis/assembly.h"
#include "engine/scenario/scenario.h"
#include "tests/engine/dynamics/derivative/step_differences.h"
#include "tests/support.h"

using namespace grashof;
using namespace grashof::test;

namespace {

/// Ten scenes with loops, limits, dry friction, bounded servos, and contacts that stick, slide, roll, strike
/// and yield.
const std::vector<std::pair<const char*, std::string>> kScenes = {
    {"box on a slope",
     R"(<options gravity='3 1 -9'/><material name='m' friction='0.35'/><shape type='plane' material='m'/>
       <body name='a' position='0 0 0.0501' rpy='0 0 0.4' velocity='0.1 0 0'><shape type='box' size='0.2 0.3 0.1' density='800' material='m'/></body>)"},
    {"ball against a box",
     R"(<material name='m' friction='0.4' restitution='0.3'/><shape type='plane' material='m'/>
       <body name='a' position='0 0 0.0501'><shape type='box' size='0.2 0.3 0.1' density='300' material='m'/></body>
       <body name='b' position='-0.2 0.02 0.0601' velocity='1.5 0 0' angular-velocity='0 10 3'><shape type='sphere' radius='0.06' density='900' material='m'/></body>)"},
    {"four-bar on the ground", R"(<material name='m' friction='0.5'/><shape type='plane' material='m'/>
       <body name='a' position='0 0 0.0251'><shape type='box' size='0.5 0.2 0.05' mass='1' material='m'/></body>
       <body name='b' position='0.25 0 0.275'><shape type='box' size='0.05 0.2 0.5' mass='1' material='m'/></body>
       <body name='c' position='0 0 0.525'><shape type='box' size='0.5 0.2 0.05' mass='1' material='m'/></body>
       <body name='d' position='-0.25 0 0.275' ><shape type='box' size='0.05 0.2 0.5' mass='1' material='m'/></body>
       <joint name='ab' type='revolute' base='a' follower='b' position='0.25 0 0.025' axis='0 1 0'></joint>
       <joint name='bc' type='revolute' base='b' follower='c' position='0.25 0 0.525' axis='0 1 0'/>
       <joint name='cd' type='revolute' base='c' follower='d' position='-0.25 0 0.525' axis='0 1 0'/>
       <joint name='da' type='revolute' base='d' follower='a' position='-0.25 0 0.025' axis='0 1 0'/>)"},
    {"pendulum with stops",
     R"(<body name='a' position='0.3 0 0.1'><inertial mass='2' inertia='0.05 0.08 0.06'/></body>
       <body name='b' position='0.7 0.1 0'><inertial mass='1.4' inertia='0.03 0.05 0.04'/></body>
       <joint name='j' type='revolute' follower='a' axis='0 1 0'><limit lower='-0.2' upper='0.3'/></joint>
       <joint name='k' type='universal' base='a' follower='b' position='0.5 0 0' axis='0 1 0'><limit coordinate='0' lower='-0.1' upper='0.4'/></joint>)"},
    {"tumbling hull", R"(<material name='m' friction='0.6'/><shape type='plane' material='m'/>
       <body name='a' position='0 0 0.25' rpy='0.3 0.5 0' velocity='1 0 -1' angular-velocity='3 -4 2'><shape type='box' size='0.2 0.15 0.25' density='700' material='m'/></body>)"},
    {"elastic ball",
     R"(<material name='m' friction='0.3' stiffness='2e5' hunt-crossley='0.3' tangential-stiffness='1e5'/><shape type='plane' material='m'/>
       <body name='a' position='0 0 0.12' velocity='0.5 0 -1' angular-velocity='0 -20 5'><shape type='sphere' radius='0.1' density='900' material='m'/></body>)"},
    {"rough slider",
     R"(<motion name='u' type='sine' amplitude='0.2' frequency='2'/><body name='a'><inertial mass='2' inertia='0.05 0.08 0.06'/></body>
       <joint name='j' type='prismatic' follower='a' axis='1 0 0'><dynamics friction='4' armature='0.5'/><limit lower='-0.1' upper='0.1'/>
       <actuator type='position' motion='u' kp='400' kd='10' effort-limit='25'/></joint>)"},
    {"capsule over an edge",
     R"(<material name='m' friction='0.4' compliance='1e-6'/><shape type='box' size='0.4 0.4 0.1' material='m'/>
       <body name='a' position='0.05 0.03 0.0901' rpy='0 1.5708 0.5' velocity='0.3 0.2 0' angular-velocity='1 3 0.5'><shape type='capsule' radius='0.04' length='0.3' density='900' material='m'/></body>)"},
    {"gripper",
     R"(<motion name='u' type='constant' value='0.02'/><material name='m' friction='0.8'/><options gravity='0 0 -9.81'/>
       <body name='a' position='-0.0801 0 0'><shape type='box' size='0.05 0.05 0.05' mass='0.5' material='m'/></body>
       <body name='b' position='0.0801 0 0'><shape type='box' size='0.05 0.05 0.05' mass='0.5' material='m'/></body>
       <body name='c' position='0 0 0'><shape type='box' size='0.11 0.08 0.08' mass='0.3' material='m'/></body>
       <joint name='j' type='prismatic' follower='a' axis='1 0 0'><actuator type='position' motion='u' kp='1000' kd='20' effort-limit='40'/></joint>
       <joint name='k' type='prismatic' follower='b' axis='-1 0 0'><actuator type='position' motion='u' kp='1000' kd='20'/></joint>)"},
    {"two-legged walker",
     R"(<motion name='u' type='sine' amplitude='0.5' frequency='2'/><material name='m' friction='0.7'/><shape type='plane' material='m'/>
       <body name='a' position='0 0 0.35'><shape type='box' size='0.2 0.3 0.1' mass='3' material='m'/></body>
       <body name='b' position='0 0.1 0.2'><shape type='capsule' radius='0.03' length='0.25' mass='0.4' material='m'/></body>
       <body name='c' position='0 -0.1 0.2'><shape type='capsule' radius='0.03' length='0.25' mass='0.4' material='m'/></body>
       <joint name='j' type='revolute' base='a' follower='b' position='0 0.1 0.3' axis='0 1 0'><actuator type='position' motion='u' kp='60' kd='2' effort-limit='8'/></joint>
       <joint name='k' type='revolute' base='a' follower='c' position='0 -0.1 0.3' axis='0 -1 0'><actuator type='position' motion='u' kp='60' kd='2'/></joint>)"}};

/// Whether a contact is at the edge of its cone, and slips by less than `speed` (m/s): it all but sticks.
bool creeps(const Simulator& simulator, double speed) {
  const DualProblem& problem = simulator.record().problem;
  const Solution& solution = simulator.record().solution;
  return std::any_of(problem.contacts.begin(), problem.contacts.end(), [&](const ContactBlock& contact) {
    const auto row = static_cast<std::size_t>(contact.row);
    const Vec2 slip = contact.velocity(solution.twist).head<2>() + Vec2(&problem.bias[row]);
    const double edge = contact.friction * solution.impulse[row + 2];
    return Vec2(&solution.impulse[row]).norm() >= 0.9999999 * edge && slip.norm() < speed;
  });
}

}  // namespace

TEST_CASE("derivatives of a step in 200 states of ten scenes are differences of steps" *
          doctest::test_suite("long")) {
  constexpr double kSpan = 5e-7;    // m, rad: rigid contacts that rest have kinks near by
  constexpr double kSmooth = 2e-5;  // differences to both sides, closer to each other than this
  int accurateStates = 0, smoothStates = 0, creepingStates = 0, contacts = 0;
  for (const auto& scene : kScenes) {
    CAPTURE(std::string(scene.first));
    const Scenario scenario = scenarioOf(scene.second);
    const auto model = std::make_shared<Model>(*accurate(*scenario.model));
    model->stabilization.maxRecoverySpeed = 0.0;  // what is a little too deep stays
    model->step.projectionTolerance = 1e-17;      // as near as rounding allows
    Random random(11);
    Simulator run(model, startState(*model));
    for (double& control : run.inputs().control) control = random.uniform(0.01, 0.03);
    for (int trial = 0; trial < 40; ++trial) {
      CAPTURE(trial);
      for (int i = static_cast<int>(random.uniform(5.0, 40.0)); i > 0; --i) run.step();
      REQUIRE(!run.diverged());
      // What rests stands at a kink, so the states are a little beside those of the run.
      State state = run.state();
      for (Pose& pose : state.poses) pose = movePose(pose, random.twist(5e-5), 1.0);
      for (Vec6& u : state.twists) u += random.twist(1e-3);
      Simulator beside(model, run.state());
      beside.setState(state);
      beside.project();
      VecX cotangent = VecX::Zero(12 * static_cast<Eigen::Index>(state.poses.size()));
      for (double& y : cotangent) y = random.uniform();
      CHECK(pullbackError(model, beside.state(), run.inputs(), cotangent) < 1e-7);
      const DerivativeErrors found = derivativeErrors(model, beside.state(), run.inputs(), kSpan);
      beside.step();
      contacts += static_cast<int>(beside.contacts().size());
      if (found.kink > kSmooth) continue;
      if (creeps(beside, kSpan)) {
        ++creepingStates;
        continue;
      }
      ++smoothStates;
      if (found.error < 1e-6) ++accurateStates;
      CHECK(found.error < 5e-5);
    }
  }
  MESSAGE(accurateStates << " states to 1e-6, of " << smoothStates << " without a kink; " << creepingStates
                         << " creep; " << contacts << " contacts");
  CHECK(accurateStates >= 200);
  CHECK(accurateStates >= 0.95 * smoothStates);
}
