#include "solvers/methods/gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "solvers/problem/cones.h"

namespace grashof {
namespace {

constexpr double kShrink = 0.7, kGrow = 1.05, kSmallestFactor = 1e-3, kLargestFactor = 1.5;  // of PROX
constexpr double kFrozen = 1e-7;     // change of velocities in a sweep over the tolerance: no more progress
constexpr double kDivergence = 1e8;  // residual over the best so far

using Mat63 = Eigen::Matrix<double, 6, 3>;

/// M⁻¹ Jᵀ of three rows.
Mat63 response(const InertiaBlock& inertia, const Mat36& jacobian) {
  Mat63 r;
  r.topRows<3>() = inertia.inverseMass * jacobian.leftCols<3>().transpose();
  r.bottomRows<3>().noalias() = inertia.inverseInertia * jacobian.rightCols<3>().transpose();
  return r;
}

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
    [](const LocalContact& c, const SolverOptions& o, double) { return stepPyramid(c, o.facets); },
    ContactModel::Pyramid};
const GaussSeidelMethod kJacobi = {
    [](const LocalContact& c, const SolverOptions&, double) { return stepProx(c, 1.0); }, ContactModel::Ncp,
    false, false, SweepOrder::Blocks};
const GaussSeidelMethod kPointJacobi = {
    [](const LocalContact& c, const SolverOptions&, double) { return stepProx(c, 1.0); }, ContactModel::Ncp,
    false, false, SweepOrder::Rows};

void GaussSeidel::prepareJoint(const DualProblem& problem, std::size_t index) {
  const JointBlock& joint = problem.joints[index];
  Mat6 d = Mat6::Zero();
  for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t) {
    const JointTerm& term = problem.jointTerms[t];
    const InertiaBlock& inertia = problem.inertia[term.body];
    jointResponse_[t].leftCols<3>() = response(inertia, term.jacobian.topRows<3>());
    jointResponse_[t].rightCols<3>() = response(inertia, term.jacobian.bottomRows<3>());
    d.noalias() += term.jacobian * jointResponse_[t];
  }
  for (int r = 0; r < 6; ++r) d(r, r) += r < joint.rows ? problem.compliance[joint.row + r] : 1.0;
  if (method_.order == SweepOrder::Rows) d = Mat6(d.diagonal().asDiagonal());
  joints_[index].inverse = d.ldlt().solve(Mat6::Identity());
  for (int r = joint.rows; r < 6; ++r) joints_[index].inverse(r, r) = 0.0;
}

void GaussSeidel::prepareInterval(const DualProblem& problem, std::size_t index) {
  const IntervalRow& row = problem.intervals[index];
  IntervalData& data = intervals_[index];
  data.delassus = problem.compliance[row.row];
  if (row.bodyA >= 0) {
    data.responseA = problem.inertia[row.bodyA].solve(row.jacobianA);
    data.delassus += row.jacobianA.dot(data.responseA);
  }
  if (row.bodyB >= 0) {
    data.responseB = problem.inertia[row.bodyB].solve(row.jacobianB);
    data.delassus += row.jacobianB.dot(data.responseB);
  }
  for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t) {
    const RowTerm& term = problem.intervalTerms[t];
    intervalResponse_[t] = problem.inertia[term.body].solve(term.jacobian);
    data.delassus += term.jacobian.dot(intervalResponse_[t]);
  }
}

void GaussSeidel::prepareContact(const DualProblem& problem, std::size_t index) {
  const ContactBlock& contact = problem.contacts[index];
  ContactData& data = contacts_[index];
  data.delassus = Vec3(&problem.compliance[contact.row]).asDiagonal();
  if (!problem.coupled.empty()) data.delassus += problem.coupled.block[problem.coupled.diagonal[index]];
  if (contact.bodyA >= 0) {
    data.responseA = response(problem.inertia[contact.bodyA], contact.jacobianA);
    data.delassus.noalias() += contact.jacobianA * data.responseA;
  }
  if (contact.bodyB >= 0) {
    data.responseB = response(problem.inertia[contact.bodyB], contact.jacobianB);
    data.delassus.noalias() += contact.jacobianB * data.responseB;
  }
  if (method_.order == SweepOrder::Rows) data.delassus = Mat3(data.delassus.diagonal().asDiagonal());
}

