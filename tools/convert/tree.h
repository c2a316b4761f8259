#pragma once
/// What foreign formats describe, before it becomes a scenario: links in a tree of joints, loops that close
/// it.

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/definitions.h"
#include "engine/model/step_options.h"
#include "engine/scenario/scenario.h"
#include "joints/motor.h"
#include "tools/convert/tendon_path.h"

namespace grashof::convert {

/// Index of the world wherever a link is expected.
inline constexpr int kWorldLink = -1;

/// The report of a conversion: every approximation and every omission has a line here.
struct Report {
  std::vector<std::string> merged;        ///< links and joints that became one
  std::vector<std::string> repaired;      ///< inertias that no body can have
  std::vector<std::string> approximated;  ///< what is not quite the same
  std::vector<std::string> assumed;       ///< what the file leaves open
  std::vector<std::string> leftOut;       ///< what was not taken over
  std::vector<std::string> warnings;      ///< what a user must know before using the result
  std::vector<std::string> neverTouch;    ///< pairs of bodies that may not touch because they do at the start
  double residual = 0.0;                  ///< of the loops after assembly, m, rad
  int assemblyIterations = 0;

  /// Adds a line unless it is there already.
  static void once(std::vector<std::string>& lines, const std::string& line);
};

struct Link {
  std::string name;
  int line = 0;
  bool isWorld = false;         ///< what the file calls the world
  bool between = false;         ///< has no counterpart in the file: it stands between joints of one body
  bool handled = false;         ///< stands, but as what moves it counts among neighbours (ParentAndChild)
  double mass = 0.0;            ///< kg
  Vec3 center = Vec3::Zero();   ///< centre of mass in the link's frame, m
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass, in the link's axes, kg m²
  std::vector<Shape> shapes;    ///< poses in the link's frame; `body` is not used
  double gravityCompensation = 0.0;  ///< share of its weight that is carried
  Pose pose;                         ///< in the world; of links without a parent, the others follow
};

enum class LinkJointKind { Fixed, Revolute, Prismatic, Spherical, Universal, Planar, Free };

const JointType& jointTypeOf(LinkJointKind kind);

/// A joint of the tree. Its x axis (z for planar) is the axis; frames coincide at coordinate zero.
struct LinkJoint {
  std::string name;
  int line = 0;
  LinkJointKind kind = LinkJointKind::Fixed;
  int parent = kWorldLink, child = 0;
  Pose parentFrame, childFrame;              ///< in the links' frames
  std::vector<JointCoordinate> coordinates;  ///< signals index Tree::signals
  bool motor = false;                        ///< to be driven: the conversion adds a motion for it
  Motor sheet{};                             ///< what the file says of its motor; no name
  std::vector<double> initial;               ///< coordinates of the pose the model starts from; empty: zero
  /// Rates of the start; empty: none. Spherical: angular velocity in the child's axes; free: velocity of the
  /// child's origin in the world's axes, angular velocity in the child's. m/s, rad/s
  std::vector<double> rates;
  /// How the coordinate of a simple joint gives way in the whole mechanism, to which a soft limit refers;
  /// 0: to the two bodies alone. 1/kg or 1/(kg m²)
  double mobility = 0.0;
};

/// Two frames that a joint type joins beside the tree.
struct Loop {
  std::string name;
  int line = 0;
  const JointType* type = nullptr;
  int linkA = 0, linkB = 0;
  Pose frameA, frameB;
  std::vector<JointCoordinate> coordinates{};  ///< as of a LinkJoint; empty: plain
  Softness softness{};
  double mobility = 0.0;  ///< of its two places, to which the softness refers; 0: of the two bodies, 1/kg
  /// > 0: it keeps the orientation alone, by rows of this share of the angle; the mobility is of turning,
  /// 1/(kg m²)
  double turnShare = 0.0;
};

/// q_a = ratio q_b + offset, or q_a = profile(q_b).
struct Mimic {
  std::string name;
  int jointA = 0, jointB = 0;
  double ratio = 1.0, offset = 0.0;
  std::optional<Signal> profile{};
  Softness softness{};  ///< an impedance, or rigid; not with a profile
};

/// A weighted sum x of coordinates of simple joints and the length of a path: Σ coefficient q + length.
/// Either kept at a value, or with a spring, a damper, a drive and bounds.
struct CoordinateSum {
  std::string name;
  std::vector<std::pair<int, double>> terms;  ///< joint, coefficient
  std::vector<PathNode> path{};               ///< empty: none
  std::optional<double> kept{};               ///< m, rad
  Softness softness{};                        ///< of what keeps it, or of the bounds; rigid without
  double stiffness = 0.0, damping = 0.0;      ///< as of a tendon
  double rest = 0.0;                          ///< where the spring is at rest
  std::optional<double> restUpper{};          ///< there is a slack from `rest` up to here
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  int signal = -1;  ///< of its drive, which shares stiffness and damping; -1: none
  SumCommand command = SumCommand::Tension;
};

/// A control that the file names. The reference of what it moves is the sum of gain u + offset over all
/// controls u on it; of a sum of coordinates the force along it.
struct TreeControl {
  struct Share {
    int joint = -1;  ///< of one coordinate
    int sum = -1;    ///< instead of a joint: index into Tree::sums
    double gain = 1.0, offset = 0.0;
  };
  std::string name{};
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double start = 0.0;
  std::vector<Share> shares{};  ///< empty: what it moved is left out
};

/// A force and a moment on a link that do not change.
struct TreeWrench {
  std::string name{};
  int link = 0;
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  ///< N, N m
  Vec3 point = Vec3::Zero();                         ///< in the link's frame, m
  bool local = false;                                ///< in the axes of the link, else of the world
};

/// Which links that a joint joins touch each other; each format has its rule.
enum class TreeNeighbours {
  Joined,          ///< all but those that joints and loops join
  ParentAndChild,  ///< all but parent and child of a joint that both move, as in MuJoCo
  Touch,           ///< all
};

struct Tree {
  std::string name, file;
  std::vector<Link> links;
  std::vector<LinkJoint> joints;  ///< parents before children
  std::vector<Loop> loops;
  std::vector<Mimic> mimics;
  std::vector<CoordinateSum> sums;
  std::vector<Shape> worldShapes;
  std::vector<Material> materials;
  std::map<std::pair<int, int>, SurfacePair> surfaces;  ///< material indices, first <= second
  std::vector<Signal> signals;
  std::vector<TreeControl> controls;  ///< in the order of the file
  std::vector<TreeWrench> wrenches;
  std::vector<std::pair<int, int>> excluded;  ///< links that never touch
  TreeNeighbours neighbours = TreeNeighbours::Joined;
  /// Links that a joint joins to shapes of `worldShapes`, by their Shape::link.
  std::vector<std::pair<int, std::string>> worldJoints;
  bool startsAsGiven = false;    ///< limits that the start crosses do not move it
  double contactDistance = 0.0;  ///< at which contacts act, m
  Vec3 gravity = Vec3(0.0, 0.0, -9.81);
  std::optional<double> timestep;  ///< s
  std::optional<Integrator> integrator;
  std::optional<double> solverTolerance;

