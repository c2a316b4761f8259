#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "engine/dynamics/kinematics/joint_slopes.h"
#include "joints/joint.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("wrenches and rates of the rows of every type change with both poses as their differences do") {
  test::Random random(29);
  for (const JointType* type : jointTypes())
    for (int trial = 0; trial < 6; ++trial) {
      CAPTURE(std::string(type->name()));
      CAPTURE(trial);
      Joint joint;
      joint.type = type;
      joint.base = 0;
      joint.follower = 1;
      joint.baseFrame = random.pose(0.5);
      joint.followerFrame = random.pose(0.5);
      joint.parameters.length = 0.6;
      const Pose base = random.pose();
      const Pose turned{random.vector(), expRotation(random.vector(0.4))};
      const Pose follower = base * joint.baseFrame * turned * joint.followerFrame.inverse();
      const int constraints = type->numConstraints(), rows = constraints + type->numDofs();
      const auto rowsAt = [&](const Pose& b, const Pose& f) {
        std::array<JointRow, 12> all;
        std::array<double, 6> value{};
        const JointFrames frames = jointFrames(joint, b, f);
        type->constraint(frames, joint.parameters, value, std::span(all).first(6));
        std::array<JointRow, 6> free;
        type->coordinates(frames, joint.parameters, value, free);
        for (int i = 0; i < type->numDofs(); ++i)
          all[static_cast<std::size_t>(constraints + i)] = free[static_cast<std::size_t>(i)];
        return all;
      };
      JointSlopes slopes;
      evaluateSlopes(joint, jointFrames(joint, base, follower), slopes);
      const auto slopeOf = [&](int row) {
        return row < constraints ? slopes.constraint[static_cast<std::size_t>(row)]
                                 : slopes.coordinate[static_cast<std::size_t>(row - constraints)];
      };
      // Turns are slopes times a motion.
      const Vec6 motion = random.twist();
      std::array<Vec6, 6> turns;
      const JointFrames here0 = jointFrames(joint, base, follower);
      type->constraintTurns(here0, motion, turns);
      for (int r = 0; r < constraints; ++r)
        CHECK((turns[static_cast<std::size_t>(r)] - slopeOf(r) * motion).norm() <
              1e-14 * (1.0 + slopeOf(r).norm()));
      type->coordinateTurns(here0, motion, turns);
      for (int r = constraints; r < rows; ++r)
        CHECK((turns[static_cast<std::size_t>(r - constraints)] - slopeOf(r) * motion).norm() <
              1e-14 * (1.0 + slopeOf(r).norm()));
      // The sum of the wrenches of all rows with some impulses, and the rates of single rows.
      std::array<double, 12> impulse{};
      for (double& x : impulse) x = random.uniform();
      const Vec6 ub = random.twist(), uf = random.twist();
      const auto here = rowsAt(base, follower);
      Vec6 wrench = Vec6::Zero();
      Mat6 curve = Mat6::Zero();
      for (int r = 0; r < rows; ++r) {
        wrench += impulse[static_cast<std::size_t>(r)] * here[static_cast<std::size_t>(r)].follower;
        curve += impulse[static_cast<std::size_t>(r)] * slopeOf(r);
      }
      const PairSlope found = wrenchSlope(wrench, curve, slopes.reach);
      constexpr double kStep = 1e-5;
      for (int k = 0; k < 12; ++k) {
        const Vec6 move = kStep * Vec6::Unit(k % 6);
        const auto at = [&](double sign) {
          return k < 6 ? rowsAt(movePose(base, move, sign), follower)
                       : rowsAt(base, movePose(follower, move, sign));
        };
        const auto more = at(1.0), less = at(-1.0);
        Vec6 onBase = Vec6::Zero(), onFollower = Vec6::Zero();
        for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
          onBase += impulse[r] * (more[r].base - less[r].base) / (2.0 * kStep);
          onFollower += impulse[r] * (more[r].follower - less[r].follower) / (2.0 * kStep);
          const double rate =
              ((more[r].base - less[r].base).dot(ub) + (more[r].follower - less[r].follower).dot(uf)) /
              (2.0 * kStep);
          const PairGradient g = rateGradient(here[r], slopeOf(static_cast<int>(r)), slopes.reach, ub, uf);
          CHECK(std::abs((k < 6 ? g.base : g.follower)[k % 6] - rate) < 1e-6 * (1.0 + std::abs(rate)));
        }
        const Mat6& byBase = k < 6 ? found.baseByBase : found.baseByFollower;
        const Mat6& byFollower = k < 6 ? found.followerByBase : found.followerByFollower;
        CHECK((byBase.col(k % 6) - onBase).norm() < 1e-6 * (1.0 + onBase.norm()));
        CHECK((byFollower.col(k % 6) - onFollower).norm() < 1e-6 * (1.0 + onFollower.norm()));
      }
    }
}
