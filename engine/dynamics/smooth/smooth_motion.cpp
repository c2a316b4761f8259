#include "engine/dynamics/smooth/smooth_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grashof {
namespace {

constexpr double kMostAhead = 1e6;   // steps of the model
constexpr double kLocalAhead = 2.0;  // where forces act on a part of the way only
constexpr double kRounding = 1e-12;  // of the time
constexpr int kMostEvents = 64;      // in a step of the model
constexpr double kNoEvent = std::numeric_limits<double>::infinity();
constexpr int kCalm = 8;  // steps of the model: inputs that stay so long may stay longer

/// Whether some forces act on a part of the way only: long steps of a free motion would pass by them.
bool hasLocalForces(const Model& model) {
  return std::any_of(model.forces.begin(), model.forces.end(), [](const ForceElement& f) {
    return f.law.side != ForceSide::Both || !f.law.overLength.empty();
  });
}

/// Where a signal is beyond a kink at `time` (s), and beyond its last sample.
double justAfter(double time) { return time + 4.0 * kRounding * (1.0 + std::abs(time)); }

/// Whether lengths, which are exact to the tolerance of the projection, tell nothing of a force that counts.
bool lostInRounding(const Model& model) {
  constexpr double kShare = 1e-4;
  double mass = 0.0, stiffness = 0.0;
  for (const Body& body : model.bodies) mass += body.mass;
  for (const ForceElement& e : model.forces)
    if (!e.onJoint()) stiffness = std::max(stiffness, e.law.stiffness);
  for (const Bushing& b : model.bushings)
    stiffness = std::max(stiffness, b.stiffness.topLeftCorner<3, 3>().diagonal().maxCoeff());
  for (const Joint& joint : model.joints)
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i)
      if (elasticStop(joint.coordinates[i]) && !isRotation(joint.type->freeDirections()[i]))
        stiffness = std::max(stiffness, 1.0 / joint.coordinates[i].limit.softness.compliance);
  return stiffness * model.step.projectionTolerance > kShare * mass * std::max(1.0, model.gravity.norm());
}

}  // namespace

SmoothMotion::SmoothMotion(const Model& model)
    : model_(model),
      system_(model),
      events_(system_),
      event_(kNoEvent),
      explicit_(system_),
      method_(&explicit_),
      held_(neutralInputs(model)),
      mostAhead_(hasLocalForces(model) ? kLocalAhead : kMostAhead),
      values_(system_.values()),
      rates_(system_.values()),
      last_(system_.values() - system_.flows()),
      meanEffort_(system_.motors()) {
  forget();
}

bool SmoothMotion::serves(const Model& model) {
  const bool flies =
      model.joints.empty() && model.forces.empty() && model.bushings.empty() && model.wrenches.empty();
  // Who names a solver wants to see it at work.
  const bool named = model.solver.name != SolverOptions{}.name || model.step.geometricStiffness;
  return !flies && !named && !lostInRounding(model) && roughPart(model).empty();
}

void SmoothMotion::forget() {
  running_ = known_ = false;
  event_ = kNoEvent;
  ahead_ = 0.5;
  calm_ = kCalm;
  explicit_.reset();
}

void SmoothMotion::setStiff(bool stiff) {
  forget();
  if (stiff && !implicit_) implicit_ = std::make_unique<BackwardDifferences>(system_);
  method_ = stiff ? static_cast<SmoothMethod*>(implicit_.get()) : &explicit_;
}

SmoothMotion::Outcome SmoothMotion::advance(State& state, std::span<const Control> controls,
                                            const Inputs& inputs) {
  const double dt = model_.step.timestep;
  const double now = static_cast<double>(state.step) * dt, end = static_cast<double>(state.step + 1) * dt;
  controls_ = controls;
  system_.setInputs(controls, inputs);
  system_.evaluations = met_ = 0;
  events_.forgetBlows();
  system_.forgetBlow();
  // Who commands something new every step need not be foreseen beyond it.
  if (!known_ || !sameInputs(inputs, held_)) {
    if (known_) calm_ = 0;
    held_ = inputs;
    known_ = true;
    running_ = false;
    ahead_ = 0.5;
  }
  calm_ = std::min(calm_ + 1, kCalm);
  if (stiff() && calm_ < kCalm) return Outcome::NotNow;
  ahead_ = std::min(2.0 * ahead_, mostAhead_);
  if (!running_) {
    system_.take(state, values_);
    events_.forget();
    std::fill(last_.begin(), last_.end(), 0.0);
    if (!begin(now, justAfter(now))) return Outcome::Failed;
    running_ = true;
  }
  while (reach() < end - kRounding * (1.0 + end))
    if (!(event_ < kNoEvent ? takeEvent() : step(now + ahead_ * dt))) return Outcome::Failed;
  return output(end, state) ? Outcome::Made : Outcome::Failed;
}