  int findLink(const std::string& name) const;
  int findJoint(const std::string& name) const;
};

/// Fixes joints that follow a fixed joint at the coordinate that gives them, and those that follow these in
/// turn. Reports them.
void holdFollowersOfFixed(Tree& tree, Report& report);

/// Which bodies of a robot may touch each other. Bodies that a joint joins, also through links without mass,
/// never do.
enum class SelfContact {
  Separate,  ///< those that are apart at the assembled pose
  All,
  None,
};

struct BuildOptions {
  bool floatingBase = false;  ///< links without a parent move freely; else they belong to the world
  double amplitude = 0.0;     ///< of the motors' sine about the assembled pose, rad or m
  double frequency = 0.5;     ///< of it, Hz
  bool allMotors = false;     ///< motors on all joints of one coordinate that follow no other
  double servo = 0.0;         ///< > 0: motors are critically damped servos of this frequency, Hz; 0: exact
  SelfContact selfContact = SelfContact::Separate;
  std::optional<double> floor{};  ///< a floor that far below the lowest point at the start, m; none: no floor
  bool strict = false;  ///< refuse inertias that no body can have, instead of repairing those slightly off
};

/// Makes a scenario of a tree: merges what is rigidly joined, makes one joint of runs of simple joints
/// through links without mass, brings all onto the loops. Throws InputError for a link without inertia that
/// cannot be merged away, and for loops that do not close.
Scenario buildScenario(const Tree& tree, const BuildOptions& options, Report& report);

}  // namespace grashof::convert
