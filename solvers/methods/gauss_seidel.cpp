#include "solvers/methods/gauss_seidel.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/cones.h"

namespace grashof {
namespace {

constexpr double kShrink = 0.7, kGrow = 1.05, kSmallestFactor = 1e-3, kLargestFactor = 1.5;  // of PROX
constexpr double kFrozen = 1e-7;     // change of velocities in a sweep, of the tolerance, that counts as none
constexpr double kDivergence = 1e8;  // residual over the best so far

}  // namespace

const GaussSeidelMethod kPgsCcp = {
    [](const LocalContact& c, const SolverOptions& o, double) { return stepCcp(c, o.deSaxce); },
    ContactModel::Ccp};
const GaussSeidelMethod kPgsNcp = {
    [](const LocalContact& c, const SolverOptions&, double) { return stepNcp(c); }};
const GaussSeidelMethod kNbgs = {
    [](const LocalContact& c, const SolverOptions&, double) { return solveQuartic(c); }};
const GaussSeidelMethod kRaisim = {
    [](const LocalContact& c, const SolverOptions&, double) { return solveBisection(c, false); }};
const GaussSeidelMethod kRaisimDs = {
    [](const LocalContact& c, const SolverOptions&, double) { return solveBisection(c, true); }};
const GaussSeidelMethod kRaisimDsEs = {
    [](const LocalContact& c, const SolverOptions&, double) { return solveBisection(c, true); },
    ContactModel::Ncp, true};
const GaussSeidelMethod kProx = {
    [](const LocalContact& c, const SolverOptions&, double factor) { return stepProx(c, factor); },
    ContactModel::Ncp, false, true};
const GaussSeidelMethod kLcpPgs = {
    [](const LocalContact& c, const SolverOptions&, double) { return stepPyramid(c); },
    ContactModel::Pyramid};

void GaussSeidel::prepare(const DualProblem& problem) {
  joints_.resize(problem.joints.size());
  jointResponse_.resize(problem.jointTerms.size());
  intervals_.resize(problem.intervals.size());
  contacts_.resize(problem.contacts.size());
  const auto respond = [&](int body, const Mat36& jacobian) -> Eigen::Matrix<double, 6, 3> {
    const InertiaBlock& m = problem.inertia[body];
    Eigen::Matrix<double, 6, 3> r;
    r.topRows<3>() = m.inverseMass * jacobian.leftCols<3>().transpose();
    r.bottomRows<3>().noalias() = m.inverseInertia * jacobian.rightCols<3>().transpose();
    return r;
  };
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& joint = problem.joints[j];
    Mat6 d = Mat6::Zero();
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t) {
      const JointTerm& term = problem.jointTerms[t];
      jointResponse_[t].leftCols<3>() = respond(term.body, term.jacobian.topRows<3>());
      jointResponse_[t].rightCols<3>() = respond(term.body, term.jacobian.bottomRows<3>());
      d.noalias() += term.jacobian * jointResponse_[t];
    }
    for (int r = 0; r < 6; ++r) d(r, r) += r < joint.rows ? problem.compliance[joint.row + r] : 1.0;
    joints_[j].inverse = d.ldlt().solve(Mat6::Identity());
    for (int r = joint.rows; r < 6; ++r) joints_[j].inverse(r, r) = 0.0;
  }
  for (std::size_t i = 0; i < problem.intervals.size(); ++i) {
    const IntervalRow& row = problem.intervals[i];
    IntervalData& data = intervals_[i];
    data.delassus = problem.compliance[row.row];
    if (row.bodyA >= 0) {
      data.responseA = problem.inertia[row.bodyA].solve(row.jacobianA);
      data.delassus += row.jacobianA.dot(data.responseA);
    }
    if (row.bodyB >= 0) {
      data.responseB = problem.inertia[row.bodyB].solve(row.jacobianB);
      data.delassus += row.jacobianB.dot(data.responseB);
    }
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    ContactData& data = contacts_[k];
    data.delassus = Vec3(&problem.compliance[contact.row]).asDiagonal();
    if (!problem.coupled.empty()) data.delassus += problem.coupled.block[problem.coupled.diagonal[k]];
    if (contact.bodyA >= 0) {
      data.responseA = respond(contact.bodyA, contact.jacobianA);
      data.delassus.noalias() += contact.jacobianA * data.responseA;
    }
    if (contact.bodyB >= 0) {
      data.responseB = respond(contact.bodyB, contact.jacobianB);
      data.delassus.noalias() += contact.jacobianB * data.responseB;
    }
  }
  inertia_ = 0.0;
  for (const InertiaBlock& m : problem.inertia) inertia_ += 3.0 * m.mass + m.inertia.trace();
  if (problem.inertia.empty())
    for (const ContactData& contact : contacts_) inertia_ += 9.0 / contact.delassus.trace();
}

