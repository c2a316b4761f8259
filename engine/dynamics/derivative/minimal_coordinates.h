#pragma once
/// Equations of motion in minimal coordinates, for trees and loops (theory.md, "Minimal coordinates").

#include <Eigen/Dense>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/rows/velocity_rows.h"
#include "engine/model/model.h"

namespace grashof {

/// One independent coordinate: of a joint, or a component of the twist of a body that no joint holds.
struct MinimalCoordinate {
  int joint = -1;       ///< index; -1: of a body
  int coordinate = -1;  ///< among the coordinates of the joint
  int body = -1;        ///< index; -1: of a joint
  int component = -1;   ///< of the twist [v; ω] of that body at its centre of mass, world axes: 0 to 5

  bool operator==(const MinimalCoordinate&) const = default;
};

/// The equation of motion M(q) q̈ + h(q, q̇, t) = τ in a maximal set of independent coordinates.
///
/// Joints that reach every body over the shortest way from the world form a tree, whose coordinates ṡ give
/// all twists: u = T ṡ. The other rigid joints, the couplings and the constraints on velocities are rows K ṡ
/// = 0 with K = J T. Elimination with full pivoting finds the rank of K and which coordinates depend on the
/// others; these are the minimal ones, and u = N q̇.
///
/// Prescribed motions and actuators do not hold a coordinate here: their efforts are part of τ. In h are
/// gravity, gyroscopic and centrifugal terms, wrenches of the model, springs and dampers of coordinates; in M
/// are the rotors. Contacts, limits, friction, force elements, bushings and soft joints are left out of both;
/// a body on soft joints alone counts as free.
///
/// Matrices are dense, bodies × coordinates. Methods allocate. Keeps the model; not for use by two threads at
/// once.
class MinimalCoordinates {
 public:
  /// choose() at these poses. Sizes: poses = bodies, reference = coordinates of the model (m, rad), near
  /// which angles are unwrapped. Throws as choose().
  MinimalCoordinates(std::shared_ptr<const Model> model, std::span<const Pose> poses,
                     std::span<const double> reference);

  /// Chooses the independent coordinates anew. Coordinates without an actuator become dependent rather than
  /// others where their pivots are not much smaller; of equal ones the choice is the same every time. Throws
  /// CallError for wrong sizes, and naming the joint whose own coordinates are singular here (a gimbal lock).
  /// @pre the poses fit the joints to about 1e-9 m, rad
  void choose(std::span<const Pose> poses, std::span<const double> reference);
  /// Evaluates at other poses with the same independent coordinates. Throws CallError like choose(), and when
  /// they do not determine the motion there (a singular configuration: choose() again); nothing can be
  /// evaluated before the next successful call then.
  void update(std::span<const Pose> poses, std::span<const double> reference);

  const Model& model() const { return *model_; }
  /// n, the mobility of the mechanism at the poses of choose().
  int size() const { return static_cast<int>(independent_.size()); }
  /// The independent coordinates, joints in the order of the tree, in the order of all vectors here.
  std::span<const MinimalCoordinate> coordinates() const { return coordinates_; }
  /// As "crank", "ball[1]" (a joint of several coordinates) or "box.vx" (a body).
  std::string name(int coordinate) const;
  /// Constraint rows off the tree that others repeat.
  int redundant() const { return redundant_; }

  /// N, 6 bodies × n: twists [v; ω] of all bodies (m/s, rad/s; world axes, centres of mass) by q̇.
  const Eigen::MatrixXd& velocityMap() const { return map_; }
  /// All joint coordinates of the model × n: their rates by q̇. Its transpose takes efforts of actuators on
  /// any coordinates to τ.
  const Eigen::MatrixXd& coordinateMap() const { return rates_; }
  /// q̇ (m/s, rad/s) of given twists, one per body, which must fit the joints. Throws CallError for a wrong
  /// size.
  VecX rates(std::span<const Vec6> twists) const;

  /// M, n × n, symmetric positive definite: kg, kg·m, kg·m², by the units of the coordinates.
  Eigen::MatrixXd massMatrix() const;
  /// 6 × n: velocity (m/s) of a point of `body` and angular velocity (rad/s) of the body by q̇; world axes.
  /// `point`: in the body's user frame, m. Throws CallError when there is no such body.
  Eigen::MatrixXd jacobian(int body, const Vec3& point) const;
  /// τ = M q̈ + h (N, N·m): the efforts along the independent coordinates that bring about `accelerations`
  /// (m/s², rad/s²) at `rates` q̇ (m/s, rad/s) and `time` (s; of signals of wrenches). `wrenches`: on the
  /// bodies besides those of the model, force (N) and torque (N·m) at the centre of mass, world axes; one per
  /// body, or empty. Rates of rows come from central differences of fourth order along the motion, exact to
  /// about 1e-12 of the squared speeds; within 1e-3 of their unit of a kink of a cam the kink is averaged.
  /// Throws CallError for wrong sizes.
  VecX inverseDynamics(std::span<const double> rates, std::span<const double> accelerations,
                       double time = 0.0, std::span<const Vec6> wrenches = {});
  /// h (N, N·m): inverseDynamics() without accelerations.
  VecX bias(std::span<const double> rates, double time = 0.0, std::span<const Vec6> wrenches = {});

 private:
  /// How a body gets its twist.
  struct TreeNode {
    int body = 0;
    int joint = -1;         // -1: none, the body is free
    bool inverted = false;  // the joint leads from its follower to its base
    int parent = kWorld;
    int first = 0;  // of its tree coordinates
    int count = 6;
    Mat6 inverse = Mat6::Identity();  // of the rows of the joint on the body
    Mat6 parentRows = Mat6::Zero();   // of the joint on the parent
  };

  void buildTree();
  void addNode(int body, int joint, bool inverted, int parent);
  void checkSizes(std::span<const Pose> poses, std::span<const double> reference) const;
  void evaluate(std::span<const Pose> poses, std::span<const double> reference);
  void assembleClosures(std::span<const Pose> poses);
  void scaledClosures(Eigen::MatrixXd& scaled) const;
  int eliminate(Eigen::MatrixXd& scaled, std::vector<int>& columns, std::vector<int>& rows) const;
  void solveMaps();
  void rowRates(std::span<const Vec6> twists, VecX& joints, VecX& closures) const;
  void rowAccelerations(std::span<const Vec6> twists, VecX& joints, VecX& closures);
  /// Of all bodies for the accelerations `a` of the independent coordinates; `joints`: as of
  /// rowAccelerations().
  VecX twistChange(const VecX& a, const std::vector<Vec6>& twists, VecX& joints);

  std::shared_ptr<const Model> model_;
  double length_ = 1.0;  // m, between which translations and rotations are compared
  std::vector<TreeNode> tree_;
  std::vector<bool> inTree_;                       // of each joint
  std::vector<MinimalCoordinate> treeCoordinate_;  // all columns of T

  JointEvaluator joints_;
  std::vector<Pose> poses_, moved_;
  std::vector<double> reference_;
  std::vector<JointGeometry> geometry_;
  DualProblem closures_;                 // rows of what is not in the tree
  std::vector<VelocityRow> velocities_;  // of the constraints on velocities

  std::vector<int> dependent_, independent_;  // columns of T
  std::vector<int> pivotRows_;                // of K, as many as dependent columns
  std::vector<MinimalCoordinate> coordinates_;
  int redundant_ = 0;
  Eigen::MatrixXd treeMap_, closure_;  // T, K
  Eigen::PartialPivLU<Eigen::MatrixXd> solver_;
  Eigen::MatrixXd map_, rates_;
};

}  // namespace grashof
