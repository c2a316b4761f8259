#include "engine/dynamics/step/projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/dynamics/rows/free_motion.h"
#include "engine/model/mechanism_size.h"

namespace grashof {
namespace {

constexpr double kProjectionProximal = 1e-12;  // η of the projection, relative to scaled rows
constexpr int kProjectionIterations = 30;
constexpr double kMinShare = 1.0 / 64.0;
constexpr int kPowerIterations = 30;
constexpr double kContraction = 0.1;  // slower than this per solve: factorize again at the present poses
constexpr double kLittle = 0.9;       // the same of Broyden's method: it does not serve here
// Rows that are nearly dependent may contradict each other by some tolerances, as in a loop of files' digits:
// what a new matrix leaves within kHair tolerances stays.
constexpr double kHair = 5.0, kNoGain = 0.98;
// Where Newton's method is stuck:
constexpr double kStuck = 100.0;  // times the tolerance: less may be rounding
constexpr int kDampedIterations = 60;
constexpr double kFarthest = 0.1;  // rad, and of the mechanism's size
constexpr double kFirstDamping = 1e-6, kMostDamping = 1e6, kMoreDamping = 10.0, kLessDamping = 0.1;
constexpr double kUncertainty = 3.0;  // of the contraction that the last solve foretells

constexpr double kFastTurn = 0.1;  // rad a step; slower bodies are as they are
constexpr double kTurnWeight = 100.0;

constexpr std::size_t kSecants = 8;
// Share of a step that the next one may repeat: beyond, rounding or curvature decides how far to go.
constexpr double kMostRepeated = 0.99;

/// Steps of Newton's method with a matrix whose η is no longer small beside rows that are nearly dependent,
/// as those of a loop whose axes are parallel but for the digits of a file: by Broyden's method each step
/// tells how the matrix errs along it [Nocedal 2006, section 11.1]. The inverse form needs the steps s and
/// their duals M s/(sᵀ M s) alone, and all steps are sums of those of the matrix.
class SecantSteps {
 public:
  static std::size_t sizeOf(std::size_t bodies) { return 2 * kSecants * bodies; }

  /// Size of memory: sizeOf(size of inertia).
  SecantSteps(std::span<const InertiaBlock> inertia, std::span<Vec6> memory)
      : inertia_(inertia), memory_(memory) {}

  /// Forgets all steps: of another matrix, or where the last was not made as it was given.
  void clear() { count_ = 0; }
  /// Makes of the step (m, rad) that the matrix gives at the present point that of Broyden's method. All
  /// steps since clear() have been made.
  void improve(std::span<Vec6> step);

 private:
  std::span<Vec6> step(std::size_t k) { return memory_.subspan(2 * k * inertia_.size(), inertia_.size()); }
  std::span<Vec6> dual(std::size_t k) {
    return memory_.subspan((2 * k + 1) * inertia_.size(), inertia_.size());
  }

