#include "engine/dynamics/rows/load_friction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

/// Adds the loads of a coupling's friction; `row`: of the coupling.
void addCouplingLoads(const Coupling& c, int row, DualProblem& problem) {
  if (c.friction.thread > 0.0) {
    // The flanks carry λ/cos α.
    const double share = c.friction.thread * std::hypot(1.0, c.ratio / c.friction.threadRadius);
    for (const double sign : {1.0, -1.0}) addSignedLoad(row, sign, share, share, problem);
    return;
  }
  // b drives a where λ ratio and the rate of b have one sign; friction acts against that rate.
  const double size = std::abs(c.ratio), forward = size * c.friction.forward,
               backward = size * c.friction.backward;
  const double sign = c.ratio >= 0.0 ? 1.0 : -1.0;
  addSignedLoad(row, sign, forward, backward, problem);
  addSignedLoad(row, -sign, backward, forward, problem);
}

}  // namespace

FrictionWeights frictionWeights(const Coupling& c) {
  if (!(c.friction.thread > 0.0)) return {};
  // The flanks slide along the helix: sin α of the translation and r cos α of the angle.
  const double r = c.friction.threadRadius, slant = std::hypot(r, c.ratio);
  return {c.ratio / slant, r * r / slant};
}

void assembleCouplingFriction(const RowContext& context, DualProblem& problem) {
  for (int r = 0; r < problem.jointRows; ++r) {
    const RowOwner owner = problem.owner[static_cast<std::size_t>(r)];
    if (owner.kind != RowKind::Coupling) continue;
    const Coupling& c = context.model.couplings[static_cast<std::size_t>(owner.item)];
    if (!c.friction.any()) continue;
    const Joint& joint = context.model.joints[c.jointB];
    const FrictionWeights weights = frictionWeights(c);
    const JointRow& b = context.geometry[c.jointB].coordinateRow[c.coordinateB];
    JointRow sliding{weights.b * b.base, weights.b * b.follower};
    if (weights.a != 0.0) {  // a screw: both are coordinates of one joint
      const JointRow& a = context.geometry[c.jointA].coordinateRow[c.coordinateA];
      sliding.base += weights.a * a.base;
      sliding.follower += weights.a * a.follower;
    }
    addIntervalRow(joint, sliding, 1.0, 0.0, 0.0, 0.0, 0.0, problem);
    claimRows({RowKind::CouplingFriction, 0, owner.item}, problem);
    addCouplingLoads(c, r, problem);
  }
}

void addBearingLoads(const RowContext& context, std::span<const int> blocks, std::size_t j, std::size_t i,
                     double share, DualProblem& problem) {
  const Joint& joint = context.model.joints[j];
  const JointGeometry& geometry = context.geometry[j];
  const BearingFriction& bearing = joint.coordinates[i].passive.bearing;
  const bool angle = isRotation(joint.type->freeDirections()[i]);
  const Vec6& rate = geometry.coordinateRow[i].follower;
  const Vec3 axis = (angle ? rate.tail<3>() : rate.head<3>()).normalized();
  const double radius = share * bearing.coefficient * (angle ? bearing.radius : 1.0);

  BoundLoad near, far, thrust;
  near.row = problem.joints[blocks[j]].row;
  near.rows = joint.type->numConstraints();
  far = thrust = near;
  near.lowerShare = near.upperShare = far.lowerShare = far.upperShare = radius;
  thrust.lowerShare = thrust.upperShare = share * bearing.coefficient * bearing.thrustRadius;
  const Vec3 arm = context.poses[joint.follower].rotation * joint.followerFrame.position;
  for (int r = 0; r < near.rows; ++r) {
    const Vec6& wrench = geometry.constraintRow[r].follower;
    const Vec3 force = wrench.head<3>(), moment = wrench.tail<3>() - arm.cross(force);
    const Vec3 across = force - axis.dot(force) * axis;
    // Bearings at ± length/2 along the axis carry half of the force, and of the moment ± (m × axis)/length.
    const Vec3 couple = bearing.length > 0.0 ? Vec3(moment.cross(axis) / bearing.length) : Vec3::Zero();
    near.map.col(r) = bearing.length > 0.0 ? Vec3(0.5 * across + couple) : across;
    far.map.col(r) = 0.5 * across - couple;
    thrust.map(0, r) = axis.dot(force);
  }
  if (radius > 0.0) addBoundLoad(near, problem);
  if (radius > 0.0 && bearing.length > 0.0) addBoundLoad(far, problem);
  if (angle && bearing.thrustRadius > 0.0) addBoundLoad(thrust, problem);
}

void addGearLoads(const Motor& motor, const CoordinateRows& rows, const GearInput& input,
                  DualProblem& problem) {
  const double forward = 1.0 - motor.efficiency, backward = 1.0 / motor.backEfficiency - 1.0;
  BoundLoad load;
  load.rows = 0;
  load.offset = input.known;
  // The ramps follow each other.
  for (const int row : rows.drive) {
    if (row < 0) continue;
    if (load.rows == 0) load.row = row;
    load.row = std::min(load.row, row);
    load.map(0, load.rows++) = 1.0;
  }
  if (const double rotor = motor.reflectedInertia(); rotor > 0.0 && rows.soft >= 0) {
    // The row of all laws knows the rate: v⁺ = -bias - R λ.
    const auto soft = static_cast<std::size_t>(rows.soft);
    const double share = rotor * problem.compliance[soft];
    load.offset += rotor * (problem.bias[soft] + input.rotorRate);
    if (load.rows > 0) {
      load.also = rows.soft;
      load.alsoShare = share;
    } else {
      load.row = rows.soft;
      load.map(0, load.rows++) = share;
    }
  }
  if (load.rows == 0) {
    IntervalRow& interval = problem.intervals.back();
    interval.lower -= std::max(forward * input.known, -backward * input.known);
    interval.upper += std::max(backward * input.known, -forward * input.known);
    return;
  }
  load.positivePart = true;
  load.lowerShare = forward;
  load.upperShare = backward;
  addBoundLoad(load, problem);
  load.map = -load.map;
  load.alsoShare = -load.alsoShare;
  load.offset = -load.offset;
  std::swap(load.lowerShare, load.upperShare);
  addBoundLoad(load, problem);
}

}  // namespace grashof
