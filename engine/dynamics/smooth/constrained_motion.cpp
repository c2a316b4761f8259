#include "engine/dynamics/smooth/constrained_motion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "engine/dynamics/rows/equality_rows.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

constexpr double kAccelerationProximal = 1e-12;  // η relative to scaled rows, as of the projection
constexpr int kChordIterations = 8;
constexpr double kSettled = 1e-14;  // m/s, rad/s: rates that need no projection

std::string roughCoordinate(const Model& model, const Joint& joint) {
  for (const JointCoordinate& c : joint.coordinates) {
    if (c.passive.frictional()) return fmt::format("dry friction of joint '{}'", joint.name);
    if (model.lossy(c.actuator)) return fmt::format("the gear losses of the motor at joint '{}'", joint.name);
  }
  return {};
}

bool slides(const ForceElement& element) {
  return std::any_of(element.path.begin(), element.path.end(),
                     [](const CableSupport& s) { return s.friction > 0.0; });
}

bool allFinite(std::span<const Vec6> vectors) {
  return std::all_of(vectors.begin(), vectors.end(), [](const Vec6& v) { return v.allFinite(); });
}

bool isMotion(const JointCoordinate& c) { return c.actuator.kind == Actuator::Kind::Motion; }
bool isRotor(const JointCoordinate& c) { return c.passive.inertia() > 0.0; }

/// Joints of which rows of coordinates are needed as well: those of motions, rotors, limits and couplings.
std::vector<char> jointsByCoordinates(const Model& model) {
  std::vector<char> use(model.joints.size(), 0);
  for (std::size_t j = 0; j < use.size(); ++j)
    for (const JointCoordinate& c : model.joints[j].coordinates)
      use[j] |= isMotion(c) || isRotor(c) || c.limit.bounded() ? 1 : 0;
  for (std::size_t j = 0; j < use.size(); ++j)
    for (const Coupling& c : model.couplings) use[j] |= c.on(static_cast<int>(j)) ? 1 : 0;
  return use;
}

}  // namespace

double limitGap(const JointEvaluator& joints, const LimitSide& side, std::span<const double> reference,
                JointRow* row) {
  const auto j = static_cast<std::size_t>(side.joint);
  std::array<double, 6> q{};
  std::array<JointRow, 6> rows;
  joints.coordinates(j, joints.placement(j).frames(), reference, q,
                     row ? std::span(rows) : std::span<JointRow>());
  if (row) *row = rows[static_cast<std::size_t>(side.coordinate)];
  const Limit& limit = joints.model().joints[j].coordinates[static_cast<std::size_t>(side.coordinate)].limit;
  const double value = q[static_cast<std::size_t>(side.coordinate)];
  return side.upper ? limit.upper - value : value - limit.lower;
}

std::string roughPart(const Model& model) {
  if (!model.step.projection) return "joints that are not projected";
  if (!model.velocityConstraints.empty()) return "constraints on velocities";
  for (const Joint& joint : model.joints) {
    if (joint.softness.soft()) return fmt::format("the softness of joint '{}'", joint.name);
    if (joint.clearance.any()) return fmt::format("the clearance of joint '{}'", joint.name);
    if (std::string rough = roughCoordinate(model, joint); !rough.empty()) return rough;
  }
  for (const Coupling& c : model.couplings)
    if (c.friction.any()) return fmt::format("the losses of coupling '{}'", c.name);
  for (const ForceElement& e : model.forces) {
    if (e.law.rigid) return fmt::format("the rigid element '{}'", e.name);
    if (slides(e)) return fmt::format("friction on the pulleys of '{}'", e.name);
  }
  return {};
}

bool ConstrainedMotion::resists(const JointCoordinate& c) {
  return c.passive.inertia() > 0.0 || c.passive.stiffness > 0.0 || c.passive.damping > 0.0 ||
         c.actuator.servo() || c.actuator.kind == Actuator::Kind::Effort || elasticStop(c);
}

ConstrainedMotion::ConstrainedMotion(const Model& model)
    : model_(model),
      joints_(model),
      firstRow_(equalityRowStart(model)),
      useCoordinate_(jointsByCoordinates(model)),
      geometry_(model.joints.size()),
      constraintBias_(6 * model.joints.size()),
      coordinateBias_(static_cast<std::size_t>(model.coordinates())),
      external_(model.bodies.size()),
      wrench_(model.bodies.size()),
      acceleration_(model.bodies.size()),
      body_(model.bodies.size()),
      twist_(model.bodies.size()),
      best_(model.bodies.size()),
      drive_(static_cast<std::size_t>(model.coordinates())),
      elements_(model.forces.size()),
      bushings_(model.bushings.size()) {
  problem_.inertia.resize(model.bodies.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) elements_[i].row.reserve(maxRowTerms(model.forces[i]));
}

