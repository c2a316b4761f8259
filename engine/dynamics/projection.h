#pragma once
/// Keeps a state on the joints: poses onto f(s) = 0, twists onto J u = rates of the prescribed motions.

#include <span>
#include <vector>

#include "engine/dynamics/joint_rows.h"
#include "solvers/linear/kkt_system.h"

namespace grashof {

class Projection {
 public:
  struct Result {
    double violation = 0.0;  ///< what is left, m and rad
    int iterations = 0;      ///< linear solves
    bool converged = true;
  };

  explicit Projection(const Model& model);

  /// Moves the poses by the least mass-weighted displacement onto joints, couplings and prescribed motions at
  /// `time`: Newton's method with the matrix kept while it contracts well. `geometry` is that of the poses
  /// returned. On failure the best poses found are left.
  Result projectPoses(std::span<Pose> poses, std::span<const double> reference, double time, double tolerance,
                      std::span<JointGeometry> geometry);

  /// Changes the twists by the least mass-weighted amount so that J u = rates at `time`, for the poses of the
  /// last projectPoses(). Returns the work that the prescribed motions did on the way, J: their impulses
  /// times the mean rates before and after.
  double projectTwists(std::span<const Pose> poses, std::span<const JointGeometry> geometry, double time,
                       std::span<Vec6> twists);

  /// Impulse (N·s, N·m·s) of the prescribed motion of a coordinate in the last projectTwists().
  double motionImpulse(int joint, int axis) const;

  /// Largest rate ω (rad/s) of the motions that the joints leave under the stiffness K of the bodies'
  /// rotations (N·m/rad, symmetric positive semi-definite): ω² is the largest eigenvalue of P M⁻¹ K, P the
  /// projection onto the joints at the last factorization. By power iteration, to some per cent; 0 before any
  /// factorization.
  double maxNaturalFrequency(std::span<const Mat3> stiffness);
  /// Makes the matrix anew before its next use, so that what comes does not depend on what was.
  void reset() { factorized_ = stale_ = false; }
  int factorizations() const { return kkt_.factorizations(); }

 private:
  bool factorize(std::span<const Pose> poses);

  const Model& model_;
  DualProblem problem_;
  KktSystem kkt_;
  bool factorized_ = false;
  bool stale_ = false;  // the matrix contracted too slowly: to be made anew before its next use
  std::vector<Vec6> body_;
  std::vector<int> equalityRow_;
  std::size_t equalityRows_ = 0;
  std::vector<double> row_, velocity_;  // one a hard row, then one an armature
  std::vector<double> twistImpulse_;    // one a hard row
  std::vector<Pose> best_;
};

/// World-axes inertia blocks of all bodies at the given poses. Sizes: inertia = bodies.
void inertiaAt(const Model& model, std::span<const Pose> poses, std::span<InertiaBlock> inertia);

}  // namespace grashof
