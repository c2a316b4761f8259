#include "solvers/problem/residuals.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"

namespace grashof {

double Residuals::worst() const { return std::max({primal, dual, complementarity, naturalMap}); }

namespace {

/// One contact of the pyramid model: the normal row and two intervals ±μ λ_n.
void addPyramid(const Vec3& lambda, const Vec3& v, double friction, Residuals& res) {
  const double normal = std::max(lambda[2], 0.0), bound = friction * normal;
  const auto raise = [](double& what, double value) { what = std::max(what, std::abs(value)); };
  raise(res.primal, std::min(lambda[2], 0.0));
  raise(res.dual, std::min(v[2], 0.0));
  raise(res.complementarity, lambda[2] * v[2]);
  raise(res.naturalMap, lambda[2] - std::max(0.0, lambda[2] - v[2]));
  for (int i = 0; i < 2; ++i) {
    raise(res.primal, lambda[i] - projectOntoInterval(lambda[i], -bound, bound));
    raise(res.complementarity, lambda[i] * v[i] + bound * std::abs(v[i]));
    raise(res.naturalMap, lambda[i] - projectOntoInterval(lambda[i] - v[i], -bound, bound));
  }
}

}  // namespace

Residuals measureResiduals(const DualProblem& problem, std::span<const double> impulse, ContactModel model) {
  std::vector<Vec6> twist(problem.bodies());
  std::vector<double> v(problem.rows());
  twistFromImpulse(problem, impulse, twist);
  rowVelocities(problem, twist, v);
  addCompliance(problem, impulse, v);
  for (int r = 0; r < problem.rows(); ++r) v[r] += problem.bias[r];

  Residuals res;
  for (int r = 0; r < problem.jointRows; ++r) {
    res.dual = std::max(res.dual, std::abs(v[r]));
    res.naturalMap = std::max(res.naturalMap, std::abs(v[r]));
  }
  for (const IntervalRow& row : problem.intervals) {
    const double lambda = impulse[row.row];
    const double velocity = v[row.row];
    const double up = std::max(velocity, 0.0), down = std::max(-velocity, 0.0);
    res.primal = std::max(res.primal, std::abs(lambda - projectOntoInterval(lambda, row.lower, row.upper)));
    // A bound that is infinite cannot be reached: a velocity towards it is infeasible.
    if (std::isinf(row.lower)) res.dual = std::max(res.dual, up);
    if (std::isinf(row.upper)) res.dual = std::max(res.dual, down);
    const double c = (std::isinf(row.lower) ? 0.0 : up * (lambda - row.lower)) +
                     (std::isinf(row.upper) ? 0.0 : down * (row.upper - lambda));
    res.complementarity = std::max(res.complementarity, std::abs(c));
    res.naturalMap = std::max(
        res.naturalMap, std::abs(lambda - projectOntoInterval(lambda - velocity, row.lower, row.upper)));
  }
  for (const ContactBlock& contact : problem.contacts) {
    const Eigen::Map<const Vec3> lambda(impulse.data() + contact.row);
    Vec3 w = Eigen::Map<const Vec3>(v.data() + contact.row);
    if (model == ContactModel::Pyramid) {
      addPyramid(lambda, w, contact.friction, res);
      continue;
    }
    if (model == ContactModel::Ncp) w[2] += deSaxce(w[0], w[1], contact.friction);
    const auto largest = [](const Vec3& x) { return x.cwiseAbs().maxCoeff(); };
    res.primal = std::max(res.primal, largest(lambda - projectOntoCone(lambda, contact.friction)));
    res.dual = std::max(res.dual, largest(w - projectOntoDualCone(w, contact.friction)));
    res.complementarity = std::max(res.complementarity, std::abs(lambda.dot(w)));
    res.naturalMap =
        std::max(res.naturalMap, largest(lambda - projectOntoCone(lambda - w, contact.friction)));
  }
  return res;
}

}  // namespace grashof
