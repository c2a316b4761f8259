#include <limits>

#include <fmt/format.h>

#include "engine/analysis/contact_inverse_dynamics.h"
#include "engine/base/error.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;

namespace {

constexpr double kOpen = std::numeric_limits<double>::quiet_NaN();
constexpr double kPress = 20.0;  // N

/// A slide along x that an effort drives carries a block of 2 kg, which it leaves free to rise.
Scenario pushedBlock(double friction) {
  return test::scenarioOf(fmt::format(
      R"(<motion name="push" type="constant" value="0"/>
         <material name="default" friction="{}"/><shape type="plane"/>
         <body name="slide" position="0 0 0.5" velocity="0.4 0 0"><inertial mass="0.5" inertia="0.01 0.01 0.01"/></body>
         <body name="block" position="0 0 0.1" velocity="0.4 0 0"><shape type="box" size="0.3 0.2 0.2" mass="2"/></body>
         <joint name="rail" type="prismatic" follower="slide" position="0 0 0.5" axis="1 0 0"><actuator type="effort" motion="push"/></joint>
         <joint name="lift" type="prismatic" base="slide" follower="block" position="0 0 0.1" axis="0 0 1"/>)",
      friction));
}

/// Two links in the plane y = 0 with a drive each; a ball at the tip touches a wall at x = 0.6 m.
std::string arm(const std::string& material) {
  return fmt::format(
      R"xml(<parameter name="e" value="sqrt(0.4^2-0.29^2)"/><motion name="zero" type="constant" value="0"/>
         <material name="default" {}/><shape name="wall" type="plane" position="0.6 0 0" rpy="0 -pi/2 0"/>
         <body name="upper" from="0 0 0.4" to="0.29 0 0.4+e"><inertial mass="3" inertia="0.005 0.04 0.04"/></body>
         <body name="lower" from="0.29 0 0.4+e" to="0.58 0 0.4"><inertial mass="2" inertia="0.003 0.03 0.03"/>
           <shape type="sphere" radius="0.02" position="length/2 0 0"/></body>
         <joint name="shoulder" type="revolute" follower="upper" position="0 0 0.4" axis="0 1 0"><actuator type="effort" motion="zero"/></joint>
         <joint name="elbow" type="revolute" base="upper" follower="lower" position="0.29 0 0.4+e" axis="0 1 0"><actuator type="effort" motion="zero"/></joint>)xml",
      material);
}

/// The tip of the arm.
Vec3 tipOf(std::span<const Pose> poses) { return poses[1].position + poses[1].rotation * Vec3(0.2, 0, 0); }

/// Rates of both joints at which the tip has the velocity (away, along) in x and z.
std::vector<double> ratesOf(std::span<const Pose> poses, double away, double along) {
  const Vec3 tip = tipOf(poses), shoulder(0, 0, 0.4);
  const Vec3 elbow = poses[1].position - poses[1].rotation * Vec3(0.2, 0, 0);
  const Vec3 a = Vec3::UnitY().cross(tip - shoulder), b = Vec3::UnitY().cross(tip - elbow);
  Mat2 jacobian;
  jacobian << a.x(), b.x(), a.z(), b.z();
  const Vec2 rates = jacobian.inverse() * Vec2(away, along);
  return {rates[0], rates[1]};
}

/// Rate of the first of two links in the plane y = 0 whose tip moves along x.
double driveRate(const Vec3& shoulder, const Vec3& elbow, const Vec3& tip, double along) {
  const Vec3 a = Vec3::UnitY().cross(tip - shoulder), b = Vec3::UnitY().cross(tip - elbow);
  Mat2 jacobian;
  jacobian << a.x(), b.x(), a.z(), b.z();
  return (jacobian.inverse() * Vec2(along, 0.0))[0];
}

