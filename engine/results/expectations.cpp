#include "engine/results/expectations.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grashof {

double boundViolation(const Expectation& x, double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  return std::max(x.lower - value, value - x.upper);
}

ExpectationChecker::ExpectationChecker(const Scenario& scenario) : scenario_(scenario) {
  for (const Expectation& x : scenario.expectations) {
    channels_.push_back(findChannel(*scenario.model, x.channel));
    results_.push_back({x.text, true, 0.0, -1.0});
    violation_.push_back(-std::numeric_limits<double>::infinity());
  }
}

bool ExpectationChecker::due(std::size_t expectation, double time, bool last) const {
  const Expectation& x = scenario_.expectations[expectation];
  if (x.when == When::End) return last;
  if (x.when == When::Always) return true;
  const double halfStep = 0.5 * scenario_.model->step.timestep * (1.0 + 1e-9);
  return std::abs(time - x.time) <= halfStep && results_[expectation].time < 0.0;
}

void ExpectationChecker::observe(const Simulator& simulator, bool last) {
  const double now = simulator.state().time;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (!due(i, now, last)) continue;
    const double value = channels_[i](simulator);
    if (std::isnan(value) && !simulator.loadsTold()) continue;
    const double violation = boundViolation(scenario_.expectations[i], value);
    CheckResult& result = results_[i];
    if (violation > violation_[i] || result.time < 0.0) {
      violation_[i] = violation;
      result.value = value;
      result.time = now;
    }
    result.passed = violation_[i] <= 0.0;
  }
}

void ExpectationChecker::archive(Archive& archive) {
  archive.sameSize(violation_);
  for (CheckResult& result : results_) archive(result.passed, result.value, result.time);
}

std::vector<CheckResult> ExpectationChecker::results(const std::optional<Divergence>& divergence) const {
  const bool expected = scenario_.expectDivergence;
  std::vector<CheckResult> all = results_;
  for (CheckResult& result : all)
    if (result.time < 0.0 || (divergence && !expected)) result.passed = false;
  all.push_back({expected ? "the run is stopped as diverging" : "no divergence",
                 divergence.has_value() == expected, 0.0, divergence ? divergence->time : 0.0});
  return all;
}

}  // namespace grashof
