#pragma once
/// How the rates of the rows of a joint change while its bodies move freely.

#include <span>

#include "engine/dynamics/rows/joint_rows.h"

namespace grashof {

/// J̇ u + J M⁻¹ (I ω × ω) of the rows of one joint: the change of their rates in free motion, m/s², rad/s². An
/// impedance speaks of the whole acceleration along its row, of which the impulses of a step do not see this
/// part: it belongs to the way between them. Half of it comes before the impulses and half after: the rate
/// that counts in the law is the rate before them less the half. Zero without the poses of the context.
class FreeRateChange {
 public:
  /// `geometry`: of `joint`. problem.inertia must be set. Keeps references to all.
  FreeRateChange(const RowContext& context, const Joint& joint, const JointGeometry& geometry,
                 const DualProblem& problem);

  /// Of all constraints. Size of changes: at least their number.
  void ofConstraints(std::span<double> changes) const;
  double ofCoordinate(int coordinate) const;

 private:
  double of(const JointRow& row, const Vec6& turn) const;

  const Joint* joint_;
  const JointGeometry* geometry_;
  bool posed_ = false;
  JointFrames frames_;
  Vec6 base_ = Vec6::Zero(), follower_ = Vec6::Zero();              // twists before
  Vec6 baseChange_ = Vec6::Zero(), followerChange_ = Vec6::Zero();  // of them, by gyroscopic torques
  Vec6 relative_ = Vec6::Zero();
};

}  // namespace grashof
