#include "engine/analysis/inverse_dynamics.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/drive.h"
#include "engine/dynamics/rows/step_context.h"
#include "engine/model/model_builder.h"

namespace grashof {
namespace {

constexpr double kPositionGain = 0.2;  // share of a position error that is taken back per step
constexpr int kCorrections = 4;        // Newton steps per time step, at most
constexpr std::int64_t kRenewal = 20;  // time steps for which the response matrix is kept
constexpr double kSameSpeed = 1e-13;   // relative to the fastest coordinate: speeds that agree
constexpr double kMinResponse = 1e-6;  // relative to the largest: smaller singular values are zero
constexpr double kLost = 1e-3;  // m/s, rad/s: from this error on, the guess restarts from the true state

/// Whether a motion of the model is made by a motor whose gear loses something.
bool losesInGears(const Model& model, const InverseDynamics& drives) {
  for (std::size_t d = 0; d < drives.joints.size(); ++d) {
    const Motor* const motor = model.motorOf(model.joints[static_cast<std::size_t>(drives.joints[d])]
                                                 .coordinates[static_cast<std::size_t>(drives.coordinates[d])]
                                                 .actuator);
    if (motor && (motor->efficiency < 1.0 || motor->backEfficiency < 1.0)) return true;
  }
  return false;
}

/// The index of the gear of a motor, whose limits do not act: efforts are what the motion takes. `own`: the
/// number of motors that the model had before.
int addGear(const Motor& motor, std::size_t own, Model& model) {
  Motor gear;
  gear.name = motor.name + "-gear";
  gear.gearRatio = motor.gearRatio;
  gear.efficiency = motor.efficiency;
  gear.backEfficiency = motor.backEfficiency;
  gear.rotorInertia = motor.rotorInertia;
  for (bool taken = true; taken;) {
    taken = false;
    for (std::size_t m = 0; m < model.motors.size(); ++m) {
      if (model.motors[m].name != gear.name) continue;
      const Motor& other = model.motors[m];
      if (m >= own && other.gearRatio == gear.gearRatio && other.efficiency == gear.efficiency &&
          other.backEfficiency == gear.backEfficiency && other.rotorInertia == gear.rotorInertia)
        return static_cast<int>(m);
      taken = true;
    }
    if (taken) gear.name += "-gear";
  }
  model.motors.push_back(std::move(gear));
  return static_cast<int>(model.motors.size()) - 1;
}

/// Finds, step by step, the efforts with which a forward run has the speeds of the motions at the end of each
/// step. Three simulators: `driven_` follows the motions, `run_` moves by the efforts found, and `trial_`
/// repeats a step of `run_` with other efforts.
class EffortSearch {
 public:
  EffortSearch(const Model& model, InverseDynamics& result)
      : model_(model),
        result_(result),
        forward_(std::make_shared<const Model>(effortModel(model, result))),
        driven_(steppedByImpulses(std::make_shared<const Model>(model)), startState(model)),
        trial_(forward_),
        run_(forward_) {
    const auto actuators = trial_.actuators();
    for (std::size_t d = 0; d < result.joints.size(); ++d)
      for (std::size_t a = 0; a < actuators.size(); ++a)
        if (actuators[a] == ActuatorId{result.joints[d], result.coordinates[d]}) control_.push_back(a);
    const auto n = static_cast<Eigen::Index>(result.joints.size());
    effort_ = target_ = Eigen::VectorXd::Zero(n);
    response_ = Eigen::MatrixXd::Zero(n, n);
  }

  /// Does one step. False: a simulator has diverged.
  bool step() {
    driven_.step();
    if ((result_.divergence = driven_.diverged())) return false;
    setTargets();
    guess();
    double error = tryEfforts();
    double scale = 1.0;
    for (const double rate : rates_) scale = std::max(scale, std::abs(rate));
    for (int i = 0; i < kCorrections && error > kSameSpeed * scale; ++i) {
      const Eigen::VectorXd before = effort_, miss = miss_;
      effort_ = before - solver_.solve(miss);
      const double corrected = tryEfforts();
      if (!(corrected < error)) {  // rounding allows nothing better
        effort_ = before;
        break;
      }
      error = corrected;
    }
    // `run_` is never set back, so that another run with these efforts is the same.
    setEfforts(run_);
    run_.step();
    if ((result_.divergence = run_.diverged())) return false;
    const Eigen::VectorXd needed = beforeGears();
    if (error > kLost) driven_.setState(run_.state());
    // The middle of the step, equal to the last bit to the time that the simulator computes.
    const double dt = model_.step.timestep;
    result_.times.push_back(static_cast<double>(steps_) * dt + 0.5 * dt);
    ++steps_;
    result_.efforts.emplace_back(needed.begin(), needed.end());
    return true;
  }

