#include "engine/dynamics/smooth/limit_events.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/dynamics/kinematics/force_length.h"

namespace grashof {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kTouch = 1e-8;    // m, rad: nearer is at the limit
constexpr double kPassed = 1e-12;  // m, rad: beyond the limit, no rounding
constexpr double kStill = 1e-9;    // m/s, rad/s: slower is at rest
constexpr double kForce = 1e-9;    // of the weight of all bodies: less is no force
constexpr double kFits = 1e-6;     // m/s, rad/s: rates of rows after a blow
constexpr int kMostRoots = 60;     // evaluations of a search
constexpr double kRootTime = 1e-14;
constexpr double kLeastShare = 1e-3;  // of a step: what leaves a limit is seen to be off it by then

/// Whether a force acts, or will at once.
bool isInside(double gap, double rate) { return gap < -kTouch || (gap <= kTouch && rate < 0.0); }

/// Root of `f` between two times (s) where it is `first` > 0 and `last` < 0, by false position and halving in
/// turn: a motion may leave the limit and come back in the same step. `small`: so far beyond is close enough.
template <class Function>
double rootOf(double start, double first, double stop, double last, double small, const Function& f) {
  double from = start, to = stop;
  for (int i = 0; i < kMostRoots && last < -small && to - from > kRootTime * (1.0 + std::abs(to)); ++i) {
    double time = from + (to - from) * first / (first - last);
    if (i % 2 != 0 || !(time > from && time < to)) time = 0.5 * (from + to);
    const double value = f(time);
    if (value > 0.0) {
      from = time;
      first = value;
    } else {
      to = time;
      last = value;
    }
  }
  return to;
}

/// Where the parabola through values at the start, the middle and the end of a step is least and below 0, as
/// a share; 0: nowhere.
double shareOfLeast(double start, double middle, double end) {
  const double a = 2.0 * (start - 2.0 * middle + end), b = -3.0 * start + 4.0 * middle - end;
  if (!(a > 0.0)) return 0.0;
  const double s = -0.5 * b / a;
  return s > 0.0 && s < 1.0 && start + 0.5 * b * s < 0.0 ? s : 0.0;
}

/// Where in a step of length h the cubic through values and rates at its ends has a dip that may reach 0, as
/// a share; 0: nowhere.
double shareOfDip(double h, double value0, double rate0, double value1, double rate1) {
  // Derivative a s² + b s + c by the share s.
  const double rise = value1 - value0, c = h * rate0, end = h * rate1;
  const double a = 3.0 * (c + end - 2.0 * rise), b = 2.0 * (3.0 * rise - 2.0 * c - end);
  const double root = b * b - 4.0 * a * c;
  if (!(root >= 0.0)) return 0.0;
  // The zero where the derivative rises, without cancellation.
  const double q = std::sqrt(root);
  const double s = b >= 0.0 ? -2.0 * c / (b + q) : (q - b) / (2.0 * a);
  if (!(s > 0.0 && s < 1.0)) return 0.0;
  const double least = value0 + s * (c + s * (0.5 * b + s * a / 3.0));
  return least < std::min(value0, value1) - least ? s : 0.0;
}

/// What counts as no force.
double noForceOf(const Model& model) {
  double mass = 0.0;
  for (const Body& body : model.bodies) mass += body.mass;
  return kForce * mass * std::max(1.0, model.gravity.norm());
}

template <class Values>
std::size_t indexOfLeast(const Values& values) {
  return static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

LimitEvents::LimitEvents(SmoothSystem& system)
    : system_(system),
      joints_(system.model()),
      noForce_(noForceOf(system.model())),
      twists_(system.twists.size()),
      values_(system.values()),
      rates_(system.values()) {
  const Model& model = system.model();
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const JointCoordinate& c = model.joints[j].coordinates[i];
      const bool elastic = elasticStop(c);
      if (!handles(c) && !elastic) continue;
      const int joint = static_cast<int>(j), coordinate = static_cast<int>(i);
      if (std::isfinite(c.limit.lower)) watched_.push_back({{{joint, coordinate, false}}, elastic});
      if (std::isfinite(c.limit.upper)) watched_.push_back({{{joint, coordinate, true}}, elastic});
    }
  watchForces();
  before_ = watched_;
  for (std::vector<LimitSide>* sides : {&near_, &resting_, &held_}) sides->reserve(watched_.size());
  for (std::vector<Onset>* onsets : {&acting_, &next_}) onsets->reserve(watched_.size());
  force_.reserve(watched_.size());
}

void LimitEvents::watchForces() {
  const Model& model = system_.model();
  std::size_t terms = 0;
  for (std::size_t k = 0; k < model.forces.size(); ++k) {
    if (model.forces[k].law.side == ForceSide::Both) continue;
    watched_.push_back({{{}, static_cast<int>(k)}, true});
    if (model.forces[k].law.damping > 0.0) watched_.push_back({{{}, static_cast<int>(k), true}, true});
    terms = std::max(terms, maxRowTerms(model.forces[k]));
    if (model.forces[k].onJoint() || model.forces[k].onSum()) geometry_.resize(model.joints.size());
  }
  row_.reserve(terms);
}

/// At the poses of joints_ and the twists of the system.
LimitEvents::Gap LimitEvents::gapOf(const Onset& onset, double time) {
  const Model& model = system_.model();
  const std::span<const double> reference = system_.at(time).reference;
  if (onset.element < 0) {
    JointRow row;
    const double gap = limitGap(joints_, onset.limit, reference, &row);
    return {gap, onset.limit.sign() * coordinateRate(model.joints[onset.limit.joint], row, system_.twists)};
  }
  const ForceElement& element = model.forces[onset.element];
  const auto findCoordinates = [&](int joint) {
    const auto j = static_cast<std::size_t>(joint);
    joints_.coordinates(j, joints_.placement(j).frames(), reference, geometry_[j].coordinate,
                        geometry_[j].coordinateRow);
  };
  if (element.onJoint()) findCoordinates(element.joint);
  for (const CoordinateTerm& t : element.terms) findCoordinates(t.joint);
  const ForceLine line = forceLine(element, system_.poses, geometry_);
  forceRateRow(model, element, line, system_.poses, geometry_, row_);
  double rate = rowRate(row_, system_.twists);
  if (element.lengthSignal >= 0) rate -= model.signals[element.lengthSignal].rate(time);
  const ForceLaw& law = element.law;
  rate *= law.sign();
  const double beyond = law.beyond(line.length - commandedLength(model, element, time));
  // On the way back it acts until its damper holds it.
  const double held = onset.slack ? 0.0 : std::max(0.0, law.damping / law.stiffness * rate);
  return {held - beyond, rate};
}

double LimitEvents::rateOf(const LimitSide& side, std::span<const Vec6> twists) const {
  JointRow row;
  limitGap(joints_, side, system_.at(0.0).reference, &row);
  return side.sign() * coordinateRate(system_.model().joints[side.joint], row, twists);
}

/// All limits and onsets at poses and twists of the system.
void LimitEvents::look(double time) {
  joints_.setPoses(system_.poses);
  for (Watched& w : watched_) {
    const Gap gap = gapOf(w.onset, time);
    w.gap = gap.value;
    w.rate = gap.rate;
    w.held = !w.force && std::find(held_.begin(), held_.end(), w.onset.limit) != held_.end();
  }
}

bool LimitEvents::acts(const Onset& onset) const {
  return std::find(acting_.begin(), acting_.end(), onset) != acting_.end();
}

void LimitEvents::setHeld(std::span<const LimitSide> sides) {
  held_.assign(sides.begin(), sides.end());
  system_.motion().hold(held_);
}

/// Which forces act from here on.
void LimitEvents::setActing() {
  next_.clear();
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const Watched& w = watched_[i];
    if (!w.force) continue;
    // The rate of a length does not tell whether a damped force begins or ends.
    const bool turns = i == turning_ && std::abs(w.gap) <= kTouch && w.onset.element >= 0 && !w.onset.slack &&
                       system_.model().forces[w.onset.element].law.damping > 0.0;
    if (turns ? !acts(w.onset) : isInside(w.gap, w.rate)) next_.push_back(w.onset);
  }
  std::swap(acting_, next_);
  turning_ = kNothing;
  system_.motion().act(acting_);
}