/// The problem of the step with efforts and residual, to be judged apart from what found them.
double judged(const ContactInverseDynamics& inverse, const ContactInverseStep& step, const Model& model) {
  DualProblem problem = inverse.problem();
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, inverse.poses(),
                 std::vector<double>(static_cast<std::size_t>(model.coordinates()), 0.0), geometry);
  const double dt = model.step.timestep;
  for (std::size_t a = 0; a < step.efforts.size(); ++a) {
    const ActuatorId place = inverse.actuators()[a];
    const Joint& joint = model.joints[static_cast<std::size_t>(place.joint)];
    const JointRow& row = geometry[static_cast<std::size_t>(place.joint)]
                              .coordinateRow[static_cast<std::size_t>(place.coordinate)];
    if (joint.base >= 0)
      problem.freeTwist[joint.base] += dt * step.efforts[a] * problem.inertia[joint.base].solve(row.base);
    problem.freeTwist[joint.follower] +=
        dt * step.efforts[a] * problem.inertia[joint.follower].solve(row.follower);
  }
  for (std::size_t b = 0; b < step.residual.size(); ++b)
    problem.freeTwist[b] += dt * problem.inertia[b].solve(step.residual[b]);
  std::vector<Vec6> twist(step.twists.size());
  twistFromImpulse(problem, step.impulse, twist);
  double worst = measureResiduals(problem, step.impulse).judged();
  for (std::size_t b = 0; b < twist.size(); ++b)
    worst = std::max(worst, (twist[b] - step.twists[b]).cwiseAbs().maxCoeff());
  return worst;
}

/// How a run with the efforts of inverse dynamics follows a tip that goes up and down a wall.
struct Slide {
  double twistError = 0.0, forceError = 0.0, change = 0.0, residual = 0.0;  ///< largest of all steps
  double wallError = 0.0, pathError = 0.0;                                  ///< m
  int sliding = 0, iterations = 0;
};

Slide slideAlongWall(const Scenario& s, double duration, double away = 0.0) {
  ContactInverseDynamics inverse(s.model);
  Simulator run(s.model);
  const double dt = s.model->step.timestep, start = tipOf(run.state().poses).z();
  Slide slide;
  while (run.state().time < duration - 1e-9) {
    inverse.prepare(run.state(), run.inputs());
    const double t = run.state().time + dt, along = 0.2 * std::sin(3.0 * t);
    MotionReference reference;
    reference.rates = ratesOf(inverse.poses(), away, along);
    reference.forces.assign(inverse.contacts().size(), Vec3(0, 0, kPress));
    const ContactInverseStep step = inverse.solve(reference);
    REQUIRE(step.contacts.solved);
    REQUIRE(inverse.contacts().size() == 1);
    CHECK(judged(inverse, step, *s.model) <= 1e-11);
    std::copy(step.efforts.begin(), step.efforts.end(), run.inputs().control.begin());
    run.step();
    REQUIRE(!run.diverged());
    const std::vector<Vec6>& twists = run.solution().twist;
    for (std::size_t b = 0; b < twists.size(); ++b)
      slide.twistError = std::max(slide.twistError, (twists[b] - step.twists[b]).cwiseAbs().maxCoeff());
    const auto row = static_cast<std::size_t>(run.problem().contactRow(0));
    const Vec3 wanted(&step.impulse[row]), got(&run.solution().impulse[row]);
    slide.forceError = std::max(slide.forceError, (got - wanted).norm() / dt);
    slide.change = std::max(slide.change, step.change);
    slide.residual = std::max(slide.residual, step.residualForce());
    slide.iterations = std::max(slide.iterations, step.contacts.iterations);
    slide.wallError = std::max(slide.wallError, std::abs(tipOf(run.state().poses).x() - 0.58));
    const double path = start + 0.2 / 3.0 * (1.0 - std::cos(3.0 * run.state().time));
    slide.pathError = std::max(slide.pathError, std::abs(tipOf(run.state().poses).z() - path));
    slide.sliding += std::hypot(got[0], got[1]) > 0.99 * 0.5 * got[2] ? 1 : 0;
  }
  return slide;
}

}  // namespace

