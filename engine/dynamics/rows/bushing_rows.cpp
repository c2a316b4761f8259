#include "engine/dynamics/rows/bushing_rows.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "engine/base/rotation_vector.h"
#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

JointFrames bushingFrames(const Bushing& b, std::span<const Pose> poses) {
  static const Pose world;
  return jointFrames(b.baseFrame, b.followerFrame, b.base >= 0 ? poses[b.base] : world, poses[b.follower]);
}

Vec6 deformationOf(const JointFrames& f) {
  Vec6 q;
  q << f.baseAxes.transpose() * (f.followerPoint - f.basePoint),
      logRotation(Quat(Mat3(f.baseAxes.transpose() * f.followerAxes)));
  return q;
}

/// The rows of q̇ as in parts::displacements() and parts::rotationVector(). `base`, `follower`: their blocks
/// of the rotations' lower left are zero and stay so.
void deformationRows(const JointFrames& f, const Vec6& q, Mat6& base, Mat6& follower) {
  const Mat3 axes = f.baseAxes.transpose();
  const Mat3 turn = leftJacobianInverse(q.tail<3>()) * axes;
  base.topLeftCorner<3, 3>() = -axes;
  base.topRightCorner<3, 3>().noalias() = axes * skew(f.followerPoint - f.baseCenter);
  base.bottomRightCorner<3, 3>() = -turn;
  follower.topLeftCorner<3, 3>() = axes;
  follower.topRightCorner<3, 3>().noalias() = axes * skew(f.followerCenter - f.followerPoint);
  follower.bottomRightCorner<3, 3>() = turn;
}

/// q̇ of what deformationRows() gives rows of, at less cost than theirs.
Vec6 deformationRate(const Bushing& b, const JointFrames& f, const Vec6& q, std::span<const Vec6> twists) {
  const Vec6& u = twists[b.follower];
  Vec3 spin = u.tail<3>();
  Vec3 speed = u.head<3>() + spin.cross(f.followerPoint - f.followerCenter);
  if (b.base >= 0) {
    const Vec6& w = twists[b.base];
    speed -= w.head<3>() + Vec3(w.tail<3>()).cross(f.followerPoint - f.baseCenter);
    spin -= w.tail<3>();
  }
  Vec6 rate;
  rate << f.baseAxes.transpose() * speed, leftJacobianInverse(q.tail<3>()) * (f.baseAxes.transpose() * spin);
  return rate;
}

bool diagonal(const Mat6& symmetric) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j)
      if (symmetric(i, j) != 0.0) return false;
  return true;
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

CoupledLaw bushingLaw(const Bushing& b, const StepContext& step, const Vec6& delassus, BushingRow& row) {
  const double dt = step.timestep;
  const Vec6& v = row.rateBefore;
  // What the free motion to the rows has changed the rate by, as freeChange() of force_rows.cpp.
  const Vec6 change = step.timeToRows() > 0.0 ? Vec6(v - row.startRate) : Vec6(Vec6::Zero());
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

/// Each direction has its own row unless the law couples them. With slope = Tᵀ D T and D diagonal, the rows T
/// q̇ have laws of their own: λ' = -(D v' + T⁻ᵀ offset), λ = Tᵀ λ'.
void addBushingRows(const Bushing& bushing, std::int32_t number, const CoupledLaw& law, DualProblem& problem,
                    BushingRow& row) {
  openBlock(bushing.base, bushing.follower, problem);
  const auto add = [&](const Mat6& base, const Mat6& follower, const Vec6& slope, const Vec6& offset,
                       const Vec6& rate) {
    for (int i = 0; i < 6; ++i) {
      JointRow one;
      one.base = base.row(i).transpose();
      one.follower = follower.row(i).transpose();
      const LinearLaw own{std::max(0.0, slope[i]), offset[i]};
      row.split[i] = addSplitRow(own, bushing.base, bushing.follower, one, rate[i], problem);
      claimRows({RowKind::Bushing, static_cast<std::int16_t>(i), number}, problem);
    }
  };
  row.coupled = !diagonal(law.slope);
  if (row.coupled) {
    const Eigen::LDLT<Mat6> factor(law.slope);
    const Mat6 permutation = factor.transpositionsP() * Mat6::Identity();
    row.directions = Mat6(factor.matrixL()).transpose() * permutation;
    add(row.directions * row.base, row.directions * row.follower, factor.vectorD(),
        factor.matrixL().solve(permutation * law.offset), row.directions * row.rateBefore);
  } else {
    add(row.base, row.follower, law.slope.diagonal(), law.offset, row.rateBefore);
  }
  closeJointBlock(problem);
}

Vec6 rateAlongRows(const Bushing& b, const BushingRow& row, std::span<const Vec6> twists) {
  Vec6 rate = row.follower * twists[b.follower];
  if (b.base >= 0) rate += row.base * twists[b.base];
  return rate;
}

}  // namespace

Vec6 bushingDeformation(const Bushing& bushing, std::span<const Pose> poses, Mat6* base, Mat6* follower) {
  const JointFrames frames = bushingFrames(bushing, poses);
  Vec6 q = deformationOf(frames);
  if (base && follower) {
    base->setZero();
    follower->setZero();
    deformationRows(frames, q, *base, *follower);
  }
  return q;
}

void observeBushings(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                     std::span<BushingRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JointFrames frames = bushingFrames(model.bushings[i], poses);
    rows[i].start = deformationOf(frames);
    rows[i].startRate = deformationRate(model.bushings[i], frames, rows[i].start, twists);
  }
}

void assembleBushingRows(const RowContext& context, std::span<const Pose> poses, DualProblem& problem,
                         std::span<BushingRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Bushing& bushing = context.model.bushings[i];
    BushingRow& row = rows[i];
    bushingDeformation(bushing, poses, &row.base, &row.follower);
    row.rateBefore = rateAlongRows(bushing, row, context.twistBefore);
    Vec6 delassus = Vec6::Zero();
    for (int k = 0; k < 6; ++k) {
      delassus[k] += problem.inertia[bushing.follower].delassus(row.follower.row(k).transpose());
      if (bushing.base >= 0)
        delassus[k] += problem.inertia[bushing.base].delassus(row.base.row(k).transpose());
    }
    addBushingRows(bushing, static_cast<std::int32_t>(i), bushingLaw(bushing, context.step, delassus, row),
                   problem, row);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

void completeBushings(const Model& model, const std::vector<double>& impulses, std::span<const Vec6> twists,
                      std::span<BushingRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    BushingRow& row = rows[i];
    row.rateAfter = rateAlongRows(model.bushings[i], row, twists);
    Vec6 own;
    for (int k = 0; k < 6; ++k) own[k] = row.split[k].total(impulses);
    row.impulse = row.coupled ? Vec6(row.directions.transpose() * own) : own;
  }
}

int jumpedBushing(const Model& model, std::span<const Pose> before, std::span<const Pose> after) {
  constexpr double kJump = 0.5 * std::numbers::pi;  // rad in one step, far above what a sound step turns
  for (std::size_t i = 0; i < model.bushings.size(); ++i) {
    const Vec3 start = bushingDeformation(model.bushings[i], before).tail<3>();
    if (start.norm() < kJump) continue;  // far from half a turn, where a jump is by nearly a whole one
    const Vec3 end = bushingDeformation(model.bushings[i], after).tail<3>();
    if ((end - start).norm() > kJump) return static_cast<int>(i);
  }
  return -1;
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
