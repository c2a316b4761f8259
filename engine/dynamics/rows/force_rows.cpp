#include "engine/dynamics/rows/force_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/dynamics/rows/free_rate_change.h"
#include "engine/dynamics/rows/gap_bias.h"
#include "engine/dynamics/rows/geometric_stiffness.h"
#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

constexpr double kCoincident = 1e-12;  // m: no line between the points; the last direction is kept
constexpr double kTurnedRound =
    0.5;  // cosine of a line that half a step has turned: the points have passed each other
constexpr double kSidewaysNumber =
    1.0;  // (ω Δt)² of the sideways swing from which it is taken implicitly; 4 blows up
constexpr double kMostGrip = 30.0;   // cap on μ φ: the tension ratio e³⁰ = 1e13 is a knot
constexpr double kUnmoved = 1e-12;   // of the inverse mass: a row that no body moves along
constexpr int kRootIterations = 40;  // bisections
constexpr double kStepsToTaut =
    4.0;  // steps ahead at the present rate within which a slack element gets a row

RowOwner ownerOf(RowKind kind, std::size_t element) { return {kind, 0, static_cast<std::int32_t>(element)}; }

/// Row of n · (ṗ_B - ṗ_A) of the ends of a line on two bodies.
JointRow pointRow(const CableSpan& line, const Vec3& n, std::span<const Pose> poses) {
  JointRow row;
  const Vec3 armB = line.pointB - poses[line.bodyB].position;
  row.follower << n, armB.cross(n);
  if (line.bodyA < 0) return row;
  const Vec3 armA = line.pointA - poses[line.bodyA].position;
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

/// An element's row in the step before.
struct LastForce {
  double delassus = 0.0, rateBefore = 0.0, rateAfter = 0.0, impulse = 0.0;
};

/// Rate change along the row in one step by everything else (m/s, rad/s): as in the step before, at first as
/// if the element were in balance with it.
double otherChange(const ForceLaw& law, const StepContext& step, const LastForce& last, const ForceRow& row) {
  if (last.delassus == 0.0) return -row.delassus * step.timestep * law.springForce(row.lengthStart);
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
                  std::span<const Vec6> twists, const ForceRow& row) {
  if (element.onJoint() || step.timeToRows() == 0.0) return 0.0;
  if (element.onSum()) return row.rateBefore - row.rateStart;
  Vec3 line = Vec3::Zero(), speed = Vec3::Zero();
  const auto add = [&](int body, const Vec3& point, double sign) {
    if (body < 0) {
      line += sign * point;
      return;
    }
    const Pose start = movePose(poses[body], twists[body], -step.timeToRows());
    const Vec3 arm = start.rotation * point;
    line += sign * (start.position + arm);
    speed += sign * pointVelocity(twists[body], arm);
  };
  add(element.bodyB, element.pointB, 1.0);
  add(element.bodyA, element.pointA, -1.0);
  const double length = line.norm();
  return length > kCoincident ? row.rateBefore - line.dot(speed) / length : 0.0;
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
  const bool ofPoints = !element.onJoint() && !element.onSum();
  if (ofPoints && line.length < kCoincident) line.direction = row.lineStart;
  row.line = line.direction;
  forceRateRow(context.model, element, line, poses, context.geometry, row.rate);
  row.rateBefore = rowRate(row.rate, context.twistBefore) - row.feed;
  row.delassus = delassusOf(problem, row.rate);
  if (ofPoints && row.line.dot(row.lineStart) < kTurnedRound)
    row.lengthStart = line.length - context.step.timeToRows() * row.rateBefore;
}

/// A tension T along a line is a stiffness T/length across it. Explicit, it needs (ω Δt)² < 4; before that
/// limit it becomes two rows of their own, in the open block or in one of theirs.
void addAcrossRows(const RowContext& context, const CableSpan& line, std::span<const Pose> poses,
                   double force, bool inOpenBlock, DualProblem& problem, ForceRow& row) {
  if (force >= 0.0 || line.length < kCoincident || line.bodyA == line.bodyB) return;
  const StepContext& step = context.step;
  const double dt = step.timestep, stiffness = -force / line.length;
  const Mat3 frame = frameFromNormal(line.direction);
  AcrossRows rows;
  rows.base = line.bodyA;
  rows.follower = line.bodyB;
  double delassus = 0.0;
  for (int i = 0; i < 2; ++i) {
    rows.row[i] = pointRow(line, frame.col(i), poses);
    delassus = std::max(delassus, delassusOf(problem, line.bodyA, line.bodyB, rows.row[i]));
  }
  if (stiffness * delassus * dt * dt < kSidewaysNumber) return;
  if (!inOpenBlock) openBlock(line.bodyA, line.bodyB, problem);
  // The average-acceleration rule resists changes of the sideways velocity only: a line that turns steadily
  // is not braked.
  const double slope = kGeometricInertia * dt * dt * stiffness;
  for (int i = 0; i < 2; ++i) {
    const double v = rows.rateBefore[i] = rowRate(line.bodyA, line.bodyB, rows.row[i], context.twistBefore);
    rows.split[i] = addSplitRow({slope, -slope * v}, line.bodyA, line.bodyB, rows.row[i], v, problem);
  }
  if (!inOpenBlock) closeJointBlock(problem);
  row.across.push_back(rows);
}

/// The line of an element between points as a span.
CableSpan lineOf(const ForceElement& e, const ForceRow& row, std::span<const Pose> poses) {
  CableSpan line;
  line.bodyA = e.bodyA;
  line.bodyB = e.bodyB;
  line.pointA = e.bodyA >= 0 ? poses[e.bodyA] * e.pointA : e.pointA;
  line.pointB = poses[e.bodyB] * e.pointB;
  line.direction = row.line;
  line.length = (line.pointB - line.pointA).norm();
  return line;
}

/// The straight parts of a cable, with a body as B.
void addCableAcrossRows(const RowContext& context, std::size_t number, std::span<const Pose> poses,
                        double force, DualProblem& problem, ForceRow& row) {
  const ForceElement& element = context.model.forces[number];
  if (element.path.empty() || force >= 0.0) return;
  const CableSpans spans = cableSpans(element.path, poses);
  RowOwner owner = ownerOf(RowKind::Across, number);
  for (CableSpan line : spans.all()) {
    if (line.bodyB < 0) {
      std::swap(line.bodyA, line.bodyB);
      std::swap(line.pointA, line.pointB);
      line.direction = -line.direction;
    }
    addAcrossRows(context, line, poses, line.share * force, false, problem, row);
    claimRows(owner, problem);
    owner.part += 2;
  }
}

/// False where no velocity changes the length of an element, as of a bead's cable.
bool moves(const ForceRow& row, const DualProblem& problem) {
  double lightest = 0.0;
  for (const RowTerm& term : row.rate) lightest = std::max(lightest, problem.inertia[term.body].inverseMass);
  return row.delassus > kUnmoved * lightest;
}

/// Rewrites a law from stretch rates to row rates.
LinearLaw unfed(LinearLaw law, double feed) {
  law.offset -= law.slope * feed;
  return law;
}

/// freeChange() of a row that yields by an impedance, which speaks of the whole acceleration. By Euler's rule
/// the free motion all comes after the rows: half of its change counts, as of Moreau's. Only terms along
/// coordinates have one there, as in [MuJoCo].
double impedanceChange(const RowContext& context, const ForceElement& element, double change,
                       const DualProblem& problem) {
  if (context.step.timeToRows() > 0.0 || element.law.softness.kind != Softness::Kind::Impedance)
    return change;
  double rate = 0.0;
  for (const CoordinateTerm& t : element.terms)
    rate += t.coefficient *
            FreeRateChange(context, context.model.joints[t.joint], context.geometry[t.joint], problem)
                .ofCoordinate(t.coordinate);
  return 0.5 * context.step.timestep * rate;
}

/// The row of a soft element that is kept both ways, v⁺ + bias + R λ = 0, in the open block. Rates are those
/// at the ends of the step, as of a rigid one.
void addKeptRow(const RowContext& context, const ForceElement& element, double change, DualProblem& problem,
                ForceRow& row) {
  if (!moves(row, problem)) return;
  const StepContext& step = context.step;
  change = impedanceChange(context, element, change, problem);
  const double startRate = row.rateBefore - change;
  const double residual = row.lengthStart - element.law.length + step.timeToRows() * startRate;
  const SoftRow soft = softRow(element.law.softness, residual, startRate, row.delassus, step.timestep);
  row.split.row = addBlockRow(row.rate, soft.bias + change - row.feed, soft.compliance, problem);
}

/// The interval row of a rigid element, v⁺ >= what the gap allows. Rates are those at the ends of the step: a
/// cable that only turns neither gains nor loses by its row.
void addRigidRow(const RowContext& context, const ForceElement& element, double sign, double change,
                 DualProblem& problem, ForceRow& row) {
  const StepContext& step = context.step;
  if (!moves(row, problem)) return;
  const double startRate = row.rateBefore - change;
  const double gap = sign * (row.lengthStart - element.law.length + step.timeToRows() * startRate);
  const double reach = kStepsToTaut * step.timestep * std::abs(startRate);
  if (gap > std::max(context.model.step.limitMargin, reach)) return;
  SoftRow soft{gapBias(gap, context.model.stabilization.beta, step.timestep) + sign * change, 0.0};
  if (element.law.softness.soft()) {
    if (gap >= 0.0) return;  // as of a limit
    change = impedanceChange(context, element, change, problem);
    soft = softRow(element.law.softness, gap, sign * (row.rateBefore - change), row.delassus, step.timestep);
    soft.bias += sign * change;
  }
  row.interval = addIntervalRow(row.rate, sign, soft.bias - sign * row.feed, soft.compliance, 0.0,
                                std::numeric_limits<double>::infinity(), problem);
}

/// Friction on the pulleys of a cable, from the last one on, after the row of its tension. A row of impulse f
/// adds to the tension before its pulley, so that the tension T behind it is that of the cable's row plus the
/// rows before; |ln((T + f)/T)| <= μ φ. Slip: cable that leaves the part before it, seen from the pulley.
void addRoughRows(const ForceElement& element, std::span<const Pose> poses, DualProblem& problem,
                  ForceRow& row) {
  row.roughRows = 0;
  if (row.interval < 0 || element.path.empty()) return;
  const auto rough = [](const CableSupport& s) { return s.friction > 0.0; };
  if (std::none_of(element.path.begin(), element.path.end(), rough)) return;
  const CableSpans spans = cableSpans(element.path, poses);
  for (std::size_t last = spans.count - 1; last-- > 0;) {
    const CableSpan& before = spans.span[last];
    const double friction = element.path[before.supportB].friction;
    if (!(friction > 0.0)) continue;
    row.sliding.clear();
    for (std::size_t s = 0; s <= last; ++s) addSpanRow(spans.span[s], -1.0, poses, row.sliding);
    if (row.sliding.empty()) continue;
    BoundLoad load;
    load.row = row.interval;
    load.rows = 1 + row.roughRows;
    load.map.row(0).head(load.rows).setOnes();
    load.positivePart = true;
    const double exponent = std::min(friction * before.angleB, kMostGrip);
    load.upperShare = std::expm1(exponent);
    load.lowerShare = -std::expm1(-exponent);
    const double commanded = std::max(0.0, -row.split.applied);
    addIntervalRow(row.sliding, 1.0, 0.0, 0.0, -load.lowerShare * commanded, load.upperShare * commanded,
                   problem);
    addBoundLoad(load, problem);
    ++row.roughRows;
  }
}

}  // namespace