TEST_CASE("a pushed block that slides needs its friction and its acceleration, and presses by its weight") {
  const double mu = 0.4, speed = 0.5, weight = 2.0 * kGravity;
  const Scenario s = pushedBlock(mu);
  ContactInverseDynamics inverse(s.model);
  Simulator run(s.model);
  inverse.prepare(run.state());
  REQUIRE(inverse.contacts().size() == 4);
  MotionReference reference;
  reference.rates = {speed, 0.0};
  reference.forces.assign(4, Vec3(0, 0, weight / 4.0));
  const ContactInverseStep step = inverse.solve(reference);
  CHECK(step.contacts.solved);
  CHECK(step.contacts.iterations == 1);
  const double dt = s.model->step.timestep, acceleration = (speed - 0.4) / dt;
  CHECK(step.efforts[0] == doctest::Approx(2.5 * acceleration + mu * weight).epsilon(1e-10));
  CHECK(step.residualForce() < 1e-9);
  CHECK(step.change < 1e-12);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto row = static_cast<std::size_t>(inverse.problem().contactRow(static_cast<int>(k)));
    const Contact& contact = inverse.contacts()[k];
    const double sign = contact.bodyB == 1 ? 1.0 : -1.0;  // forces are those on B
    const Vec3 force = sign * (contact.frame * contact.fromRows(Vec3(&step.impulse[row]))) / dt;
    CHECK(force.isApprox(Vec3(-mu * weight / 4.0, 0.0, weight / 4.0), 1e-10));
  }
  CHECK(judged(inverse, step, *s.model) <= 1e-12);
  run.inputs().control = step.efforts;
  run.step();
  CHECK((run.solution().twist[1] - step.twists[1]).cwiseAbs().maxCoeff() <= 1e-7);
}

TEST_CASE("what the drives cannot exert is the residual, and applied as a wrench it makes the motion") {
  const Scenario s = pushedBlock(0.4);
  const double weight = 2.0 * kGravity;
  ContactInverseDynamics inverse(s.model);
  Simulator run(s.model);
  inverse.prepare(run.state());
  MotionReference reference;
  reference.rates = {0.5, 0.0};
  // Half of the weight: nothing drives the block up, so that the other half is missing.
  reference.forces.assign(4, Vec3(0, 0, weight / 8.0));
  ContactInverseStep step = inverse.solve(reference);
  CHECK(step.residual[1][2] == doctest::Approx(weight / 2.0).epsilon(1e-9));
  CHECK(step.residualForce() == doctest::Approx(weight / 2.0).epsilon(1e-9));
  CHECK(step.residual[0].head<3>().norm() < 1e-9);
  CHECK(judged(inverse, step, *s.model) <= 1e-12);
  run.inputs().control = step.efforts;
  run.inputs().wrench = step.residual;
  run.step();
  CHECK((run.solution().twist[1] - step.twists[1]).cwiseAbs().maxCoeff() <= 1e-7);
  double pressing = 0.0;
  for (int k = 0; k < 4; ++k) pressing += std::abs(run.contactForce(k).z());
  CHECK(pressing == doctest::Approx(weight / 2.0).epsilon(1e-6));
  // A body without any drive: the residual is all that the motion takes.
  const Scenario thrown = test::scenarioOf("<body name='a'><inertial mass='3' inertia='1 2 3'/></body>");
  ContactInverseDynamics free(thrown.model);
  free.prepare(thrown.model->initialState());
  reference = {};
  reference.twists = {Vec6::Zero()};
  step = free.solve(reference);
  CHECK(step.residual[0].isApprox((Vec6() << 0, 0, 3.0 * kGravity, 0, 0, 0).finished(), 1e-12));
  reference.twists = {(Vec6() << 1, -2, 3, -4, 5, 6).finished() * 1e-2};
  Simulator thrownRun(thrown.model);
  thrownRun.inputs().wrench = free.solve(reference).residual;
  thrownRun.step();
  CHECK(thrownRun.solution().twist[0].isApprox(reference.twists[0], 1e-12));
}