void GaussSeidel::sweepJoints(const DualProblem& problem, Solution& solution, double relaxation) {
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& joint = problem.joints[j];
    Vec6 v = Vec6::Zero();
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      v.noalias() += problem.jointTerms[t].jacobian * solution.twist[problem.jointTerms[t].body];
    for (int r = 0; r < joint.rows; ++r) {
      const int row = joint.row + r;
      v[r] += problem.bias[row] + problem.compliance[row] * solution.impulse[row];
    }
    const Vec6 change = -relaxation * (joints_[j].inverse * v);
    moved_ = std::max(moved_, v.cwiseAbs().maxCoeff());
    for (int r = 0; r < joint.rows; ++r) solution.impulse[joint.row + r] += change[r];
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      solution.twist[problem.jointTerms[t].body].noalias() += jointResponse_[t] * change;
  }
}

void GaussSeidel::sweepIntervals(const DualProblem& problem, Solution& solution, double relaxation) {
  for (std::size_t i = 0; i < problem.intervals.size(); ++i) {
    const IntervalRow& row = problem.intervals[i];
    const IntervalData& data = intervals_[i];
    double& lambda = solution.impulse[row.row];
    double v = problem.bias[row.row] + problem.compliance[row.row] * lambda;
    if (row.bodyA >= 0) v += row.jacobianA.dot(solution.twist[row.bodyA]);
    if (row.bodyB >= 0) v += row.jacobianB.dot(solution.twist[row.bodyB]);
    const double next = projectOntoInterval(lambda - v / data.delassus, row.lower, row.upper);
    const double change = relaxation * (next - lambda);
    lambda += change;
    moved_ = std::max(moved_, data.delassus * std::abs(change));
    if (row.bodyA >= 0) solution.twist[row.bodyA] += data.responseA * change;
    if (row.bodyB >= 0) solution.twist[row.bodyB] += data.responseB * change;
  }
}

void GaussSeidel::sweepContacts(const DualProblem& problem, Solution& solution, double relaxation,
                                double factor) {
  const double* impulses = solution.impulse.data() + problem.contactRow(0);
  const bool coupled = !problem.coupled.empty();
  LocalContact local;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const ContactData& data = contacts_[k];
    Eigen::Map<Vec3> lambda(&solution.impulse[contact.row]);
    Vec3 v = Vec3(&problem.bias[contact.row]) + Vec3(&problem.compliance[contact.row]).cwiseProduct(lambda);
    if (contact.bodyA >= 0) v.noalias() += contact.jacobianA * solution.twist[contact.bodyA];
    if (contact.bodyB >= 0) v.noalias() += contact.jacobianB * solution.twist[contact.bodyB];
    if (coupled) v += problem.coupled.velocity(static_cast<int>(k), impulses);
    local.delassus = data.delassus;
    local.impulse = lambda;
    local.free = v - data.delassus * lambda;
    local.friction = contact.friction;
    const Vec3 change = relaxation * (method_.local(local, options_, factor) - local.impulse);
    lambda += change;
    moved_ = std::max(moved_, (data.delassus * change).cwiseAbs().maxCoeff());
    if (contact.bodyA >= 0) solution.twist[contact.bodyA].noalias() += data.responseA * change;
    if (contact.bodyB >= 0) solution.twist[contact.bodyB].noalias() += data.responseB * change;
  }
}

