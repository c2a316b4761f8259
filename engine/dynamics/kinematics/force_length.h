#pragma once
/// The length that a force element acts along, and the row of its rate (theory.md, "Force elements").

#include <array>
#include <span>
#include <vector>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Length of an element, and (of one between points) the line from A to B.
struct ForceLine {
  double length = 0.0;             ///< m, rad
  Vec3 direction = Vec3::UnitX();  ///< unit vector, world axes
};
/// At the given poses. `geometry`: of all joints there, for elements on joints.
ForceLine forceLine(const ForceElement& element, std::span<const Pose> poses,
                    std::span<const JointGeometry> geometry);

/// The signal from which the element's length counts, at `time` (s); 0: none. m, rad.
double commandedLength(const Model& model, const ForceElement& element, double time);

/// The mean force (N, N·m) that is commanded besides the element's law, positive pushes apart. `control`:
/// that of the inputs; NaN: the model's signal, or none.
double commandedForce(const Model& model, const ForceElement& element, double control, const TimeSpan& when);

/// How far a rigid element at `time` (s) is beyond its length, m, rad; negative: it has room. @pre law.rigid,
/// one-sided
double rigidExcess(const Model& model, const ForceElement& element, double time, std::span<const Pose> poses,
                   std::span<const JointGeometry> geometry);

/// Row of the rate of the element's length, one term for each body that moves it. `line`: that of the
/// element. Allocates nothing when `row` has room for maxRowTerms().
void forceRateRow(const Model& model, const ForceElement& element, const ForceLine& line,
                  std::span<const Pose> poses, std::span<const JointGeometry> geometry,
                  std::vector<RowTerm>& row);
/// The most terms that the row can have.
std::size_t maxRowTerms(const ForceElement& element);

/// A straight part of a cable, between places that are fixed in two bodies at the moment. No initial values:
/// see CableNode.
struct CableSpan {       // NOLINT(cppcoreguidelines-pro-type-member-init): on purpose
  int bodyA, bodyB;      ///< may be the world
  Vec3 pointA, pointB;   ///< world, m
  Vec3 direction;        ///< from A to B, unit vector; without a length any
  double length;         ///< m
  double share;          ///< by how much its length counts, see CableSupport
  std::size_t supportB;  ///< index of what it ends at
  double angleB;         ///< rad: arc there over the radius; of a helix more than its angle
};
/// The straight parts of a cable in their order.
struct CableSpans {
  std::array<CableSpan, kMaxCableSupports> span;
  std::size_t count = 0;
  double length = 0.0;  ///< of the whole cable with its arcs, each branch by its share, m

  std::span<const CableSpan> all() const { return std::span(span).first(count); }
};
/// Allocates nothing. @pre 2 <= path.size() <= kMaxCableSupports
CableSpans cableSpans(std::span<const CableSupport> path, std::span<const Pose> poses);

/// Adds the row of the rate of a straight part's length, between points that are fixed in its bodies.
void addSpanRow(const CableSpan& span, double factor, std::span<const Pose> poses, std::vector<RowTerm>& row);

}  // namespace grashof
