/// The same scenes by several engines in one run: time of a step beside what it is worth.

#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include "contacts/collision_world.h"
#include "tools/bench/peers/peer.h"

namespace grashof::bench {
namespace {

constexpr int kBlock = 10;           // steps between two looks
constexpr double kTornApart = 0.05;  // m: a joint that gapes wider does not hold
constexpr double kPatience = 45.0;   // s: a run that takes longer is given up
constexpr double kFallen = 0.05;     // m: a stacked body that moved further has fallen

struct Outcome {
  double perStep = 0.0;      ///< s
  double gap = 0.0;          ///< m, worst over the run
  double penetration = 0.0;  ///< m, mean over the timed part of the deepest of each look
  double energyLost = 0.0;   ///< of the largest kinetic energy, mean over the last tenth; negative: gained
  Unsolved unsolved;
  std::array<char, 64> failure{};

  void fail(const std::string& reason) { reason.copy(failure.data(), failure.size() - 1); }
};

/// The deepest penetration of the boxes among each other and into the plane, by the same code for all.
class Depth {
 public:
  explicit Depth(const Scene& scene) : world_(shapes_ = shapesOf(scene), {}) {}
  double at(std::span<const Pose> poses) {
    world_.detect(poses, 0.0, contacts_);
    double deepest = 0.0;
    for (const Contact& contact : contacts_) deepest = std::max(deepest, -contact.gap);
    return deepest;
  }

