#include "solvers/problem/termination.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"
#include "solvers/problem/friction_polygon.h"
#include "solvers/problem/regularization.h"

namespace grashof {
namespace {

void raiseTo(double& value, double candidate) { value = std::max(value, candidate); }

/// What the residuals of one kind of row are divided by.
struct Units {
  double impulse, velocity, product;
};

/// `size`: Λ of a relative scale, else the largest impulse or 1.
Units unitsOf(const ResidualScale& scale, double size, bool rotational) {
  if (!scale.relative) return {1.0, 1.0, size};
  const double length = rotational ? scale.length : 1.0;
  return {size * length, scale.velocity / length, size * scale.velocity};
}

void addInterval(const IntervalRow& row, double lambda, double v, const Units& unit, ResidualParts& parts) {
  raiseTo(parts.primal, std::max(row.lower - lambda, lambda - row.upper) / unit.impulse);
  // A velocity away from a bound is allowed only at that bound; at an infinite one it never is.
  const double bound = v > 0.0 ? row.lower : row.upper;
  if (std::isinf(bound))
    raiseTo(parts.dual, std::abs(v) / unit.velocity);
  else
    raiseTo(parts.complementarity, v * (lambda - bound) / unit.product);
}

void addCone(const Vec3& lambda, Vec3 w, double friction, bool deSaxceTerm, const Units& unit,
             ResidualParts& parts) {
  if (deSaxceTerm) w[2] += deSaxce(w[0], w[1], friction);
  raiseTo(parts.primal, (lambda - projectOntoCone(lambda, friction)).cwiseAbs().maxCoeff() / unit.impulse);
  raiseTo(parts.dual, (w - projectOntoDualCone(w, friction)).cwiseAbs().maxCoeff() / unit.velocity);
  raiseTo(parts.complementarity, std::abs(lambda.dot(w)) / unit.product);
}

/// A contact of LAGGED or SIMILAR, whose rows are those of regularize(); w holds (R λ) of the tangents, too.
void addSoft(const ContactBlock& contact, const Vec3& lambda, Vec3 w, ContactModel model, const Units& unit,
             ResidualParts& parts) {
  const double slip = planeNorm(w[0], w[1]), tolerance = contact.stictionSpeed;
  double load = std::max(0.0, lambda[2]);
  if (model == ContactModel::Similar)
    w[2] -= contact.friction * softNorm(slip, tolerance);
  else
    load = laggedLoad(contact, lambda[2]);
  raiseTo(parts.primal, -lambda[2] / unit.impulse);
  raiseTo(parts.dual, -w[2] / unit.velocity);
  raiseTo(parts.complementarity, std::abs(lambda[2] * w[2]) / unit.product);
  // As an impulse or as the slip that makes it, whatever is less.
  const double slope = contact.friction * load / planeNorm(slip, tolerance);
  const double size = unit.impulse + slope * unit.velocity;
  for (int i = 0; i < 2; ++i) raiseTo(parts.primal, std::abs(lambda[i] + slope * w[i]) / size);
}

void addPyramid(const Vec3& lambda, const Vec3& v, double friction, int facets, const Units& unit,
                ResidualParts& parts) {
  const double bound = friction * std::max(lambda[2], 0.0);
  raiseTo(parts.primal, -lambda[2] / unit.impulse);
  raiseTo(parts.dual, -v[2] / unit.velocity);
  raiseTo(parts.complementarity, std::abs(lambda[2] * v[2]) / unit.product);
  if (facets == 4) {  // a square is two intervals
    for (int i = 0; i < 2; ++i) {
      raiseTo(parts.primal, (std::abs(lambda[i]) - bound) / unit.impulse);
      raiseTo(parts.complementarity, std::abs(lambda[i] * v[i] + bound * std::abs(v[i])) / unit.product);
    }
    return;
  }
  const Vec2 tangent = lambda.head<2>(), slip = v.head<2>();
  raiseTo(parts.primal, (polygonRadius(tangent, facets) - bound) / unit.impulse);
  raiseTo(parts.complementarity,
          std::abs(tangent.dot(slip) + bound * polygonSupport(slip, facets)) / unit.product);
}

void addJoints(const DualProblem& problem, std::span<const double> velocity, const ResidualScale& scale,
               ResidualParts& parts) {
  // A row's kind matters only where it can raise the maximum.
  const double most = scale.relative ? std::max(1.0, scale.length) / scale.velocity : 1.0;
  for (const JointBlock& joint : problem.joints)
    for (int r = 0; r < joint.rows; ++r) {
      const double v = std::abs(velocity[joint.row + r]);
      if (v * most > parts.dual)
        raiseTo(parts.dual,
                v / unitsOf(scale, 1.0, scale.relative && isRotational(problem, joint, r)).velocity);
    }
}

}  // namespace

double impulseSize(const DualProblem& problem, std::span<const double> impulse, const ResidualScale& scale) {
  double size = scale.impulse;
  for (const IntervalRow& row : problem.intervals)
    size = std::max(size, std::abs(impulse[row.row]) / (isRotational(problem, row) ? scale.length : 1.0));
  for (int r = problem.contactRow(0); r < problem.rows(); ++r) size = std::max(size, std::abs(impulse[r]));
  return size;
}

ResidualParts residualParts(const DualProblem& problem, std::span<const double> impulse,
                            std::span<const double> velocity, const SolvedLaw& law,
                            const ResidualScale& scale) {
  const ContactModel model = law.model;
  double sum = 0.0, size = 1.0;
  for (int r = 0; r < problem.rows(); ++r) {
    sum += velocity[r] * impulse[r];
    size = std::max(size, std::abs(impulse[r]));
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(sum)) return {kInfinity, kInfinity, kInfinity};
  if (scale.relative) size = impulseSize(problem, impulse, scale);
  ResidualParts parts;
  addJoints(problem, velocity, scale, parts);
  for (const IntervalRow& row : problem.intervals)
    addInterval(row, impulse[row.row], velocity[row.row],
                unitsOf(scale, size, scale.relative && isRotational(problem, row)), parts);
  const Units unit = unitsOf(scale, size, false);
  for (const ContactBlock& contact : problem.contacts) {
    const Vec3 lambda(&impulse[contact.row]), v(&velocity[contact.row]);
    if (model == ContactModel::Pyramid)
      addPyramid(lambda, v, contact.friction, law.facets, unit, parts);
    else if (model == ContactModel::Lagged || model == ContactModel::Similar)
      addSoft(contact, lambda, v, model, unit, parts);
    else
      addCone(lambda, v, contact.friction, model == ContactModel::Ncp, unit, parts);
  }
  return parts;
}

double largestResidual(const DualProblem& problem, std::span<const double> impulse,
                       std::span<const double> velocity, const SolvedLaw& law, const ResidualScale& scale) {
  return residualParts(problem, impulse, velocity, law, scale).largest();
}

double naturalMapResidual(const DualProblem& problem, std::span<const double> impulse,
                          std::span<const double> velocity, ContactModel model, const ResidualScale& scale) {
  double worst = 0.0, largest = 1.0;
  const double size = scale.relative ? impulseSize(problem, impulse, scale) : 1.0;
  for (const IntervalRow& row : problem.intervals) {
    const Units unit = unitsOf(scale, size, scale.relative && isRotational(problem, row));
    const double lambda = impulse[row.row], step = unit.impulse / unit.velocity;
    const double moved = projectOntoInterval(lambda - step * velocity[row.row], row.lower, row.upper);
    worst = std::max(worst, std::abs(lambda - moved) / unit.impulse);
    largest = std::max(largest, std::abs(lambda));
  }
  const Units unit = unitsOf(scale, size, false);
  const double step = unit.impulse / unit.velocity;
  for (const ContactBlock& contact : problem.contacts) {
    const Vec3 lambda(&impulse[contact.row]);
    Vec3 w(&velocity[contact.row]);
    if (model == ContactModel::Ncp) w[2] += deSaxce(w[0], w[1], contact.friction);
    const Vec3 moved = projectOntoCone(lambda - step * w, contact.friction);
    worst = std::max(worst, (lambda - moved).cwiseAbs().maxCoeff() / unit.impulse);
    largest = std::max(largest, lambda.cwiseAbs().maxCoeff());
  }
  return scale.relative ? worst : worst / largest;
}

double scaledNaturalMap(const DualProblem& problem, std::span<const double> impulse,
                        std::span<const double> velocity, std::span<const double> rowScale,
                        const ResidualScale& scale) {
  double worst = 0.0;
  for (const IntervalRow& row : problem.intervals) {
    const double lambda = impulse[row.row], s = rowScale[row.row - problem.jointRows];
    const double moved = projectOntoInterval(lambda - s * s * velocity[row.row], row.lower, row.upper);
    const Units unit = unitsOf(scale, 1.0, scale.relative && isRotational(problem, row));
    worst = std::max(worst, std::abs(lambda - moved) / (s * s * unit.velocity));
  }
  for (const ContactBlock& contact : problem.contacts) {
    const double s = rowScale[contact.row - problem.jointRows];
    const Vec3 lambda(&impulse[contact.row]);
    Vec3 w(&velocity[contact.row]);
    w[2] += deSaxce(w[0], w[1], contact.friction);
    const Vec3 moved = projectOntoCone(lambda - s * s * w, contact.friction);
    worst = std::max(worst, (lambda - moved).cwiseAbs().maxCoeff() / (s * s * scale.velocity));
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