double GaussSeidel::measure(const DualProblem& problem, const Solution& solution) {
  endVelocities(problem, solution.twist, solution.impulse, velocity_);
  return largestResidual(problem, solution.impulse, velocity_, model_);
}

/// ½ λᵀ D λ + λᵀ v_f, with velocity_ as measure() left it.
double GaussSeidel::objective(const Solution& solution) const {
  double value = 0.0;
  for (std::size_t r = 0; r < velocity_.size(); ++r)
    value += 0.5 * solution.impulse[r] * (velocity_[r] + free_[r]);
  return value;
}

void GaussSeidel::solve(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  if (!solution.warm || solution.impulse.size() != rows) solution.impulse.assign(rows, 0.0);
  solution.dual.resize(rows);
  solution.twist.resize(problem.bodies());
  velocity_.resize(rows);
  free_.resize(rows);
  best_.resize(rows);
  solution.factorizations = 0;
  prepare(problem);
  rowVelocities(problem, problem.freeTwist, free_);
  for (std::size_t r = 0; r < rows; ++r) free_[r] += problem.bias[r];
  twistFromImpulse(problem, solution.impulse, solution.twist);

  model_ = method_.model;
  if (model_ == ContactModel::Ccp && options_.deSaxce) model_ = ContactModel::Ncp;
  double relaxation = options_.relaxation, factor = 1.0;
  double worst = measure(problem, solution), best = worst;
  std::copy(solution.impulse.begin(), solution.impulse.end(), best_.begin());
  double value = objective(solution);
  const auto takeBest = [&] {
    std::copy(best_.begin(), best_.end(), solution.impulse.begin());
    twistFromImpulse(problem, solution.impulse, solution.twist);
    worst = measure(problem, solution);
  };
  solution.status = worst <= options_.tolerance ? SolveStatus::Solved : SolveStatus::IterationLimit;
  solution.iterations = 0;
  while (solution.status == SolveStatus::IterationLimit && solution.iterations < options_.maxIterations) {
    ++solution.iterations;
    moved_ = 0.0;
    sweepJoints(problem, solution, relaxation);
    sweepIntervals(problem, solution, relaxation);
    sweepContacts(problem, solution, relaxation, factor);
    worst = measure(problem, solution);
    if (worst <= options_.tolerance) {
      // Twists summed up over many sweeps drift: judge those that follow from the impulses.
      twistFromImpulse(problem, solution.impulse, solution.twist);
      worst = measure(problem, solution);
      if (worst <= options_.tolerance) {
        solution.status = SolveStatus::Solved;
        break;
      }
    }
    if (!(worst < kDivergence * std::max(best, options_.tolerance))) {
      solution.status = SolveStatus::Stalled;
      break;
    }
    const double next = objective(solution);
    if (method_.adaptive) {
      if (worst > best && factor > kSmallestFactor) {
        factor *= kShrink;
        takeBest();
        continue;
      }
      factor = std::min(kGrow * factor, kLargestFactor);
    }
    if (method_.earlyStop && std::abs(next - value) <= options_.tolerance * inertia_) {
      solution.status = SolveStatus::Stalled;
      break;
    }
    if (moved_ <= kFrozen * options_.tolerance) {
      solution.status = SolveStatus::Stalled;
      break;
    }
    value = next;
    if (worst < best || method_.adaptive) {
      best = worst;
      std::copy(solution.impulse.begin(), solution.impulse.end(), best_.begin());
    }
    relaxation =
        options_.relaxationDecay * relaxation + (1.0 - options_.relaxationDecay) * options_.relaxationMin;
  }
  if (solution.status != SolveStatus::Solved && !method_.earlyStop && best < worst) takeBest();
  twistFromImpulse(problem, solution.impulse, solution.twist);
  solution.residual = worst;
  for (std::size_t r = 0; r < rows; ++r) solution.dual[r] = velocity_[r];
  std::fill(solution.dual.begin(), solution.dual.begin() + problem.jointRows, 0.0);
  for (const ContactBlock& contact : problem.contacts)
    solution.dual[contact.row + 2] +=
        deSaxce(solution.dual[contact.row], solution.dual[contact.row + 1], contact.friction);
}

}  // namespace grashof
