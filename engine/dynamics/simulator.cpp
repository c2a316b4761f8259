#include "engine/dynamics/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/account/start_defect.h"
#include "engine/dynamics/kinematics/force_length.h"
#include "engine/dynamics/rows/clearance_contacts.h"
#include "engine/dynamics/rows/contact_rows.h"
#include "engine/dynamics/rows/coordinate_rows.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/load_friction.h"
#include "engine/dynamics/smooth/smooth_motion.h"
#include "engine/dynamics/smooth/start_loads.h"

namespace grashof {
namespace {

// How well the poses of the rows, half a step ahead, need to fit the joints: 1e-8 m, rad by default, better
// for those who ask for better. They are left again in the same step, and their error changes the rows by as
// little.
constexpr double kRowPoseTolerance = 1e-8;
constexpr double kRowPoseShare = 1e3;  // of the tolerance at the end of the step

double rowPoseTolerance(double atEnd) {
  return std::max(atEnd, std::min(kRowPoseTolerance, kRowPoseShare * atEnd));
}

constexpr int kFirstRest = 16, kMostRest = 1024;  // steps by impulses where smooth ones do not get on
constexpr int kMostLooks = 3;                     // at what the impulses of a step lead to
constexpr double kStartTolerance = 1e-6;          // m, rad: joints further apart do not fit

/// Adds the time since it was made to one stage, if `on`.
class StageTimer {
 public:
  using Clock = std::chrono::steady_clock;

