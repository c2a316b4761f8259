#include "solvers/problem/termination.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"

namespace grashof {
namespace {

void raiseTo(double& value, double candidate) { value = std::max(value, candidate); }

// `size`: complementarity is relative to it, for impulses above 1 N·s.

void addInterval(const IntervalRow& row, double lambda, double v, double size, ResidualParts& parts) {
  raiseTo(parts.primal, std::max(row.lower - lambda, lambda - row.upper));
  // A velocity away from a bound is allowed only at that bound; at an infinite one it never is.
  const double bound = v > 0.0 ? row.lower : row.upper;
  if (std::isinf(bound))
    raiseTo(parts.dual, std::abs(v));
  else
    raiseTo(parts.complementarity, v * (lambda - bound) / size);
}

void addCone(const Vec3& lambda, Vec3 w, double friction, bool deSaxceTerm, double size,
             ResidualParts& parts) {
  if (deSaxceTerm) w[2] += deSaxce(w[0], w[1], friction);
  raiseTo(parts.primal, (lambda - projectOntoCone(lambda, friction)).cwiseAbs().maxCoeff());
  raiseTo(parts.dual, (w - projectOntoDualCone(w, friction)).cwiseAbs().maxCoeff());
  raiseTo(parts.complementarity, std::abs(lambda.dot(w)) / size);
}

void addPyramid(const Vec3& lambda, const Vec3& v, double friction, double size, ResidualParts& parts) {
  const double bound = friction * std::max(lambda[2], 0.0);
  raiseTo(parts.primal, -lambda[2]);
  raiseTo(parts.dual, -v[2]);
  raiseTo(parts.complementarity, std::abs(lambda[2] * v[2]) / size);
  for (int i = 0; i < 2; ++i) {
    raiseTo(parts.primal, std::abs(lambda[i]) - bound);
    raiseTo(parts.complementarity, std::abs(lambda[i] * v[i] + bound * std::abs(v[i])) / size);
  }
}

}  // namespace

ResidualParts residualParts(const DualProblem& problem, std::span<const double> impulse,
                            std::span<const double> velocity, ContactModel model) {
  double sum = 0.0, size = 1.0;
  for (int r = 0; r < problem.rows(); ++r) {
    sum += velocity[r] * impulse[r];
    size = std::max(size, std::abs(impulse[r]));
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(sum)) return {kInfinity, kInfinity, kInfinity};
  ResidualParts parts;
  for (int r = 0; r < problem.jointRows; ++r) raiseTo(parts.dual, std::abs(velocity[r]));
  for (const IntervalRow& row : problem.intervals)
    addInterval(row, impulse[row.row], velocity[row.row], size, parts);
  for (const ContactBlock& contact : problem.contacts) {
    const Vec3 lambda(&impulse[contact.row]), v(&velocity[contact.row]);
    if (model == ContactModel::Pyramid)
      addPyramid(lambda, v, contact.friction, size, parts);
    else
      addCone(lambda, v, contact.friction, model == ContactModel::Ncp, size, parts);
  }
  return parts;
}

double largestResidual(const DualProblem& problem, std::span<const double> impulse,
                       std::span<const double> velocity, ContactModel model) {
  return residualParts(problem, impulse, velocity, model).largest();
}

double naturalMapResidual(const DualProblem& problem, std::span<const double> impulse,
                          std::span<const double> velocity, ContactModel model) {
  double worst = 0.0, size = 1.0;
  for (const IntervalRow& row : problem.intervals) {
    const double lambda = impulse[row.row];
    const double moved = projectOntoInterval(lambda - velocity[row.row], row.lower, row.upper);
    worst = std::max(worst, std::abs(lambda - moved));
    size = std::max(size, std::abs(lambda));
  }
  for (const ContactBlock& contact : problem.contacts) {
    const Vec3 lambda(&impulse[contact.row]);
    Vec3 w(&velocity[contact.row]);
    if (model == ContactModel::Ncp) w[2] += deSaxce(w[0], w[1], contact.friction);
    worst = std::max(worst, (lambda - projectOntoCone(lambda - w, contact.friction)).cwiseAbs().maxCoeff());
    size = std::max(size, lambda.cwiseAbs().maxCoeff());
  }
  return worst / size;
}

double scaledNaturalMap(const DualProblem& problem, std::span<const double> impulse,
                        std::span<const double> velocity, std::span<const double> scale) {
  double worst = 0.0;
  for (const IntervalRow& row : problem.intervals) {
    const double lambda = impulse[row.row], s = scale[row.row - problem.jointRows];
    const double moved = projectOntoInterval(lambda - s * s * velocity[row.row], row.lower, row.upper);
    worst = std::max(worst, std::abs(lambda - moved) / (s * s));
  }
  for (const ContactBlock& contact : problem.contacts) {
    const double s = scale[contact.row - problem.jointRows];
    const Vec3 lambda(&impulse[contact.row]);
    Vec3 w(&velocity[contact.row]);
    w[2] += deSaxce(w[0], w[1], contact.friction);
    const Vec3 moved = projectOntoCone(lambda - s * s * w, contact.friction);
    worst = std::max(worst, (lambda - moved).cwiseAbs().maxCoeff() / (s * s));
  }
  return worst;
}

void endVelocities(const DualProblem& problem, std::span<const Vec6> twist, std::span<const double> impulse,
                   std::span<double> velocity) {
  rowVelocities(problem, twist, velocity);
  addCompliance(problem, impulse, velocity);
  for (int r = 0; r < problem.rows(); ++r) velocity[r] += problem.bias[r];
}

}  // namespace grashof
