#pragma once
/// Residuals, coordinates and Jacobian rows of joints at given poses.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/dynamics/kinematics/inputs.h"
#include "engine/model/model.h"

namespace grashof {

/// Geometry of one joint at one configuration. A joint of m constraints and d coordinates uses the first m
/// entries of residual and constraintRow and the first d entries of coordinate and coordinateRow.
struct JointGeometry {
  std::array<double, 6> residual{};       ///< f, m and rad
  std::array<double, 6> coordinate{};     ///< q, m and rad; angles near the reference coordinates
  std::array<JointRow, 6> constraintRow;  ///< exact derivative of f
  std::array<JointRow, 6> coordinateRow;  ///< exact derivative of q
};

/// Evaluates the joints of a model at one set of poses after another. The rotation of a body is converted to
/// a matrix once per set, not once per joint. Large models are spread over threads; the results do not depend
/// on their number. Allocates in the constructor only. Keeps a reference to the model.
class JointEvaluator {
 public:
  explicit JointEvaluator(const Model& model);

  const Model& model() const { return *model_; }
  /// Sets the poses of all bodies for the calls below.
  void setPoses(std::span<const Pose> poses);

  JointPlacement placement(std::size_t j) const {
    const Joint& joint = model_->joints[j];
    return {mounts_[j].base, mounts_[j].follower, joint.base >= 0 ? &bodies_[joint.base] : nullptr,
            bodies_[joint.follower]};
  }
  /// All joints. `reference`: coordinates of all joints (m, rad), near which angles are unwrapped. Size of
  /// geometry: one per joint.
  void evaluate(std::span<const double> reference, std::span<JointGeometry> geometry) const;
  /// Coordinates (m, rad) of joint `j` alone, whose frames are `frames`. Size of q: at least its degrees of
  /// freedom. `rows`: receives their rows unless it is empty.
  void coordinates(std::size_t j, const JointFrames& frames, std::span<const double> reference,
                   std::span<double> q, std::span<JointRow> rows) const;

 private:
  struct Mounts {
    Frame base, follower;
  };
  const Model* model_;
  std::vector<Mounts> mounts_;  // one per joint
  std::vector<Frame> bodies_;   // CoM frames in the world
};

/// Evaluates all joints once, see JointEvaluator. Allocates.
void evaluateJoints(const Model& model, std::span<const Pose> poses, std::span<const double> reference,
                    std::span<JointGeometry> geometry);

/// World poses of the frames of one joint for the poses of all bodies.
JointFrames framesAt(const Joint& joint, std::span<const Pose> poses);

/// Copies the coordinates of all joints (m, rad) into `coordinates`.
void copyCoordinates(const Model& model, std::span<const JointGeometry> geometry,
                     std::span<double> coordinates);

/// Rate (m/s, rad/s) of the coordinate of `joint` with the Jacobian row `row`: row.base · u_base +
/// row.follower · u_follower. `twists`: one per body.
double coordinateRate(const Joint& joint, const JointRow& row, std::span<const Vec6> twists);
/// The same for all joint coordinates. Size of rates: coordinates.
void coordinateRates(const Model& model, std::span<const JointGeometry> geometry,
                     std::span<const Vec6> twists, std::span<double> rates);

/// Where all joint coordinates (m, rad) are to be expected `duration` (s) after `geometry`, if the rates of
/// `twists` stay: near these, angles count turns at any speed. Only angles that never jump are carried on;
/// none faster than its bodies turn, as rates near a singular place of a joint say nothing. Size of expected:
/// coordinates.
void expectCoordinates(const Model& model, std::span<const JointGeometry> geometry,
                       std::span<const Vec6> twists, double duration, std::span<double> expected);

/// Residual of a coupling, see Coupling; m or rad.
double couplingResidual(const Coupling& coupling, std::span<const JointGeometry> geometry);

/// Largest violation (m, rad) of rigid joints, couplings and prescribed motions at `time` (s); NaN if one is
/// NaN. `controls`: see referenceOf().
double jointViolation(const Model& model, std::span<const JointGeometry> geometry, double time,
                      std::span<const Control> controls = {});
/// "joint 'NAME' (TYPE) is off by VALUE UNIT" for the largest residual of all joints.
std::string worstJoint(const Model& model, std::span<const JointGeometry> geometry);

}  // namespace grashof
