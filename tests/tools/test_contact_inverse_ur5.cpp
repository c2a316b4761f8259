// The motion of [Carpentier 2024, fig. 8]: a UR5 slides its tool along a wall. The robot's description lies
// beside the project.
#include <filesystem>

#include <fmt/format.h>

#include "engine/analysis/contact_inverse_dynamics.h"
#include "engine/model/model_builder.h"
#include "tests/support.h"
#include "tools/convert/formats.h"

using namespace grashof;

namespace {

constexpr double kToolForce = 10.0, kToolFriction = 0.3, kFingerRadius = 0.01;

struct Robot {
  std::shared_ptr<const Model> model;
  Vec3 finger;  ///< centre of the ball at the tool, in the frame of the last body
};

/// The robot at these angles with a drive in each joint, a finger at its tool, and a wall that it touches.
Robot robotAtWall(const std::string& file, std::span<const double> angles) {
  convert::Report report;
  convert::FileOptions files;
  files.folders = {test::sourceFolder() + "/../shared/zoo"};
  Model model = *convert::buildScenario(convert::readUrdf(file, files, report), {}, report).model;
  REQUIRE(model.bodies.size() == 6);
  REQUIRE(model.joints.size() == 6);
  std::vector<Pose> poses;
  for (const Body& body : model.bodies) poses.push_back(body.initialPose);
  for (std::size_t j = 0; j < 6; ++j) {
    const JointFrames frame = framesAt(model.joints[j], poses);
    const Quat turn(Eigen::AngleAxisd(angles[j], Vec3(frame.baseAxes.col(0))));
    for (std::size_t b = j; b < 6; ++b) {
      poses[b].position = frame.basePoint + turn * (poses[b].position - frame.basePoint);
      poses[b].rotation = turn * poses[b].rotation;
    }
    Actuator& drive = model.joints[j].coordinates[0].actuator;
    drive = {};
    drive.kind = Actuator::Kind::Effort;
    drive.signal = static_cast<int>(model.signals.size());
    Signal zero;
    zero.name = fmt::format("drive{}", j);
    model.signals.push_back(zero);
  }
  for (std::size_t b = 0; b < 6; ++b) model.bodies[b].initialPose = poses[b];
  const JointFrames wrist = framesAt(model.joints[5], poses);
  const Vec3 along = wrist.baseAxes.col(0), centre = wrist.basePoint + (0.0823 + 0.04) * along;
  REQUIRE(along.isApprox(Vec3::UnitX(), 1e-9));
  Robot robot;
  robot.finger = poses[5].inverse() * centre;
  Shape ball = test::sphereShape(5, kFingerRadius);
  ball.name = "finger";
  ball.pose.position = robot.finger;
  model.shapes.push_back(ball);
  Shape wall = test::planeShape();
  wall.name = "wall";
  wall.pose = {centre + kFingerRadius * along, rotationBetween(Vec3::UnitZ(), -Vec3::UnitX())};
  model.shapes.push_back(wall);
  test::setSurface(model, kToolFriction, 0.0);
  for (Shape& shape : model.shapes) shape.material = 0;
  model.solver.tolerance = 1e-12;  // of the run: its forces would be those asked for to 1e-5 else
  robot.model = ModelBuilder(model).build();
  return robot;
}

/// Rates at which the finger has this velocity while the tool does not turn.
std::vector<double> ratesOfFinger(const Robot& robot, std::span<const Pose> poses, const Vec3& velocity) {
  const Vec3 finger = poses[5] * robot.finger;
  Mat6 jacobian;
  for (int j = 0; j < 6; ++j) {
    const JointFrames frame = framesAt(robot.model->joints[static_cast<std::size_t>(j)], poses);
    const Vec3 axis = Vec3(frame.baseAxes.col(0));
    jacobian.col(j) << axis.cross(finger - frame.basePoint), axis;
  }
  const Vec6 rates = jacobian.inverse() * (Vec6() << velocity, Vec3::Zero()).finished();
  return {rates.begin(), rates.end()};
}

}  // namespace

