#include "engine/dynamics/smooth_motion.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/dynamics/motor_ledger.h"
#include "engine/model/mechanism_size.h"

namespace grashof {
namespace {

// Values of a body: position, quaternion (x, y, z, w), twist.
constexpr std::size_t kBody = 13;
constexpr std::size_t kFlows = 3;  // work of actuators, of external wrenches, of dampers

// The pair of [Tsitouras 2011, table 1]; the last stage is the first of the next step.
constexpr std::array<double, 7> kNode = {0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0};
constexpr std::array<std::array<double, 6>, 7> kWeight = {{
    {},
    {0.161},
    {-0.008480655492356989, 0.335480655492357},
    {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
    {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
    {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383},
    {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774},
}};
constexpr std::array<double, 7> kErrorWeight = {-0.00178001105222577714,
                                                -0.0008164344596567469,
                                                0.007880878010261995,
                                                -0.1447110071732629,
                                                0.5823571654525552,
                                                -0.45808210592918697,
                                                1.0 / 66.0};

// Control of the step [Hairer 1993, section II.4].
constexpr double kSafety = 0.9, kLeastFactor = 0.2, kMostFactor = 5.0, kOrder = 5.0;
constexpr double kSpeedScale = 10.0;       // 1/s: errors of rates count as those of positions times this
constexpr double kTinyStep = 1e-3;         // of the model's step: no accuracy is to be had here
constexpr double kMostAhead = 1e6;         // steps of the model
constexpr double kStageTolerance = 1e-10;  // m, rad: of stages that are taken onto redundant joints
constexpr double kRounding = 1e-12;        // of the time
constexpr double kSettledRate = 1e-10;     // m/s, rad/s: of rows, no jump

Vec6 twistOf(const double* y) { return Vec6::Map(y + 7); }

/// Where a signal is beyond a kink at `time` (s), and beyond its last sample.
double justAfter(double time) { return time + 4.0 * kRounding * (1.0 + std::abs(time)); }

/// q̇ = ½ (ω, 0) q.
void quaternionRate(const double* q, const Vec3& spin, double* rate) {
  const Vec3 v = Vec3::Map(q);
  Vec3::Map(rate) = 0.5 * (q[3] * spin + spin.cross(v));
  rate[3] = -0.5 * spin.dot(v);
}

/// The polynomial of degree 5 with these values, first and second derivatives by the share of the step at its
/// ends, and its derivative.
struct Quintic {
  explicit Quintic(double s) {
    const double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
    value = {1 - 10 * s3 + 15 * s4 - 6 * s5,
             s - 6 * s3 + 8 * s4 - 3 * s5,
             0.5 * s2 - 1.5 * s3 + 1.5 * s4 - 0.5 * s5,
             10 * s3 - 15 * s4 + 6 * s5,
             -4 * s3 + 7 * s4 - 3 * s5,
             0.5 * s3 - s4 + 0.5 * s5};
    slope = {-30 * s2 + 60 * s3 - 30 * s4, 1 - 18 * s2 + 32 * s3 - 15 * s4, s - 4.5 * s2 + 6 * s3 - 2.5 * s4,
             30 * s2 - 60 * s3 + 30 * s4,  -12 * s2 + 28 * s3 - 15 * s4,    1.5 * s2 - 4 * s3 + 2.5 * s4};
  }
  std::array<double, 6> value{}, slope{};
};

/// Second derivatives of position and quaternion.
void secondRates(const double* y, const double* rate, double* second) {
  const Vec3 spin = Vec3::Map(y + 10), turn = Vec3::Map(rate + 10), v = Vec3::Map(y + 3),
             change = Vec3::Map(rate + 3);
  Vec3::Map(second) = Vec3::Map(rate + 7);
  Vec3::Map(second + 3) = 0.5 * (y[6] * turn + turn.cross(v) + rate[6] * spin + spin.cross(change));
  second[6] = -0.5 * (turn.dot(v) + spin.dot(change));
}

}  // namespace

SmoothMotion::SmoothMotion(const Model& model)
    : model_(model),
      motion_(model),
      motors_(motorsOf(model)),
      size_(mechanismSize(model)),
      reference_(static_cast<std::size_t>(model.coordinates())),
      held_(neutralInputs(model)),
      poses_(model.bodies.size()),
      twists_(model.bodies.size()),
      meanEffort_(motors_.size()) {
  const std::size_t values = kBody * model.bodies.size() + kFlows + motors_.size();
  for (Values* y : {&before_, &after_, &rateBefore_, &rateAfter_, &trial_, &error_}) y->resize(values);
  for (Values& y : stage_) y.resize(values);
  last_.resize(kFlows + motors_.size());
  forget();
}

bool SmoothMotion::serves(const Model& model) {
  const bool flies =
      model.joints.empty() && model.forces.empty() && model.bushings.empty() && model.wrenches.empty();
  return !flies && roughPart(model).empty();
}

void SmoothMotion::forget() {
  running_ = false;
  ahead_ = 0.5;
  next_ = 0.0;
}

bool SmoothMotion::advance(State& state, std::span<const Control> controls, const Inputs& inputs) {
  const double dt = model_.step.timestep;
  const double now = static_cast<double>(state.step) * dt, end = static_cast<double>(state.step + 1) * dt;
  controls_ = controls;
  evaluations_ = 0;
  inputs_ = &inputs;
  // Who commands something new every step need not be foreseen beyond it.
  if (running_ && inputsChanged(inputs)) {
    running_ = false;
    ahead_ = 0.5;
  }
  ahead_ = std::min(2.0 * ahead_, kMostAhead);
  if (!running_) {
    held_ = inputs;
    start_ = end_ = now;
    begin(state);
    if (!evaluate(justAfter(now), after_, rateAfter_)) return false;
    takeRates(justAfter(now));
  }
  while (end_ < end - kRounding * (1.0 + end))
    if (!step(now + ahead_ * dt)) return false;
  output(end, state);
  return true;
}

/// The values at `state`, at which a stretch of motion begins.
void SmoothMotion::begin(const State& state) {
  std::copy(state.poses.begin(), state.poses.end(), poses_.begin());
  std::copy(state.twists.begin(), state.twists.end(), twists_.begin());
  pack(after_);
  std::fill(after_.end() - static_cast<std::ptrdiff_t>(last_.size()), after_.end(), 0.0);
  std::fill(last_.begin(), last_.end(), 0.0);
  std::copy(state.coordinates.begin(), state.coordinates.end(), reference_.begin());
  lastError_ = 1e-2;
  running_ = true;
  atBreak_ = false;
}

bool SmoothMotion::inputsChanged(const Inputs& inputs) const {
  const auto differ = [](const void* a, const void* b, std::size_t bytes) {
    return bytes > 0 && std::memcmp(a, b, bytes) != 0;  // NaN equals itself here
  };
  return differ(inputs.control.data(), held_.control.data(), inputs.control.size() * sizeof(double)) ||
         differ(inputs.wrench.data(), held_.wrench.data(), inputs.wrench.size() * sizeof(Vec6)) ||
         differ(inputs.force.data(), held_.force.data(), inputs.force.size() * sizeof(double));
}

Instant SmoothMotion::at(double time) const {
  return {time, poses_, twists_, reference_, controls_, *inputs_};
}

void SmoothMotion::unpack(const Values& y) {
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const double* v = &y[kBody * b];
    poses_[b].position = Vec3::Map(v);
    poses_[b].rotation.coeffs() = Eigen::Vector4d::Map(v + 3).normalized();
    twists_[b] = twistOf(v);
  }
}

/// The rates of all values. `onJoints`: at the state that is nearest on the joints, for a stage leaves them
/// by the square of the step: rows that are redundant there alone would hold it fast.
bool SmoothMotion::evaluate(double time, Values& y, Values& rate, bool onJoints) {
  unpack(y);
  ++evaluations_;
  if (onJoints) motion_.projectPoses(at(time), poses_, kStageTolerance, ConstrainedMotion::Factor::Kept);
  if (!motion_.place(at(time))) return false;
  if (onJoints) {
    motion_.projectTwists(twists_);
    pack(y);
  }
  if (!motion_.accelerate(at(time))) return false;
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    double* r = &rate[kBody * b];
    Vec3::Map(r) = twists_[b].head<3>();
    quaternionRate(poses_[b].rotation.coeffs().data(), twists_[b].tail<3>(), r + 3);
    Vec6::Map(r + 7) = motion_.accelerations()[b];
  }
  writeFlow(rate);
  return true;
}

void SmoothMotion::pack(Values& y) const {
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    double* v = &y[kBody * b];
    Vec3::Map(v) = poses_[b].position;
    Eigen::Vector4d::Map(v + 3) = poses_[b].rotation.coeffs();
    Vec6::Map(v + 7) = twists_[b];
  }
}

