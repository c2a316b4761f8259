// The small examples of [Tedrake 2020], appendix on multi-body dynamics, against their closed forms: a cart
// and a wall, a brick with friction, a ball that hits the ground with spin.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/model/model_builder.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kMass = 1.0, kFrictionOfBrick = 0.5;

/// A point-like cart of 1 kg at `q` (m) from a wall, moving at `v` (m/s) on a rail, after one step of `h`
/// (s).
struct CartStep {
  double q = 0.0, v = 0.0, force = 0.0;
};
CartStep cartStep(const char* solver, double q, double v, double h) {
  ModelBuilder b("cart");
  b.options().integrator = Integrator::Euler;
  b.options().timestep = h;
  b.gravity() = Vec3::Zero();
  b.solver().name = solver;
  const double half = 0.05;
  b.addShape(kWorldBody, [] {
    Shape wall = planeShape();
    wall.pose.rotation = Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX());
    return wall;
  }());
  const BodyId cart =
      b.addBody({.name = "cart", .pose = at(half + q, 0.0, 0.0), .velocity = v * Vec3::UnitX()});
  b.addShape(cart, sphereShape(half), {.mass = kMass});
  Simulator simulator(b.build());
  simulator.step();
  REQUIRE_FALSE(simulator.diverged());
  CartStep end{simulator.state().poses[0].position.x() - half, simulator.state().twists[0][0]};
  for (const ContactBlock& contact : simulator.problem().contacts)
    end.force += simulator.solution().impulse[static_cast<std::size_t>(contact.row) + 2] / h;
  return end;
}

/// What a sphere of radius 1 m and mass 1 kg has after it has hit the ground: velocity and spin.
struct Impact {
  Vec3 velocity, spin;
};
/// In closed form, [Tedrake 2020] for what sticks. The contact point has the velocity v_t = v + (ω × r
/// n⁻¹)_t; an impulse p along the ground changes it by p (1/m + r²/I), and is at most μ times the normal one,
/// m (1 + e) |v_n|.
Impact closedForm(const Impact& before, double inertia, double friction, double restitution) {
  const Vec3 arm = -Vec3::UnitZ();
  Vec3 slip = before.velocity + before.spin.cross(arm);
  slip.z() = 0.0;
  const double normal = (1.0 + restitution) * -before.velocity.z();
  Vec3 impulse = -slip / (1.0 + 1.0 / inertia);
  if (impulse.norm() > friction * normal) impulse = -friction * normal * slip.normalized();
  impulse.z() = normal;
  return {before.velocity + impulse, before.spin + arm.cross(impulse) / inertia};
}

/// By one step of the engine, without gravity.
Impact impactOf(const char* solver, const Impact& before, double inertia, double friction,
                double restitution) {
  ModelBuilder b("ball");
  b.options().integrator = Integrator::Euler;
  b.gravity() = Vec3::Zero();
  b.solver().name = solver;
  b.solver().tolerance = 1e-11;
  b.material(kDefaultMaterial).surface.friction = friction;
  b.material(kDefaultMaterial).surface.restitution = restitution;
  b.addShape(kWorldBody, planeShape());
  const BodyId ball = b.addBody({.name = "ball",
                                 .pose = at(0.0, 0.0, 1.0),
                                 .velocity = before.velocity,
                                 .angularVelocity = before.spin,
                                 .inertial = InertialDef{1.0, Mat3(inertia * Mat3::Identity())}});
  b.addShape(ball, sphereShape(1.0));
  Simulator simulator(b.build());
  simulator.step();
  const Vec6& u = simulator.state().twists[0];
  return {u.head<3>(), u.tail<3>()};
}

}  // namespace

TEST_CASE(
    "a cart that meets a wall ends a step at max(0, q + h v), and the wall's force makes up for the rest") {
  const double h = 0.1;
  for (const char* solver : {"auto", "LCP-LEMKE", "ADMM"})
    for (double q = 0.0; q <= 0.5; q += 0.125)
      for (double v = -4.0; v <= 2.0; v += 0.75) {
        CAPTURE(solver);
        CAPTURE(q);
        CAPTURE(v);
        const CartStep end = cartStep(solver, q, v, h);
        CHECK(std::abs(end.q - std::max(0.0, q + h * v)) < 1e-8);
        CHECK(end.force == doctest::Approx(std::max(0.0, -kMass / (h * h) * (q + h * v))).epsilon(1e-6));
        CHECK(end.v == doctest::Approx((end.q - q) / h).epsilon(1e-9).scale(1.0));
      }
}

