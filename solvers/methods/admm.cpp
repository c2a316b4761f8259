#include "solvers/methods/admm.h"

#include <algorithm>
#include <cmath>

#include "solvers/linear/power_iteration.h"
#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"
#include "solvers/problem/friction_polygon.h"
#include "solvers/problem/stall_monitor.h"

namespace grashof {
namespace {

constexpr int kRefinements = 3;            // linear solves of an iteration that may be the last
constexpr int kRefinementsAlone = 12;      // without split rows
constexpr double kJointTolerance = 1e-12;  // m/s at unit speed: joints are exact to rounding
constexpr double kBodyTolerance = 1e-13;   // of a body's momentum balance, relative
constexpr double kNoWrench = 1e-100;       // N·s
constexpr double kSmallestPenalty = 1e-9, kLargestPenalty = 1e9;
constexpr int kPenaltyPeriod = 8;           // iterations between changes of the penalty
constexpr double kMostExponentSteps = 4.0;  // of the spectral exponent at once
constexpr double kRunaway = 1e4;            // residual over max(1, the one at the last progress), diverged
// A problem with De Saxcé's term frozen is solved to this share of the term's last change.
constexpr double kFrozenShare = 0.1;
constexpr int kSpectralPeriod = 10;  // warm-started problems of the same size that share L
constexpr int kSpectralIterations = 6;
constexpr double kMinSpectralNorm = 1e-3;
constexpr double kAdmmProgress = 0.99;  // of the residual at the last progress
constexpr int kStallWindow = 1000;      // iterations without progress that count as stalled

}  // namespace

const AdmmMethod kAdmm = {AdmmMethod::Penalty::Spectral, false, true, Acceleration::Anderson};
const AdmmMethod kAdmmCcp = {AdmmMethod::Penalty::Fixed, true, false};
const AdmmMethod kAdmmCcpSpectral = {AdmmMethod::Penalty::Spectral, true, false};
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

/// Largest eigenvalue of s (D + R + W) s over the split rows. Uses next_ as its vector.
double Admm::estimateSpectralNorm(const DualProblem& problem) {
  const int n = static_cast<int>(scale_.size());
  for (int i = 0; i < n; ++i) next_[i] = powerStart(i);
  const auto norm = [&] {
    double square = 0.0;
    for (const double p : next_) square += p * p;
    return std::sqrt(square);
  };
  const auto apply = [&](double size) {
    std::fill(rowRhs_.begin(), rowRhs_.begin() + split_, 0.0);
    for (int i = 0; i < n; ++i) rowRhs_[split_ + i] = scale_[i] * next_[i] / size;
    for (Vec6& w : bodyRhs_) w.setZero();
    addRowWrenches(problem, rowRhs_, bodyRhs_);
    for (int b = 0; b < problem.bodies(); ++b) bodyRhs_[b] = problem.inertia[b].solve(bodyRhs_[b]);
    rowVelocities(problem, bodyRhs_, row_);
    addCompliance(problem, rowRhs_, row_);
    for (int i = 0; i < n; ++i) next_[i] = scale_[i] * row_[split_ + i];
  };
  const double found = powerIteration(kSpectralIterations, norm, apply);
  // Scaled rows have ones on their diagonal.
  return method_.literal ? std::max(found, 1e-300) : std::max(found, kMinSpectralNorm);
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
  if (!method_.literal) return kkt_.factorize(problem, unilateral, options_.jointProximal);
  // The linear system scales its joint rows; as a compliance the penalty has the unit of the rows themselves.
  for (int r = 0; r < problem.jointRows; ++r) penalized_.compliance[r] = 1.0 / weight_[r];
  return kkt_.factorize(penalized_, unilateral, options_.jointProximal);
}

/// Moves the penalty when the residuals are out of balance. False when the new matrix cannot be factorized.
bool Admm::adaptPenalty(const DualProblem& problem, double primal, double dual) {
  if (method_.penalty == AdmmMethod::Penalty::Fixed) return true;
  const double ratio = std::max(primal, 1e-300) / std::max(dual, 1e-300);
  const double change = std::abs(std::log10(ratio)) / std::log10(options_.penaltyThreshold);
  if (change < 1.0) return true;
  double next = 0.0;
  if (method_.penalty == AdmmMethod::Penalty::Linear) {
    next = ratio > 1.0 ? penalty_ * options_.penaltyFactor : penalty_ / options_.penaltyFactor;
    next = std::clamp(next, kSmallestPenalty, kLargestPenalty);
  } else {
    const double step = options_.penaltyStep * (method_.literal ? 1.0 : std::min(change, kMostExponentSteps));
    exponent_ = std::clamp(exponent_ + (ratio > 1.0 ? step : -step), -0.5, 1.0);
    next = firstPenalty();
  }
  return next == penalty_ || setPenalty(problem, next);
}

/// Writes minus the residuals of the rows that are unknowns of the linear system into rowRhs_. Returns the
/// largest over its tolerance. row_ holds J u.
double Admm::explicitResidual(const DualProblem& problem, const Solution& solution) {
  double worst = 0.0;
  const bool split = split_ == 0;
  for (const JointBlock& joint : problem.joints) {
    double speed = std::min(1.0, units_.velocity);
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      speed = std::max(speed, solution.twist[problem.jointTerms[t].body].cwiseAbs().maxCoeff());
    for (int r = joint.row; r < joint.row + joint.rows; ++r) {
      const double offset = split ? offset_[r] : problem.bias[r];
      const double diagonal = split ? 1.0 / weight_[r] : problem.compliance[r];
      const double error = row_[r] + offset + diagonal * solution.impulse[r];
      // Errors at rounding level are not corrected: on redundant rows the corrections would add up.
      const double tolerance = kJointTolerance * std::max(speed, std::abs(offset));
      rowRhs_[r] = std::abs(error) > tolerance ? -error : 0.0;
      worst = std::max(worst, std::abs(error) / tolerance);
    }
  }
  return coupled_ ? std::max(worst, coupledResidual(problem, solution)) : worst;
}

/// The same of coupled contacts.
double Admm::coupledResidual(const DualProblem& problem, const Solution& solution) {
  double worst = 0.0;
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

/// Writes the residuals of the bodies' equations into bodyRhs_. Returns the largest over its tolerance.
double Admm::bodyResidual(const DualProblem& problem, const Solution& solution) {
  double worst = 0.0;
  for (Vec6& w : bodyRhs_) w.setZero();
  addRowWrenches(problem, solution.impulse, bodyRhs_);
  for (int b = 0; b < problem.bodies(); ++b) {
    const Vec6 inertial = problem.inertia[b].multiply(solution.twist[b] - problem.freeTwist[b]);
    const double size = std::max(inertial.cwiseAbs().maxCoeff(), bodyRhs_[b].cwiseAbs().maxCoeff());
    bodyRhs_[b] -= inertial;
    // Far from what moves, wrenches fade towards zero: an error relative to those would mean nothing.
    if (size > kNoWrench)
      worst = std::max(worst, bodyRhs_[b].cwiseAbs().maxCoeff() / (kBodyTolerance * size));
  }
  return worst;
}

/// Solves the linear system of the present offsets and weights by corrections to the present (u, λ): one
/// solve per pass, until the residuals are at rounding level or stop falling.
void Admm::solveLinear(const DualProblem& problem, Solution& solution, int passes) {
  const int condensedEnd = coupled_ ? problem.contactRow(0) : problem.rows();
  double previousRow = std::numeric_limits<double>::infinity(), previousBody = previousRow;
  // Impulses of condensed rows follow from u.
  const auto follow = [&] {
    rowVelocities(problem, solution.twist, row_);
    for (int r = problem.jointRows; r < condensedEnd; ++r)
      solution.impulse[r] = -weight_[r - split_] * (row_[r] + offset_[r - split_]);
  };
  follow();
  for (int pass = 0; pass < passes; ++pass) {
    const double rowError = explicitResidual(problem, solution);
    const double bodyError = bodyResidual(problem, solution);
    // The first pass moves the error from one equation to the other, so each has its own test.
    const bool done = rowError <= 1.0 && bodyError <= 1.0;
    const bool stuck = pass > 1 && rowError > 0.5 * previousRow && bodyError > 0.5 * previousBody;
    if (done || stuck) break;
    previousRow = rowError;
    previousBody = bodyError;
    kkt_.solve(problem, bodyRhs_, rowRhs_);
    for (int b = 0; b < problem.bodies(); ++b) solution.twist[b] += bodyRhs_[b];
    for (int r = 0; r < problem.jointRows; ++r) solution.impulse[r] += rowRhs_[r];
    for (int r = condensedEnd; r < problem.rows(); ++r) solution.impulse[r] += rowRhs_[r];
    follow();
  }
}

/// y = P_K(x - z/ρ).
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
      else if (set_ == ContactSet::Disk)
        y.head<2>() = projectOntoDisk(q.head<2>(), contact.friction * y[2]);
      else
        y.head<2>() = projectOntoPolygon(q.head<2>(), contact.friction * y[2], options_.facets);
    }
  }
}

