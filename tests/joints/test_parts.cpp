#include <functional>
#include <numbers>

#include "joints/joint.h"
#include "joints/parts.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A part: writes at most three values and their rows.
using Part = std::function<void(const JointFrames&, std::span<double>, std::span<JointRow>)>;

/// Frames whose origins coincide, with the follower turned by `rotation` in base axes.
JointFrames turnedFrames(const Pose& base, const Quat& rotation) {
  JointFrames frames;
  frames.basePoint = frames.followerPoint = base.position;
  frames.baseAxes = base.rotation.toRotationMatrix();
  frames.followerAxes = (base.rotation * rotation).toRotationMatrix();
  return frames;
}

Quat turnAbout(const Vec3& axis, double angle) { return expRotation(angle * axis); }

}  // namespace

TEST_CASE("the rows of every part are the derivative of its values, with arms on both bodies") {
  const std::vector<std::pair<int, Part>> all = {
      {3, [](auto& frames, auto f, auto rows) { parts::displacements(frames, 0, 3, f, rows); }},
      {2, [](auto& frames, auto f, auto rows) { parts::displacements(frames, 1, 2, f, rows); }},
      {2, [](auto& frames, auto f, auto rows) { parts::alignedAxis(frames, 0, f, rows); }},
      {2, [](auto& frames, auto f, auto rows) { parts::alignedAxis(frames, 2, f, rows); }},
      {3, [](auto& frames, auto f, auto rows) { parts::lockedRotation(frames, f, rows); }},
      {1,
       [](auto& frames, auto f, auto rows) {
         f[0] = parts::twistAngle(frames, 1);
         rows[0] = parts::twistAngleRow(frames, 1);
       }},
      {3, [](auto& frames, auto f, auto rows) { parts::rotationVector(frames, f, rows); }}};
  test::Random random(71);
  for (std::size_t part = 0; part < all.size(); ++part)
    for (int trial = 0; trial < 30; ++trial) {
      CAPTURE(part);
      CAPTURE(trial);
      Joint joint;
      joint.baseFrame = random.pose(0.5);
      joint.followerFrame = random.pose(0.5);
      const Pose base = random.pose();
      // Up to two radians from the base: away from the half turn, where the rotations are not unique.
      const Pose turned{random.vector(), expRotation(random.vector(2.0 / std::sqrt(3.0)))};
      const Pose follower = base * joint.baseFrame * turned * joint.followerFrame.inverse();
      const Vec6 ub = random.twist(), uf = random.twist();
      const auto values = [&](double h, std::span<JointRow> rows) {
        Vec3 f = Vec3::Zero();
        all[part].second(jointFrames(joint, movePose(base, ub, h), movePose(follower, uf, h)), {f.data(), 3},
                         rows);
        return f;
      };
      const double h = 1e-6;
      std::array<JointRow, 3> rows, unused;
      values(0.0, rows);
      const Vec3 numeric = (values(h, unused) - values(-h, unused)) / (2.0 * h);
      for (int i = 0; i < all[part].first; ++i) {
        const double exact = rows[i].base.dot(ub) + rows[i].follower.dot(uf);
        CHECK(numeric[i] == doctest::Approx(exact).epsilon(1e-6).scale(1.0));
      }
    }
}

TEST_CASE("values without rows are the same as with rows") {
  test::Random random(72);
  Joint joint;
  joint.baseFrame = random.pose();
  const JointFrames frames = jointFrames(joint, random.pose(), random.pose());
  std::array<double, 3> alone{}, with{};
  std::array<JointRow, 3> rows;
  parts::lockedRotation(frames, alone, {});
  parts::lockedRotation(frames, with, rows);
  CHECK(alone == with);
  parts::alignedAxis(frames, 1, alone, {});
  parts::alignedAxis(frames, 1, with, rows);
  CHECK(alone == with);
  CHECK(parts::rowsFrom({}, 2).empty());
  CHECK(parts::rowsFrom(rows, 1).data() == &rows[1]);
}

