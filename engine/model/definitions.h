#pragma once
/// Input of a ModelBuilder: plain structs, one per element of a scenario, with the same defaults. SI
/// units.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "contacts/shape.h"
#include "engine/base/body.h"
#include "engine/base/signal.h"
#include "engine/base/softness.h"
#include "engine/model/defects.h"
#include "engine/model/velocity_constraint.h"
#include "joints/cable.h"
#include "joints/clearance.h"
#include "joints/coupling.h"
#include "joints/force_law.h"

namespace grashof {

/// The index of one kind of item; indices of different kinds do not mix.
template <typename Kind>
struct Id {
  int value = kUnset;

  static constexpr int kUnset = -3;
  /// A reference that the caller has found to be wrong and has reported; the builder stays silent about it.
  static constexpr Id reported() { return {-2}; }
  bool operator==(const Id&) const = default;
};
using BodyId = Id<struct BodyItem>;
using JointId = Id<struct JointItem>;
using SignalId = Id<struct SignalItem>;
using MaterialId = Id<struct MaterialItem>;
using MotorId = Id<struct MotorItem>;

/// The immovable world wherever a body is expected.
inline constexpr BodyId kWorldBody{kWorld};
/// The material "default", which every model has.
inline constexpr MaterialId kDefaultMaterial{0};

/// A pose without rotation at (x, y, z), m.
inline Pose at(double x, double y, double z) { return {Vec3(x, y, z), Quat::Identity()}; }

/// Mass and inertia of a body that do not follow from its shapes alone.
struct InertialDef {
  double mass = 0.0;              ///< kg, > 0
  std::optional<Mat3> inertia{};  ///< kg·m² about the centre of mass; none: of the shapes, scaled to `mass`
  /// Centre of mass in the body's frame, m; none: the origin when `inertia` is given, else that of the
  /// shapes.
  std::optional<Vec3> center{};
  Quat rotation = Quat::Identity();  ///< of the axes of `inertia` in the body's frame
  Where where{};
};

/// A rigid body, described in a frame of the user's choice.
struct BodyDef {
  std::string name{};                     ///< not empty, unique among bodies
  Pose pose{};                            ///< of the user's frame in the world at t = 0
  Vec3 velocity = Vec3::Zero();           ///< of the frame's origin, m/s, world axes
  Vec3 angularVelocity = Vec3::Zero();    ///< rad/s, world axes
  std::optional<InertialDef> inertial{};  ///< none: mass, centre and inertia follow from the shapes
  Where where{};
};

/// What a shape adds to the mass of its body.
struct ShapeMass {
  std::optional<double> mass{};     ///< kg, > 0; overrides the density
  std::optional<double> density{};  ///< kg/m³, > 0; none: that of the material
};

/// Where a joint's frame stands: its x axis (z axis of planar and point-on-plane joints) along `axis`, or
/// turned by `rotation`.
struct FrameDef {
  Vec3 position = Vec3::Zero();    ///< m
  std::optional<Vec3> axis{};      ///< any length > 0
  std::optional<Vec3> axis2{};     ///< the second axis is nearest to this; none: some direction
  std::optional<Quat> rotation{};  ///< instead of `axis`
  Where where{};
};

/// A joint between two bodies. Its frame is given once in the world, or once in each body.
struct JointDef {
  std::string name{};               ///< not empty, unique among joints
  std::string type{};               ///< name of a joint type, as in "revolute"
  BodyId base = kWorldBody;         ///< may be the world
  BodyId follower{};                ///< a body
  std::optional<FrameDef> frame{};  ///< in the world at t = 0; none, nor the two below: the world's frame
  std::optional<FrameDef> baseFrame{}, followerFrame{};  ///< in the user's frames of the bodies
  std::optional<double> length{};  ///< of a distance joint, m, > 0; none: the distance of its ends at t = 0
  Clearance clearance{};           ///< of planar, cartesian and free joints
  Softness softness{};             ///< of the constraints
  Pose placement{};  ///< pose in the world from which joint frames given in the world are counted
  Where where{};
};

/// A coefficient times a joint coordinate.
struct CoordinateTermDef {
  JointId joint{};
  int coordinate = 0;
  double coefficient = 1.0;  ///< not 0
  Where where{};
};

/// What a named control moves, see ControlTarget: an actuator, or a force element.
struct ControlTargetDef {
  std::optional<JointId> joint{};
  int coordinate = 0;
  std::string element{};  ///< name of a force element, where there is no joint
  double gain = 1.0, offset = 0.0;
  Where where{};
};

/// A named control, see ControlInput.
struct ControlDef {
  std::string name{};  ///< not empty, unique among controls
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();  ///< >= lower
  double start = 0.0;
  std::vector<ControlTargetDef> targets{};
  Where where{};
};

/// A coupling of joint coordinates: q_a = ratio q_b + offset, q_a = profile(q_b) + offset, or the sum of
/// coefficient times coordinate over `terms` = offset.
struct CouplingDef {
  std::string name{};
  CouplingKind kind = CouplingKind::Gear;
  /// Gear: any two coordinates. Screw: translation and rotation of one cylindrical joint, coordinates 0
  /// and 1. Rack and pinion: a is the rack. Cam: a is the follower. Linear: not used, nor is the ratio.
  JointId jointA{}, jointB{};
  int coordinateA = 0, coordinateB = 0;
  double ratio = 1.0;   ///< unit of q_a over unit of q_b; screw: pitch / 2π; rack and pinion: the radius
  double offset = 0.0;  ///< m or rad
  /// Total play, m or rad, unit of q_a; > 0: two one-sided force elements NAME-forward and NAME-backward take
  /// the place of the coupling. Not of cams.
  double backlash = 0.0;
  /// Of gears and racks: share of the power that arrives, in (0, 1] from b to a, and in [0, 1] from a to b;
  /// none there: of the same friction, 2 - 1/efficiency where that is positive. 0: self-locking.
  double efficiency = 1.0;
  std::optional<double> backEfficiency{};
  /// An impedance: a two-sided force element of the coupling's name takes its place. Not of cams.
  Softness softness{};
  Mesh mesh{};                             ///< of gears and racks: where their forces act
  double frictionCoefficient = 0.0;        ///< of screws, between the flanks of the thread
  double threadRadius = 0.0;               ///< of screws, mean radius, m
  std::vector<CoordinateTermDef> terms{};  ///< linear: at least two, of different coordinates
  /// Cam: at least three samples over q_b; repeats when the first and last values are equal.
  Signal profile{};
  Where where{};
};

/// A force and a torque on a body: constant axes times a signal.
struct WrenchDef {
  std::string name{};  ///< may be empty
  BodyId body{};
  Vec3 force = Vec3::Zero();         ///< N
  Vec3 torque = Vec3::Zero();        ///< N·m
  Vec3 point = Vec3::Zero();         ///< m, in the body's user frame; the force acts here
  bool local = false;                ///< force and torque turn with the body (else world axes)
  std::optional<SignalId> signal{};  ///< factor in time; none: one
  Where where{};
};

/// A gas spring by the forces at two lengths; see GasColumn.
struct GasSpringDef {
  double length = 0.0;            ///< extended, m
  double force = 0.0;             ///< there, N, > 0
  double compressedLength = 0.0;  ///< m, < length
  double compressedForce = 0.0;   ///< there, N, > force
  double exponent = 1.0;          ///< of the gas: 1 slow, 1.4 fast
};

/// A table of forces: samples in increasing order, see ForceTable.
struct ForceTableDef {
  std::vector<double> at{};     ///< m, rad or m/s, rad/s
  std::vector<double> force{};  ///< N, N·m; positive pushes apart
  Where where{};
};

/// What a cable runs over, see CableNode.
struct CableSupportDef {
  CableNodeKind kind = CableNodeKind::Point;
  BodyId body = kWorldBody;
  Vec3 position =
      Vec3::Zero();  ///< in the user's frame of the body, m: the point, a point on the axis, the centre
  Vec3 axis = Vec3::UnitZ();  ///< of a cylinder, the same; not zero
  double radius = 0.0;        ///< of cylinders and spheres, m, > 0
  double friction = 0.0;      ///< of cylinders and spheres, μ between cable and surface
  double sense = 1.0;         ///< of a cylinder: 1 or -1
  int turns = 0;              ///< of a cylinder, 0 to 100
  /// Of a point: another branch of the cable begins here, and the one before ends at the point before. The
  /// length of this branch counts by 1/divisor, and so does the tension in it; not 0. Also of the first
  /// point.
  std::optional<double> divisor{};
  Where where{};
};

/// What a signal of an element along a sum commands.
enum class SumCommand {
  Tension,  ///< N, N·m: besides the law, opposite to a force
  Length    ///< m, rad: instead of the law's length
};

/// A force between two points, along a joint coordinate, or along a sum of a cable's length and joint
/// coordinates (see ForceElement): the sum of all that is given, see ForceLaw.
struct ForceDef {
  std::string name{};                           ///< not empty, unique among force elements and bushings
  BodyId body1 = kWorldBody, body2{};           ///< not both the world
  Vec3 point1 = Vec3::Zero(), point2 = point1;  ///< in the user's frames of the bodies, m
  std::optional<JointId> joint{};               ///< instead of bodies and points
  int coordinate = 0;                           ///< of that joint
  /// Instead of bodies, points and joint: a cable from a point to a point, 2 to kMaxCableSupports supports.
  std::vector<CableSupportDef> path{};
  /// The same, or with a path: what winds the cable adds radius times angle.
  std::vector<CoordinateTermDef> terms{};
  double stiffness = 0.0, damping = 0.0;  ///< N/m, N·s/m; along an angle N·m/rad, N·m·s/rad
  /// Length at which the spring has its preload, m; none: the distance at t = 0. Of a joint: the coordinate;
  /// none: 0. Of a sum: none: the length of the path at t = 0, or 0.
  std::optional<double> length{};
  double preload = 0.0;                     ///< N, N·m; positive pushes apart
  ForceSide side = ForceSide::Both;         ///< Tension, Compression: of springs alone; not of a path
  ForceSide pathSide = ForceSide::Tension;  ///< the same of a path; Both: it pushes as it pulls
  std::optional<GasSpringDef> gas{};
  std::optional<ForceTableDef> overLength{}, overSpeed{};
  std::optional<SignalId> signal{};          ///< commanded force, N, N·m
  SumCommand command = SumCommand::Tension;  ///< what the signal commands, of a sum
  bool rigid = false;   ///< inextensible; needs a one-sided or soft sum without stiffness
  Softness softness{};  ///< of a rigid sum: an impedance, or rigid
  Mesh mesh{};          ///< of a sum of two terms: where its forces act
  Pose placement{};     ///< pose in the world from which points of the world are counted
  Where where{};
};

/// A bushing between two frames; see Bushing.
struct BushingDef {
  std::string name{};               ///< not empty, unique among force elements and bushings
  BodyId base = kWorldBody;         ///< may be the world
  BodyId follower{};                ///< a body
  std::optional<FrameDef> frame{};  ///< in the world at t = 0; none, nor the two below: the world's frame
  std::optional<FrameDef> baseFrame{}, followerFrame{};  ///< in the user's frames of the bodies
  Mat6 stiffness = Mat6::Zero();                         ///< symmetric, positive semi-definite
  Mat6 damping = Mat6::Zero();                           ///< the same
  Vec6 preload = Vec6::Zero();                           ///< N, N·m
  Pose placement{};  ///< pose in the world from which frames given in the world are counted
  Where where{};
};

/// A constraint on velocities, see VelocityConstraint.
struct VelocityConstraintDef {
  std::string name{};  ///< not empty, unique among force elements, bushings and these
  VelocityConstraintKind kind = VelocityConstraintKind::KnifeEdge;
  BodyId base = kWorldBody;  ///< may be the world
  BodyId follower{};
  Vec3 point = Vec3::Zero();    ///< in the follower's user frame, m
  Vec3 axis = Vec3::UnitY();    ///< in the follower's user frame, any length; of a rolling ball zero
  double radius = 0.0;          ///< rolling, m, > 0
  Vec3 normal = Vec3::UnitZ();  ///< rolling: in the base's user frame, any length > 0
  Pose placement{};             ///< pose in the world from which a normal given in the world is counted
  Where where{};
};

}  // namespace grashof
