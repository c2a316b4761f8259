#include "engine/dynamics/load_friction.h"

namespace grashof {

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
  IntervalRow& row = problem.intervals.back();
  row.firstLoad = static_cast<int>(problem.boundLoads.size());
  const auto add = [&](const BoundLoad& load) {
    if (load.upperShare > 0.0) problem.boundLoads.push_back(load);
  };
  add(near);
  if (bearing.length > 0.0) add(far);
  if (angle) add(thrust);
  row.loads = static_cast<int>(problem.boundLoads.size()) - row.firstLoad;
}

}  // namespace grashof