/// Limits that are touched. False where one was passed.
bool LimitEvents::findNear() {
  near_.clear();
  for (const Watched& w : watched_) {
    if (w.force) continue;
    if (w.gap < -kTouch) return false;
    if (w.gap <= kTouch) near_.push_back(w.onset.limit);
  }
  return true;
}

bool LimitEvents::meet(double time, SmoothValues& y, SmoothValues& rate) {
  system_.unpack(y);
  held_.clear();
  look(time);
  setActing();
  if (!findNear()) return false;
  if (near_.empty()) {
    setHeld({});
    if (!system_.evaluate(time, y, rate)) return false;
    // Dampers see rates that have jumped.
    if (system_.takeRates(y)) {
      look(time);
      setActing();
      if (!system_.evaluate(time, y, rate)) return false;
    }
  } else {
    const std::size_t blows = blows_.size();
    if (!stop(time, y)) return false;
    if (blows_.size() > blows) {
      look(time);
      setActing();
    }
    if (!hold(time, y, rate)) return false;
  }
  look(time);
  force_.assign(system_.motion().heldForces().begin(), system_.motion().heldForces().end());
  return true;
}

/// Twists after the least impulses with which no limit closes any more: principal pivots on the limits that
/// act.
bool LimitEvents::stop(double time, SmoothValues& y) {
  ConstrainedMotion& motion = system_.motion();
  resting_.clear();  // those that act
  for (const LimitSide& side : near_)
    if (rateOf(side, system_.twists) < -kStill) resting_.push_back(side);
  for (std::size_t round = 0; round <= 2 * near_.size(); ++round) {
    setHeld(resting_);
    if (!motion.place(system_.at(time))) return false;
    std::copy(system_.twists.begin(), system_.twists.end(), twists_.begin());
    motion.projectTwists(twists_);
    const std::span<const double> impulses = motion.heldImpulses();
    if (const std::size_t k = indexOfLeast(impulses); k < impulses.size() && impulses[k] < 0.0) {
      resting_.erase(resting_.begin() + static_cast<std::ptrdiff_t>(k));
      continue;
    }
    const auto closes = std::find_if(near_.begin(), near_.end(), [&](const LimitSide& side) {
      return std::find(held_.begin(), held_.end(), side) == held_.end() && rateOf(side, twists_) < -kStill;
    });
    if (closes != near_.end()) {
      resting_.push_back(*closes);
      continue;
    }
    for (std::size_t i = 0; i < held_.size(); ++i) blows_.push_back({held_[i], impulses[i]});
    system_.takeRates(y);
    // Where rows contradict each other, no impulse is enough.
    return motion.projectTwists(twists_).largest < kFits;
  }
  return false;
}

