// The slopes of StepRows: joints and bodies in closed form, laws by differences of numbers.

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/dynamics/derivative/step_rows.h"
#include "engine/dynamics/kinematics/coupling_slopes.h"
#include "engine/dynamics/kinematics/joint_slopes.h"
#include "engine/dynamics/rows/coordinate_rows.h"
#include "engine/dynamics/rows/free_motion.h"

namespace grashof {
namespace {

/// Of D = row M⁻¹ rowᵀ: of the row at M⁻¹ rowᵀ twice, and of M⁻¹, which turns with its body.
PairGradient delassusGradient(const DualProblem& problem, const Joint& joint, const JointRow& row,
                              const Mat6& slope, const Vec3& reach) {
  const auto response = [&](int body, const Vec6& part) -> Vec6 {
    return body >= 0 ? Vec6(2.0 * problem.inertia[static_cast<std::size_t>(body)].solve(part))
                     : Vec6(Vec6::Zero());
  };
  const Vec6 base = response(joint.base, row.base), follower = response(joint.follower, row.follower);
  PairGradient g = rateGradient(row, slope, reach, base, follower);
  const auto turn = [](const Vec6& twist, const Vec6& part, Vec6& gradient) {
    const Vec3 w = twist.tail<3>(), m = part.tail<3>();
    gradient.tail<3>() += w.cross(m);
  };
  turn(base, row.base, g.base);
  turn(follower, row.follower, g.follower);
  return g;
}

/// Whether a law of a row of a joint depends on its coordinate or rate, or on D_ii.
bool hasLaws(const Joint& joint) {
  if (joint.softness.soft()) return true;
  for (const JointCoordinate& c : joint.coordinates)
    if (c.passive.smooth() || c.actuator.kind != Actuator::Kind::None || c.limit.bounded() ||
        (c.passive.frictional() && c.passive.staticRatio > 1.0))
      return true;
  return false;
}
bool readsDelassus(const Joint& joint) {
  return std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                     [](const JointCoordinate& c) { return c.passive.damping > 0.0; });
}

bool impedance(const Softness& s) { return s.kind == Softness::Kind::Impedance; }

}  // namespace

/// The laws of all rows before the contacts, from other inputs.
void StepRows::lawsAt(const RowContext& context, std::vector<double>& law) {
  assembleJointRows(context, lawWork_, lawRows_, blocks_);
  assembleIntervalRows(context, blocks_, lawWork_, lawRows_);
  if (lawWork_.bias.size() != laws_.size() || lawWork_.jointRows != jointRows_)
    throw CallError("a row of a limit or drive appears exactly at this state: the step has no derivative");
  law.resize(laws_.size());
  mode_.laws(lawWork_, law);
}

/// Slopes of the laws of all rows before the contacts.
void StepRows::takeLaws() {
  laws_.assign(static_cast<std::size_t>(mode_.rows()) - 3 * contacts_.chosen().size(), {});
  bool some = false, byDelassus = false;
  for (const Joint& joint : model_->joints) {
    some = some || hasLaws(joint);
    byDelassus = byDelassus || readsDelassus(joint);
  }
  lawWork_.inertia = problem_.inertia;
  if (!some) return;
  RowContext context{*model_, step_, geometry_, before_, controls_, poses_};
  const auto take = [&](double LawShift::*shift, double RowLaw::*slope) {
    for (const double sign : {1.0, -1.0}) {
      context.shift = {};
      context.shift.*shift = sign * kSlopeStep;
      lawsAt(context, sign > 0.0 ? lawMore_ : lawLess_);
    }
    for (std::size_t r = 0; r < laws_.size(); ++r)
      laws_[r].*slope = (lawMore_[r] - lawLess_[r]) / (2.0 * kSlopeStep);
  };
  take(&LawShift::residual, &RowLaw::residual);
  take(&LawShift::rate, &RowLaw::rate);
  if (byDelassus) take(&LawShift::delassus, &RowLaw::delassus);
  // The rate of a rotor counts once more, as the change of it by free motion, 2 (rate - rate at the start).
  if (rotors_)
    for (const auto& [row, slope] : rotorSlopes())
      if (row >= 0) laws_[static_cast<std::size_t>(row)].rate -= slope;
  for (const GapBranch& b : limitBranch_)
    if (mode_.between(b.row))
      laws_[static_cast<std::size_t>(b.row)] = {b.upper ? -b.slope : b.slope, 0.0, 0.0};
}

