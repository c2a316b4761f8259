#pragma once
/// Loads that the parts of a mechanism carry in a run: joints, drives, limits, contacts.

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/analysis/reactions.h"

namespace grashof {

/// The value of largest magnitude of a quantity, with its sign, and its time.
struct Peak {
  double value = 0.0;
  double time = 0.0;  ///< s
  void update(double x, double t) {
    if (std::abs(x) > std::abs(value)) value = x, time = t;
  }
};

/// The reaction of a joint on its follower, axes of the base's joint frame.
struct JointLoad {
  std::array<Peak, 6> component;  ///< force (N), then moment (N·m)
  Peak force, moment;             ///< magnitudes
  double forceRms = 0.0, momentRms = 0.0;
  /// Per component: whether statics determines it. If not, other values give the same motion.
  std::array<bool, 6> unique{true, true, true, true, true, true};
};

/// The drive of one joint coordinate.
struct DriveLoad {
  int joint = 0, coordinate = 0;
  Peak effort;  ///< N or N·m
  Peak speed;   ///< m/s or rad/s
  Peak power;   ///< W
  double effortRms = 0.0, speedRms = 0.0;
  double energy = 0.0;     ///< put into the mechanism, J
  double returned = 0.0;   ///< received from the mechanism while braking, J
  double saturated = 0.0;  ///< time at the effort limit, s
};

/// From the first to the last step of an event.
struct TimeInterval {
  double start = 0.0, end = 0.0;  ///< s
};

/// A joint coordinate at one of its limits.
struct LimitHit : TimeInterval {
  int joint = 0, coordinate = 0;
  bool upper = false;
  Peak effort;  ///< of the limit, N or N·m
};

/// Two bodies in contact; -1: the world. Gaps of less than 20 ms, or 10 steps, do not end it.
struct ContactPeriod : TimeInterval {
  int bodyA = -1, bodyB = -1;
  Peak force;  ///< sum of the normal forces, N
};

/// All loads of a run.
struct Loads {
  double duration = 0.0;                ///< s
  int degreeOfStaticIndeterminacy = 0;  ///< the largest of the run
  std::vector<JointLoad> joints;        ///< one per joint
  std::vector<DriveLoad> drives;        ///< one per coordinate with an actuator
  std::vector<LimitHit> limits;         ///< by start
  std::vector<ContactPeriod> contacts;  ///< by start
};

/// Follows a run and collects its loads. The model must be the one of rigidForLoads() if joints have declared
/// compliances by which reactions are to be distributed.
class LoadsObserver {
 public:
  /// `compliance`: see ReactionDistribution. `splitInterval`: least time between two distributions of
  /// reactions that are not unique, s; each is a dense decomposition. Between them joints of such a mechanism
  /// are not observed. Keeps a reference to `model`.
  LoadsObserver(const Model& model, std::vector<double> compliance, double splitInterval);

  /// Call after every step.
  void observe(const Simulator& simulator);
  /// The loads of the run. Call it once, after the last step.
  Loads finish();

  const Model& model() const { return model_; }
  /// Reaction of a joint (see Simulator::jointReaction()) in the step last observed, distributed where it is
  /// not unique and was distributed in this step.
  Vec6 reaction(const Simulator& simulator, int joint) const;

 private:
  bool distribute(const Simulator& simulator, double time);
  void observeJoints(const Simulator& simulator, double time);
  void observeDrives(const Simulator& simulator, double time);
  void observeLimits(const Simulator& simulator, double time);
  void observeContacts(const Simulator& simulator, double time);
  ContactPeriod& openContact(std::pair<int, int> bodies, double start);

  const Model& model_;
  double splitInterval_, nextSplit_ = 0.0;
  std::unique_ptr<ReactionDistribution> distribution_;  // none: too many bodies
  bool hyperstatic_ = true;                             // until the first steps have shown that it is not
  std::vector<double> distributed_;                     // impulses of the last step; empty: as solved
  Loads loads_;
  std::int64_t steps_ = 0, jointSamples_ = 0;
  std::vector<int> openLimits_;    // lower, upper of each coordinate: index of the hit that goes on, or -1
  std::vector<int> openContacts_;  // indices of the periods that go on
};

/// The model with joints of declared compliance made rigid, and these compliances, one per joint.
std::pair<Model, std::vector<double>> rigidForLoads(const Model& model);

}  // namespace grashof
