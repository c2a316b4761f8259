#include <cmath>

#include <fmt/format.h>

#include "tools/bench/peers/scene.h"

namespace grashof::bench {
namespace {

constexpr double kGravity = 9.81;

/// A bar from one point to another in the xz plane; x along the bar.
SceneBody bar(const Vec3& from, const Vec3& to, double mass, double halfWidth) {
  const Vec3 along = to - from;
  SceneBody body;
  body.halfSize = Vec3(0.5 * along.norm(), halfWidth, halfWidth);
  body.mass = mass;
  body.pose = {0.5 * (from + to), Quat(Eigen::AngleAxisd(-std::atan2(along.z(), along.x()), Vec3::UnitY()))};
  return body;
}

/// The mechanism of assets/scenarios/fourbar-fixed.xml: links 0.1 / 0.4 / 0.3 m on 0.35 m.
Scene fourBar() {
  Scene scene;
  scene.name = "four-bar";
  const Vec3 a(0, 0, 0), b(0.1 * std::cos(1.0), 0, 0.1 * std::sin(1.0)), d(0.35, 0, 0);
  const Vec3 reach = d - b;  // C from the two circles
  const double along = (0.4 * 0.4 - 0.3 * 0.3 + reach.squaredNorm()) / (2.0 * reach.norm());
  const double height = std::sqrt(0.4 * 0.4 - along * along);
  const Vec3 unit = reach.normalized();
  const Vec3 c = b + along * unit + height * Vec3(-unit.z(), 0, unit.x());
  scene.bodies = {bar(a, b, 1.0, 0.01), bar(b, c, 1.0, 0.01), bar(d, c, 1.0, 0.01)};
  scene.joints = {{.base = -1, .follower = 0, .point = a},
                  {.base = 0, .follower = 1, .point = b},
                  {.base = 1, .follower = 2, .point = c},
                  {.base = -1, .follower = 2, .point = d}};
  return scene;
}

/// Twenty links of 0.1 kg and 0.1 m and a ton at the end, let go from horizontal.
Scene heavyChain() {
  Scene scene;
  scene.name = "heavy chain";
  scene.heavyTension = true;
  for (int i = 0; i < 20; ++i) {
    scene.bodies.push_back(bar(Vec3(0.1 * i, 0, 0), Vec3(0.1 * (i + 1), 0, 0), 0.1, 0.01));
    scene.joints.push_back({.base = i - 1, .follower = i, .point = Vec3(0.1 * i, 0, 0)});
  }
  SceneBody weight;
  weight.halfSize = Vec3::Constant(0.1);
  weight.mass = 1000.0;
  weight.pose.position = Vec3(2.1, 0, 0);
  scene.bodies.push_back(weight);
  scene.joints.push_back({.base = 19, .follower = 20, .point = Vec3(2.0, 0, 0)});
  return scene;
}

/// Ten crossed pairs of bars on top of each other: one foot pinned, the other on a carriage that slides
/// against a spring, on which it bounces.
Scene scissorLift() {
  constexpr int kStages = 10;
  constexpr double kHalfWidth = 0.25, kHeight = 0.2;
  Scene scene;
  scene.name = "scissor lift";
  const auto left = [&](int level) { return Vec3(-kHalfWidth, 0, kHeight * level); };
  const auto right = [&](int level) { return Vec3(kHalfWidth, 0, kHeight * level); };
  SceneBody carriage;
  carriage.halfSize = Vec3::Constant(0.02);
  carriage.mass = 0.5;
  carriage.pose.position = right(0);
  scene.bodies.push_back(carriage);
  scene.joints.push_back({.kind = JointKind::Slider,
                          .base = -1,
                          .follower = 0,
                          .point = right(0),
                          .axis = Vec3::UnitX(),
                          .stiffness = 50000.0});
  for (int i = 0; i < kStages; ++i) {
    scene.bodies.push_back(bar(left(i), right(i + 1), 0.2, 0.01));  // rising: 1 + 2 i
    scene.bodies.push_back(bar(right(i), left(i + 1), 0.2, 0.01));  // falling: 2 + 2 i
    const int rising = 1 + 2 * i, falling = 2 + 2 * i;
    if (i == 0) {
      scene.joints.push_back({.base = -1, .follower = rising, .point = left(0)});
      scene.joints.push_back({.base = 0, .follower = falling, .point = right(0)});
    } else {
      scene.joints.push_back({.base = falling - 2, .follower = rising, .point = left(i)});
      scene.joints.push_back({.base = rising - 2, .follower = falling, .point = right(i)});
    }
    scene.joints.push_back({.base = rising, .follower = falling, .point = 0.5 * (left(i) + right(i + 1))});
  }
  return scene;
}

/// Cubes of 0.2 m on top of each other, masses from 1 kg below to `ratio` kg on top.
Scene cubeStack(double ratio) {
  constexpr int kCubes = 10;
  Scene scene;
  scene.name = ratio == 1.0 ? "ten cubes" : fmt::format("ten cubes 1..{:g} kg", ratio);
  scene.timedFrom = 5.0;
  scene.stack = true;
  for (int i = 0; i < kCubes; ++i) {
    SceneBody cube;
    cube.halfSize = Vec3::Constant(0.1);
    cube.mass = std::pow(ratio, static_cast<double>(i) / (kCubes - 1));
    cube.pose.position = Vec3(0, 0, 0.1 + 0.2 * i);
    cube.collides = true;
    scene.bodies.push_back(cube);
  }
  return scene;
}

/// A hundred cubes of 0.1 m, four turned layers of 5 × 5, dropped on top of each other.
Scene cubePile() {
  Scene scene;
  scene.name = "pile of 100 cubes";
  scene.duration = 4.0;
  scene.timedFrom = 3.0;
  for (int layer = 0; layer < 4; ++layer)
    for (int row = 0; row < 5; ++row)
      for (int column = 0; column < 5; ++column) {
        SceneBody cube;
        const int number = column + 5 * (row + 5 * layer);
        const double turn = 0.3 * layer + 0.7 * ((7 * number) % 10) / 10.0;
        cube.pose.position =
            Vec3(0.12 * (column - 2) + 0.02 * layer, 0.12 * (row - 2) - 0.015 * layer, 0.06 + 0.13 * layer);
        cube.pose.rotation = Quat(Eigen::AngleAxisd(turn, Vec3::UnitZ()));
        cube.collides = true;
        scene.bodies.push_back(cube);
      }
  return scene;
}

/// The same while it falls.
Scene fallingCubes() {
  Scene scene = cubePile();
  scene.name = "100 falling cubes";
  scene.duration = 1.0;
  scene.timedFrom = 0.0;
  return scene;
}

/// A deck of 53 cards of 63 × 88 × 1 mm, 2 g, each turned against the one below, let go 5 mm apart.
Scene cards() {
  constexpr int kCards = 53;
  Scene scene;
  scene.name = "53 cards";
  scene.duration = 2.0;
  for (int i = 0; i < kCards; ++i) {
    SceneBody card;
    card.halfSize = Vec3(0.0315, 0.044, 0.0005);
    card.mass = 0.002;
    card.pose.position = Vec3(0.004 * ((5 * i) % 7 - 3), 0.004 * ((3 * i) % 5 - 2), 0.01 + 0.005 * i);
    card.pose.rotation = Quat(Eigen::AngleAxisd(0.7 * i, Vec3::UnitZ()));
    card.collides = true;
    scene.bodies.push_back(card);
  }
  return scene;
}

}  // namespace

std::vector<Scene> scenes() {
  return {fourBar(),      heavyChain(), scissorLift(),  cubeStack(1.0),
          cubeStack(1e4), cubePile(),   fallingCubes(), cards()};
}

double kineticEnergy(const Scene& scene, std::span<const Pose> poses, std::span<const Vec6> twists) {
  double sum = 0.0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Vec3 spin = poses[b].rotation.conjugate() * twists[b].tail<3>();
    sum += 0.5 * scene.bodies[b].mass * twists[b].head<3>().squaredNorm() +
           0.5 * spin.dot(scene.bodies[b].inertia().cwiseProduct(spin));
  }
  return sum;
}

double energy(const Scene& scene, std::span<const Pose> poses, std::span<const Vec6> twists) {
  double sum = kineticEnergy(scene, poses, twists);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    sum += scene.bodies[b].mass * kGravity * poses[b].position.z();
  for (const SceneJoint& joint : scene.joints) {
    const double slide =
        joint.axis.dot(poses[joint.follower].position - scene.bodies[joint.follower].pose.position);
    sum += 0.5 * joint.stiffness * slide * slide;
  }
  return sum;
}

double jointGap(const Scene& scene, std::span<const Pose> poses) {
  double worst = 0.0;
  for (const SceneJoint& joint : scene.joints) {
    const auto now = [&](int body) -> Vec3 {
      return body < 0 ? joint.point : poses[body] * (scene.bodies[body].pose.inverse() * joint.point);
    };
    Vec3 apart = now(joint.follower) - now(joint.base);
    if (joint.kind == JointKind::Slider) apart -= joint.axis * joint.axis.dot(apart);
    worst = std::max(worst, apart.norm());
  }
  return worst;
}

}  // namespace grashof::bench
