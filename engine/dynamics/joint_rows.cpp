#include "engine/dynamics/joint_rows.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>

namespace grashof {
namespace {

constexpr std::size_t kParallelJoints = 1024;  // below this, threads cost more than they bring

JointFrames framesOf(const Joint& joint, std::span<const Pose> poses) {
  static const Pose world;
  return jointFrames(joint, joint.base >= 0 ? poses[joint.base] : world, poses[joint.follower]);
}

void evaluateCoordinates(const Model& model, std::size_t j, const JointFrames& frames,
                         std::span<const double> reference, JointGeometry& geometry) {
  const Joint& joint = model.joints[j];
  joint.type->coordinates(frames, joint.parameters, geometry.coordinate, geometry.coordinateRow);
  const int start = model.coordinateStart[j];
  for (int i = 0; i < joint.type->numDofs(); ++i)
    if (joint.type->isAngle(i))
      geometry.coordinate[i] = unwrapAngle(geometry.coordinate[i], reference[start + i]);
}

void evaluateJoint(const Model& model, std::size_t j, std::span<const Pose> poses,
                   std::span<const double> reference, JointGeometry& geometry) {
  const Joint& joint = model.joints[j];
  const JointFrames frames = framesOf(joint, poses);
  joint.type->constraint(frames, joint.parameters, geometry.residual, geometry.constraintRow);
  evaluateCoordinates(model, j, frames, reference, geometry);
}

/// Calls use(j) for all joints of the model, spread over threads when they are many.
template <typename Use>
void forEachJoint(std::size_t joints, const Use& use) {
  if (joints < kParallelJoints) {
    for (std::size_t j = 0; j < joints; ++j) use(j);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, joints, 256), [&](const auto& range) {
    for (std::size_t j = range.begin(); j < range.end(); ++j) use(j);
  });
}

bool driven(const JointCoordinate& axis) { return axis.actuator.kind == Actuator::Kind::Motion; }

/// Starts a block on the bodies of `joint`; rows are added by addJointRow.
void openJointBlock(const Joint& joint, DualProblem& problem) {
  JointBlock block;
  block.row = static_cast<int>(problem.bias.size());
  block.firstTerm = static_cast<int>(problem.jointTerms.size());
  if (joint.base >= 0) problem.jointTerms.push_back({joint.base, Mat6::Zero()});
  problem.jointTerms.push_back({joint.follower, Mat6::Zero()});
  block.terms = static_cast<int>(problem.jointTerms.size()) - block.firstTerm;
  problem.joints.push_back(block);
}

/// Adds a row to the open block and returns its index.
int addJointRow(const Joint& joint, const JointRow& row, double bias, double compliance,
                DualProblem& problem) {
  JointBlock& block = problem.joints.back();
  if (joint.base >= 0) problem.jointTerms[block.firstTerm].jacobian.row(block.rows) = row.base.transpose();
  problem.jointTerms[block.firstTerm + block.terms - 1].jacobian.row(block.rows) = row.follower.transpose();
  ++block.rows;
  problem.bias.push_back(bias);
  problem.compliance.push_back(compliance);
  return static_cast<int>(problem.bias.size()) - 1;
}

/// Index of the block just filled, or -1 when it got no row and was taken back.
int closeJointBlock(DualProblem& problem) {
  const JointBlock& block = problem.joints.back();
  if (block.rows > 0) return static_cast<int>(problem.joints.size()) - 1;
  problem.jointTerms.resize(block.firstTerm);
  problem.joints.pop_back();
  return -1;
}

double couplingResidual(const Coupling& c, double a, double b) { return a - c.value(b); }
double couplingResidual(const Coupling& c, std::span<const JointGeometry> geometry) {
  return couplingResidual(c, geometry[c.jointA].coordinate[c.coordinateA],
                          geometry[c.jointB].coordinate[c.coordinateB]);
}

void addTerm(int body, const Vec6& row, JointBlock& block, DualProblem& problem) {
  if (body < 0) return;
  for (int t = 0; t < block.terms; ++t) {
    JointTerm& term = problem.jointTerms[block.firstTerm + t];
    if (term.body != body) continue;
    term.jacobian.row(0) += row.transpose();
    return;
  }
  problem.jointTerms.push_back({body, Mat6::Zero()});
  problem.jointTerms.back().jacobian.row(0) = row.transpose();
  ++block.terms;
}

/// The coupling as a block of one row; bias is set by the caller.
void addCouplingBlock(const Model& model, const Coupling& c, std::span<const JointGeometry> geometry,
                      DualProblem& problem) {
  JointBlock block;
  block.row = static_cast<int>(problem.bias.size());
  block.rows = 1;
  block.firstTerm = static_cast<int>(problem.jointTerms.size());
  const Joint &a = model.joints[c.jointA], &b = model.joints[c.jointB];
  const JointRow& rowA = geometry[c.jointA].coordinateRow[c.coordinateA];
  const JointRow& rowB = geometry[c.jointB].coordinateRow[c.coordinateB];
  addTerm(a.base, rowA.base, block, problem);
  addTerm(a.follower, rowA.follower, block, problem);
  const double slope = c.slope(geometry[c.jointB].coordinate[c.coordinateB]);
  addTerm(b.base, -slope * rowB.base, block, problem);
  addTerm(b.follower, -slope * rowB.follower, block, problem);
  problem.joints.push_back(block);
  problem.bias.push_back(0.0);
  problem.compliance.push_back(0.0);
}

double blockVelocity(const DualProblem& problem, const JointBlock& block, int row,
                     std::span<const Vec6> twists) {
  double v = 0.0;
  for (int t = 0; t < block.terms; ++t) {
    const JointTerm& term = problem.jointTerms[block.firstTerm + t];
    v += term.jacobian.row(row).dot(twists[term.body]);
  }
  return v;
}

int addInterval(const Joint& joint, const JointRow& row, double sign, double bias, double compliance,
                double lower, double upper, DualProblem& problem) {
  IntervalRow interval;
  interval.row = static_cast<int>(problem.bias.size());
  interval.bodyA = joint.base;
  interval.bodyB = joint.follower;
  interval.jacobianA = sign * row.base;
  interval.jacobianB = sign * row.follower;
  interval.lower = lower;
  interval.upper = upper;
  problem.intervals.push_back(interval);
  problem.bias.push_back(bias);
  problem.compliance.push_back(compliance);
  return interval.row;
}

/// D_ii of a row.
double delassusOf(const DualProblem& problem, const Joint& joint, const JointRow& row) {
  double d = problem.inertia[joint.follower].delassus(row.follower);
  if (joint.base >= 0) d += problem.inertia[joint.base].delassus(row.base);
  return d;
}

/// Bias of a driven coordinate's row. With reflection the mean rate of the step is the motion's.
double drivenBias(const Model& model, const Signal& motion, double q, double rateBefore,
                  const StepContext& frame) {
  const double from = motion.value(frame.timeStart), to = motion.value(frame.timeStart + frame.timestep);
  const double meanRate = (to - from) / frame.timestep;
  if (frame.reflect) return rateBefore - 2.0 * meanRate;
  const double here = motion.value(frame.timeStart + frame.timestep - frame.ahead);
  return -meanRate + model.stabilization.alpha * (q - here) / frame.timestep;
}

}  // namespace

