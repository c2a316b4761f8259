#include "solvers/problem/termination.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/cones.h"

namespace grashof {
namespace {

// `size`: what complementarity is relative to, for impulses above 1 N·s.

double ofInterval(const IntervalRow& row, double lambda, double v, double size) {
  const double outside = std::max(row.lower - lambda, lambda - row.upper);
  const double up = std::isinf(row.lower) ? v : v * (lambda - row.lower) / size;
  const double down = std::isinf(row.upper) ? -v : -v * (row.upper - lambda) / size;
  return std::max(outside, v > 0.0 ? up : down);
}

double ofCone(const Vec3& lambda, Vec3 w, double friction, bool deSaxceTerm, double size) {
  if (deSaxceTerm) w[2] += deSaxce(w[0], w[1], friction);
  const double primal = (lambda - projectOntoCone(lambda, friction)).cwiseAbs().maxCoeff();
  const double dual = (w - projectOntoDualCone(w, friction)).cwiseAbs().maxCoeff();
  return std::max({primal, dual, std::abs(lambda.dot(w)) / size});
}

double ofPyramid(const Vec3& lambda, const Vec3& v, double friction, double size) {
  const double bound = friction * std::max(lambda[2], 0.0);
  double worst = std::max({-lambda[2], -v[2], std::abs(lambda[2] * v[2]) / size});
  for (int i = 0; i < 2; ++i)
    worst = std::max(
        {worst, std::abs(lambda[i]) - bound, std::abs(lambda[i] * v[i] + bound * std::abs(v[i])) / size});
  return worst;
}

}  // namespace

double largestResidual(const DualProblem& problem, std::span<const double> impulse,
                       std::span<const double> velocity, ContactModel model) {
  double worst = 0.0, sum = 0.0, size = 1.0;
  for (int r = 0; r < problem.rows(); ++r) {
    sum += velocity[r] * impulse[r];
    size = std::max(size, std::abs(impulse[r]));
  }
  if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
  for (int r = 0; r < problem.jointRows; ++r) worst = std::max(worst, std::abs(velocity[r]));
  for (const IntervalRow& row : problem.intervals)
    worst = std::max(worst, ofInterval(row, impulse[row.row], velocity[row.row], size));
  for (const ContactBlock& contact : problem.contacts) {
    const Vec3 lambda(&impulse[contact.row]), v(&velocity[contact.row]);
    worst = std::max(worst, model == ContactModel::Pyramid
                                ? ofPyramid(lambda, v, contact.friction, size)
                                : ofCone(lambda, v, contact.friction, model == ContactModel::Ncp, size));
  }
  return worst;
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
