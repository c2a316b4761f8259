#include "engine/dynamics/smooth/backward_differences.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

constexpr double kStartStep = 1e-2;     // s, times the root of the tolerance
constexpr double kShortestStep = 1e-7;  // of the model's step: no accuracy is to be had here
// What the error of one step may be, over the tolerance: those of many steps add up more than with the pair
// of order 5(4).
constexpr double kErrorShare = 0.25;
constexpr double kPredictorTolerance = 1e-8;               // m, rad: of poses where rows are evaluated
constexpr double kOrderSafety = 0.85, kOtherSafety = 0.8;  // of the present order, of its neighbours
constexpr double kLeastGrowth = 0.3, kMostGrowth = 2.0;

/// Weights of the values at x[0 … count) in the polynomial through them at `at`.
void interpolationWeights(std::span<const double> x, double at, std::span<double> weight) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    weight[j] = 1.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i != j) weight[j] *= (at - x[i]) / (x[j] - x[i]);
  }
}

double factorOf(double safety, double error, int order) {
  return std::clamp(safety * std::pow(error + 1e-10, -1.0 / (order + 1)), kLeastGrowth, kMostGrowth);
}

}  // namespace

BackwardDifferences::BackwardDifferences(SmoothSystem& system)
    : system_(system), motion_(system.model()), baseTwist_(system.twists.size()) {
  for (SmoothValues& y : point_) y.resize(system.values());
  for (SmoothValues* y : {&rate_, &predicted_, &base_, &trial_, &error_}) y->resize(system.values());
}

void BackwardDifferences::begin(double time, const SmoothValues& y, const SmoothValues& rate) {
  end_ = time_[0] = time;
  point_[0] = y;
  rate_ = rate;
  points_ = order_ = lastOrder_ = 1;
  next_ = kStartStep * std::sqrt(system_.model().step.tolerance);
  placed_ = false;
}

bool BackwardDifferences::step(double farthest, double latest) {
  const double room = farthest - end_, tiny = kShortestStep * system_.model().step.timestep;
  for (;;) {
    h_ = sharedStep(next_, room);
    const bool whole = h_ >= room;
    const double time = whole ? farthest : end_ + h_;
    predict(h_);
    double error = 0.0;
    if (!correct(time, latest)) {
      next_ = 0.25 * h_;
    } else if (error = errorOf(order_); !(error <= 1.0)) {
      next_ = h_ * std::clamp(0.8 * std::pow(error, -1.0 / (order_ + 1)), 0.1, 0.7);
      if (order_ > 1 && error > 30.0) --order_;
    } else {
      const double proposed = next_;
      lastOrder_ = order_;
      chooseNext(error);
      next_ = whole ? std::max(next_, proposed) : next_;
      accept(time);
      return true;
    }
    if (!(next_ > tiny)) return false;
  }
}

void BackwardDifferences::combine(std::span<const double> weight, SmoothValues& y) const {
  for (std::size_t v = 0; v < y.size(); ++v) y[v] = weight[0] * point_[0][v];
  for (std::size_t j = 1; j < weight.size(); ++j) {
    const double w = weight[j];
    const double* p = point_[j].data();
    for (std::size_t v = 0; v < y.size(); ++v) y[v] += w * p[v];
  }
}

/// The polynomial through the last points at the end of a step of length h, and the formula y = base + hβ ẏ.
void BackwardDifferences::predict(double h) {
  std::array<double, kPoints> x{}, weight{};
  for (int j = 0; j < points_; ++j) x[j] = (time_[j] - end_) / h;
  const auto count = static_cast<std::size_t>(std::min(order_ + 1, points_));
  interpolationWeights(std::span(x).first(count), 1.0, weight);
  combine(std::span(weight).first(count), predicted_);
  if (points_ == 1)
    for (std::size_t v = 0; v < predicted_.size(); ++v) predicted_[v] += h * rate_[v];
  double sum = 0.0;
  for (int j = 0; j < order_; ++j) sum += 1.0 / (1.0 - x[j]);
  for (int j = 0; j < order_; ++j) {
    double slope = 1.0 / (x[j] - 1.0);
    for (int i = 0; i < order_; ++i)
      if (i != j) slope *= (1.0 - x[i]) / (x[j] - x[i]);
    weight[j] = -slope / sum;
  }
  combine(std::span(weight).first(static_cast<std::size_t>(order_)), base_);
  weight_ = h / sum;
}