TEST_CASE("an arm that slides along a rigid wall follows the efforts found for it to 1e-6") {
  const Scenario s = test::scenarioOf(arm("friction='0.5'"));
  const Slide slide = slideAlongWall(s, 2.0);
  MESSAGE(fmt::format(
      "twists to {:.1e}, force to {:.1e} of {} N, rates moved by {:.1e}, off the wall by {:.1e} m, "
      "off the path by {:.1e} m",
      slide.twistError, slide.forceError, kPress, slide.change, slide.wallError, slide.pathError));
  CHECK(slide.twistError <= 1e-6 * 0.2);
  CHECK(slide.forceError <= 1e-6 * kPress);
  CHECK(slide.residual <= 1e-8);
  CHECK(slide.sliding > 1990);
  CHECK(slide.iterations == 1);
  CHECK(slide.change <= 3e-4);
  CHECK(slide.wallError <= 1e-6);
  CHECK(slide.pathError <= 1e-4);
}

TEST_CASE("both integrators follow efforts with contact, and a compliant wall presses by the reference") {
  CHECK(slideAlongWall(test::scenarioOf("<options integrator='euler'/>" + arm("friction='0.5'")), 0.5)
            .twistError <= 2e-7);
  // Into a wall of 1e5 N/m, with no force given: the motion alone determines it.
  const Scenario s = test::scenarioOf(arm("friction='0.5' compliance='1e-5'"));
  ContactInverseDynamics inverse(s.model);
  Simulator run(s.model);
  double force = 0.0;
  for (int k = 0; k < 200; ++k) {
    inverse.prepare(run.state(), run.inputs());
    MotionReference reference;
    reference.rates = ratesOf(inverse.poses(), k < 100 ? 2e-3 : 0.0, 0.1);
    const ContactInverseStep step = inverse.solve(reference);
    REQUIRE(step.contacts.solved);
    CHECK(step.change < 1e-9);
    CHECK(judged(inverse, step, *s.model) <= 1e-11);
    run.inputs().control = step.efforts;
    run.step();
    const auto row = static_cast<std::size_t>(run.problem().contactRow(0));
    force = step.impulse[row + 2] / s.model->step.timestep;
    CHECK(run.solution().impulse[row + 2] == doctest::Approx(step.impulse[row + 2]).epsilon(1e-6));
  }
  // It stands 0.2 mm inside.
  CHECK(force == doctest::Approx(20.0).epsilon(0.02));
}

TEST_CASE("without De Saxcé's term the same slide has no solution: impulses and efforts grow by iteration") {
  const Scenario s = test::scenarioOf(arm("friction='0.5'"));
  ContactInverseDynamics inverse(s.model);
  inverse.prepare(s.model->initialState());
  MotionReference reference;
  reference.rates = ratesOf(inverse.poses(), 0.0, 0.2);
  reference.forces.assign(1, Vec3(0, 0, kPress));
  const auto effortAfter = [&](int iterations) {
    ContactInverseOptions options;
    options.impulses.model = ContactModel::Ccp;
    options.impulses.maxIterations = iterations;
    const ContactInverseStep step = inverse.solve(reference, options);
    CHECK(!step.contacts.solved);
    CHECK(step.contacts.unsolvedContacts == std::vector<int>{0});
    CHECK(step.contacts.residual > 0.01);  // m/s
    return std::abs(step.efforts[0]);
  };
  const double effort = inverse.solve(reference).efforts[0];
  const double after = effortAfter(100);
  CHECK(after > 1e3 * std::abs(effort));
  CHECK(effortAfter(1000) == doctest::Approx(10.0 * after).epsilon(0.01));
  // Where nothing slides both models agree.
  reference.rates = {0.0, 0.0};
  ContactInverseOptions options;
  options.impulses.model = ContactModel::Ccp;
  const ContactInverseStep convex = inverse.solve(reference, options), exact = inverse.solve(reference);
  CHECK(convex.contacts.solved);
  CHECK(convex.efforts[0] == doctest::Approx(exact.efforts[0]).epsilon(1e-9));
}

