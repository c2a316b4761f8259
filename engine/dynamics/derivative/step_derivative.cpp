#include "engine/dynamics/derivative/step_derivative.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/rows/equality_rows.h"
#include "engine/dynamics/rows/free_motion.h"

namespace grashof {
namespace {

/// Adds to a change, from a row on, what comes up on the way.
void addSource(const Eigen::MatrixXd& source, Eigen::MatrixXd& change, Eigen::Index row = 0) {
  if (source.size() > 0) change.middleRows(row, source.rows()) += source;
}

/// The tangent coordinates of poses and angular momenta seen from others, over `by`.
Eigen::MatrixXd slopeOf(std::span<const Pose> less, std::span<const Vec3> momentaLess,
                        std::span<const Pose> more, std::span<const Vec3> momentaMore, double by) {
  const auto bodies = static_cast<Eigen::Index>(less.size());
  Eigen::MatrixXd slope(12 * bodies, 1);
  const std::vector<Vec6> moved = posesBetween(less, more);
  for (Eigen::Index b = 0; b < bodies; ++b) {
    const auto i = static_cast<std::size_t>(b);
    slope.col(0).segment<6>(6 * b) = moved[i] / by;
    slope.col(0).segment<6>(6 * (bodies + b)) << Vec3::Zero(), (momentaMore[i] - momentaLess[i]) / by;
  }
  return slope;
}

/// What the twists of two models differ by at the momenta that these twists are by `model`.
Eigen::MatrixXd spinDifference(const Model& model, const Model& less, const Model& more,
                               std::span<const Pose> poses, std::span<const Vec6> twists) {
  std::vector<Vec3> momenta(poses.size());
  setMomenta(model, poses, twists, momenta);
  std::vector<Vec6> twistLess(twists.begin(), twists.end()), twistMore = twistLess;
  setSpins(less, poses, momenta, twistLess);
  setSpins(more, poses, momenta, twistMore);
  Eigen::MatrixXd change(6 * static_cast<Eigen::Index>(poses.size()), 1);
  for (std::size_t b = 0; b < poses.size(); ++b)
    change.col(0).segment<6>(6 * static_cast<Eigen::Index>(b)) = twistMore[b] - twistLess[b];
  return change;
}

/// The equality rows of a model: their violation at poses, or what J u lacks at twists.
VecX rowGaps(const Model& model, std::span<const double> reference, std::span<const Pose> poses,
             std::span<const Vec6> twists, double time, std::span<const Control> controls) {
  JointEvaluator joints(model);
  std::vector<JointGeometry> geometry(model.joints.size());
  joints.setPoses(poses);
  joints.evaluate(reference, geometry);
  DualProblem rows;
  rows.inertia.resize(poses.size());
  assembleEqualityRows(model, geometry, time,
                       twists.empty() ? EqualityTarget::Position : EqualityTarget::Velocity, rows, controls);
  VecX gaps = Eigen::Map<const VecX>(rows.bias.data(), rows.jointRows);
  if (twists.empty()) return gaps;
  std::vector<double> rate(rows.bias.size());
  rowVelocities(rows, twists, rate);
  return gaps + Eigen::Map<const VecX>(rate.data(), rows.jointRows);
}

}  // namespace

StepLinearizer::StepLinearizer(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      simulator_(steppedByImpulses(model_)),
      joints_(*model_),
      geometry_(model_->joints.size()),
      rows_(model_),
      completion_(*model_),
      toRows_(*model_),
      toEnd_(*model_),
      twists_(*model_) {}

void StepLinearizer::set(const State& state, const Inputs& inputs) {
  checkControls(inputs);
  simulator_.inputs() = inputs;
  simulator_.setState(state);
  take(inputs);
}

void StepLinearizer::setNear(const State& state, const Inputs& inputs) {
  checkControls(inputs);
  simulator_.inputs() = inputs;
  simulator_.setNearState(state);
  take(inputs);
}

void StepLinearizer::checkControls(const Inputs& inputs) const {
  const auto actuators = simulator_.actuators();
  for (std::size_t a = 0; a < std::min(inputs.control.size(), actuators.size()); ++a)
    if (!std::isnan(inputs.control[a]) &&
        model_->joints[static_cast<std::size_t>(actuators[a].joint)]
                .coordinates[static_cast<std::size_t>(actuators[a].coordinate)]
                .actuator.kind == Actuator::Kind::Motion)
      throw CallError("a step with a prescribed motion by a control is not differentiated");
}

/// Makes the step from the state of the simulator, and takes the slopes of its parts.
void StepLinearizer::take(const Inputs& inputs) {
  inputs_ = inputs;
  start_ = simulator_.state();
  const State& start = start_;
  rateStart_.resize(start.coordinates.size());
  simulator_.coordinateRates(rateStart_);
  simulator_.step();
  if (simulator_.diverged())
    throw CallError(fmt::format("the step diverges: {}", simulator_.diverged()->reason));
  if (simulator_.recovered())
    throw CallError("a step that takes back a crossed limit or a deep penetration is not differentiated");
  if (simulator_.reducedBlows())
    throw CallError("a step with a blow whose restitution would give energy is not differentiated");
  next_ = simulator_.state();
  rows_.take(simulator_, start, rateStart_);
  const StepContext& step = rows_.step();
  // The end of the step before its projections, but for the spins: theirs are those after that of the poses.
  momenta_.resize(start.poses.size());
  reached_.assign(rows_.poses().begin(), rows_.poses().end());
  reachedTwist_.assign(rows_.twistsAfter().begin(), rows_.twistsAfter().end());
  freeMotionSlope(*model_, step.timeToEnd, reached_, reachedTwist_, freeToEnd_);
  moveFreely(*model_, step.timeToEnd, reached_, reachedTwist_, momenta_);
  setSpins(*model_, next_.poses, momenta_, reachedTwist_);
  spinSlope(*model_, next_.poses, reachedTwist_, spinAtEnd_);

  // The matrix of both projections of poses is made where the first begins; of Euler's only one, at its end.
  freeMotionSlope(*model_, step.timeToRows(), start.poses, start.twists, freeToRows_);
  spinSlope(*model_, rows_.poses(), rows_.twistsBefore(), spinAtRows_);
  matrixAt_ = reached_;
  if (step.timeToRows() > 0.0) {
    matrixAt_ = start.poses;
    moveFreely(*model_, step.timeToRows(), matrixAt_, start.twists, momenta_);
    toRows_.setTurns(start.twists, step.timestep);
    toRows_.set(matrixAt_, rows_.poses(), rows_.coordinates(), step.rowTime());
    posesBetween(matrixAt_, rows_.poses(), moved_);
    toRows_.takeMoved(moved_);
    toRows_.forceSlope(rowForce_);
  }
  takeMemory(start);
  if (step.timeToRows() > 0.0) {
    toEnd_.set(toRows_, next_.poses, next_.coordinates, step.timeEnd);
  } else {
    toEnd_.setTurns(rows_.twistsAfter(), step.timestep);
    toEnd_.set(matrixAt_, next_.poses, next_.coordinates, step.timeEnd);
  }
  posesBetween(reached_, next_.poses, moved_);
  toEnd_.takeMoved(moved_);
  toEnd_.forceSlope(endForce_);
  if (step.trapezoidal) {
    twists_.set(next_.poses, next_.poses, next_.coordinates, step.timeEnd);
    moved_ = next_.twists;
    for (std::size_t b = 0; b < moved_.size(); ++b) moved_[b] -= reachedTwist_[b];
    twists_.takeMoved(moved_);
    twists_.forceSlope(twistForce_);
    twists_.rateSlope(next_.twists, rates_);
  }
}

/// Of the rows of rotors by the rates of their coordinates at the start.
void StepLinearizer::takeMemory(const State& start) {
  memory_.clear(rows_.slope().rows(), rows_.slope().columns());
  if (!rows_.rotors()) return;
  joints_.setPoses(start.poses);
  joints_.evaluate(start.coordinates, geometry_);
  const auto bodies = static_cast<Eigen::Index>(start.poses.size());
  const auto rotors = rows_.rotorSlopes();
  JointSlopes slopes;
  for (std::size_t j = 0; j < model_->joints.size(); ++j) {
    const Joint& joint = model_->joints[j];
    bool evaluated = false;
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const auto& rotor = rotors[static_cast<std::size_t>(model_->coordinateStart[j]) + i];
      // No structured binding: clang 14 captures none in a lambda.
      const int row = rotor.first;
      const double slope = rotor.second;
      if (row < 0) continue;
      if (!evaluated) evaluateSlopes(joint, joints_.placement(j).frames(), slopes);
      evaluated = true;
      const JointRow& own = geometry_[j].coordinateRow[i];
      const auto twistOf = [&](int body) {
        return body >= 0 ? start.twists[static_cast<std::size_t>(body)] : Vec6(Vec6::Zero());
      };
      const PairGradient g =
          rateGradient(own, slopes.coordinate[i], slopes.reach, twistOf(joint.base), twistOf(joint.follower));
      const auto add = [&](int body, const Vec6& byPose, const Vec6& byTwist) {
        if (body < 0) return;
        Mat6 block = Mat6::Zero();
        block.row(0) = slope * byPose.transpose();
        memory_.add(6 * bodies + row, 6 * body, 1, block);
        block.row(0) = slope * byTwist.transpose();
        memory_.add(6 * bodies + row, 6 * (bodies + body), 1, block);
      };
      add(joint.base, g.base, own.base);
      add(joint.follower, g.follower, own.follower);
    }
  }
}

/// The change of the state after the step by changes of the state before, and by what comes up on the way.
Eigen::MatrixXd StepLinearizer::forward(const Eigen::MatrixXd& start, const Sources& sources) {
  const Eigen::Index half = start.rows() / 2, columns = start.cols();
  const StepContext& step = rows_.step();
  const auto product = [&](const BlockMap& map, const Eigen::MatrixXd& x) {
    Eigen::MatrixXd y = Eigen::MatrixXd::Zero(map.rows(), columns);
    map.addProduct(1.0, x, y);
    return y;
  };
  Eigen::MatrixXd change = product(freeToRows_, start);
  addSource(sources.toRows, change);
  Eigen::MatrixXd matrixChange = change.topRows(half), pose = matrixChange, force;
  if (step.timeToRows() > 0.0) {
    force = product(rowForce_, matrixChange);
    addSource(sources.rowForce, force);
    toRows_.apply(pose, force, sources.rowGap, true);
    change.topRows(half) = pose;
  }
  change.bottomRows(half) = product(spinAtRows_, change);
  addSource(sources.rowSpin, change, half);
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(rows_.slope().rows(), columns);
  rows_.slope().addProduct(-1.0, change, right);
  memory_.addProduct(-1.0, start, right);
  if (sources.residual.size() > 0) right -= sources.residual;
  Eigen::MatrixXd twist;
  rows_.mode().solve(right, twist);
  change.bottomRows(half) = twist;

  change = product(freeToEnd_, change);
  addSource(sources.toEnd, change);
  pose = change.topRows(half);
  if (!(step.timeToRows() > 0.0)) matrixChange = pose;
  force = product(endForce_, matrixChange);
  addSource(sources.endForce, force);
  toEnd_.apply(pose, force, sources.endGap, true);
  change.topRows(half) = pose;
  change.bottomRows(half) = product(spinAtEnd_, change);
  addSource(sources.endSpin, change, half);
  if (step.trapezoidal) {
    twist = change.bottomRows(half);
    force = product(twistForce_, pose);
    addSource(sources.twistForce, force);
    Eigen::MatrixXd gap = product(rates_, pose);
    addSource(sources.twistGap, gap);
    twists_.apply(twist, force, gap, false);
    change.bottomRows(half) = twist;
  }
  return change;
}

StepDerivative StepLinearizer::derivative() {
  return rows_.step().trapezoidal && !twists_.empty() ? byRows() : byColumns();
}

/// Columns: the state before, then the controls.
StepDerivative StepLinearizer::byColumns() {
  const Eigen::Index n = rows_.slope().columns();
  const auto m = static_cast<Eigen::Index>(simulator_.actuators().size());
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(n, n + m);
  start.leftCols(n).setIdentity();
  Sources sources;
  sources.residual = Eigen::MatrixXd::Zero(rows_.slope().rows(), n + m);
  for (const auto& entry : rows_.controlSlopes())
    sources.residual(entry.row(), n + entry.col()) += entry.value();
  const Eigen::MatrixXd change = forward(start, sources);
  return {change.leftCols(n), change.rightCols(m), next_};
}

/// The rows that determine all others, by the transposed parts, and the others by the joints at the end:
/// J δp = 0, and J δu + dJ u = 0.
StepDerivative StepLinearizer::byRows() {
  const Eigen::Index n = rows_.slope().columns(), half = n / 2;
  completion_.set(twists_.matrixRows());
  const auto actuators = static_cast<Eigen::Index>(simulator_.actuators().size());
  StepDerivative d{Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, actuators), next_};
  for (const int given : completion_.given())
    for (const Eigen::Index row : {static_cast<Eigen::Index>(given), half + given}) {
      pull_.cotangent.setZero(n);
      pull_.cotangent[row] = 1.0;
      pull();
      d.state.row(row) = pull_.state.transpose();
      if (actuators > 0) d.control.row(row) = pull_.control.transpose();
    }
  for (Eigen::MatrixXd* x : {&d.state, &d.control}) {
    if (x->cols() == 0) continue;
    completion_.complete(*x, 0, nullptr);
    right_.setZero(rates_.rows(), x->cols());
    rates_.addProduct(-1.0, *x, right_);
    completion_.complete(*x, half, &right_);
  }
  return d;
}

