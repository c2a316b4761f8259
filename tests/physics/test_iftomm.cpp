// Problems A01, A02 and A04 of the IFToMM benchmark library [González 2006]; A03 and A05 are in
// test_force_elements.cpp. tools/bench/iftomm.py runs all with both integrators. Tolerances are three times
// what was measured.

#include <numbers>

#include <fmt/format.h>

#include "engine/analysis/mobility.h"
#include "engine/model/model_builder.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A run of a model in code, with the worst of all its steps.
class Watched {
 public:
  Watched(ModelBuilder& builder, double timestep) {
    builder.gravity() = {0.0, -test::kGravity, 0.0};
    builder.options().timestep = timestep;
    model_ = builder.build();
    simulator_ = std::make_unique<Simulator>(model_, startState(*model_));
  }
  const State& step() {
    simulator_->step();
    REQUIRE_FALSE(simulator_->diverged());
    joint = std::max(joint, simulator_->report().jointResidual);
    drift = std::max(drift, std::abs(simulator_->energyDrift()));
    return simulator_->state();
  }
  const Model& model() const { return *model_; }
  double joint = 0.0, drift = 0.0;  // m or rad; J

 private:
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Simulator> simulator_;
};

InertialDef ofOneKilogram(const Vec3& moments) {
  return {.mass = 1.0, .inertia = Mat3(moments.asDiagonal())};
}

void addPin(ModelBuilder& b, const std::string& name, BodyId base, BodyId follower, const Vec3& point,
            const Vec3& axis = Vec3::UnitZ()) {
  const FrameDef frame{.position = point, .axis = axis};
  b.addJoint({.name = name, .type = "revolute", .base = base, .follower = follower, .frame = frame});
}

/// A02, of `windows` windows whose uprights have turned by `angle` from above, at `rate`.
ModelBuilder fourBars(int windows, double angle, double rate) {
  ModelBuilder b("A02");
  const Vec3 up(std::sin(angle), std::cos(angle), 0.0), speed = rate * Vec3(up.y(), -up.x(), 0.0);
  const Quat turned(Eigen::AngleAxisd(-angle, Vec3::UnitZ()));
  std::vector<BodyId> uprights;
  for (int i = 0; i <= windows; ++i) {
    const Vec3 foot(i, 0.0, 0.0);
    uprights.push_back(b.addBody({.name = fmt::format("upright{}", i),
                                  .pose = {foot + 0.5 * up, turned},
                                  .velocity = 0.5 * speed,
                                  .angularVelocity = Vec3(0.0, 0.0, -rate),
                                  .inertial = ofOneKilogram({1.0 / 12.0, 1e-6, 1.0 / 12.0})}));
    addPin(b, fmt::format("foot{}", i), kWorldBody, uprights[i], foot);
  }
  for (int i = 0; i < windows; ++i) {
    const Vec3 left = Vec3(i, 0.0, 0.0) + up;
    const BodyId bar = b.addBody({.name = fmt::format("bar{}", i),
                                  .pose = {left + Vec3(0.5, 0.0, 0.0), Quat::Identity()},
                                  .velocity = speed,
                                  .inertial = ofOneKilogram({1e-6, 1.0 / 12.0, 1.0 / 12.0})});
    addPin(b, fmt::format("left{}", i), uprights[i], bar, left);
    addPin(b, fmt::format("right{}", i), uprights[i + 1], bar, left + Vec3::UnitX());
  }
  return b;
}