TEST_CASE("a UR5 that slides on a rigid wall follows its efforts to 1e-6; the convex model has none") {
  const std::string file =
      test::sourceFolder() + "/../shared/zoo/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf";
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: no UR5 beside the project");
    return;
  }
  const Robot robot = robotAtWall(file, std::vector<double>{0.0, -1.0, 1.6, -0.6, 1.5707963267948966, 0.3});
  ContactInverseDynamics inverse(robot.model);
  Simulator run(robot.model);
  const double dt = robot.model->step.timestep;
  double twistError = 0.0, normalError = 0.0, tangentError = 0.0, change = 0.0, residual = 0.0, wall = 0.0,
         effort = 0.0, speed = 0.0;
  const double start = (run.state().poses[5] * robot.finger).x();
  for (int k = 1; k <= 2000; ++k) {
    inverse.prepare(run.state(), run.inputs());
    REQUIRE(inverse.contacts().size() == 1);
    const double t = k * dt;
    MotionReference reference;
    reference.rates =
        ratesOfFinger(robot, inverse.poses(), 0.1 * Vec3(0.0, std::sin(4.0 * t), std::sin(3.0 * t)));
    reference.forces.assign(1, Vec3(0, 0, kToolForce));
    const ContactInverseStep step = inverse.solve(reference);
    REQUIRE(step.contacts.solved);
    CHECK(step.contacts.iterations == 1);
    REQUIRE(step.closed[0] == 1);
    run.inputs().control = step.efforts;
    run.step();
    REQUIRE(!run.diverged());
    const std::vector<Vec6>& twists = run.solution().twist;
    for (std::size_t b = 0; b < 6; ++b) {
      speed = std::max(speed, step.twists[b].cwiseAbs().maxCoeff());
      twistError = std::max(twistError, (twists[b] - step.twists[b]).cwiseAbs().maxCoeff());
    }
    const auto row = static_cast<std::size_t>(run.problem().contactRow(0));
    const Vec3 off = (Vec3(&run.solution().impulse[row]) - Vec3(&step.impulse[row])) / dt;
    normalError = std::max(normalError, std::abs(off[2]));
    tangentError = std::max(tangentError, off.head<2>().norm());
    change = std::max(change, step.change);
    residual = std::max(residual, step.residualForce());
    wall = std::max(wall, std::abs((run.state().poses[5] * robot.finger).x() - start));
    for (const double e : step.efforts) effort = std::max(effort, std::abs(e));

    if (k != 500) continue;
    // The same step of the convex relaxation: contact force and efforts grow with every iteration.
    double before = 0.0;
    for (const int iterations : {10, 100, 1000}) {
      ContactInverseOptions options;
      options.impulses.model = ContactModel::Ccp;
      options.impulses.maxIterations = iterations;
      const ContactInverseStep convex = inverse.solve(reference, options);
      CHECK(!convex.contacts.solved);
      double largest = 0.0;
      for (const double e : convex.efforts) largest = std::max(largest, std::abs(e));
      MESSAGE(fmt::format("convex, {} iterations: normal force {:.2e} N, effort {:.2e} N m", iterations,
                          convex.impulse[row + 2] / dt, largest));
      CHECK(largest > 5.0 * before);
      before = largest;
    }
  }
  MESSAGE(fmt::format(
      "twists to {:.1e} of {:.2f}, normal force to {:.1e}, friction to {:.1e} of {} N, rates moved by "
      "{:.1e}, off the wall by {:.1e} m, efforts up to {:.1f} N m",
      twistError, speed, normalError, tangentError, kToolForce, change, wall, effort));
  CHECK(twistError <= 1e-6 * speed);
  CHECK(normalError <= 1e-6 * kToolForce);
  CHECK(tangentError <= 1e-6 * kToolForce);
  CHECK(residual <= 1e-6);
  CHECK(wall <= 1e-6);
  CHECK(effort < 100.0);
}