/// By the controls: each acts on the rows of its own coordinate alone, so that all are moved at once.
void StepRows::takeControls(std::span<const ActuatorId> actuators, const Inputs& inputs) {
  controlSlopes_.clear();
  if (actuators.empty()) return;
  const auto kindOf = [&](ActuatorId id) {
    return model_->joints[static_cast<std::size_t>(id.joint)]
        .coordinates[static_cast<std::size_t>(id.coordinate)]
        .actuator;
  };
  for (const double sign : {1.0, -1.0}) {
    movedInputs_.control = inputs.control;
    for (std::size_t a = 0; a < actuators.size(); ++a) {
      const Actuator& actuator = kindOf(actuators[a]);
      if (actuator.kind == Actuator::Kind::Motion) continue;
      double& control = movedInputs_.control[a];
      if (std::isnan(control))
        control = referenceOf(*model_, controls_, actuators[a].joint, actuators[a].coordinate)
                      .mean(actuator.kind == Actuator::Kind::Effort ? step_.span() : TimeSpan{step_.timeEnd});
      control += sign * kSlopeStep;
    }
    std::vector<Control>& controls = sign > 0.0 ? controlMore_ : controlLess_;
    controls.resize(controls_.size());
    resolveControls(*model_, actuators, movedInputs_, start_, controls);
    lawsAt({*model_, step_, geometry_, before_, controls, poses_}, sign > 0.0 ? lawMore_ : lawLess_);
  }
  const int rows = 6 * static_cast<int>(poses_.size());
  for (std::size_t a = 0; a < actuators.size(); ++a) {
    const Actuator& actuator = kindOf(actuators[a]);
    if (actuator.kind == Actuator::Kind::Motion) continue;
    const auto [j, i] = actuators[a];
    const Joint& joint = model_->joints[static_cast<std::size_t>(j)];
    const auto column = static_cast<int>(a);
    const CoordinateRows& own =
        rows_[static_cast<std::size_t>(model_->coordinateStart[static_cast<std::size_t>(j)]) +
              static_cast<std::size_t>(i)];
    for (const int row : {own.soft, own.drive[0], own.drive[1], own.drive[2]})
      if (row >= 0)
        controlSlopes_.emplace_back(
            rows + row, column,
            (lawMore_[static_cast<std::size_t>(row)] - lawLess_[static_cast<std::size_t>(row)]) /
                (2.0 * kSlopeStep));
    if (!knownEffort(*model_, actuator)) continue;
    const double impulse = step_.timestep *
                           (commandedEffort(*model_, controlMore_, j, i, step_.span()) -
                            commandedEffort(*model_, controlLess_, j, i, step_.span())) /
                           (2.0 * kSlopeStep);
    const JointRow& row = geometry_[static_cast<std::size_t>(j)].coordinateRow[static_cast<std::size_t>(i)];
    for (int k = 0; k < 6; ++k) {
      if (joint.base >= 0) controlSlopes_.emplace_back(6 * joint.base + k, column, -impulse * row.base[k]);
      controlSlopes_.emplace_back(6 * joint.follower + k, column, -impulse * row.follower[k]);
    }
  }
}

void StepRows::takeSlope() {
  const auto bodies = static_cast<Eigen::Index>(poses_.size());
  slope_.clear(6 * bodies + mode_.rows(), 12 * bodies);
  takeLaws();
  addBodySlopes();
  movedPoses_ = poses_;
  movedTwists_ = before_;
  for (std::size_t j = 0; j < model_->joints.size(); ++j) {
    addJointSlopes(j);
    addImpedanceSlopes(j);
  }
  addCouplingSlopes();
  addContactSlopes();
}