/// Extrapolates the iterates. ADMM is a fixed-point iteration of q = x - z/ρ; y = P_K(q) and z = ρ(y - q) are
/// functions of q.
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
                         method_.deSaxce ? ContactModel::Ncp : ContactModel::Ccp, units_);
}

/// Dual start for a warm start (unscaled): the projection of v⁺ + Γ(v⁺) onto K*, with v⁺ computed from the
/// given impulses. The z of the previous problem is not reused: it contains the old gaps, and the gaps of
/// separated contacts have changed.
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

double Admm::IterationResiduals::largest() const {
  return std::max({primal, dual, proximal, complementarity});
}

/// Constant term of the split rows' equations: what is left when the terms in u and λ are taken out.
void Admm::updateOffsets(const DualProblem& problem) {
  for (std::size_t i = 0; i < scale_.size(); ++i)
    offset_[i] =
        problem.bias[split_ + i] + gamma_[i] - (proximal_ * x_[i] + penalty_ * y_[i] + z_[i]) / scale_[i];
}

/// x from the impulses of the linear solve, y and z from x; keeps Γ in lastGamma_.
Admm::IterationResiduals Admm::updateIterates(const DualProblem& problem, const Solution& solution) {
  const std::size_t rows = scale_.size();
  IterationResiduals residuals;
  double step = 0.0;
  const double impulse = units_.relative ? impulseSize(problem, solution.impulse, units_) : 1.0;
  const double velocity = units_.velocity;
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = solution.impulse[split_ + i] / scale_[i];
    step = std::max(step, std::abs(x - x_[i]) / scale_[i]);
    x_[i] = x;
    previousY_[i] = y_[i];
  }
  residuals.proximal = proximal_ * step / velocity;
  const bool relaxed = method_.literal && options_.relaxation != 1.0;
  if (relaxed) relax();
  projectRows(problem);
  for (std::size_t i = 0; i < rows; ++i) {
    z_[i] -= penalty_ * (x_[i] - y_[i]);
    if (relaxed) x_[i] = exact_[i];
    // As an impulse, and as the velocity that it makes.
    residuals.primal =
        std::max(residuals.primal,
                 std::abs(x_[i] - y_[i]) * std::max(scale_[i] / impulse, 1.0 / (scale_[i] * velocity)));
    residuals.dual =
        std::max(residuals.dual, penalty_ * std::abs(y_[i] - previousY_[i]) / (scale_[i] * velocity));
    residuals.complementarity =
        std::max(residuals.complementarity, std::abs((x_[i] - y_[i]) * z_[i]) / (impulse * velocity));
    lastGamma_[i] = gamma_[i];
  }
  return residuals;
}

