#pragma once
/// Loads that the parts of a mechanism carry in a run: joints, couplings, drives, limits, contacts.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/analysis/motor_loads.h"
#include "engine/analysis/peak.h"
#include "engine/dynamics/simulator.h"

namespace grashof {

/// Magnitudes of a force (N) and a moment (N·m).
struct Magnitudes {
  Peak force, moment;
};

/// The load of a joint: all that it transmits to its follower, see Simulator::jointReaction().
struct JointLoad {
  std::array<Peak, 6> component;  ///< force (N), then moment (N·m)
  Peak force, moment;             ///< magnitudes
  double forceRms = 0.0, momentRms = 0.0;
  std::array<Magnitudes, kLoadCauses.size()> cause;  ///< of the parts of the load
  /// Per component: whether statics determines it. If not, other values give the same motion.
  std::array<bool, 6> unique{true, true, true, true, true, true};
};

/// A coupling between two joint coordinates.
struct CouplingLoad {
  Peak effortA, effortB;  ///< on its coordinates, N or N·m
  double rmsA = 0.0, rmsB = 0.0;
  bool unique = true;  ///< whether statics determines it
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
  double saturated = 0.0;  ///< time at the effort limit, or that of the motor, s
  bool unique = true;      ///< whether statics determines the effort
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
  Peak force;                 ///< sum of the normal forces, N
  Peak resultant;             ///< magnitude of the sum of all forces, N
  Peak single;                ///< greatest magnitude at one contact, N
  Vec3 point = Vec3::Zero();  ///< where, m, world
};

/// All loads of a run.
struct Loads {
  double from = 0.0, duration = 0.0;    ///< what was observed, s
  int degreeOfStaticIndeterminacy = 0;  ///< the largest of the run
  std::vector<JointLoad> joints;        ///< one per joint
  std::vector<CouplingLoad> couplings;  ///< one per coupling
  std::vector<DriveLoad> drives;        ///< one per coordinate with an actuator
  std::vector<MotorLoad> motors;        ///< one per drive with a motor
  std::vector<LimitHit> limits;         ///< by start
  std::vector<ContactPeriod> contacts;  ///< by start
};

/// Follows a run and collects its loads.
class LoadsObserver {
 public:
  /// `from`: steps that end before are left out, s. Keeps a reference to `model`.
  explicit LoadsObserver(const Model& model, double from = 0.0);

  /// Call after every step.
  void observe(const Simulator& simulator);
  /// The loads of the run. Call it once, after the last step.
  Loads finish();

 private:
  void observeUniqueness(const Simulator& simulator);
  void observeJoints(const Simulator& simulator, double time);
  void observeCouplings(const Simulator& simulator, double time);
  void observeDrives(const Simulator& simulator, double time);
  void observeLimits(const Simulator& simulator, double time);
  void observeContacts(const Simulator& simulator, double time);
  ContactPeriod& openContact(std::pair<int, int> bodies, double start);

  const Model& model_;
  Loads loads_;
  MotorLoadsObserver motors_;
  std::int64_t steps_ = 0;
  std::vector<unsigned> redundant_;  // of the joints, when statics was looked at last
  std::vector<int> openLimits_;      // lower, upper of each coordinate: index of the hit that goes on, or -1
  std::vector<int> openContacts_;    // indices of the periods that go on
};

/// Whether a joint of the model has a declared compliance.
bool declaresCompliance(const Model& model);

/// The model with joints of declared compliance made rigid, and these compliances, one per joint, for
/// Simulator::distributeBy().
std::pair<Model, std::vector<double>> rigidForLoads(const Model& model);

}  // namespace grashof