void ConstrainedMotion::look(const Instant& at) {
  joints_.setPoses(at.poses);
  joints_.evaluate(at.reference, geometry_);
  inertiaAt(model_, at.poses, problem_.inertia);
}

bool ConstrainedMotion::place(const Instant& at) {
  look(at);
  assembleRows(at);
  addArmatureRows(model_, geometry_, problem_);
  return factorize();
}

bool ConstrainedMotion::accelerate(const Instant& at) {
  findBias(at);
  findForces(at);
  std::copy(wrench_.begin(), wrench_.end(), acceleration_.begin());
  reaction_ = bias_;
  kkt_[current_].solve(problem_, acceleration_, reaction_);
  findPower(at.twists);
  return allFinite(acceleration_);
}

/// Index of the first row of held limits, behind joints and couplings.
std::size_t ConstrainedMotion::firstHeld() const {
  return static_cast<std::size_t>(firstRow_.back()) + model_.couplings.size();
}

std::size_t ConstrainedMotion::rotors() const {
  std::size_t count = 0;
  for (const Joint& joint : model_.joints)
    count +=
        static_cast<std::size_t>(std::count_if(joint.coordinates.begin(), joint.coordinates.end(), isRotor));
  return count;
}

std::size_t ConstrainedMotion::motionRow(int joint, int coordinate) const {
  const Joint& own = model_.joints[joint];
  const auto before = std::count_if(own.coordinates.begin(), own.coordinates.begin() + coordinate, isMotion);
  const auto row = firstRow_[joint] + own.type->numConstraints() + before;
  return static_cast<std::size_t>(row);
}

/// Equality rows, those of held limits as the last.
void ConstrainedMotion::assembleRows(const Instant& at) {
  assembleEqualityRows(model_, geometry_, at.time, EqualityTarget::Velocity, problem_, at.controls);
  for (const LimitSide& side : held_) {
    const Joint& joint = model_.joints[side.joint];
    const JointRow& row = geometry_[side.joint].coordinateRow[side.coordinate];
    openJointBlock(joint, problem_);
    addJointRow(joint, {side.sign() * row.base, side.sign() * row.follower}, 0.0, 0.0, problem_);
    closeJointBlock(problem_);
  }
  problem_.jointRows = static_cast<int>(problem_.bias.size());
  equalities_ = static_cast<std::size_t>(problem_.jointRows);
}

bool ConstrainedMotion::factorize() {
  for (KktSystem& kkt : kkt_) kkt.analyze(problem_);
  const auto rows = static_cast<std::size_t>(problem_.jointRows);
  bias_.resize(rows);
  row_.resize(rows);
  velocity_.resize(rows);
  reaction_.resize(rows);
  return kkt_[current_].factorize(problem_, {}, kAccelerationProximal);
}

/// bias_ = -γ of all rows.
void ConstrainedMotion::findBias(const Instant& at) {
  std::size_t row = 0;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    if (firstRow_[j + 1] == firstRow_[j] && !useCoordinate_[j]) continue;
    biasOfJoint(j, at);
    for (int r = 0; r < joint.type->numConstraints(); ++r)
      bias_[row++] = -constraintBias_[6 * j + static_cast<std::size_t>(r)];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      if (!isMotion(joint.coordinates[i])) continue;
      const Reference motion = referenceOf(model_, at.controls, static_cast<int>(j), static_cast<int>(i));
      bias_[row++] = motion.acceleration(at.time) - coordinateBias_[model_.coordinateStart[j] + i];
    }
  }
  for (const Coupling& c : model_.couplings) bias_[row++] = -couplingBias(c, at);
  for (const LimitSide& side : held_)
    bias_[row++] = -side.sign() * coordinateBias_[model_.coordinateStart[side.joint] + side.coordinate];
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i)
      if (isRotor(model_.joints[j].coordinates[i]))
        bias_[row++] = -coordinateBias_[model_.coordinateStart[j] + i];
}

double ConstrainedMotion::gapAcceleration(const LimitSide& side) const {
  const double rate = coordinateRate(model_.joints[side.joint],
                                     geometry_[side.joint].coordinateRow[side.coordinate], acceleration_);
  return side.sign() * (rate + coordinateBias_[model_.coordinateStart[side.joint] + side.coordinate]);
}

