#include "engine/dynamics/kinematics/coupling_slopes.h"

#include "engine/dynamics/kinematics/joint_slopes.h"

namespace grashof {
namespace {

constexpr double kProfileStep = 2e-6;  // m, rad: of central differences of a profile's slope

/// Calls use(joint, coordinate, weight) for each coordinate of a coupling.
template <typename Use>
void forEachTerm(const Coupling& c, std::span<const JointGeometry> geometry, Use use) {
  use(c.jointA, c.coordinateA, 1.0);
  use(c.jointB, c.coordinateB,
      -c.slope(
          geometry[static_cast<std::size_t>(c.jointB)].coordinate[static_cast<std::size_t>(c.coordinateB)]));
  for (const CoordinateTerm& t : c.more) use(t.joint, t.coordinate, -t.coefficient);
}

/// -g'' at the coordinate b.
double bendOf(const Coupling& c, std::span<const JointGeometry> geometry) {
  if (c.kind != CouplingKind::Cam) return 0.0;
  const double b =
      geometry[static_cast<std::size_t>(c.jointB)].coordinate[static_cast<std::size_t>(c.coordinateB)];
  return (c.slope(b - kProfileStep) - c.slope(b + kProfileStep)) / (2.0 * kProfileStep);
}

/// Slope of the row of one coordinate, and ρ.
std::pair<Mat6, Vec3> coordinateSlope(const JointEvaluator& joints, std::size_t j, std::size_t coordinate) {
  const JointFrames frames = joints.placement(j).frames();
  std::array<Mat6, 6> slopes;
  joints.model().joints[j].type->coordinateSlopes(frames, slopes);
  return {slopes[coordinate], frames.followerCenter - frames.baseCenter};
}

Mat6 inFirstRow(const Vec6& row) {
  Mat6 block = Mat6::Zero();
  block.row(0) = row.transpose();
  return block;
}

}  // namespace

void addCouplingWrenchSlope(const JointEvaluator& joints, std::span<const JointGeometry> geometry,
                            const Coupling& coupling, double impulse, BlockMap& map) {
  forEachTerm(coupling, geometry, [&](int joint, int coordinate, double weight) {
    const auto j = static_cast<std::size_t>(joint), i = static_cast<std::size_t>(coordinate);
    const auto [slope, reach] = coordinateSlope(joints, j, i);
    const double share = weight * impulse;
    addPairSlope(joints.model().joints[j], 1.0,
                 wrenchSlope(share * geometry[j].coordinateRow[i].follower, share * slope, reach), map);
  });
  const double bend = impulse * bendOf(coupling, geometry);
  if (bend == 0.0) return;
  const auto j = static_cast<std::size_t>(coupling.jointB);
  const JointRow& row = geometry[j].coordinateRow[static_cast<std::size_t>(coupling.coordinateB)];
  addPairSlope(joints.model().joints[j], bend,
               {row.base * row.base.transpose(), row.base * row.follower.transpose(),
                row.follower * row.base.transpose(), row.follower * row.follower.transpose()},
               map);
}

void addCouplingRateSlope(const JointEvaluator& joints, std::span<const JointGeometry> geometry,
                          const Coupling& coupling, std::span<const Vec6> twists, double residualShare,
                          Eigen::Index row, BlockMap& map) {
  const auto add = [&](int body, const Vec6& gradient) {
    if (body >= 0) map.add(row, 6 * body, 1, inFirstRow(gradient));
  };
  const auto twistOf = [&](int body) {
    return body >= 0 ? twists[static_cast<std::size_t>(body)] : Vec6(Vec6::Zero());
  };
  forEachTerm(coupling, geometry, [&](int index, int coordinate, double weight) {
    const auto j = static_cast<std::size_t>(index), i = static_cast<std::size_t>(coordinate);
    const Joint& joint = joints.model().joints[j];
    const JointRow& own = geometry[j].coordinateRow[i];
    const auto [slope, reach] = coordinateSlope(joints, j, i);
    const PairGradient g = rateGradient(own, slope, reach, twistOf(joint.base), twistOf(joint.follower));
    add(joint.base, weight * (g.base + residualShare * own.base));
    add(joint.follower, weight * (g.follower + residualShare * own.follower));
  });
  const double bend = bendOf(coupling, geometry);
  if (bend == 0.0) return;
  const auto j = static_cast<std::size_t>(coupling.jointB);
  const Joint& joint = joints.model().joints[j];
  const JointRow& own = geometry[j].coordinateRow[static_cast<std::size_t>(coupling.coordinateB)];
  const double rate = bend * coordinateRate(joint, own, twists);
  add(joint.base, rate * own.base);
  add(joint.follower, rate * own.follower);
}

void addCouplingRow(const JointEvaluator& joints, std::span<const JointGeometry> geometry,
                    const Coupling& coupling, double factor, Eigen::Index row, Eigen::Index column,
                    BlockMap& map) {
  forEachTerm(coupling, geometry, [&](int index, int coordinate, double weight) {
    const auto j = static_cast<std::size_t>(index), i = static_cast<std::size_t>(coordinate);
    const Joint& joint = joints.model().joints[j];
    const JointRow& own = geometry[j].coordinateRow[i];
    if (joint.base >= 0) map.add(row, column + 6 * joint.base, 1, inFirstRow(factor * weight * own.base));
    map.add(row, column + 6 * joint.follower, 1, inFirstRow(factor * weight * own.follower));
  });
}

}  // namespace grashof
