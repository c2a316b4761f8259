// A four-bar made in code: hangs at rest, and its pins carry its weight.
#include <cmath>
#include <cstdio>

#include <grashof/grashof.h>

int main() {
  using namespace grashof;
  const Vec3 a(0.0, 0.0, 0.0), b(0.0, 0.0, -0.1), c(0.3, 0.0, -0.1), d(0.3, 0.0, 0.0);
  ModelBuilder builder("four-bar");
  const auto bar = [&](const char* name, const Vec3& from, const Vec3& to) {
    const Pose pose{0.5 * (from + to), rotationBetween(Vec3::UnitX(), to - from)};
    const BodyId body = builder.addBody({.name = name, .pose = pose});
    builder.addShape(body, boxShape({(to - from).norm(), 0.02, 0.02}), {.mass = 0.2});
    return body;
  };
  const auto hinge = [&](const char* name, BodyId base, BodyId follower, const Vec3& at) {
    const FrameDef frame{.position = at, .axis = Vec3::UnitY()};
    builder.addJoint({.name = name, .type = "revolute", .base = base, .follower = follower, .frame = frame});
  };
  const BodyId crank = bar("crank", a, b), coupler = bar("coupler", b, c), rocker = bar("rocker", d, c);
  hinge("main", kWorldBody, crank, a), hinge("left", crank, coupler, b);
  hinge("right", rocker, coupler, c), hinge("ground", kWorldBody, rocker, d);
  World world(builder.build());
  for (int i = 0; i < 100; ++i) world.step();
  const double force = world.jointReaction("main").head<3>().norm();  // half of the weight
  std::printf("reaction of the main hinge: %.4f N\n", force);
  return std::abs(force - 0.5 * 0.6 * 9.81) < 1e-6 ? 0 : 1;
}