/// Which of the limits at rest hold: none pulls, and none is passed without. The values move onto them.
bool LimitEvents::hold(double time, SmoothValues& y, SmoothValues& rate) {
  ConstrainedMotion& motion = system_.motion();
  resting_.clear();
  for (const LimitSide& side : near_)
    if (side != leaving_ && std::abs(rateOf(side, system_.twists)) <= kFits) resting_.push_back(side);
  leaving_ = {};
  near_ = resting_;
  for (std::size_t round = 0; round <= 2 * near_.size() + 1; ++round) {
    setHeld(resting_);
    if (!held_.empty()) {
      if (!motion.place(system_.at(time))) return false;
      system_.settle(motion, time);
      motion.projectTwists(system_.twists);
      system_.pack(y);
    }
    if (!system_.evaluate(time, y, rate)) return false;
    const std::span<const double> forces = motion.heldForces();
    if (const std::size_t k = indexOfLeast(forces); k < forces.size() && forces[k] < -noForce_) {
      resting_.erase(resting_.begin() + static_cast<std::ptrdiff_t>(k));
      continue;
    }
    const auto closes = std::find_if(near_.begin(), near_.end(), [&](const LimitSide& side) {
      return std::find(held_.begin(), held_.end(), side) == held_.end() &&
             motion.gapAcceleration(side) < -kStill;
    });
    if (closes == near_.end()) return true;
    resting_.push_back(*closes);
  }
  return false;
}

double LimitEvents::gapAt(SmoothMethod& method, const Onset& onset, double time) {
  method.interpolate(time, values_);
  system_.unpack(values_);
  system_.settle(method.motion(), time);
  joints_.setPoses(system_.poses);
  return gapOf(onset, time).value;
}

