#include "engine/dynamics/smooth/smooth_system.h"

#include <algorithm>
#include <cmath>

#include "engine/dynamics/account/motor_ledger.h"
#include "engine/model/mechanism_size.h"

namespace grashof {
namespace {

constexpr double kSpeedScale = 10.0;       // 1/s: errors of rates count as those of positions times this
constexpr double kStageTolerance = 1e-10;  // m, rad: of stages that are taken onto redundant joints
constexpr double kSettledRate = 1e-10;     // m/s, rad/s: of rows, no jump

double lightest(const Model& model) {
  double mass = model.bodies.empty() ? 1.0 : model.bodies.front().mass;
  for (const Body& body : model.bodies) mass = std::min(mass, body.mass);
  return mass;
}

}  // namespace

void quaternionRate(const double* q, const Vec3& spin, double* rate) {
  const Vec3 v = Vec3::Map(q);
  Vec3::Map(rate) = 0.5 * (q[3] * spin + spin.cross(v));
  rate[3] = -0.5 * spin.dot(v);
}

double sharedStep(double proposed, double room) {
  if (proposed >= room) return room;
  return proposed > 0.5 * room ? 0.5 * room : proposed;
}

SmoothSystem::SmoothSystem(const Model& model)
    : poses(model.bodies.size()),
      twists(model.bodies.size()),
      model_(model),
      motion_(model),
      motors_(motorsOf(model)),
      size_(mechanismSize(model)),
      mass_(lightest(model)),
      reference_(static_cast<std::size_t>(model.coordinates())),
      blow_(motion_.firstHeld() + motion_.rotors()) {}

void SmoothSystem::setInputs(std::span<const Control> controls, const Inputs& inputs) {
  controls_ = controls;
  inputs_ = &inputs;
}

void SmoothSystem::take(const State& state, SmoothValues& y) {
  std::copy(state.poses.begin(), state.poses.end(), poses.begin());
  std::copy(state.twists.begin(), state.twists.end(), twists.begin());
  std::copy(state.coordinates.begin(), state.coordinates.end(), reference_.begin());
  std::fill(y.begin(), y.end(), 0.0);
  pack(y);
}

void SmoothSystem::unpack(const SmoothValues& y) {
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const double* v = &y[kBodyValues * b];
    poses[b].position = Vec3::Map(v);
    poses[b].rotation.coeffs() = Eigen::Vector4d::Map(v + 3).normalized();
    twists[b] = Vec6::Map(v + 7);
  }
}

void SmoothSystem::pack(SmoothValues& y) const {
  for (std::size_t b = 0; b < poses.size(); ++b) {
    double* v = &y[kBodyValues * b];
    Vec3::Map(v) = poses[b].position;
    Eigen::Vector4d::Map(v + 3) = poses[b].rotation.coeffs();
    Vec6::Map(v + 7) = twists[b];
  }
}

/// A stage leaves the joints by the square of the step: rows that are redundant there alone would hold it
/// fast.
bool SmoothSystem::evaluate(double time, SmoothValues& y, SmoothValues& rate, bool onJoints) {
  unpack(y);
  ++evaluations;
  if (onJoints) motion_.projectPoses(at(time), poses, kStageTolerance, ConstrainedMotion::Factor::Kept);
  if (!motion_.place(at(time))) return false;
  if (onJoints) {
    motion_.projectTwists(twists);
    pack(y);
  }
  if (!motion_.accelerate(at(time))) return false;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    double* r = &rate[kBodyValues * b];
    Vec3::Map(r) = twists[b].head<3>();
    quaternionRate(poses[b].rotation.coeffs().data(), twists[b].tail<3>(), r + 3);
    Vec6::Map(r + 7) = motion_.accelerations()[b];
  }
  writeFlows(motion_, &rate[flows()]);
  return true;
}