void SmoothMotion::writeFlow(Values& rate) const {
  double* flow = &rate[kBody * poses_.size()];
  flow[0] = motion_.power().actuators;
  flow[1] = motion_.power().external;
  flow[2] = motion_.power().dissipated;
  for (std::size_t k = 0; k < motors_.size(); ++k)
    flow[kFlows + k] = motion_.driveEffort(model_.coordinateStart[motors_[k].joint] + motors_[k].coordinate);
}

/// The next time at which an input has a kink; infinite: none. Series that are sampled more finely than the
/// model's step are left to the error control.
double SmoothMotion::nextBreak(double time) const {
  double next = std::numeric_limits<double>::infinity();
  for (const Signal& signal : model_.signals) {
    const double at = signal.nextKink(time * (1.0 + kRounding) + kRounding);
    const bool fine = at - time < model_.step.timestep;
    if (!fine || signal.interpolation == Interpolation::Linear) next = std::min(next, at);
  }
  return next;
}

/// One step of its own that ends at most at `horizon` (s). False where it would be tiny.
bool SmoothMotion::step(double horizon) {
  const double dt = model_.step.timestep;
  if (atBreak_ && evaluate(justAfter(end_), after_, rateAfter_)) takeRates(justAfter(end_));
  atBreak_ = false;
  start_ = end_;
  std::swap(before_, after_);
  std::swap(rateBefore_, rateAfter_);
  const double stop = nextBreak(start_);
  const double farthest = std::min(stop, std::max(horizon, start_ + dt)), room = farthest - start_;
  if (!(next_ > 0.0)) next_ = dt;
  redundant_ = motion_.redundant();
  motion_.keepFactor();
  for (;;) {
    // Two equal steps rather than a long and a tiny one.
    double h = next_ < room ? (next_ > 0.5 * room ? 0.5 * room : next_) : room;
    const bool whole = h >= room;
    const bool made = tryStep(h, std::nextafter(stop, start_));
    const double e = made ? error(before_, trial_) : std::numeric_limits<double>::infinity();
    if (e <= 1.0 && land(whole ? farthest : start_ + h, trial_)) {
      const double factor = kSafety * std::pow(e + 1e-30, -0.7 / kOrder) * std::pow(lastError_, 0.4 / kOrder);
      const double proposed = h * std::clamp(factor, kLeastFactor, kMostFactor);
      next_ = whole ? std::max(next_, proposed) : proposed;
      lastError_ = std::max(e, 1e-4);
      end_ = whole ? farthest : start_ + h;
      std::swap(after_, trial_);
      std::swap(rateAfter_, stage_.back());
      atBreak_ = whole && stop <= farthest;
      return true;
    }
    const double factor = std::isfinite(e) && e > 1.0 ? kSafety * std::pow(e, -1.0 / kOrder) : kLeastFactor;
    next_ = h * std::clamp(factor, kLeastFactor, 1.0 - 1e-3);
    if (next_ < kTinyStep * dt) return false;
  }
}

