#include <map>
#include <set>

#include <doctest/doctest.h>

#include "joints/joint.h"
#include "tests/support.h"

using namespace grashof;
using test::Random;

namespace {

/// A joint of the type with random frames, between two bodies or (unary) the world and one.
Joint randomJoint(const JointType& type, Random& random, bool unary) {
  Joint joint;
  joint.name = "j";
  joint.type = &type;
  joint.base = unary ? kWorld : 0;
  joint.follower = unary ? 0 : 1;
  joint.baseFrame = random.pose(0.5);
  joint.followerFrame = random.pose(0.5);
  joint.parameters.length = random.uniform(0.2, 1.0);
  return joint;
}

struct JointEvaluation {
  std::array<double, 6> f{}, q{};
  std::array<JointRow, 6> rows, free;
};

JointEvaluation evaluate(const Joint& joint, const Pose& base, const Pose& follower) {
  JointEvaluation e;
  const JointFrames frames = jointFrames(joint, base, follower);
  joint.type->constraint(frames, joint.parameters, e.f, e.rows);
  joint.type->coordinates(frames, joint.parameters, e.q, e.free);
  return e;
}

double difference(double a, double b, bool angle) { return angle ? unwrapAngle(a - b, 0.0) : a - b; }

/// Largest relative error of the rows against central differences along random twists.
double finiteDifferenceError(const Joint& joint, const Pose& base, const Pose& follower, Random& random) {
  const double h = 1e-6;
  double worst = 0.0;
  const JointEvaluation here = evaluate(joint, base, follower);
  for (int trial = 0; trial < 4; ++trial) {
    Vec6 ub = random.twist();
    const Vec6 uf = random.twist();
    if (joint.base < 0) ub.setZero();
    const JointEvaluation plus = evaluate(joint, movePose(base, ub, h), movePose(follower, uf, h));
    const JointEvaluation minus = evaluate(joint, movePose(base, ub, -h), movePose(follower, uf, -h));
    for (int i = 0; i < joint.type->numConstraints(); ++i) {
      const double numeric = (plus.f[i] - minus.f[i]) / (2.0 * h);
      const double exact = here.rows[i].base.dot(ub) + here.rows[i].follower.dot(uf);
      worst = std::max(worst, std::abs(numeric - exact) / std::max(1.0, std::abs(exact)));
    }
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      const bool angle = std::abs(plus.q[i] - minus.q[i]) > 3.0;
      const double numeric = difference(plus.q[i], minus.q[i], angle) / (2.0 * h);
      const double exact = here.free[i].base.dot(ub) + here.free[i].follower.dot(uf);
      worst = std::max(worst, std::abs(numeric - exact) / std::max(1.0, std::abs(exact)));
    }
  }
  return worst;
}

/// True where a chart of the coordinates is singular: gimbal lock, a rod along z, a half turn.
bool nearSingular(const Joint& joint, const JointEvaluation& e, const JointFrames& frames) {
  const Quat q(Mat3(frames.baseAxes.transpose() * frames.followerAxes));
  if (std::abs(q.w()) < 0.15) return true;
  if (joint.type->name() == "gimbal") return std::abs(std::cos(e.q[1])) < 0.1;
  if (joint.type->name() == "distance") return std::abs(std::cos(e.q[1])) < 0.1;
  if (joint.type->name() == "universal") {
    const double c = frames.baseAxes.col(0).dot(frames.followerAxes.col(1));
    return std::abs(c) > 0.9;
  }
  return false;
}

}  // namespace

TEST_CASE(
    "every joint type's rows are the exact derivative of residual and coordinates, on and off the "
    "constraint") {
  Random random(1);
  for (const JointType* type : jointTypes()) {
    CAPTURE(type->name());
    int tried = 0;
    for (int sample = 0; sample < 60; ++sample) {
      const Joint joint = randomJoint(*type, random, sample % 3 == 0);
      const Pose base = joint.base < 0 ? Pose{} : random.pose();
      const Pose follower = random.pose();
      if (nearSingular(joint, evaluate(joint, base, follower), jointFrames(joint, base, follower))) continue;
      ++tried;
      CHECK(finiteDifferenceError(joint, base, follower, random) < 1e-6);
    }
    CHECK(tried > 20);
  }
}

