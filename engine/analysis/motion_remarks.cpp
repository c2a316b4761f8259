#include "engine/analysis/motion_remarks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "engine/model/user_frames.h"

namespace grashof {
namespace {

constexpr double kRateJumps = 0.05;  // of the largest rate
constexpr double kAlongside = 1.5;   // steps between samples: less is no jump for the step
constexpr double kPastLimit = 1e-6;  // m, rad
constexpr int kLooksAtMotion = 20000;

struct RateJump {
  double by = 0.0, time = 0.0;
  int count = 0;  // of all that matter
};

/// The largest jump of the rate of a linear series after 0 s and up to `duration` (s).
RateJump largestRateJump(const Signal& s, double duration, double timestep) {
  RateJump jump;
  if (s.kind != Signal::Kind::Series || s.interpolation != Interpolation::Linear) return jump;
  const std::size_t n = s.times.size();
  const auto slope = [&](std::size_t k) {  // before sample k
    return k == 0 || k == n ? 0.0 : (s.values[k] - s.values[k - 1]) / (s.times[k] - s.times[k - 1]);
  };
  double largest = 0.0;
  for (std::size_t k = 1; k < n && s.times[k - 1] < duration; ++k)
    largest = std::max(largest, std::abs(slope(k)));
  const double end = duration - 0.5 * timestep;
  for (std::size_t k = 0; k < n && s.times[k] <= duration; ++k) {
    // A series that ends with the run keeps its rate.
    if (s.times[k] <= 0.0 || (k + 1 == n && s.times[k] > end)) continue;
    const bool close = k > 0 && k + 1 < n && s.times[k + 1] - s.times[k - 1] < 2.0 * kAlongside * timestep;
    const double by = slope(k + 1) - slope(k);
    if (close || !(std::abs(by) > kRateJumps * largest)) continue;
    ++jump.count;
    if (std::abs(by) > std::abs(jump.by)) jump = {by, s.times[k], jump.count};
  }
  return jump;
}

/// Calls use(joint, coordinate, signal, unit) for every prescribed motion.
template <typename Use>
void forEachPrescribed(const Model& model, const Use& use) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const Actuator& actuator = model.joints[j].coordinates[i].actuator;
      if (actuator.kind != Actuator::Kind::Motion) continue;
      use(static_cast<int>(j), static_cast<int>(i), model.signals[actuator.signal],
          isRotation(model.joints[j].type->freeDirections()[i]) ? "rad" : "m");
    }
}

void addRateJumps(const Model& model, double duration, std::vector<std::string>& remarks) {
  std::vector<std::string> items;
  forEachPrescribed(model, [&](int j, int i, const Signal& signal, const char* unit) {
    const RateJump jump = largestRateJump(signal, duration, model.step.timestep);
    if (jump.count == 0) return;
    const std::string of = jump.count > 1 ? fmt::format(", the largest of {} jumps", jump.count) : "";
    items.push_back(fmt::format("motion of joint '{}' jumps by {:.4g} {}/s at t = {:.6g} s{}",
                                coordinateName(model, j, i), std::abs(jump.by), unit, jump.time, of));
  });
  if (!items.empty())
    remarks.push_back(
        fmt::format("{}: peaks there are impulse over step, and grow as the step shrinks "
                    "(interpolation=\"cubic\" starts and stops within what the samples allow)",
                    listed(items)));
}

/// When a motion is beyond the limits of its coordinate, and how far at most.
struct PastLimit {
  double by = 0.0, value = 0.0, time = 0.0, first = 0.0;
  void look(const Limit& limit, double v, double t) {
    const double excess = -limit.gap(v);
    if (!(excess > kPastLimit)) return;
    if (by == 0.0) first = t;
    if (excess > by * (1.0 + 1e-9)) *this = {excess, v, t, first};
  }
};

void addBeyondLimits(const Model& model, double duration, std::vector<std::string>& remarks) {
  std::vector<std::string> items;
  const double steps = std::max(1.0, std::round(duration / model.step.timestep));
  const int looks = static_cast<int>(std::min(steps, static_cast<double>(kLooksAtMotion)));
  forEachPrescribed(model, [&](int j, int i, const Signal& signal, const char* unit) {
    const Limit& limit = model.joints[j].coordinates[i].limit;
    if (!limit.bounded()) return;
    PastLimit beyond;
    for (int k = 0; k <= looks; ++k) {
      const double time = std::round(steps * k / looks) * model.step.timestep;
      beyond.look(limit, signal.value(time), time);
    }
    if (beyond.by == 0.0) return;
    const bool upper = beyond.value > limit.upper;
    items.push_back(
        fmt::format("motion of joint '{}' goes to {:.5g} {} at {:.4g} s, beyond its {} limit {:.5g} "
                    "{} from {:.4g} s on",
                    coordinateName(model, j, i), beyond.value, unit, beyond.time, upper ? "upper" : "lower",
                    upper ? limit.upper : limit.lower, unit, beyond.first));
  });
  if (!items.empty())
    remarks.push_back(
        fmt::format("{}: motion and limit press against each other without bound, and their "
                    "efforts mean nothing (keep the motion within the limit, or widen that)",
                    listed(items)));
}

}  // namespace

std::vector<std::string> motionRemarks(const Model& model, double duration) {
  std::vector<std::string> remarks;
  addRateJumps(model, duration, remarks);
  addBeyondLimits(model, duration, remarks);
  return remarks;
}

}  // namespace grashof