/// Stages of a step of length h; trial_ holds its end, error_ the estimate of its error. `latest`: before the
/// kink at which it ends.
bool SmoothMotion::tryStep(double h, double latest) {
  stage_[0] = rateBefore_;
  for (std::size_t i = 1; i < kStages; ++i) {
    trial_ = before_;
    for (std::size_t j = 0; j < i; ++j) {
      const double w = h * kWeight[i][j];
      const double* k = stage_[j].data();
      for (std::size_t v = 0; v < trial_.size(); ++v) trial_[v] += w * k[v];
    }
    if (!evaluate(std::min(start_ + kNode[i] * h, latest), trial_, stage_[i], redundant_)) return false;
  }
  std::fill(error_.begin(), error_.end(), 0.0);
  for (std::size_t j = 0; j < kStages; ++j) {
    const double w = h * kErrorWeight[j];
    const double* k = stage_[j].data();
    for (std::size_t v = 0; v < error_.size(); ++v) error_[v] += w * k[v];
  }
  return true;
}

/// The largest error over what the accuracy allows.
double SmoothMotion::error(const Values& before, const Values& after) const {
  const double tolerance = model_.step.tolerance;
  double worst = 0.0;
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const double *e = &error_[kBody * b], *y0 = &before[kBody * b], *y1 = &after[kBody * b];
    const double speed = std::max(Vec3::Map(y0 + 7).norm(), Vec3::Map(y1 + 7).norm());
    const double spin = std::max(Vec3::Map(y0 + 10).norm(), Vec3::Map(y1 + 10).norm());
    const double ratio = std::max({Vec3::Map(e).norm() / size_, 2.0 * Eigen::Vector4d::Map(e + 3).norm(),
                                   Vec3::Map(e + 7).norm() / (kSpeedScale * size_ + speed),
                                   Vec3::Map(e + 10).norm() / (kSpeedScale + spin)});
    if (!(ratio <= worst)) worst = ratio;  // NaN stays
  }
  return worst / tolerance;
}

