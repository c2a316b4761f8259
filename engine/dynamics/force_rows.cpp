#include "engine/dynamics/force_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/dynamics/geometric_stiffness.h"
#include "engine/dynamics/row_blocks.h"

namespace grashof {
namespace {

constexpr double kCoincident = 1e-12;  // m: no line between the points; the last direction is kept
constexpr double kTurnedRound =
    0.5;  // cosine of a line that half a step has turned: the points have passed each other
constexpr double kSidewaysNumber =
    1.0;  // (ω Δt)² of the sideways swing from which it is taken implicitly; 4 blows up
constexpr int kRootIterations = 40;  // bisections
constexpr double kStepsToTaut =
    4.0;  // steps ahead at the present rate within which a slack element gets a row

Vec3 pointAt(int body, const Vec3& point, std::span<const Pose> poses) {
  return body >= 0 ? poses[body] * point : point;
}

/// Row of n · (ṗ_B - ṗ_A).
JointRow pointRow(const ForceElement& e, const Vec3& n, std::span<const Pose> poses) {
  JointRow row;
  const Vec3 armB = poses[e.bodyB].rotation * e.pointB;
  row.follower << n, armB.cross(n);
  if (e.bodyA < 0) return row;
  const Vec3 armA = poses[e.bodyA].rotation * e.pointA;
  row.base << -n, -armA.cross(n);
  return row;
}

/// A root of f between a and b by bisection; a if f does not change its sign.
template <typename F>
double rootBetween(F f, double a, double b) {
  const double start = f(a);
  const bool positive = start > 0.0;
  if (a == b || start == 0.0 || (f(b) > 0.0) == positive) return a;
  for (int i = 0; i < kRootIterations; ++i) {
    const double middle = 0.5 * (a + b);
    ((f(middle) > 0.0) == positive ? a : b) = middle;
  }
  return b;  // beyond the root: in the part of a table that the element reaches
}

/// Largest stiffness that the law shows between two lengths, by its tangents at both and the chord.
double stiffestBetween(const ForceLaw& law, double a, double b) {
  double k = std::max({0.0, law.springStiffness(a), law.springStiffness(b)});
  if (a != b) k = std::max(k, -(law.springForce(b) - law.springForce(a)) / (b - a));
  return k;
}

/// What else acts on the bodies changes the rate along the row by so much in a step (m/s, rad/s): as in the
/// step before. At first as if the element were in balance with it.
double otherChange(const ForceLaw& law, const StepContext& step, const ForceRow& last, double delassus) {
  if (last.delassus == 0.0) return -delassus * step.timestep * law.springForce(last.lengthStart);
  return last.rateAfter - last.rateBefore - last.delassus * last.impulse;
}

/// The length x_s at which the law acts, if the rest acts as `others`: the root of
/// x_s - x⁻ - before v⁻ - after (v⁻ + D Δt F(x_s) + others).
double predictedLength(const ForceLaw& law, const StepContext& step, const ForceRow& row, double others,
                       const SpringWeights& w) {
  const double x = row.lengthStart, gain = w.after * row.delassus * step.timestep;
  const double free = x + (w.before + w.after) * row.rateBefore + w.after * others;
  return rootBetween([&](double y) { return y - free - gain * law.springForce(y); }, x,
                     free + gain * law.springForce(x));
}

/// The potential part over the step, λ = Δt (F(x_r) - k (x_s - x_r)), a straight line around the length x_r
/// that is predicted for x_s. At rest x_r = x⁻, so that equilibria are exact.
LinearLaw springPart(const ForceLaw& law, const StepContext& step, double others, ForceRow& row) {
  const double dt = step.timestep, x = row.lengthStart, v = row.rateBefore;
  // A straight spring alone keeps its energy at any step. Where a law has a kink, or a damper acts besides,
  // and the step does not resolve them, only a spring at the end of the step is sure to give back no more
  // than arrived.
  const bool alone =
      law.linear() && law.side == ForceSide::Both && law.damping == 0.0 && law.overSpeed.empty();
  const double share = alone ? 0.5 : springShare(stiffestBetween(law, x, x + dt * v), row.delassus, step);
  const SpringWeights w = springWeights(share, step);
  const double reference = law.linear() ? x : predictedLength(law, step, row, others, w);
  const double k = std::max(0.0, law.springStiffness(reference));
  if (step.timeToRows() > 0.0) row.numericalDamping = k * (share - 0.5);
  return {dt * k * w.after, -dt * (law.springForce(reference) - k * (x + w.before * v - reference))};
}

/// How much the free motion of the half step before the rows has changed the rate, because the line turns: δ
/// = v⁻ - ẋ at the start, m/s. On a joint it is left out.
double freeChange(const ForceElement& element, const StepContext& step, std::span<const Pose> poses,
                  std::span<const Vec6> twists, double rateBefore) {
  if (element.onJoint() || step.timeToRows() == 0.0) return 0.0;
  Vec3 line = Vec3::Zero(), speed = Vec3::Zero();
  const auto add = [&](int body, const Vec3& point, double sign) {
    if (body < 0) {
      line += sign * point;
      return;
    }
    const Pose start = movePose(poses[body], twists[body], -step.timeToRows());
    const Vec3 arm = start.rotation * point;
    line += sign * (start.position + arm);
    speed += sign * (twists[body].head<3>() + twists[body].tail<3>().cross(arm));
  };
  add(element.bodyB, element.pointB, 1.0);
  add(element.bodyA, element.pointA, -1.0);
  const double length = line.norm();
  return length > kCoincident ? rateBefore - line.dot(speed) / length : 0.0;
}

/// Damper and speed table over the step, the table linear around the speed that it alone would leave. They
/// act at v_s = θ (v⁺ + δ) + (1 - θ)(v⁻ - δ), δ = `change` (see freeChange()), for the rates at both ends of
/// the step.
LinearLaw damperPart(const ForceLaw& law, const StepContext& step, double change, const ForceRow& row) {
  const double dt = step.timestep, v = row.rateBefore, d = row.delassus;
  LinearLaw sum;
  const auto add = [&](double damping, double share, double force, double speed) {
    sum.slope += dt * damping * share;
    sum.offset -= dt * (force - damping * ((1.0 - share) * v + (2.0 * share - 1.0) * change - speed));
  };
  if (law.damping > 0.0) add(law.damping, damperShare(law.damping, d, step), 0.0, 0.0);
  if (law.overSpeed.empty()) return sum;
  const double force = law.overSpeed.force(v), taken = dt * d * force;
  const double chord = taken == 0.0 ? 0.0 : -(law.overSpeed.force(v + taken) - force) / taken;
  const double share = damperShare(std::max({0.0, chord, -law.overSpeed.slope(v)}), d, step);
  const double free = v + (2.0 * share - 1.0) * change;
  const auto miss = [&](double speed) { return speed - free - share * dt * d * law.overSpeed.force(speed); };
  const double reference = rootBetween(miss, free, free + share * dt * d * law.overSpeed.force(free));
  add(std::max(0.0, -law.overSpeed.slope(reference)), share, law.overSpeed.force(reference), reference);
  return sum;
}

/// Length, line, Jacobian and rate at the configuration of the rows.
void evaluateForce(const RowContext& context, const ForceElement& element, std::span<const Pose> poses,
                   const DualProblem& problem, ForceRow& row) {
  ForceLine line = forceLine(element, poses, context.geometry);
  if (!element.onJoint() && line.length < kCoincident) line.direction = row.lineStart;
  row.length = line.length;
  row.line = line.direction;
  row.rate = forceRateRow(element, line, poses, context.geometry);
  row.rateBefore = rowRate(element.bodyA, element.bodyB, row.rate, context.twistBefore);
  row.delassus = delassusOf(problem, element.bodyA, element.bodyB, row.rate);
  if (!element.onJoint() && row.line.dot(row.lineStart) < kTurnedRound)
    row.lengthStart = row.length - context.step.timeToRows() * row.rateBefore;
}

/// A tension T along the line is a stiffness T/length across it. Explicit, it needs (ω Δt)² < 4; before that
/// limit it becomes two rows of their own.
void addAcrossRows(const RowContext& context, const ForceElement& element, std::span<const Pose> poses,
                   double force, DualProblem& problem, ForceRow& row) {
  row.acrossCount = 0;
  if (element.onJoint() || force >= 0.0 || row.length < kCoincident) return;
  const StepContext& step = context.step;
  const double dt = step.timestep, stiffness = -force / row.length;
  const Mat3 frame = frameFromNormal(row.line);
  double delassus = 0.0;
  for (int i = 0; i < 2; ++i) {
    row.across[i] = pointRow(element, frame.col(i), poses);
    delassus = std::max(delassus, delassusOf(problem, element.bodyA, element.bodyB, row.across[i]));
  }
  if (stiffness * delassus * dt * dt < kSidewaysNumber) return;
  row.acrossCount = 2;
  // The average-acceleration rule resists changes of the sideways velocity only: a line that turns steadily
  // is not braked.
  const double slope = kGeometricInertia * dt * dt * stiffness;
  for (int i = 0; i < 2; ++i) {
    const double v = row.acrossBefore[i] =
        rowRate(element.bodyA, element.bodyB, row.across[i], context.twistBefore);
    row.acrossSplit[i] =
        addSplitRow({slope, -slope * v}, element.bodyA, element.bodyB, row.across[i], v, problem);
  }
}

double commandOf(const Model& model, const ForceElement& element, double control, double time) {
  if (!std::isnan(control)) return control;
  return element.signal >= 0 ? model.signals[element.signal].value(time) : 0.0;
}

}  // namespace

ForceLine forceLine(const ForceElement& element, std::span<const Pose> poses,
                    std::span<const JointGeometry> geometry) {
  if (element.onJoint()) return {geometry[element.joint].coordinate[element.coordinate], Vec3::UnitX()};
  const Vec3 d =
      pointAt(element.bodyB, element.pointB, poses) - pointAt(element.bodyA, element.pointA, poses);
  const double length = d.norm();
  return {length, length > kCoincident ? Vec3(d / length) : Vec3(Vec3::UnitX())};
}

JointRow forceRateRow(const ForceElement& element, const ForceLine& line, std::span<const Pose> poses,
                      std::span<const JointGeometry> geometry) {
  if (element.onJoint()) return geometry[element.joint].coordinateRow[element.coordinate];
  return pointRow(element, line.direction, poses);
}

void observeForces(const Model& model, std::span<const Pose> poses, std::span<const JointGeometry> geometry,
                   std::span<ForceRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ForceLine line = forceLine(model.forces[i], poses, geometry);
    rows[i].lengthStart = line.length;
    if (line.length > kCoincident) rows[i].lineStart = line.direction;
  }
}