StepPullback StepLinearizer::pullback(const VecX& cotangent) {
  const Eigen::Index n = rows_.slope().columns();
  if (cotangent.size() != n)
    throw CallError(fmt::format("the cotangent has {} entries instead of {}", cotangent.size(), n));
  pull_.cotangent = cotangent;
  pull();
  return {pull_.state, pull_.control};
}

/// forward(), from its end to its beginning: the cotangent of the state before from that of the state after.
void StepLinearizer::pull() {
  const Eigen::Index n = pull_.cotangent.size(), half = n / 2;
  const StepContext& step = rows_.step();
  auto& [cotangent, state, control, pose, twist, force, gap, matrix, end, change, right] = pull_;
  // From the twists, which the spins of momenta at poses are, to these.
  const auto pullSpins = [&](const BlockMap& spins) {
    pull_.end.setZero(n, 1);
    spins.addTransposed(1.0, pull_.twist, pull_.end);
    pull_.pose += pull_.end.topRows(half);
    pull_.twist = pull_.end.bottomRows(half);
  };
  pose = cotangent.head(half);
  twist = cotangent.tail(half);
  if (step.trapezoidal) {
    twists_.applyTransposed(twist, force, gap, false);
    twistForce_.addTransposed(1.0, force, pose);
    rates_.addTransposed(1.0, gap, pose);
  }
  pullSpins(spinAtEnd_);
  toEnd_.applyTransposed(pose, force, gap, true);
  matrix.setZero(half, 1);
  endForce_.addTransposed(1.0, force, matrix);
  end.resize(n, 1);
  end << pose, twist;
  const bool matrixAtEnd = !(step.timeToRows() > 0.0);
  if (matrixAtEnd) end.topRows(half) += matrix;
  change.setZero(n, 1);
  freeToEnd_.addTransposed(1.0, end, change);

  twist = change.bottomRows(half);
  rows_.mode().solveTransposed(twist, right);
  control.setZero(static_cast<Eigen::Index>(simulator_.actuators().size()));
  for (const auto& entry : rows_.controlSlopes())
    control[entry.col()] -= entry.value() * right(entry.row(), 0);
  change.bottomRows(half).setZero();
  rows_.slope().addTransposed(-1.0, right, change);
  pose = change.topRows(half);
  twist = change.bottomRows(half);
  pullSpins(spinAtRows_);
  if (!matrixAtEnd) {
    toRows_.applyTransposed(pose, force, gap, true);
    pose += matrix;
    rowForce_.addTransposed(1.0, force, pose);
  }
  change << pose, twist;
  state.setZero(n);
  freeToRows_.addTransposed(1.0, change.data(), state.data());
  memory_.addTransposed(-1.0, right.data(), state.data());
}

