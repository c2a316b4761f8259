#pragma once
/// Steps a model through time. Owns the workspace; a step of a settled scene allocates nothing.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "contacts/collision_world.h"
#include "contacts/contact_cache.h"
#include "engine/dynamics/energy.h"
#include "engine/dynamics/geometric_stiffness.h"
#include "engine/dynamics/projection.h"
#include "engine/model/model.h"
#include "solvers/methods/island_solver.h"

namespace grashof {

/// Wall time per stage, s, summed over steps.
struct StageTimes {
  double integrate = 0.0, project = 0.0, collide = 0.0, assemble = 0.0, solve = 0.0, measure = 0.0;
  double total() const { return integrate + project + collide + assemble + solve + measure; }
};

/// Energy that crossed the border of the mechanical system since the start, J.
struct EnergyFlow {
  double actuators = 0.0;   ///< work done by actuators and prescribed motions
  double external = 0.0;    ///< work done by external wrenches
  double dissipated = 0.0;  ///< taken out by dampers, dry friction, limits and contacts
};

/// What one step did.
struct StepReport {
  double jointResidual = 0.0;  ///< largest |f| of joints, couplings and prescribed motions at its end, m, rad
  double limitViolation = 0.0;  ///< deepest crossing of a limit at the end, m, rad
  double penetration = 0.0;     ///< deepest contact at the configuration of the rows, m
  int contacts = 0;
  int limits = 0;          ///< interval rows
  double stability = 0.0;  ///< ω Δt of the fastest sideways swing of taut links; above 2 it may blow up
  SolveStatus status = SolveStatus::Solved;
  Method method = Method::Single;  ///< what solved it
  int iterations = 0;
  int factorizations = 0;
  double solverResidual = 0.0;
  Energy energy;  ///< at the end of the step
};

/// Why a run can't go on.
struct Divergence {
  double time = 0.0;
  std::string reason;  ///< what was seen, where, and what might help
};

class Simulator {
 public:
  /// Starts at model.initialState() with poses and twists projected onto
  /// the joints. Throws InputError when the initial poses can't be brought onto the joints (naming the
  /// worst).
  explicit Simulator(std::shared_ptr<const Model> model);
  explicit Simulator(Model model) : Simulator(std::make_shared<const Model>(std::move(model))) {}

  const Model& model() const { return model_; }
  const State& state() const { return state_; }
  /// Continues from another state of the same model (sizes must match); forgets warm starts, energy flow and
  /// an earlier divergence. What follows depends on the state alone, bit for bit, not on what was before.
  void setState(const State& state);

  /// Moves poses and twists of state() onto joints and drives at its time by the least mass-weighted change,
  /// then as setState(). Throws InputError naming the worst joint when that fails.
  void project();
  /// [force (N); torque (N·m)] on each body at its centre of mass, world axes, held until changed; zero at
  /// first.
  std::span<Vec6> appliedWrenches() { return applied_; }
  /// Rates of all joint coordinates at state(). Size of rates: coordinates.
  void coordinateRates(std::span<double> rates) const { ratesInto(geometry_, state_.twists, rates); }

  /// One step of model().step.timestep. Once diverged() holds a reason the state stays what it was before the
  /// step that failed, and further calls do nothing.
  const StepReport& step();
  const StepReport& report() const { return report_; }
  /// Calls `observer` in every step with the problem, before it is solved, and with what the solver starts
  /// from.
  void onProblem(std::function<void(const DualProblem&, const Solution&)> observer) {
    onProblem_ = std::move(observer);
  }
  const std::optional<Divergence>& diverged() const { return divergence_; }

  std::span<const Contact> contacts() const { return contacts_; }  ///< of the last step
  const DualProblem& problem() const { return problem_; }          ///< of the last step
  const Solution& solution() const { return solution_; }           ///< of the last step
  std::span<const CoordinateRows> coordinateRows() const { return rows_; }
  std::span<const JointGeometry> geometry() const { return geometry_; }  ///< at state()
  const EnergyFlow& energyFlow() const { return flow_; }
  Energy initialEnergy() const { return initialEnergy_; }
  /// Energy that appeared (+) or vanished (-) without a cause the engine knows of, J.
  double energyDrift() const;
  /// energyDrift() over the most energy that gravity, springs, actuators and the initial motion have moved so
  /// far.
  double relativeEnergyDrift() const;
  const StageTimes& times() const { return times_; }
  /// Effort of the actuator of a coordinate over the last step, N or N·m; of a prescribed motion: what
  /// carries it, with spring, damper and armature of the coordinate. 0 where there is none.
  double actuatorEffort(int joint, int axis) const;
  /// Reaction of a joint on its follower over the last step, seen in the joint's base frame at the follower's
  /// point: force (N) and moment (N·m) of all its bilateral rows.
  Vec6 jointReaction(int joint) const;
  /// The same for other impulses of the last step's rows, as splitReactions() gives them.
  Vec6 jointReaction(int joint, std::span<const double> impulse) const;
  std::span<const int> jointBlocks() const { return jointBlocks_; }  ///< of the last step; -1: none

 private:
  friend class World;  // hands out the state to be written

  void advancePoses(State& state, double duration) const;
  void ratesInto(std::span<const JointGeometry> geometry, std::span<const Vec6> twists,
                 std::span<double> rates) const;
  void assemble(const StepContext& frame);
  void solve();
  void keepImpulses();
  void countWork();
  void measure();
  void checkDivergence();
  void diverge(std::string reason);
  std::string worstJoint() const;

  std::shared_ptr<const Model> shared_;
  const Model& model_;
  State state_;
  CollisionWorld world_;
  Projection projection_;
  IslandSolver solver_;
  std::function<void(const DualProblem&, const Solution&)> onProblem_;

  std::vector<Contact> contacts_;
  ContactCache cache_;
  std::vector<Vec3> impulses_;  // of the contacts, world axes
  std::vector<JointGeometry> geometry_;
  std::vector<CoordinateRows> rows_;
  std::vector<int> jointBlocks_;
  std::vector<double> intervalImpulse_;  // friction, servo, lower, upper of each coordinate
  DualProblem problem_;
  Solution solution_;
  int lastJointRows_ = 0;
  std::vector<Mat3> stiffness_;  // of the last step's joint forces, one a body
  std::vector<Vec6> twistBefore_, meanTwist_, wrench_, applied_;
  std::vector<double> meanVelocity_;
  std::vector<double> rowRate_;  // of the coordinates at the rows of the last step, after it
  std::vector<double> rateStart_, freeRateChange_;  // one a coordinate; empty without armature
  State ahead_;                                     // Euler with armature: the free motion of a step
  std::vector<JointGeometry> aheadGeometry_;
  std::vector<Pose> rowPoses_;  // where the rows of the last step were evaluated
  State before_;
  StepReport report_;
  StageTimes times_;
  EnergyFlow flow_;
  Energy initialEnergy_;
  double exchanged_ = 0.0;  // the most energy that gravity, springs and actuators have moved, J
  std::optional<Divergence> divergence_;
};

}  // namespace grashof
