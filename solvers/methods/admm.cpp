#include "solvers/methods/admm.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/cones.h"

namespace grashof {
namespace {

constexpr int kRefinements = 3;            // linear solves of an iteration that may be the last
constexpr int kRefinementsAlone = 12;      // without split rows
constexpr double kJointTolerance = 1e-12;  // m/s at unit speed: joints are exact to rounding
constexpr double kNoWrench = 1e-100;       // N·s
constexpr double kSmallestPenalty = 1e-9, kLargestPenalty = 1e9;
constexpr int kPenaltyPeriod = 8;  // iterations between looks at the penalty
constexpr double kRunaway = 1e4;   // residual (m/s, N·s) over the best so far, at least one
constexpr double kFrozenShare =
    0.1;  // of the last change of De Saxcé's term, to which a frozen problem is solved
constexpr int kSpectralPeriod = 10;  // warm-started problems of the same size that share L
constexpr int kStallWindow = 1000;   // iterations without 1 % progress that count as stalled

}  // namespace

const AdmmMethod kAdmm = {AdmmMethod::Penalty::Spectral, false, true, Acceleration::Nesterov};
const AdmmMethod kAdmmCcp = {AdmmMethod::Penalty::Fixed, true, false};
const AdmmMethod kAdmmNcpFixed = {AdmmMethod::Penalty::Fixed, true, true};
const AdmmMethod kAdmmNcpLinear = {AdmmMethod::Penalty::Linear, true, true};
const AdmmMethod kAdmmNcpSpectral = {AdmmMethod::Penalty::Spectral, true, true};

Admm::Admm(const SolverOptions& options, const AdmmMethod& method)
    : options_(options),
      method_(method),
      acceleration_(options.acceleration == Acceleration::Default ? method.acceleration
                                                                  : options.acceleration),
      accelerator_(acceleration_) {
  proximal_ = method.deSaxce ? options.proximal : 0.0;
}

/// De Saxcé's term of each contact's normal row, from the scaled dual iterate.
void Admm::updateDeSaxce(const DualProblem& problem) {
  if (!method_.deSaxce || set_ != ContactSet::Cone) return;
  for (const ContactBlock& contact : problem.contacts) {
    const int i = contact.row - split_;
    gamma_[i + 2] = deSaxce(z_[i], z_[i + 1], contact.friction) / scale_[i];
  }
}

double Admm::largestEigenvalue(const DualProblem& problem) {
  const int n = static_cast<int>(scale_.size());
  // A start vector without symmetry, the same every time.
  for (int i = 0; i < n; ++i) power_[i] = 1.0 + 0.1 * ((7 * i) % 11);
  double eigenvalue = 1.0;
  for (int iteration = 0; iteration < 6; ++iteration) {
    double norm = 0.0;
    for (const double p : power_) norm += p * p;
    norm = std::sqrt(norm);
    if (!(norm > 0.0)) break;
    std::fill(rowRhs_.begin(), rowRhs_.begin() + split_, 0.0);
    for (int i = 0; i < n; ++i) rowRhs_[split_ + i] = scale_[i] * power_[i] / norm;
    for (Vec6& w : bodyRhs_) w.setZero();
    addRowWrenches(problem, rowRhs_, bodyRhs_);
    for (int b = 0; b < problem.bodies(); ++b) bodyRhs_[b] = problem.inertia[b].solve(bodyRhs_[b]);
    rowVelocities(problem, bodyRhs_, row_);
    addCompliance(problem, rowRhs_, row_);
    eigenvalue = 0.0;
    for (int i = 0; i < n; ++i) {
      power_[i] = scale_[i] * row_[split_ + i];
      eigenvalue += power_[i] * power_[i];
    }
    eigenvalue = std::sqrt(eigenvalue);
  }
  return std::max(eigenvalue, 1e-3);
}

double Admm::firstPenalty() const {
  if (method_.penalty != AdmmMethod::Penalty::Spectral) return options_.penalty;
  const double m = options_.proximal;
  return std::sqrt(m * spectral_) * std::pow(spectral_ / m, exponent_);
}

bool Admm::setPenalty(const DualProblem& problem, double penalty) {
  penalty_ = penalty;
  for (std::size_t i = 0; i < scale_.size(); ++i)
    weight_[i] = 1.0 / (problem.compliance[split_ + i] + (proximal_ + penalty_) / (scale_[i] * scale_[i]));
  accelerator_.reset(scale_.size());
  const std::span<const double> unilateral(weight_.data() + (problem.jointRows - split_),
                                           weight_.size() - (problem.jointRows - split_));
  return kkt_.factorize(problem, unilateral,
                        method_.splitJoints ? proximal_ + penalty_ : options_.jointProximal);
}

/// False when the new matrix can't be factorized.
bool Admm::adaptPenalty(const DualProblem& problem, double primal, double dual) {
  if (method_.penalty == AdmmMethod::Penalty::Fixed) return true;
  const double ratio = std::max(primal, 1e-300) / std::max(dual, 1e-300);
  const double change = std::abs(std::log10(ratio)) / std::log10(options_.penaltyThreshold);
  if (change < 1.0) return true;
  if (method_.penalty == AdmmMethod::Penalty::Linear) {
    const double next = ratio > 1.0 ? penalty_ * options_.penaltyFactor : penalty_ / options_.penaltyFactor;
    return setPenalty(problem, std::clamp(next, kSmallestPenalty, kLargestPenalty));
  }
  const double step = options_.penaltyStep * std::min(change, 4.0);
  exponent_ = std::clamp(exponent_ + (ratio > 1.0 ? step : -step), -0.5, 1.0);
  return setPenalty(problem, firstPenalty());
}

/// Writes minus the residuals of the rows that are unknowns of the linear system into rowRhs_; returns the
/// largest over its tolerance. row_ holds J u.
double Admm::explicitResidual(const DualProblem& problem, const Solution& solution) {
  double worst = 0.0;
  const bool split = split_ == 0;
  for (const JointBlock& joint : problem.joints) {
    double speed = 1.0;
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      speed = std::max(speed, solution.twist[problem.jointTerms[t].body].cwiseAbs().maxCoeff());
    for (int r = joint.row; r < joint.row + joint.rows; ++r) {
      const double offset = split ? offset_[r] : problem.bias[r];
      const double give = split ? 1.0 / weight_[r] : problem.compliance[r];
      const double error = row_[r] + offset + give * solution.impulse[r];
      // Errors at rounding level are not corrected: on redundant rows the correction would only pile up.
      const double tolerance = kJointTolerance * std::max(speed, std::abs(offset));
      rowRhs_[r] = std::abs(error) > tolerance ? -error : 0.0;
      worst = std::max(worst, std::abs(error) / tolerance);
    }
  }
  if (!coupled_) return worst;
  const int first = problem.contactRow(0);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const int row = problem.contacts[k].row;
    const Vec3 elastic = problem.coupled.velocity(static_cast<int>(k), solution.impulse.data() + first);
    for (int r = 0; r < 3; ++r) {
      const int i = row + r - split_;
      const double own = solution.impulse[row + r] / weight_[i];
      const double error = row_[row + r] + elastic[r] + own + offset_[i];
      const double size = std::max({std::abs(elastic[r]), std::abs(own), std::abs(offset_[i]), kNoWrench});
      rowRhs_[row + r] = -error;
      worst = std::max(worst, std::abs(error) / (kJointTolerance * size));
    }
  }
  return worst;
}

