#pragma once
/// What a joint type is: selection matrices, coordinates, residual and exact Jacobians (formulation.md 2).

#include <array>
#include <span>
#include <string_view>

#include "engine/base/math.h"

namespace grashof {

/// The two joint frames in the world, and the centres of mass that twists refer to. For a unary joint the
/// base is the world: baseCenter is zero and rows of the base are not used.
struct JointFrames {
  Vec3 basePoint = Vec3::Zero(), followerPoint = Vec3::Zero();        ///< B_x and F_x, m
  Mat3 baseAxes = Mat3::Identity(), followerAxes = Mat3::Identity();  ///< X_B and X_F, columns in world
  Vec3 baseCenter = Vec3::Zero(), followerCenter = Vec3::Zero();      ///< r_B and r_F, m
};

/// One row over the world twists [v; ω] of base and follower.
struct JointRow {
  Vec6 base = Vec6::Zero();
  Vec6 follower = Vec6::Zero();
};

/// Constants of one joint that its type needs.
struct JointParameters {
  double length = 0.0;  ///< distance joint: the rod's length, m
};

/// Directions seen in the joint frame: translation x y z = 0 1 2, rotation x y z = 3 4 5. The columns of the
/// selection matrices S_c and S_a are the unit vectors of these directions.
using Direction = int;

/// A type of joint, without data of its own. m + d = 6; residual and rows are functions of the frames alone.
class JointType {
 public:
  virtual ~JointType() = default;

  virtual std::string_view name() const = 0;
  /// Directions constrained at zero residual, in the order of the residual's rows (the columns of S_c).
  virtual std::span<const Direction> constrainedDirections() const = 0;
  /// Free directions, in the order of the coordinates (the columns of S_a).
  virtual std::span<const Direction> freeDirections() const = 0;
  int numConstraints() const { return static_cast<int>(constrainedDirections().size()); }  ///< m
  int numDofs() const { return static_cast<int>(freeDirections().size()); }                ///< d
  /// True when coordinate i is an angle that counts whole turns.
  virtual bool isAngle(int coordinate) const { return freeDirections()[coordinate] >= 3 && numDofs() < 3; }

  /// Residual f ∈ R^m of the configuration constraint (m, rad) and its exact derivative along the twists,
  /// also where f ≠ 0: ḟ = rows · (u_B, u_F). `rows` empty: f alone.
  virtual void constraint(const JointFrames& frames, const JointParameters& parameters, std::span<double> f,
                          std::span<JointRow> rows) const = 0;
  /// Coordinates q ∈ R^d (m, rad; angles in (-π, π]) and rows with q̇ = rows · (u_B, u_F).
  virtual void coordinates(const JointFrames& frames, const JointParameters& parameters, std::span<double> q,
                           std::span<JointRow> rows) const = 0;
};

/// All joint types, in the order of formulation.md section 2.
std::span<const JointType* const> jointTypes();
/// The type called `name`, or nullptr.
const JointType* findJointType(std::string_view name);

}  // namespace grashof