  StageTimer(bool on, double& stage) : stage_(on ? &stage : nullptr) {
    if (stage_) start_ = Clock::now();
  }
  ~StageTimer() {
    if (stage_) *stage_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double* stage_;
  Clock::time_point start_;
};

void checkState(const Model& model, const State& state) {
  if (state.poses.size() != model.bodies.size() || state.twists.size() != model.bodies.size() ||
      state.coordinates.size() != static_cast<std::size_t>(model.coordinates()))
    throw CallError(
        fmt::format("the state is of another model: {} bodies and {} coordinates instead of {} and {}",
                    state.poses.size(), state.coordinates.size(), model.bodies.size(), model.coordinates()));
  for (std::size_t b = 0; b < state.poses.size(); ++b) {
    const double norm = state.poses[b].rotation.norm();
    if (!state.poses[b].position.allFinite() || !(norm > 1e-9) || !std::isfinite(norm) ||
        !state.twists[b].allFinite())
      throw CallError(fmt::format(
          "body '{}': its pose and twist must be finite, its quaternion not zero (the state is as before)",
          model.bodies[b].name));
  }
}

}  // namespace

Simulator::Simulator(std::shared_ptr<const Model> model, const State& start)
    : shared_(std::move(model)),
      model_(*shared_),
      state_(start),
      actuators_(actuatorsOf(model_)),
      inputs_(neutralInputs(model_)),
      collisionWorld_(model_.shapes, model_.exclusions),
      joints_(model_),
      projection_(model_),
      solver_(model_.solver),
      recovery_(model_),
      controls_(model_.coordinates()),
      geometry_(model_.joints.size()),
      contactStep_(model_),
      passive_(model_),
      expected_(model_.coordinates()),
      momenta_(model_.bodies.size()),
      way_(model_.bodies.size()),
      rotors_(model_),
      warmStart_(model_),
      record_(model_),
      ledger_(model_),
      motors_(model_),
      stability_(model_),
      jumps_(model_) {
  if (model_.step.integrator == Integrator::Auto && SmoothMotion::serves(model_))
    smooth_ = std::make_unique<SmoothMotion>(model_);
  turnRadius_.resize(model_.bodies.size());
  reach_.resize(model_.bodies.size());
  for (std::size_t s = 0; s < model_.shapes.size(); ++s)
    if (const Shape& shape = model_.shapes[s]; smooth_ && shape.collides && shape.body >= 0)
      turnRadius_[shape.body] =
          std::max(turnRadius_[shape.body], collisionWorld_.turnRadius(static_cast<int>(s)));
  touchable_ =
      std::any_of(model_.shapes.begin(), model_.shapes.end(), [](const Shape& s) { return s.collides; });
  recalls_ = findSolver(model_.solver.name).model == ContactModel::Lagged;
  for (const SurfacePair& pair : model_.surfaceTable)
    recalls_ = recalls_ || pair.law.tangentialStiffness > 0.0;
  checkState(model_, start);
  project();
}

Simulator::~Simulator() = default;

void Simulator::setState(const State& state) {
  checkState(model_, state);
  state_ = state;
  stateChanged();
}

void Simulator::setNearState(const State& state) {
  // What remembers earlier steps must forget them.
  if (recalls_ || !model_.forces.empty() || !model_.bushings.empty()) return setState(state);
  checkState(model_, state);
  state_ = state;
  adoptState();
}

void Simulator::stateChanged() {
  checkState(model_, state_);
  warmStart_.reset();
  forget();
  record_.reset();
  adoptState();
}

/// What a state that was set, but for the impulses before it, decides.
void Simulator::adoptState() {
  for (Pose& pose : state_.poses) {
    // A quaternion of unit length stays as it is, bit for bit.
    const double norm = pose.rotation.norm();
    if (std::abs(norm - 1.0) > 1e-14) pose.rotation.coeffs() /= norm;
  }
  stability_.reset();
  divergence_.reset();
  report_ = {};
  contacts_.clear();
  loadsKnown_ = stepped_ = false;
  if (start_) start_->forget();
  if (smooth_) smooth_->setStiff(false);
  evaluateGeometry(state_.coordinates);
  copyCoordinates(model_, geometry_, state_.coordinates);
  resolveControls(model_, actuators_, inputs_, state_, controls_);
  ledger_.reset(mechanicalEnergy(model_, state_.time, state_.poses, state_.twists, geometry_));
  motors_.reset();
  for (std::size_t k = 0; k < motors_.count(); ++k) motors_.setRate(k, rateOf(motors_.place(k)));
  measure();
}

/// Drops all history except the last impulses.
void Simulator::forget() {
  projection_.reset();
  solver_.reset();
  held_.reset();
  recovery_.reset();
  if (smooth_) smooth_->forget();
  resting_ = 0;
  rest_ = kFirstRest;
  if (loads_) loads_->forget();
}

void Simulator::archive(Archive& archive) {
  archive(state_);
  archive.sameSize(inputs_.control);
  archive.sameSize(inputs_.wrench);
  archive.sameSize(inputs_.force);
  if (archive.restores()) {
    divergence_.reset();
    report_ = {};
    contacts_.clear();
    record_.reset();
    forget();
  }
  warmStart_.archive(archive);
  archive.sameSize(record_.forces);
  archive(ledger_, stability_, motors_);
  bool stiff = smooth_ && smooth_->stiff();
  archive(stiff);
  if (smooth_ && archive.restores()) smooth_->setStiff(stiff);
  bool readLoads = loads_ != nullptr;
  archive(readLoads);
  if (readLoads) {
    if (!loads_) loads_ = std::make_unique<JointLoads>(model_, std::vector<double>());
    archive(*loads_);
  }
  if (!archive.restores()) return;
  try {
    checkState(model_, state_);
    checkInputs(model_, actuators_, inputs_);
  } catch (const CallError& error) {
    throw InputError(fmt::format("what was saved cannot be used: {}", error.what()));
  }
  loadsKnown_ = stepped_ = false;
  if (start_) start_->forget();
  evaluateGeometry(state_.coordinates);
  resolveControls(model_, actuators_, inputs_, state_, controls_);
  measure();
}

/// The joints at the poses of the state. `reference`: see JointEvaluator::evaluate().
void Simulator::evaluateGeometry(std::span<const double> reference) {
  joints_.setPoses(state_.poses);
  joints_.evaluate(reference, geometry_);
}

void Simulator::project() {
  checkInputs(model_, actuators_, inputs_);
  resolveControls(model_, actuators_, inputs_, state_, controls_);
  before_ = state_;
  const auto result = projection_.projectPoses(state_.poses, state_.coordinates, state_.time,
                                               model_.step.projectionTolerance, geometry_, controls_);
  if (!(result.violation <= kStartTolerance)) {
    const std::string defect = startDefect(model_, geometry_, state_.time, controls_);
    setState(before_);
    throw AssemblyError("the poses do not fit the joints: " + defect, result.violation);
  }
  projection_.projectTwists(state_.poses, geometry_, state_.time, state_.twists, controls_);
  stateChanged();
}

/// One step from t to t + Δt.
const StepReport& Simulator::step() {
  if (divergence_) return report_;
  if (state_.step % kForgetSteps == 0) forget();
  checkInputs(model_, actuators_, inputs_);
  resolveControls(model_, actuators_, inputs_, state_, controls_);
  before_ = state_;
  loadsKnown_ = instantKnown_ = false;
  stepped_ = true;
  record_.step = contextOf(model_.step, state_);
  const bool wasSmooth = report_.smooth;
  report_.smooth = moveSmoothly();
  if (!report_.smooth) {
    if (wasSmooth) forgetImpulses();
    stepByImpulses();
  }
  finish();
  return report_;
}

/// What a step by impulses remembers of one before, which was long ago.
void Simulator::forgetImpulses() {
  warmStart_.reset();
  for (ForceRow& row : record_.forces) row.reset();
}

/// Whether nothing that is not smooth is within reach of this step.
bool Simulator::smoothHere() {
  if (resting_ > 0) {
    --resting_;
    return false;
  }
  const auto ramp = [](const Control& c) { return c.kind == Control::Kind::Ramp; };
  return std::none_of(controls_.begin(), controls_.end(), ramp) && !nearLimit() && !nearContact();
}

/// Whether a limit is within reach that is no event of smooth motion.
bool Simulator::nearLimit() const {
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      const JointCoordinate& c = model_.joints[j].coordinates[i];
      const Limit& limit = c.limit;
      if (!limit.bounded() || LimitEvents::handles(c) || elasticStop(c)) continue;
      const double rate = rateOf({static_cast<int>(j), static_cast<int>(i)});
      if (limit.gap(geometry_[j].coordinate[i]) <= limitReach(model_.step, rate)) return true;
    }
  return false;
}

bool Simulator::nearContact() {
  if (!touchable_) return false;
  if (!report_.smooth && !contacts_.empty()) return true;
  const StageTimer timer(timed_, times_.collide);
  // Ends of long bodies come nearer than their centres by turning.
  for (std::size_t b = 0; b < reach_.size(); ++b) {
    const double turn = 2.0 * state_.twists[b].tail<3>().norm() * model_.step.timestep;
    reach_[b] = turn > 0.0 ? turn * turnRadius_[b] : 0.0;
  }
  collisionWorld_.detect(state_.poses, contactMargin(model_.step, state_.twists), reach_, contacts_);
  const bool near = !contacts_.empty();
  contacts_.clear();
  return near;
}

/// A step with error control, unless something that is not smooth is near.
bool Simulator::moveSmoothly() {
  if (!smooth_) return false;
  if (!smoothHere()) {
    smooth_->forget();
    return false;
  }
  const StageTimer timer(timed_, times_.integrate);
  expectCoordinates(model_, geometry_, state_.twists, model_.step.timestep, expected_);
  const SmoothMotion::Outcome outcome = smooth_->advance(state_, controls_, inputs_);
  if (outcome == SmoothMotion::Outcome::NotNow) return false;
  if (outcome == SmoothMotion::Outcome::Failed) {
    smooth_->forget();
    resting_ = rest_;
    rest_ = std::min(2 * rest_, kMostRest);
    return false;
  }
  if (smooth_->violation() > model_.step.projectionTolerance)
    projection_.projectPoses(state_.poses, expected_, record_.step.timeEnd, model_.step.projectionTolerance,
                             geometry_, controls_);
  else
    evaluateGeometry(expected_);
  contacts_.clear();
  recovered_ = false;
  passive_.begin();
  ledger_.addFlow(smooth_->work());
  return true;
}

/// theory.md, "The step", tells it in the same order.
void Simulator::stepByImpulses() {
  const StepOptions& options = model_.step;
  const StepContext& step = record_.step;

  // Free motion to where the rows are evaluated: Euler stays, Moreau goes half a step.
  rotors_.observeStart(geometry_, state_.twists);
  observeForces(model_, step, state_.poses, state_.twists, geometry_, record_.forces);
  observeBushings(model_, state_.poses, state_.twists, record_.bushings);
  if (step.timeToRows() > 0.0)
    moveTo(step.rowTime(), step.timeToRows(), rowPoseTolerance(options.projectionTolerance));
  predictRotors();
  collide();

  // The impulses of joints, limits and contacts change the twists from u⁻ to u⁺.
  assemble();
  solve();
  for (int round = 0; round < kMostLooks && meetsMore(); ++round) solveAgain();
  passive_.begin();
  while (passive_.again(record_, contacts_)) solveAgain();
  ledger_.addStep(record_, geometry_, stability_.stiffness(), controls_, contacts_);
  stability_.observe(state_.step, record_, projection_);

  // Free motion with u⁺ to the end of the step, and back onto the joints.
  displace();
  moveTo(step.timeEnd, step.timeToEnd, options.projectionTolerance);
  recover();
  if (step.trapezoidal) projectTwists();
}

/// Free motion for `duration` (s) up to `time` (s), then projection onto the joints to `tolerance`, both at
/// constant angular momenta.
void Simulator::moveTo(double time, double duration, double tolerance) {
  expectCoordinates(model_, geometry_, state_.twists, duration, expected_);
  projection_.setTurns(state_.twists, model_.step.timestep);
  if (duration > 0.0) {
    const StageTimer timer(timed_, times_.integrate);
    moveFreely(model_, duration, state_.poses, state_.twists, momenta_);
  }
  const StageTimer timer(timed_, times_.project);
  if (model_.step.projection && duration > 0.0)
    projection_.projectPoses(state_.poses, expected_, time, tolerance, geometry_, controls_);
  else
    evaluateGeometry(expected_);
  if (duration > 0.0) setSpins(model_, state_.poses, momenta_, state_.twists);
}

void Simulator::predictRotors() {
  const StageTimer timer(timed_, times_.assemble);
  record_.step.freeRateChange = rotors_.predict(record_.step, state_, geometry_);
}

/// Finds the contacts.
void Simulator::collide() {
  const StageTimer timer(timed_, times_.collide);
  externalWrenches(model_, state_.poses, record_.step.span(), inputs_.wrench, record_.wrench);
  const StepMotion& motion =
      contactStep_.foresee(record_.step, before_, state_.poses, state_.twists, record_.wrench);
  if (contactStep_.follows())
    collisionWorld_.detectOver(motion, model_.step.contactMargin, contacts_);
  else
    collisionWorld_.detect(state_.poses, contactMargin(model_.step, state_.twists), contacts_);
  addClearanceContacts(model_, state_.poses, state_.twists, model_.step.timestep, contacts_);
  assignSurfaces(model_, state_.poses, state_.twists, contacts_);
  contactStep_.complete(contacts_, collisionWorld_);
  dropOpenImpedances(model_.stabilization, contacts_);
  if (recalls_) warmStart_.recall(state_.poses, contacts_);
}

void Simulator::solveAgain() {
  std::copy(record_.twistBefore.begin(), record_.twistBefore.end(), state_.twists.begin());
  assemble();
  solve();
}

/// Whether the twists after the impulses lead to contacts that were not foreseen, which are added.
bool Simulator::meetsMore() {
  if (!contactStep_.follows() || model_.shapes.empty()) return false;
  const StepMotion* motion = contactStep_.look(state_.twists);
  if (!motion) return false;
  collisionWorld_.detectOver(*motion, model_.step.contactMargin, contacts_, seen_);
  assignSurfaces(model_, record_.poses, record_.twistBefore, seen_);
  return contactStep_.addSeen(seen_, collisionWorld_, contacts_);
}

/// The dual problem at the present configuration: M, free twists, then the rows of joints, coordinates and
/// contacts.
void Simulator::assemble() {
  const StageTimer timer(timed_, times_.assemble);
  const StepContext& step = record_.step;
  DualProblem& problem = record_.problem;
  std::copy(state_.poses.begin(), state_.poses.end(), record_.poses.begin());
  copyCoordinates(model_, geometry_, record_.coordinates);
  std::copy(state_.twists.begin(), state_.twists.end(), record_.twistBefore.begin());
  const RowContext context{model_, step, geometry_, record_.twistBefore, controls_, state_.poses};

  inertiaAt(model_, state_.poses, problem.inertia);
  if (model_.step.geometricStiffness)
    addGeometricInertia(stability_.stiffness(), step.timestep, problem.inertia);
  freeTwists(model_, step.timestep, state_.twists, record_.wrench, problem);
  if (model_.step.geometricStiffness)
    addGeometricDamping(stability_.stiffness(), step.timestep, state_.twists, problem);
  addEfforts(context, problem);

  assembleJointRows(context, problem, record_.rows, record_.blocks);
  addVelocityRows(model_, state_.poses, velocityBefore(model_, step, record_.twistBefore), problem,
                  record_.velocities);
  assembleForceRows(context, state_.poses, inputs_.force, problem, record_.forces);
  assembleBushingRows(context, state_.poses, problem, record_.bushings);
  assembleIntervalRows(context, record_.blocks, problem, record_.rows);
  assembleCouplingFriction(context, problem);
  assembleForceIntervals(context, state_.poses, problem, record_.forces);
  assembleContactRows(model_, contacts_, state_.poses, record_.twistBefore, step.timestep, problem);
}

/// Solves the problem from the impulses of the last step; state().twists become u⁺.
void Simulator::solve() {
  DualProblem& problem = record_.problem;
  Solution& solution = record_.solution;
  solution.warm = model_.solver.warmStart;
  {
    const StageTimer timer(timed_, times_.solve);
    if (solution.warm) warmStart_.apply(contacts_, state_.poses, problem, solution);
    report_.held = held_.expected() ? held_.relieve(problem) : 0;
    if (onProblem_) onProblem_(problem, solution);
    solver_.solve(problem, solution);
    if (solution.status != SolveStatus::Solved && report_.held == 0) solveRelieved();
  }
  if (model_.solver.warmStart || recalls_) warmStart_.store(contacts_, state_.poses, problem, solution);
  std::copy(solution.twist.begin(), solution.twist.end(), state_.twists.begin());
  coordinateRates(record_.rateAfter);
  record_.made = true;
  completeForces(model_, solution.impulse, state_.twists, record_.forces);
  completeBushings(model_, solution.impulse, state_.twists, record_.bushings);
}

/// Solves again without what limits and contacts ask for against the joints that hold them, if any do. A
/// solver that was named is to show what it can by itself.
void Simulator::solveRelieved() {
  if (model_.solver.name != "auto") return;
  report_.held = held_.relieve(record_.problem);
  if (report_.held == 0) return;
  record_.solution.warm = false;
  solver_.solve(record_.problem, record_.solution);
}

/// Moves what has met something within the step to where the blow takes it, at constant angular momenta.
void Simulator::displace() {
  if (std::none_of(contacts_.begin(), contacts_.end(), [](const Contact& c) { return c.meets(); })) return;
  setMomenta(model_, state_.poses, state_.twists, momenta_);
  ledger_.addRecovery(displaceByMeetings(model_, record_, contacts_, way_, state_.poses));
  setSpins(model_, state_.poses, momenta_, state_.twists);
}

/// Takes back deep penetrations and crossed limits by a displacement, and its energy into account.
void Simulator::recover() {
  const StageTimer timer(timed_, times_.project);
  recovered_ = recovery_.needed(record_, contacts_, geometry_);
  if (!recovered_) return;
  const double end = record_.step.timeEnd;
  const double before = mechanicalEnergy(model_, end, state_.poses, state_.twists, geometry_).total();
  if (!recovery_.displace(record_, state_.poses)) return;
  if (model_.step.projection)
    projection_.projectPoses(state_.poses, expected_, record_.step.timeEnd, model_.step.projectionTolerance,
                             geometry_, controls_);
  else
    evaluateGeometry(expected_);
  ledger_.addRecovery(mechanicalEnergy(model_, end, state_.poses, state_.twists, geometry_).total() - before);
}

void Simulator::projectTwists() {
  const StageTimer timer(timed_, times_.project);
  ledger_.addMotionWork(
      projection_.projectTwists(state_.poses, geometry_, record_.step.timeEnd, state_.twists, controls_));
}

/// How the step was made.
void Simulator::reportSolution() {
  report_.jumpedBushing = jumpedBushing(model_, before_.poses, state_.poses);
  report_.struck = report_.smooth && smooth_->struck();
  if (report_.smooth) {
    report_.turningBody = report_.leapingBody = -1;
    report_.turn = report_.leap = report_.solverResidual = 0.0;
    report_.status = SolveStatus::Solved;
    report_.method = Method::Single;
    report_.iterations = 0;
    report_.factorizations = smooth_->evaluations();
    report_.atRounding = report_.worseThanNone = false;
    report_.held = 0;
    return;
  }
  observeTurns();
  report_.heldBody = report_.held > 0 ? held_.body() : -1;
  report_.leap = contactStep_.leap().ratio;
  report_.leapingBody = contactStep_.leap().body;
  report_.status = record_.solution.status;
  report_.method = record_.solution.method;
  report_.iterations = record_.solution.iterations;
  report_.factorizations = record_.solution.factorizations;
  report_.solverResidual = record_.solution.residual;
  report_.atRounding = record_.solution.atRounding;
  report_.worseThanNone = record_.solution.worseThanNone;
}

/// Coordinates, time and report of the step that was made; takes it back if it must not count.
void Simulator::finish() {
  copyCoordinates(model_, geometry_, state_.coordinates);
  report_.jumpedJoint = jumps_.find(before_.coordinates, state_.coordinates);
  ++state_.step;
  state_.time = record_.step.timeEnd;
  reportSolution();
  measure();
  ledger_.observe(report_.energy);
  divergence_ = findDivergence(model_, state_, geometry_, report_, ledger_, before_.time);
  if (!divergence_) return observeMotors();
  state_ = before_;
  evaluateGeometry(state_.coordinates);
}

/// How far the fastest body turns in a step, before or after its impulses.
void Simulator::observeTurns() {
  double fastest = 0.0;
  report_.turningBody = -1;
  for (std::size_t b = 0; b < state_.twists.size(); ++b) {
    const double square = std::max(record_.twistBefore[b].tail<3>().squaredNorm(),
                                   record_.solution.twist[b].tail<3>().squaredNorm());
    if (!(square > fastest)) continue;
    fastest = square;
    report_.turningBody = static_cast<int>(b);
  }
  report_.turn = std::sqrt(fastest) * record_.step.timestep;
}

void Simulator::observeMotors() {
  for (std::size_t k = 0; k < motors_.count(); ++k) {
    const ActuatorId place = motors_.place(k);
    motors_.addStep(k,
                    report_.smooth ? smooth_->meanEffort(k) : actuatorEffort(place.joint, place.coordinate),
                    rateOf(place));
  }
  motors_.finishStep();
}

/// Rate of a joint coordinate at the state, m/s or rad/s.
double Simulator::rateOf(ActuatorId place) const {
  return coordinateRate(model_.joints[place.joint], geometry_[place.joint].coordinateRow[place.coordinate],
                        state_.twists);
}

void Simulator::measure() {
  const StageTimer timer(timed_, times_.measure);
  report_.jointResidual = jointViolation(model_, geometry_, state_.time, controls_);
  report_.limitViolation = 0.0;
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      const double gap = model_.joints[j].coordinates[i].limit.gap(geometry_[j].coordinate[i]);
      report_.limitViolation = std::max(report_.limitViolation, -gap);
    }
  for (const ForceElement& element : model_.forces)
    if (element.law.rigid && element.law.side != ForceSide::Both)
      report_.limitViolation = std::max(report_.limitViolation,
                                        rigidExcess(model_, element, state_.time, state_.poses, geometry_));
  report_.penetration = 0.0;
  for (const Contact& contact : contacts_)
    report_.penetration = std::max(report_.penetration, -contact.gapWith(0.0));
  report_.contacts = static_cast<int>(contacts_.size());
  report_.intervalRows = report_.smooth ? 0 : static_cast<int>(record_.problem.intervals.size());
  report_.stability = report_.smooth ? 0.0 : stability_.number();
  report_.energy = mechanicalEnergy(model_, state_.time, state_.poses, state_.twists, geometry_);
  report_.energy.elastic += ledger_.inContacts();
}

}  // namespace grashof