/// M (u⁺ - u⁻) - Δt h, which is M (u⁺ - u_f) without the efforts of drives.
void StepRows::addBodySlopes() {
  const Eigen::Index twists = 6 * static_cast<Eigen::Index>(poses_.size());
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const auto at = 6 * static_cast<Eigen::Index>(b);
    const InertiaBlock& inertia = problem_.inertia[b];
    slope_.add(at, at, 6, momentumSlope(inertia.inertia, after_[b] - before_[b]));
    Mat6 byTwist = Mat6::Zero();
    byTwist.diagonal().head<3>().setConstant(-inertia.mass);
    byTwist.bottomRightCorner<3, 3>() = -inertia.inertia;
    slope_.add(at, twists + at, 6, byTwist);
  }
  for (const ExternalWrench& external : model_->wrenches) {
    const double factor =
        step_.timestep * (external.signal >= 0
                              ? model_->signals[static_cast<std::size_t>(external.signal)].mean(step_.span())
                              : 1.0);
    const Quat& q = poses_[static_cast<std::size_t>(external.body)].rotation;
    const Vec3 arm = q * external.point;
    const Vec3 force = factor * (external.local ? Vec3(q * external.force) : external.force);
    Mat6 slope = Mat6::Zero();
    // A force that is held turns with nothing, and its arm with the body; a local one turns as a whole.
    if (external.local) {
      slope.topRightCorner<3, 3>() = skew(force);
      slope.bottomRightCorner<3, 3>() = skew(factor * (q * external.torque) + arm.cross(force));
    } else {
      slope.bottomRightCorner<3, 3>() = -skew(force) * skew(arm);
    }
    const auto at = 6 * static_cast<Eigen::Index>(external.body);
    slope_.add(at, at, 6, slope);
  }
}

/// A row `sign` J u⁺ + law of a joint, number `k` of its blocks. slopes_: of the joint.
void StepRows::setRow(const Joint& joint, const JointRow& row, const Mat6& slope, double sign,
                      const RowLaw& law, int k, RowBlocks& blocks) const {
  const auto moving = [&](int body) -> Vec6 {
    if (body < 0) return Vec6::Zero();
    const auto b = static_cast<std::size_t>(body);
    return sign * after_[b] + law.rate * before_[b];
  };
  PairGradient g = rateGradient(row, slope, slopes_.reach, moving(joint.base), moving(joint.follower));
  g.base += law.residual * row.base;
  g.follower += law.residual * row.follower;
  if (law.delassus != 0.0) {
    const PairGradient d = delassusGradient(problem_, joint, row, slope, slopes_.reach);
    double size = problem_.inertia[static_cast<std::size_t>(joint.follower)].delassus(row.follower);
    if (joint.base >= 0) size += problem_.inertia[static_cast<std::size_t>(joint.base)].delassus(row.base);
    g.base += law.delassus / size * d.base;
    g.follower += law.delassus / size * d.follower;
  }
  blocks.basePose.row(k) = g.base.transpose();
  blocks.followerPose.row(k) = g.follower.transpose();
  blocks.baseTwist.row(k) = law.rate * row.base.transpose();
  blocks.followerTwist.row(k) = law.rate * row.follower.transpose();
}

/// Adds the first `count` rows of blocks to slope_, from `row` of the problem on.
void StepRows::place(const Joint& joint, int row, int count, const RowBlocks& blocks) {
  const Eigen::Index twists = 6 * static_cast<Eigen::Index>(poses_.size()), at = twists + row;
  if (joint.base >= 0) {
    slope_.add(at, 6 * joint.base, count, blocks.basePose);
    slope_.add(at, twists + 6 * joint.base, count, blocks.baseTwist);
  }
  slope_.add(at, 6 * joint.follower, count, blocks.followerPose);
  slope_.add(at, twists + 6 * joint.follower, count, blocks.followerTwist);
}