/// One Newton step from the predictor; trial_ holds the values at `time`.
bool BackwardDifferences::correct(double time, double latest) {
  // Poses belong to the predicted twists by the formula itself.
  for (std::size_t b = 0; b < system_.poses.size(); ++b) {
    const double *y = &predicted_[kBodyValues * b], *from = &base_[kBodyValues * b];
    const Vec6 u = Vec6::Map(y + 7);
    std::array<double, 4> rate{};
    const Eigen::Vector4d q = Eigen::Vector4d::Map(y + 3).normalized();
    quaternionRate(q.data(), u.tail<3>(), rate.data());
    system_.twists[b] = u;
    system_.poses[b].position = Vec3::Map(from) + weight_ * u.head<3>();
    system_.poses[b].rotation.coeffs() =
        (Eigen::Vector4d::Map(from + 3) + weight_ * Eigen::Vector4d::Map(rate.data())).normalized();
    baseTwist_[b] = Vec6::Map(from + 7);
  }
  return approach(std::min(time, latest)) && solve(std::min(time, latest));
}

/// Takes the predicted poses onto the joints, well enough for rows, with a factorization of an earlier step.
bool BackwardDifferences::approach(double time) {
  const double tolerance = std::max(kPredictorTolerance, system_.model().step.projectionTolerance);
  const auto place = [&] {
    ++system_.evaluations;
    placed_ = motion_.evaluate(system_.at(time), {weight_, baseTwist_});
    return placed_;
  };
  if (!placed_ && !place()) return false;
  double left = motion_.projectPoses(system_.at(time), system_.poses, tolerance);
  if (left > 1e3 * tolerance && left < 1e-2) {
    if (!place()) return false;
    left = motion_.projectPoses(system_.at(time), system_.poses, tolerance);
  }
  return left <= 1e3 * tolerance;
}

bool BackwardDifferences::solve(double time) {
  ++system_.evaluations;
  placed_ = motion_.evaluate(system_.at(time), {weight_, baseTwist_});
  if (!placed_) return false;
  for (std::size_t b = 0; b < system_.poses.size(); ++b) {
    const Vec6& u = motion_.twists()[b];
    system_.poses[b] = movePose(system_.poses[b], u - system_.twists[b], weight_);
    system_.twists[b] = u;
  }
  system_.settle(motion_, time);
  if (!(system_.violation() <= 100.0 * system_.model().step.projectionTolerance)) return false;
  system_.pack(trial_);
  // Of the two quaternions of a rotation the one that goes on from the last.
  for (std::size_t o = 3; o < system_.flows(); o += kBodyValues)
    if (Eigen::Vector4d::Map(&trial_[o]).dot(Eigen::Vector4d::Map(&point_[0][o])) < 0.0)
      Eigen::Vector4d::Map(&trial_[o]) *= -1.0;
  double* flow = &trial_[system_.flows()];
  system_.writeFlows(motion_, flow);
  for (std::size_t k = system_.flows(); k < trial_.size(); ++k) trial_[k] = base_[k] + weight_ * trial_[k];
  return true;
}

/// Error of trial_ over what is allowed, if it were of this order: by the polynomial through the last order +
/// 1 points.
double BackwardDifferences::errorOf(int order) {
  if (points_ <= order) {
    for (std::size_t v = 0; v < error_.size(); ++v) error_[v] = 0.5 * (trial_[v] - predicted_[v]);
  } else {
    std::array<double, kPoints> x{}, weight{};
    const std::size_t count = static_cast<std::size_t>(order) + 1;
    for (std::size_t j = 0; j < count; ++j) x[j] = (time_[j] - end_) / h_;
    interpolationWeights(std::span(x).first(count), 1.0, weight);
    combine(std::span(weight).first(count), error_);
    const double share = 1.0 / (1.0 - x[count - 1]);
    for (std::size_t v = 0; v < error_.size(); ++v) error_[v] = share * (trial_[v] - error_[v]);
  }
  return system_.measure(error_, point_[0], trial_) / kErrorShare;
}

/// Order and length of the next step: the order that allows the longest. Lengths that are almost right stay.
void BackwardDifferences::chooseNext(double error) {
  double factor = factorOf(kOrderSafety, error, order_);
  int order = order_;
  const auto consider = [&](int other) {
    const double f = factorOf(kOtherSafety, errorOf(other), other);
    if (f > factor) factor = f, order = other;
  };
  if (order_ < kMostOrder && points_ >= order_ + 2) consider(order_ + 1);
  if (order_ > 1) consider(order_ - 1);
  next_ = factor > 1.15 || factor < 0.95 ? h_ * factor : h_;
  order_ = order;
}

void BackwardDifferences::accept(double time) {
  std::rotate(point_.begin(), point_.end() - 1, point_.end());
  std::swap(point_[0], trial_);
  std::copy_backward(time_.begin(), time_.end() - 1, time_.end());
  end_ = time_[0] = time;
  points_ = std::min(points_ + 1, static_cast<int>(kPoints));
  system_.follow(motion_);
}

void BackwardDifferences::interpolate(double time, SmoothValues& y) const {
  std::array<double, kPoints> weight{};
  const auto count = static_cast<std::size_t>(std::min(lastOrder_ + 1, points_));
  interpolationWeights(std::span(time_).first(count), time, weight);
  combine(std::span(weight).first(count), y);
}

}  // namespace grashof
