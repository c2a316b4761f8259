#include "solvers/methods/motion_impulses.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"

namespace grashof {
namespace {

/// One row block: how many iterations it took, and the residual that is left, m/s or rad/s.
struct BlockResult {
  int iterations = 0;
  double residual = 0.0;
  bool solved = false;
};

/// The least positive entry, or `otherwise` without one.
double leastPositive(const Vec3& values, double otherwise) {
  double least = std::numeric_limits<double>::infinity();
  for (const double v : values)
    if (v > 0.0) least = std::min(least, v);
  return std::isfinite(least) ? least : otherwise;
}

/// `v`: J u + bias of the contact, `compliance`: R of its rows, `proximal`: ρ, `speed`: of the largest row.
BlockResult solveContact(const Vec3& v, const Vec3& compliance, double friction, double proximal,
                         double speed, const MotionImpulseOptions& options, Vec3& impulse) {
  const double tangent = std::max(compliance[0], compliance[1]) + proximal;
  const Vec3 metric(tangent, tangent, compliance[2] + proximal);
  const Vec3 rho = metric - compliance;
  const auto saxce = [&](const Vec3& at) {
    if (options.model == ContactModel::Ccp) return 0.0;
    return deSaxce(v[0] + compliance[0] * at[0], v[1] + compliance[1] * at[1], friction);
  };
  BlockResult result;
  double correction = saxce(impulse);
  do {
    Vec3 x = rho.cwiseProduct(impulse) - v;
    x[2] -= correction;
    const Vec3 next = projectOntoConeInMetric(x.cwiseQuotient(metric), friction, metric[0], metric[2]);
    const double corrected = saxce(next);
    // `next` solves the problem in which v is changed by this.
    Vec3 change = rho.cwiseProduct(next - impulse);
    change[2] += correction - corrected;
    impulse = next;
    correction = corrected;
    result.residual = change.cwiseAbs().maxCoeff();
    result.solved = result.residual <= options.tolerance * std::max(speed, proximal * impulse[2]);
    ++result.iterations;
  } while (!result.solved && result.iterations < options.maxIterations);
  return result;
}

BlockResult solveInterval(double v, double compliance, double lower, double upper, double proximal,
                          double speed, const MotionImpulseOptions& options, double& impulse) {
  BlockResult result;
  do {
    const double next = projectOntoInterval((proximal * impulse - v) / (compliance + proximal), lower, upper);
    result.residual = std::abs(proximal * (next - impulse));
    impulse = next;
    result.solved = result.residual <= options.tolerance * std::max(speed, proximal * std::abs(impulse));
    ++result.iterations;
  } while (!result.solved && result.iterations < options.maxIterations);
  return result;
}

}  // namespace

MotionImpulseReport motionImpulses(const DualProblem& problem, std::span<const double> velocity,
                                   std::span<double> impulse, const MotionImpulseOptions& options) {
  if (!problem.coupled.empty())
    throw CallError("impulses of a motion are not found for contacts that a compliance couples");
  if (!problem.boundLoads.empty())
    throw CallError("impulses of a motion are not found where friction depends on loads");
  if (options.model != ContactModel::Ncp && options.model != ContactModel::Ccp)
    throw CallError("impulses of a motion are those of the models ncp and ccp");
  MotionImpulseReport report;
  double speed = 0.0;
  for (const double v : velocity.subspan(static_cast<std::size_t>(problem.jointRows)))
    speed = std::max(speed, std::abs(v));
  const auto note = [&](const BlockResult& r, std::size_t index, std::vector<int>& unsolved) {
    report.iterations = std::max(report.iterations, r.iterations);
    // A residual that is no number stays.
    if (!(r.residual <= report.residual)) report.residual = r.residual;
    if (!r.solved) unsolved.push_back(static_cast<int>(index));
  };
  for (std::size_t i = 0; i < problem.intervals.size(); ++i) {
    const IntervalRow& row = problem.intervals[i];
    const auto r = static_cast<std::size_t>(row.row);
    const double compliance = problem.compliance[r];
    const double unit = compliance > 0.0 ? compliance : problem.delassus(row);
    note(solveInterval(velocity[r], compliance, row.lower, row.upper, options.proximal * unit, speed, options,
                       impulse[r]),
         i, report.unsolvedIntervals);
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const auto r = static_cast<std::size_t>(contact.row);
    Vec3 v(&velocity[r]), compliance(&problem.compliance[r]), start(&impulse[r]);
    if (contact.law >= 0) {
      const double rate = v[2] - problem.bias[r + 2];
      const NormalLaw::Tangent law = problem.laws[static_cast<std::size_t>(contact.law)].tangent(rate);
      v[2] = rate + law.bias;
      compliance[2] = law.compliance;
    }
    const double unit = leastPositive(compliance, contactMobility(problem, k).mean());
    note(solveContact(v, compliance, contact.friction, options.proximal * unit, speed, options, start), k,
         report.unsolvedContacts);
    std::copy(start.begin(), start.end(), impulse.begin() + static_cast<std::ptrdiff_t>(r));
  }
  report.solved = report.unsolvedContacts.empty() && report.unsolvedIntervals.empty();
  return report;
}

}  // namespace grashof