/// -Jᵀ λ of all rows of a joint and of its known efforts, and its rows J u⁺ + law.
void StepRows::addJointSlopes(std::size_t j) {
  const Joint& joint = model_->joints[j];
  const JointGeometry& geometry = geometry_[j];
  evaluateSlopes(joint, joints_.placement(j).frames(), slopes_);
  Vec6 wrench = Vec6::Zero();
  Mat6 curve = Mat6::Zero();
  const auto carry = [&](double impulse, const JointRow& row, const Mat6& slope) {
    wrench += impulse * row.follower;
    curve += impulse * slope;
  };
  const RigidLaw bias = rigidLaw(model_->stabilization, step_);
  const RowLaw rigid{bias.residual, bias.rate, 0.0};
  const std::size_t start = static_cast<std::size_t>(model_->coordinateStart[j]);
  if (const int block = blocks_[j]; block >= 0) {
    const int first = problem_.joints[static_cast<std::size_t>(block)].row;
    RowBlocks blocks;
    int k = 0;
    for (; k < joint.type->numConstraints(); ++k) {
      const auto i = static_cast<std::size_t>(k), r = static_cast<std::size_t>(first) + i;
      carry(impulse_[r], geometry.constraintRow[i], slopes_.constraint[i]);
      setRow(joint, geometry.constraintRow[i], slopes_.constraint[i], 1.0,
             impedance(joint.softness) ? RowLaw{} : (joint.softness.soft() ? laws_[r] : rigid), k, blocks);
    }
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const CoordinateRows& own = rows_[start + i];
      const int row = own.driven >= 0 ? own.driven : own.soft;
      if (row < 0) continue;
      const auto r = static_cast<std::size_t>(row);
      carry(impulse_[r], geometry.coordinateRow[i], slopes_.coordinate[i]);
      setRow(joint, geometry.coordinateRow[i], slopes_.coordinate[i], 1.0, laws_[r], k++, blocks);
    }
    place(joint, first, k, blocks);
  }
  for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
    const CoordinateRows& own = rows_[start + i];
    const JointRow& row = geometry.coordinateRow[i];
    const auto addInterval = [&](int index, double sign, bool byLaw) {
      if (index < 0) return;
      const auto r = static_cast<std::size_t>(index);
      carry(sign * impulse_[r], row, slopes_.coordinate[i]);
      RowBlocks blocks;
      setRow(joint, row, slopes_.coordinate[i], mode_.between(index) ? sign : 0.0,
             byLaw ? laws_[r] : RowLaw{}, 0, blocks);
      place(joint, index, 1, blocks);
    };
    for (const int index : own.drive) addInterval(index, 1.0, true);
    addInterval(own.friction, 1.0, true);
    const bool limitByLaw = !impedance(joint.coordinates[i].limit.softness);
    addInterval(own.lower, 1.0, limitByLaw);
    addInterval(own.upper, -1.0, limitByLaw);
    if (knownEffort(*model_, joint.coordinates[i].actuator))
      carry(step_.timestep *
                commandedEffort(*model_, controls_, static_cast<int>(j), static_cast<int>(i), step_.span()),
            row, slopes_.coordinate[i]);
  }
  addPairSlope(joint, -1.0, wrenchSlope(wrench, curve, slopes_.reach), slope_);
}

/// The rows of a joint whose laws are impedances: those of its constraints, and of limits that hold.
void StepRows::findImpedances(std::size_t j) {
  const Joint& joint = model_->joints[j];
  impedances_.clear();
  if (impedance(joint.softness)) {
    const int first = problem_.joints[static_cast<std::size_t>(blocks_[j])].row;
    for (int i = 0; i < joint.type->numConstraints(); ++i) impedances_.push_back({first + i, i, -1, false});
  }
  for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
    if (!impedance(joint.coordinates[i].limit.softness)) continue;
    const CoordinateRows& own = rows_[static_cast<std::size_t>(model_->coordinateStart[j]) + i];
    for (const int row : {own.lower, own.upper})
      if (row >= 0 && mode_.between(row))
        impedances_.push_back({row, -1, static_cast<int>(i), row == own.upper});
  }
}

