#pragma once
/// Where the impulses of a solver bring a system within its step, without the engine's projection.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "contacts/collision_world.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Where the rows of a problem stand, and how the step goes on from there.
struct RowPlace {
  std::vector<Pose> poses;          ///< CoM frames, one per body
  std::vector<double> coordinates;  ///< of all joints, m and rad: angles are unwrapped near them
  double timeToEnd = 0.0;           ///< s, of free motion with u⁺
  double timeEnd = 0.0;             ///< s
};

/// Largest violations of a configuration, each ≥ 0.
struct Violation {
  double joints = 0.0;    ///< m, rad
  double limits = 0.0;    ///< m, rad
  double contacts = 0.0;  ///< m: depth of penetration

  double largest() const { return std::max({joints, limits, contacts}); }
};

/// The penetration residual ‖f(s⁺)‖∞ of a solver [Tsounis 2025, eq. 173]: all constraints on the
/// configuration to which its velocities u⁺ lead. Keeps the workspace of one model.
class NextConfiguration {
 public:
  explicit NextConfiguration(std::shared_ptr<const Model> model);

  /// Violations at the end of the step that `problem` was taken from, with `impulse` (size rows) for its
  /// solution.
  Violation after(const RowPlace& place, const DualProblem& problem, std::span<const double> impulse);

 private:
  std::shared_ptr<const Model> model_;
  CollisionWorld world_;
  std::vector<Pose> poses_;
  std::vector<Vec6> twists_;
  std::vector<JointGeometry> geometry_;
  std::vector<Contact> contacts_;
};

}  // namespace grashof
