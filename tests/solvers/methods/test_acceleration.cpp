#include "solvers/methods/acceleration.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A gradient step on a badly conditioned quadratic, whose minimum is 1 in every entry.
void gradientStep(std::span<const double> point, std::span<double> next) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    const double curvature = std::pow(10.0, -0.25 * static_cast<double>(i));
    next[i] = point[i] - curvature * (point[i] - 1.0);
  }
}

int iterationsToFixedPoint(Acceleration kind) {
  constexpr std::size_t kSize = 9;  // condition number 100
  Accelerator accelerator(kind);
  accelerator.reset(kSize);
  std::vector<double> point(kSize, 0.0), next(kSize);
  for (int i = 1; i < 10000; ++i) {
    gradientStep(point, next);
    double step = 0.0;
    for (std::size_t k = 0; k < kSize; ++k) step = std::max(step, std::abs(next[k] - point[k]));
    if (step < 1e-10) return i;
    accelerator.extrapolate(point, next);
    point = next;
  }
  return 10000;
}

}  // namespace

TEST_CASE("Nesterov and Anderson reach the fixed point of a gradient iteration in far fewer iterations") {
  const int plain = iterationsToFixedPoint(Acceleration::None);
  CHECK(plain < 10000);
  CHECK(iterationsToFixedPoint(Acceleration::Nesterov) < plain / 3);
  CHECK(iterationsToFixedPoint(Acceleration::Anderson) < plain / 3);
}

TEST_CASE("no acceleration leaves the next point as it is, and the first step is never extrapolated") {
  const std::vector<double> point = {0.0, 0.0};
  for (const Acceleration kind : {Acceleration::None, Acceleration::Nesterov, Acceleration::Anderson}) {
    Accelerator accelerator(kind);
    accelerator.reset(2);
    std::vector<double> next = {1.0, 2.0};
    accelerator.extrapolate(point, next);
    CHECK(next == std::vector<double>{1.0, 2.0});
  }
}

TEST_CASE("a step that grows drops the history: the next point is taken as it is") {
  Accelerator accelerator(Acceleration::Nesterov);
  accelerator.reset(1);
  std::vector<double> point = {0.0}, next = {1.0};
  accelerator.extrapolate(point, next);
  point = {1.0}, next = {1.5};
  accelerator.extrapolate(point, next);
  point = {1.5}, next = {9.0};
  accelerator.extrapolate(point, next);
  CHECK(next[0] == 9.0);
}