void ForceRow::reset() {
  ForceRow empty;
  empty.sliding.swap(sliding);
  empty.sliding.clear();
  empty.rate.swap(rate);
  empty.across.swap(across);
  empty.rate.clear();
  empty.across.clear();
  *this = std::move(empty);
}

std::vector<ForceRow> makeForceRows(const Model& model) {
  std::vector<ForceRow> rows(model.forces.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].rate.reserve(maxRowTerms(model.forces[i]));
    rows[i].sliding.reserve(maxRowTerms(model.forces[i]));
    rows[i].across.reserve(std::max<std::size_t>(1, model.forces[i].path.size()));
  }
  return rows;
}

void observeForces(const Model& model, const StepContext& step, std::span<const Pose> poses,
                   std::span<const Vec6> twists, std::span<const JointGeometry> geometry,
                   std::span<ForceRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ForceElement& element = model.forces[i];
    ForceRow& row = rows[i];
    const ForceLine line = forceLine(element, poses, geometry);
    row.lengthStart = line.length;
    if (line.length > kCoincident) row.lineStart = line.direction;
    if (!element.onSum()) continue;
    const double from = commandedLength(model, element, step.timeStart);
    row.lengthStart -= from;
    row.feed = (commandedLength(model, element, step.timeStart + step.timestep) - from) / step.timestep;
    forceRateRow(model, element, line, poses, geometry, row.rate);
    row.rateStart = rowRate(row.rate, twists) - row.feed;
  }
}