/// x becomes ω x + (1 - ω) y⁻; exact_ keeps it.
void Admm::relax() {
  const double share = options_.relaxation;
  std::copy(x_.begin(), x_.end(), exact_.begin());
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = share * x_[i] + (1.0 - share) * previousY_[i];
}

/// adaptPenalty() by ‖x - y‖∞ and ρ ‖y - y⁻‖∞, whatever the unit of a row is.
bool Admm::adaptLiterally(const DualProblem& problem) {
  double primal = 0.0, dual = 0.0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    primal = std::max(primal, std::abs(x_[i] - y_[i]));
    dual = std::max(dual, penalty_ * std::abs(y_[i] - previousY_[i]));
  }
  return adaptPenalty(problem, primal, dual);
}

/// Γ at the present z. Returns its largest change over V.
double Admm::refreshDeSaxce(const DualProblem& problem) {
  updateDeSaxce(problem);
  double change = 0.0;
  for (std::size_t i = 0; i < gamma_.size(); ++i)
    change = std::max(change, std::abs(gamma_[i] - lastGamma_[i]));
  return change / units_.velocity;
}

/// The residuals of an iteration are those of its linear system, perturbed by η and scaled; a solution must
/// also satisfy the problem itself, as well as rounding allows. Sets the residual to that.
bool Admm::accepted(const DualProblem& problem, Solution& solution) {
  solveLinear(problem, solution, kRefinements);
  solution.residual = trueResidual(problem, solution);
  if (solution.residual <= options_.tolerance) return true;
  solution.atRounding = floor_.allows(problem, solution.impulse, units_, solution.residual);
  return solution.atRounding;
}