/// The laws of the rows impedances_, at movedPoses_ and movedTwists_.
void StepRows::impedanceLaws(std::size_t j, VecX& law) {
  const Joint& joint = model_->joints[j];
  const JointFrames frames = framesAt(joint, movedPoses_);
  JointGeometry geometry;
  joint.type->constraint(frames, joint.parameters, geometry.residual, geometry.constraintRow);
  joints_.coordinates(j, frames, coordinates_, geometry.coordinate, geometry.coordinateRow);
  const RowContext context{*model_, step_, geometry_, movedTwists_, controls_, movedPoses_};
  std::array<SoftRow, 6> constraints;
  if (impedance(joint.softness)) softConstraints(context, joint, geometry, lawWork_, constraints);
  law.resize(std::ssize(impedances_));
  for (std::size_t k = 0; k < impedances_.size(); ++k) {
    const ImpedanceRow& own = impedances_[k];
    const SoftRow soft = own.constraint >= 0
                             ? constraints[static_cast<std::size_t>(own.constraint)]
                             : limitRow(context, joint, own.coordinate, own.upper, geometry, lawWork_);
    law[static_cast<Eigen::Index>(k)] =
        soft.bias + soft.compliance * impulse_[static_cast<std::size_t>(own.row)];
  }
}

/// An impedance depends on poses and twists of both bodies in ways of its own, through the inverse inertia
/// and the change of the rate in free motion: slopes by differences.
void StepRows::addImpedanceSlopes(std::size_t j) {
  findImpedances(j);
  if (impedances_.empty()) return;
  const Joint& joint = model_->joints[j];
  const Eigen::Index twists = 6 * static_cast<Eigen::Index>(poses_.size());
  const auto takeColumns = [&](Eigen::Index column, const auto& move) {
    Eigen::Matrix<double, Eigen::Dynamic, 6> slope(std::ssize(impedances_), 6);
    for (int k = 0; k < 6; ++k) {
      for (const double sign : {1.0, -1.0}) {
        move(sign * kSlopeStep * Vec6::Unit(k));
        impedanceLaws(j, sign > 0.0 ? pairMore_ : pairLess_);
      }
      slope.col(k) = (pairMore_ - pairLess_) / (2.0 * kSlopeStep);
    }
    for (std::size_t k = 0; k < impedances_.size(); ++k) {
      Mat6 block = Mat6::Zero();
      block.row(0) = slope.row(static_cast<Eigen::Index>(k));
      slope_.add(twists + impedances_[k].row, column, 1, block);
    }
  };
  for (const int b : {joint.base, joint.follower}) {
    if (b < 0) continue;
    const auto body = static_cast<std::size_t>(b);
    takeColumns(6 * b, [&](const Vec6& step) {
      movedPoses_[body] = movePose(poses_[body], step, 1.0);
      lawWork_.inertia[body] = inertiaOf(model_->bodies[body], movedPoses_[body]);
    });
    movedPoses_[body] = poses_[body];
    lawWork_.inertia[body] = problem_.inertia[body];
    takeColumns(twists + 6 * b, [&](const Vec6& step) { movedTwists_[body] = before_[body] + step; });
    movedTwists_[body] = before_[body];
  }
}

void StepRows::addCouplingSlopes() {
  if (model_->couplings.empty()) return;
  const Eigen::Index rows = 6 * static_cast<Eigen::Index>(poses_.size());
  const RigidLaw law = rigidLaw(model_->stabilization, step_);
  std::vector<Vec6> twists = after_;
  for (std::size_t b = 0; b < twists.size(); ++b) twists[b] += law.rate * before_[b];
  for (int row = 0; row < jointRows_; ++row) {
    const RowOwner& owner = problem_.owner[static_cast<std::size_t>(row)];
    if (owner.kind != RowKind::Coupling) continue;
    const Coupling& c = model_->couplings[static_cast<std::size_t>(owner.item)];
    addCouplingWrenchSlope(joints_, geometry_, c, -impulse_[static_cast<std::size_t>(row)], slope_);
    addCouplingRateSlope(joints_, geometry_, c, twists, law.residual, rows + row, slope_);
    addCouplingRow(joints_, geometry_, c, law.rate, rows + row, rows, slope_);
  }
}

}  // namespace grashof