/// Goes on at `time` (s) from values_, with the rates that motions have at `instant` (s) and with the limits
/// that hold from there on.
bool SmoothMotion::begin(double time, double instant) {
  if (!events_.meet(instant, values_, rates_)) return false;
  applyEvents();
  method_->begin(time, values_, rates_);
  atBreak_ = false;
  event_ = kNoEvent;
  return true;
}

/// The limits that hold and the forces that act, for the steps to come.
void SmoothMotion::applyEvents() {
  method_->motion().hold(events_.held());
  for (ConstrainedMotion* motion : {&method_->motion(), &system_.motion()}) {
    if (method_->overKinks())
      motion->actBeyondOnsets();
    else
      motion->act(events_.acting());
  }
}

/// Goes on behind the event.
bool SmoothMotion::takeEvent() {
  if (++met_ > kMostEvents) return false;
  const double time = event_;
  method_->interpolate(time, values_);
  system_.unpack(values_);
  system_.settle(method_->motion(), time);
  system_.pack(values_);
  return begin(time, justAfter(time));
}

/// The next time (s) at which an input has a kink; infinite: none. Kinks of curves are left to the error
/// control where a method loses more by starting again.
double SmoothMotion::nextBreak(double time) const {
  double next = std::numeric_limits<double>::infinity();
  for (const Signal& signal : model_.signals) {
    const double at = signal.nextKink(time * (1.0 + kRounding) + kRounding);
    const bool curve = signal.kind == Signal::Kind::Series && signal.interpolation != Interpolation::Linear;
    if (curve && method_->overKinks()) continue;
    next = std::min(next, at);
  }
  return next;
}

/// One step of the method that ends at most at `horizon` (s). False where it would be tiny.
bool SmoothMotion::step(double horizon) {
  if (!stiff() && explicit_.stiff()) changeMethod();
  const double start = method_->end();
  if (atBreak_) {
    values_ = method_->values();
    if (!begin(start, justAfter(start))) return false;
  }
  const double stop = nextBreak(start);
  const double farthest = std::min(stop, std::max(horizon, start + model_.step.timestep));
  if (!method_->step(farthest, std::nextafter(stop, start))) return false;
  atBreak_ = method_->end() >= stop;
  event_ = events_.next(*method_, start);
  return true;
}

/// From where the motion is stiff on.
void SmoothMotion::changeMethod() {
  const double time = method_->end();
  values_ = method_->values();
  const bool wasBreak = atBreak_;
  implicit_ = std::make_unique<BackwardDifferences>(system_);
  method_ = implicit_.get();
  applyEvents();
  system_.evaluate(time, values_, rates_);
  method_->begin(time, values_, rates_);
  atBreak_ = wasBreak;
}

/// The motion at `time`, within the last step, on the joints.
bool SmoothMotion::output(double time, State& state) {
  if (time >= method_->end() - kRounding * (1.0 + time)) {
    values_ = method_->values();
    // A prescribed rate may jump here; what follows it is met by the next step.
    if (atBreak_) {
      if (!begin(method_->end(), method_->end())) return false;
      atBreak_ = true;
    }
    system_.unpack(values_);
  } else {
    method_->interpolate(time, values_);
    system_.unpack(values_);
    system_.settle(method_->motion(), time);
  }
  std::copy(system_.poses.begin(), system_.poses.end(), state.poses.begin());
  std::copy(system_.twists.begin(), system_.twists.end(), state.twists.begin());
  book(values_);
  return true;
}

/// What the quadratures have gained.
void SmoothMotion::book(const SmoothValues& y) {
  const double* now = &y[system_.flows()];
  work_ = {};
  work_.actuators = now[0] - last_[0];
  work_.external = now[1] - last_[1];
  work_.dissipated = now[2] - last_[2];
  for (std::size_t k = 0; k < meanEffort_.size(); ++k)
    meanEffort_[k] = (now[kFlows + k] - last_[kFlows + k]) / model_.step.timestep;
  if (!system_.blow().empty())
    for (std::size_t k = 0; k < meanEffort_.size(); ++k)
      meanEffort_[k] += system_.motorBlow(k) / model_.step.timestep;
  std::copy(now, now + last_.size(), last_.begin());
}

void SmoothMotion::writeRecord(const State& state, StepRecord& record) {
  if (!probe_) probe_ = std::make_unique<ConstrainedMotion>(model_);
  const double time = static_cast<double>(state.step) * model_.step.timestep;
  const Instant instant{time, state.poses, state.twists, state.coordinates, controls_, held_};
  probe_->hold(events_.held());
  if (probe_->evaluate(instant)) probe_->writeRecord(instant, record, {system_.blow(), events_.blows()});
}

}  // namespace grashof
