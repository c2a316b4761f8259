#include "engine/dynamics/stability.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

constexpr double kStabilityLimit = 2.0;        // ω Δt from which an explicit step may blow up
constexpr std::int64_t kStabilityPeriod = 32;  // steps
constexpr int kEigenvalueIterations = 8;       // of a 3×3 matrix, to some per cent

}  // namespace

double stabilityNumber(const DualProblem& problem, std::span<const Mat3> stiffness, double timestep) {
  double largest = 0.0;
  for (std::size_t b = 0; b < stiffness.size(); ++b) {
    if (stiffness[b].isZero(0.0)) continue;
    // Power iteration. I⁻¹ K is similar to a symmetric positive semi-definite matrix.
    const Mat3 ratio = problem.inertia[b].inverseInertia * stiffness[b];
    Vec3 x = stiffness[b].diagonal().normalized();
    double eigenvalue = 0.0;
    for (int i = 0; i < kEigenvalueIterations; ++i) {
      const Vec3 y = ratio * x;
      eigenvalue = y.norm();
      if (!(eigenvalue > 0.0)) break;
      x = y / eigenvalue;
    }
    largest = std::max(largest, eigenvalue);
  }
  return timestep * std::sqrt(largest);
}

StabilityMonitor::StabilityMonitor(const Model& model)
    : model_(&model), stiffness_(model.bodies.size(), Mat3::Zero()) {}

void StabilityMonitor::reset() {
  std::fill(stiffness_.begin(), stiffness_.end(), Mat3::Zero());
  number_ = 0.0;
}

void StabilityMonitor::observe(std::int64_t step, const StepRecord& record, Projection& projection) {
  const bool due = step % kStabilityPeriod == 0;
  if (!model_->step.geometricStiffness && !due) return;
  geometricStiffness(*model_, record.problem, record.blocks, record.solution.impulse, record.poses,
                     stiffness_);
  if (!due) return;
  number_ = stabilityNumber(record.problem, stiffness_, record.step.timestep);
  if (number_ > kStabilityLimit) number_ = record.step.timestep * projection.maxNaturalFrequency(stiffness_);
}

}  // namespace grashof
