#pragma once
/// What a joint type is: selection matrices, coordinates, residual and exact Jacobians (theory.md, "Joints").

#include <array>
#include <span>
#include <string_view>

#include "engine/base/math.h"

namespace grashof {

/// The two joint frames in the world, and the centres of mass to which the twists refer. For a unary joint
/// the base is the world: baseCenter is zero, and the base part of the rows is not used.
struct JointFrames {
  Vec3 basePoint = Vec3::Zero(), followerPoint = Vec3::Zero();        ///< origins of the frames, m
  Mat3 baseAxes = Mat3::Identity(), followerAxes = Mat3::Identity();  ///< axes as columns, in world axes
  Vec3 baseCenter = Vec3::Zero(), followerCenter = Vec3::Zero();      ///< of the bodies, m
};

/// Placement of an inner frame in an outer one as a matrix: x_outer = axes x_inner + position (m).
struct Frame {
  Vec3 position = Vec3::Zero();
  Mat3 axes = Mat3::Identity();

  Frame() = default;
  explicit Frame(const Pose& pose) : position(pose.position), axes(pose.rotation.toRotationMatrix()) {}
};

/// Where a joint is: its frames in those of the bodies, and the bodies in the world.
struct JointPlacement {
  const Frame& baseMount;      ///< joint frame in the CoM frame of the base (in the world if unary)
  const Frame& followerMount;  ///< joint frame in the CoM frame of the follower
  const Frame* base;           ///< CoM frame of the base in the world; nullptr if unary
  const Frame& follower;       ///< CoM frame of the follower in the world

  JointFrames frames() const {
    JointFrames f;
    f.followerCenter = follower.position;
    f.followerPoint = follower.axes * followerMount.position + follower.position;
    f.followerAxes.noalias() = follower.axes * followerMount.axes;
    if (base) {
      f.baseCenter = base->position;
      f.basePoint = base->axes * baseMount.position + base->position;
      f.baseAxes.noalias() = base->axes * baseMount.axes;
    } else {
      f.basePoint = baseMount.position;
      f.baseAxes = baseMount.axes;
    }
    return f;
  }
  /// The displacements R_Bᵀ (p_F - p_B) along the base axes, m.
  Vec3 displacement() const {
    Vec3 d = follower.axes * followerMount.position + follower.position;
    if (base) d = base->axes.transpose() * (d - base->position);
    return baseMount.axes.transpose() * (d - baseMount.position);
  }
  /// Axis k of the follower in the axes of the base, R_Bᵀ a_k.
  Vec3 axis(int k) const {
    Vec3 a = follower.axes * followerMount.axes.col(k);
    if (base) a = base->axes.transpose() * a;
    return baseMount.axes.transpose() * a;
  }
};

/// One row of a Jacobian: rate = base · u_B + follower · u_F, with the twists u = [v; ω] of the bodies at
/// their centres of mass, in world axes (m/s, rad/s).
struct JointRow {
  Vec6 base = Vec6::Zero();
  Vec6 follower = Vec6::Zero();
};

/// Constants of one joint that its type needs.
struct JointParameters {
  double length = 0.0;  ///< distance joint: the rod's length, m
};

/// Directions of the joint frame: translations along and rotations about its axes x, y, z. The columns of the
/// selection matrices S_c and S_a are the unit vectors of these directions.
enum class Direction { Tx, Ty, Tz, Rx, Ry, Rz };

/// Place of the direction in a twist [v; ω] or wrench [f; τ] of the joint frame: 0 … 5.
constexpr int index(Direction d) { return static_cast<int>(d); }
constexpr bool isRotation(Direction d) { return index(d) >= 3; }
/// Axis of the joint frame along or about which the direction moves: 0 … 2.
constexpr int axisOf(Direction d) { return index(d) % 3; }

/// A type of joint, an object without data: m constraints and d = 6 - m degrees of freedom. Residuals, rows
/// and coordinates are functions of the frames and parameters alone; they allocate nothing and never throw.
class JointType {
 public:
  virtual ~JointType() = default;

  virtual std::string_view name() const = 0;
  /// Directions that the joint constrains at zero residual, in the order of the residual (columns of S_c).
  virtual std::span<const Direction> constrainedDirections() const = 0;
  /// Directions that the joint leaves free, in the order of the coordinates (columns of S_a).
  virtual std::span<const Direction> freeDirections() const = 0;
  int numConstraints() const { return static_cast<int>(constrainedDirections().size()); }  ///< m
  int numDofs() const { return static_cast<int>(freeDirections().size()); }                ///< d
  /// True if the coordinate is the angle about one axis and therefore counts whole turns. Components of a
  /// rotation vector and Euler angles do not.
  /// @pre 0 <= coordinate < numDofs()
  virtual bool isAngle(int coordinate) const {
    return isRotation(freeDirections()[coordinate]) && numDofs() < 3;
  }
  /// True if the coordinate can jump while the bodies turn steadily: components of a rotation vector at half
  /// a turn, Euler angles at theirs and at gimbal lock.
  /// @pre 0 <= coordinate < numDofs()
  virtual bool canJump(int coordinate) const {
    return isRotation(freeDirections()[coordinate]) && !isAngle(coordinate);
  }

  /// Writes the residual f of the constraint (m, rad) and its exact derivative, ḟ = rows · (u_B, u_F), which
  /// also holds where f ≠ 0.
  /// @pre f.size() >= m; rows.size() >= m, or `rows` is empty: then only f is written.
  virtual void constraint(const JointFrames& frames, const JointParameters& parameters, std::span<double> f,
                          std::span<JointRow> rows) const = 0;
  /// The residual alone, to rounding: types that need few of the axes do not compute the others.
  virtual void residual(const JointPlacement& joint, const JointParameters& parameters,
                        std::span<double> f) const {
    constraint(joint.frames(), parameters, f, {});
  }
  /// Writes the coordinates q (m, rad; angles in (-π, π], without whole turns) and the rows of their rates,
  /// q̇ = rows · (u_B, u_F).
  /// @pre q.size() >= d; rows.size() >= d, or `rows` is empty: then only q is written.
  virtual void coordinates(const JointFrames& frames, const JointParameters& parameters, std::span<double> q,
                           std::span<JointRow> rows) const = 0;

  /// How the rows of constraint() and of coordinates() change when the follower moves, see part_slopes.h: of
  /// each row the slope of its part on the follower by [δr (m); δθ (rad)] of the follower, world axes, with
  /// the base held. Without meaning where a row is bounded instead of singular.
  /// @pre slopes.size() >= m; slopes.size() >= d
  virtual void constraintSlopes(const JointFrames& frames, std::span<Mat6> slopes) const = 0;
  virtual void coordinateSlopes(const JointFrames& frames, std::span<Mat6> slopes) const = 0;
  /// These slopes times one motion [v (m/s); ω (rad/s)] of the follower, which costs less where a type says
  /// how: change of the rows' parts on the follower per second.
  /// @pre turns.size() >= m; turns.size() >= d
  virtual void constraintTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const;
  virtual void coordinateTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const;

 protected:
  using enum Direction;  // types list their directions as Tx, Ry, …
};

/// Number of free directions that are translations: 0 … 3.
int freeTranslations(const JointType& type);

/// All joint types, in the order of the documentation.
std::span<const JointType* const> jointTypes();
/// The type called `name` (as in XML, for example "point-on-line"), or nullptr.
const JointType* findJointType(std::string_view name);

}  // namespace grashof