void evaluateJoints(const Model& model, std::span<const Pose> poses, std::span<const double> reference,
                    std::span<JointGeometry> geometry) {
  forEachJoint(model.joints.size(),
               [&](std::size_t j) { evaluateJoint(model, j, poses, reference, geometry[j]); });
}

std::vector<int> equalityRowStart(const Model& model) {
  std::vector<int> start = {0};
  for (const Joint& joint : model.joints) {
    const int constraints = joint.softness.soft() ? 0 : joint.type->numConstraints();
    start.push_back(
        start.back() + constraints +
        static_cast<int>(std::count_if(joint.coordinates.begin(), joint.coordinates.end(), driven)));
  }
  return start;
}

double equalityResiduals(const Model& model, std::span<const Pose> poses, std::span<const double> reference,
                         double time, std::span<const int> equalityRow, std::span<double> residual) {
  const auto evaluate = [&](std::size_t j) {
    const Joint& joint = model.joints[j];
    int row = equalityRow[j];
    if (row == equalityRow[j + 1]) return;
    const JointFrames frames = framesOf(joint, poses);
    if (!joint.softness.soft()) {
      joint.type->constraint(frames, joint.parameters, residual.subspan(row), {});
      row += joint.type->numConstraints();
    }
    if (row == equalityRow[j + 1]) return;
    JointGeometry geometry;
    evaluateCoordinates(model, j, frames, reference, geometry);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i)
      if (driven(joint.coordinates[i]))
        residual[row++] =
            geometry.coordinate[i] - model.signals[joint.coordinates[i].actuator.signal].value(time);
  };
  forEachJoint(model.joints.size(), evaluate);
  int row = equalityRow.back();
  for (const Coupling& c : model.couplings) {
    const auto coordinate = [&](int joint, int axis) {
      JointGeometry geometry;
      evaluateCoordinates(model, joint, framesOf(model.joints[joint], poses), reference, geometry);
      return geometry.coordinate[axis];
    };
    residual[row++] =
        couplingResidual(c, coordinate(c.jointA, c.coordinateA), coordinate(c.jointB, c.coordinateB));
  }
  double worst = 0.0;
  for (const double r : residual)  // a NaN is never smaller than what was found before
    if (!(std::abs(r) <= worst)) worst = std::abs(r);
  return worst;
}