 private:
  Eigen::Index drives() const { return effort_.size(); }
  std::size_t joint(Eigen::Index d) const {
    return static_cast<std::size_t>(result_.joints[static_cast<std::size_t>(d)]);
  }
  std::size_t coordinate(Eigen::Index d) const {
    return static_cast<std::size_t>(result_.coordinates[static_cast<std::size_t>(d)]);
  }
  std::size_t stateIndex(Eigen::Index d) const {
    return static_cast<std::size_t>(model_.coordinateStart[joint(d)]) + coordinate(d);
  }

  /// The efforts of the last step of `run_`, which has gears without losses, with what these lose.
  Eigen::VectorXd beforeGears() {
    Eigen::VectorXd needed = effort_;
    const StepRecord& record = run_.record();
    for (Eigen::Index d = 0; d < drives() && result_.geared; ++d) {
      const Actuator& actuator = model_.joints[joint(d)].coordinates[coordinate(d)].actuator;
      const Motor* const motor = model_.motorOf(actuator);
      if (!motor) continue;
      const double rate = record.rateAfter[stateIndex(d)];
      const double rotor =
          motor->reflectedInertia() * rateChange(record, stateIndex(d)) / model_.step.timestep;
      needed[d] = rotor + motor->gearedTorque(effort_[d] - rotor, motor->gearRatio * rate);
    }
    return needed;
  }

  /// How the last step of `run_` has changed the rate of a coordinate that has a rotor: by impulses and by
  /// free motion, m/s or rad/s.
  double rateChange(const StepRecord& record, std::size_t index) {
    const int row = record.rows[index].soft;
    if (row < 0 || record.step.freeRateChange.empty()) return 0.0;
    before_.resize(static_cast<std::size_t>(record.problem.rows()));
    rowVelocities(record.problem, record.twistBefore, before_);
    return record.rateAfter[index] - before_[static_cast<std::size_t>(row)] +
           record.step.freeRateChange[index];
  }

  /// First guess: the efforts of `driven_`, without combinations that move nothing.
  void guess() {
    for (Eigen::Index d = 0; d < drives(); ++d)
      effort_[d] = driven_.actuatorEffort(static_cast<int>(joint(d)), static_cast<int>(coordinate(d)));
    if (steps_ - updated_ >= kRenewal || updated_ < 0) {
      tryEfforts();
      updateResponse();
    }
    if (solver_.rank() < drives()) effort_ = solver_.solve(Eigen::VectorXd(response_ * effort_));
  }

  /// Target speeds at the end of the step: those of the motions, and a share of the position error.
  void setTargets() {
    const double dt = model_.step.timestep, start = run_.state().time;
    for (Eigen::Index d = 0; d < drives(); ++d) {
      const Signal& motion = model_.signals[static_cast<std::size_t>(
          model_.joints[joint(d)].coordinates[coordinate(d)].actuator.signal)];
      double error = run_.state().coordinates[stateIndex(d)] - motion.value(start);
      if (model_.joints[joint(d)].type->isAngle(static_cast<int>(coordinate(d))))
        error = unwrapAngle(error, 0.0);
      target_[d] = motion.rate(start + dt) - kPositionGain / dt * error;
    }
  }

  void setEfforts(Simulator& simulator) const {
    for (Eigen::Index d = 0; d < drives(); ++d)
      simulator.inputs().control[control_[static_cast<std::size_t>(d)]] = effort_[d];
  }

  /// Repeats the step with effort_. Returns the largest speed error, infinity on divergence.
  double tryEfforts() {
    setEfforts(trial_);
    trial_.setState(run_.state());
    trial_.step();
    rates_.resize(result_.joints.size());
    miss_.resize(drives());
    for (Eigen::Index d = 0; d < drives(); ++d) {
      const double rate =
          coordinateRate(model_.joints[joint(d)], trial_.geometry()[joint(d)].coordinateRow[coordinate(d)],
                         trial_.state().twists);
      rates_[static_cast<std::size_t>(d)] = rate;
      miss_[d] = rate - target_[d];
    }
    return trial_.diverged() ? std::numeric_limits<double>::infinity() : miss_.cwiseAbs().maxCoeff();
  }

  /// The response of the speeds to each effort, by finite differences.
  void updateResponse() {
    updated_ = steps_;
    const Eigen::VectorXd effort = effort_, miss = miss_;
    for (Eigen::Index d = 0; d < drives(); ++d) {
      effort_ = effort;
      const double increment = std::max(1e-3, 0.1 * effort.cwiseAbs().maxCoeff());
      effort_[d] += increment;
      tryEfforts();
      response_.col(d) = (miss_ - miss) / increment;
    }
    effort_ = effort;
    solver_.setThreshold(kMinResponse);
    solver_.compute(response_);
    result_.indeterminate = std::max(result_.indeterminate, static_cast<int>(drives() - solver_.rank()));
    tryEfforts();
  }