  std::span<const InertiaBlock> inertia_;
  std::span<Vec6> memory_;
  std::size_t count_ = 0;
};

double productOfSteps(std::span<const Vec6> dual, std::span<const Vec6> step) {
  double sum = 0.0;
  for (std::size_t b = 0; b < step.size(); ++b) sum += dual[b].dot(step[b]);
  return sum;
}

void SecantSteps::improve(std::span<Vec6> now) {
  if (count_ == kSecants) clear();
  for (std::size_t k = 0; k + 1 < count_; ++k) {
    const double share = productOfSteps(dual(k), now);
    const std::span<const Vec6> next = step(k + 1);
    for (std::size_t b = 0; b < now.size(); ++b) now[b] += share * next[b];
  }
  if (count_ > 0) {
    const double repeated = productOfSteps(dual(count_ - 1), now);
    if (!(repeated < kMostRepeated)) return clear();
    for (Vec6& s : now) s /= 1.0 - repeated;
  }
  const std::span<Vec6> own = dual(count_);
  std::copy(now.begin(), now.end(), step(count_).begin());
  for (std::size_t b = 0; b < now.size(); ++b) own[b] = inertia_[b].multiply(now[b]);
  const double size = productOfSteps(own, now);
  if (!(size > 0.0)) return;
  for (Vec6& d : own) d /= size;
  ++count_;
}

/// The changes of all bodies, which stand before the memory of SecantSteps.
std::span<Vec6> changesIn(std::vector<Vec6>& memory, const Model& model) {
  return std::span(memory).first(model.bodies.size());
}

/// First row of the prescribed motions of a joint whose equality rows begin at `first`.
int motionRow(const Joint& joint, int first) {
  return first + (joint.softness.soft() ? 0 : joint.type->numConstraints());
}

/// Calls use(row) for the row of every prescribed motion. `firstRows`: of the joints.
template <typename Use>
void forEachMotionRow(const Model& model, std::span<const int> firstRows, const Use& use) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    int row = motionRow(model.joints[j], firstRows[j]);
    for (const JointCoordinate& c : model.joints[j].coordinates)
      if (c.actuator.kind == Actuator::Kind::Motion) use(static_cast<std::size_t>(row++));
  }
}

}  // namespace

bool turnsFast(std::span<const Vec6> twists, double timestep) {
  return std::any_of(twists.begin(), twists.end(), [&](const Vec6& u) {
    return timestep * timestep * u.tail<3>().squaredNorm() > kFastTurn * kFastTurn;
  });
}

void weighTurns(std::span<const Vec6> twists, double timestep, std::span<InertiaBlock> inertia) {
  for (std::size_t b = 0; b < twists.size(); ++b) {
    const Vec3 spin = twists[b].tail<3>();
    const double turn2 = timestep * timestep * spin.squaredNorm();
    if (!(turn2 > kFastTurn * kFastTurn)) continue;
    const Vec3 axis = spin.normalized();
    const Mat3 across = Mat3::Identity() - axis * axis.transpose();
    inertia[b].inertia += kTurnWeight * std::min(turn2, 1.0) * across * inertia[b].inertia * across;
    inertia[b].inverseInertia = inertia[b].inertia.inverse();
  }
}

Projection::Projection(const Model& model) : model_(model), joints_(model) {
  problem_.inertia.resize(model.bodies.size());
  body_.resize(model.bodies.size() + SecantSteps::sizeOf(model.bodies.size()));
  best_.resize(model.bodies.size());
  start_.resize(model.bodies.size());
  turns_.reserve(model.bodies.size());
  firstRow_ = equalityRowStart(model);
  equalityRows_ = static_cast<std::size_t>(firstRow_.back()) + model.couplings.size();
  std::size_t rotors = 0;
  for (const Joint& joint : model.joints)
    for (const JointCoordinate& c : joint.coordinates) rotors += c.passive.inertia() > 0.0 ? 1 : 0;
  velocities_.resize(model.velocityConstraints.size());
  row_.resize(equalityRows_ + rotors + static_cast<std::size_t>(velocityRowCount(model)));
  velocity_.resize(row_.size());
  twistImpulse_.assign(row_.size(), 0.0);
}

void Projection::reset() {
  kkt_ = KktSystem();
  factorized_ = stale_ = weighted_ = false;
  turns_.clear();
  contraction_ = 1.0;
  std::fill(twistImpulse_.begin(), twistImpulse_.end(), 0.0);
}

void Projection::setTurns(std::span<const Vec6> twists, double timestep) {
  turns_.clear();
  if (turnsFast(twists, timestep)) turns_.assign(twists.begin(), twists.end());
  timestep_ = timestep;
}

bool Projection::factorize(std::span<const Pose> poses, bool ofPoses) {
  inertiaAt(model_, poses, problem_.inertia);
  weighted_ = ofPoses && !turns_.empty();
  if (weighted_) weighTurns(turns_, timestep_, problem_.inertia);
  return factorize(kProjectionProximal);
}

