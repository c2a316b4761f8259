#pragma once
/// The integrators: at which times one step evaluates its rows, and with which weights. Simulator::step()
/// uses them.

#include <memory>
#include <span>

#include "engine/model/model.h"

namespace grashof {

/// Constants of one step from t to t + Δt. Rows (Jacobians, contacts) are evaluated at one configuration on
/// the way: semi-implicit Euler uses the configuration at t, Moreau's midpoint rule the one at t + Δt/2.
/// Times in s.
struct StepContext {
  double timestep = 0.0;   ///< Δt
  double timeStart = 0.0;  ///< t
  double timeEnd = 0.0;    ///< t + Δt, as State::time counts it
  double timeToEnd = 0.0;  ///< from the configuration of the rows to the end: Euler Δt, Moreau Δt/2
  /// Weights (s): the spring is evaluated at q + after·v⁺ + before·v⁻, q where the rows stand. Euler: at the
  /// end of the step, (Δt, 0). Moreau: the rows stand at q½ = q⁻ + Δt/2 v⁻, and the implicit midpoint rule
  /// evaluates the spring at (q⁻ + q⁺)/2 = q⁻ + Δt/4 (v⁻ + v⁺) = q½ + Δt/4 v⁺ - Δt/4 v⁻, so (Δt/4, -Δt/4).
  double springWeightAfter = 0.0, springWeightBefore = 0.0;
  /// Equality rows use the trapezoidal rule, (v⁻ + v⁺)/2 = mean rate of the motion, instead of v⁺ = rate;
  /// see drivenBias(). The twists are projected at the end of such a step.
  bool trapezoidal = false;
  bool ofInstant = false;  ///< stands for the instant in its middle, see ConstrainedMotion::writeRecord()
  std::span<const double>
      freeRateChange;  ///< one per joint coordinate, see RotorPrediction; empty: no rotors

  double timeToRows() const { return timestep - timeToEnd; }
  double rowTime() const { return timeStart + timestep - timeToEnd; }
  /// Over which inputs act by their means.
  TimeSpan span() const {
    const TimeSpan step{timeStart, timestep};
    return ofInstant ? TimeSpan{step.middle()} : step;
  }
};

/// A model that Integrator::Auto moves, as it is stepped by impulses alone, for whoever looks at the rows of
/// steps; any other model as it is.
inline std::shared_ptr<const Model> steppedByImpulses(std::shared_ptr<const Model> model) {
  if (model->step.integrator != Integrator::Auto) return model;
  Model other = *model;
  other.step.integrator = Integrator::Moreau;
  return std::make_shared<const Model>(std::move(other));
}

/// The step that starts at `state`.
inline StepContext contextOf(const StepOptions& options, const State& state) {
  const double dt = options.timestep;
  const bool midpoint = options.integrator != Integrator::Euler;
  StepContext step;
  step.timestep = dt;
  step.timeStart = static_cast<double>(state.step) * dt;
  step.timeEnd = static_cast<double>(state.step + 1) * dt;
  step.timeToEnd = midpoint ? 0.5 * dt : dt;
  step.springWeightAfter = midpoint ? 0.25 * dt : dt;
  step.springWeightBefore = midpoint ? -0.25 * dt : 0.0;
  step.trapezoidal = midpoint && options.projection;
  return step;
}

}  // namespace grashof