double jointViolation(const Model& model, std::span<const JointGeometry> geometry, double time) {
  double worst = 0.0;
  // Written so that a NaN is never smaller than what was found before.
  const auto take = [&worst](double violation) {
    if (!(std::abs(violation) <= worst)) worst = std::abs(violation);
  };
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (int i = 0; i < joint.type->numConstraints() && !joint.softness.soft(); ++i)
      take(geometry[j].residual[i]);
    for (int i = 0; i < joint.type->numDofs(); ++i)
      if (joint.coordinates[i].actuator.kind == Actuator::Kind::Motion)
        take(geometry[j].coordinate[i] - model.signals[joint.coordinates[i].actuator.signal].value(time));
  }
  for (const Coupling& c : model.couplings) take(couplingResidual(c, geometry));
  return worst;
}

double coordinateRate(const Joint& joint, const JointRow& row, std::span<const Vec6> twists) {
  double v = row.follower.dot(twists[joint.follower]);
  if (joint.base >= 0) v += row.base.dot(twists[joint.base]);
  return v;
}

void assembleEqualityRows(const Model& model, std::span<const JointGeometry> geometry, double time,
                          EqualityTarget bias, DualProblem& problem) {
  problem.clearRows();
  const bool residual = bias == EqualityTarget::Position;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const JointGeometry& g = geometry[j];
    openJointBlock(joint, problem);
    for (int i = 0; i < joint.type->numConstraints() && !joint.softness.soft(); ++i)
      addJointRow(joint, g.constraintRow[i], residual ? g.residual[i] : 0.0, 0.0, problem);
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      const Actuator& actuator = joint.coordinates[i].actuator;
      if (actuator.kind != Actuator::Kind::Motion) continue;
      const Signal& motion = model.signals[actuator.signal];
      addJointRow(joint, g.coordinateRow[i],
                  residual ? g.coordinate[i] - motion.value(time) : -motion.rate(time), 0.0, problem);
    }
    closeJointBlock(problem);
  }
  for (const Coupling& c : model.couplings) {
    addCouplingBlock(model, c, geometry, problem);
    if (residual) problem.bias.back() = couplingResidual(c, geometry);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

void addArmatureRows(const Model& model, std::span<const JointGeometry> geometry, DualProblem& problem) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const auto carries = [](const JointCoordinate& axis) { return axis.passive.armature > 0.0; };
    if (std::none_of(joint.coordinates.begin(), joint.coordinates.end(), carries)) continue;
    openJointBlock(joint, problem);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i)
      if (carries(joint.coordinates[i]))
        addJointRow(joint, geometry[j].coordinateRow[i], 0.0, 1.0 / joint.coordinates[i].passive.armature,
                    problem);
    closeJointBlock(problem);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