void Admm::solveLinear(const DualProblem& problem, Solution& solution, int passes) {
  const int condensedEnd = coupled_ ? problem.contactRow(0) : problem.rows();
  double previousRow = std::numeric_limits<double>::infinity(), previousBody = previousRow;
  // The rows that are no unknowns follow from u.
  const auto follow = [&] {
    rowVelocities(problem, solution.twist, row_);
    for (int r = problem.jointRows; r < condensedEnd; ++r)
      solution.impulse[r] = -weight_[r - split_] * (row_[r] + offset_[r - split_]);
  };
  follow();
  for (int pass = 0; pass < passes; ++pass) {
    const double error = explicitResidual(problem, solution);
    for (Vec6& w : bodyRhs_) w.setZero();
    addRowWrenches(problem, solution.impulse, bodyRhs_);
    double bodyError = 0.0;
    for (int b = 0; b < problem.bodies(); ++b) {
      const Vec6 inertial = problem.inertia[b].multiply(solution.twist[b] - problem.freeTwist[b]);
      const double size = std::max(inertial.cwiseAbs().maxCoeff(), bodyRhs_[b].cwiseAbs().maxCoeff());
      bodyRhs_[b] -= inertial;
      // Far from what moves, wrenches fade below anything that counts: no error is relative to those.
      if (size > kNoWrench)
        bodyError = std::max(bodyError, bodyRhs_[b].cwiseAbs().maxCoeff() / (1e-13 * size));
    }
    // The first pass moves the error from one equation to the other: they are watched apart.
    const bool done = error <= 1.0 && bodyError <= 1.0;
    const bool stuck = pass > 1 && error > 0.5 * previousRow && bodyError > 0.5 * previousBody;
    if (done || stuck) break;
    previousRow = error;
    previousBody = bodyError;
    kkt_.solve(problem, bodyRhs_, rowRhs_);
    for (int b = 0; b < problem.bodies(); ++b) solution.twist[b] += bodyRhs_[b];
    for (int r = 0; r < problem.jointRows; ++r) solution.impulse[r] += rowRhs_[r];
    for (int r = condensedEnd; r < problem.rows(); ++r) solution.impulse[r] += rowRhs_[r];
    follow();
  }
}