TEST_CASE("residuals and coordinates without their rows are the same as with them") {
  Random random(7);
  for (const JointType* type : jointTypes())
    for (int sample = 0; sample < 10; ++sample) {
      CAPTURE(type->name());
      const Joint joint = randomJoint(*type, random, sample % 2 == 0);
      const Pose base = joint.base < 0 ? Pose{} : random.pose();
      const Pose follower = random.pose();
      const JointEvaluation e = evaluate(joint, base, follower);
      const Frame baseMount(joint.baseFrame), followerMount(joint.followerFrame);
      const Frame baseBody(base), followerBody(follower);
      const JointPlacement placement{baseMount, followerMount, joint.base < 0 ? nullptr : &baseBody,
                                     followerBody};
      JointEvaluation alone;
      type->residual(placement, joint.parameters, alone.f);
      type->coordinates(placement.frames(), joint.parameters, alone.q, {});
      for (int i = 0; i < type->numConstraints(); ++i) CHECK(std::abs(alone.f[i] - e.f[i]) < 1e-13);
      for (int i = 0; i < type->numDofs(); ++i) CHECK(std::abs(alone.q[i] - e.q[i]) < 1e-12);
    }
}

TEST_CASE("selection matrices: constrained and free directions are complementary and count 6") {
  const std::map<std::string, int> freedoms = {
      {"fixed", 0},          {"revolute", 1},  {"prismatic", 1}, {"cylindrical", 2}, {"universal", 2},
      {"gimbal", 3},         {"spherical", 3}, {"planar", 3},    {"cartesian", 3},   {"point-on-line", 4},
      {"point-on-plane", 5}, {"distance", 5},  {"free", 6}};
  CHECK(jointTypes().size() == freedoms.size());
  for (const JointType* type : jointTypes()) {
    CAPTURE(type->name());
    CHECK(type->numDofs() == freedoms.at(std::string(type->name())));
    CHECK(type->numConstraints() + type->numDofs() == 6);
    std::set<Direction> all(type->constrainedDirections().begin(), type->constrainedDirections().end());
    all.insert(type->freeDirections().begin(), type->freeDirections().end());
    CHECK(all.size() == 6);
  }
}

TEST_CASE("at zero residual the constrained rows are the selected directions of the joint frame") {
  // Where the joint frames coincide, J_Fᵀ = W S_c, with W the wrench of the joint frame moved to the centre
  // of mass of the follower: a force along axis b at the arm r gives [b; r × b], a moment about it [0; b].
  Random random(2);
  for (const JointType* type : jointTypes()) {
    if (type->name() == "distance") continue;
    CAPTURE(type->name());
    Joint joint = randomJoint(*type, random, false);
    const Pose base = random.pose();
    const Pose follower = base * joint.baseFrame * joint.followerFrame.inverse();
    const JointFrames frames = jointFrames(joint, base, follower);
    const JointEvaluation e = evaluate(joint, base, follower);
    for (int i = 0; i < type->numConstraints(); ++i) {
      CHECK(std::abs(e.f[i]) < 1e-12);
      const Direction direction = type->constrainedDirections()[i];
      const Vec3 axis = frames.baseAxes.col(axisOf(direction));
      Vec6 expected = Vec6::Zero();
      if (isRotation(direction))
        expected.tail<3>() = axis;
      else
        expected << axis, (frames.followerPoint - frames.followerCenter).cross(axis);
      CHECK((e.rows[i].follower - expected).norm() < 1e-9);
    }
  }
}

