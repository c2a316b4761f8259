#include "engine/dynamics/bushing_rows.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "engine/dynamics/row_blocks.h"
#include "joints/parts.h"

namespace grashof {
namespace {

JointFrames bushingFrames(const Bushing& b, std::span<const Pose> poses) {
  static const Pose world;
  return jointFrames(b.baseFrame, b.followerFrame, b.base >= 0 ? poses[b.base] : world, poses[b.follower]);
}

/// q, and its rows unless `base` is null.
Vec6 deformationOf(const JointFrames& frames, Mat6* base, Mat6* follower) {
  std::array<double, 6> q{};
  std::array<JointRow, 6> rows;
  const std::span<JointRow> wanted = base ? std::span<JointRow>(rows) : std::span<JointRow>();
  parts::displacements(frames, 0, 3, q, wanted);
  parts::rotationVector(frames, std::span<double>(q).subspan(3), parts::rowsFrom(wanted, 3));
  for (int i = 0; i < 6 && base; ++i) {
    base->row(i) = rows[i].base.transpose();
    follower->row(i) = rows[i].follower.transpose();
  }
  return Eigen::Map<const Vec6>(q.data());
}

/// As freeChange() of force_rows.cpp: v⁻ less q̇ at the start of the step.
Vec6 freeChange(const Bushing& b, const StepContext& step, std::span<const Pose> poses,
                std::span<const Vec6> twists, const Vec6& rateBefore) {
  if (step.timeToRows() == 0.0) return Vec6::Zero();
  const auto back = [&](int body) {
    return body >= 0 ? movePose(poses[body], twists[body], -step.timeToRows()) : Pose();
  };
  Mat6 base, follower;
  deformationOf(jointFrames(b.baseFrame, b.followerFrame, back(b.base), back(b.follower)), &base, &follower);
  Vec6 rate = follower * twists[b.follower];
  if (b.base >= 0) rate += base * twists[b.base];
  return rateBefore - rate;
}

/// ½ K + ½ S K S with S = diag(√(2 share_i - 1)): symmetric as K is, with share_i K_ii on its diagonal.
template <typename Share>
Mat6 shareOf(const Mat6& matrix, Share share) {
  Vec6 s;
  for (int i = 0; i < 6; ++i) s[i] = std::sqrt(std::max(0.0, 2.0 * share(i) - 1.0));
  return 0.5 * matrix + 0.5 * (s.asDiagonal() * matrix * s.asDiagonal());
}

/// The law λ = -(slope v⁺ + offset) of spring and damper over the step.
struct CoupledLaw {
  Mat6 slope;
  Vec6 offset;
};

CoupledLaw bushingLaw(const Bushing& b, const StepContext& step, const Vec6& delassus, const Vec6& change,
                      BushingRow& row) {
  const double dt = step.timestep;
  const Vec6& v = row.rateBefore;
  // As in force_rows.cpp: directions without damping keep their energy.
  const Mat6 spring = shareOf(b.stiffness, [&](int i) {
    return b.damping(i, i) > 0.0 ? springShare(b.stiffness(i, i), delassus[i], step) : 0.5;
  });
  const Mat6 damper =
      shareOf(b.damping, [&](int i) { return damperShare(b.damping(i, i), delassus[i], step); });
  row.damperSlope = dt * damper;
  row.damperOffset = dt * ((b.damping - damper) * v + (2.0 * damper - b.damping) * change);
  row.numericalDamping = spring - 0.5 * b.stiffness;
  const SpringWeights w = springWeights(1.0, step);  // of the whole way q⁺ - q⁻
  if (step.timeToRows() > 0.0)
    return {dt * w.after * spring + row.damperSlope,
            dt * (b.stiffness * row.start - b.preload + w.before * (spring * v)) + row.damperOffset};
  row.numericalDamping.setZero();
  return {dt * w.after * b.stiffness + row.damperSlope,
          dt * (b.stiffness * row.start - b.preload) + row.damperOffset};
}

/// With slope = Tᵀ D T and D diagonal, the rows T q̇ have laws of their own: λ' = -(D v' + T⁻ᵀ offset), λ = Tᵀ
/// λ'.
void addBushingRows(const Bushing& bushing, const CoupledLaw& law, DualProblem& problem, BushingRow& row) {
  const Eigen::LDLT<Mat6> factor(law.slope);
  const Mat6 permutation = factor.transpositionsP() * Mat6::Identity();
  row.directions = Mat6(factor.matrixL()).transpose() * permutation;
  const Vec6 offset = factor.matrixL().solve(permutation * law.offset);
  const Mat6 base = row.directions * row.base, follower = row.directions * row.follower;
  const Vec6 rate = row.directions * row.rateBefore;
  openBlock(bushing.base, bushing.follower, problem);
  for (int i = 0; i < 6; ++i) {
    JointRow one;
    one.base = base.row(i).transpose();
    one.follower = follower.row(i).transpose();
    const LinearLaw own{std::max(0.0, factor.vectorD()[i]), offset[i]};
    row.split[i] = addSplitRow(own, bushing.base, bushing.follower, one, rate[i], problem);
  }
  closeJointBlock(problem);
}

Vec6 deformationRate(const Bushing& b, const BushingRow& row, std::span<const Vec6> twists) {
  Vec6 rate = row.follower * twists[b.follower];
  if (b.base >= 0) rate += row.base * twists[b.base];
  return rate;
}

}  // namespace

Vec6 bushingDeformation(const Bushing& bushing, std::span<const Pose> poses, Mat6* base, Mat6* follower) {
  return deformationOf(bushingFrames(bushing, poses), base, follower);
}

void observeBushings(const Model& model, std::span<const Pose> poses, std::span<BushingRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].start = bushingDeformation(model.bushings[i], poses);
}

void assembleBushingRows(const RowContext& context, std::span<const Pose> poses, DualProblem& problem,
                         std::span<BushingRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Bushing& bushing = context.model.bushings[i];
    BushingRow& row = rows[i];
    bushingDeformation(bushing, poses, &row.base, &row.follower);
    row.rateBefore = deformationRate(bushing, row, context.twistBefore);
    Vec6 delassus = Vec6::Zero();
    for (int k = 0; k < 6; ++k) {
      delassus[k] += problem.inertia[bushing.follower].delassus(row.follower.row(k).transpose());
      if (bushing.base >= 0)
        delassus[k] += problem.inertia[bushing.base].delassus(row.base.row(k).transpose());
    }
    const Vec6 change = freeChange(bushing, context.step, poses, context.twistBefore, row.rateBefore);
    addBushingRows(bushing, bushingLaw(bushing, context.step, delassus, change, row), problem, row);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

void completeBushings(const Model& model, const std::vector<double>& impulses, std::span<const Vec6> twists,
                      std::span<BushingRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    BushingRow& row = rows[i];
    row.rateAfter = deformationRate(model.bushings[i], row, twists);
    Vec6 own;
    for (int k = 0; k < 6; ++k) own[k] = row.split[k].total(impulses);
    row.impulse = row.directions.transpose() * own;
  }
}

Vec6 bushingForce(const Bushing& bushing, const BushingRow& row, double timestep,
                  std::span<const Pose> poses) {
  const JointFrames frames = bushingFrames(bushing, poses);
  const Vec6 wrench = row.follower.transpose() * row.impulse / timestep;
  const Vec3 force = wrench.head<3>(), arm = frames.followerPoint - frames.followerCenter;
  Vec6 seen;
  seen << frames.baseAxes.transpose() * force,
      frames.baseAxes.transpose() * (wrench.tail<3>() - arm.cross(force));
  return seen;
}

}  // namespace grashof