bool Projection::factorize(double proximal) {
  kkt_.analyze(problem_);
  factorized_ = kkt_.factorize(problem_, {}, proximal);
  stale_ = false;
  return factorized_;
}

/// Sets row_ to the residuals at the poses, and returns the largest.
double Projection::residualsAt(std::span<const Pose> poses, std::span<const double> reference, double time,
                               std::span<const Control> controls) {
  std::fill(row_.begin() + static_cast<std::ptrdiff_t>(equalityRows_), row_.end(), 0.0);
  joints_.setPoses(poses);
  return equalityResiduals(joints_, reference, time, firstRow_, std::span(row_).first(equalityRows_),
                           controls);
}

/// Moves the poses by steps of (J Jᵀ + d D) μ = -r, D the diagonal of the first: of Newton's method for small
/// d, down the gradient of |D^-½ r|² for large ones. It gets over places where Newton's method does not, as
/// the rows are dependent there, and rests where no motion brings them nearer. All bodies count alike: where
/// rows are nearly dependent, masses far apart hide which way is short. Poses far away are another
/// configuration and no correction: then nothing is moved. Returns the violation.
template <typename Assemble, typename Residual>
double Projection::damped(std::span<Pose> poses, double violation, double tolerance, Assemble assemble,
                          Residual residual) {
  const double arm = mechanismSize(model_);
  for (InertiaBlock& b : problem_.inertia)
    b = {1.0, 1.0, arm * arm * Mat3::Identity(), Mat3::Identity() / (arm * arm)};
  const auto square = [&](const std::vector<double>& rows) {
    double sum = 0.0;
    const std::span<const double> scale = kkt_.jointScale();
    for (std::size_t r = 0; r < equalityRows_; ++r) sum += scale[r] * rows[r] * scale[r] * rows[r];
    return sum;
  };
  std::copy(poses.begin(), poses.end(), start_.begin());
  residual();
  stuck_ = row_;
  double damping = kFirstDamping;
  for (int i = 0; i < kDampedIterations && violation > tolerance && damping < kMostDamping; ++i) {
    std::copy(poses.begin(), poses.end(), best_.begin());
    assemble();
    if (!factorize(damping)) break;
    const double size = square(stuck_);
    for (std::size_t r = 0; r < row_.size(); ++r) row_[r] = -stuck_[r];
    for (Vec6& b : changesIn(body_, model_)) b.setZero();
    kkt_.solve(problem_, changesIn(body_, model_), rowsOf(problem_));
    for (std::size_t b = 0; b < poses.size(); ++b) poses[b] = movePose(best_[b], body_[b], 1.0);
    const double now = residual(), next = square(row_);
    if (next < size) {
      violation = now;
      stuck_ = row_;
      damping = std::max(damping * kLessDamping, kProjectionProximal);
    } else {
      std::copy(best_.begin(), best_.end(), poses.begin());
      residual();
      damping *= kMoreDamping;
    }
  }
  factorized_ = false;
  const auto far = [&](std::size_t b) {
    return (poses[b].position - start_[b].position).norm() > kFarthest * arm ||
           poses[b].rotation.angularDistance(start_[b].rotation) > kFarthest;
  };
  for (std::size_t b = 0; b < poses.size(); ++b) {
    if (!far(b)) continue;
    std::copy(start_.begin(), start_.end(), poses.begin());
    return residual();
  }
  return violation;
}

void Projection::findDisplacement(std::span<const Pose> poses) {
  for (double& r : row_) r = -r;
  const std::span<Vec6> change = changesIn(body_, model_);
  for (Vec6& b : change) b.setZero();
  kkt_.solve(problem_, change, rowsOf(problem_));
  std::copy(poses.begin(), poses.end(), best_.begin());
}

