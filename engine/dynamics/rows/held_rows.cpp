#include "engine/dynamics/rows/held_rows.h"

#include <algorithm>
#include <limits>

namespace grashof {
namespace {

constexpr double kHeldProximal = 1e-12;  // η relative to scaled rows
// Of the mobility of the bodies alone: what joints leave of it. Light feet of heavy figures have some
// percent.
constexpr double kHeld = 1e-3, kFixed = 1e-4;
constexpr int kRemembered = 64;  // steps

bool pushesOneWay(const IntervalRow& row) {
  const double none = std::numeric_limits<double>::max();
  return (row.lower > -none) != (row.upper < none);
}

}  // namespace

void HeldRows::reset() {
  if (remembered_ > 0) kkt_ = KktSystem();  // its regularization has a memory
  remembered_ = 0;
}

/// What pull_ (a row) moves of itself: the row on M⁻¹ with the joints, for a unit impulse.
double HeldRows::answer(const DualProblem& problem) {
  std::copy(pull_.begin(), pull_.end(), response_.begin());
  std::fill(rows_.begin(), rows_.end(), 0.0);
  kkt_.solve(problem, response_, rows_);
  double sum = 0.0;
  for (std::size_t b = 0; b < pull_.size(); ++b) sum += pull_[b].dot(response_[b]);
  return sum;
}

int HeldRows::relieve(DualProblem& problem) {
  remembered_ = std::max(0, remembered_ - 1);
  if (problem.joints.empty()) return 0;
  kkt_.analyze(problem);
  if (!kkt_.factorize(problem, {}, kHeldProximal)) return 0;
  pull_.assign(problem.inertia.size(), Vec6::Zero());
  response_.resize(problem.inertia.size());
  rows_.resize(static_cast<std::size_t>(problem.rows()));
  int held = 0;
  const auto look = [&](int row, double mobility, int body) {
    if (problem.compliance[static_cast<std::size_t>(row)] > 0.0) return;  // yields by itself
    const double left = answer(problem);
    if (!(left < kHeld * mobility)) return;
    double& bias = problem.bias[static_cast<std::size_t>(row)];
    bias = std::max(bias, 0.0);
    problem.compliance[static_cast<std::size_t>(row)] += std::max(0.0, kFixed * mobility - left);
    body_ = body;
    ++held;
  };
  for (const IntervalRow& interval : problem.intervals) {
    if (!pushesOneWay(interval)) continue;
    problem.forEachBody(interval, [&](int body, const Vec6& jacobian) { pull_[body] += jacobian; });
    look(interval.row, problem.delassus(interval), std::max(interval.bodyA, interval.bodyB));
    problem.forEachBody(interval, [&](int body, const Vec6&) { pull_[body].setZero(); });
  }
  for (const ContactBlock& contact : problem.contacts) {
    if (contact.law >= 0) continue;
    double mobility = 0.0;
    const auto add = [&](int body, const Mat36& jacobian) {
      if (body < 0) return;
      pull_[body] += jacobian.row(2).transpose();
      mobility += problem.inertia[body].delassus(pull_[body]);
    };
    add(contact.bodyA, contact.jacobianA);
    add(contact.bodyB, contact.jacobianB);
    look(contact.row + 2, mobility, std::max(contact.bodyA, contact.bodyB));
    for (const int body : {contact.bodyA, contact.bodyB})
      if (body >= 0) pull_[body].setZero();
  }
  if (held > 0) remembered_ = kRemembered;
  return held;
}

}  // namespace grashof
