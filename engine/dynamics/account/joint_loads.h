#pragma once
/// What joints and couplings transmitted in a step, by cause (theory.md, "Loads").

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "engine/dynamics/account/reaction_distribution.h"
#include "engine/dynamics/rows/step_record.h"
#include "engine/dynamics/step/projection.h"

namespace grashof {

/// Why a joint transmits a force or a moment.
enum class LoadCause {
  Constraint,  ///< the joint itself
  Drive,       ///< prescribed motion, servo, effort
  Spring,      ///< spring, damper and rotor of a coordinate
  Friction,    ///< dry friction
  Limit,
  Coupling  ///< gear, rack, screw or cam on a coordinate of the joint; forces of its teeth or belt
};
inline constexpr std::array<LoadCause, 6> kLoadCauses = {LoadCause::Constraint, LoadCause::Drive,
                                                         LoadCause::Spring,     LoadCause::Friction,
                                                         LoadCause::Limit,      LoadCause::Coupling};
/// Their names in channels and results, in this order.
inline constexpr std::array<std::string_view, kLoadCauses.size()> kLoadCauseNames = {
    "constraint", "drive", "spring", "friction", "limit", "coupling"};

/// The causes that `joint` of `model` can have.
std::vector<LoadCause> possibleCauses(const Model& model, int joint);

/// Wrenches [force (N); moment (N·m)] of a joint on its follower, one per cause, as means over the step. They
/// are seen in the axes of the base's joint frame, moments about the follower's point.
struct JointWrenches {
  std::array<Vec6, kLoadCauses.size()> atRows;  ///< of the step's rows, where these were evaluated
  std::array<Vec6, kLoadCauses.size()> atEnd;   ///< of the projection of the twists at the end of the step

  Vec6 of(LoadCause cause) const {
    return atRows[static_cast<std::size_t>(cause)] + atEnd[static_cast<std::size_t>(cause)];
  }
  /// The load of the joint: the sum of all causes.
  Vec6 total() const;
  void setZero();
};

/// Loads of the joints and couplings of one step. Impulses of redundant rows are those of
/// ReactionDistribution. Allocates in its first calls only.
class JointLoads {
 public:
  /// `compliance`: see ReactionDistribution. Keeps a reference to `model`.
  JointLoads(const Model& model, std::vector<double> compliance);

  /// Evaluates the step of `record`, whose twists `projection` projected at the end. `geometry`: there.
  /// `controls`: of the step, see referenceOf(). All loads are zero of a record that was not made.
  void update(const StepRecord& record, std::span<const Control> controls, const Projection& projection,
              std::span<const JointGeometry> geometry, const State& end);

  /// What is not known is NaN: all loads, but efforts of coordinates that no drive moves.
  void setUnknown();

  std::span<const JointWrenches> joints() const { return joints_; }  ///< one per joint
  /// Effort of a cause along a joint coordinate (index in State::coordinates), N or N·m; 0 for constraints.
  double effort(int coordinate, LoadCause cause) const {
    return effort_[static_cast<std::size_t>(coordinate)][static_cast<std::size_t>(cause)];
  }
  /// Effort of coupling `k` on its coordinate A (N or N·m): the force in a rack, screw or cam, the torque in
  /// a gear. On its coordinate B it is effortB() = -g'(q_B) effortA(), on those of further terms -c_k
  /// effortA().
  double couplingEffortA(int k) const { return coupling_[static_cast<std::size_t>(k)].a; }
  double couplingEffortB(int k) const { return coupling_[static_cast<std::size_t>(k)].b; }

  /// Bits 0 to 5: components fx … mz of a joint that statics leaves open, see ReactionDistribution; the
  /// efforts of prescribed motions and couplings that it leaves open are among them.
  unsigned redundant(int joint) const { return redundant_[static_cast<std::size_t>(joint)]; }
  bool driveRedundant(int joint, int coordinate) const;
  bool couplingRedundant(int k) const { return coupling_[static_cast<std::size_t>(k)].redundant; }
  /// Whether any load of the last update() is open.
  bool hyperstatic() const { return !distribution_.allUnique(); }
  void forget() { distribution_.forget(); }
  void archive(Archive& archive) { archive(distribution_); }

 private:
  /// Impulses along one joint coordinate by cause, N·s or N·m·s.
  using Efforts = std::array<double, kLoadCauses.size()>;
  struct CouplingEffort {
    double a = 0.0, b = 0.0;
    bool redundant = false;
  };
  /// Impulses at one configuration: of the rows of the step, or of the projection at its end.
  struct Event {
    const JointEvaluator& joints;
    std::span<const JointGeometry> geometry;
    std::array<Vec6, kLoadCauses.size()> JointWrenches::*wrench;
  };

  void clear();
  void mapProjection(const StepRecord& record, const Projection& projection);
  void addRows(const StepRecord& record, std::span<const Control> controls);
  void addProjection(const Projection& projection, std::span<const JointGeometry> geometry);
  double rowImpulse(int row) const { return row < 0 ? 0.0 : impulse_[static_cast<std::size_t>(row)]; }
  void addRowEfforts(const StepRecord& record, std::size_t j, std::size_t i, double commanded);
  void addClearances(const StepRecord& record);
  void addCouplingFriction(const StepRecord& record);
  void addCoupling(std::size_t k, double impulse, std::span<const JointGeometry> geometry);
  void addMeshes(const StepRecord& record);
  void addMesh(const Mesh& mesh, const CoordinateTerm& a, const CoordinateTerm& b, double effort);
  void addLoad(std::size_t j, LoadCause cause, const Vec6& wrench);
  void addWrench(const Event& event, std::size_t j, std::span<const double> constraint);
  void finishEvent();
  void markRedundant(const StepRecord& record);

  const Model& model_;
  ReactionDistribution distribution_;
  JointEvaluator atRows_, atEnd_;
  double timestep_ = 0.0;
  std::vector<JointWrenches> joints_;
  std::vector<Efforts> effort_, event_;  // one per coordinate: of the step (N, N·m); of one event (impulses)
  std::vector<CouplingEffort> coupling_;
  std::vector<unsigned> redundant_;
  std::vector<JointGeometry> geometry_;  // where the rows were evaluated
  std::vector<double> impulse_;          // of the rows of the step, distributed
  std::vector<double> added_;            // of the projection, on the joint rows of the step
};

}  // namespace grashof