void assembleForceRows(const RowContext& context, std::span<const Pose> poses,
                       std::span<const double> commands, DualProblem& problem, std::span<ForceRow> rows) {
  const StepContext& step = context.step;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ForceElement& element = context.model.forces[i];
    ForceRow& row = rows[i];
    row.interval = -1;
    row.split = {};
    row.numericalDamping = 0.0;
    const ForceRow last = row;
    evaluateForce(context, element, poses, problem, row);
    const double others = otherChange(element.law, step, last, row.delassus);
    row.command = commandOf(context.model, element, commands[i], step.middle());
    const double change = freeChange(element, step, poses, context.twistBefore, row.rateBefore);
    row.damper = damperPart(element.law, step, change, row);
    row.law = springPart(element.law, step, others, row);
    row.law += row.damper;
    row.law.offset -= step.timestep * row.command;
    double force = element.law.springForce(row.lengthStart) + row.command;
    openBlock(element.bodyA, element.bodyB, problem);
    if (element.law.side == ForceSide::Both)
      row.split = addSplitRow(row.law, element.bodyA, element.bodyB, row.rate, row.rateBefore, problem);
    else if (element.law.side == ForceSide::Compression)
      force = 0.0;
    addAcrossRows(context, element, poses, force, problem, row);
    closeJointBlock(problem);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

void assembleForceIntervals(const RowContext& context, DualProblem& problem, std::span<ForceRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ForceElement& element = context.model.forces[i];
    if (element.law.side == ForceSide::Both) continue;
    ForceRow& row = rows[i];
    const double sign = element.law.side == ForceSide::Tension ? -1.0 : 1.0;
    const double slack = sign * (row.lengthStart - element.law.slackLength());
    const double reach = kStepsToTaut * context.step.timestep * std::abs(row.rateBefore);
    if (slack > std::max(context.model.step.limitMargin, reach)) continue;
    // λ = sign λ' with λ' >= 0 and sign v⁺ + sign offset/slope + λ'/slope >= 0.
    row.interval =
        addIntervalRow(element.bodyA, element.bodyB, row.rate, sign, sign * row.law.offset / row.law.slope,
                       1.0 / row.law.slope, 0.0, std::numeric_limits<double>::infinity(), problem);
  }
}

void completeForces(const Model& model, const std::vector<double>& impulses, std::span<const Vec6> twists,
                    std::span<ForceRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ForceElement& element = model.forces[i];
    ForceRow& row = rows[i];
    row.rateAfter = rowRate(element.bodyA, element.bodyB, row.rate, twists);
    row.impulse = row.split.total(impulses);
    if (element.law.side == ForceSide::Both) continue;
    const double sign = element.law.side == ForceSide::Tension ? -1.0 : 1.0;
    row.impulse = row.interval >= 0 ? sign * impulses[row.interval] : 0.0;
  }
}

}  // namespace grashof
