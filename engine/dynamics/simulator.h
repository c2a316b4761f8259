#pragma once
/// Steps a model through time.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "contacts/collision_world.h"
#include "engine/dynamics/account/divergence.h"
#include "engine/dynamics/account/energy_ledger.h"
#include "engine/dynamics/account/joint_loads.h"
#include "engine/dynamics/account/motor_ledger.h"
#include "engine/dynamics/account/step_report.h"
#include "engine/dynamics/kinematics/coordinate_jumps.h"
#include "engine/dynamics/kinematics/inputs.h"
#include "engine/dynamics/rows/held_rows.h"
#include "engine/dynamics/rows/step_record.h"
#include "engine/dynamics/step/contact_step.h"
#include "engine/dynamics/step/passive_blows.h"
#include "engine/dynamics/step/penetration_recovery.h"
#include "engine/dynamics/step/projection.h"
#include "engine/dynamics/step/rotor_prediction.h"
#include "engine/dynamics/step/stability.h"
#include "engine/dynamics/step/warm_start.h"
#include "engine/model/model.h"
#include "solvers/methods/island_solver.h"

namespace grashof {

class SmoothMotion;
class StartLoads;

/// The step of theory.md, "The step", and its workspace. Holds one state of a model, which it shares and
/// never changes; simulators of one model may be stepped on different threads. A step of a settled scene
/// allocates nothing. World adds access by name, controllers and a writable state.
class Simulator {
 public:
  /// Starts at `start` with poses and twists projected onto the joints. Throws CallError when `start` does
  /// not belong to the model, AssemblyError when the poses cannot be brought onto the joints (naming the
  /// worst).
  Simulator(std::shared_ptr<const Model> model, const State& start);
  /// Starts at model->initialState(). Models with an assembly need startState() instead.
  explicit Simulator(const std::shared_ptr<const Model>& model) : Simulator(model, model->initialState()) {}
  /// The same with a model that no other simulator shares.
  explicit Simulator(Model model) : Simulator(std::make_shared<const Model>(std::move(model))) {}

  ~Simulator();

  const Model& model() const { return model_; }
  const std::shared_ptr<const Model>& sharedModel() const { return shared_; }
  const State& state() const { return state_; }
  /// Continues from another state of the same model; clears warm starts, energy balance and an earlier
  /// divergence. The motion that follows depends on the state alone, bit for bit. Quaternions are normalized.
  /// Throws CallError for another number of bodies or coordinates, for a pose or twist that is not finite and
  /// for a zero quaternion; the simulator is unchanged then.
  void setState(const State& state);
  /// Like setState(), for a state near the present one: keeps warm start, plan and factors. Results differ
  /// from those after setState() by less than the tolerances.
  void setNearState(const State& state);
  /// The state in place, for writing. Call stateChanged() before the next step; between the two calls nothing
  /// else of this object is valid. Sizes must not change.
  State& mutableState() { return state_; }
  /// Adopts the state that was written into mutableState(), as setState() does. When it throws CallError, the
  /// state must be written again.
  void stateChanged();

  /// Moves poses and twists of state() onto joints and prescribed motions at its time by the least
  /// mass-weighted change, then continues as setState(). Throws AssemblyError naming the worst joint when
  /// that fails; the state is unchanged then.
  void project();

  /// All actuators, in the order of inputs().control.
  std::span<const ActuatorId> actuators() const { return actuators_; }
  /// Controls and wrenches for the steps to come; neutral at first. Sizes must not change.
  Inputs& inputs() { return inputs_; }
  const Inputs& inputs() const { return inputs_; }

  /// Saves or restores all that the next steps depend on: state, inputs, warm start, energy balance, without
  /// the results of the last step. A state saved at a multiple of kForgetSteps continues bit for bit. Throws
  /// InputError for a state of another model; then the simulator must be restored again, or destroyed.
  void archive(Archive& archive);
  /// Drops all history of solver and projection that archive() does not save. The next step takes about twice
  /// as long as others.
  void forget();
  /// forget() runs before every 2048th step.
  static constexpr std::int64_t kForgetSteps = 2048;

