#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/step/projection.h"
#include "tests/properties/figures.h"

using namespace grashof;
using test::Figure;
using test::figures;
using test::stepTo;

namespace {

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  return test::stacked(a).dot(test::stacked(b));
}

/// The model without what moves by itself: its motions become constant in time.
Model atRest(Model model) {
  for (Signal& signal : model.signals) {
    signal.kind = Signal::Kind::Constant;
    signal.offset = 0.0;
  }
  return model;
}

}  // namespace

TEST_CASE("rows of joints, limits, servos and contacts: <J u, λ> = <u, Jᵀ λ>") {
  int joints = 0, intervals = 0, contacts = 0;
  for (const Figure& figure : figures()) {
    CAPTURE(figure.name);
    Simulator simulator(figure.model);
    stepTo(simulator, 50);
    const DualProblem& problem = simulator.problem();
    joints += static_cast<int>(problem.joints.size());
    intervals += static_cast<int>(problem.intervals.size());
    contacts += static_cast<int>(problem.contacts.size());
    test::forAll(401, 20, [&](test::Random& random, int) {
      std::vector<Vec6> twist(problem.bodies()), wrench(problem.bodies(), Vec6::Zero());
      for (Vec6& u : twist) u = random.twist();
      std::vector<double> impulse(problem.rows()), velocity(problem.rows());
      for (double& value : impulse) value = random.uniform();
      rowVelocities(problem, twist, velocity);
      addRowWrenches(problem, impulse, wrench);
      const double power = inner(velocity, impulse);
      CHECK(std::abs(test::stacked(twist).dot(test::stacked(wrench)) - power) <
            1e-12 * (1.0 + std::abs(power)));
      CHECK((denseJacobian(problem) * test::stacked(twist) - test::stacked(velocity)).norm() < 1e-12);
    });
  }
  CHECK(joints > 0);
  CHECK(intervals > 0);
  CHECK(contacts > 0);
}

TEST_CASE(
    "projection of twists: the second changes nothing, and the first nothing that the joints leave free") {
  for (const Figure& figure : figures()) {
    CAPTURE(figure.name);
    const Model model = atRest(figure.model);
    if (model.joints.empty()) continue;
    const State state = Simulator(model).state();
    std::vector<Pose> poses = state.poses;
    std::vector<JointGeometry> geometry(model.joints.size());
    Projection projection(model);
    projection.projectPoses(poses, state.coordinates, 0.0, 1e-12, geometry);
    std::vector<InertiaBlock> inertia(model.bodies.size());
    inertiaAt(model, poses, inertia);
    // The metric: bodies and the rotors of the joints.
    const auto product = [&](const std::vector<Vec6>& a, const std::vector<Vec6>& b) {
      double sum = 0.0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(inertia[i].multiply(b[i]));
      for (std::size_t j = 0; j < model.joints.size(); ++j)
        for (std::size_t k = 0; k < model.joints[j].coordinates.size(); ++k) {
          const JointRow& row = geometry[j].coordinateRow[k];
          sum += model.joints[j].coordinates[k].passive.armature * coordinateRate(model.joints[j], row, a) *
                 coordinateRate(model.joints[j], row, b);
        }
      return sum;
    };
    const auto projected = [&](std::vector<Vec6> twists) {
      projection.projectTwists(poses, geometry, 0.0, twists);
      return twists;
    };
    test::forAll(402, 10, [&](test::Random& random, int) {
      std::vector<Vec6> u(model.bodies.size()), w(model.bodies.size()), change(model.bodies.size());
      for (Vec6& x : u) x = random.twist();
      for (Vec6& x : w) x = random.twist();
      const auto once = projected(u), twice = projected(once), allowed = projected(w);
      double second = 0.0;
      for (std::size_t b = 0; b < u.size(); ++b) {
        second = std::max(second, (twice[b] - once[b]).cwiseAbs().maxCoeff());
        change[b] = once[b] - u[b];
      }
      const double size = std::sqrt(product(change, change) * product(allowed, allowed));
      CHECK(product(change, change) > 1e-6);
      CHECK(second < 1e-14);
      CHECK(std::abs(product(change, allowed)) < 1e-12 * size);
    });
  }
}

TEST_CASE("projection of poses: bodies pushed off their joints come back, and the second changes nothing") {
  for (const Figure& figure : figures()) {
    CAPTURE(figure.name);
    const Model model = atRest(figure.model);
    if (model.joints.empty()) continue;
    const State state = Simulator(model).state();
    test::forAll(403, 10, [&](test::Random& random, int) {
      std::vector<Pose> poses = state.poses;
      for (Pose& pose : poses) pose = movePose(pose, random.twist(), 0.01);
      std::vector<JointGeometry> geometry(model.joints.size());
      Projection projection(model);
      const auto first = projection.projectPoses(poses, state.coordinates, 0.0, 1e-12, geometry);
      CHECK(first.iterations > 1);
      CHECK(first.violation < 1e-12);
      const std::vector<Pose> once = poses;
      Projection again(model);  // from what it sees, not from what it did
      again.projectPoses(poses, state.coordinates, 0.0, 1e-12, geometry);
      for (std::size_t b = 0; b < poses.size(); ++b) CHECK(test::distance(poses[b], once[b]) < 1e-14);
    });
  }
}
