#pragma once
/// One contact point.

#include <cstdint>

#include "engine/base/contact_law.h"
#include "engine/base/math.h"
#include "engine/base/softness.h"

namespace grashof {

/// A contact that persists, as it was at the start of the step.
struct ContactBefore {
  bool known = false;
  Vec3 point = Vec3::Zero();      ///< in the world, m
  Mat3 frame = Mat3::Identity();  ///< columns (t, o, n), world axes, tangents as near as can be to those now
  double gap = 0.0;               ///< m
};

/// A point where two shapes touch or are about to, and how their surfaces behave there.
struct Contact {
  int shapeA = 0, shapeB = 0;  ///< indices of shapes, A < B; the normal points from A into B; see ofJoint()
  int bodyA = -1, bodyB = -1;  ///< -1: the world
  Vec3 point = Vec3::Zero();   ///< in the world, midway between the two surfaces, m
  Mat3 frame = Mat3::Identity();  ///< columns (t, o, n): two tangents and the normal, world axes
  double gap = 0.0;               ///< distance of the surfaces, m; negative where they overlap
  double friction = 0.0;          ///< Coulomb μ; where it depends on the direction, the larger one
  /// Friction along t and along o over `friction`, in (0, 1]: rows and impulses of tangents are scaled by it,
  /// so that the cone stays round.
  Vec2 tangentScale = Vec2::Ones();
  Vec3 surfaceVelocity = Vec3::Zero();  ///< of the surface of B against that of A, besides the bodies, m/s
  double rolling = 0.0;                 ///< coefficient of rolling friction, m
  double torsion = 0.0;                 ///< of friction against turning about the normal, m
  double restitution = 0.0;             ///< Newton e
  Softness softness{};
  ElasticContact elastic{};  ///< instead of `softness` where it yields
  /// Of a polygon of a contact patch, m²; 0: a point. Its pressure grows by pressureSlope (Pa/m) with depth,
  /// its gap is -(mean pressure)/pressureSlope, its point the centre of its pressure.
  double area = 0.0;
  double pressureSlope = 0.0;
  /// When surfaces that are apart at the start of the step meet, s after it; negative: they touch from the
  /// start on, or the rows have them. Point, frame and gap are those of that moment, see offsetA.
  double meeting = -1.0;
  /// Centres of mass of the bodies at the meeting less those at the configuration of the rows, m; zero where
  /// they touch from the start on.
  Vec3 offsetA = Vec3::Zero(), offsetB = Vec3::Zero();
  /// The same contact at the start of the step, where it was looked for and found.
  ContactBefore before;
  /// Change of the velocity of B against A at the point, along the frame, by what turns on the way from the
  /// start of the step to the rows, m/s; zero where `before` is unknown.
  Vec3 turning = Vec3::Zero();
  /// Of a meeting: change of that velocity over the step by the forces that are foreseen, m/s, world axes;
  /// and the gap (m) that it leaves at the rows, negative where it comes before them.
  Vec3 gain = Vec3::Zero();
  double gapAtRows = 0.0;
  /// Impulse on B over the last step, N·s, world axes, where `recalled` is set: what springs of the tangents
  /// hold.
  Vec3 impulseBefore = Vec3::Zero();
  bool recalled = false;

  /// Whether the normal yields, by one law or another.
  bool soft() const { return softness.soft() || elastic.yields(); }

  /// Whether surfaces that were apart meet within the step.
  bool meets() const { return meeting >= 0.0; }

  /// Whether this is a polygon of a patch.
  bool ofPatch() const { return area > 0.0; }
  /// The gap that rows take with the margin (m) of the stabilization. A polygon has a pressure in place of a
  /// gap, and what persists the gap of the start of the step.
  double gapWith(double margin) const {
    if (ofPatch()) return gap;
    return (before.known ? before.gap : gap) + margin;
  }
  /// From the centre of mass of a body, which the rows have at `pose`, to the point, m, world axes.
  Vec3 armA(const Pose& pose) const { return point - offsetA - pose.position; }
  Vec3 armB(const Pose& pose) const { return point - offsetB - pose.position; }
  /// True in the clearance of a joint: shapeA is -1, and the force is part of the joint's load.
  bool ofJoint() const { return shapeA < 0; }
  /// Impulses (t, o, n) of the rows from those in the contact frame, and back.
  Vec3 toRows(const Vec3& inFrame) const {
    return {inFrame[0] / tangentScale[0], inFrame[1] / tangentScale[1], inFrame[2]};
  }
  Vec3 fromRows(const Vec3& ofRows) const {
    return {ofRows[0] * tangentScale[0], ofRows[1] * tangentScale[1], ofRows[2]};
  }
};

}  // namespace grashof