  /// One step of model().step.timestep. After a step that failed, diverged() holds the reason, state() is the
  /// state before that step, and further calls do nothing. Throws CallError for infinite controls and for
  /// wrenches that are not finite; the simulator is unchanged then.
  const StepReport& step();
  const StepReport& report() const { return report_; }
  const std::optional<Divergence>& diverged() const { return divergence_; }
  /// Calls `observer` in every step with the problem before it is solved, and with the warm start of the
  /// solver.
  void onProblem(std::function<void(const DualProblem&, const Solution&)> observer) {
    onProblem_ = std::move(observer);
  }

  /// True if a limit was crossed or a contact too deep after the last step, see PenetrationRecovery.
  bool recovered() const { return recovered_; }
  /// Whether blows of the last step have less than the restitution of their surfaces, which would have given
  /// energy.
  bool reducedBlows() const { return passive_.reduced(); }
  /// Of the last step. Of a smooth one, which has no problem to solve, it is made at the first call after the
  /// step, of the loads at its end and the blows in it; two threads must not make it at once.
  const StepRecord& record() const { return report_.smooth ? instantRecord() : record_; }
  /// Of the last step; those in clearances of joints come first, see Contact::ofJoint().
  std::span<const Contact> contacts() const { return contacts_; }
  const DualProblem& problem() const { return record().problem; }  ///< of the last step
  const Solution& solution() const { return record().solution; }   ///< of the last step
  std::span<const CoordinateRows> coordinateRows() const { return record().rows; }
  std::span<const int> jointBlocks() const { return record().blocks; }   ///< of the last step; -1: none
  std::span<const JointGeometry> geometry() const { return geometry_; }  ///< at state()
  /// Whether the steps to come measure their stages; not at first, for reading the clock takes some per cent
  /// of the step of a small mechanism.
  void timeStages(bool on) { timed_ = on; }
  const StageTimes& times() const { return times_; }  ///< of the steps that were timed

  const EnergyFlow& energyFlow() const { return ledger_.flow(); }
  const Energy& initialEnergy() const { return ledger_.initial(); }
  /// Energy that appeared (+) or vanished (-) without a known cause, J.
  double energyDrift() const { return ledger_.drift(report_.energy); }
  /// An energy (J) over the most that gravity, springs, actuators and the initial motion have moved so far; 0
  /// while that is negligible.
  double relativeEnergy(double energy) const { return ledger_.relative(energy); }
  double relativeEnergyDrift() const { return relativeEnergy(energyDrift()); }

  /// Rates of all joint coordinates at state(), m/s, rad/s. Size of rates: coordinates.
  void coordinateRates(std::span<double> rates) const {
    grashof::coordinateRates(model_, geometry_, state_.twists, rates);
  }
  /// Effort of the actuator of a coordinate over the last step, N or N·m; of a prescribed motion: the effort
  /// that realizes it against spring, damper and armature of the coordinate, too. 0 without an actuator.
  double actuatorEffort(int joint, int coordinate) const;
  /// What the motors did, since the start or setState().
  const MotorLedger& motors() const { return motors_; }
  /// Whether the loads below are known. After a step they are those over it. Before the first one, and after
  /// a state was set or restored, they are those at the state, where accelerations tell them (see
  /// StartLoads); where they do not, loads are NaN, and there are no contacts.
  bool loadsTold() const;
  /// Torque (N·m) of motor k of motors() at its shaft, and its rms since the start.
  double motorTorque(std::size_t k) const;
  double motorTorqueRms(std::size_t k) const;
  /// Force (N) of contact `k` of contacts() on its body B over the last step, world axes.
  Vec3 contactForce(int k) const;
  /// Moment (N·m) of its rolling and torsional friction on its body B, world axes.
  Vec3 contactMoment(int k) const;
  /// What joints and couplings transmitted in the last step; evaluated at the first call after a step, so
  /// that two threads must not make it at once. Valid until the next step.
  const JointLoads& loads() const;
  /// Distributes the loads of redundant rows by these compliances from now on, see ReactionDistribution.
  void distributeBy(std::vector<double> compliance);
  /// Load of a joint over the last step: force (N) and moment (N·m) of all causes on the follower, seen in
  /// the base's joint frame at the follower's point.
  Vec6 jointReaction(int joint) const { return loads().joints()[joint].total(); }

