#include <algorithm>
#include <numeric>

#include "tests/properties/figures.h"

using namespace grashof;
using test::Figure;
using test::figures;
using test::stepTo;

namespace {

constexpr int kInvarianceSteps = 100;

// What two runs that are equal in exact arithmetic may differ by: rounding and the tolerances of projection
// and solver, 1e-11 each.
struct Tolerance {
  double pose, twist;
};
Tolerance toleranceOf(const Model& model) {
  const bool touches = std::any_of(model.shapes.begin(), model.shapes.end(),
                                   [](const Shape& shape) { return shape.collides; });
  return touches ? Tolerance{1e-9, 1e-8} : Tolerance{1e-11, 1e-9};
}

/// The figures, solved as well as they can be.
std::vector<Figure> exactFigures() {
  std::vector<Figure> all = figures();
  for (Figure& figure : all) figure.model.solver.tolerance = 1e-11;
  return all;
}

/// The model in another place of the world, its gravity turned along.
Model movedBy(const Pose& motion, Model model) {
  model.gravity = motion.rotation * model.gravity;
  for (Body& body : model.bodies) {
    body.initialPose = motion * body.initialPose;
    body.initialTwist.head<3>() = motion.rotation * Vec3(body.initialTwist.head<3>());
    body.initialTwist.tail<3>() = motion.rotation * Vec3(body.initialTwist.tail<3>());
  }
  for (Joint& joint : model.joints)
    if (joint.base == kWorld) joint.baseFrame = motion * joint.baseFrame;
  for (Shape& shape : model.shapes)
    if (shape.body == kWorld) shape.pose = motion * shape.pose;
  return model;
}

State movedBy(const Pose& motion, State state) {
  for (Pose& pose : state.poses) pose = motion * pose;
  for (Vec6& u : state.twists) {
    u.head<3>() = motion.rotation * Vec3(u.head<3>());
    u.tail<3>() = motion.rotation * Vec3(u.tail<3>());
  }
  return state;
}

/// The model with masses, inertias and efforts `c` times as large.
Model scaledBy(double c, Model model) {
  for (Body& body : model.bodies) {
    body.mass *= c;
    body.inertia *= c;
    body.inverseInertia /= c;
  }
  for (Joint& joint : model.joints)
    for (JointCoordinate& axis : joint.coordinates) {
      axis.passive.stiffness *= c;
      axis.passive.damping *= c;
      axis.passive.armature *= c;
      axis.passive.dryFriction *= c;
      axis.actuator.proportionalGain *= c;
      axis.actuator.derivativeGain *= c;
      axis.actuator.effortLimit *= c;
      if (axis.actuator.kind != Actuator::Kind::Effort) continue;
      Signal effort = model.signals[axis.actuator.signal];
      effort.offset *= c;
      effort.amplitude *= c;
      for (double& value : effort.values) value *= c;
      axis.actuator.signal = static_cast<int>(model.signals.size());
      model.signals.push_back(effort);
    }
  return model;
}

/// Jᵀ λ of the last step.
VecX impulsesOnBodies(const Simulator& simulator) {
  std::vector<Vec6> wrench(simulator.problem().bodies(), Vec6::Zero());
  addRowWrenches(simulator.problem(), simulator.solution().impulse, wrench);
  return test::stacked(wrench);
}

std::vector<int> shuffled(test::Random& random, std::size_t count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(i) + 0.999))]);
  return order;
}

/// The model with its bodies, joints and shapes listed in another order: entry i is number order[i] of
/// `from`.
Model reordered(const Model& from, const std::vector<int>& bodies, const std::vector<int>& joints) {
  Model model = from;
  std::vector<int> newBody(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    newBody[bodies[i]] = static_cast<int>(i);
    model.bodies[i] = from.bodies[bodies[i]];
  }
  const auto renumber = [&](int& body) {
    if (body != kWorld) body = newBody[body];
  };
  model.coordinateStart.assign(1, 0);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    Joint& joint = model.joints[i] = from.joints[joints[i]];
    renumber(joint.base);
    renumber(joint.follower);
    model.coordinateStart.push_back(model.coordinateStart.back() + joint.type->numDofs());
  }
  for (Shape& shape : model.shapes) renumber(shape.body);
  std::reverse(model.shapes.begin(), model.shapes.end());
  for (ExcludedPair& pair : model.exclusions) {
    renumber(pair.a.body);
    renumber(pair.b.body);
    pair = ExcludedPair(pair.a, pair.b);
  }
  std::sort(model.exclusions.begin(), model.exclusions.end());
  return model;
}

}  // namespace

