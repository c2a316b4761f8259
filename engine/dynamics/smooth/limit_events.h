#pragma once
/// Limits of joint coordinates as events of smooth motion (theory.md, "Smooth motion"): where they are
/// reached, what stops there, and where they let go; and where forces on a part of the way begin and end.

#include <span>
#include <vector>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/smooth/smooth_system.h"

namespace grashof {

/// Knows which limits hold from one event to the next. Limits are plastic: what reaches one stops there, and
/// leaves it as soon as it would be pulled at.
class LimitEvents {
 public:
  /// Keeps a reference to the system.
  explicit LimitEvents(SmoothSystem& system);

  /// Whether the limit of a coordinate is an event. Those with a compliance are forces, see elasticStop();
  /// other soft ones, and those of prescribed motions, are left to steps by impulses.
  static bool handles(const JointCoordinate& coordinate) {
    return coordinate.limit.bounded() && !coordinate.limit.softness.soft() &&
           coordinate.actuator.kind != Actuator::Kind::Motion;
  }

  /// Decides at the values `y` which limits hold from `time` on (s). Twists of `y` change by the impulses of
  /// limits that are reached and of motions whose rates jump, and the work is booked; `rate` receives the
  /// rates from there on. False where a limit was passed, or where no set of them fits the motion.
  bool meet(double time, SmoothValues& y, SmoothValues& rate);
  /// Forgets what the last step leads to. To be called where meet() is at no event of next().
  void forget() { leaving_ = {}, turning_ = kNothing; }
  /// Those that hold since then.
  std::span<const LimitSide> held() const { return held_; }
  /// Onsets of the forces that act since then.
  std::span<const Onset> acting() const { return acting_; }

  /// Time (s) of the first event in the last step of `method`, which began at `start`; infinite: none.
  /// Replaces the poses of the system. @pre these are those at the end of that step
  double next(SmoothMethod& method, double start);

  /// Of the events since forgetBlows().
  std::span<const LimitBlow> blows() const { return blows_; }
  void forgetBlows() { blows_.clear(); }

 private:
  /// A limit, or the onset of a force, and how far it is (m, rad), with the rate (m/s, rad/s). Where a force
  /// begins or ends is an event at which no speed jumps.
  struct Watched {
    Onset onset;
    bool force = false;
    double gap = 0.0, rate = 0.0;
    bool held = false;
  };
  struct Gap {
    double value = 0.0, rate = 0.0;  // m, rad; m/s, rad/s
  };
  static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);

  bool stop(double time, SmoothValues& y);
  bool hold(double time, SmoothValues& y, SmoothValues& rate);
  bool findNear();
  void watchForces();
  void look(double time);
  void setHeld(std::span<const LimitSide> sides);
  void setActing();
  bool acts(const Onset& onset) const;
  Gap gapOf(const Onset& onset, double time);
  double gapAt(SmoothMethod& method, const Onset& onset, double time);
  double crossing(SmoothMethod& method, const Watched& before, const Watched& after, double start,
                  double stop);
  double closing(SmoothMethod& method, const Watched& before, const Watched& after, double sense,
                 double start, double stop);
  std::span<const double> forcesAt(SmoothMethod& method, double time);
  double release(SmoothMethod& method, std::size_t index, double start, double stop, double middle);
  double rateOf(const LimitSide& side, std::span<const Vec6> twists) const;

  SmoothSystem& system_;
  JointEvaluator joints_;
  double noForce_;                // N, N·m: less presses or pulls at nothing
  std::vector<Watched> watched_;  // at the end of the last step
  std::vector<LimitSide> near_, resting_, held_;
  std::vector<Onset> acting_, next_;
  std::size_t turning_ = kNothing;  // of watched_: the force that begins or ends at the next event
  LimitSide leaving_;               // lets go at the next event; no joint: none does
  std::vector<double> force_;       // of held_ there, N, N·m
  std::vector<LimitBlow> blows_;
  std::vector<Vec6> twists_;     // scratch memory
  std::vector<Watched> before_;  // at the start of the last step
  std::vector<double> heldForce_, middle_;
  SmoothValues values_, rates_;
  std::vector<JointGeometry> geometry_;  // coordinates of joints that elements act on
  std::vector<RowTerm> row_;
};

}  // namespace grashof