/// The largest distance of a top from where all are, over 10 s (m). As windows move alike, A02 is one angle
/// from above: ((N + 1)/3 + N) q'' = ((N + 1)/2 + N) g sin q.
double fourBarsError(Watched& run, int windows, double q, double rate) {
  const double n = windows, h = run.model().step.timestep;
  const double k = test::kGravity * ((n + 1.0) / 2.0 + n) / ((n + 1.0) / 3.0 + n);
  const auto derivative = [&](const Eigen::Vector2d& y) { return Eigen::Vector2d(y[1], k * std::sin(y[0])); };
  Eigen::Vector2d y(q, rate);
  double worst = 0.0;
  for (int step = 0; step < std::lround(10.0 / h); ++step) {
    const Eigen::Vector2d k1 = derivative(y), k2 = derivative(y + 0.5 * h * k1),
                          k3 = derivative(y + 0.5 * h * k2), k4 = derivative(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    const State& state = run.step();
    for (int i = 0; i <= windows; ++i) {
      const Vec3 middle(i + 0.5 * std::sin(y[0]), 0.5 * std::cos(y[0]), 0.0);
      worst = std::max(worst, 2.0 * (state.poses[i].position - middle).norm());
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("IFToMM A01: a point on a rigid rod, released at the horizontal, passes the vertical on time") {
  ModelBuilder b("A01");
  const BodyId bob =
      b.addBody({.name = "bob", .pose = at(1.0, 0.0, 0.0), .inertial = ofOneKilogram(Vec3::Ones())});
  b.addJoint({.name = "rod",
              .type = "distance",
              .follower = bob,
              .baseFrame = FrameDef{},
              .followerFrame = FrameDef{}});
  // A period is 4 K(k) √(l/g), k = sin(π/4); 4¼ of them are 10.07 s.
  const double period = 4.0 * std::comp_ellint_1(std::sqrt(0.5)) / std::sqrt(test::kGravity);
  Watched run(b, period / 2400.0);
  Vec3 bottom = Vec3::Zero();
  for (int i = 0; i < 17 * 600; ++i) bottom = run.step().poses[0].position;
  const double error = (bottom - Vec3(0.0, -1.0, 0.0)).norm();
  MESSAGE("error ", error, " m, joint residual ", run.joint, ", energy drift ", run.drift, " J");
  CHECK(error < 1e-4);
  CHECK(run.drift < 3.5e-5);
  CHECK(run.joint < 1.5e-11);
}

TEST_CASE(
    "IFToMM A02: two four-bars pass the configurations where all links lie in line, on time and alike") {
  ModelBuilder b = fourBars(2, 0.0, 1.0);
  Watched run(b, 1e-3);
  const double error = fourBarsError(run, 2, 0.0, 1.0);
  MESSAGE("error ", error, " m, joint residual ", run.joint, ", energy drift ", run.drift, " J");
  CHECK(error < 4.2e-4);
  CHECK(run.drift < 2.1e-4);
  CHECK(run.joint < 1.5e-11);
}

TEST_CASE("IFToMM A02: two four-bars go on alike from the very configuration where all links lie in line" *
          doctest::test_suite("long")) {
  ModelBuilder b = fourBars(2, std::numbers::pi / 2.0, 5.0);
  Watched run(b, 1e-3);
  const Mobility mobility =
      analyseMobility(run.model(), startState(run.model()).poses, startState(run.model()).coordinates);
  CHECK(mobility.mobility() == 3);
  const double error = fourBarsError(run, 2, std::numbers::pi / 2.0, 5.0);
  MESSAGE("error ", error, " m, joint residual ", run.joint, ", energy drift ", run.drift, " J");
  CHECK(error < 7.2e-5);
  CHECK(run.drift < 1.6e-4);
  CHECK(run.joint < 1.5e-11);
}

TEST_CASE("IFToMM A04: Bricard's mechanism, of mobility 1 by its dimensions alone, falls as in two angles" *
          doctest::test_suite("long")) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  const Vec3 rods[] = {x, -y, z, -x, y}, axes[] = {y, z, x, y, z, x};
  ModelBuilder b("A04");
  BodyId last = kWorldBody;
  Vec3 end = Vec3::Zero();
  for (int i = 0; i < 5; ++i) {
    const Vec3 middle = end + 0.5 * rods[i];
    // 0.1 m square.
    const Vec3 moments = Vec3::Constant(1.01 / 12.0) - (0.99 / 12.0) * rods[i].cwiseAbs();
    const BodyId body = b.addBody({.name = fmt::format("rod{}", i),
                                   .pose = {middle, Quat::Identity()},
                                   .inertial = ofOneKilogram(moments)});
    addPin(b, fmt::format("hinge{}", i), last, body, end, axes[i]);
    last = body;
    end += rods[i];
  }
  addPin(b, "hinge5", kWorldBody, last, end, axes[5]);
  Watched run(b, 1e-3);
  const Mobility mobility =
      analyseMobility(run.model(), startState(run.model()).poses, startState(run.model()).coordinates);
  CHECK(mobility.kutzbach() == 0);
  CHECK(mobility.mobility() == 1);
  // The end of the third rod after 1 s and 8.5 s, from tools/bench/iftomm.py: the hinges turn by a, b, a, b,
  // … with sin a + sin b + sin a sin b = 0.
  const Vec3 after1(0.510501461188, -1.649167599395, 0.140123114553),
      after8(-0.488474437352, -1.656851354299, 0.127421794879);
  double error = 0.0;
  for (int i = 1; i <= 10000; ++i) {
    const State& state = run.step();
    const auto middle = [&](int body) -> const Vec3& { return state.poses[body].position; };
    const Vec3 tip = 2.0 * (middle(2) - middle(1) + middle(0));
    if (i == 1000) error = (tip - after1).norm();
    if (i == 8500) error = std::max(error, (tip - after8).norm());
  }
  MESSAGE("error ", error, " m, joint residual ", run.joint, ", energy drift ", run.drift, " J");
  CHECK(error < 3.5e-7);
  CHECK(run.drift < 5.5e-6);
  CHECK(run.joint < 1.5e-11);
}
