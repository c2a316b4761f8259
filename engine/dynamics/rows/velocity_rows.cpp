#include "engine/dynamics/rows/velocity_rows.h"

#include "engine/dynamics/rows/row_blocks.h"
#include "engine/dynamics/rows/soft_law.h"

namespace grashof {
namespace {

constexpr double kFlat = 1e-6;  // sine of the angle between a disc's axis and the normal of the plane

/// Row of d · velocity of a point of the follower against the base's point that is there.
JointRow pointRow(const VelocityConstraint& c, const Vec3& point, const Vec3& d,
                  std::span<const Pose> poses) {
  JointRow row;
  row.follower << d, (point - poses[c.follower].position).cross(d);
  if (c.base >= 0) row.base << -d, -(point - poses[c.base].position).cross(d);
  return row;
}

void place(const VelocityConstraint& c, std::span<const Pose> poses, VelocityRow& row) {
  const Pose& follower = poses[c.follower];
  const Vec3 axis = follower.rotation * c.axis, center = follower * c.point;
  row.point = center;
  row.rows = 1;
  row.direction[0] = axis;
  if (c.kind == VelocityConstraintKind::KnifeEdge) return;
  const Vec3 normal = c.base >= 0 ? Vec3(poses[c.base].rotation * c.normal) : c.normal;
  const Vec3 up = normal - axis.dot(normal) * axis;
  row.rows = 0;
  if (up.norm() < kFlat) return;
  row.rows = 2;
  row.point = center - c.radius * up.normalized();
  const Mat3 frame = frameFromNormal(normal);
  const Vec3 along = axis.cross(normal);
  row.direction[0] = along.norm() > kFlat ? Vec3(along.normalized()) : Vec3(frame.col(0));
  row.direction[1] = normal.cross(row.direction[0]);
}

}  // namespace

PointForce pointForce(const VelocityRow& row, std::span<const double> impulse, double timestep) {
  PointForce load;
  load.point = row.point;
  if (row.row < 0 || impulse.empty()) return load;
  for (int r = 0; r < row.rows; ++r)
    load.force += impulse[row.row + r] / timestep * row.direction[static_cast<std::size_t>(r)];
  return load;
}

int velocityRowCount(const Model& model) {
  int count = 0;
  for (const VelocityConstraint& c : model.velocityConstraints)
    count += c.kind == VelocityConstraintKind::Rolling ? 2 : 1;
  return count;
}

VelocityBefore velocityBefore(const Model& model, const StepContext& step, std::span<const Vec6> twists) {
  if (step.trapezoidal) return {twists};
  const double rate = model.stabilization.decayRate;
  if (rate > 0.0) return {twists, 1.0 / (1.0 + rate * step.timestep)};
  return {};
}

void addVelocityRows(const Model& model, std::span<const Pose> poses, const VelocityBefore& before,
                     DualProblem& problem, std::span<VelocityRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const VelocityConstraint& c = model.velocityConstraints[i];
    VelocityRow& row = rows[i];
    place(c, poses, row);
    row.row = static_cast<int>(problem.bias.size());
    openBlock(c.base, c.follower, problem);
    for (int r = 0; r < row.rows; ++r) {
      const JointRow one = pointRow(c, row.point, row.direction[static_cast<std::size_t>(r)], poses);
      const double bias =
          before.twists.empty() ? 0.0 : -before.share * rowRate(c.base, c.follower, one, before.twists);
      addBlockRow(one, bias, 0.0, problem);
    }
    closeJointBlock(problem);
    claimRows({RowKind::Velocity, 0, static_cast<std::int32_t>(i)}, problem);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

}  // namespace grashof