void Admm::recordIteration(const IterationResiduals& residuals, Solution& solution) const {
  if (options_.history)
    solution.history.push_back({residuals.primal, residuals.dual, residuals.complementarity, penalty_});
}

void Admm::startPoint() {
  for (std::size_t i = 0; i < point_.size(); ++i) point_[i] = y_[i] - z_[i] / penalty_;
}

void Admm::iterate(const DualProblem& problem, Solution& solution, DeSaxce update) {
  const bool everyIteration = update == DeSaxce::EveryIteration;
  const bool accelerated = acceleration_ != Acceleration::None && everyIteration;
  StallMonitor progress(kAdmmProgress, kStallWindow, StallMonitor::Reference::LastProgress);
  double lag = everyIteration ? 0.0 : std::numeric_limits<double>::infinity();  // last change of Γ
  solution.status = SolveStatus::IterationLimit;
  accelerator_.reset(scale_.size());
  startPoint();
  for (int iteration = 1; iteration <= options_.maxIterations; ++iteration) {
    solution.iterations = iteration;
    updateOffsets(problem);
    // Each solve corrects the error of the one before: refinement within an iteration would gain nothing.
    solveLinear(problem, solution, 1);
    const IterationResiduals residuals = updateIterates(problem, solution);
    recordIteration(residuals, solution);
    if (everyIteration || residuals.largest() <= std::max(options_.tolerance, kFrozenShare * lag))
      lag = refreshDeSaxce(problem);
    solution.residual = std::max(residuals.largest(), lag);
    if (solution.residual <= options_.tolerance && accepted(problem, solution)) {
      solution.status = SolveStatus::Solved;
      return;
    }
    progress.observe(solution.residual);
    const bool runaway = !(solution.residual < kRunaway * std::max(progress.reference(), 1.0));
    bool factorized = true;
    if (!progress.stalled() && !runaway) {
      if (accelerated) accelerate(problem);
      if (method_.literal || iteration % kPenaltyPeriod == 0) {
        const double before = penalty_;
        factorized = method_.literal ? adaptLiterally(problem)
                                     : adaptPenalty(problem, residuals.primal, residuals.dual);
        if (accelerated && before != penalty_) startPoint();
      }
    }
    if (progress.stalled() || runaway || !factorized) {
      solution.status = SolveStatus::Stalled;
      return;
    }
  }
}

/// Sizes, the symbolic plan, impulses and dual to start from. Returns whether the start is warm.
bool Admm::prepare(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  split_ = method_.literal ? 0 : problem.jointRows;
  coupled_ = !problem.coupled.empty();
  const std::size_t splitRows = rows - split_;
  factorizationsBefore_ = kkt_.factorizations();
  kkt_.analyze(problem);
  row_.resize(rows);
  rowRhs_.resize(rows);
  bodyRhs_.resize(problem.bodies());
  const bool warm = solution.warm && solution.impulse.size() == rows;
  if (!warm) solution.impulse.assign(rows, 0.0);
  for (auto* v :
       {&scale_, &offset_, &weight_, &x_, &y_, &z_, &previousY_, &lastGamma_, &point_, &next_, &exact_})
    v->resize(splitRows);
  gamma_.assign(splitRows, 0.0);
  std::fill(z_.begin(), z_.end(), 0.0);
  if (warm && splitRows > 0) warmDual(problem, solution);
  // Exact joints are solved from zero each time, which keeps redundant reactions at minimum norm.
  std::fill(solution.impulse.begin(), solution.impulse.begin() + split_, 0.0);
  solution.twist.assign(problem.freeTwist.begin(), problem.freeTwist.end());
  solution.atRounding = false;
  units_ = splitRows > 0 ? residualScale(problem, options_.toleranceKind) : ResidualScale{};
  floor_.fit(problem);
  const std::size_t attempts = method_.retryLagged ? 2 : 1;
  solution.clearHistory(options_.history ? attempts * options_.maxIterations : 0);
  return warm;
}