void SmoothSystem::writeFlows(const ConstrainedMotion& motion, double* rate) const {
  rate[0] = motion.power().actuators;
  rate[1] = motion.power().external;
  rate[2] = motion.power().dissipated;
  rate[3] = 0.0;
  for (const double force : motion.heldForces()) rate[3] += force;
  for (std::size_t k = 0; k < motors_.size(); ++k)
    rate[kFlows + k] = motion.driveEffort(model_.coordinateStart[motors_[k].joint] + motors_[k].coordinate);
}

bool SmoothSystem::takeRates(SmoothValues& y) {
  const auto change = motion_.projectTwists(twists);
  if (change.largest < kSettledRate) return false;
  for (std::size_t b = 0; b < twists.size(); ++b) Vec6::Map(&y[kBodyValues * b + 7]) = twists[b];
  if (!blew_) std::fill(blow_.begin(), blow_.end(), 0.0);
  blew_ = true;
  auto sum = blow_.begin();
  for (const double impulse : motion_.rowImpulses()) *sum++ += impulse;
  for (const double impulse : motion_.rotorImpulses()) *sum++ += impulse;
  y[flows()] += change.work;
  y[flows() + 2] += change.loss;
  return true;
}

double SmoothSystem::motorBlow(std::size_t k) const {
  const auto [joint, coordinate] = motors_[k];
  const bool motion = model_.joints[joint].coordinates[coordinate].actuator.kind == Actuator::Kind::Motion;
  return motion ? blow_[motion_.motionRow(joint, coordinate)] : 0.0;
}

bool SmoothSystem::land(ConstrainedMotion& motion, double time, SmoothValues& y) {
  unpack(y);
  settle(motion, time);
  if (!(violation_ <= 100.0 * model_.step.projectionTolerance)) return false;
  motion.projectTwists(twists);
  pack(y);
  follow(motion);
  return true;
}

void SmoothSystem::settle(ConstrainedMotion& motion, double time) {
  violation_ = motion.projectPoses(at(time), poses, model_.step.projectionTolerance);
}

void SmoothSystem::follow(const ConstrainedMotion& motion) {
  copyCoordinates(model_, motion.geometry(), reference_);
}

double SmoothSystem::measure(const SmoothValues& error, const SmoothValues& before,
                             const SmoothValues& after) const {
  // A mechanism that limits hold at rest would let steps pass over what turns the forces.
  const std::size_t press = flows() + 3;
  double worst =
      std::abs(error[press]) / (kSpeedScale * size_ * mass_ + std::abs(after[press] - before[press]));
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const double *e = &error[kBodyValues * b], *y0 = &before[kBodyValues * b], *y1 = &after[kBodyValues * b];
    const double speed = std::max(Vec3::Map(y0 + 7).norm(), Vec3::Map(y1 + 7).norm());
    const double spin = std::max(Vec3::Map(y0 + 10).norm(), Vec3::Map(y1 + 10).norm());
    const double ratio = std::max({Vec3::Map(e).norm() / size_, 2.0 * Eigen::Vector4d::Map(e + 3).norm(),
                                   Vec3::Map(e + 7).norm() / (kSpeedScale * size_ + speed),
                                   Vec3::Map(e + 10).norm() / (kSpeedScale + spin)});
    if (!(ratio <= worst)) worst = ratio;  // NaN stays
  }
  return worst / model_.step.tolerance;
}

double SmoothSystem::distance(const SmoothValues& a, const SmoothValues& b) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double *x = &a[kBodyValues * i], *y = &b[kBodyValues * i];
    sum += (Vec3::Map(x) - Vec3::Map(y)).squaredNorm() / (size_ * size_) +
           4.0 * (Eigen::Vector4d::Map(x + 3) - Eigen::Vector4d::Map(y + 3)).squaredNorm() +
           ((Vec3::Map(x + 7) - Vec3::Map(y + 7)).squaredNorm() / (size_ * size_) +
            (Vec3::Map(x + 10) - Vec3::Map(y + 10)).squaredNorm()) /
               (kSpeedScale * kSpeedScale);
  }
  return std::sqrt(sum);
}

}  // namespace grashof
