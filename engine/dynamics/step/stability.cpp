#include "engine/dynamics/step/stability.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

constexpr double kStabilityLimit = 2.0;        // ω Δt from which an explicit step may blow up
constexpr std::int64_t kStabilityPeriod = 32;  // steps
constexpr int kEigenvalueIterations = 8;       // of a 3×3 matrix, to some per cent

/// Forces of force elements and bushings in the last step.
void elementForces(const Model& model, const StepRecord& record, std::vector<ForceOnBody>& all) {
  all.clear();
  const double dt = record.step.timestep;
  const auto add = [&](int body, const Vec3& point, const Vec3& force) {
    if (body >= 0) all.push_back({body, point - record.poses[body].position, force});
  };
  for (std::size_t i = 0; i < model.forces.size(); ++i) {
    const ForceElement& e = model.forces[i];
    if (e.onJoint()) continue;
    if (e.onSum()) {
      if (e.path.empty()) continue;
      const CableSpans spans = cableSpans(e.path, record.poses);
      for (const CableSpan& s : spans.all()) {
        const Vec3 force = record.forces[i].impulse / dt * s.share * s.direction;
        add(s.bodyB, s.pointB, force);
        add(s.bodyA, s.pointA, -force);
      }
      continue;
    }
    const Vec3 force = record.forces[i].impulse / dt * record.forces[i].line;
    add(e.bodyB, record.poses[e.bodyB] * e.pointB, force);
    if (e.bodyA >= 0) add(e.bodyA, record.poses[e.bodyA] * e.pointA, -force);
  }
  for (std::size_t i = 0; i < model.bushings.size(); ++i) {
    const Bushing& b = model.bushings[i];
    const Vec3 point = record.poses[b.follower] * b.followerFrame.position;
    const Vec3 force =
        (record.bushings[i].follower.leftCols<3>().transpose() * record.bushings[i].impulse) / dt;
    add(b.follower, point, force);
    add(b.base, point, -force);
  }
}

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
    : model_(&model), stiffness_(model.bodies.size(), Mat3::Zero()) {
  std::size_t most = 2 * (model.forces.size() + model.bushings.size());
  for (const ForceElement& e : model.forces) most += 2 * e.path.size();
  elements_.reserve(most);
}

void StabilityMonitor::reset() {
  std::fill(stiffness_.begin(), stiffness_.end(), Mat3::Zero());
  number_ = 0.0;
}

void StabilityMonitor::observe(std::int64_t step, const StepRecord& record, Projection& projection) {
  const bool due = step % kStabilityPeriod == 0;
  if (!model_->step.geometricStiffness && !due) return;
  elementForces(*model_, record, elements_);
  geometricStiffness(*model_, record.problem, record.blocks, record.solution.impulse, record.poses,
                     stiffness_, elements_);
  if (!due) return;
  number_ = stabilityNumber(record.problem, stiffness_, record.step.timestep);
  if (number_ > kStabilityLimit) number_ = record.step.timestep * projection.maxNaturalFrequency(stiffness_);
}

}  // namespace grashof