void Admm::projectRows(const DualProblem& problem) {
  for (int r = split_; r < problem.jointRows; ++r)
    y_[r - split_] = x_[r - split_] - z_[r - split_] / penalty_;
  for (const IntervalRow& row : problem.intervals) {
    const int i = row.row - split_;
    y_[i] = projectOntoInterval(x_[i] - z_[i] / penalty_, row.lower / scale_[i], row.upper / scale_[i]);
  }
  for (const ContactBlock& contact : problem.contacts) {
    const int i = contact.row - split_;
    const Vec3 q(x_[i] - z_[i] / penalty_, x_[i + 1] - z_[i + 1] / penalty_,
                 x_[i + 2] - z_[i + 2] / penalty_);
    Eigen::Map<Vec3> y(&y_[i]);
    if (set_ == ContactSet::Cone) {
      y = projectOntoCone(q, contact.friction);
    } else {
      y = Vec3(&given_[contact.row]) / scale_[i];
      if (set_ == ContactSet::Normal)
        y[2] = std::max(0.0, q[2]);
      else
        y.head<2>() = projectOntoDisk(q.head<2>(), contact.friction * y[2]);
    }
  }
}

/// ADMM is a fixed-point iteration of q = x - z/ρ, of which y = P_K(q) and z = ρ(y - q) are functions.
void Admm::accelerate(const DualProblem& problem) {
  for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = y_[i] - z_[i] / penalty_;
  accelerator_.extrapolate(point_, next_);
  std::copy(next_.begin(), next_.end(), point_.begin());
  std::swap(x_, next_);  // projectRows() projects x - z/ρ
  std::fill(z_.begin(), z_.end(), 0.0);
  projectRows(problem);
  std::swap(x_, next_);
  for (std::size_t i = 0; i < next_.size(); ++i) z_[i] = penalty_ * (y_[i] - point_[i]);
}

double Admm::trueResidual(const DualProblem& problem, const Solution& solution) {
  if (set_ != ContactSet::Cone) return solution.residual;
  endVelocities(problem, solution.twist, solution.impulse, row_);
  return largestResidual(problem, solution.impulse, row_,
                         method_.deSaxce ? ContactModel::Ncp : ContactModel::Ccp);
}

