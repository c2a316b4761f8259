#include "solvers/problem/residuals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"
#include "solvers/problem/friction_polygon.h"
#include "solvers/problem/regularization.h"

namespace grashof {

double Residuals::worst() const { return std::max({primal, dual, complementarity, naturalMap}); }

double Residuals::judged() const { return std::max({primal, dual, complementarity / impulseSize}); }

namespace {

constexpr double kEqual = 1.0 + 1e-6;  // of two evaluations of the same residual

void raise(double& what, double value) { what = std::max(what, std::abs(value)); }

/// Rows as they are measured: impulses and velocities over their units.
struct MeasuredUnits {
  double impulse = 1.0, velocity = 1.0, length = 1.0;

  Vec3 impulses(const double* lambda) const { return Vec3(lambda) / impulse; }
  Vec3 velocities(const double* v) const { return Vec3(v) / velocity; }
};

/// One contact of the pyramid model: the normal row, and two intervals ±μ λ_n or more facets, side by side.
void addPyramid(const Vec3& lambda, const Vec3& v, double friction, int facets, Residuals& res) {
  const double normal = std::max(lambda[2], 0.0), bound = friction * normal;
  raise(res.primal, std::min(lambda[2], 0.0));
  raise(res.dual, std::min(v[2], 0.0));
  raise(res.complementarity, lambda[2] * v[2]);
  raise(res.naturalMap, lambda[2] - std::max(0.0, lambda[2] - v[2]));
  if (facets != 4) {
    const double half = std::numbers::pi / facets;
    double most = 0.0;  // c·v over the corners
    for (int k = 0; k < facets; ++k) {
      const double side = 2.0 * k * half, corner = side + half;
      raise(res.primal, std::max(0.0, lambda[0] * std::cos(side) + lambda[1] * std::sin(side) - bound));
      most = std::max(most, (v[0] * std::cos(corner) + v[1] * std::sin(corner)) / std::cos(half));
    }
    raise(res.complementarity, lambda[0] * v[0] + lambda[1] * v[1] + bound * most);
    const Vec2 moved = projectOntoPolygon(lambda.head<2>() - v.head<2>(), bound, facets);
    raise(res.naturalMap, (lambda.head<2>() - moved).cwiseAbs().maxCoeff());
    return;
  }
  for (int i = 0; i < 2; ++i) {
    raise(res.primal, lambda[i] - projectOntoInterval(lambda[i], -bound, bound));
    raise(res.complementarity, lambda[i] * v[i] + bound * std::abs(v[i]));
    raise(res.naturalMap, lambda[i] - projectOntoInterval(lambda[i] - v[i], -bound, bound));
  }
}

/// A contact of LAGGED or SIMILAR, in SI; rows as regularize() sets them.
void addSoft(const ContactBlock& contact, const Vec3& lambda, const Vec3& v, ContactModel model,
             const MeasuredUnits& unit, Residuals& res) {
  const Vec2 slip = v.head<2>();
  const double root = std::sqrt(slip.squaredNorm() + contact.stictionSpeed * contact.stictionSpeed);
  const bool similar = model == ContactModel::Similar;
  const bool known = contact.impulseBefore >= 0.0 && !similar;
  const double most = contact.friction * std::max(0.0, known ? contact.impulseBefore : lambda[2]);
  const double normal = similar ? v[2] - contact.friction * (root - contact.stictionSpeed) : v[2];
  const double n = lambda[2] / unit.impulse, w = normal / unit.velocity;
  // Steep friction is known no better than the velocities that it is of.
  const double slope = most / root;
  raise(res.primal,
        (lambda.head<2>() + slope * slip).cwiseAbs().maxCoeff() / (unit.impulse + slope * unit.velocity));
  raise(res.primal, std::min(n, 0.0));
  raise(res.dual, std::min(w, 0.0));
  raise(res.complementarity, n * w);
  raise(res.naturalMap, n - std::max(0.0, n - w));
}

void addCone(const Vec3& lambda, const Vec3& w, double friction, bool naturalMap, Residuals& res) {
  const auto largest = [](const Vec3& x) { return x.cwiseAbs().maxCoeff(); };
  raise(res.primal, largest(lambda - projectOntoCone(lambda, friction)));
  raise(res.dual, largest(w - projectOntoDualCone(w, friction)));
  raise(res.complementarity, lambda.dot(w));
  if (naturalMap) raise(res.naturalMap, largest(lambda - projectOntoCone(lambda - w, friction)));
}

void addInterval(double lambda, double velocity, double lower, double upper, Residuals& res) {
  const double up = std::max(velocity, 0.0), down = std::max(-velocity, 0.0);
  raise(res.primal, lambda - projectOntoInterval(lambda, lower, upper));
  // A bound that is infinite cannot be reached: a velocity towards it is infeasible.
  if (std::isinf(lower)) raise(res.dual, up);
  if (std::isinf(upper)) raise(res.dual, down);
  raise(res.complementarity, (std::isinf(lower) ? 0.0 : up * (lambda - lower)) +
                                 (std::isinf(upper) ? 0.0 : down * (upper - lambda)));
  raise(res.naturalMap, lambda - projectOntoInterval(lambda - velocity, lower, upper));
}

/// 1 for rows in m/s and N·s; for those in rad/s and N·m·s the length L of the scale.
double lengthOf(const DualProblem& problem, const IntervalRow& row, const MeasuredUnits& unit) {
  double linear = row.jacobianA.head<3>().cwiseAbs().sum() + row.jacobianB.head<3>().cwiseAbs().sum();
  for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t)
    linear += problem.intervalTerms[t].jacobian.head<3>().cwiseAbs().sum();
  return linear > 0.0 ? 1.0 : unit.length;
}

void addJoint(const DualProblem& problem, const JointBlock& joint, const double* v, const MeasuredUnits& unit,
              Residuals& res) {
  Vec6 linear = Vec6::Zero();
  for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
    linear += problem.jointTerms[t].jacobian.leftCols<3>().cwiseAbs().rowwise().sum();
  for (int r = 0; r < joint.rows; ++r) {
    const double velocity = v[joint.row + r] / unit.velocity * (linear[r] > 0.0 ? 1.0 : unit.length);
    raise(res.dual, velocity);
    raise(res.naturalMap, velocity);
  }
}

}  // namespace

