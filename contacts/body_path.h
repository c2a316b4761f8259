#pragma once
/// The motion of a body over a step as it is foreseen.

#include <algorithm>
#include <span>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

/// Two screws with constant twists, which join at the configuration of the rows.
struct BodyPath {
  Pose start, rows;            ///< CoM frames at the start of the step and at the time `toRows`
  Vec6 before = Vec6::Zero();  ///< twist up to there, m/s, rad/s, world axes
  Vec6 after = Vec6::Zero();   ///< twist from there on
  double toRows = 0.0;         ///< s after the start of the step
  double end = 0.0;            ///< s after the start of the step
  bool held = false;           ///< by joints, see StepMotion::held

  const Vec6& twist(double time) const { return time < toRows ? before : after; }
  /// The CoM frame at `time` (s after the start of the step).
  Pose at(double time) const {
    if (time == toRows) return rows;
    return time == 0.0 ? start : movePose(rows, twist(time), time - toRows);
  }
  /// Bounds (m) of how far points at most `radius` (m) from the centre of mass are from where they are at the
  /// rows: at any time before that, and at any time of the step.
  double reachToRows(double radius) const { return way(before, toRows, radius); }
  double reach(double radius) const {
    return std::max(reachToRows(radius), way(after, end - toRows, radius));
  }

 private:
  static double way(const Vec6& twist, double time, double radius) {
    return time * (twist.head<3>().norm() + radius * twist.tail<3>().norm());
  }
};

/// What a step knows of the motion of its bodies before its impulses are known. One entry per body.
struct StepMotion {
  std::span<const Pose> start, rows;  ///< CoM frames at the start of the step and at the rows
  std::span<const Vec6> before;       ///< twists at the rows: how often a body has turned on the way
  std::span<const Vec6> after;        ///< twists foreseen from the rows to the end, m/s, rad/s
  double toRows = 0.0, toEnd = 0.0;   ///< s from the start to the rows, and from there to the end
  double ahead = 0.0;                 ///< s after the end for which meetings are still wanted
  /// Whether joints hold a body: where its contacts were before the rows does not matter. Empty: none is
  /// held.
  std::span<const char> held = {};
};

/// Replaces `paths` by those of a motion, one per body.
void pathsOf(const StepMotion& motion, std::vector<BodyPath>& paths);

}  // namespace grashof