/// z_ (unscaled) as the given impulses imply it. Kept from the problem before it would be wrong wherever a
/// gap has changed, which is most contacts that do not touch.
void Admm::warmDual(const DualProblem& problem, Solution& solution) {
  solution.twist.resize(problem.bodies());
  twistFromImpulse(problem, solution.impulse, solution.twist);
  endVelocities(problem, solution.twist, solution.impulse, row_);
  for (const IntervalRow& row : problem.intervals) {
    const double lambda = solution.impulse[row.row], v = row_[row.row];
    z_[row.row - split_] = lambda <= row.lower   ? std::max(v, 0.0)
                           : lambda >= row.upper ? std::min(v, 0.0)
                                                 : 0.0;
  }
  for (const ContactBlock& contact : problem.contacts) {
    Vec3 v(&row_[contact.row]);
    if (method_.deSaxce && set_ == ContactSet::Cone) v[2] += deSaxce(v[0], v[1], contact.friction);
    Eigen::Map<Vec3> z(&z_[contact.row - split_]);
    z = set_ == ContactSet::Cone ? projectOntoDualCone(v, contact.friction) : v;
  }
}

void Admm::iterate(const DualProblem& problem, Solution& solution, DeSaxce update) {
  const std::size_t rows = scale_.size();
  const bool accelerated = acceleration_ != Acceleration::None && update == DeSaxce::EveryIteration;
  double best = std::numeric_limits<double>::infinity();
  int bestIteration = 0;
  double lag = update == DeSaxce::EveryIteration ? 0.0 : std::numeric_limits<double>::infinity();
  solution.status = SolveStatus::IterationLimit;
  accelerator_.reset(rows);
  for (std::size_t i = 0; i < rows; ++i) point_[i] = y_[i] - z_[i] / penalty_;
  for (int iteration = 1; iteration <= options_.maxIterations; ++iteration) {
    solution.iterations = iteration;
    for (std::size_t i = 0; i < rows; ++i)
      offset_[i] =
          problem.bias[split_ + i] + gamma_[i] - (proximal_ * x_[i] + penalty_ * y_[i] + z_[i]) / scale_[i];
    // Each solve corrects what the one before has left: refining it within an iteration would buy nothing.
    solveLinear(problem, solution, 1);
    double proximalStep = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = solution.impulse[split_ + i] / scale_[i];
      proximalStep = std::max(proximalStep, std::abs(x - x_[i]) / scale_[i]);
      x_[i] = x;
      previousY_[i] = y_[i];
    }
    projectRows(problem);
    double primal = 0.0, dual = 0.0, complementarity = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      z_[i] -= penalty_ * (x_[i] - y_[i]);
      // As an impulse, and as the velocity that it makes.
      primal = std::max(primal, std::abs(x_[i] - y_[i]) * std::max(scale_[i], 1.0 / scale_[i]));
      dual = std::max(dual, penalty_ * std::abs(y_[i] - previousY_[i]) / scale_[i]);
      power_[i] = gamma_[i];
      complementarity = std::max(complementarity, std::abs((x_[i] - y_[i]) * z_[i]));
    }
    double worst = std::max({primal, dual, proximal_ * proximalStep, complementarity});
    if (update == DeSaxce::EveryIteration || worst <= std::max(options_.tolerance, kFrozenShare * lag)) {
      updateDeSaxce(problem);
      lag = 0.0;
      for (std::size_t i = 0; i < rows; ++i) lag = std::max(lag, std::abs(gamma_[i] - power_[i]));
    }
    worst = std::max(worst, lag);
    solution.residual = worst;
    if (worst <= options_.tolerance) {
      // The residuals of the iteration are those of its linear system, perturbed by η and scaled: what is
      // called solved must be it.
      solveLinear(problem, solution, kRefinements);
      worst = trueResidual(problem, solution);
      solution.residual = worst;
      if (worst <= options_.tolerance) {
        solution.status = SolveStatus::Solved;
        break;
      }
    }
    if (!(worst < 0.99 * best)) {
      if (iteration - bestIteration > kStallWindow || !(worst < kRunaway * std::max(best, 1.0))) {
        solution.status = SolveStatus::Stalled;
        break;
      }
    } else {
      best = worst;
      bestIteration = iteration;
    }
    if (accelerated) accelerate(problem);
    if (iteration % kPenaltyPeriod == 0) {
      const double before = penalty_;
      if (!adaptPenalty(problem, primal, dual)) {
        solution.status = SolveStatus::Stalled;
        break;
      }
      if (accelerated && before != penalty_)
        for (std::size_t i = 0; i < rows; ++i) point_[i] = y_[i] - z_[i] / penalty_;
    }
  }
}

