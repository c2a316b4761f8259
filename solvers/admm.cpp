#include "solvers/admm.h"

#include <algorithm>
#include <cmath>

#include "solvers/cones.h"

namespace grashof {
namespace {

constexpr int kRefinements = 3;  // linear solves of one iteration; more only without unilateral rows
constexpr double kJointTolerance = 1e-12;  // m/s at unit speed: joints are exact to rounding
constexpr double kNoWrench = 1e-100;       // N·s
constexpr int kPenaltyPeriod = 8;          // iterations between looks at the penalty
constexpr double kRunaway = 1e4;           // residual (m/s, N·s) over the best so far, at least one
constexpr double kFrozenShare =
    0.1;  // of the last change of De Saxcé's term, to which a frozen problem is solved
constexpr int kStallWindow = 400;  // iterations without 1 % progress that count as stalled

/// De Saxcé's term of each contact's normal row, from the dual iterate z (scaled), into `gamma` (unscaled).
void updateDeSaxce(const DualProblem& problem, std::span<const double> scale, std::span<const double> z,
                   std::span<double> gamma) {
  for (const ContactBlock& contact : problem.contacts) {
    const int r = contact.row - problem.jointRows;
    gamma[r + 2] = deSaxce(z[r], z[r + 1], contact.friction) / scale[r];
  }
}

double diagonalOf(const InertiaBlock& m, const Eigen::Ref<const Vec6>& row) {
  return m.inverseMass * row.head<3>().squaredNorm() + row.tail<3>().dot(m.inverseInertia * row.tail<3>());
}

}  // namespace

void Admm::scaleRows(const DualProblem& problem) {
  const int first = problem.jointRows;
  for (const IntervalRow& row : problem.intervals) {
    double d = problem.compliance[row.row];
    if (row.bodyA >= 0) d += diagonalOf(problem.inertia[row.bodyA], row.jacobianA);
    if (row.bodyB >= 0) d += diagonalOf(problem.inertia[row.bodyB], row.jacobianB);
    scale_[row.row - first] = d > 0.0 ? 1.0 / std::sqrt(d) : 1.0;
  }
  for (const ContactBlock& contact : problem.contacts) {
    double d = 0.0;
    for (int r = 0; r < 3; ++r) {
      if (contact.bodyA >= 0)
        d += diagonalOf(problem.inertia[contact.bodyA], contact.jacobianA.row(r).transpose());
      if (contact.bodyB >= 0)
        d += diagonalOf(problem.inertia[contact.bodyB], contact.jacobianB.row(r).transpose());
      d += problem.compliance[contact.row + r];
    }
    const double s = d > 0.0 ? 1.0 / std::sqrt(d / 3.0) : 1.0;
    for (int r = 0; r < 3; ++r) scale_[contact.row - first + r] = s;
  }
}

double Admm::largestEigenvalue(const DualProblem& problem) {
  const int first = problem.jointRows;
  const int n = static_cast<int>(scale_.size());
  // A start vector without symmetry, the same every time.
  for (int i = 0; i < n; ++i) power_[i] = 1.0 + 0.1 * ((7 * i) % 11);
  double eigenvalue = 1.0;
  for (int iteration = 0; iteration < 6; ++iteration) {
    double norm = 0.0;
    for (const double p : power_) norm += p * p;
    norm = std::sqrt(norm);
    if (!(norm > 0.0)) break;
    std::fill(row_.begin(), row_.begin() + first, 0.0);
    for (int i = 0; i < n; ++i) row_[first + i] = scale_[i] * power_[i] / norm;
    for (Vec6& w : bodyRhs_) w.setZero();
    addRowWrenches(problem, row_, bodyRhs_);
    for (int b = 0; b < problem.bodies(); ++b) bodyRhs_[b] = problem.inertia[b].solve(bodyRhs_[b]);
    for (int i = 0; i < n; ++i) power_[i] = problem.compliance[first + i] * row_[first + i];
    rowVelocities(problem, bodyRhs_, row_);
    eigenvalue = 0.0;
    for (int i = 0; i < n; ++i) {
      power_[i] = scale_[i] * (row_[first + i] + power_[i]);
      eigenvalue += power_[i] * power_[i];
    }
    eigenvalue = std::sqrt(eigenvalue);
  }
  return std::max(eigenvalue, 1e-3);
}

bool Admm::setPenalty(const DualProblem& problem) {
  const double m = options_.proximal;
  penalty_ = std::sqrt(m * spectral_) * std::pow(spectral_ / m, exponent_);
  const int first = problem.jointRows;
  for (std::size_t i = 0; i < scale_.size(); ++i)
    weight_[i] =
        1.0 / (problem.compliance[first + i] + (options_.proximal + penalty_) / (scale_[i] * scale_[i]));
  return kkt_.factorize(problem, weight_, options_.jointProximal);
}

double Admm::jointResidual(const DualProblem& problem, const Solution& solution) {
  double worst = 0.0;
  for (const JointBlock& joint : problem.joints) {
    Vec6 v = Vec6::Zero();
    double speed = 1.0;
    for (int t = 0; t < joint.terms; ++t) {
      const JointTerm& term = problem.jointTerms[joint.firstTerm + t];
      const Vec6& twist = solution.twist[term.body];
      v.noalias() += term.jacobian * twist;
      speed = std::max(speed, twist.cwiseAbs().maxCoeff());
    }
    for (int r = 0; r < joint.rows; ++r) {
      const int row = joint.row + r;
      const double error = v[r] + problem.bias[row] + problem.compliance[row] * solution.impulse[row];
      // Errors at rounding level are not corrected: on redundant rows the correction would only pile up.
      const double tolerance = kJointTolerance * std::max(speed, std::abs(problem.bias[row]));
      jointRhs_[row] = std::abs(error) > tolerance ? -error : 0.0;
      worst = std::max(worst, std::abs(error) / tolerance);
    }
  }
  return worst;
}

void Admm::solveLinear(const DualProblem& problem, Solution& solution, bool unilateral) {
  const int first = problem.jointRows;
  const int passes = unilateral ? kRefinements : 12;
  double previousJoint = std::numeric_limits<double>::infinity(), previousBody = previousJoint;
  for (int pass = 0; pass < passes; ++pass) {
    // λ_C as a function of u, then the residuals of both equations.
    if (unilateral) {
      rowVelocities(problem, solution.twist, row_);
      for (std::size_t i = 0; i < scale_.size(); ++i)
        solution.impulse[first + i] = -weight_[i] * (row_[first + i] + offset_[i]);
    }
    const double error = jointResidual(problem, solution);
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
    const bool stuck = pass > 1 && error > 0.5 * previousJoint && bodyError > 0.5 * previousBody;
    if (pass > 0 && (done || stuck)) break;
    previousJoint = error;
    previousBody = bodyError;
    kkt_.solve(problem, bodyRhs_, jointRhs_);
    for (int b = 0; b < problem.bodies(); ++b) solution.twist[b] += bodyRhs_[b];
    for (int r = 0; r < first; ++r) solution.impulse[r] += jointRhs_[r];
  }
}

void Admm::projectRows(const DualProblem& problem) {
  const int first = problem.jointRows;
  for (const IntervalRow& row : problem.intervals) {
    const int i = row.row - first;
    y_[i] = projectOntoInterval(x_[i] - z_[i] / penalty_, row.lower / scale_[i], row.upper / scale_[i]);
  }
  for (const ContactBlock& contact : problem.contacts) {
    const int i = contact.row - first;
    const Vec3 q(x_[i] - z_[i] / penalty_, x_[i + 1] - z_[i + 1] / penalty_,
                 x_[i + 2] - z_[i + 2] / penalty_);
    const Vec3 p = projectOntoCone(q, contact.friction);
    for (int r = 0; r < 3; ++r) y_[i + r] = p[r];
  }
}

void Admm::iterate(const DualProblem& problem, Solution& solution, DeSaxce update) {
  const int first = problem.jointRows;
  const std::size_t unilateral = scale_.size();
  double best = std::numeric_limits<double>::infinity();
  int bestIteration = 0;
  double lag = update == DeSaxce::EveryIteration ? 0.0 : std::numeric_limits<double>::infinity();
  solution.status = SolveStatus::Limit;
  for (int iteration = 1; iteration <= options_.maxIterations; ++iteration) {
    solution.iterations = iteration;
    for (std::size_t i = 0; i < unilateral; ++i)
      offset_[i] = problem.bias[first + i] + gamma_[i] -
                   (options_.proximal * x_[i] + penalty_ * y_[i] + z_[i]) / scale_[i];
    solveLinear(problem, solution, true);
    rowVelocities(problem, solution.twist, row_);
    double proximalStep = 0.0;
    for (std::size_t i = 0; i < unilateral; ++i) {
      const double lambda = -weight_[i] * (row_[first + i] + offset_[i]);
      solution.impulse[first + i] = lambda;
      const double x = lambda / scale_[i];
      proximalStep = std::max(proximalStep, std::abs(x - x_[i]) / scale_[i]);
      x_[i] = x;
      previousY_[i] = y_[i];
    }
    projectRows(problem);
    double primal = 0.0, dual = 0.0, complementarity = 0.0;
    for (std::size_t i = 0; i < unilateral; ++i) {
      z_[i] -= penalty_ * (x_[i] - y_[i]);
      primal = std::max(primal, std::abs(x_[i] - y_[i]) / scale_[i]);
      dual = std::max(dual, penalty_ * std::abs(y_[i] - previousY_[i]) / scale_[i]);
      power_[i] = gamma_[i];
      complementarity = std::max(complementarity, std::abs((x_[i] - y_[i]) * z_[i]));
    }
    double worst = std::max({primal, dual, options_.proximal * proximalStep, complementarity});
    if (update == DeSaxce::EveryIteration || worst <= std::max(options_.tolerance, kFrozenShare * lag)) {
      updateDeSaxce(problem, scale_, z_, gamma_);
      lag = 0.0;
      for (std::size_t i = 0; i < unilateral; ++i) lag = std::max(lag, std::abs(gamma_[i] - power_[i]));
    }
    worst = std::max(worst, lag);
    solution.residual = worst;
    if (worst <= options_.tolerance) {
      solution.status = SolveStatus::Solved;
      break;
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
    if (iteration % kPenaltyPeriod == 0) {
      const double ratio = std::max(primal, 1e-300) / std::max(dual, 1e-300);
      const double change = std::abs(std::log10(ratio)) / std::log10(options_.penaltyThreshold);
      if (change >= 1.0) {
        const double step = options_.penaltyStep * std::min(change, 4.0);
        exponent_ = std::clamp(exponent_ + (ratio > 1.0 ? step : -step), -0.5, 1.0);
        if (!setPenalty(problem)) {
          solution.status = SolveStatus::Stalled;
          break;
        }
      }
    }
  }
}

void Admm::solve(const DualProblem& problem, Solution& solution) {
  const int rows = problem.rows();
  const int first = problem.jointRows;
  const auto unilateral = static_cast<std::size_t>(rows - first);
  const int factorizationsBefore = kkt_.factorizations();
  kkt_.plan(problem);
  row_.resize(rows);
  jointRhs_.resize(first);
  bodyRhs_.resize(problem.bodies());
  const bool warm = solution.warm && solution.impulse.size() == static_cast<std::size_t>(rows) &&
                    solution.dual.size() == static_cast<std::size_t>(rows);
  if (!warm) {
    solution.impulse.assign(rows, 0.0);
    solution.dual.assign(rows, 0.0);
  }
  // Joints are solved exactly each time: starting them from zero keeps redundant reactions at minimum norm.
  std::fill(solution.impulse.begin(), solution.impulse.begin() + first, 0.0);
  solution.twist.assign(problem.freeTwist.begin(), problem.freeTwist.end());
  solution.status = SolveStatus::Solved;
  solution.iterations = 1;
  solution.residual = 0.0;

  if (unilateral == 0) {
    if (first > 0) {
      if (kkt_.factorize(problem, {}, options_.jointProximal))
        solveLinear(problem, solution, false);
      else
        solution.status = SolveStatus::Stalled;
    }
    solution.factorizations = kkt_.factorizations() - factorizationsBefore;
    return;
  }

  for (auto* v : {&scale_, &offset_, &weight_, &x_, &y_, &z_, &previousY_, &power_}) v->resize(unilateral);
  gamma_.assign(unilateral, 0.0);
  scaleRows(problem);
  spectral_ = largestEigenvalue(problem);
  if (!warm || !exponentKnown_) exponent_ = options_.penaltyExponent;
  exponentKnown_ = true;
  if (!setPenalty(problem)) {
    solution.status = SolveStatus::Stalled;
    return;
  }
  for (std::size_t i = 0; i < unilateral; ++i) {
    x_[i] = y_[i] = solution.impulse[first + i] / scale_[i];
    z_[i] = scale_[i] * solution.dual[first + i];
  }
  updateDeSaxce(problem, scale_, z_, gamma_);

  iterate(problem, solution, DeSaxce::EveryIteration);
  if (solution.status != SolveStatus::Solved) {
    // De Saxcé's term as it goes may run away; frozen, each problem is convex and ADMM converges.
    const int spent = solution.iterations;
    exponent_ = options_.penaltyExponent;
    if (!setPenalty(problem)) return;
    std::fill(solution.impulse.begin(), solution.impulse.end(), 0.0);
    std::copy(problem.freeTwist.begin(), problem.freeTwist.end(), solution.twist.begin());
    for (auto* v : {&x_, &y_, &z_, &gamma_}) std::fill(v->begin(), v->end(), 0.0);
    iterate(problem, solution, DeSaxce::WhenConverged);
    solution.iterations += spent;
  }
  for (std::size_t i = 0; i < unilateral; ++i) solution.dual[first + i] = z_[i] / scale_[i];
  std::fill(solution.dual.begin(), solution.dual.begin() + first, 0.0);
  solution.factorizations = kkt_.factorizations() - factorizationsBefore;
}

}  // namespace grashof