  const Model& model_;
  InverseDynamics& result_;
  std::shared_ptr<const Model> forward_;
  Simulator driven_, trial_, run_;
  Eigen::VectorXd effort_, target_, miss_;
  Eigen::MatrixXd response_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver_;
  std::vector<double> rates_;
  std::vector<double> before_;        // of its rows, m/s, rad/s
  std::vector<std::size_t> control_;  // of each drive, in the inputs of trial_ and run_
  std::int64_t steps_ = 0, updated_ = -1;
};

}  // namespace

std::int64_t stepsOf(const Model& model, double duration) {
  return static_cast<std::int64_t>(std::ceil(duration / model.step.timestep - 1e-9));
}

Model effortModel(const Model& model, const InverseDynamics& drives) {
  Model forward = *steppedByImpulses(std::make_shared<const Model>(model));
  const Simulator start(std::make_shared<const Model>(model), startState(model));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    forward.bodies[b].initialPose = start.state().poses[b];
    forward.bodies[b].initialTwist = start.state().twists[b];
  }
  forward.initialCoordinates = start.state().coordinates;  // whole turns that the motions said
  for (std::size_t d = 0; d < drives.joints.size(); ++d) {
    const auto joint = static_cast<std::size_t>(drives.joints[d]);
    Signal s;
    s.name = model.joints[joint].name + "_effort";
    if (model.joints[joint].type->numDofs() > 1) s.name += std::to_string(drives.coordinates[d]);
    JointCoordinate& c = forward.joints[joint].coordinates[static_cast<std::size_t>(drives.coordinates[d])];
    // The rotor of its motor stays, the limits of the motor do not: efforts are what the motion takes.
    c.passive.armature = c.passive.inertia();
    c.passive.rotor = 0.0;
    Actuator& a = c.actuator;
    a = {};
    a.kind = Actuator::Kind::Effort;
    a.signal = static_cast<int>(forward.signals.size());
    forward.signals.push_back(std::move(s));
  }
  forward.assembly.reset();
  return forward;
}

InverseDynamics prescribedMotions(const Model& model) {
  InverseDynamics result;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i)
      if (model.joints[j].coordinates[i].actuator.kind == Actuator::Kind::Motion) {
        result.joints.push_back(static_cast<int>(j));
        result.coordinates.push_back(static_cast<int>(i));
      }
  if (result.joints.empty())
    throw InputError(
        "no coordinate has a prescribed motion (give the driven joints <actuator type=\"motion\">)");
  return result;
}

InverseDynamics inverseDynamics(const Model& model, double duration) {
  InverseDynamics result = prescribedMotions(model);
  result.geared = losesInGears(model, result);
  EffortSearch search(model, result);
  for (std::int64_t step = 0, steps = stepsOf(model, duration); step < steps; ++step)
    if (!search.step()) break;
  return result;
}

Model feedForward(const Model& model, const InverseDynamics& inverse) {
  Model forward = effortModel(model, inverse);
  for (std::size_t d = 0; d < inverse.joints.size(); ++d) {
    Signal& s = forward.signals[model.signals.size() + d];
    s.kind = Signal::Kind::Series;
    s.interpolation = Interpolation::Linear;  // a step takes the sample in its middle as it is
    s.times = inverse.times;
    for (const std::vector<double>& row : inverse.efforts) s.values.push_back(row[d]);
    if (!inverse.geared) continue;
    const auto j = static_cast<std::size_t>(inverse.joints[d]);
    const auto i = static_cast<std::size_t>(inverse.coordinates[d]);
    const JointCoordinate& driven = model.joints[j].coordinates[i];
    if (!model.motorOf(driven.actuator)) continue;
    JointCoordinate& c = forward.joints[j].coordinates[i];
    c.passive.armature = driven.passive.armature;
    c.actuator.motor = addGear(*model.motorOf(driven.actuator), model.motors.size(), forward);
  }
  return *ModelBuilder(forward).build();
}

double trackingError(const Model& model, const Model& forward, const InverseDynamics& inverse,
                     double duration, int* worst) {
  Simulator simulator(std::make_shared<const Model>(forward));
  double error = 0.0;
  drive(simulator, stepsOf(model, duration), [&](const Simulator& s, const DriveCounts&) {
    for (std::size_t d = 0; d < inverse.joints.size(); ++d) {
      const auto joint = static_cast<std::size_t>(inverse.joints[d]);
      const Actuator& a =
          model.joints[joint].coordinates[static_cast<std::size_t>(inverse.coordinates[d])].actuator;
      const double wanted = model.signals[static_cast<std::size_t>(a.signal)].value(s.state().time);
      const double q = s.state().coordinates[model.coordinateStart[joint] + inverse.coordinates[d]];
      double off = q - wanted;
      if (model.joints[joint].type->isAngle(inverse.coordinates[d])) off = unwrapAngle(off, 0.0);
      if (std::abs(off) > error) {
        error = std::abs(off);
        if (worst) *worst = static_cast<int>(d);
      }
    }
    return true;
  });
  return simulator.diverged() ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace grashof