void Admm::solve(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  split_ = method_.splitJoints ? 0 : problem.jointRows;
  coupled_ = !problem.coupled.empty();
  const std::size_t splitRows = rows - split_;
  const int factorizationsBefore = kkt_.factorizations();
  kkt_.plan(problem);
  row_.resize(rows);
  rowRhs_.resize(rows);
  bodyRhs_.resize(problem.bodies());
  const bool warm = solution.warm && solution.impulse.size() == rows;
  if (!warm) solution.impulse.assign(rows, 0.0);
  for (auto* v : {&scale_, &offset_, &weight_, &x_, &y_, &z_, &previousY_, &power_, &point_, &next_})
    v->resize(splitRows);
  gamma_.assign(splitRows, 0.0);
  std::fill(z_.begin(), z_.end(), 0.0);
  if (warm && splitRows > 0) warmDual(problem, solution);
  // Exact joints are solved anew each time: starting them from zero keeps redundant reactions at minimum
  // norm.
  std::fill(solution.impulse.begin(), solution.impulse.begin() + split_, 0.0);
  solution.twist.assign(problem.freeTwist.begin(), problem.freeTwist.end());
  solution.status = SolveStatus::Solved;
  solution.iterations = 1;
  solution.residual = 0.0;
  const auto fail = [&] {
    solution.status = SolveStatus::Stalled;
    solution.residual = std::numeric_limits<double>::infinity();
    solution.factorizations = kkt_.factorizations() - factorizationsBefore;
  };

  if (splitRows == 0) {
    if (rows > 0) {
      if (!kkt_.factorize(problem, {}, options_.jointProximal)) return fail();
      solveLinear(problem, solution, kRefinementsAlone);
    }
    solution.factorizations = kkt_.factorizations() - factorizationsBefore;
    return;
  }

  scaleRows(problem, split_, scale_);
  if (method_.penalty == AdmmMethod::Penalty::Spectral &&
      (!warm || spectralRows_ != splitRows || ++spectralAge_ >= kSpectralPeriod)) {
    spectral_ = largestEigenvalue(problem);
    spectralRows_ = splitRows;
    spectralAge_ = 0;
  }
  // The penalty that the last problem ended with suits the next one, too.
  const bool known = warm && penalty_ > 0.0 && method_.penalty != AdmmMethod::Penalty::Fixed;
  if (!known) exponent_ = options_.penaltyExponent;
  const bool linear = method_.penalty == AdmmMethod::Penalty::Linear;
  if (!setPenalty(problem, known && linear ? penalty_ : firstPenalty())) return fail();
  for (std::size_t i = 0; i < splitRows; ++i) {
    x_[i] = y_[i] = solution.impulse[split_ + i] / scale_[i];
    z_[i] *= scale_[i];
  }
  updateDeSaxce(problem);

  iterate(problem, solution, DeSaxce::EveryIteration);
  if (solution.status != SolveStatus::Solved && method_.again && method_.deSaxce && !method_.splitJoints &&
      set_ == ContactSet::Cone) {
    // De Saxcé's term as it goes may run away; frozen, each problem is convex and ADMM converges.
    const int spent = solution.iterations;
    exponent_ = options_.penaltyExponent;
    if (!setPenalty(problem, firstPenalty())) return fail();
    std::fill(solution.impulse.begin(), solution.impulse.end(), 0.0);
    std::copy(problem.freeTwist.begin(), problem.freeTwist.end(), solution.twist.begin());
    for (auto* v : {&x_, &y_, &z_, &gamma_}) std::fill(v->begin(), v->end(), 0.0);
    iterate(problem, solution, DeSaxce::WhenConverged);
    solution.iterations += spent;
  }
  solution.dual.resize(rows);
  for (std::size_t i = 0; i < splitRows; ++i) solution.dual[split_ + i] = z_[i] / scale_[i];
  std::fill(solution.dual.begin(), solution.dual.begin() + problem.jointRows, 0.0);
  solution.factorizations = kkt_.factorizations() - factorizationsBefore;
}

}  // namespace grashof
