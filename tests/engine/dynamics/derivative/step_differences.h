#pragma once
/// Derivatives of a step by differences of steps, to compare with.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <doctest/doctest.h>

#include "engine/dynamics/derivative/step_derivative.h"
#include "engine/dynamics/rows/step_context.h"
#include "engine/dynamics/simulator.h"

namespace grashof::test {

/// Tangent coordinates of `to` seen from `from`.
inline VecX tangentBetween(const State& from, const State& to) {
  const auto bodies = static_cast<Eigen::Index>(from.poses.size());
  VecX x(12 * bodies);
  for (Eigen::Index b = 0; b < bodies; ++b) {
    const auto body = static_cast<std::size_t>(b);
    x.segment<3>(6 * b) = to.poses[body].position - from.poses[body].position;
    x.segment<3>(6 * b + 3) = logRotation(to.poses[body].rotation * from.poses[body].rotation.conjugate());
    x.segment<6>(6 * (bodies + b)) = to.twists[body] - from.twists[body];
  }
  return x;
}

inline State alongTangent(const State& state, const VecX& x) {
  const auto bodies = static_cast<Eigen::Index>(state.poses.size());
  State moved = state;
  for (Eigen::Index b = 0; b < bodies; ++b) {
    const auto body = static_cast<std::size_t>(b);
    moved.poses[body] = movePose(state.poses[body], x.segment<6>(6 * b), 1.0);
    moved.twists[body] += x.segment<6>(6 * (bodies + b));
  }
  return moved;
}

/// Steps as accurate as rounding allows, so that differences of them are.
inline std::shared_ptr<const Model> accurate(const Model& model) {
  auto copy = std::make_shared<Model>(model);
  copy->step.projectionTolerance = 1e-14;
  copy->solver.tolerance = 1e-13;
  copy->step.divergenceEnergy = 1e12;  // states beside the joints are projected
  return copy;
}

/// How far derivatives are from differences of steps.
struct DerivativeErrors {
  double error = 0.0;  ///< largest difference over the largest entry of the rows of the same unit
  double kink = 0.0;   ///< the same of differences to both sides, and of wider ones: they differ at a kink
};

constexpr double kControlDifference = 1e-4;

/// Of A and B against central differences of fourth order, over `h` (m, rad, m/s, rad/s).
/// @pre all controls are numbers
inline DerivativeErrors derivativeErrors(const std::shared_ptr<const Model>& model, const State& state,
                                         const Inputs& inputs, double h) {
  StepLinearizer linearizer(model);
  const StepDerivative d = linearizer.linearize(state, inputs);
  Simulator simulator(steppedByImpulses(model), state);
  const auto next = [&](const State& from, const Inputs& with) {
    simulator.inputs() = with;
    simulator.setState(from);
    simulator.step();
    REQUIRE(!simulator.diverged());
    return simulator.state();
  };
  CHECK(tangentBetween(d.next, next(state, inputs)).norm() == 0.0);
  const Eigen::Index n = d.state.rows(), m = d.control.cols();
  DerivativeErrors worst;
  for (Eigen::Index c = 0; c < n + m; ++c) {
    const double size = c < n ? h : kControlDifference;
    const auto side = [&](int steps) {
      Inputs with = inputs;
      State from = state;
      if (c < n)
        from = alongTangent(state, steps * size * VecX::Unit(n, c));
      else
        with.control[static_cast<std::size_t>(c - n)] += steps * size;
      return VecX(tangentBetween(d.next, next(from, with)) / (size * steps));
    };
    const VecX forward = side(1), back = side(-1);
    const VecX once = 0.5 * (forward + back), twice = 0.5 * (side(2) + side(-2));
    const VecX slope = (4.0 * once - twice) / 3.0;
    const VecX found = c < n ? d.state.col(c) : d.control.col(c - n);
    for (const Eigen::Index first : {Eigen::Index(0), n / 2}) {
      const double scale = std::max(slope.segment(first, n / 2).cwiseAbs().maxCoeff(), c < n ? 1.0 : 1e-6);
      const auto largest = [&](const VecX& x) {
        return x.segment(first, n / 2).cwiseAbs().maxCoeff() / scale;
      };
      worst.error = std::max(worst.error, largest(slope - found));
      worst.kink = std::max({worst.kink, largest(once - twice), largest(forward - back)});
    }
  }
  return worst;
}

/// Largest difference of pullback() from the transposed derivatives, over their largest entry.
inline double pullbackError(const std::shared_ptr<const Model>& model, const State& state,
                            const Inputs& inputs, const VecX& cotangent) {
  StepLinearizer linearizer(model);
  const StepDerivative d = linearizer.linearize(state, inputs);
  const StepPullback found = linearizer.pullback(cotangent);
  const auto error = [&](const Eigen::MatrixXd& slopes, const VecX& pulled) {
    if (slopes.cols() == 0) return 0.0;
    const VecX expected = slopes.transpose() * cotangent;
    return (pulled - expected).cwiseAbs().maxCoeff() / std::max(1e-6, expected.cwiseAbs().maxCoeff());
  };
  return std::max(error(d.state, found.state), error(d.control, found.control));
}

/// The error alone.
inline double derivativeError(const std::shared_ptr<const Model>& model, const State& state,
                              const Inputs& inputs, double h = 1e-4) {
  return derivativeErrors(model, state, inputs, h).error;
}

}  // namespace grashof::test