/// Newton's method until the violation is within the tolerance or falls no more. `residual` gives the
/// violation, `residualWithGeometry` the same where nothing should be left to solve for, `assemble` the rows
/// at the poses.
template <typename Assemble, typename Residual, typename WithGeometry>
void Projection::newton(std::span<Pose> poses, double tolerance, Assemble assemble, Residual residual,
                        WithGeometry residualWithGeometry, Result& result) {
  SecantSteps secants(problem_.inertia, std::span(body_).subspan(model_.bodies.size()));
  // The matrix of the last projection is half a step old, which is good enough for a first try.
  bool fresh = false, renewed = false, secant = true;
  while (result.violation > tolerance && result.iterations < kProjectionIterations) {
    if (!factorized_ || stale_) {
      assemble();
      if (!factorize(poses, true)) break;
      secants.clear();
      fresh = renewed = true;
    }
    ++result.iterations;
    findDisplacement(poses);
    if (result.violation > kStuck * tolerance) secants.clear();
    if (renewed && secant) secants.improve(changesIn(body_, model_));
    // Backtracking: Newton's full step unless it increases the violation, as on a taut chain of light links,
    // whose correction is a large sideways motion along strongly curved constraints.
    double violation = result.violation, share = 1.0;
    const double least = fresh ? kMinShare : 1.0;
    const bool last = contraction_ * result.violation <= tolerance;
    for (; share >= least && !(violation < result.violation); share *= 0.5) {
      for (std::size_t b = 0; b < poses.size(); ++b) poses[b] = movePose(best_[b], body_[b], share);
      violation = last && share == 1.0 ? residualWithGeometry() : residual();
    }
    contraction_ = kUncertainty * violation / result.violation;
    if (!(violation < result.violation)) {
      std::copy(best_.begin(), best_.end(), poses.begin());
      residual();
      // A fresh matrix has reached rounding; a kept one is too old for these poses.
      if (fresh) break;
      stale_ = true;
      secant = secant && !renewed;
      continue;
    }
    const bool near = violation <= kStuck * tolerance, whole = share == 0.5;
    const double ratio = violation / result.violation;
    result.violation = violation;
    if (fresh && violation <= kHair * tolerance && ratio > kNoGain) break;
    // Near the joints a new matrix is slow only where rows are weaker than η, and would be so again: the next
    // step goes as far along them as it takes.
    stale_ = ratio > kContraction && !(fresh && near && whole && secant);
    if (!fresh && renewed && ratio > kLittle) secant = false;
    if (!whole) secants.clear();
    fresh = false;
  }
}

Projection::Result Projection::projectPoses(std::span<Pose> poses, std::span<const double> reference,
                                            double time, double tolerance, std::span<JointGeometry> geometry,
                                            std::span<const Control> controls) {
  bool evaluated = false;  // geometry is that of the poses
  const auto residual = [&] {
    evaluated = false;
    return residualsAt(poses, reference, time, controls);
  };
  // The geometry, which is needed at the end, has the residuals.
  const auto residualWithGeometry = [&] {
    joints_.setPoses(poses);
    joints_.evaluate(reference, geometry);
    const double violation = jointViolation(model_, geometry, time, controls);
    if (violation > tolerance) return residual();
    evaluated = true;
    return violation;
  };
  const auto assemble = [&] {
    joints_.evaluate(reference, geometry);
    assembleEqualityRows(model_, geometry, time, EqualityTarget::Position, problem_, controls);
  };
  const auto assembleWithRotors = [&] {
    assemble();
    addArmatureRows(model_, geometry, problem_);
  };
  Result result;
  result.violation = residual();
  if (!turns_.empty() && !weighted_) stale_ = true;
  newton(poses, tolerance, assembleWithRotors, residual, residualWithGeometry, result);
  if (result.violation > kStuck * tolerance && std::isfinite(result.violation)) {
    result.violation = damped(poses, result.violation, tolerance, assemble, residual);
    evaluated = false;
  }
  if (!evaluated) joints_.evaluate(reference, geometry);
  result.converged = result.violation <= tolerance;
  return result;
}

