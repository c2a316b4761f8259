#include "tools/grashof/convergence.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/drive.h"
#include "engine/model/model_builder.h"
#include "tools/grashof/growth_exponent.h"

namespace grashof {
namespace {

/// Radius of gyration k, m: k² = trace(I) / 2m, which is that of a flat body about its normal.
double gyration(const Body& body) { return std::sqrt(0.5 * body.inertia.trace() / body.mass); }

double configurationError(const Model& model, std::span<const Pose> a, std::span<const Pose> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double angle = a[i].rotation.angularDistance(b[i].rotation);
    const double turned = gyration(model.bodies[i]) * angle;
    sum += (a[i].position - b[i].position).squaredNorm() + turned * turned;
  }
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(a.size(), 1)));
}

}  // namespace

std::int64_t stepsIn(double interval, double timestep) {
  const double ratio = interval / timestep;
  const auto steps = static_cast<std::int64_t>(std::lround(ratio));
  if (steps < 1 || std::abs(ratio - static_cast<double>(steps)) > 1e-6)
    throw InputError(
        fmt::format("the time step {:g} s does not divide {:g} s, the largest, at which runs are compared "
                    "(halves, quarters, tenths do)",
                    timestep, interval));
  return steps;
}

Trace traceOf(const Model& given, const RunSetting& setting, double interval, int samples) {
  const std::int64_t steps = stepsIn(interval, setting.timestep);
  ModelBuilder builder(given);
  builder.options().timestep = setting.timestep;
  Integrator& integrator = builder.options().integrator;
  // The step of error control is its own.
  if (integrator == Integrator::Auto) integrator = Integrator::Moreau;
  if (setting.integrator) integrator = *setting.integrator;
  if (setting.accuracy) builder.options().tolerance = *setting.accuracy;
  builder.solver().name = setting.solver;
  builder.solver().tolerance = setting.tolerance;
  const auto model = builder.build();
  Simulator simulator(model, startState(*model));
  Trace trace;
  trace.poses.reserve(static_cast<std::size_t>(samples) + 1);
  const auto keep = [&](double energy) {
    trace.poses.push_back(simulator.state().poses);
    trace.energy.push_back(energy);
  };
  keep(simulator.initialEnergy().total());
  for (int i = 0; i < samples; ++i) {
    const DriveCounts made = drive(simulator, steps, [&](const Simulator& s, const DriveCounts&) {
      trace.smooth += s.report().smooth ? 1 : 0;
      return true;
    });
    trace.steps += made.steps;
    trace.unsolved += made.unsolved;
    trace.seconds += made.seconds;
    if (simulator.diverged()) {
      trace.divergence = simulator.diverged()->reason;
      break;
    }
    keep(simulator.report().energy.total());
  }
  return trace;
}

TraceError traceError(const Model& model, const Trace& run, const Trace& reference) {
  TraceError e;
  const std::size_t samples = std::min(run.poses.size(), reference.poses.size());
  // The start is the same in both.
  for (std::size_t i = 1; i < samples; ++i) {
    const double distance = configurationError(model, run.poses[i], reference.poses[i]);
    e.mean += distance / static_cast<double>(samples - 1);
    e.largest = std::max(e.largest, distance);
    e.energy += std::abs(run.energy[i] - reference.energy[i]) / static_cast<double>(samples - 1);
  }
  return e;
}

double fittedOrder(std::span<const std::pair<double, double>> stepAndError, double floor) {
  std::vector<std::pair<double, double>> usable;
  for (const auto& point : stepAndError)
    if (point.second > floor && std::isfinite(point.second)) usable.push_back(point);
  const bool varied = std::any_of(usable.begin(), usable.end(),
                                  [&](const auto& point) { return point.first != usable.front().first; });
  return varied ? growthExponent(usable) : 0.0;
}

}  // namespace grashof