TEST_CASE("a displacement is measured along the axes of the base") {
  JointFrames frames;
  frames.basePoint = Vec3(1.0, 2.0, 3.0);
  frames.followerPoint = Vec3(1.0, 2.5, 3.0);
  frames.baseAxes = turnAbout(Vec3::UnitZ(), std::numbers::pi / 2.0).toRotationMatrix();
  CHECK(parts::displacement(frames, 0) == doctest::Approx(0.5));
  CHECK(std::abs(parts::displacement(frames, 1)) < 1e-15);
  // A base that spins at 2 rad/s carries its axes along: the displacement across them grows at -2 · 0.5 m/s.
  Vec6 spin = Vec6::Zero();
  spin[5] = 2.0;
  frames.baseCenter = frames.basePoint;
  CHECK(parts::displacementRow(frames, 1).base.dot(spin) == doctest::Approx(-1.0));
  CHECK(std::abs(parts::displacementRow(frames, 0).base.dot(spin)) < 1e-15);
}

TEST_CASE("an aligned axis tells small rotations, and cannot tell an axis that points the other way") {
  const Pose base = test::Random(73).pose();
  std::array<double, 2> f{};
  parts::alignedAxis(turnedFrames(base, turnAbout(Vec3::UnitY(), 1e-4)), 0, f, {});
  CHECK(f[0] == doctest::Approx(1e-4));  // about b_y
  CHECK(std::abs(f[1]) < 1e-12);
  parts::alignedAxis(turnedFrames(base, turnAbout(Vec3::UnitX(), 1.7)), 0, f, {});
  CHECK(std::hypot(f[0], f[1]) < 1e-12);  // the rotation about the axis itself is free
  parts::alignedAxis(turnedFrames(base, turnAbout(Vec3::UnitY(), std::numbers::pi)), 0, f, {});
  CHECK(std::hypot(f[0], f[1]) < 1e-12);
}

TEST_CASE("a locked rotation is 2 sin(angle/2) about its axis, by the shorter way round") {
  test::Random random(74);
  std::array<double, 3> f{};
  for (const double angle : {0.0, 1e-3, 1.0, 3.0, -2.0}) {
    const Vec3 axis = random.vector().normalized();
    parts::lockedRotation(turnedFrames(random.pose(), turnAbout(axis, angle)), f, {});
    CHECK((Vec3(f[0], f[1], f[2]) - 2.0 * std::sin(0.5 * angle) * axis).norm() < 1e-14);
  }
  const double turn = 2.0 * std::numbers::pi;
  parts::lockedRotation(turnedFrames({}, turnAbout(Vec3::UnitZ(), turn - 0.1)), f, {});
  CHECK(f[2] == doctest::Approx(-2.0 * std::sin(0.05)));
}

TEST_CASE("the twist angle is that of the rotation about its axis, whatever the swing before or after") {
  test::Random random(75);
  for (int trial = 0; trial < 50; ++trial) {
    const int k = trial % 3;
    const double angle = random.uniform(-3.1, 3.1);
    Vec3 across = random.vector();
    across[k] = 0.0;
    const Quat twist = turnAbout(Vec3::Unit(k), angle), swing = turnAbout(across.normalized(), 1.2);
    CHECK(parts::twistAngle(turnedFrames(random.pose(), swing * twist), k) == doctest::Approx(angle));
    CHECK(parts::twistAngle(turnedFrames(random.pose(), twist * swing), k) == doctest::Approx(angle));
  }
}

TEST_CASE("the rotation vector is axis times angle in base axes") {
  test::Random random(76);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 phi = random.vector(1.7);
    std::array<double, 3> q{};
    std::array<JointRow, 3> rows;
    parts::rotationVector(turnedFrames(random.pose(), expRotation(phi)), q, rows);
    CHECK((Vec3(q[0], q[1], q[2]) - phi).norm() < 1e-12);
  }
}