  /// Force (N; N·m on an angle) of a force element over the last step, positive where it pushes apart.
  double elementForce(int element) const;
  /// The same at the first point of a cable: it differs by the friction on its pulleys.
  double elementStartForce(int element) const;
  /// Force of a constraint on velocities on its follower over the last step: of the rows of the step, and of
  /// the projection of the twists at its end.
  std::array<PointForce, 2> velocityConstraintForces(int constraint) const;
  /// Their sum (N), world axes.
  Vec3 velocityConstraintForce(int constraint) const {
    const auto both = velocityConstraintForces(constraint);
    return both[0].force + both[1].force;
  }
  /// Force (N) and moment (N·m) of a bushing on its follower over the last step, at the follower's point, in
  /// the axes of the base's frame.
  Vec6 bushingForce(int bushing) const;

 private:
  void adoptState();
  bool moveSmoothly();
  bool smoothHere();
  bool nearLimit() const;
  bool nearContact();
  void stepByImpulses();
  const StepRecord& instantRecord() const;
  const StepRecord* loadRecord() const;
  void reportSolution();
  void forgetImpulses();
  void evaluateGeometry(std::span<const double> reference);
  void moveTo(double time, double duration, double tolerance);
  void predictRotors();
  void collide();
  bool meetsMore();
  void solveAgain();
  void solveRelieved();
  void assemble();
  void solve();
  void displace();
  void recover();
  void projectTwists();
  void finish();
  void observeMotors();
  void observeTurns();
  double rateOf(ActuatorId place) const;
  void measure();

  std::shared_ptr<const Model> shared_;
  const Model& model_;
  State state_;
  std::vector<ActuatorId> actuators_;
  Inputs inputs_;

  // Workspace.
  CollisionWorld collisionWorld_;
  JointEvaluator joints_;
  Projection projection_;
  IslandSolver solver_;
  HeldRows held_;
  PenetrationRecovery recovery_;
  std::vector<Control> controls_;        // of the present step, one per coordinate
  std::vector<JointGeometry> geometry_;  // one per joint
  ContactStep contactStep_;
  PassiveBlows passive_;
  std::vector<Contact> contacts_, seen_;
  State before_;
  std::vector<double> expected_;  // coordinates at the end of the last free motion, see expectCoordinates()
  std::vector<Vec3> momenta_;     // of that motion, see moveFreely()
  std::vector<Vec6> way_;         // scratch memory of displace()
  RotorPrediction rotors_;
  WarmStart warmStart_;
  std::function<void(const DualProblem&, const Solution&)> onProblem_;
  std::unique_ptr<SmoothMotion> smooth_;  // none where the model never moves smoothly
  int resting_ = 0, rest_ = 0;            // steps without it to come, and next time
  std::vector<double> turnRadius_;        // one per body: how far its shapes reach from its centre, m
  std::vector<double> reach_;             // of nearContact()

  // Results of the last step.
  StepRecord record_;
  StepReport report_;
  bool timed_ = false, recovered_ = false;
  bool recalls_ = false;               // contacts depend on their impulses of the last step
  bool touchable_ = false;             // shapes may touch
  bool stepped_ = false;               // the last step led to state_
  mutable bool loadsKnown_ = false;    // loads_ are of the last step
  mutable bool instantKnown_ = false;  // instant_ is that
  StageTimes times_;
  EnergyLedger ledger_;
  MotorLedger motors_;
  StabilityMonitor stability_;
  CoordinateJumps jumps_;
  std::optional<Divergence> divergence_;
  mutable std::unique_ptr<JointLoads> loads_;    // none until somebody asks
  mutable std::unique_ptr<StepRecord> instant_;  // of smooth steps; none until somebody asks
  mutable std::unique_ptr<StartLoads> start_;    // none until somebody asks before a step
};

}  // namespace grashof