/// 1/n_k of each block. Contacts that a matrix couples are as if each shared a body with all in its row of
/// the matrix.
void GaussSeidel::prepareShares(const DualProblem& problem) {
  const bool rows = method_.order == SweepOrder::Rows;
  const auto blocksOf = [rows](int size) { return rows ? size : 1; };
  touching_.assign(problem.inertia.size(), 0);
  for (const JointBlock& joint : problem.joints)
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      touching_[problem.jointTerms[t].body] += blocksOf(joint.rows);
  for (const IntervalRow& row : problem.intervals)
    problem.forEachBody(row, [&](int body, const Vec6&) { ++touching_[body]; });
  for (const ContactBlock& contact : problem.contacts)
    for (const int body : {contact.bodyA, contact.bodyB})
      if (body >= 0) touching_[body] += blocksOf(3);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const JointBlock& joint = problem.joints[j];
    int most = 1;
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      most = std::max(most, touching_[problem.jointTerms[t].body]);
    joints_[j].share = 1.0 / most;
  }
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    int most = 1;
    problem.forEachBody(problem.intervals[i],
                        [&](int body, const Vec6&) { most = std::max(most, touching_[body]); });
    intervals_[i].share = 1.0 / most;
  }
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    int most = 1;
    for (const int body : {problem.contacts[k].bodyA, problem.contacts[k].bodyB})
      if (body >= 0) most = std::max(most, touching_[body]);
    if (!problem.coupled.empty())
      most += blocksOf(3) * (problem.coupled.start[k + 1] - problem.coupled.start[k]);
    contacts_[k].share = 1.0 / most;
  }
}

/// Delassus blocks and responses of all blocks, and the trace of M.
void GaussSeidel::prepare(const DualProblem& problem) {
  joints_.resize(problem.joints.size());
  jointResponse_.resize(problem.jointTerms.size());
  intervals_.resize(problem.intervals.size());
  intervalResponse_.resize(problem.intervalTerms.size());
  contacts_.resize(problem.contacts.size());
  for (std::size_t j = 0; j < joints_.size(); ++j) prepareJoint(problem, j);
  for (std::size_t i = 0; i < intervals_.size(); ++i) prepareInterval(problem, i);
  for (std::size_t k = 0; k < contacts_.size(); ++k) prepareContact(problem, k);
  if (method_.order != SweepOrder::OneByOne) prepareShares(problem);
  inertia_ = 0.0;
  for (const InertiaBlock& m : problem.inertia) inertia_ += 3.0 * m.mass + m.inertia.trace();
  if (problem.inertia.empty())
    for (const ContactData& contact : contacts_) inertia_ += 9.0 / contact.delassus.trace();
}

void GaussSeidel::sweepJoints(const DualProblem& problem, Solution& solution, std::span<Vec6> twist) {
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& joint = problem.joints[j];
    Vec6 v = Vec6::Zero();
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      v.noalias() += problem.jointTerms[t].jacobian * solution.twist[problem.jointTerms[t].body];
    for (int r = 0; r < joint.rows; ++r) {
      const int row = joint.row + r;
      v[r] += problem.bias[row] + problem.compliance[row] * solution.impulse[row];
    }
    const Vec6 change = -relaxation_ * joints_[j].share * (joints_[j].inverse * v);
    moved_ = std::max(moved_, v.cwiseAbs().maxCoeff());
    for (int r = 0; r < joint.rows; ++r) solution.impulse[joint.row + r] += change[r];
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      twist[problem.jointTerms[t].body].noalias() += jointResponse_[t] * change;
  }
}

