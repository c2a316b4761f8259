#pragma once
/// Checks the acceptance conditions of a scenario while it runs.

#include <optional>
#include <string>
#include <vector>

#include "engine/dynamics/channels.h"
#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"

namespace grashof {

/// The result of one condition.
struct CheckResult {
  std::string text;  ///< the condition, as written
  bool passed = false;
  double value = 0.0;  ///< the value farthest outside the bounds or, if all are inside, nearest to a bound
  double time = 0.0;   ///< s, when the channel had this value; -1: it was never checked
};

/// Distance of `value` from the bounds of `x`, in the unit of the channel: max(lower - value,
/// value - upper). Negative inside, 0 on a bound, infinity for NaN.
double boundViolation(const Expectation& x, double value);

/// Follows a run and checks scenario.expectations, each at its own times: after every step, after the last,
/// or after the step that ends nearest to a given time.
class ExpectationChecker {
 public:
  /// Keeps a reference to `scenario`. Throws InputError for an unknown channel.
  explicit ExpectationChecker(const Scenario& scenario);

  /// Call before the first step and after each. `last`: no step follows. A load that is not known before the
  /// first step (see Simulator::loadsTold()) is not checked there.
  void observe(const Simulator& simulator, bool last);
  /// What it has seen so far.
  void archive(Archive& archive);

  /// One entry per expectation, in their order, and one for divergence. An expectation that was never checked
  /// has failed; all have failed in a run that diverged, unless the scenario expects that.
  std::vector<CheckResult> results(const std::optional<Divergence>& divergence) const;

 private:
  bool due(std::size_t expectation, double time, bool last) const;

  const Scenario& scenario_;
  std::vector<Channel> channels_;
  std::vector<CheckResult> results_;
  std::vector<double> violation_;  // the largest so far, one per expectation
};

}  // namespace grashof
