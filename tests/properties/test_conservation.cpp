#include "engine/model/model_builder.h"
#include "tests/momentum.h"
#include "tests/properties/figures.h"

using namespace grashof;
using test::Momentum;
using test::momentumOf;
using test::stepTo;

namespace {

/// A body of random inertia at a random pose with a random twist.
Body randomBody(test::Random& random, int number) {
  Body body = test::boxBody(
      fmt::format("b{}", number), random.uniform(0.2, 3.0),
      Vec3(random.uniform(0.1, 0.4), random.uniform(0.1, 0.4), random.uniform(0.1, 0.4)), random.pose());
  const Mat3 turn = random.rotation().toRotationMatrix();
  body.inertia = turn * body.inertia * turn.transpose();
  body.initialTwist = random.twist(3.0);
  return body;
}

}  // namespace

TEST_CASE("free bodies keep momentum and energy to rounding, also at a radian a step") {
  test::forAll(301, 20, [](test::Random& random, int) {
    Model model;
    model.gravity.setZero();
    model.bodies = {randomBody(random, 0), randomBody(random, 1)};
    model = *ModelBuilder(model).build();
    for (const double timestep : {1e-3, 0.02, 0.2}) {
      model.step.timestep = timestep;
      Simulator simulator(model);
      const Momentum before = momentumOf(simulator);
      stepTo(simulator, 200);
      const Momentum after = momentumOf(simulator);
      CHECK((after.linear - before.linear).norm() < 1e-12);
      CHECK((after.angular - before.angular).norm() < 2e-11);  // of bodies 100 m away at the longest
      CHECK(simulator.report().energy.kinetic ==
            doctest::Approx(simulator.initialEnergy().kinetic).epsilon(1e-12));
    }
  });
}

TEST_CASE("a falling body: momentum grows by m g t, and what falls loses no energy") {
  test::forAll(302, 10, [](test::Random& random, int) {
    Model model;
    model.gravity = random.vector(20.0);
    model.bodies = {randomBody(random, 0)};
    model = *ModelBuilder(model).build();
    Simulator simulator(model);
    const Momentum before = momentumOf(simulator);
    const Vec3 start = simulator.state().poses[0].position;
    stepTo(simulator, 200);
    const double mass = model.bodies[0].mass;
    CHECK((momentumOf(simulator).linear - before.linear - 0.2 * mass * model.gravity).norm() < 1e-11);
    const Vec3 way = 0.2 * Vec3(model.bodies[0].initialTwist.head<3>()) + 0.02 * model.gravity;
    CHECK((simulator.state().poses[0].position - start - way).norm() < 1e-12);
    CHECK(std::abs(simulator.relativeEnergyDrift()) < 1e-4);
  });
}

TEST_CASE("bodies joined to each other only keep their momentum while the joints pull") {
  Model chain = test::swingingChain();
  chain.gravity.setZero();
  chain.joints.erase(chain.joints.begin());  // the pin to the world
  for (Joint& joint : chain.joints) joint.coordinates.resize(joint.type->numDofs());
  chain.coordinateStart.pop_back();
  chain.bodies[2].initialTwist.head<3>() = Vec3(0.0, 1.0, 2.0);
  Simulator simulator(chain);
  const Momentum before = momentumOf(simulator);
  stepTo(simulator, 200);
  const Momentum after = momentumOf(simulator);
  CHECK(simulator.jointReaction(1).norm() > 1.0);
  CHECK((after.linear - before.linear).norm() < 1e-11);
  CHECK((after.angular - before.angular).norm() < 1e-6);
}