void GaussSeidel::sweepIntervals(const DualProblem& problem, Solution& solution, std::span<Vec6> twist) {
  for (std::size_t i = 0; i < problem.intervals.size(); ++i) {
    const IntervalRow& row = problem.intervals[i];
    const IntervalData& data = intervals_[i];
    double& lambda = solution.impulse[row.row];
    double v = problem.bias[row.row] + problem.compliance[row.row] * lambda;
    problem.forEachBody(row,
                        [&](int body, const Vec6& jacobian) { v += jacobian.dot(solution.twist[body]); });
    const double next = projectOntoInterval(lambda - v / data.delassus, row.lower, row.upper);
    const double change = relaxation_ * data.share * (next - lambda);
    lambda += change;
    moved_ = std::max(moved_, data.delassus * std::abs(change));
    if (row.bodyA >= 0) twist[row.bodyA] += data.responseA * change;
    if (row.bodyB >= 0) twist[row.bodyB] += data.responseB * change;
    for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t)
      twist[problem.intervalTerms[t].body] += intervalResponse_[t] * change;
  }
}

void GaussSeidel::sweepContacts(const DualProblem& problem, Solution& solution, std::span<Vec6> twist) {
  // What a matrix couples is read from the impulses themselves: those before the sweep for Jacobi.
  const std::vector<double>& read = method_.order == SweepOrder::OneByOne ? solution.impulse : before_;
  const double* impulses = read.data() + problem.contactRow(0);
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
    const Vec3 change = relaxation_ * data.share * (method_.local(local, options_, factor_) - local.impulse);
    lambda += change;
    moved_ = std::max(moved_, (data.delassus * change).cwiseAbs().maxCoeff());
    if (contact.bodyA >= 0) twist[contact.bodyA].noalias() += data.responseA * change;
    if (contact.bodyB >= 0) twist[contact.bodyB].noalias() += data.responseB * change;
  }
}

void GaussSeidel::sweep(const DualProblem& problem, Solution& solution) {
  moved_ = 0.0;
  const bool atOnce = method_.order != SweepOrder::OneByOne;
  if (atOnce) {
    next_.assign(solution.twist.begin(), solution.twist.end());
    before_.assign(solution.impulse.begin(), solution.impulse.end());
  }
  std::vector<Vec6>& twist = atOnce ? next_ : solution.twist;
  sweepJoints(problem, solution, twist);
  sweepIntervals(problem, solution, twist);
  sweepContacts(problem, solution, twist);
  if (atOnce) std::copy(next_.begin(), next_.end(), solution.twist.begin());
}

/// Residual of the solution, and v⁺ in velocity_.
void GaussSeidel::measure(const DualProblem& problem, Solution& solution) {
  endVelocities(problem, solution.twist, solution.impulse, velocity_);
  solution.residual =
      largestResidual(problem, solution.impulse, velocity_, {model_, options_.facets}, units_);
}

/// ½ λᵀ D λ + λᵀ v_f, with velocity_ as measure() left it.
double GaussSeidel::objective(const Solution& solution) const {
  double value = 0.0;
  for (std::size_t r = 0; r < velocity_.size(); ++r)
    value += 0.5 * solution.impulse[r] * (velocity_[r] + free_[r]);
  return value;
}

void GaussSeidel::storeBest(const Solution& solution) {
  std::copy(solution.impulse.begin(), solution.impulse.end(), best_.begin());
}

void GaussSeidel::takeBest(const DualProblem& problem, Solution& solution) {
  std::copy(best_.begin(), best_.end(), solution.impulse.begin());
  twistFromImpulse(problem, solution.impulse, solution.twist);
  measure(problem, solution);
}