bool Admm::solveJointsOnly(const DualProblem& problem, Solution& solution) {
  solution.status = SolveStatus::Solved;
  solution.iterations = 1;
  solution.residual = 0.0;
  if (problem.rows() == 0) return true;
  if (!kkt_.factorize(problem, {}, options_.jointProximal)) return false;
  solveLinear(problem, solution, kRefinementsAlone);
  return true;
}

/// Scales, L where it is due, and the first penalty. False when the matrix cannot be factorized.
bool Admm::startPenalty(const DualProblem& problem, bool warm) {
  if (method_.literal) {
    std::fill(scale_.begin(), scale_.end(), 1.0);
    penalized_ = problem;
  } else {
    scaleUnilateralRows(problem, scale_);
  }
  if (method_.penalty == AdmmMethod::Penalty::Spectral &&
      (!warm || spectralRows_ != scale_.size() || ++spectralAge_ >= kSpectralPeriod)) {
    spectral_ = estimateSpectralNorm(problem);
    spectralRows_ = scale_.size();
    spectralAge_ = 0;
  }
  // The penalty at the end of the last problem suits the next one, too.
  const bool known = warm && penalty_ > 0.0 && method_.penalty != AdmmMethod::Penalty::Fixed;
  if (!known) exponent_ = options_.penaltyExponent;
  const bool linear = method_.penalty == AdmmMethod::Penalty::Linear;
  return setPenalty(problem, known && linear ? penalty_ : firstPenalty());
}

/// x, y, z (scaled) and Γ from the impulses and the unscaled z.
void Admm::startIterates(const DualProblem& problem, const Solution& solution) {
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    x_[i] = y_[i] = solution.impulse[split_ + i] / scale_[i];
    z_[i] *= scale_[i];
  }
  updateDeSaxce(problem);
}

/// De Saxcé's term may diverge when it changes in every iteration. With the term frozen, each problem is
/// convex and ADMM converges. Starts cold. False when the matrix cannot be factorized.
bool Admm::retryWithLaggedDeSaxce(const DualProblem& problem, Solution& solution) {
  const int spent = solution.iterations;
  exponent_ = options_.penaltyExponent;
  if (!setPenalty(problem, firstPenalty())) return false;
  std::fill(solution.impulse.begin(), solution.impulse.end(), 0.0);
  std::copy(problem.freeTwist.begin(), problem.freeTwist.end(), solution.twist.begin());
  for (auto* v : {&x_, &y_, &z_, &gamma_}) std::fill(v->begin(), v->end(), 0.0);
  iterate(problem, solution, DeSaxce::WhenConverged);
  solution.iterations += spent;
  return true;
}

void Admm::finish(const DualProblem& problem, Solution& solution) {
  solution.dual.resize(problem.rows());
  for (std::size_t i = 0; i < scale_.size(); ++i) solution.dual[split_ + i] = z_[i] / scale_[i];
  std::fill(solution.dual.begin(), solution.dual.begin() + problem.jointRows, 0.0);
}

void Admm::solve(const DualProblem& problem, Solution& solution) {
  const bool warm = prepare(problem, solution);
  bool factorized = true;
  if (scale_.empty()) {
    factorized = solveJointsOnly(problem, solution);
  } else {
    solution.iterations = 1;
    factorized = startPenalty(problem, warm);
    if (factorized) {
      startIterates(problem, solution);
      iterate(problem, solution, DeSaxce::EveryIteration);
      const bool ncpWithExactJoints = method_.deSaxce && !method_.literal && set_ == ContactSet::Cone;
      if (solution.status != SolveStatus::Solved && method_.retryLagged && ncpWithExactJoints)
        factorized = retryWithLaggedDeSaxce(problem, solution);
    }
    if (factorized) finish(problem, solution);
  }
  if (!factorized) {
    solution.status = SolveStatus::Stalled;
    solution.residual = std::numeric_limits<double>::infinity();
  }
  solution.factorizations = kkt_.factorizations() - factorizationsBefore_;
}

}  // namespace grashof