void assembleJointRows(const Model& model, std::span<const JointGeometry> geometry, const StepContext& frame,
                       std::span<const Vec6> twistBefore, DualProblem& problem,
                       std::span<CoordinateRows> rows, std::span<int> blocks) {
  problem.clearRows();
  const double dt = frame.timestep;
  const double alpha = model.stabilization.alpha / dt;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const JointGeometry& g = geometry[j];
    openJointBlock(joint, problem);
    for (int i = 0; i < joint.type->numConstraints(); ++i) {
      const double rate = coordinateRate(joint, g.constraintRow[i], twistBefore);
      if (joint.softness.soft()) {
        const double d = delassusOf(problem, joint, g.constraintRow[i]);
        const SoftRow row = softRow(joint.softness, g.residual[i], rate, d, dt);
        addJointRow(joint, g.constraintRow[i], row.bias, row.compliance, problem);
        continue;
      }
      const double before = frame.reflect ? rate : 0.0;
      addJointRow(joint, g.constraintRow[i], before + alpha * g.residual[i], 0.0, problem);
    }
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      CoordinateRows& place = rows[model.coordinateStart[j] + i];
      place = {};
      const JointCoordinate& axis = joint.coordinates[i];
      const Actuator& actuator = axis.actuator;
      const double rate = coordinateRate(joint, g.coordinateRow[i], twistBefore);
      const double q = g.coordinate[i];
      LinearLaw soft;
      if (axis.passive.smooth())
        soft += place.passiveLaw = passiveLaw(
            axis.passive, q, rate,
            frame.freeRateChange.empty() ? 0.0 : frame.freeRateChange[model.coordinateStart[j] + i], dt,
            frame.springLead, frame.springLag);
      if (actuator.servo()) {
        const Signal& signal = model.signals[actuator.signal];
        const double end = frame.timeStart + dt;
        place.servoLaw = servoLaw(actuator, q, signal.value(end), signal.rate(end), dt, frame.ahead);
        if (!actuator.limited()) soft += place.servoLaw;
      }
      if (actuator.kind == Actuator::Kind::Motion)
        place.driven =
            addJointRow(joint, g.coordinateRow[i],
                        drivenBias(model, model.signals[actuator.signal], q, rate, frame), 0.0, problem);
      else if (soft.slope > 0.0)
        place.soft =
            addJointRow(joint, g.coordinateRow[i], soft.offset / soft.slope, 1.0 / soft.slope, problem);
    }
    blocks[j] = closeJointBlock(problem);
  }
  for (const Coupling& c : model.couplings) {
    addCouplingBlock(model, c, geometry, problem);
    const double before = frame.reflect ? blockVelocity(problem, problem.joints.back(), 0, twistBefore) : 0.0;
    problem.bias.back() = before + alpha * couplingResidual(c, geometry);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());

  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const JointGeometry& g = geometry[j];
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      const JointCoordinate& axis = joint.coordinates[i];
      const JointRow& row = g.coordinateRow[i];
      CoordinateRows& place = rows[model.coordinateStart[j] + i];
      if (axis.actuator.servo() && axis.actuator.limited() && place.servoLaw.slope > 0.0) {
        const double bound = axis.actuator.effortLimit * dt;
        place.servo = addInterval(joint, row, 1.0, place.servoLaw.offset / place.servoLaw.slope,
                                  1.0 / place.servoLaw.slope, -bound, bound, problem);
      }
      if (axis.passive.dryFriction > 0.0) {
        const double bound = axis.passive.dryFriction * dt;
        place.friction = addInterval(joint, row, 1.0, 0.0, 0.0, -bound, bound, problem);
      }
      if (!axis.limit.bounded()) continue;
      const double q = g.coordinate[i];
      const double reach =
          std::max(model.step.limitMargin, 4.0 * dt * std::abs(coordinateRate(joint, row, twistBefore)));
      const double rate = coordinateRate(joint, row, twistBefore);
      const auto addLimit = [&](double gap, double sign) {
        SoftRow limit{limitBias(gap, dt, model.stabilization.beta), 0.0};
        if (axis.limit.softness.soft() && gap < 0.0)
          limit = softRow(axis.limit.softness, gap, sign * rate, delassusOf(problem, joint, row), dt);
        return addInterval(joint, row, sign, limit.bias, limit.compliance, 0.0, infinity, problem);
      };
      if (q - axis.limit.lower <= reach) place.lower = addLimit(q - axis.limit.lower, 1.0);
      if (axis.limit.upper - q <= reach) place.upper = addLimit(axis.limit.upper - q, -1.0);
    }
  }
}

}  // namespace grashof