TEST_CASE("moving the world moves the motion") {
  for (const Figure& figure : exactFigures()) {
    CAPTURE(figure.name);
    Simulator here(figure.model);
    stepTo(here, kInvarianceSteps);
    test::forAll(201, 3, [&](test::Random& random, int) {
      const Pose motion = random.pose(3.0);
      Simulator there(movedBy(motion, figure.model));
      stepTo(there, kInvarianceSteps);
      const auto d = test::distance(there.state(), movedBy(motion, here.state()));
      const Tolerance allowed = toleranceOf(figure.model);
      CHECK(d.pose < allowed.pose);
      CHECK(d.twist < allowed.twist);
      CHECK(d.coordinate < allowed.pose);
      for (std::size_t j = 0; j < figure.model.joints.size(); ++j) {
        const Vec6 reaction = here.jointReaction(static_cast<int>(j));
        CHECK((there.jointReaction(static_cast<int>(j)) - reaction).norm() < 1e-5 * (1.0 + reaction.norm()));
      }
    });
  }
}

TEST_CASE(
    "masses, inertias, springs and efforts c times as large: the same twists, c times the impulses on each "
    "body") {
  for (const Figure& figure : exactFigures())
    for (const double c : {0.01, 3.0, 1000.0}) {
      CAPTURE(figure.name);
      CAPTURE(c);
      Simulator light(figure.model), heavy(scaledBy(c, figure.model));
      stepTo(light, kInvarianceSteps);
      stepTo(heavy, kInvarianceSteps);
      const auto d = test::distance(light.state(), heavy.state());
      const Tolerance allowed = toleranceOf(figure.model);
      CHECK(d.pose < allowed.pose);
      CHECK(d.twist < allowed.twist);
      // What the rows do to each body; the share of each row is not determined where there are too many.
      const VecX lightWrench = impulsesOnBodies(light), heavyWrench = impulsesOnBodies(heavy);
      const double largest = lightWrench.cwiseAbs().maxCoeff();
      CHECK(largest > 1e-3);
      CHECK((heavyWrench / c - lightWrench).cwiseAbs().maxCoeff() < 1e-6 * largest);
    }
}

TEST_CASE("the order of bodies, joints and shapes leaves the motion, to rounding") {
  for (const Figure& figure : exactFigures()) {
    CAPTURE(figure.name);
    Simulator plain(figure.model);
    stepTo(plain, kInvarianceSteps);
    test::forAll(202, 3, [&](test::Random& random, int) {
      const auto bodies = shuffled(random, figure.model.bodies.size());
      const auto joints = shuffled(random, figure.model.joints.size());
      Simulator other(reordered(figure.model, bodies, joints));
      stepTo(other, kInvarianceSteps);
      double pose = 0.0, twist = 0.0;
      for (std::size_t b = 0; b < bodies.size(); ++b) {
        pose = std::max(pose, test::distance(other.state().poses[b], plain.state().poses[bodies[b]]));
        twist = std::max(twist,
                         (other.state().twists[b] - plain.state().twists[bodies[b]]).cwiseAbs().maxCoeff());
      }
      const Tolerance allowed = toleranceOf(figure.model);
      CHECK(pose < allowed.pose);
      CHECK(twist < allowed.twist);
    });
  }
}

TEST_CASE("names are names: other ones give the same bits") {
  for (const Figure& figure : exactFigures()) {
    CAPTURE(figure.name);
    Model renamed = figure.model;
    for (std::size_t b = 0; b < renamed.bodies.size(); ++b)
      renamed.bodies[b].name = fmt::format("z{}", 99 - b);
    for (std::size_t j = 0; j < renamed.joints.size(); ++j)
      renamed.joints[j].name = fmt::format("y{}", 99 - j);
    Simulator plain(figure.model), other(std::move(renamed));
    stepTo(plain, kInvarianceSteps);
    stepTo(other, kInvarianceSteps);
    CHECK(plain.state() == other.state());
  }
}
