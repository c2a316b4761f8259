#include "tests/properties/figures.h"

using namespace grashof;
using test::stepTo;

namespace {

/// Mirror image in the plane y = 0.
Pose mirrored(const Pose& pose) {
  const Quat& q = pose.rotation;
  return {Vec3(pose.position.x(), -pose.position.y(), pose.position.z()), Quat(q.w(), -q.x(), q.y(), -q.z())};
}
Vec6 mirrored(const Vec6& u) {
  Vec6 image;
  image << u[0], -u[1], u[2], -u[3], u[4], -u[5];
  return image;
}

void reverse(Simulator& simulator) {
  State state = simulator.state();
  for (Vec6& u : state.twists) u = -u;
  simulator.setState(state);
}

struct Return {
  double missed;  ///< how far the bodies end from where they began, m, rad
  double gone;    ///< how far they were in between
};

/// Runs for `duration`, turns all twists round and runs as long again.
Return thereAndBack(Model model, double timestep, double duration) {
  model.step.timestep = timestep;
  model.step.integrator = Integrator::Moreau;
  const int steps = static_cast<int>(std::lround(duration / timestep));
  Simulator simulator(std::move(model));
  const State start = simulator.state();
  stepTo(simulator, steps);
  const double gone = test::distance(start, simulator.state()).pose;
  reverse(simulator);
  stepTo(simulator, 2 * steps);
  return {test::distance(start, simulator.state()).pose, gone};
}

}  // namespace

TEST_CASE("a symmetric mechanism, driven alike on both sides, stays symmetric") {
  Model neck = test::modelOf("neck");
  const auto signal = [&](const char* joint) {
    return neck.joints[neck.findJoint(joint)].coordinates[0].actuator.signal;
  };
  neck.signals[signal("right-servo")] = neck.signals[signal("left-servo")];
  Simulator simulator(neck);
  const auto check = [&](const char* left, const char* right) {
    const int a = neck.findBody(left), b = neck.findBody(right);
    const State& s = simulator.state();
    CHECK(test::distance(s.poses[a], mirrored(s.poses[b])) < 1e-10);
    CHECK((s.twists[a] - mirrored(s.twists[b])).norm() < 1e-9);
  };
  for (const int steps : {100, 400}) {
    stepTo(simulator, steps);
    check("left-crank", "right-crank");
    check("left-rod", "right-rod");
    check("head", "head");
  }
  CHECK(std::abs(simulator.state().coordinates[1]) > 0.1);  // it has nodded
}

TEST_CASE("the mirror image of a sled's launch gives the mirror image of its way") {
  const auto launched = [](double sideways, double spin) {
    Model model = test::sled(sideways, spin);
    model.solver.tolerance = 1e-11;
    return model;
  };
  Simulator left(launched(0.7, 1.5)), right(launched(-0.7, -1.5));
  stepTo(left, 200);
  stepTo(right, 200);
  CHECK(left.state().poses[0].position.y() > 0.05);
  CHECK(test::distance(left.state().poses[0], mirrored(right.state().poses[0])) < 1e-8);
  CHECK((left.state().twists[0] - mirrored(right.state().twists[0])).norm() < 1e-7);
}

TEST_CASE("without friction a motion runs back where it came from, the nearer the smaller the step") {
  const test::Figure frictionless[] = {{"four-bar", test::fourBar()}, {"chain", test::swingingChain()}};
  for (const test::Figure& figure : frictionless) {
    CAPTURE(figure.name);
    const Return coarse = thereAndBack(figure.model, 1e-3, 0.2), fine = thereAndBack(figure.model, 5e-4, 0.2);
    CHECK(coarse.gone > 0.05);
    CHECK(coarse.missed < 1e-5 * coarse.gone);
    CHECK(coarse.missed / fine.missed == doctest::Approx(8.0).epsilon(0.1));  // third order
  }
}
