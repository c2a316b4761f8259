#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/dynamics/rows/step_context.h"
#include "engine/dynamics/simulator.h"
#include "engine/model/model_builder.h"
#include "tools/grashof/commands/bench.h"
#include "tools/grashof/growth_exponent.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"

namespace grashof {
namespace {

struct SpeedArguments {
  std::string model = "chain";                      ///< "chain", "scissors" or "wall"
  std::vector<int> links = {10, 100, 1000, 10000};  ///< sizes of the models
  double seconds = 1.0;                             ///< measured wall time per size, at least
  bool json = false;
};

constexpr double kTimestep = 1e-3;  // s

InertialDef rod(double mass) { return {.mass = mass, .inertia = Mat3(Vec3(1e-4, 1e-4, 1e-5).asDiagonal())}; }

/// A chain of `links` rods of 0.1 m and 0.1 kg, hung at one end, hinged about y and x in turn, at rest in a
/// shallow zigzag; it sways under gravity.
std::shared_ptr<const Model> chain(int links) {
  constexpr double kHalf = 0.05, kTilt = 0.1;
  ModelBuilder b(fmt::format("chain-{}", links));
  b.options().timestep = kTimestep;
  Vec3 top = Vec3::Zero();
  BodyId above = kWorldBody;
  for (int i = 0; i < links; ++i) {
    const Quat tilt(Eigen::AngleAxisd(i % 2 == 0 ? kTilt : -kTilt, Vec3::UnitY()));
    const Pose pose{top + tilt * Vec3(0, 0, -kHalf), tilt};
    const BodyId link = b.addBody({.name = fmt::format("link{}", i), .pose = pose, .inertial = rod(0.1)});
    b.addJoint({.name = fmt::format("hinge{}", i),
                .type = i % 2 == 0 ? "revolute" : "spherical",
                .base = above,
                .follower = link,
                .frame = FrameDef{.position = top, .axis = Vec3::UnitY()}});
    top = pose * Vec3(0, 0, -kHalf);
    above = link;
  }
  return b.build();
}

/// A square grid of scissors: `side` × `side` crossed pairs of bars, hinged at their middles and wherever
/// their ends meet, every hinge a full three-dimensional revolute. One corner is pinned to the world and
/// held; the grid stands on one degree of freedom, damped, in (side - 1)² nested loops. At least `links`
/// bars.
std::shared_ptr<const Model> scissorGrid(int links) {
  constexpr double kBarWidth = 0.1, kBarHeight = 0.08, kDamping = 0.05;
  const int side = std::max(1, static_cast<int>(std::ceil(std::sqrt(0.5 * links))));
  ModelBuilder b(fmt::format("scissors-{}x{}", side, side));
  b.options().timestep = kTimestep;
  const auto node = [&](double column, double level) {
    return Vec3(kBarWidth * column, 0.0, kBarHeight * level);
  };
  const auto addBar = [&](const Vec3& from, const Vec3& to) {
    return b.addBody({.name = fmt::format("bar{}", b.numBodies()),
                      .pose = {0.5 * (from + to), rotationBetween(Vec3::UnitZ(), to - from)},
                      .inertial = rod(0.05)});
  };
  const auto addHinge = [&](BodyId base, BodyId follower, const Vec3& at) {
    const JointId hinge = b.addJoint({.name = fmt::format("hinge{}", b.numJoints()),
                                      .type = "revolute",
                                      .base = base,
                                      .follower = follower,
                                      .frame = FrameDef{.position = at, .axis = Vec3::UnitY()}});
    b.addDynamics(hinge, {.damping = kDamping});
  };
  std::vector<std::vector<BodyId>> ending((side + 1) * (side + 1));
  const auto at = [&](int column, int level) -> std::vector<BodyId>& {
    return ending[level * (side + 1) + column];
  };
  for (int level = 0; level < side; ++level)
    for (int column = 0; column < side; ++column) {
      const BodyId rising = addBar(node(column, level), node(column + 1, level + 1));
      const BodyId falling = addBar(node(column + 1, level), node(column, level + 1));
      addHinge(rising, falling, node(column + 0.5, level + 0.5));
      at(column, level).push_back(rising);
      at(column + 1, level + 1).push_back(rising);
      at(column + 1, level).push_back(falling);
      at(column, level + 1).push_back(falling);
    }
  addHinge(kWorldBody, BodyId{0}, node(0, 0));
  for (int level = 0; level <= side; ++level)
    for (int column = 0; column <= side; ++column)
      for (std::size_t i = 1; i < at(column, level).size(); ++i)
        addHinge(at(column, level)[i - 1], at(column, level)[i], node(column, level));
  return b.build();
}

/// A brick wall, each row shifted by half a brick, four times as wide as high in bricks, at rest on the
/// ground: some eight contacts a brick, all coupled. At least `bricks` bricks.
std::shared_ptr<const Model> wall(int bricks) {
  const int height = std::max(1, static_cast<int>(std::ceil(std::sqrt(0.25 * bricks)))), width = 4 * height;
  const Vec3 size(0.2, 0.1, 0.08);
  ModelBuilder b(fmt::format("wall-{}x{}", width, height));
  b.options().timestep = kTimestep;
  for (int level = 0; level < height; ++level)
    for (int place = 0; place < width; ++place) {
      // A gap beside each brick: only what lies on top of each other touches.
      const Pose pose = at(1.05 * size.x() * (place + 0.5 * (level % 2)), 0.0, size.z() * (level + 0.5));
      const BodyId brick = b.addBody({.name = fmt::format("brick{}", b.numBodies()), .pose = pose});
      b.addShape(brick, boxShape(size));
    }
  b.addShape(kWorldBody, planeShape());
  return b.build();
}

std::shared_ptr<const Model> modelOf(const std::string& name, int links) {
  return name == "chain" ? chain(links) : name == "wall" ? wall(links) : scissorGrid(links);
}

struct Timing {
  int links;
  int contacts;
  double perStep;  ///< s, median of blocks of steps
  double residual;
};

Timing measure(const std::shared_ptr<const Model>& model, double seconds) {
  using Clock = std::chrono::steady_clock;
  const int links = static_cast<int>(model->bodies.size());
  Simulator simulator(steppedByImpulses(model));  // steps with error control are of any length
  const int block = std::max(1, 1000 / links);
  for (int i = 0; i < 2 * block; ++i) simulator.step();
  std::vector<double> times;
  double residual = 0.0;
  const auto start = Clock::now();
  while (times.size() < 5 || std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    const auto before = Clock::now();
    for (int i = 0; i < block; ++i) {
      simulator.step();
      residual = std::max(residual, simulator.report().jointResidual);
    }
    times.push_back(std::chrono::duration<double>(Clock::now() - before).count() / block);
    if (simulator.diverged()) throw InputError(model->name + ": " + simulator.diverged()->reason);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return {links, simulator.report().contacts, times[times.size() / 2], residual};
}

int benchSpeed(const SpeedArguments& arguments) {
  std::vector<Timing> points;
  if (!arguments.json)
    fmt::print("{:>8} {:>10} {:>14} {:>14} {:>16}\n", "links", "contacts", "us a step", "us a link",
               "joint residual");
  for (const int links : arguments.links) {
    points.push_back(measure(modelOf(arguments.model, links), arguments.seconds));
    const Timing& p = points.back();
    if (!arguments.json)
      fmt::print("{:>8} {:>10} {:>14.1f} {:>14.3f} {:>16.2g}\n", p.links, p.contacts, 1e6 * p.perStep,
                 1e6 * p.perStep / p.links, p.residual);
  }
  const bool fits = points.size() > 1;
  std::vector<std::pair<double, double>> costs;
  costs.reserve(points.size());
  for (const Timing& p : points) costs.emplace_back(p.links, p.perStep);
  if (arguments.json) {
    nlohmann::ordered_json j;
    for (const Timing& p : points)
      j[arguments.model].push_back({{"links", p.links},
                                    {"contacts", p.contacts},
                                    {"step_s", p.perStep},
                                    {"joint_residual", p.residual}});
    if (fits) j["exponent"] = growthExponent(costs);
    printJson(j);
  } else if (fits) {
    fmt::print("time of a step grows as links^{:.3f}\n", growthExponent(costs));
  }
  return 0;
}

}  // namespace

Command addSpeed(CLI::App& bench) {
  const auto a = std::make_shared<SpeedArguments>();
  CLI::App& command = *bench.add_subcommand("speed", "time of a step over the size of a model");
  command
      .add_option("--model", a->model,
                  "chain, scissors (a square grid, hyperstatic), or wall (bricks at rest)")
      ->check(CLI::IsMember({"chain", "scissors", "wall"}))
      ->capture_default_str();
  command.add_option("--links", a->links, "numbers of links, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--seconds", a->seconds, "time to measure each, s")
      ->check(positiveFinite())
      ->capture_default_str();
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] { return benchSpeed(*a); }};
}

}  // namespace grashof
