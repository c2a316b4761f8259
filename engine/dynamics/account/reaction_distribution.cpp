#include "engine/dynamics/account/reaction_distribution.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "engine/model/mechanism_size.h"

namespace grashof {
namespace {

constexpr double kNearlyRigid = 1e-6;  // compliance of rows without a declared one, relative to the largest
constexpr double kPreconditioner = 1e-7;     // multiple of 1 that makes the matrix regular
constexpr double kReactionProximal = 1e-13;  // η of the factorization
constexpr double kExcluded = 1e30;           // compliance that takes a row out of the factorization
// Longer steps go where bodies move freely, in which only rounding has a part. The usual length is the
// inverse of kPreconditioner.
constexpr double kLongest = 1e6 / kPreconditioner;
constexpr int kGradientSteps = 200;
// Of the square of the residual: farther down rounding in the directions that move freely would lead.
constexpr double kGradientTolerance = 1e-22;
constexpr int kPasses = 3;
constexpr double kExact = 1e-13, kGood = 1e-8;  // residual of Jᵀ λ, relative
constexpr double kUnique = 1e-9;  // square of a probe's part in the null space: smaller ones are zero
constexpr int kIsostaticSplits = 10;

/// A number in [-1, 1] that depends on `row` alone.
double probeValue(std::size_t row) {
  std::uint64_t x = (row + 1) * 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1.0;
}

double dot(std::span<const Vec6> a, std::span<const Vec6> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

}  // namespace

ReactionDistribution::ReactionDistribution(const Model& model, std::vector<double> compliance)
    : model_(model), compliance_(std::move(compliance)), length_(mechanismSize(model)) {
  compliance_.resize(model.joints.size(), 0.0);
  if (!compliance_.empty()) largest_ = *std::max_element(compliance_.begin(), compliance_.end());
  const std::size_t bodies = model.bodies.size();
  for (auto* work : {&y_, &residual_, &direction_, &image_, &solved_, &sum_}) work->resize(bodies);
  InertiaBlock unit;
  unit.inertia = length_ * length_ * Mat3::Identity();
  unit.inverseInertia = Mat3::Identity() / (length_ * length_);
  problem_.inertia.assign(bodies, unit);
}

/// weight_[r]: the compliance of the row over the largest where any is declared; else 1 for forces and
/// 1/length² for moments.
void ReactionDistribution::setWeights(const StepRecord& record) {
  const double rotation = 1.0 / (length_ * length_);
  const auto weightOf = [&](double compliance, bool turns) {
    if (largest_ > 0.0) return compliance > 0.0 ? compliance / largest_ : kNearlyRigid;
    return turns ? rotation : 1.0;
  };
  weight_.assign(static_cast<std::size_t>(problem_.jointRows), 0.0);
  for (int r = 0; r < problem_.jointRows; ++r) {
    const RowOwner& owner = record.problem.owner[static_cast<std::size_t>(r)];
    const auto item = static_cast<std::size_t>(owner.item);
    if (owner.kind == RowKind::Constraint) {
      const auto directions = model_.joints[item].type->constrainedDirections();
      weight_[r] = weightOf(compliance_[item], isRotation(directions[owner.part]));
    } else if (owner.kind == RowKind::Motion) {
      weight_[r] = weightOf(0.0, isRotation(model_.joints[item].type->freeDirections()[owner.part]));
    } else if (owner.kind == RowKind::Coupling) {
      const Coupling& c = model_.couplings[item];
      const JointType& type = *model_.joints[c.jointA].type;
      weight_[r] = weightOf(0.0, isRotation(type.freeDirections()[c.coordinateA]));
    }
  }
  // The law of a soft row fixes its impulse; so do those of force elements, whose rows come last.
  for (int r = 0; r < problem_.jointRows; ++r)
    if (record.problem.compliance[r] > 0.0) weight_[r] = 0.0;
}

void ReactionDistribution::setUp(const StepRecord& record) {
  const DualProblem& source = record.problem;
  problem_.jointRows = source.jointRows;
  problem_.joints = source.joints;
  problem_.jointTerms = source.jointTerms;
  const auto rows = static_cast<std::size_t>(source.jointRows);
  problem_.bias.assign(rows, 0.0);
  problem_.compliance.assign(rows, kExcluded);
  for (auto* work : {&rows_, &wanted_, &found_, &probe_, &kktRows_}) work->resize(rows);
  setWeights(record);
  // The factorization adds η (D + R) to R, which is to be kPreconditioner · weight in all.
  for (const JointBlock& block : problem_.joints)
    for (int r = block.row; r < block.row + block.rows; ++r) {
      if (!(weight_[r] > 0.0)) continue;
      double d = 0.0;
      for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
        const JointTerm& term = problem_.jointTerms[t];
        d += problem_.inertia[term.body].delassus(term.jacobian.row(r - block.row).transpose());
      }
      problem_.compliance[r] =
          std::max(0.0, kPreconditioner * weight_[r] - kReactionProximal * d) / (1.0 + kReactionProximal);
    }
}

/// rows = C⁻¹ J y; soft rows get 0.
void ReactionDistribution::toRows(std::span<const Vec6> y, std::span<double> rows) {
  rowVelocities(problem_, y, rows);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = weight_[r] > 0.0 ? rows[r] / weight_[r] : 0.0;
}

/// y_ with (Jᵀ C⁻¹ J) y = residual_, which becomes what is left of it.
void ReactionDistribution::conjugateGradients() {
  const auto precondition = [&] {
    std::copy(residual_.begin(), residual_.end(), solved_.begin());
    std::fill(kktRows_.begin(), kktRows_.end(), 0.0);
    kkt_.solve(problem_, solved_, kktRows_);
  };
  for (Vec6& y : y_) y.setZero();
  precondition();
  std::copy(solved_.begin(), solved_.end(), direction_.begin());
  double now = dot(residual_, solved_);
  const double start = now;
  for (int i = 0; i < kGradientSteps && now > kGradientTolerance * start; ++i) {
    toRows(direction_, rows_);
    for (Vec6& q : image_) q.setZero();
    addRowWrenches(problem_, rows_, image_);
    const double curvature = dot(direction_, image_);
    const double length = now / curvature;
    if (!(curvature > 0.0) || length > kLongest) break;
    for (std::size_t b = 0; b < y_.size(); ++b) {
      y_[b] += length * direction_[b];
      residual_[b] -= length * image_[b];
    }
    precondition();
    const double next = dot(residual_, solved_);
    for (std::size_t b = 0; b < y_.size(); ++b) direction_[b] = solved_[b] + next / now * direction_[b];
    now = next;
  }
}

/// The `result` of least energy with Jᵀ result = Jᵀ impulse, in at most `passes` of refinement. False if it
/// was not found.
bool ReactionDistribution::leastEnergy(std::span<const double> impulse, int passes,
                                       std::span<double> result) {
  for (Vec6& w : sum_) w.setZero();
  addRowWrenches(problem_, impulse, sum_);
  const double scale = std::sqrt(dot(sum_, sum_));
  std::copy(sum_.begin(), sum_.end(), residual_.begin());
  std::fill(result.begin(), result.end(), 0.0);
  double left = scale;
  for (int pass = 0; pass < passes && left > kExact * scale; ++pass) {
    conjugateGradients();
    toRows(y_, rows_);
    for (std::size_t r = 0; r < result.size(); ++r) result[r] += rows_[r];
    for (Vec6& w : residual_) w.setZero();
    addRowWrenches(problem_, result, residual_);
    for (std::size_t b = 0; b < sum_.size(); ++b) residual_[b] = sum_[b] - residual_[b];
    const double before = std::exchange(left, std::sqrt(dot(residual_, residual_)));
    if (left < before) continue;
    // Rounding is reached: the last pass has followed noise.
    for (std::size_t r = 0; r < result.size(); ++r) result[r] -= rows_[r];
    left = before;
    break;
  }
  return left <= kGood * scale;
}

/// A row is unique when no n with Jᵀ n = 0 has a part in it. Such an n is what is left of numbers without any
/// order when the least ones with the same Jᵀ are taken from them; that it has no part in a row that others
/// have is as unlikely as a number without order is small.
void ReactionDistribution::mark() {
  std::fill(wanted_.begin(), wanted_.end(), 0.0);
  for (std::size_t r = 0; r < probe_.size(); ++r)
    probe_[r] = weight_[r] > 0.0 ? probeValue(r) / std::sqrt(weight_[r]) : 0.0;
  if (leastEnergy(probe_, 1, found_))
    for (std::size_t r = 0; r < probe_.size(); ++r) {
      const double n = probe_[r] - found_[r];
      wanted_[r] = weight_[r] * n * n;
    }
  allUnique_ = true;
  for (std::size_t r = 0; r < unique_.size(); ++r) {
    unique_[r] = wanted_[r] <= kUnique ? 1 : 0;
    allUnique_ = allUnique_ && unique_[r] == 1;
  }
}

std::span<const double> ReactionDistribution::split(const StepRecord& record, std::span<const double> added) {
  impulse_.assign(record.solution.impulse.begin(), record.solution.impulse.end());
  unique_.assign(static_cast<std::size_t>(record.problem.jointRows), 1);
  allUnique_ = true;
  if (impulse_.empty() || unique_.empty() || isostatic_ >= kIsostaticSplits) return impulse_;
  setUp(record);
  kkt_.analyze(problem_);
  if (!kkt_.factorize(problem_, {}, kReactionProximal)) return impulse_;
  mark();
  isostatic_ = allUnique_ ? isostatic_ + 1 : 0;
  if (allUnique_) return impulse_;
  for (std::size_t r = 0; r < wanted_.size(); ++r)
    wanted_[r] = weight_[r] > 0.0 ? impulse_[r] + (added.empty() ? 0.0 : added[r]) : 0.0;
  if (!leastEnergy(wanted_, kPasses, found_)) return impulse_;
  // All rows, for a row that counts as unique may still have a very small part in what is shifted.
  for (std::size_t r = 0; r < wanted_.size(); ++r) impulse_[r] += found_[r] - wanted_[r];
  return impulse_;
}

}  // namespace grashof