void assembleForceRows(const RowContext& context, std::span<const Pose> poses,
                       std::span<const double> commands, DualProblem& problem, std::span<ForceRow> rows) {
  const StepContext& step = context.step;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ForceElement& element = context.model.forces[i];
    const ForceLaw& law = element.law;
    ForceRow& row = rows[i];
    row.interval = -1;
    row.roughRows = 0;
    row.split = {};
    row.across.clear();
    row.numericalDamping = 0.0;
    const LastForce last{row.delassus, row.rateBefore, row.rateAfter, row.impulse};
    evaluateForce(context, element, poses, problem, row);
    row.command = commandedForce(context.model, element, commands[i], step.span());
    double force = last.impulse / step.timestep;
    if (!law.rigid) {
      const double others = otherChange(law, step, last, row);
      const double change = freeChange(element, step, poses, context.twistBefore, row);
      // Of one side, it acts once the spring does.
      row.damper = {};
      if (law.side == ForceSide::Both || law.beyond(row.lengthStart) > 0.0)
        row.damper = damperPart(law, step, change, row);
      row.law = springPart(law, step, others, row);
      row.law += row.damper;
      const double spring = law.springForce(row.lengthStart);
      force = (law.side == ForceSide::Tension ? std::min(spring, 0.0) : spring) + row.command;
    }
    openBlock(row.rate, problem);
    if (law.rigid && law.side == ForceSide::Both) {
      addKeptRow(context, element, freeChange(element, step, poses, context.twistBefore, row), problem, row);
    } else if (law.side == ForceSide::Both) {
      row.law.offset -= step.timestep * row.command;
      row.split = addSplitRow(unfed(row.law, row.feed), row.rate, row.rateBefore + row.feed, problem);
    } else {
      if (row.command != 0.0) {
        row.split.applied = step.timestep * row.command;
        applyImpulse(row.split.applied, row.rate, problem);
      }
      if (law.side == ForceSide::Compression) force = 0.0;
    }
    claimRows(ownerOf(RowKind::Force, i), problem);
    if (!element.onJoint() && !element.onSum())
      addAcrossRows(context, lineOf(element, row, poses), poses, force, true, problem, row);
    closeJointBlock(problem);
    claimRows(ownerOf(RowKind::Across, i), problem);
    addCableAcrossRows(context, i, poses, force, problem, row);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

void assembleForceIntervals(const RowContext& context, std::span<const Pose> poses, DualProblem& problem,
                            std::span<ForceRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ForceElement& element = context.model.forces[i];
    ForceRow& row = rows[i];
    if (element.law.side == ForceSide::Both || row.rate.empty()) continue;
    const double sign = element.law.sign();
    if (element.law.rigid) {
      const double change = freeChange(element, context.step, poses, context.twistBefore, row);
      addRigidRow(context, element, sign, change, problem, row);
      claimRows(ownerOf(RowKind::Taut, i), problem);
      addRoughRows(element, poses, problem, row);
      claimRows(ownerOf(RowKind::Pulley, i), problem);
      continue;
    }
    const double reach = kStepsToTaut * context.step.timestep * std::abs(row.rateBefore);
    if (-element.law.beyond(row.lengthStart) > std::max(context.model.step.limitMargin, reach)) continue;
    // λ = sign λ' with λ' >= 0 and sign v⁺ + sign offset/slope + λ'/slope >= 0.
    const LinearLaw law = unfed(row.law, row.feed);
    row.interval = addIntervalRow(row.rate, sign, sign * law.offset / law.slope, 1.0 / law.slope, 0.0,
                                  std::numeric_limits<double>::infinity(), problem);
    claimRows(ownerOf(RowKind::Taut, i), problem);
    addRoughRows(element, poses, problem, row);
    claimRows(ownerOf(RowKind::Pulley, i), problem);
  }
}

void completeForces(const Model& model, const std::vector<double>& impulses, std::span<const Vec6> twists,
                    std::span<ForceRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ForceRow& row = rows[i];
    row.rateAfter = rowRate(row.rate, twists) - row.feed;
    row.impulse = row.split.total(impulses);
    if (row.interval >= 0) row.impulse += model.forces[i].law.sign() * impulses[row.interval];
    row.startImpulse = row.impulse;
    for (int k = 1; k <= row.roughRows; ++k) row.startImpulse -= impulses[row.interval + k];
  }
}

}  // namespace grashof