TEST_CASE("a five-bar loop that drags its point over the ground follows its two efforts") {
  const Scenario s = test::scenarioOf(
      R"xml(<motion name="zero" type="constant" value="0"/><material name="default" friction="0.3"/>
         <shape name="ground" type="plane" position="0 0 -0.02"/>
         <body name="a1" from="0 0 0.4" to="-0.1 0 0.2"><inertial mass="1" inertia="0.001 0.01 0.01"/></body>
         <body name="a2" from="-0.1 0 0.2" to="0.15 0 0"><inertial mass="1" inertia="0.001 0.01 0.01"/><shape type="sphere" radius="0.02" position="length/2 0 0"/></body>
         <body name="b1" from="0.3 0 0.4" to="0.4 0 0.2"><inertial mass="1" inertia="0.001 0.01 0.01"/></body>
         <body name="b2" from="0.4 0 0.2" to="0.15 0 0"><inertial mass="1" inertia="0.001 0.01 0.01"/></body>
         <joint name="a" type="revolute" follower="a1" position="0 0 0.4" axis="0 1 0"><actuator type="effort" motion="zero"/></joint>
         <joint name="b" type="revolute" follower="b1" position="0.3 0 0.4" axis="0 1 0"><actuator type="effort" motion="zero"/></joint>
         <joint name="ae" type="revolute" base="a1" follower="a2" position="-0.1 0 0.2" axis="0 1 0"/>
         <joint name="be" type="revolute" base="b1" follower="b2" position="0.4 0 0.2" axis="0 1 0"/>
         <joint name="tip" type="revolute" base="a2" follower="b2" position="0.15 0 0" axis="0 1 0"/>)xml");
  ContactInverseDynamics inverse(s.model);
  Simulator run(s.model);
  const double dt = s.model->step.timestep, half = std::hypot(0.25, 0.2) / 2.0;
  double twistError = 0.0, forceError = 0.0, residual = 0.0, change = 0.0;
  while (run.state().time < 0.5 - 1e-9) {
    inverse.prepare(run.state(), run.inputs());
    REQUIRE(inverse.contacts().size() == 1);
    const std::span<const Pose> poses = inverse.poses();
    const Vec3 elbowA = poses[1].position - poses[1].rotation * Vec3(half, 0, 0);
    const Vec3 elbowB = poses[3].position - poses[3].rotation * Vec3(half, 0, 0);
    const Vec3 tip = poses[1].position + poses[1].rotation * Vec3(half, 0, 0);
    const double along = 0.2 * std::sin(6.0 * (run.state().time + dt));
    // The other joints follow from the loop.
    MotionReference reference;
    reference.rates = {driveRate(Vec3(0, 0, 0.4), elbowA, tip, along),
                       driveRate(Vec3(0.3, 0, 0.4), elbowB, tip, along), kOpen, kOpen, kOpen};
    reference.forces.assign(1, Vec3(0, 0, kPress));
    const ContactInverseStep step = inverse.solve(reference);
    REQUIRE(step.contacts.solved);
    REQUIRE(step.closed[0] == 1);
    CHECK(judged(inverse, step, *s.model) <= 1e-11);
    residual = std::max(residual, step.residualForce());
    change = std::max(change, step.change);
    run.inputs().control = step.efforts;
    run.step();
    for (std::size_t b = 0; b < 4; ++b)
      twistError = std::max(twistError, (run.solution().twist[b] - step.twists[b]).cwiseAbs().maxCoeff());
    const double pressing =
        run.solution().impulse[static_cast<std::size_t>(run.problem().contactRow(0)) + 2] / dt;
    forceError = std::max(forceError, std::abs(pressing - kPress));
  }
  MESSAGE(fmt::format("twists to {:.1e}, force to {:.1e} of {} N, rates moved by {:.1e}", twistError,
                      forceError, kPress, change));
  CHECK(twistError <= 1e-6 * 0.2);
  CHECK(forceError <= 1e-6 * kPress);
  CHECK(residual <= 1e-8);
  CHECK(change <= 1e-3);
}