 private:
  static std::vector<Shape> shapesOf(const Scene& scene) {
    std::vector<Shape> shapes;
    for (const SceneBody& body : scene.bodies) {
      Shape box;
      box.body = static_cast<int>(shapes.size());
      box.size = 2.0 * body.halfSize;
      shapes.push_back(box);
    }
    Shape plane;
    plane.type = ShapeType::Plane;
    shapes.push_back(plane);
    return shapes;
  }
  std::vector<Shape> shapes_;
  CollisionWorld world_;
  std::vector<Contact> contacts_;
};

Outcome run(const Scene& scene, const Contender& contender) {
  using Clock = std::chrono::steady_clock;
  Outcome outcome;
  const auto peer = contender.make(scene);
  Depth depth(scene);
  std::vector<Pose> poses;
  std::vector<Vec6> twists(scene.bodies.size(), Vec6::Zero());
  for (const SceneBody& body : scene.bodies) poses.push_back(body.pose);
  const double start = energy(scene, poses, twists);
  double kinetic = 0.0, late = 0.0, seconds = 0.0, spent = 0.0;
  int lateLooks = 0, timedSteps = 0, looks = 0;
  const int blocks = static_cast<int>(scene.duration / scene.timestep / kBlock);
  for (int i = 0; i < blocks; ++i) {
    const auto before = Clock::now();
    for (int s = 0; s < kBlock; ++s) peer->step();
    const double took = std::chrono::duration<double>(Clock::now() - before).count();
    spent += took;
    peer->read(poses, twists);
    const double time = (i + 1) * kBlock * scene.timestep;
    bool finite = true;
    for (std::size_t b = 0; b < poses.size(); ++b)
      finite = finite && poses[b].position.allFinite() && poses[b].rotation.coeffs().allFinite() &&
               twists[b].allFinite();
    outcome.gap = finite ? std::max(outcome.gap, jointGap(scene, poses)) : INFINITY;
    if (!(outcome.gap <= kTornApart)) {
      outcome.fail(fmt::format("{} at {:.2f} s", finite ? "torn apart" : "not finite", time));
      outcome.perStep = took / kBlock;
      return outcome;
    }
    for (std::size_t b = 0; scene.stack && b < poses.size(); ++b)
      if ((poses[b].position - scene.bodies[b].pose.position).norm() > kFallen) {
        outcome.fail(fmt::format("fallen at {:.2f} s", time));
        outcome.perStep = took / kBlock;
        return outcome;
      }
    if (spent > kPatience) {
      outcome.fail(fmt::format("given up at {:.2f} s", time));
      outcome.perStep = took / kBlock;
      return outcome;
    }
    kinetic = std::max(kinetic, kineticEnergy(scene, poses, twists));
    if (time > 0.9 * scene.duration) {
      late += energy(scene, poses, twists) - start;
      ++lateLooks;
    }
    if (time <= scene.timedFrom) continue;
    seconds += took;
    timedSteps += kBlock;
    if (scene.collides()) outcome.penetration += depth.at(poses);
    ++looks;
  }
  outcome.unsolved = peer->unsolved();
  outcome.perStep = seconds / timedSteps;
  outcome.penetration /= looks;
  outcome.energyLost = -late / lateLooks / std::max(kinetic, 1e-12);
  return outcome;
}

/// run() in a process of its own: some engines end theirs when a scene breaks.
Outcome runApart(const Scene& scene, const Contender& contender) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const Outcome outcome = run(scene, contender);
    _exit(write(ends[1], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
  }
  close(ends[1]);
  Outcome outcome;
  if (read(ends[0], &outcome, sizeof outcome) != sizeof outcome) {
    outcome = {};
    outcome.fail("the engine aborts");
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return outcome;
}

std::vector<Contender> allContenders() {
  std::vector<Contender> contenders = grashofContenders();
  [[maybe_unused]] const auto add = [&](std::vector<Contender> more) {
    contenders.insert(contenders.end(), more.begin(), more.end());
  };
#ifdef GRASHOF_BENCH_MUJOCO
  add(mujocoContenders());
#endif
#ifdef GRASHOF_BENCH_ODE
  add(odeContenders());
#endif
#ifdef GRASHOF_BENCH_BULLET
  add(bulletContenders());
#endif
#ifdef GRASHOF_BENCH_DART
  add(dartContenders());
#endif
  return contenders;
}

/// `median`: time of a step, s.
nlohmann::ordered_json jsonOf(const Scene& scene, const Contender& contender, const Outcome& o,
                              double median) {
  nlohmann::ordered_json entry = {{"scene", scene.name},
                                  {"engine", contender.engine},
                                  {"setting", contender.setting},
                                  {"step_s", median}};
  if (o.failure[0] != 0)
    entry["failure"] = o.failure.data();
  else if (scene.collides())
    entry["penetration_m"] = o.penetration;
  else
    entry.update({{"joint_gap_m", o.gap}, {"energy_lost", o.energyLost}});
  if (o.unsolved.steps > 0)
    entry.update({{"unsolved_steps", o.unsolved.steps}, {"unsolved_residual", o.unsolved.worst}});
  return entry;
}

void printHeader(const Scene& scene) {
  fmt::print("\n{}, {:g} s\n{:<30} {:>10} {:>12} {:>13} {:>12}\n", scene.name, scene.duration, "engine",
             "us a step", scene.collides() ? "" : "joint gap m", scene.collides() ? "penetration m" : "",
             scene.collides() ? "" : "energy lost");
}

void printRow(const Scene& scene, const Contender& contender, const Outcome& o, double median) {
  const std::string name = contender.engine + ", " + contender.setting;
  if (o.failure[0] != 0)
    fmt::print("{:<30} {:>10.1f} {}\n", name, 1e6 * median, o.failure.data());
  else if (scene.collides())
    fmt::print("{:<30} {:>10.1f} {:>12} {:>13.2g}\n", name, 1e6 * median, "", o.penetration);
  else
    fmt::print("{:<30} {:>10.1f} {:>12.2g} {:>13} {:>11.3f}%\n", name, 1e6 * median, o.gap, "",
               100.0 * o.energyLost);
  if (o.unsolved.steps > 0)
    fmt::print("  of its steps {} stay unsolved, at residuals up to {:.2g}\n", o.unsolved.steps,
               o.unsolved.worst);
}

int compare(int repeat, const std::vector<std::string>& wanted, bool json) {
  const std::vector<Contender> contenders = allContenders();
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Scene& scene : scenes()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), scene.name) == wanted.end()) continue;
    // Rounds go through all engines in turn, so that what disturbs the machine disturbs all alike.
    std::vector<Outcome> outcomes(contenders.size());
    std::vector<std::vector<double>> times(contenders.size());
    for (int r = 0; r < repeat; ++r)
      for (std::size_t c = 0; c < contenders.size(); ++c) {
        outcomes[c] = runApart(scene, contenders[c]);
        times[c].push_back(outcomes[c].perStep);
      }
    if (!json) printHeader(scene);
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      std::nth_element(times[c].begin(), times[c].begin() + repeat / 2, times[c].end());
      const double median = times[c][static_cast<std::size_t>(repeat / 2)];
      if (json)
        results.push_back(jsonOf(scene, contenders[c], outcomes[c], median));
      else
        printRow(scene, contenders[c], outcomes[c], median);
      std::fflush(stdout);
    }
  }
  if (json) fmt::print("{}\n", results.dump(2));
  return 0;
}

}  // namespace
}  // namespace grashof::bench

int main(int argc, char** argv) {
  CLI::App app("The same scenes by several engines: time of a step, joint gap, penetration, energy");
  int repeat = 3;
  std::vector<std::string> wanted;
  bool json = false;
  app.add_option("--repeat", repeat, "Rounds through all engines; the median time counts")
      ->check(CLI::Range(1, 99));
  std::vector<std::string> names;
  for (const grashof::bench::Scene& scene : grashof::bench::scenes()) names.push_back(scene.name);
  app.add_option("--scenes", wanted, "Names of scenes (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_flag("--json", json, "Print JSON");
  CLI11_PARSE(app, argc, argv);
  const tbb::global_control oneThread(tbb::global_control::max_allowed_parallelism, 1);
  return grashof::bench::compare(repeat, wanted, json);
}