void ConstrainedMotion::biasOfJoint(std::size_t j, const Instant& at) {
  static const Vec6 still = Vec6::Zero();
  const Joint& joint = model_.joints[j];
  const JointGeometry& g = geometry_[j];
  const JointFrames frames = joints_.placement(j).frames();
  const Vec6& base = joint.base >= 0 ? at.twists[joint.base] : still;
  const Vec6& follower = at.twists[joint.follower];
  const Vec6 relative = relativeMotion(frames.followerCenter - frames.baseCenter, base, follower);
  std::array<Vec6, 6> turns;
  joint.type->constraintTurns(frames, relative, turns);
  for (int r = 0; r < joint.type->numConstraints(); ++r)
    constraintBias_[6 * j + static_cast<std::size_t>(r)] =
        rateBias(g.constraintRow[r], turns[r], relative, base, follower);
  if (!useCoordinate_[j]) return;
  joint.type->coordinateTurns(frames, relative, turns);
  for (int i = 0; i < joint.type->numDofs(); ++i)
    coordinateBias_[model_.coordinateStart[j] + i] =
        rateBias(g.coordinateRow[i], turns[i], relative, base, follower);
}

/// J̇ u of the coupling q_a - g(q_b) - Σ c_k q_k.
double ConstrainedMotion::couplingBias(const Coupling& c, const Instant& at) const {
  const auto biasOf = [&](int joint, int i) { return coordinateBias_[model_.coordinateStart[joint] + i]; };
  const double b = geometry_[c.jointB].coordinate[c.coordinateB];
  const double rate =
      coordinateRate(model_.joints[c.jointB], geometry_[c.jointB].coordinateRow[c.coordinateB], at.twists);
  double bias = biasOf(c.jointA, c.coordinateA) - c.slope(b) * biasOf(c.jointB, c.coordinateB) -
                c.curvature(b) * rate * rate;
  for (const CoordinateTerm& t : c.more) bias -= t.coefficient * biasOf(t.joint, t.coordinate);
  return bias;
}

/// All but the reactions.
void ConstrainedMotion::findForces(const Instant& at) {
  addWrenches(at);
  addCoordinateForces(at);
  addElementForces(at);
  addBushings(at);
}

/// Gravity, gyroscopic and external wrenches.
void ConstrainedMotion::addWrenches(const Instant& at) {
  externalWrenches(model_, at.poses, {at.time}, at.inputs.wrench, external_);
  std::copy(external_.begin(), external_.end(), wrench_.begin());
  for (std::size_t b = 0; b < wrench_.size(); ++b) {
    const Vec3 spin = at.twists[b].tail<3>();
    wrench_[b].head<3>() += problem_.inertia[b].mass * model_.gravity;
    wrench_[b].tail<3>() -= spin.cross(Vec3(problem_.inertia[b].inertia * spin));
  }
}

/// What a servo or effort asks for, N or N·m.
double ConstrainedMotion::driveCommand(const Instant& at, int joint, int coordinate, double q,
                                       double rate) const {
  const Actuator& a = model_.joints[joint].coordinates[coordinate].actuator;
  const Reference reference = referenceOf(model_, at.controls, joint, coordinate);
  const double value = reference.value(at.time);
  if (a.kind == Actuator::Kind::Velocity) return a.derivativeGain * (value - rate);
  if (a.kind == Actuator::Kind::Position)
    return a.proportionalGain * (value - q) + a.derivativeGain * (reference.rate(at.time) - rate);
  return value;
}

/// What the bounds of a drive leave of its command, and how it yields to position and rate.
void ConstrainedMotion::boundDrive(const Actuator& a, Efforts& e) const {
  const DriveBounds bounds = model_.boundsOf(a);
  e.drive = bounds.bounded() ? std::clamp(e.command, bounds.lower(e.rate), bounds.upper(e.rate)) : e.command;
  if (e.drive != e.command)
    e.servo.damping = bounds.line() && std::abs(e.drive) < bounds.limit ? bounds.stall / bounds.noLoad : 0.0;
  else if (a.servo())
    e.servo = {a.kind == Actuator::Kind::Position ? a.proportionalGain : 0.0, a.derivativeGain};
}