VecX StepLinearizer::byParameter(const std::shared_ptr<const Model>& less,
                                 const std::shared_ptr<const Model>& more, double difference) {
  const auto sameSizes = [&](const Model& m) {
    return m.bodies.size() == model_->bodies.size() && m.joints.size() == model_->joints.size() &&
           m.coordinates() == model_->coordinates() && m.shapes.size() == model_->shapes.size();
  };
  if (!std::isfinite(difference) || difference == 0.0)
    throw CallError(
        fmt::format("the difference of the parameter is {} (needs a finite number, not 0)", difference));
  if (!sameSizes(*less) || !sameSizes(*more))
    throw CallError("models that differ by a parameter must have the same bodies, joints and shapes");
  const StepContext& step = rows_.step();
  const State& start = rows_.start();
  StepRows rowsLess(less), rowsMore(more);
  rowsLess.take(rows_, simulator_.actuators(), inputs_);
  rowsMore.take(rows_, simulator_.actuators(), inputs_);

  Sources sources;
  const auto freeMotion = [&](std::span<const Pose> poses, std::span<const Vec6> twists, double duration) {
    std::vector<Pose> poseLess(poses.begin(), poses.end()), poseMore = poseLess;
    std::vector<Vec3> momentaLess(poses.size()), momentaMore = momentaLess;
    moveFreely(*less, duration, poseLess, twists, momentaLess);
    moveFreely(*more, duration, poseMore, twists, momentaMore);
    return slopeOf(poseLess, momentaLess, poseMore, momentaMore, difference);
  };
  const auto gaps = [&](std::span<const double> reference, std::span<const Pose> poses,
                        std::span<const Vec6> twists, double time) {
    return Eigen::MatrixXd((rowGaps(*more, reference, poses, twists, time, rowsMore.controls()) -
                            rowGaps(*less, reference, poses, twists, time, rowsLess.controls())) /
                           difference);
  };
  const auto forces = [&](const ProjectionDerivative& projection, std::span<const Pose> matrix) {
    return Eigen::MatrixXd((projection.force(*more, matrix) - projection.force(*less, matrix)) / difference);
  };
  sources.toRows = freeMotion(start.poses, start.twists, step.timeToRows());
  if (step.timeToRows() > 0.0) {
    sources.rowForce = forces(toRows_, matrixAt_);
    sources.rowGap = gaps(rows_.coordinates(), rows_.poses(), {}, step.rowTime());
  }
  sources.rowSpin = spinDifference(*model_, *less, *more, rows_.poses(), rows_.twistsBefore()) / difference;
  VecX residualLess, residualMore;
  rowsLess.residual(rows_.poses(), rows_.twistsBefore(), rowsLess.controls(), residualLess);
  rowsMore.residual(rows_.poses(), rows_.twistsBefore(), rowsMore.controls(), residualMore);
  sources.residual = (residualMore - residualLess) / difference;
  sources.toEnd = freeMotion(rows_.poses(), rows_.twistsAfter(), step.timeToEnd);
  sources.endForce = forces(toEnd_, matrixAt_);
  sources.endGap = gaps(next_.coordinates, next_.poses, {}, step.timeEnd);
  sources.endSpin = spinDifference(*model_, *less, *more, next_.poses, reachedTwist_) / difference;
  if (step.trapezoidal) {
    sources.twistForce = forces(twists_, next_.poses);
    sources.twistGap = gaps(next_.coordinates, next_.poses, next_.twists, step.timeEnd);
  }
  return forward(Eigen::MatrixXd::Zero(rows_.slope().columns(), 1), sources).col(0);
}

}  // namespace grashof