/// Brings the end of a step onto the joints. False where the factor of its last stage does not reach.
bool SmoothMotion::land(double time, Values& y) {
  unpack(y);
  const double tolerance = model_.step.projectionTolerance;
  violation_ = motion_.projectPoses(at(time), poses_, tolerance);
  if (!(violation_ <= 100.0 * tolerance)) return false;
  motion_.projectTwists(twists_);
  pack(y);
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const double* v = &y[kBody * b];
    double* r = &stage_.back()[kBody * b];
    Vec3::Map(r) = twists_[b].head<3>();
    quaternionRate(v + 3, twists_[b].tail<3>(), r + 3);
  }
  copyCoordinates(model_, motion_.geometry(), reference_);
  return true;
}

/// Brings the twists to the rates that motions have at `time`, the end of the last step, which differ from
/// those before a kink. @pre the last instant is that time
void SmoothMotion::takeRates(double time) {
  const auto change = motion_.projectTwists(twists_);
  if (change.largest < kSettledRate) return;
  for (std::size_t b = 0; b < twists_.size(); ++b) Vec6::Map(&after_[kBody * b + 7]) = twists_[b];
  after_[kBody * poses_.size()] += change.work;
  evaluate(time, after_, rateAfter_);
}

/// The motion at `time`, within the last step, on the joints.
void SmoothMotion::output(double time, State& state) {
  const double h = end_ - start_, s = std::min(1.0, (time - start_) / h);
  const bool atEnd = time >= end_ - kRounding * (1.0 + time);
  if (atBreak_ && atEnd && evaluate(end_, after_, rateAfter_)) takeRates(end_);
  const Quintic p(s);
  for (std::size_t b = 0; b < poses_.size() && !atEnd; ++b) {
    const std::size_t o = kBody * b;
    std::array<double, 7> second0{}, second1{};
    secondRates(&before_[o], &rateBefore_[o], second0.data());
    secondRates(&after_[o], &rateAfter_[o], second1.data());
    std::array<double, 7> value{}, slope{};
    const auto sum = [&](const std::array<double, 6>& w, std::size_t i) {
      return w[0] * before_[o + i] + w[3] * after_[o + i] +
             h * (w[1] * rateBefore_[o + i] + w[4] * rateAfter_[o + i]) +
             h * h * (w[2] * second0[i] + w[5] * second1[i]);
    };
    for (std::size_t i = 0; i < 7; ++i) {
      value[i] = sum(p.value, i);
      slope[i] = sum(p.slope, i) / h;
    }
    const Vec3 v = Vec3::Map(&value[3]), vRate = Vec3::Map(&slope[3]);
    const double square = v.squaredNorm() + value[6] * value[6];
    poses_[b].position = Vec3::Map(value.data());
    poses_[b].rotation.coeffs() = Eigen::Vector4d::Map(&value[3]).normalized();
    twists_[b].head<3>() = Vec3::Map(slope.data());
    twists_[b].tail<3>() = 2.0 * (value[6] * vRate - slope[6] * v - vRate.cross(v)) / square;
  }
  if (atEnd)
    unpack(after_);
  else
    violation_ = motion_.projectPoses(at(time), poses_, model_.step.projectionTolerance);
  std::copy(poses_.begin(), poses_.end(), state.poses.begin());
  std::copy(twists_.begin(), twists_.end(), state.twists.begin());
  // Quadratures by cubic interpolation.
  const double s2 = s * s, s3 = s2 * s;
  const std::array<double, 4> w = {1 - 3 * s2 + 2 * s3, 3 * s2 - 2 * s3, h * (s - 2 * s2 + s3),
                                   h * (s3 - s2)};
  const double dt = model_.step.timestep;
  for (std::size_t k = 0; k < last_.size(); ++k) {
    const std::size_t i = kBody * poses_.size() + k;
    const double now =
        atEnd ? after_[i]
              : w[0] * before_[i] + w[1] * after_[i] + w[2] * rateBefore_[i] + w[3] * rateAfter_[i];
    const double change = now - last_[k];
    last_[k] = now;
    if (k >= kFlows)
      meanEffort_[k - kFlows] = change / dt;
    else
      (k == 0 ? work_.actuators : k == 1 ? work_.external : work_.dissipated) = change;
  }
}

void SmoothMotion::writeRecord(const State& state, StepRecord& record) {
  if (!probe_) probe_ = std::make_unique<ConstrainedMotion>(model_);
  const double time = static_cast<double>(state.step) * model_.step.timestep;
  const Instant instant{time, state.poses, state.twists, state.coordinates, controls_, held_};
  if (probe_->evaluate(instant)) probe_->writeRecord(instant, record);
}

}  // namespace grashof