double Projection::projectTwists(std::span<const Pose> poses, std::span<const JointGeometry> geometry,
                                 double time, std::span<Vec6> twists, std::span<const Control> controls) {
  assembleEqualityRows(model_, geometry, time, EqualityTarget::Velocity, problem_, controls);
  std::fill(twistImpulse_.begin(), twistImpulse_.end(), 0.0);
  const auto equalities = static_cast<std::size_t>(problem_.jointRows);
  if (equalities == 0 && velocities_.empty()) return 0.0;
  addArmatureRows(model_, geometry, problem_);
  const auto velocityRows = static_cast<std::size_t>(problem_.jointRows);
  addVelocityRows(model_, poses, {}, problem_, velocities_);
  const auto rows = static_cast<std::size_t>(problem_.jointRows);
  const auto given = [&](std::size_t r) { return r < equalities || r >= velocityRows; };
  if (!factorize(poses, false)) return 0.0;
  double before = std::numeric_limits<double>::infinity(), work = 0.0;
  for (int pass = 0; pass < 4; ++pass) {
    rowVelocities(problem_, twists, std::span(velocity_).first(rows));
    double error = 0.0, speed = 1.0;
    std::fill(row_.begin(), row_.end(), 0.0);
    for (std::size_t r = 0; r < rows; ++r) {
      if (!given(r)) continue;
      speed = std::max(speed, std::abs(problem_.bias[r]));
      row_[r] = -(velocity_[r] + problem_.bias[r]);
      error = std::max(error, std::abs(row_[r]));
    }
    for (const Vec6& u : twists) speed = std::max(speed, u.cwiseAbs().maxCoeff());
    if (error <= 1e-13 * speed || error > 0.5 * before) break;
    before = error;
    for (Vec6& b : changesIn(body_, model_)) b.setZero();
    kkt_.solve(problem_, changesIn(body_, model_), rowsOf(problem_));
    for (std::size_t b = 0; b < twists.size(); ++b) twists[b] += body_[b];
    for (std::size_t r = 0; r < rows; ++r) twistImpulse_[r] += row_[r];
    // A motion that comes to rest has no bias, but takes the energy of what it stops. All other rows start
    // and end at (nearly) zero velocity.
    forEachMotionRow(model_, firstRow_,
                     [&](std::size_t r) { work += row_[r] * 0.5 * (velocity_[r] - problem_.bias[r]); });
  }
  return work;
}

double Projection::motionImpulse(int joint, int coordinate) const {
  const Joint& j = model_.joints[joint];
  if (j.coordinates[coordinate].actuator.kind != Actuator::Kind::Motion) return 0.0;
  int row = motionRow(j, firstRow_[joint]);
  for (int i = 0; i < coordinate; ++i)
    row += j.coordinates[i].actuator.kind == Actuator::Kind::Motion ? 1 : 0;
  return twistImpulse_[row];
}

double Projection::maxNaturalFrequency(std::span<const Mat3> stiffness) {
  if (!factorized_) return 0.0;
  const std::span<Vec6> turns = changesIn(body_, model_);
  // A start vector without symmetry, the same every time.
  for (std::size_t b = 0; b < turns.size(); ++b)
    turns[b] << Vec3::Zero(), Vec3(1.0, 0.7, 0.4) * (1.0 + 0.1 * static_cast<double>((7 * b) % 11));
  double square = 0.0;
  for (int i = 0; i < kPowerIterations; ++i) {
    double norm = 0.0;
    for (const Vec6& u : turns) norm += u.tail<3>().squaredNorm();
    norm = std::sqrt(norm);
    if (i > 0) square = norm;
    if (!(norm > 0.0)) return 0.0;
    for (std::size_t b = 0; b < turns.size(); ++b)
      turns[b] << Vec3::Zero(), stiffness[b] * turns[b].tail<3>() / norm;
    std::fill(row_.begin(), row_.end(), 0.0);
    kkt_.solve(problem_, turns, rowsOf(problem_));
  }
  return std::sqrt(square);
}

}  // namespace grashof
