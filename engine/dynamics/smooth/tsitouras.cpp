#include "engine/dynamics/smooth/tsitouras.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/rotation_vector.h"

namespace grashof {
namespace {

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

/// Weights of the stages up to a share of the step, of order 4 [Tsitouras 2011, section 4].
std::array<double, 7> stageWeights(double s) {
  const double s2 = s * s;
  return {
      -1.0530884977290216 * s * (s - 1.3299890189751412) * (s2 - 1.4364028541716351 * s + 0.7139816917074209),
      0.1017 * s2 * (s2 - 2.1966568338249754 * s + 1.2949852507374631),
      2.490627285651252793 * s2 * (s2 - 2.38535645472061657 * s + 1.57803468208092486),
      -16.54810288924490272 * (s - 1.21712927295533244) * (s - 0.61620406037800089) * s2,
      47.37952196281928122 * (s - 1.203071208372362603) * (s - 0.658047292653547382) * s2,
      -34.87065786149660974 * (s - 1.2) * (s - 0.666666666666666667) * s2,
      2.5 * (s - 1.0) * (s - 0.6) * s2};
}

// Control of the step [Hairer 1993, section II.4].
constexpr double kSafety = 0.9, kLeastFactor = 0.2, kMostFactor = 5.0, kOrder = 5.0;
// Of the model's step, where that is no longer than usual (s): no accuracy is to be had here.
constexpr double kTinyStep = 1e-3, kUsualStep = 1e-3;
// Of the step times the largest rate of decay: stability ends at 3.5, and before that the estimate counts
// what has settled long ago. Motion that the accuracy resolves has 0.1 to 0.5.
constexpr double kStiff = 0.7;
constexpr double kNoise = 1e-12;  // a smaller difference of stages tells nothing
// Turns of a body in a step, rad: two that turn against each other stay within half a turn.
constexpr double kMostTurn = 1.5, kTooFar = 2.5;

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

Quat rotationIn(const double* y) { return Quat(Eigen::Vector4d::Map(y + 3)); }

/// Rates of half a rotation vector in the place of those of a quaternion.
void setTurnRate(const Vec3& rate, double* values) {
  Vec3::Map(values + 3) = 0.5 * rate;
  values[6] = 0.0;
}

}  // namespace

Tsitouras::Tsitouras(SmoothSystem& system) : system_(system), turn_(system.poses.size()) {
  for (SmoothValues* y : {&before_, &after_, &rateBefore_, &rateAfter_, &sixth_, &trial_, &error_})
    y->resize(system.values());
  for (SmoothValues& y : stage_) y.resize(system.values());
}

void Tsitouras::begin(double time, const SmoothValues& y, const SmoothValues& rate) {
  end_ = time;
  after_ = y;
  rateAfter_ = rate;
  for (std::size_t o = 0; o < system_.flows(); o += kBodyValues)
    setTurnRate(Vec3::Map(&y[o + 10]), &rateAfter_[o]);
  if (!(next_ > 0.0)) {
    lastError_ = 1e-2;
    stiffness_ = 0;
  }
}

bool Tsitouras::step(double farthest, double latest) {
  const double dt = system_.model().step.timestep;
  start_ = end_;
  std::swap(before_, after_);
  std::swap(rateBefore_, rateAfter_);
  const double room = farthest - start_;
  if (!(next_ > 0.0)) next_ = dt;
  redundant_ = motion().redundant();
  motion().keepFactor();
  const double longest = longestStep(), tiny = kTinyStep * std::min(dt, kUsualStep);
  if (longest < tiny) return false;
  for (;;) {
    const double h = sharedStep(std::min(next_, longest), room);
    const bool whole = h >= room;
    const bool made = tryStep(h, latest);
    const double e =
        made ? system_.measure(error_, before_, trial_) : std::numeric_limits<double>::infinity();
    if (e <= 1.0 && land(whole ? farthest : start_ + h)) {
      observeStiffness(h);
      const double factor = kSafety * std::pow(e + 1e-30, -0.7 / kOrder) * std::pow(lastError_, 0.4 / kOrder);
      const double proposed = h * std::clamp(factor, kLeastFactor, kMostFactor);
      next_ = whole ? std::max(next_, proposed) : proposed;
      lastError_ = std::max(e, 1e-4);
      end_ = whole ? farthest : start_ + h;
      std::swap(after_, trial_);
      std::swap(rateAfter_, stage_.back());
      return true;
    }
    const double factor = std::isfinite(e) && e > 1.0 ? kSafety * std::pow(e, -1.0 / kOrder) : kLeastFactor;
    next_ = h * std::clamp(factor, kLeastFactor, 1.0 - 1e-3);
    if (next_ < tiny) return false;
  }
}

/// By the turns of its bodies, s.
double Tsitouras::longestStep() const {
  double spin = 0.0;
  for (std::size_t o = 0; o < system_.flows(); o += kBodyValues)
    spin = std::max(spin, Vec3::Map(&before_[o + 10]).norm());
  return kMostTurn / spin;
}

/// Takes the half rotation vectors that were added to the quaternions of the start as turns. False where one
/// is too far.
bool Tsitouras::turn(SmoothValues& y) {
  for (std::size_t b = 0; b < turn_.size(); ++b) {
    double* v = &y[kBodyValues * b];
    const double* start = &before_[kBodyValues * b];
    turn_[b] = 2.0 * (Vec3::Map(v + 3) - Vec3::Map(start + 3));
    if (!(turn_[b].norm() < kTooFar)) return false;
    Eigen::Vector4d::Map(v + 3) = (expRotation(turn_[b]) * rotationIn(start)).coeffs();
  }
  return true;
}

/// Stages of a step of length h; trial_ holds its end, error_ the estimate of its error.
bool Tsitouras::tryStep(double h, double latest) {
  stage_[0] = rateBefore_;
  for (std::size_t i = 1; i < kStages; ++i) {
    trial_ = before_;
    for (std::size_t j = 0; j < i; ++j) {
      const double w = h * kWeight[i][j];
      const double* k = stage_[j].data();
      for (std::size_t v = 0; v < trial_.size(); ++v) trial_[v] += w * k[v];
    }
    if (!turn(trial_) ||
        !system_.evaluate(std::min(start_ + kNode[i] * h, latest), trial_, stage_[i], redundant_))
      return false;
    for (std::size_t b = 0; b < turn_.size(); ++b)
      setTurnRate(leftJacobianInverse(turn_[b]) * system_.twists[b].tail<3>(), &stage_[i][kBodyValues * b]);
    if (i + 2 == kStages) sixth_ = trial_;
  }
  std::fill(error_.begin(), error_.end(), 0.0);
  for (std::size_t j = 0; j < kStages; ++j) {
    const double w = h * kErrorWeight[j];
    const double* k = stage_[j].data();
    for (std::size_t v = 0; v < error_.size(); ++v) error_[v] += w * k[v];
  }
  return true;
}

/// The two stages at the end of the step tell how fast a difference decays [Hairer 1996, section IV.2].
void Tsitouras::observeStiffness(double h) {
  const double apart = system_.distance(sixth_, trial_);
  const bool bounded =
      apart > kNoise && h * system_.distance(stage_[kStages - 2], stage_[kStages - 1]) > kStiff * apart;
  stiffness_ = bounded ? std::min(stiffness_ + 1, kStiffSteps) : std::max(stiffness_ - 1, 0);
}

/// Brings the end of a step onto the joints. False where the factor of its last stage does not reach.
bool Tsitouras::land(double time) {
  if (!system_.land(motion(), time, trial_)) return false;
  for (std::size_t b = 0; b < system_.poses.size(); ++b) {
    double* r = &stage_.back()[kBodyValues * b];
    Vec3::Map(r) = system_.twists[b].head<3>();
    setTurnRate(system_.twists[b].tail<3>(), r);
  }
  return true;
}

void Tsitouras::interpolate(double time, SmoothValues& y) const {
  const double h = end_ - start_, s = (time - start_) / h;
  const Quintic p(s);
  for (std::size_t o = 0; o < system_.flows(); o += kBodyValues) {
    const double *y0 = &before_[o], *y1 = &after_[o], *rate0 = &rateBefore_[o], *rate1 = &rateAfter_[o];
    const auto vec = [](const double* at) { return Vec3(Vec3::Map(at)); };
    const auto through = [&](const std::array<double, 6>& w, const std::array<Vec3, 6>& at) {
      Vec3 sum = w[0] * at[0] + w[3] * at[3];
      sum += h * (w[1] * at[1] + w[4] * at[4]) + h * h * (w[2] * at[2] + w[5] * at[5]);
      return sum;
    };
    const std::array<Vec3, 6> way = {vec(y0), vec(y0 + 7), vec(rate0 + 7),
                                     vec(y1), vec(y1 + 7), vec(rate1 + 7)};
    Vec3::Map(&y[o]) = through(p.value, way);
    Vec3::Map(&y[o + 7]) = through(p.slope, way) / h;
    const Vec3 spin1 = vec(y1 + 10), turn1 = logRotation(rotationIn(y1) * rotationIn(y0).conjugate());
    const Vec3 turnRate1 = leftJacobianInverse(turn1) * spin1;
    const std::array<Vec3, 6> turn = {
        Vec3::Zero(), vec(y0 + 10), vec(rate0 + 10),
        turn1,        turnRate1,    rotationVectorSecondRate(turn1, turnRate1, spin1, vec(rate1 + 10))};
    const Vec3 phi = through(p.value, turn);
    Eigen::Vector4d::Map(&y[o + 3]) = (expRotation(phi) * rotationIn(y0)).coeffs();
    Vec3::Map(&y[o + 10]) = leftJacobian(phi) * through(p.slope, turn) / h;
  }
  // Quadratures by all stages: what begins as a power of time, as the work from rest, keeps its digits.
  const std::array<double, kStages> w = stageWeights(s);
  for (std::size_t i = system_.flows(); i < y.size(); ++i) {
    double sum = w.back() * rateAfter_[i];
    for (std::size_t k = 0; k + 1 < kStages; ++k) sum += w[k] * stage_[k][i];
    y[i] = before_[i] + h * sum;
  }
}

}  // namespace grashof