void ConstrainedMotion::act(std::span<const Onset> onsets) {
  byOnset_ = true;
  pressed_.assign(drive_.size(), Stop::None);
  taut_.assign(elements_.size(), Taut::No);
  for (const Onset& onset : onsets) {
    if (onset.element >= 0) {
      Taut& taut = taut_[static_cast<std::size_t>(onset.element)];
      taut = std::max(taut, onset.slack ? Taut::Held : Taut::Acts);
      continue;
    }
    const int index = model_.coordinateStart[onset.limit.joint] + onset.limit.coordinate;
    pressed_[static_cast<std::size_t>(index)] = onset.limit.upper ? Stop::Upper : Stop::Lower;
  }
}

/// The force of a limit that is a spring.
void ConstrainedMotion::addStop(const JointCoordinate& c, int index, double q, Efforts& e) const {
  const double below = q - c.limit.lower, above = c.limit.upper - q;
  Stop stop = below < 0.0 ? Stop::Lower : above < 0.0 ? Stop::Upper : Stop::None;
  if (byOnset_) stop = pressed_[static_cast<std::size_t>(index)];
  if (stop == Stop::None) return;
  e.stopStiffness = 1.0 / c.limit.softness.compliance;
  e.stop = e.stopStiffness * (stop == Stop::Lower ? -below : above);
}

/// Springs, dampers and drives of joint coordinates.
void ConstrainedMotion::addCoordinateForces(const Instant& at) {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const JointCoordinate& c = joint.coordinates[i];
      Efforts& e = drive_[model_.coordinateStart[j] + i] = {};
      if (!resists(c)) continue;
      const JointRow& row = geometry_[j].coordinateRow[i];
      const double q = geometry_[j].coordinate[i], rate = coordinateRate(joint, row, at.twists);
      e.rate = rate;
      e.spring = -c.passive.stiffness * (q - c.passive.rest);
      e.damper = -c.passive.damping * rate;
      if (c.actuator.servo() || c.actuator.kind == Actuator::Kind::Effort) {
        e.command = driveCommand(at, static_cast<int>(j), static_cast<int>(i), q, rate);
        boundDrive(c.actuator, e);
      }
      if (elasticStop(c)) addStop(c, model_.coordinateStart[j] + static_cast<int>(i), q, e);
      const double sum = e.spring + e.damper + e.drive + e.stop;
      wrench_[joint.follower] += sum * row.follower;
      if (joint.base >= 0) wrench_[joint.base] += sum * row.base;
    }
  }
}

void ConstrainedMotion::addElementForces(const Instant& at) {
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const ForceElement& element = model_.forces[k];
    const ForceLaw& law = element.law;
    ElementForce& own = elements_[k];
    const ForceLine line = forceLine(element, at.poses, geometry_);
    forceRateRow(model_, element, line, at.poses, geometry_, own.row);
    own.feed = element.lengthSignal >= 0 ? model_.signals[element.lengthSignal].rate(at.time) : 0.0;
    const double x = line.length - commandedLength(model_, element, at.time);
    own.rate = rowRate(own.row, at.twists) - own.feed;
    double force = law.springForce(x) - law.damping * own.rate;
    own.spring = law.springForce(x);
    own.slope = {std::max(0.0, law.springStiffness(x)), law.damping};
    if (!law.overSpeed.empty()) {
      force += law.overSpeed.force(own.rate);
      own.slope.damping = std::max(0.0, law.damping - law.overSpeed.slope(own.rate));
    }
    own.lossy = force - own.spring;
    if (law.side != ForceSide::Both) cutOneSided(k, force, own);
    own.commanded = commandedForce(model_, element, at.inputs.force[k], {at.time});
    for (const RowTerm& t : own.row) wrench_[t.body] += own.force() * t.jacobian;
  }
}

/// Leaves of a one-sided element, whose force would be `force`, what acts: nothing where it is slack, and
/// nothing where its damper would hold it back.
void ConstrainedMotion::cutOneSided(std::size_t element, double force, ElementForce& own) const {
  const double sign = model_.forces[element].law.sign();
  Taut taut = sign * own.spring <= 0.0 ? Taut::No : sign * force > 0.0 ? Taut::Acts : Taut::Held;
  if (byOnset_) taut = taut_[element];
  if (taut == Taut::Acts) return;
  own.slope = {};
  // What it has stored is lost while it comes back by itself.
  if (taut == Taut::No) own.spring = 0.0;
  own.lossy = -own.spring;
}