/// Forces of the held limits within the last step.
std::span<const double> LimitEvents::forcesAt(SmoothMethod& method, double time) {
  method.interpolate(time, values_);
  system_.unpack(values_);
  system_.settle(method.motion(), time);
  system_.pack(values_);
  if (!system_.evaluate(time, values_, rates_)) return heldForce_;
  return system_.motion().heldForces();
}

double LimitEvents::next(SmoothMethod& method, double start) {
  if (watched_.empty()) return kNever;
  std::swap(before_, watched_);
  for (std::size_t i = 0; i < before_.size(); ++i) {
    watched_[i].onset = before_[i].onset;
    watched_[i].force = before_[i].force;
  }
  look(method.end());
  const std::span<const double> forces = method.motion().heldForces();
  heldForce_.assign(forces.begin(), forces.end());
  double first = kNever;
  leaving_ = {};
  turning_ = kNothing;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (watched_[i].held) continue;
    const double time = crossing(method, before_[i], watched_[i], start, std::min(first, method.end()));
    if (time < first) first = time, turning_ = i;
  }
  if (!heldForce_.empty()) {
    const std::span<const double> middle = forcesAt(method, 0.5 * (start + method.end()));
    middle_.assign(middle.begin(), middle.end());
  }
  for (std::size_t k = 0; k < heldForce_.size(); ++k) {
    const double time = release(method, k, start, std::min(first, method.end()), middle_[k]);
    if (time < first) first = time, leaving_ = held_[k], turning_ = kNothing;
  }
  force_ = heldForce_;
  return first;
}

/// When a limit is passed between `start` and `stop`; of one that is a force, when it is met or left.
double LimitEvents::crossing(SmoothMethod& method, const Watched& before, const Watched& after, double start,
                             double stop) {
  if (!before.force) return closing(method, before, after, 1.0, start, stop);
  if (method.overKinks()) return kNever;
  const double time = closing(method, before, after, acts(before.onset) ? -1.0 : 1.0, start, stop);
  // What turns at once on the limit is decided a little later.
  return std::max(time, start + kLeastShare * (std::min(method.end(), stop) - start));
}

/// When `sense` times the gap of a limit becomes negative between `start` and `stop`.
double LimitEvents::closing(SmoothMethod& method, const Watched& before, const Watched& after, double sense,
                            double start, double stop) {
  double end = method.end(), last = sense * after.gap;
  const auto gap = [&](double time) { return sense * gapAt(method, after.onset, time); };
  if (last >= -kPassed) {
    const double share =
        shareOfDip(end - start, sense * before.gap, sense * before.rate, last, sense * after.rate);
    // The cubic is that of the motion up to the fourth power of the step: nearer ones are looked at.
    if (!(share > 0.0)) return kNever;
    end = start + share * (end - start);
    last = gap(end);
    if (last >= -kPassed) return kNever;
  }
  if (stop < end) {
    end = stop;
    last = gap(end);
    if (last >= -kPassed) return kNever;
  }
  double from = start, first = sense * before.gap;
  // What touches at the start may leave before it comes back.
  for (double share = 0.5; first <= kPassed && share > kLeastShare; share *= 0.5) {
    from = start + share * (end - start);
    first = gap(from);
  }
  return first > kPassed ? rootOf(from, first, end, last, kPassed, gap) : start;
}

/// When a limit that holds begins to pull; `middle`: its force at the middle of the step.
double LimitEvents::release(SmoothMethod& method, std::size_t index, double start, double stop,
                            double middle) {
  const auto forceAt = [&](double time) { return forcesAt(method, time)[index] + noForce_; };
  const double first = force_[index] + noForce_;
  double end = method.end(), last = heldForce_[index] + noForce_;
  if (last >= 0.0) {
    const double share = shareOfLeast(first, middle + noForce_, last);
    if (!(share > 0.0)) return kNever;
    end = start + share * (end - start);
    last = forceAt(end);
  }
  if (stop < end) {
    end = stop;
    last = forceAt(end);
  }
  if (last >= 0.0) return kNever;
  return first > 0.0 ? rootOf(start, first, end, last, 0.1 * noForce_, forceAt) : start;
}

}  // namespace grashof
