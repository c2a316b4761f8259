#pragma once
/// Loads that the parts of a mechanism carry in a run: joints, couplings, drives, limits, contacts.

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "engine/analysis/blows.h"
#include "engine/analysis/motor_loads.h"
#include "engine/analysis/peak.h"
#include "engine/dynamics/simulator.h"

namespace grashof {

/// Magnitudes of a force (N) and a moment (N·m).
struct Magnitudes {
  Peak force, moment;
};

/// The load of a joint: all that it transmits to its follower, see Simulator::jointReaction(). Without the
/// steps in which a blow fell on its mechanism, see Blow.
struct JointLoad {
  std::array<Peak, 6> component;  ///< force (N), then moment (N·m)
  Peak force, moment;             ///< magnitudes
  double forceRms = 0.0, momentRms = 0.0;
  Peak blowForce, blowMoment;                        ///< the largest impulses of blows, N·s and N·m·s
  std::array<Magnitudes, kLoadCauses.size()> cause;  ///< of the parts of the load
  /// Per component: whether statics determines it. If not, other values give the same motion.
  std::array<bool, 6> unique{true, true, true, true, true, true};
};

/// A coupling between two joint coordinates.
struct CouplingLoad {
  Peak effortA, effortB;  ///< on its coordinates, N or N·m
  double rmsA = 0.0, rmsB = 0.0;
  bool unique = true;      ///< whether statics determines it
  std::int64_t steps = 0;  ///< of the means
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
  std::int64_t steps = 0;  ///< of the means
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
  Peak blow;    ///< its impulses, N·s or N·m·s
  /// A prescribed motion goes through it: the efforts of both are without bound, and left out.
  bool clashes = false;
};

/// Two bodies in contact; -1: the world. Gaps of less than 20 ms, or 10 steps, do not end it.
struct ContactPeriod : TimeInterval {
  int bodyA = -1, bodyB = -1;
  Peak force;                 ///< sum of the normal forces, N
  Peak resultant;             ///< magnitude of the sum of all forces, N
  Peak single;                ///< greatest magnitude at one contact, N
  Peak blow;                  ///< sums of normal impulses of blows, N·s
  Vec3 point = Vec3::Zero();  ///< where, m, world
};

/// Blows at one place: impulses within a step, which do not depend on it, where mean forces are impulse over
/// step. The loads of what is joined to it leave these steps out.
struct Blow {
  BlowPlace place;
  /// The largest, N·s or N·m·s; of a motion the jump of its rate, m/s or rad/s. Steps that follow each other
  /// are one blow: as a rule a step stops half of what the next one does.
  Peak impulse;
  double running = 0.0, last = -1.0;  ///< of the blow of the last such step, and its time, s
  double first = 0.0;                 ///< s
  int count = 0;                      ///< steps
};

/// All loads of a run.
struct Loads {
  double from = 0.0, duration = 0.0;    ///< what was observed, s
  int degreeOfStaticIndeterminacy = 0;  ///< the largest of the run
  std::vector<JointLoad> joints;        ///< one per joint
  std::vector<CouplingLoad> couplings;  ///< one per coupling
  std::vector<DriveLoad> drives;        ///< one per coordinate with an actuator
  std::vector<MotorLoad> motors;        ///< one per drive with a motor
  std::vector<Blow> blows;              ///< by their first time
  std::int64_t clashingSteps = 0;       ///< left out since a motion goes through its limit
  std::vector<LimitHit> limits;         ///< by start
  std::vector<ContactPeriod> contacts;  ///< by start
};

/// Follows a run and collects its loads.
class LoadsObserver {
 public:
  /// `from`: steps that end before are left out, s. Keeps a reference to `model`.
  explicit LoadsObserver(const Model& model, double from = 0.0);

  /// Call before the first step, whose loads peaks count where they are known, and after each.
  void observe(const Simulator& simulator);
  /// The loads of the run. Call it once, after the last step.
  Loads finish();

 private:
  struct DriveSample {
    double effort = 0.0, speed = 0.0, work = 0.0;
    bool saturated = false;
  };
  /// Of a drive at the state before: speed (m/s, rad/s), and effort (N, N·m), which is unknown (NaN) but at
  /// the end of a smooth step.
  struct LastDrive {
    double speed = 0.0, effort = 0.0;
  };
  struct LimitSample {
    int coordinate = 0;  // 2 index + 1 if upper
    double impulse = 0.0;
  };
  struct TouchSample {
    std::pair<int, int> bodies;
    double normal = 0.0, single = 0.0;
    Vec3 sum = Vec3::Zero(), point = Vec3::Zero();
  };
  /// A step: what it did is told two steps later, when it is known whether it was a blow.
  struct Sample {
    double time = 0.0;
    StopImpulses stops;
    std::vector<BlowPlace> clashes;
    std::vector<JointWrenches> joints;
    std::vector<std::array<double, 2>> couplings;
    std::vector<DriveSample> drives;
    std::vector<MotorSample> motors;
    std::vector<LimitSample> limits;
    std::vector<TouchSample> touches;
  };

  Sample sampleOf(const Simulator& simulator) const;
  double speedOf(const DriveLoad& drive, const Simulator& simulator) const;
  void takeWork(const Simulator& simulator, std::span<DriveSample> drives);
  std::vector<LimitSample> limitsOf(const Simulator& simulator) const;
  std::vector<TouchSample> touchesOf(const Simulator& simulator) const;
  void observeUniqueness(const Simulator& simulator);
  void observeStart(const Simulator& simulator);
  static void takePeaks(const JointWrenches& wrenches, double time, JointLoad& load);
  /// Takes the step `k` of those that wait.
  void take(std::size_t k);
  void takeJoints(const Sample& sample, const std::vector<char>& struck, const std::vector<char>& clashing);
  void takeCouplings(const Sample& sample, const std::vector<char>& leftOut);
  void takeDrives(const Sample& sample, const std::vector<char>& leftOut, const std::vector<char>& clashing);
  void takeLimits(const Sample& sample, const std::vector<BlowPlace>& blows);
  void takeContacts(const Sample& sample, const std::vector<BlowPlace>& blows);
  void addBlows(const std::vector<std::pair<BlowPlace, double>>& blows, double time);
  double runningBlow(const BlowPlace& place) const;
  ContactPeriod& openContact(std::pair<int, int> bodies, double start);

  const Model& model_;
  Loads loads_;
  MotorLoadsObserver motors_;
  Mechanisms mechanisms_;
  std::deque<Sample> waiting_;       // the last five steps at most
  std::vector<LastDrive> last_;      // of the drives; empty: none was seen
  std::size_t taken_ = 0;            // of these, from the front
  std::vector<Vec6> blowing_;        // impulses of each joint in the blow of the last steps, N·s, N·m·s
  std::vector<std::int64_t> steps_;  // of the means of each joint
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