/// Twists summed over many sweeps drift: a solution must hold for the twists that follow from its impulses.
bool GaussSeidel::accepted(const DualProblem& problem, Solution& solution) {
  if (!(solution.residual <= options_.tolerance)) return false;
  twistFromImpulse(problem, solution.impulse, solution.twist);
  measure(problem, solution);
  return solution.residual <= options_.tolerance;
}

/// Adapts the step length of PROX. False when the sweep was taken back.
bool GaussSeidel::acceptOrRevert(const DualProblem& problem, Solution& solution) {
  if (solution.residual > bestResidual_ && factor_ > kSmallestFactor) {
    factor_ *= kShrink;
    takeBest(problem, solution);
    return false;
  }
  factor_ = std::min(kGrow * factor_, kLargestFactor);
  return true;
}

void GaussSeidel::start(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  if (!solution.warm || solution.impulse.size() != rows) solution.impulse.assign(rows, 0.0);
  solution.twist.resize(problem.bodies());
  velocity_.resize(rows);
  free_.resize(rows);
  best_.resize(rows);
  solution.factorizations = solution.iterations = 0;
  solution.clearHistory(options_.history ? options_.maxIterations : 0);
  prepare(problem);
  rowVelocities(problem, problem.freeTwist, free_);
  for (std::size_t r = 0; r < rows; ++r) free_[r] += problem.bias[r];
  twistFromImpulse(problem, solution.impulse, solution.twist);

  model_ = method_.model;
  if (model_ == ContactModel::Ccp && options_.deSaxce) model_ = ContactModel::Ncp;
  relaxation_ = options_.relaxation;
  factor_ = 1.0;
  units_ = residualScale(problem, options_.toleranceKind);
  floor_.fit(problem);
  solution.atRounding = false;
  measure(problem, solution);
  bestResidual_ = solution.residual;
  storeBest(solution);
  solution.status = bestResidual_ <= options_.tolerance ? SolveStatus::Solved : SolveStatus::IterationLimit;
}

void GaussSeidel::finish(const DualProblem& problem, Solution& solution) {
  if (solution.status != SolveStatus::Solved && !method_.earlyStop && bestResidual_ < solution.residual)
    takeBest(problem, solution);
  twistFromImpulse(problem, solution.impulse, solution.twist);
  acceptAtRounding(problem, units_, floor_, solution);
  completeDual(problem, velocity_, ContactModel::Ncp, solution);
}

void GaussSeidel::solve(const DualProblem& problem, Solution& solution) {
  start(problem, solution);
  double value = objective(solution);
  while (solution.status == SolveStatus::IterationLimit && solution.iterations < options_.maxIterations) {
    ++solution.iterations;
    sweep(problem, solution);
    measure(problem, solution);
    if (options_.history) {
      const ResidualParts parts =
          residualParts(problem, solution.impulse, velocity_, {model_, options_.facets}, units_);
      solution.history.push_back({parts.primal, parts.dual, parts.complementarity, relaxation_});
    }
    if (accepted(problem, solution)) {
      solution.status = SolveStatus::Solved;
      break;
    }
    if (!(solution.residual < kDivergence * std::max(bestResidual_, options_.tolerance))) {
      solution.status = SolveStatus::Stalled;
      break;
    }
    const double next = objective(solution);
    if (method_.adaptive && !acceptOrRevert(problem, solution)) continue;
    const double speed = units_.velocity;
    const bool early =
        method_.earlyStop && std::abs(next - value) <= options_.tolerance * inertia_ * speed * speed;
    if (early || moved_ <= kFrozen * options_.tolerance * speed) {
      solution.status = SolveStatus::Stalled;
      break;
    }
    value = next;
    if (solution.residual < bestResidual_ || method_.adaptive) {
      bestResidual_ = solution.residual;
      storeBest(solution);
    }
    relaxation_ =
        options_.relaxationDecay * relaxation_ + (1.0 - options_.relaxationDecay) * options_.relaxationMin;
  }
  finish(problem, solution);
}

}  // namespace grashof
