#include "engine/analysis/blows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace grashof {
namespace {

constexpr double kBlowShare = 3.0;       // of what comes before and after
constexpr double kLeastImpulse = 1e-9;   // N·s, N·m·s
constexpr double kRateJump = 0.05;       // of the rates beside it: less is smooth
constexpr double kRateRounding = 1e-12;  // of values: less of their differences is no jump
constexpr double kPastStop = 1e-6;       // m, rad

double impulseAt(const StopImpulses& all, const BlowPlace& place) {
  for (const auto& [other, impulse] : all)
    if (other == place) return impulse;
  return 0.0;
}

void addLimits(const Simulator& simulator, StopImpulses& all) {
  const Model& model = simulator.model();
  const std::vector<double>& impulses = simulator.solution().impulse;
  if (impulses.empty()) return;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const CoordinateRows& rows =
          simulator.coordinateRows()[static_cast<std::size_t>(model.coordinateStart[j]) + i];
      for (const bool upper : {false, true}) {
        const int row = upper ? rows.upper : rows.lower;
        const double impulse = row < 0 ? 0.0 : std::abs(impulses[static_cast<std::size_t>(row)]);
        if (impulse > kLeastImpulse)
          all.push_back({{BlowKind::Limit, static_cast<int>(j), static_cast<int>(i), upper}, impulse});
      }
    }
}

void addContacts(const Simulator& simulator, StopImpulses& all) {
  const double dt = simulator.model().step.timestep;
  std::map<std::pair<int, int>, double> sums;
  const auto contacts = simulator.contacts();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (contacts[k].ofJoint()) continue;
    const double normal = dt * simulator.contactForce(static_cast<int>(k)).dot(contacts[k].frame.col(2));
    if (normal > kLeastImpulse) sums[std::minmax(contacts[k].bodyA, contacts[k].bodyB)] += normal;
  }
  for (const auto& [bodies, impulse] : sums)
    all.push_back({{BlowKind::Contact, bodies.first, bodies.second, false}, impulse});
}

/// How much the rate of a motion changes in the step that ends at `end`: of the trapezoidal rule between both
/// ends, else of mean rates; 0 where that is little.
double rateJump(const Signal& motion, double end, double dt, bool trapezoidal) {
  const double last = motion.value(end), first = motion.value(end - dt), mean = (last - first) / dt;
  double jump = 0.0, size = 0.0, rounding = std::abs(last) + std::abs(first);
  if (trapezoidal) {
    const double from = motion.rate(end - dt), to = motion.rate(end);
    jump = std::abs(to - from);
    size = std::max(std::abs(from), std::abs(to));
  } else {
    const double before = motion.value(end - 2.0 * dt);
    rounding += std::abs(before);
    const double rate = (first - before) / dt;
    jump = std::abs(mean - rate);
    size = std::max(std::abs(mean), std::abs(rate));
  }
  return jump > kRateJump * size + kRateRounding * rounding / dt ? jump : 0.0;
}

void addMotions(const Simulator& simulator, StopImpulses& all) {
  const Model& model = simulator.model();
  const double dt = model.step.timestep, end = simulator.state().time;
  if (end < 1.5 * dt) return;
  const bool trapezoidal = simulator.report().smooth || simulator.record().step.trapezoidal;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const Actuator& actuator = model.joints[j].coordinates[i].actuator;
      if (actuator.kind != Actuator::Kind::Motion) continue;
      const double jump =
          rateJump(model.signals[static_cast<std::size_t>(actuator.signal)], end, dt, trapezoidal);
      if (jump > 0.0)
        all.push_back({{BlowKind::Motion, static_cast<int>(j), static_cast<int>(i), false}, jump});
    }
}

}  // namespace

StopImpulses stopImpulses(const Simulator& simulator) {
  StopImpulses all;
  addLimits(simulator, all);
  addContacts(simulator, all);
  addMotions(simulator, all);
  return all;
}

std::vector<std::pair<BlowPlace, double>> blowsOf(const StopImpulses& before, const StopImpulses& now,
                                                  const StopImpulses& after) {
  std::vector<std::pair<BlowPlace, double>> blows;
  for (const auto& [place, impulse] : now)
    if (impulse > kBlowShare * std::max(impulseAt(before, place), impulseAt(after, place)))
      blows.emplace_back(place, impulse);
  return blows;
}

std::vector<BlowPlace> clashes(const Simulator& simulator) {
  const Model& model = simulator.model();
  const std::vector<double>& impulses = simulator.solution().impulse;
  std::vector<BlowPlace> all;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const JointCoordinate& c = model.joints[j].coordinates[i];
      if (c.actuator.kind != Actuator::Kind::Motion || !c.limit.bounded() || c.limit.softness.soft())
        continue;
      const auto index = static_cast<std::size_t>(model.coordinateStart[j]) + i;
      const double q = simulator.state().coordinates[index];
      const CoordinateRows& rows = simulator.coordinateRows()[index];
      const auto pressed = [&](int row) {
        return row >= 0 && !impulses.empty() &&
               std::abs(impulses[static_cast<std::size_t>(row)]) > kLeastImpulse;
      };
      for (const bool upper : {false, true})
        if (pressed(upper ? rows.upper : rows.lower) ||
            (upper ? q - c.limit.upper : c.limit.lower - q) > kPastStop)
          all.push_back({BlowKind::Limit, static_cast<int>(j), static_cast<int>(i), upper});
    }
  return all;
}

Mechanisms::Mechanisms(const Model& model) : model_(&model), root_(model.bodies.size()) {
  std::iota(root_.begin(), root_.end(), 0);
  const auto unite = [&](int a, int b) {
    if (a < 0 || b < 0) return;
    const int from = root_[static_cast<std::size_t>(a)], to = root_[static_cast<std::size_t>(b)];
    if (from != to) std::replace(root_.begin(), root_.end(), from, to);
  };
  const auto followerOf = [&](int joint) { return model.joints[static_cast<std::size_t>(joint)].follower; };
  for (const Joint& joint : model.joints) unite(joint.base, joint.follower);
  for (const Coupling& c : model.couplings) {
    unite(followerOf(c.jointA), followerOf(c.jointB));
    for (const CoordinateTerm& t : c.more) unite(followerOf(c.jointA), followerOf(t.joint));
  }
}

std::vector<char> Mechanisms::jointsOf(const std::vector<BlowPlace>& places,
                                       const StopImpulses& touching) const {
  std::vector<char> joints(model_->joints.size(), 0);
  if (places.empty()) return joints;
  std::vector<char> struck(root_.size(), 0);  // by root
  const auto rootOf = [&](int body) {
    return static_cast<std::size_t>(root_[static_cast<std::size_t>(body)]);
  };
  const auto strike = [&](int body) {
    if (body >= 0) struck[rootOf(body)] = 1;
  };
  for (const BlowPlace& place : places) {
    if (place.kind == BlowKind::Contact) {
      strike(place.a);
      strike(place.b);
    } else {
      strike(model_->joints[static_cast<std::size_t>(place.a)].follower);
    }
  }
  // What touches something that is struck is struck, too.
  for (bool more = true; more;) {
    more = false;
    for (const auto& [place, impulse] : touching) {
      if (place.kind != BlowKind::Contact || place.a < 0 || place.b < 0) continue;
      if (struck[rootOf(place.a)] == struck[rootOf(place.b)]) continue;
      strike(place.a);
      strike(place.b);
      more = true;
    }
  }
  for (std::size_t j = 0; j < joints.size(); ++j) joints[j] = struck[rootOf(model_->joints[j].follower)];
  return joints;
}

}  // namespace grashof
