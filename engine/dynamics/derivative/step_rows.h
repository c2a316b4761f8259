#pragma once
/// The equations that one step has solved, evaluated at other poses, twists, controls and models, and their
/// slopes (theory.md, "Derivatives of a step").

#include <Eigen/SparseCore>
#include <memory>
#include <span>
#include <vector>

#include "engine/dynamics/derivative/acting_contacts.h"
#include "engine/dynamics/derivative/mode_system.h"
#include "engine/dynamics/kinematics/block_map.h"
#include "engine/dynamics/kinematics/joint_slopes.h"
#include "engine/dynamics/simulator.h"

namespace grashof {

/// Step of central differences of smooth functions; truncation and rounding are both about 1e-10. m, rad,
/// m/s, rad/s.
constexpr double kSlopeStep = 2e-6;

/// Tangent coordinates [δr; δθ] of `plus` seen from `minus`, for each body.
std::vector<Vec6> posesBetween(std::span<const Pose> minus, std::span<const Pose> plus);
void posesBetween(std::span<const Pose> minus, std::span<const Pose> plus, std::vector<Vec6>& moved);

/// The rows of a step that was made: joints, limits, drives and the contacts that act, at its solution.
class StepRows {
 public:
  /// Throws CallError for what is not differentiated, see StepLinearizer.
  explicit StepRows(std::shared_ptr<const Model> model);

  /// Takes the step that `simulator`, of this model, has just made from `start` with its inputs. Throws
  /// CallError, see StepLinearizer::linearize().
  void take(const Simulator& simulator, const State& start, std::span<const double> rateStart);
  /// Copies the step of `other`, whose model differs in parameter values only.
  void take(const StepRows& other, std::span<const ActuatorId> actuators, const Inputs& inputs);

  const Model& model() const { return *model_; }
  bool rotors() const { return rotors_; }
  const StepContext& step() const { return step_; }
  const State& start() const { return start_; }
  std::span<const Pose> poses() const { return poses_; }                ///< at the rows
  std::span<const double> coordinates() const { return coordinates_; }  ///< there, m, rad
  std::span<const Vec6> twistsBefore() const { return before_; }        ///< u⁻ there
  std::span<const Vec6> twistsAfter() const { return after_; }          ///< u⁺
  std::span<const Control> controls() const { return controls_; }
  ModeSystem& mode() { return mode_; }

  /// [M (u⁺ - u_f) - Jᵀ λ; ModeSystem::residual()] for the solution u⁺, λ of the step: 6 bodies + rows. The
  /// biases of limits and contacts stay on the branches of the step.
  void residual(std::span<const Pose> poses, std::span<const Vec6> twists, std::span<const Control> controls,
                VecX& r);
  /// Of residual() by poses and twists, at those of the step. (6 bodies + rows) × 12 bodies. Known after
  /// take() of a simulator.
  const BlockMap& slope() const { return slope_; }
  /// Its entries by the controls of actuators, which are its columns; none of a prescribed motion.
  std::span<const Eigen::Triplet<double>> controlSlopes() const { return controlSlopes_; }
  /// Of residual() by the rates of all coordinates at the start of the step, of which rotors have a memory:
  /// row and slope of each coordinate; -1: none.
  std::vector<std::pair<int, double>> rotorSlopes() const;

 private:
  /// The bias of a row of a limit or contact, as a straight line over its gap.
  struct GapBranch {
    int joint = -1, coordinate = -1;  // of a limit; upper: its upper bound
    bool upper = false;
    int row = -1;  // of assemble(); -1: the row has no branches
    double gap = 0.0, bias = 0.0, slope = 0.0, compliance = 0.0;
    double velocity = 0.0, impulse = 0.0;  // of a law of its own: J u⁺, and its impulse
  };
  /// The slopes of the law of a row before the contacts, v* + R λ or D (λ - bound): by its residual or
  /// coordinate, by its rate before the step, and by the logarithm of D_ii.
  struct RowLaw {
    double residual = 0.0, rate = 0.0, delassus = 0.0;
  };
  /// A row of a joint whose law is an impedance: of a constraint, or else of a limit.
  struct ImpedanceRow {
    int row = -1, constraint = -1, coordinate = -1;
    bool upper = false;
  };
  /// The parts of up to six rows on the bodies of a joint: slopes by both poses and by both twists before.
  struct RowBlocks {
    Mat6 basePose = Mat6::Zero(), followerPose = Mat6::Zero();
    Mat6 baseTwist = Mat6::Zero(), followerTwist = Mat6::Zero();
  };
  void assemble(std::span<const Pose> poses, std::span<const Vec6> twists, std::span<const Control> controls);
  void takeContacts(const Simulator& simulator);
  void takeBranches();
  void stayOnBranches(std::span<const Contact> contacts);
  void stayOnBranch(const GapBranch& b, const Contact& contact, ContactBlock& block,
                    DualProblem& problem) const;
  void takeSlope();
  void takeLaws();
  void lawsAt(const RowContext& context, std::vector<double>& law);
  void takeControls(std::span<const ActuatorId> actuators, const Inputs& inputs);
  void addBodySlopes();
  void addJointSlopes(std::size_t joint);
  void setRow(const Joint& joint, const JointRow& row, const Mat6& slope, double sign, const RowLaw& law,
              int k, RowBlocks& blocks) const;
  void place(const Joint& joint, int row, int count, const RowBlocks& blocks);
  void findImpedances(std::size_t joint);
  void impedanceLaws(std::size_t joint, VecX& law);
  void addImpedanceSlopes(std::size_t joint);
  void addCouplingSlopes();
  void addContactSlopes();
  void addPairSlopes(std::size_t first, std::size_t count);
  void pairResidual(std::size_t first, std::size_t count, bool moved, VecX& r);
  double gapOf(const GapBranch& limit) const;

  std::shared_ptr<const Model> model_;
  JointEvaluator joints_;
  ActingContacts contacts_;
  ModeSystem mode_;
  std::vector<GapBranch> limitBranch_, contactBranch_;  // the latter one per contact that acts
  bool solvesNcp_ = true, rotors_ = false;
  StepContext step_;
  State start_;
  std::vector<Control> controls_;
  std::vector<Vec6> applied_;       // wrenches of the inputs
  std::vector<double> rateStart_;   // of all coordinates
  std::vector<double> freeChange_;  // see RotorPrediction
  std::vector<Pose> poses_;
  std::vector<double> coordinates_;
  std::vector<Vec6> before_, after_;
  std::vector<double> impulse_;
  int jointRows_ = 0;
  // Work of assemble().
  DualProblem problem_;
  std::vector<JointGeometry> geometry_;
  std::vector<CoordinateRows> rows_;
  std::vector<int> blocks_;
  std::vector<Vec6> wrench_;
  // The slope, and work of it.
  BlockMap slope_;
  JointSlopes slopes_;
  std::vector<RowLaw> laws_;
  std::vector<ImpedanceRow> impedances_;
  DualProblem lawWork_, pairWork_;
  Inputs movedInputs_;
  std::vector<CoordinateRows> lawRows_;
  std::vector<double> lawMore_, lawLess_;
  std::vector<Control> controlMore_, controlLess_;
  std::vector<Eigen::Triplet<double>> controlSlopes_;
  std::vector<Pose> movedPoses_;
  std::vector<Vec6> movedTwists_;
  VecX pairMore_, pairLess_;
};

}  // namespace grashof
