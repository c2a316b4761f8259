#pragma once
/// Derivatives of a step by the implicit function theorem (theory.md, "Derivatives of a step").

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <memory>
#include <span>
#include <vector>

#include "engine/dynamics/penetration_recovery.h"
#include "engine/dynamics/projection.h"
#include "engine/dynamics/simulator.h"
#include "solvers/linear/kkt_system.h"

namespace grashof {

/// Derivatives of the state after a step. States are counted in tangent coordinates: for each body
/// [δr (m); δθ (rad)], then for each body the change of its twist [δv (m/s); δω (rad/s)]; world axes, at the
/// centre of mass. δθ turns the pose from the left, as movePose() does.
struct StepDerivative {
  Eigen::MatrixXd state;    ///< A, 12 bodies × 12 bodies: by the state before
  Eigen::MatrixXd control;  ///< B, 12 bodies × actuators: by Inputs::control; 0 of prescribed motions
  State next;               ///< after the step
};

/// Linearizes steps of one model. The step is made, and then its parts are differentiated one after another:
/// free motions, projections and the dual problem, whose solution changes as the linear system of the mode
/// that was solved says. A row at a bound stays there, one between its bounds stays between them: at a change
/// of mode the derivative is that of the side on which the natural map λ - v/D of the row stands.
///
/// Of rows and free motions only local derivatives by a few poses and twists are needed; these are central
/// differences. Left out are terms of the square of what a projection moves. At the kinks of the laws of a
/// step itself (a limit that is exactly closed, where the recovery of a crossing begins) both sides differ,
/// and the derivative is that of one of them.
///
/// It is there for exactness and not for speed: every column costs some four linear solves, so that plain
/// differences of steps are cheaper.
class StepLinearizer {
 public:
  /// Throws CallError for what is not differentiated, and names it: force elements, bushings, constraints on
  /// velocities, clearances, geometric stiffness, steps without projection, rotors in steps of Euler's rule.
  explicit StepLinearizer(std::shared_ptr<const Model> model);

  /// The derivatives of the step from `state` with `inputs`, as a simulator makes it after setState(). A
  /// control that is NaN counts as the value of its signal in this step. Throws CallError as
  /// Simulator::setState(); when the step diverges; and when it has contacts that act, friction that depends
  /// on loads, displacements of deep penetrations and crossed limits, or prescribed motions by a control.
  StepDerivative linearize(const State& state, const Inputs& inputs);

 private:
  /// Bodies that are moved at once, and by body the one of them that shares a row with it; -1: none does.
  struct BodyClass {
    std::vector<int> bodies, owner;
  };
  void findClasses();
  std::vector<int> bodiesOfEntries() const;
  void addClass(const BodyClass& moved, int component, const VecX& values, std::span<const int> place,
                std::vector<Eigen::Triplet<double>>& entries) const;
  void assemble(std::span<const Pose> poses, std::span<const Vec6> twists, std::span<const Control> controls);
  void residual(std::span<const Pose> poses, std::span<const Vec6> twists, std::span<const Control> controls,
                VecX& r);
  Eigen::SparseMatrix<double> residualSlope();
  VecX controlSlope(std::size_t actuator, const Inputs& inputs, const State& state);
  Eigen::SparseMatrix<double> freeMotionSlope(std::span<const Pose> poses, std::span<const Vec6> twists,
                                              double duration);
  Eigen::SparseMatrix<double> rateSlope(const State& at, std::span<const Vec6> twists, bool equalities);
  void equalityRows(std::span<const Pose> poses, DualProblem& rows);
  void factorizeProjection(std::span<const Pose> poses);
  Eigen::SparseMatrix<double> metricSlope(std::span<const Pose> at, const std::vector<Vec6>& moved);
  void project(Eigen::MatrixXd& change, const Eigen::MatrixXd& wrench, const Eigen::MatrixXd& velocity,
               std::span<const Vec6> turned);
  void solveStep(const Eigen::MatrixXd& right, Eigen::MatrixXd& twistChange);

  std::shared_ptr<const Model> model_;
  Simulator simulator_;
  Projection end_;  // as the simulator's, for the end of a step without recovery
  PenetrationRecovery recovery_;
  JointEvaluator joints_;
  std::vector<BodyClass> classes_;
  std::vector<JointGeometry> geometry_;
  StepContext step_;
  State start_;
  std::vector<Control> controls_;
  std::vector<Vec6> applied_;       // wrenches of the inputs
  std::vector<double> rateStart_;   // of all coordinates
  std::vector<double> freeChange_;  // see RotorPrediction
  bool rotors_ = false;
  // At the rows of the step.
  std::vector<Pose> poses_;
  std::vector<Vec6> before_, after_;
  std::vector<double> impulse_;
  DualProblem problem_;  // scratch of assemble()
  std::vector<CoordinateRows> rows_;
  std::vector<int> blocks_;
  std::vector<Vec6> wrench_;
  int jointRows_ = 0;              // of the step
  std::vector<int> mode_;          // of each interval row: -1 at its lower bound, 1 at its upper, 0 between
  DualProblem moded_;              // equations of the mode
  DualProblem metric_, equality_;  // of projections: at the poses of the matrix, and where they lead
  std::size_t equalities_ = 0;
  KktSystem system_, projection_;
};

}  // namespace grashof