TEST_CASE("a brick with friction sticks or slides as its closed form does, step by step") {
  const double h = 0.01;
  for (const char* solver : {"auto", "LCP-LEMKE"}) {
    CAPTURE(solver);
    test::Run run(fmt::format(R"(<options timestep="0.01" integrator="euler"/><solver name="{}"/>
      <material name="default" friction="{}"/><motion name="push" type="sine" amplitude="10" frequency="0.5"/>
      <shape type="plane"/><body name="brick" position="0 0 0.05"><shape type="box" size="0.4 0.2 0.1" mass="1"/></body>
      <wrench name="hand" body="brick" force="1 0 0" motion="push"/>)",
                              solver, kFrictionOfBrick));
    double v = 0.0;
    int stuck = 0, slid = 0;
    for (int n = 0; n < 200; ++n) {
      const double push = 10.0 * std::sin(std::numbers::pi * (n + 0.5) * h);
      const double free = v + h * push / kMass, most = h * kFrictionOfBrick * test::kGravity;
      v = free - std::clamp(free, -most, most);
      ++(v == 0.0 ? stuck : slid);
      run.until((n + 1) * h);
      CHECK(run["body.brick.velocity.x"] == doctest::Approx(v).epsilon(1e-6).scale(1.0));
    }
    CHECK(stuck > 10);
    CHECK(slid > 100);
  }
}

TEST_CASE(
    "a ball that hits the ground with spin leaves it as in closed form, hollow or solid, sticking or "
    "sliding") {
  int stuck = 0, slid = 0;
  test::Random random(77);
  for (const double inertia : {2.0 / 3.0, 2.0 / 5.0})
    for (const double friction : {0.0, 0.1, 0.4, 2.0})
      for (const double restitution : {0.0, 0.5, 1.0}) {
        const Impact before{Vec3(2.0, -0.5, -1.0) + random.vector(0.3), random.vector(4.0)};
        const Impact expected = closedForm(before, inertia, friction, restitution);
        const Vec3 rest = expected.velocity - expected.spin.cross(Vec3::UnitZ());
        ++(rest.head<2>().norm() < 1e-12 ? stuck : slid);
        for (const char* solver : {"auto", "ADMM", "PGS-NCP", "IPM-NCP"}) {
          CAPTURE(solver);
          CAPTURE(inertia);
          CAPTURE(friction);
          CAPTURE(restitution);
          const Impact found = impactOf(solver, before, inertia, friction, restitution);
          CHECK((found.velocity - expected.velocity).norm() < 1e-7);
          CHECK((found.spin - expected.spin).norm() < 1e-7);
        }
      }
  CHECK(stuck >= 5);
  CHECK(slid >= 5);
}

TEST_CASE("the map of the hollow sphere's impact is that of the course notes") {
  // q = (x, z, θ), θ about -y: the columns are what unit rates before leave after. z⁻ = -1 for all of them,
  // for contact.
  const double e = 0.3, r = 1.0;
  Mat3 map;
  map << 0.6, 0.0, -0.4 * r, 0.0, -e, 0.0, -0.6 / r, 0.0, 0.4;
  for (const Vec3& before :
       {Vec3(0.0, -1.0, 0.0), Vec3(1.0, -1.0, 0.0), Vec3(0.0, -1.0, 1.0), Vec3(-0.7, -1.0, 0.4)}) {
    const Impact found =
        impactOf("auto", {{before[0], 0.0, before[1]}, {0.0, -before[2], 0.0}}, 2.0 / 3.0, 2.0, e);
    const Vec3 after(found.velocity.x(), found.velocity.z(), -found.spin.y());
    CHECK((after - map * before).norm() < 1e-8);
  }
}
