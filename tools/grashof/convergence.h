#pragma once
/// How far runs of one scenario with different steps, tolerances and solvers are from a reference run: the
/// self-consistency of a simulation [Lidec 2024, IV-B].

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/state.h"
#include "engine/model/model.h"

namespace grashof {

/// What one run differs in from another.
struct RunSetting {
  std::string solver;
  double timestep = 1e-3;                  ///< s
  double tolerance = 1e-8;                 ///< of the kind that the model has
  std::optional<Integrator> integrator{};  ///< none: the model's, moreau instead of auto
  std::optional<double> accuracy{};        ///< StepOptions::tolerance; none: the model's
};

/// A run, seen at equal distances in time, from the start on.
struct Trace {
  std::vector<std::vector<Pose>> poses;  ///< of all bodies, one list per sample
  std::vector<double> energy;            ///< mechanical, J, one per sample
  std::int64_t steps = 0, unsolved = 0, smooth = 0;
  double seconds = 0.0;    ///< wall time of the steps
  std::string divergence;  ///< the samples end before it; empty: none
};

/// Steps of `timestep` in `interval` (both s). Throws InputError when they are no whole number.
std::int64_t stepsIn(double interval, double timestep);

/// Runs `model` with `setting` for `samples` intervals. Throws what stepsIn() and startState() throw.
Trace traceOf(const Model& model, const RunSetting& setting, double interval, int samples);

/// Between two runs, over the samples that both have.
struct TraceError {
  // Of a configuration: the root mean square over the bodies of √(|Δx|² + k² Δφ²), with the displacement of
  // the centre of mass, the angle between the poses and the radius of gyration k.
  double mean = 0.0, largest = 0.0;  ///< over time, m
  double energy = 0.0;               ///< mean of |ΔE| over time, J
};
TraceError traceError(const Model& model, const Trace& run, const Trace& reference);

/// p of error = c step^p by least squares; 0 without two different steps whose errors are above `floor`.
double fittedOrder(std::span<const std::pair<double, double>> stepAndError, double floor);

}  // namespace grashof