const DualProblem& LoadedProblem::at(const DualProblem& problem, std::span<const double> impulse,
                                     ContactModel model) {
  if (problem.boundLoads.empty() && problem.laws.empty() && !isRegularized(model)) return problem;
  copyWithoutLoads(problem, fixed_);
  if (!problem.boundLoads.empty()) {
    size_.resize(problem.boundLoads.size());
    loadSizes(problem, impulse, size_);
    setBounds(problem, size_, fixed_);
  }
  twist_.resize(problem.inertia.size());
  if (!problem.laws.empty()) twistFromImpulse(problem, impulse, twist_);
  setSolutionRows(problem, model, regularization_, twist_, impulse, fixed_);
  return fixed_;
}

Residuals ResidualMeasure::measure(const DualProblem& given, std::span<const double> impulse,
                                   const SolvedLaw& law, const ResidualScale& scale, bool naturalMap) {
  const ContactModel model = law.model;
  const DualProblem& problem = loaded_.at(given, impulse, model);
  twist_.resize(problem.bodies());
  velocity_.resize(problem.rows());
  twistFromImpulse(problem, impulse, twist_);
  rowVelocities(problem, twist_, velocity_);
  addCompliance(problem, impulse, velocity_);
  double largest = 1.0, unilateral = scale.impulse, sum = 0.0;
  for (int r = 0; r < problem.rows(); ++r) {
    velocity_[r] += problem.bias[r];
    largest = std::max(largest, std::abs(impulse[r]));
    sum += velocity_[r] * impulse[r];
  }
  MeasuredUnits unit;
  if (scale.relative) {
    unit.length = scale.length;
    for (const IntervalRow& row : problem.intervals)
      unilateral = std::max(unilateral, std::abs(impulse[row.row]) / lengthOf(problem, row, unit));
    for (const ContactBlock& contact : problem.contacts)
      unilateral = std::max(unilateral, Vec3(&impulse[contact.row]).cwiseAbs().maxCoeff());
    unit.impulse = unilateral;
    unit.velocity = scale.velocity;
  }

  Residuals res;
  if (!scale.relative) res.impulseSize = largest;
  for (const JointBlock& joint : problem.joints) addJoint(problem, joint, velocity_.data(), unit, res);
  for (const IntervalRow& row : problem.intervals) {
    const double length = lengthOf(problem, row, unit), force = unit.impulse * length;
    addInterval(impulse[row.row] / force, velocity_[row.row] / unit.velocity * length, row.lower / force,
                row.upper / force, res);
  }
  for (const ContactBlock& contact : problem.contacts) {
    if (model == ContactModel::Lagged || model == ContactModel::Similar) {
      addSoft(contact, Vec3(&impulse[contact.row]), Vec3(&velocity_[contact.row]), model, unit, res);
      continue;
    }
    const Vec3 lambda = unit.impulses(&impulse[contact.row]);
    Vec3 w = unit.velocities(&velocity_[contact.row]);
    if (model == ContactModel::Ncp) w[2] += deSaxce(w[0], w[1], contact.friction);
    if (model == ContactModel::Pyramid)
      addPyramid(lambda, w, contact.friction, law.facets, res);
    else
      addCone(lambda, w, contact.friction, naturalMap, res);
  }
  if (!naturalMap) res.naturalMap = 0.0;
  if (!std::isfinite(sum))
    res.primal = res.dual = res.complementarity = res.naturalMap = std::numeric_limits<double>::infinity();
  return res;
}

Residuals measureResiduals(const DualProblem& problem, std::span<const double> impulse, const SolvedLaw& law,
                           const ResidualScale& scale, const Regularization& regularization) {
  return ResidualMeasure(regularization).measure(problem, impulse, law, scale);
}

void SolutionJudge::judge(const DualProblem& given, Solution& solution) {
  solution.atRounding = solution.worseThanNone = false;
  if (given.rows() == given.jointRows || static_cast<int>(solution.impulse.size()) != given.rows()) return;
  const DualProblem& problem = loaded_.at(given, solution.impulse, law_.model);
  // Tangents of laws are no speeds of the problem.
  const ResidualScale scale = residualScale(given.laws.empty() ? problem : given, kind_);
  floor_.fit(problem);
  solution.residual = measure_.measure(problem, solution.impulse, law_, scale, false).judged();
  if (solution.residual <= tolerance_ * kEqual) {
    solution.status = SolveStatus::Solved;
  } else if (floor_.allows(problem, solution.impulse, scale, solution.residual)) {
    solution.status = SolveStatus::Solved;
    solution.atRounding = true;
  } else if (solution.status == SolveStatus::Solved) {
    solution.status = SolveStatus::Stalled;
  }
  if (solution.status == SolveStatus::Solved) return;
  none_.assign(solution.impulse.size(), 0.0);
  solution.worseThanNone =
      !(solution.residual <= measure_.measure(given, none_, law_, scale, false).judged());
}

}  // namespace grashof
