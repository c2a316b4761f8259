#pragma once
/// What the parts of a mechanism have to carry in a run: joints, contacts, drives.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/reactions.h"
#include "engine/scenario/scenario.h"

namespace grashof {

/// The largest magnitude of a quantity, with its sign, and when.
struct Peak {
  double value = 0.0;
  double time = 0.0;  ///< s
  void look(double x, double t) {
    if (std::abs(x) > std::abs(value)) value = x, time = t;
  }
};

struct JointLoad {
  std::array<Peak, 6> component;  ///< force (N) and moment (N·m) on the follower, in the base's joint frame
  Peak force, moment;             ///< their magnitudes
  double forceRms = 0.0, momentRms = 0.0;
  std::array<bool, 6> unique{true, true, true,
                             true, true, true};  ///< false: others would give the same motion
};

/// The drive of one joint coordinate.
struct DriveLoad {
  int joint = 0, axis = 0;
  Peak effort, speed, power;  ///< N or N·m; m/s or rad/s; W
  double effortRms = 0.0, speedRms = 0.0;
  double energy = 0.0;     ///< put in, J
  double returned = 0.0;   ///< taken back while braking, J
  double saturated = 0.0;  ///< s at the effort limit
};

/// From a time to a time, s.
struct Event {
  double start = 0.0, end = 0.0;
};

/// A joint coordinate at one of its limits.
struct LimitHit : Event {
  int joint = 0, axis = 0;
  bool upper = false;
  Peak effort;  ///< of the limit, N or N·m
};

/// Two bodies (-1: the world) that touch.
struct Collision : Event {
  int bodyA = -1, bodyB = -1;
  Peak force;  ///< sum of the normal forces, N
};

struct Loads {
  double duration = 0.0;
  int indeterminate = 0;  ///< most ways in which reactions could be shifted
  std::vector<JointLoad> joints;
  std::vector<DriveLoad> drives;
  std::vector<LimitHit> limits;
  std::vector<Collision> collisions;
};

/// Follows a run and sums up its loads. Joints with a declared compliance must have been made rigid
/// (rigidForLoads()) for reactions to be split by it.
class LoadsObserver {
 public:
  /// `compliance`: as for ReactionDistribution. `splitInterval`: seconds between two splits of reactions that
  /// are not unique (a dense decomposition each); between them their values are not looked at.
  LoadsObserver(const Model& model, std::vector<double> compliance, double splitInterval);
  /// Call after every step.
  void look(const Simulator& simulator);
  Loads finish();
  const Model& model() const { return model_; }
  /// Reaction of a joint as of the last look(), split where it is not unique.
  Vec6 reaction(const Simulator& simulator, int joint) const;

 private:
  void lookAtJoints(const Simulator& simulator, double time);
  void lookAtDrives(const Simulator& simulator, double time);
  void lookAtLimits(const Simulator& simulator, double time);
  void lookAtContacts(const Simulator& simulator, double time);

  const Model& model_;
  double splitInterval_, nextSplit_ = 0.0;
  std::unique_ptr<ReactionDistribution> splitter_;  // none: too many bodies
  bool hyperstatic_ = true;
  std::vector<double> split_;
  Loads loads_;
  std::int64_t steps_ = 0, looks_ = 0;
  std::vector<int> openLimit_;       // two a coordinate: index of the hit going on, -1
  std::vector<int> openCollisions_;  // indices of those going on
};

/// The model with joints of declared compliance made rigid, and those compliances: one a joint.
std::pair<Model, std::vector<double>> rigidForLoads(const Model& model);

}  // namespace grashof
