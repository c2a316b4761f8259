#include "solvers/problem/dual_problem.h"

#include <algorithm>
#include <cmath>

#include "engine/base/instruction_set.h"
#include "solvers/problem/joint_products.h"

namespace grashof {

namespace {

double inverseRoot(double d) { return d > 0.0 ? 1.0 / std::sqrt(d) : 1.0; }

const JointProducts& jointProducts() {
#if defined(__x86_64__)
  if (useAvx2()) return avx2::kJointProducts;
#endif
  return portable::kJointProducts;
}

/// @pre there are terms
TermView termsOf(const DualProblem& problem) {
  const JointTerm& first = problem.jointTerms.front();
  return {&first.body, first.jacobian.data(), sizeof(JointTerm)};
}

/// The numbers of vectors that stand one after another; null where there are none.
template <typename Vector>
auto numbersOf(std::span<Vector> vectors) {
  return vectors.empty() ? nullptr : vectors.front().data();
}

}  // namespace

ContactView viewOf(std::span<const ContactBlock> contacts) {
  const ContactBlock& first = contacts.front();
  return {&first.row,
          &first.bodyA,
          &first.bodyB,
          first.jacobianA.data(),
          first.jacobianB.data(),
          sizeof(ContactBlock),
          static_cast<int>(contacts.size())};
}

void copyWithoutLoads(const DualProblem& problem, DualProblem& fixed) {
  fixed = problem;
  fixed.boundLoads.clear();
  for (IntervalRow& row : fixed.intervals) row.loads = 0;
}

void setBounds(const DualProblem& problem, std::span<const double> size, DualProblem& fixed) {
  for (std::size_t i = 0; i < problem.intervals.size(); ++i) {
    const IntervalRow& row = problem.intervals[i];
    double lower = row.lower, upper = row.upper;
    for (int l = row.firstLoad; l < row.firstLoad + row.loads; ++l) {
      lower -= problem.boundLoads[l].lowerShare * size[l];
      upper += problem.boundLoads[l].upperShare * size[l];
    }
    fixed.intervals[i].lower = lower;
    fixed.intervals[i].upper = upper;
  }
}

void loadSizes(const DualProblem& problem, std::span<const double> impulse, std::span<double> size) {
  for (std::size_t l = 0; l < problem.boundLoads.size(); ++l) size[l] = problem.boundLoads[l].size(impulse);
}

Vec3 contactMobility(const DualProblem& problem, std::size_t index) {
  const ContactBlock& contact = problem.contacts[index];
  Vec3 d = Vec3::Zero();
  if (!problem.coupled.empty()) d = problem.coupled.block[problem.coupled.diagonal[index]].diagonal();
  for (int r = 0; r < 3; ++r) {
    if (contact.bodyA >= 0)
      d[r] += problem.inertia[contact.bodyA].delassus(contact.jacobianA.row(r).transpose());
    if (contact.bodyB >= 0)
      d[r] += problem.inertia[contact.bodyB].delassus(contact.jacobianB.row(r).transpose());
  }
  return d;
}

void scaleJointRows(const DualProblem& problem, std::span<double> scale) {
  if (problem.joints.empty()) return;
  std::copy_n(problem.compliance.begin(), problem.jointRows, scale.begin());
  const InertiaBlock& first = problem.inertia.front();
  jointProducts().delassus(problem.joints.data(), static_cast<int>(problem.joints.size()), termsOf(problem),
                           {&first.inverseMass, first.inverseInertia.data(), sizeof(InertiaBlock)},
                           scale.data());
  for (double& s : scale.first(problem.jointRows)) s = inverseRoot(s);
}

void scaleUnilateralRows(const DualProblem& problem, std::span<double> scale) {
  const int first = problem.jointRows;
  for (const IntervalRow& row : problem.intervals)
    scale[row.row - first] = inverseRoot(problem.compliance[row.row] + problem.delassus(row));
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    double d = !problem.coupled.empty() ? problem.coupled.block[problem.coupled.diagonal[k]].trace() : 0.0;
    for (int r = 0; r < 3; ++r) {
      if (contact.bodyA >= 0)
        d += problem.inertia[contact.bodyA].delassus(contact.jacobianA.row(r).transpose());
      if (contact.bodyB >= 0)
        d += problem.inertia[contact.bodyB].delassus(contact.jacobianB.row(r).transpose());
      d += problem.compliance[contact.row + r];
    }
    for (int r = 0; r < 3; ++r) scale[contact.row - first + r] = inverseRoot(d / 3.0);
  }
}

void scaleAllRows(const DualProblem& problem, std::span<double> scale) {
  scaleJointRows(problem, scale.first(problem.jointRows));
  scaleUnilateralRows(problem, scale.subspan(problem.jointRows));
}

void contactVelocities(const DualProblem& problem, std::span<const Vec6> twist, std::span<double> velocity) {
  if (!problem.contacts.empty())
    contactProducts().velocities(viewOf(problem.contacts), numbersOf(twist), velocity.data());
}

void rowVelocities(const DualProblem& problem, std::span<const Vec6> twist, std::span<double> velocity) {
  if (!problem.joints.empty())
    jointProducts().velocities(problem.joints.data(), static_cast<int>(problem.joints.size()),
                               termsOf(problem), twist.data()->data(), velocity.data());
  for (const IntervalRow& row : problem.intervals) velocity[row.row] = problem.velocity(row, twist);
  contactVelocities(problem, twist, velocity);
}

void addCompliance(const DualProblem& problem, std::span<const double> impulse, std::span<double> velocity) {
  for (int r = 0; r < problem.rows(); ++r) velocity[r] += problem.compliance[r] * impulse[r];
  if (problem.coupled.empty()) return;
  const int first = problem.contactRow(0);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    Eigen::Map<Vec3>(velocity.data() + first + 3 * k) +=
        problem.coupled.velocity(static_cast<int>(k), impulse.data() + first);
}

void addRowWrenches(const DualProblem& problem, std::span<const double> impulse, std::span<Vec6> wrench) {
  if (!problem.joints.empty())
    jointProducts().wrenches(problem.joints.data(), static_cast<int>(problem.joints.size()), termsOf(problem),
                             impulse.data(), wrench.data()->data());
  for (const IntervalRow& row : problem.intervals)
    problem.forEachBody(row,
                        [&](int body, const Vec6& jacobian) { wrench[body] += jacobian * impulse[row.row]; });
  if (!problem.contacts.empty())
    contactProducts().wrenches(viewOf(problem.contacts), impulse.data(), numbersOf(wrench));
}

void twistFromImpulse(const DualProblem& problem, std::span<const double> impulse, std::span<Vec6> twist) {
  for (Vec6& t : twist) t.setZero();
  addRowWrenches(problem, impulse, twist);
  for (int b = 0; b < problem.bodies(); ++b)
    twist[b] = problem.freeTwist[b] + problem.inertia[b].solve(twist[b]);
}

}  // namespace grashof