TEST_CASE("the wrenches of a joint on base and follower balance, also off the constraint") {
  Random random(3);
  for (const JointType* type : jointTypes()) {
    CAPTURE(type->name());
    for (int sample = 0; sample < 20; ++sample) {
      const Joint joint = randomJoint(*type, random, false);
      const Pose base = random.pose(), follower = random.pose();
      const JointEvaluation e = evaluate(joint, base, follower);
      for (int i = 0; i < type->numConstraints(); ++i) {
        const Vec3 force = e.rows[i].base.head<3>() + e.rows[i].follower.head<3>();
        const Vec3 moment = e.rows[i].base.tail<3>() + e.rows[i].follower.tail<3>() +
                            base.position.cross(Vec3(e.rows[i].base.head<3>())) +
                            follower.position.cross(Vec3(e.rows[i].follower.head<3>()));
        CHECK(force.norm() < 1e-12);
        CHECK(moment.norm() < 1e-12);
      }
    }
  }
}

TEST_CASE("coordinates are zero where the frames coincide, and measure what their names say") {
  Random random(4);
  for (const JointType* type : jointTypes()) {
    if (type->name() == "distance") continue;
    CAPTURE(type->name());
    const Joint joint = randomJoint(*type, random, false);
    const Pose base = random.pose();
    for (int i = 0; i < type->numDofs(); ++i) {
      Pose motion;
      const Direction direction = type->freeDirections()[i];
      const double amount = 0.3;
      if (isRotation(direction))
        motion.rotation = expRotation(amount * Vec3::Unit(axisOf(direction)));
      else
        motion.position[axisOf(direction)] = amount;
      const Pose follower = base * joint.baseFrame * motion * joint.followerFrame.inverse();
      const JointEvaluation e = evaluate(joint, base, follower);
      for (int k = 0; k < type->numDofs(); ++k)
        CHECK(e.q[k] == doctest::Approx(k == i ? amount : 0.0).epsilon(1e-12));
      for (int k = 0; k < type->numConstraints(); ++k) CHECK(std::abs(e.f[k]) < 1e-12);
    }
  }
}

TEST_CASE("the slopes of the rows of every type are differences of its rows as the follower moves") {
  Random random(83);
  int checked = 0;
  for (const JointType* type : jointTypes())
    for (int trial = 0; trial < 20; ++trial) {
      CAPTURE(std::string(type->name()));
      CAPTURE(trial);
      const Joint joint = randomJoint(*type, random, trial % 4 == 0);
      const Pose base = joint.base < 0 ? Pose{} : random.pose();
      // Some of them little or not at all turned, where charts have series.
      const double turn = trial % 5 == 0 ? 0.0 : trial % 5 == 1 ? 0.05 : 1.0;
      const Pose turned{random.vector(), expRotation(turn * random.vector(1.5))};
      const Pose follower = base * joint.baseFrame * turned * joint.followerFrame.inverse();
      const JointFrames frames = jointFrames(joint, base, follower);
      if (nearSingular(joint, evaluate(joint, base, follower), frames)) continue;
      ++checked;
      std::array<Mat6, 6> constrained, free;
      type->constraintSlopes(frames, constrained);
      type->coordinateSlopes(frames, free);
      constexpr double kStep = 1e-5;
      for (int k = 0; k < 6; ++k) {
        const auto at = [&](double step) {
          return evaluate(joint, base, movePose(follower, Vec6::Unit(k), step));
        };
        const JointEvaluation less = at(-kStep), more = at(kStep);
        for (int i = 0; i < type->numConstraints(); ++i) {
          const Vec6 slope = (more.rows[i].follower - less.rows[i].follower) / (2.0 * kStep);
          CHECK((constrained[i].col(k) - slope).norm() < 1e-7 * (1.0 + slope.norm()));
        }
        for (int i = 0; i < type->numDofs(); ++i) {
          const Vec6 slope = (more.free[i].follower - less.free[i].follower) / (2.0 * kStep);
          CHECK((free[i].col(k) - slope).norm() < 1e-6 * (1.0 + slope.norm()));
        }
      }
    }
  CHECK(checked > 200);
}
