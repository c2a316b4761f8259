#include "solvers/methods/acceleration.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

constexpr double kMaxGrowth = 2.0;     // of the step; more drops the history of Anderson
constexpr double kRegularize = 1e-10;  // of the Gram matrix, relative to its trace

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void Accelerator::reset(std::size_t size) {
  size_ = size;
  count_ = newest_ = 0;
  momentum_ = 1.0;
  lastStep_ = 0.0;
  if (kind_ == Acceleration::None) return;
  for (auto* v : {&last_, &step_, &lastStepVector_}) v->resize(size);
  if (kind_ == Acceleration::Anderson)
    for (int i = 0; i < kMemory; ++i) {
      pointChange_[i].resize(size);
      stepChange_[i].resize(size);
    }
}

void Accelerator::nesterov(std::span<double> next) {
  const double grown = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum_ * momentum_));
  const double share = (momentum_ - 1.0) / grown;
  momentum_ = grown;
  for (std::size_t i = 0; i < size_; ++i) {
    const double plain = next[i];
    next[i] += share * (plain - last_[i]);
    last_[i] = plain;
  }
}

void Accelerator::anderson(std::span<double> next) {
  // The newest differences, then their products with all others.
  newest_ = (newest_ + 1) % kMemory;
  count_ = std::min(count_ + 1, kMemory);
  auto& dg = pointChange_[newest_];
  auto& df = stepChange_[newest_];
  for (std::size_t i = 0; i < size_; ++i) {
    dg[i] = next[i] - last_[i];
    df[i] = step_[i] - lastStepVector_[i];
    last_[i] = next[i];
  }
  Eigen::Matrix<double, kMemory, 1> rhs = Eigen::Matrix<double, kMemory, 1>::Zero();
  Eigen::Matrix<double, kMemory, kMemory> gram = Eigen::Matrix<double, kMemory, kMemory>::Identity();
  for (int a = 0; a < count_; ++a) {
    const int slot = (newest_ - a + kMemory) % kMemory;
    gram_(newest_, slot) = gram_(slot, newest_) = dot(df, stepChange_[slot]);
    rhs[a] = dot(stepChange_[slot], step_);
  }
  double trace = 0.0;
  for (int a = 0; a < count_; ++a) {
    for (int b = 0; b < count_; ++b)
      gram(a, b) = gram_((newest_ - a + kMemory) % kMemory, (newest_ - b + kMemory) % kMemory);
    trace += gram(a, a);
  }
  for (int a = 0; a < count_; ++a) gram(a, a) += kRegularize * trace;
  if (!(trace > 0.0)) return;
  const Eigen::Matrix<double, kMemory, 1> weight = gram.ldlt().solve(rhs);
  if (!weight.allFinite()) return;
  for (int a = 0; a < count_; ++a) {
    const auto& change = pointChange_[(newest_ - a + kMemory) % kMemory];
    for (std::size_t i = 0; i < size_; ++i) next[i] -= weight[a] * change[i];
  }
}

void Accelerator::extrapolate(std::span<const double> point, std::span<double> next) {
  if (kind_ == Acceleration::None) return;
  double size = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    step_[i] = next[i] - point[i];
    size += step_[i] * step_[i];
  }
  size = std::sqrt(size);
  const bool first = lastStep_ == 0.0;
  const bool worse = size > (kind_ == Acceleration::Anderson ? kMaxGrowth : 1.0) * lastStep_;
  if (first || worse) {
    count_ = 0;
    momentum_ = 1.0;
    std::copy(next.begin(), next.end(), last_.begin());
  } else if (kind_ == Acceleration::Nesterov) {
    nesterov(next);
  } else {
    anderson(next);
  }
  std::copy(step_.begin(), step_.end(), lastStepVector_.begin());
  lastStep_ = size;
}

}  // namespace grashof
