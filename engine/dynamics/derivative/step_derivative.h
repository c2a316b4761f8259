#pragma once
/// Derivatives of a step by the implicit function theorem (theory.md, "Derivatives of a step").

#include <Eigen/Dense>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/dynamics/derivative/projection_derivative.h"
#include "engine/dynamics/derivative/row_completion.h"
#include "engine/dynamics/derivative/step_rows.h"
#include "engine/dynamics/kinematics/block_map.h"
#include "engine/dynamics/simulator.h"

namespace grashof {

/// Derivatives of the state after a step. States are counted in tangent coordinates: for each body
/// [δr (m); δθ (rad)], then for each body the change of its twist [δv (m/s); δω (rad/s)]; world axes, at the
/// centre of mass. δθ turns the pose from the left, as movePose() does.
struct StepDerivative {
  Eigen::MatrixXd state;    ///< A, 12 bodies × 12 bodies: by the state before
  Eigen::MatrixXd control;  ///< B, 12 bodies × actuators: by Inputs::control; 0 of prescribed motions
  State next;               ///< after the step
};

/// The transposed derivatives on one cotangent y: Aᵀ y and Bᵀ y.
struct StepPullback {
  VecX state, control;
};

/// Linearizes steps of one model, by impulses alone (steppedByImpulses()). The step is made, and then its
/// parts are differentiated one after another: free motions, projections and the dual problem, whose solution
/// changes as the linear system of the mode that was solved says (ModeSystem). A row at a bound stays there,
/// one between its bounds stays between them, a contact stays open, sticks or slides on: at a change of mode
/// the derivative is that of the side on which the natural map λ - v/D of the row stands.
///
/// Slopes of bodies, joints and couplings are in closed form; those of contacts, and of the laws of springs,
/// drives and limits by one number each, are central differences. Left out are terms of the square of what a
/// projection moves. At the kinks of the laws of a step itself (a limit that is exactly closed, where the
/// recovery of a crossing begins) both sides differ, and the derivative is that of one of them.
///
/// A and B come row by row as pullback() does, which costs some six linear solves; where twists are projected
/// at the end, of a tree of joints only as many rows as it has degrees of freedom (RowCompletion).
class StepLinearizer {
 public:
  /// Throws CallError for what is not differentiated, and names it: force elements, bushings, constraints on
  /// velocities, clearances, geometric stiffness, steps without projection, rotors in steps of Euler's rule.
  explicit StepLinearizer(std::shared_ptr<const Model> model);

  /// Makes the step from `state` with `inputs`, as a simulator makes it after setState(), and takes the
  /// slopes of its parts for the functions below. A control that is NaN counts as the value of its signal in
  /// this step. Throws CallError as Simulator::setState(); when the step diverges; and when it has contacts
  /// by a solver that does not solve the NCP, friction that depends on loads (rolling friction, too),
  /// displacements of deep penetrations and crossed limits, or prescribed motions by a control.
  void set(const State& state, const Inputs& inputs);
  /// The same near the step of the last set() or setNear(), whose plans, impulses and factors it starts from:
  /// cheaper, and different within the tolerances of solver and projection.
  void setNear(const State& state, const Inputs& inputs);
  /// The state after the step of set().
  const State& next() const { return next_; }
  const std::shared_ptr<const Model>& model() const { return model_; }

  /// A and B of the step of set().
  StepDerivative derivative();
  /// set() and derivative().
  StepDerivative linearize(const State& state, const Inputs& inputs) {
    set(state, inputs);
    return derivative();
  }
  /// Aᵀ y and Bᵀ y of the step of set(), for the cotangent y (12 bodies) of the state after it: the gradient
  /// of a function of a run comes of these, step by step from the last to the first.
  StepPullback pullback(const VecX& cotangent);
  /// The derivative (12 bodies) of the state after the step of set() by a parameter of the model, from models
  /// in which it is less and more by half of `difference`; the state before is held. Any parameter that
  /// leaves bodies, joints and shapes as many as they are: masses, inertias, frames and sizes, friction,
  /// stiffness, damping, gains. Throws CallError when the rows of the step are others in one of the models,
  /// and when `difference` is 0 or not finite.
  VecX byParameter(const std::shared_ptr<const Model>& less, const std::shared_ptr<const Model>& more,
                   double difference);

 private:
  /// Changes that come up on the way, columns apart; empty ones are zero.
  struct Sources {
    Eigen::MatrixXd toRows, toEnd;                   // of the outcome of free motions, 12 bodies
    Eigen::MatrixXd rowSpin, endSpin;                // of the twists that their momenta are, 6 bodies
    Eigen::MatrixXd rowForce, endForce, twistForce;  // of forces of projections, 6 bodies
    Eigen::MatrixXd rowGap, endGap, twistGap;        // of their rows
    Eigen::MatrixXd residual;                        // of StepRows::residual()
  };
  void take(const Inputs& inputs);
  void checkControls(const Inputs& inputs) const;
  void takeMemory(const State& start);
  void pull();
  StepDerivative byRows();
  StepDerivative byColumns();
  Eigen::MatrixXd forward(const Eigen::MatrixXd& start, const Sources& sources);

  std::shared_ptr<const Model> model_;
  Simulator simulator_;
  JointEvaluator joints_;
  std::vector<JointGeometry> geometry_;
  StepRows rows_;
  RowCompletion completion_;
  // Of the step of set().
  Inputs inputs_;
  State next_, start_;
  std::vector<double> rateStart_;
  std::vector<Pose> matrixAt_, reached_;  // of the matrix of projections of poses; before the last of them
  std::vector<Vec6> reachedTwist_, moved_;
  ProjectionDerivative toRows_, toEnd_, twists_;
  std::vector<Vec3> momenta_;
  BlockMap freeToRows_, freeToEnd_;            // slopes of free motions, see freeMotionSlope()
  BlockMap spinAtRows_, spinAtEnd_;            // of the spins after the projections of poses
  BlockMap rowForce_, endForce_, twistForce_;  // of forces of projections
  /// Of one cotangent on its way back: the first three are what goes in and comes out.
  struct Pull {
    VecX cotangent, state, control;
    Eigen::MatrixXd pose, twist, force, gap, matrix, end, change, right;
  };
  Pull pull_;
  Eigen::MatrixXd right_;
  BlockMap memory_, rates_;  // of the rows by the start; of J u
};

}  // namespace grashof
