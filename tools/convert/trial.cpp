#include "tools/convert/trial.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/analysis/close_pairs.h"
#include "engine/dynamics/drive.h"

namespace grashof::convert {
namespace {

constexpr double kTouch = 1e-4;    // m: contacts nearer than this touch
constexpr double kCrossed = 1e-6;  // m, rad: limits crossed by less hold

std::string nameOf(const Model& model, int body) {
  return body < 0 ? "world" : model.bodies[static_cast<std::size_t>(body)].name;
}

std::string nameOf(const Model& model, const ShapeSet& set) {
  return set.link.empty() ? nameOf(model, set.body) : set.link;
}

std::vector<std::string> crossedAt(const Model& model, const State& state) {
  std::vector<std::string> crossed;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t c = 0; c < model.joints[j].coordinates.size(); ++c) {
      const Limit& limit = model.joints[j].coordinates[c].limit;
      const double q = state.coordinates[static_cast<std::size_t>(model.coordinateStart[j]) + c];
      if (limit.bounded() && limit.gap(q) < -kCrossed)
        crossed.push_back(
            fmt::format("{} at {:.3g}, {:.2g} beyond its limit", model.joints[j].name, q, -limit.gap(q)));
    }
  return crossed;
}

}  // namespace

Trial tryOut(const Scenario& scenario, double duration, double patience) {
  const Model& model = *scenario.model;
  Simulator simulator(scenario.model, startState(model));
  Trial trial;
  trial.crossedLimits = crossedAt(model, simulator.state());
  for (const ClosePair& p : overlaps(model, simulator.state().poses))
    trial.overlapping.push_back(
        fmt::format("{} and {} by {:.2g} m", nameOf(model, p.a), nameOf(model, p.b), -p.gap));
  std::set<std::pair<int, int>> touching;
  const auto steps = static_cast<std::int64_t>(std::ceil((duration - 1e-9) / model.step.timestep));
  const DriveCounts made =
      drive(simulator, patience > 0.0 ? steps : 0, [&](const Simulator& s, const DriveCounts& soFar) {
        for (const Contact& c : s.contacts()) {
          const std::pair<int, int> bodies = std::minmax(c.bodyA, c.bodyB);
          if (c.gap <= kTouch && touching.insert(bodies).second)
            trial.touching.push_back(fmt::format("{} and {} at {:.3g} s", nameOf(model, bodies.first),
                                                 nameOf(model, bodies.second), s.state().time));
        }
        return soFar.seconds < patience;
      });
  trial.steps = made.steps;
  trial.unsolved = made.unsolved;
  trial.jointError = made.jointResidual;
  trial.simulated = simulator.state().time;
  trial.divergence = simulator.diverged();
  trial.msPerStep = 1e3 * made.seconds / static_cast<double>(std::max<std::int64_t>(made.steps, 1));
  return trial;
}

}  // namespace grashof::convert