TEST_CASE("a reference that enters a rigid contact is moved onto it, and one that leaves has no force") {
  const Scenario s = test::scenarioOf(arm("friction='0.5'"));
  ContactInverseDynamics inverse(s.model);
  inverse.prepare(s.model->initialState());
  MotionReference reference;
  reference.forces.assign(1, Vec3(0, 0, kPress));
  reference.rates = ratesOf(inverse.poses(), 0.05, 0.1);
  ContactInverseStep step = inverse.solve(reference);
  CHECK(step.closed[0] == 1);
  CHECK(step.change > 0.01);
  const auto row = static_cast<std::size_t>(inverse.problem().contactRow(0));
  CHECK(step.impulse[row + 2] == doctest::Approx(kPress * s.model->step.timestep));
  CHECK(judged(inverse, step, *s.model) <= 1e-11);
  reference.rates = ratesOf(inverse.poses(), -0.05, 0.1);
  step = inverse.solve(reference);
  CHECK(step.closed[0] == 0);
  CHECK(step.change < 1e-9);
  CHECK(step.impulse[row + 2] == 0.0);
  CHECK(judged(inverse, step, *s.model) <= 1e-11);
  // At rest any force inside the cone is possible, and one outside is taken to the nearest there.
  reference.rates = {0.0, 0.0};
  reference.forces = {Vec3(1.0, -2.0, kPress)};
  step = inverse.solve(reference);
  CHECK(Vec3(&step.impulse[row]).isApprox(Vec3(1e-3, -2e-3, 1e-3 * kPress), 1e-9));
  CHECK(judged(inverse, step, *s.model) <= 1e-11);
}

TEST_CASE(
    "rates that contradict a loop give way to it, and a contact that joints keep from closing is unsolved") {
  const Scenario parallel = test::scenarioOf(
      R"(<motion name="zero" type="constant" value="0"/>
         <body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body><body name="b"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
         <joint name="a" type="prismatic" follower="a" axis="1 0 0"><actuator type="effort" motion="zero"/></joint>
         <joint name="b" type="prismatic" follower="b" axis="1 0 0"><actuator type="effort" motion="zero"/></joint>
         <joint name="ab" type="fixed" base="a" follower="b"/>)");
  ContactInverseDynamics loop(parallel.model);
  Simulator run(parallel.model);
  loop.prepare(run.state());
  MotionReference reference;
  reference.rates = {0.1, 0.3};
  ContactInverseStep step = loop.solve(reference);
  CHECK(step.rates[0] == doctest::Approx(0.2));
  CHECK(step.rates[1] == doctest::Approx(0.2));
  CHECK(step.change == doctest::Approx(0.1));
  CHECK(step.violation <= 1e-12);
  // Two drives share the mass.
  CHECK(step.efforts[0] == doctest::Approx(0.2 / parallel.model->step.timestep));
  CHECK(step.efforts[1] == doctest::Approx(step.efforts[0]));
  run.inputs().control = step.efforts;
  run.step();
  CHECK(run.solution().twist[0].isApprox(step.twists[0], 1e-9));

  const Scenario rail = test::scenarioOf(
      R"(<motion name="zero" type="constant" value="0"/><shape type="plane"/>
         <body name="a" position="0 0 0.5"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
         <body name="b" position="0 0 0.09"><shape type="sphere" radius="0.1" mass="1"/></body>
         <joint name="a" type="prismatic" follower="a" axis="1 0 0"><actuator type="effort" motion="zero"/></joint>
         <joint name="ab" type="fixed" base="a" follower="b"/>)");
  ContactInverseDynamics blocked(rail.model);
  blocked.prepare(rail.model->initialState());
  reference.rates = {0.1};
  step = blocked.solve(reference);
  REQUIRE(step.closed.size() == 1);
  CHECK(step.closed[0] == 0);
  CHECK(step.violation > 1e-3);
  CHECK(!step.contacts.solved);
}

TEST_CASE("dampers, dry friction and servos take part in the efforts of drives") {
  const Scenario s = test::scenarioOf(
      R"(<motion name="zero" type="constant" value="0"/>
         <body name="arm" from="0 0 0" to="0 0 -0.4"><inertial mass="2" inertia="0.03 0.03 0.001"/></body>
         <joint name="pin" type="revolute" follower="arm" axis="0 1 0"><dynamics armature="0.2" damping="0.5" friction="0.3"/><actuator type="effort" motion="zero"/></joint>
         <body name="hand" from="0 0 -0.4" to="0 0 -0.6"><inertial mass="1" inertia="0.01 0.01 0.001"/></body><motion name="wave" type="sine" amplitude="1" frequency="2"/>
         <joint name="wrist" type="revolute" base="arm" follower="hand" position="0 0 -0.4" axis="0 1 0"><actuator type="velocity" motion="wave" kd="0.2"/></joint>)");
  ContactInverseDynamics inverse(s.model);
  Simulator run(s.model);
  for (int k = 1; k <= 300; ++k) {
    inverse.prepare(run.state(), run.inputs());
    MotionReference reference;
    reference.rates = {std::sin(0.02 * k), kOpen};
    const ContactInverseStep step = inverse.solve(reference);
    REQUIRE(step.contacts.solved);
    CHECK(std::isnan(step.efforts[1]));
    run.inputs().control = step.efforts;
    run.step();
    CHECK(std::abs(run.record().rateAfter[0] - reference.rates[0]) < 1e-9);
  }
}