void ConstrainedMotion::addBushings(const Instant& at) {
  for (std::size_t k = 0; k < bushings_.size(); ++k) {
    const Bushing& bushing = model_.bushings[k];
    BushingState& own = bushings_[k];
    const Vec6 q = bushingDeformation(bushing, at.poses, &own.base, &own.follower);
    own.rate = own.follower * at.twists[bushing.follower];
    if (bushing.base >= 0) own.rate += own.base * at.twists[bushing.base];
    own.spring = bushing.preload - bushing.stiffness * q;
    own.damper = -(bushing.damping * own.rate);
    wrench_[bushing.follower].noalias() += own.follower.transpose() * own.force();
    if (bushing.base >= 0) wrench_[bushing.base].noalias() += own.base.transpose() * own.force();
  }
}

/// What crosses the border of the mechanism.
void ConstrainedMotion::findPower(std::span<const Vec6> twists) {
  power_ = {};
  for (std::size_t b = 0; b < external_.size(); ++b) power_.external += external_[b].dot(twists[b]);
  for (const Efforts& e : drive_) {
    power_.dissipated -= e.damper * e.rate;
    power_.actuators += e.drive * e.rate;
  }
  for (const ElementForce& e : elements_) {
    power_.dissipated -= e.lossy * e.rate;
    power_.actuators += e.commanded * e.rate + e.force() * e.feed;
  }
  for (const BushingState& b : bushings_) power_.dissipated -= b.damper.dot(b.rate);
  addMotionPower();
}

/// Efforts of prescribed motions, which carry spring, damper and rotor of their coordinates by themselves.
void ConstrainedMotion::addMotionPower() {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    int row = firstRow_[j] + joint.type->numConstraints();
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      if (!isMotion(joint.coordinates[i])) continue;
      const double effort = reaction_[static_cast<std::size_t>(row)];
      drive_[model_.coordinateStart[j] + i].drive = effort;
      power_.actuators -= effort * problem_.bias[static_cast<std::size_t>(row)];
      ++row;
    }
  }
}

double ConstrainedMotion::projectPoses(const Instant& at, std::span<Pose> poses, double tolerance,
                                       Factor factor) {
  KktSystem& kkt = kkt_[factor == Factor::Kept ? kept_ : current_];
  const auto residual = [&] {
    std::fill(row_.begin(), row_.end(), 0.0);
    joints_.setPoses(poses);
    const double joints = equalityResiduals(joints_, at.reference, at.time, firstRow_,
                                            std::span(row_).first(firstHeld()), at.controls);
    double limits = 0.0;
    for (std::size_t i = 0; i < held_.size(); ++i) {
      row_[firstHeld() + i] = limitGap(joints_, held_[i], at.reference);
      limits = std::max(limits, std::abs(row_[firstHeld() + i]));
    }
    return std::isnan(joints) ? joints : std::max(joints, limits);
  };
  double violation = residual();
  for (int i = 0; i < kChordIterations && violation > tolerance; ++i) {
    for (double& r : row_) r = -r;
    for (Vec6& b : body_) b.setZero();
    kkt.solve(problem_, body_, row_);
    std::copy(poses.begin(), poses.end(), best_.begin());
    for (std::size_t b = 0; b < poses.size(); ++b) poses[b] = movePose(poses[b], body_[b], 1.0);
    const double moved = residual();
    if (moved < violation) {
      violation = moved;
      continue;
    }
    // Near a singular pose an old factorization leads away.
    std::copy(best_.begin(), best_.end(), poses.begin());
    break;
  }
  return violation;
}

ConstrainedMotion::TwistChange ConstrainedMotion::projectTwists(std::span<Vec6> twists) {
  TwistChange change;
  rowVelocities(problem_, twists, velocity_);
  std::fill(row_.begin(), row_.end(), 0.0);
  for (std::size_t r = 0; r < equalities_; ++r) {
    row_[r] = -problem_.bias[r] - velocity_[r];
    change.largest = std::max(change.largest, std::abs(row_[r]));
  }
  if (change.largest < kSettled) {
    std::fill(row_.begin(), row_.end(), 0.0);
    return change;
  }
  for (Vec6& b : body_) b.setZero();
  kkt_[current_].solve(problem_, body_, row_);
  for (std::size_t b = 0; b < twists.size(); ++b) twists[b] += body_[b];
  for (std::size_t r = 0; r < equalities_; ++r) {
    const double work = 0.5 * row_[r] * (velocity_[r] - problem_.bias[r]);
    const bool limit = r >= firstHeld();
    change.work += limit ? 0.0 : work;
    change.loss -= limit ? work : 0.0;
  }
  return change;
}

}  // namespace grashof