TEST_CASE(
    "a contact moves what springs carry as springs let it: all that lacks is the force of the contact") {
  const Scenario s = test::scenarioOf(
      R"(<motion name="zero" type="constant" value="0"/><material name="default" friction="0"/><shape type="plane"/>
         <body name="slide" position="0 0 1"><inertial mass="0.5" inertia="0.01 0.01 0.01"/></body>
         <body name="upper" position="0 0 0.5"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
         <body name="ball" position="0 0 0.1"><shape type="sphere" radius="0.1" mass="2"/></body>
         <joint name="rail" type="prismatic" follower="slide" position="0 0 1" axis="1 0 0"><actuator type="effort" motion="zero"/></joint>
         <joint name="u" type="prismatic" base="slide" follower="upper" position="0 0 0.5" axis="0 0 1"><dynamics stiffness="1e5" damping="3"/></joint>
         <joint name="l" type="prismatic" base="upper" follower="ball" position="0 0 0.1" axis="0 0 1"><dynamics stiffness="1e4" damping="1"/></joint>)");
  ContactInverseDynamics inverse(s.model);
  inverse.prepare(s.model->initialState());
  REQUIRE(inverse.contacts().size() == 1);
  MotionReference reference;
  reference.rates = {0.5, kOpen, kOpen};
  ContactInverseStep step = inverse.solve(reference);
  const double force = step.residual[2][2];
  CHECK(force > 10.0);
  CHECK(step.residual[2].isApprox(force * Vec6::Unit(2), 1e-9));
  CHECK(step.residual[0].norm() + step.residual[1].norm() <= 1e-7);
  reference.forces = {Vec3(0, 0, force)};
  step = inverse.solve(reference);
  CHECK(step.residualForce() <= 1e-7);
  Simulator run(s.model);
  run.inputs().control = step.efforts;
  run.step();
  for (std::size_t b = 0; b < 3; ++b)
    CHECK((run.solution().twist[b] - step.twists[b]).cwiseAbs().maxCoeff() <= 1e-7);
}

TEST_CASE("inverse dynamics with contact refuses what does not fit") {
  const Scenario s = test::scenarioOf(arm("friction='0.5'"));
  ContactInverseDynamics inverse(s.model);
  inverse.prepare(s.model->initialState());
  const auto solve = [&](const MotionReference& reference) { inverse.solve(reference); };
  CHECK_THROWS_WITH_AS(solve({{1.0}, {}, {}}), doctest::Contains("1 rates instead of 2"), CallError);
  CHECK_THROWS_WITH_AS(solve({{}, {Vec6::Zero()}, {}}), doctest::Contains("1 twists instead of 2"),
                       CallError);
  CHECK_THROWS_WITH_AS(solve({{}, {}, {Vec3::Zero(), Vec3::Zero()}}), doctest::Contains("contact forces"),
                       CallError);
  CHECK_THROWS_WITH_AS(solve({{}, {}, {Vec3(0, 0, -1)}}), doctest::Contains("not negative"), CallError);
  CHECK_THROWS_WITH_AS(solve({{INFINITY, 0.0}, {}, {}}), doctest::Contains("must be finite"), CallError);
  const Scenario springs = test::scenarioOf(arm("friction='0.5' tangential-stiffness='1e4'"));
  CHECK_THROWS_WITH_AS(ContactInverseDynamics{springs.model}, doctest::Contains("remember"), CallError);
}
