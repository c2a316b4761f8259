#include "engine/dynamics/step_derivative.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/equality_rows.h"
#include "engine/dynamics/free_motion.h"
#include "engine/dynamics/joint_kinematics.h"

namespace grashof {
namespace {

/// Adds to a change what comes up on the way.
void addSource(const Eigen::MatrixXd& source, Eigen::MatrixXd& change) {
  if (source.size() > 0) change += source;
}

/// The tangent coordinates of poses and twists seen from others, over `by`.
Eigen::MatrixXd slopeOf(std::span<const Pose> less, std::span<const Vec6> twistsLess,
                        std::span<const Pose> more, std::span<const Vec6> twistsMore, double by) {
  const auto bodies = static_cast<Eigen::Index>(less.size());
  Eigen::MatrixXd slope(12 * bodies, 1);
  const std::vector<Vec6> moved = posesBetween(less, more);
  for (Eigen::Index b = 0; b < bodies; ++b) {
    const auto i = static_cast<std::size_t>(b);
    slope.col(0).segment<6>(6 * b) = moved[i] / by;
    slope.col(0).segment<6>(6 * (bodies + b)) = (twistsMore[i] - twistsLess[i]) / by;
  }
  return slope;
}

/// The equality rows of a model: their violation at poses, or what J u lacks at twists.
VecX rowGaps(const Model& model, std::span<const double> start, std::span<const Pose> poses,
             std::span<const Vec6> twists, double time, std::span<const Control> controls) {
  JointEvaluator joints(model);
  std::vector<JointGeometry> geometry(model.joints.size());
  joints.setPoses(poses);
  joints.evaluate(start, geometry);
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
      simulator_(model_),
      end_(*model_),
      recovery_(*model_),
      geometry_(model_->joints.size()),
      rows_(model_),
      toRows_(*model_),
      toEnd_(*model_),
      twists_(*model_) {}

/// Of the rates of rows at these twists: of the equality rows by poses alone, or of all coordinates by poses
/// and twists.
Eigen::SparseMatrix<double> StepLinearizer::rateSlope(const State& at, std::span<const Vec6> twists,
                                                      bool equalities) {
  const auto bodies = static_cast<Eigen::Index>(at.poses.size());
  JointEvaluator joints(*model_);
  std::vector<JointGeometry> geometry(model_->joints.size());
  std::vector<Pose> poses = at.poses;
  std::vector<Vec6> moved(twists.begin(), twists.end());
  DualProblem scratch;
  scratch.inertia.resize(poses.size());
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::Index count = 0;
  const auto rates = [&](VecX& r) {
    joints.setPoses(poses);
    joints.evaluate(at.coordinates, geometry);
    if (equalities) {
      assembleEqualityRows(*model_, geometry, at.time, EqualityTarget::Velocity, scratch);
      r.resize(scratch.jointRows);
      rowVelocities(scratch, moved, std::span(r.data(), static_cast<std::size_t>(r.size())));
    } else {
      r.resize(model_->coordinates());
      coordinateRates(*model_, geometry, moved, std::span(r.data(), static_cast<std::size_t>(r.size())));
    }
    count = r.size();
  };
  std::vector<int> place;
  if (equalities) {
    VecX unused;
    rates(unused);
    for (const JointBlock& block : scratch.joints)
      for (int r = 0; r < block.rows; ++r)
        place.push_back(scratch.jointTerms[static_cast<std::size_t>(block.firstTerm)].body);
  } else {
    for (const Joint& joint : model_->joints)
      place.insert(place.end(), static_cast<std::size_t>(joint.type->numDofs()), joint.follower);
  }
  VecX plus, minus;
  for (const BodyClasses::Class& one : rows_.classes().all())
    for (int k = 0; k < (equalities ? 6 : 12); ++k) {
      const auto shifted = [&](double step, VecX& r) {
        for (const int b : one.bodies) {
          const auto body = static_cast<std::size_t>(b);
          if (k < 6)
            poses[body] = movePose(at.poses[body], step * Vec6::Unit(k), 1.0);
          else
            moved[body] = twists[body] + step * Vec6::Unit(k - 6);
        }
        rates(r);
        poses = at.poses;
        moved.assign(twists.begin(), twists.end());
      };
      shifted(kSlopeStep, plus);
      shifted(-kSlopeStep, minus);
      addSlope(one, k, (plus - minus) / (2.0 * kSlopeStep), place, entries);
    }
  Eigen::SparseMatrix<double> slope(count, 12 * bodies);
  slope.setFromTriplets(entries.begin(), entries.end());
  return slope;
}

void StepLinearizer::set(const State& state, const Inputs& inputs) {
  const auto actuators = simulator_.actuators();
  for (std::size_t a = 0; a < std::min(inputs.control.size(), actuators.size()); ++a)
    if (!std::isnan(inputs.control[a]) &&
        model_->joints[static_cast<std::size_t>(actuators[a].joint)]
                .coordinates[static_cast<std::size_t>(actuators[a].coordinate)]
                .actuator.kind == Actuator::Kind::Motion)
      throw CallError("a step with a prescribed motion by a control is not differentiated");
  inputs_ = inputs;
  simulator_.inputs() = inputs;
  simulator_.setState(state);
  const State start = simulator_.state();
  std::vector<double> rateStart(start.coordinates.size());
  simulator_.coordinateRates(rateStart);
  simulator_.step();
  if (simulator_.diverged())
    throw CallError(fmt::format("the step diverges: {}", simulator_.diverged()->reason));
  next_ = simulator_.state();
  rows_.take(simulator_, start, rateStart);
  const StepContext& step = rows_.step();

  // The end of the step, before and after its projection.
  reached_.assign(rows_.poses().begin(), rows_.poses().end());
  reachedTwist_.assign(rows_.twistsAfter().begin(), rows_.twistsAfter().end());
  advancePoses(*model_, step.timeToEnd, reached_, reachedTwist_);
  std::vector<Pose> closed = reached_;
  end_.reset();
  end_.projectPoses(closed, start.coordinates, step.timeEnd, model_->step.projectionTolerance, geometry_,
                    rows_.controls());
  if (recovery_.needed(simulator_.record(), simulator_.contacts(), geometry_))
    throw CallError("a step that takes back a crossed limit or a deep penetration is not differentiated");

  // The matrix of both projections of poses is made where the first begins; of Euler's only one, at its end.
  freeToRows_ = freeMotionSlope(*model_, start.poses, start.twists, step.timeToRows());
  matrixAt_ = reached_;
  if (step.timeToRows() > 0.0) {
    matrixAt_ = start.poses;
    std::vector<Vec6> twists = start.twists;
    advancePoses(*model_, step.timeToRows(), matrixAt_, twists);
    toRows_.set(matrixAt_, rows_.poses(), start.coordinates, step.rowTime());
    toRows_.takeMoved(posesBetween(matrixAt_, rows_.poses()));
    rowForce_ = toRows_.forceSlope(rows_.classes());
  }
  slope_ = rows_.slope();
  memory_.resize(0, 0);
  if (rows_.rotors()) {
    memory_ = Eigen::SparseMatrix<double>(slope_.rows(), slope_.cols());
    const Eigen::SparseMatrix<double, Eigen::RowMajor> rates = rateSlope(start, start.twists, false);
    std::vector<Eigen::Triplet<double>> entries;
    const auto rotors = rows_.rotorSlopes();
    for (std::size_t c = 0; c < rotors.size(); ++c)
      if (rotors[c].first >= 0)
        for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator at(rates,
                                                                            static_cast<Eigen::Index>(c));
             at; ++at)
          entries.emplace_back(slope_.rows() - rows_.mode().rows() + rotors[c].first, at.col(),
                               rotors[c].second * at.value());
    memory_.setFromTriplets(entries.begin(), entries.end());
  }
  freeToEnd_ = freeMotionSlope(*model_, rows_.poses(), rows_.twistsAfter(), step.timeToEnd);
  toEnd_.set(matrixAt_, next_.poses, start.coordinates, step.timeEnd);
  toEnd_.takeMoved(posesBetween(reached_, next_.poses));
  endForce_ = toEnd_.forceSlope(rows_.classes());
  if (step.trapezoidal) {
    twists_.set(next_.poses, next_.poses, start.coordinates, step.timeEnd);
    std::vector<Vec6> moved = next_.twists;
    for (std::size_t b = 0; b < moved.size(); ++b) moved[b] -= reachedTwist_[b];
    twists_.takeMoved(moved);
    twistForce_ = twists_.forceSlope(rows_.classes());
    rates_ = rateSlope(next_, next_.twists, true).leftCols(6 * static_cast<Eigen::Index>(moved.size()));
  }
}

/// The change of the state after the step by changes of the state before, and by what comes up on the way.
Eigen::MatrixXd StepLinearizer::forward(const Eigen::MatrixXd& start, const Sources& sources) {
  const Eigen::Index half = start.rows() / 2;
  const StepContext& step = rows_.step();
  Eigen::MatrixXd change = freeToRows_ * start;
  addSource(sources.toRows, change);
  Eigen::MatrixXd matrixChange = change.topRows(half), pose = matrixChange, force;
  if (step.timeToRows() > 0.0) {
    force = rowForce_ * matrixChange;
    addSource(sources.rowForce, force);
    toRows_.apply(pose, force, sources.rowGap, true);
    change.topRows(half) = pose;
  }
  Eigen::MatrixXd right = -(slope_ * change);
  if (memory_.rows() > 0) right -= memory_ * start;
  if (sources.residual.size() > 0) right -= sources.residual;
  Eigen::MatrixXd twist;
  rows_.mode().solve(right, twist);
  change.bottomRows(half) = twist;

  change = freeToEnd_ * change;
  addSource(sources.toEnd, change);
  pose = change.topRows(half);
  if (!(step.timeToRows() > 0.0)) matrixChange = pose;
  force = endForce_ * matrixChange;
  addSource(sources.endForce, force);
  toEnd_.apply(pose, force, sources.endGap, true);
  change.topRows(half) = pose;
  if (step.trapezoidal) {
    twist = change.bottomRows(half);
    force = twistForce_ * pose;
    addSource(sources.twistForce, force);
    Eigen::MatrixXd gap = rates_ * pose;
    addSource(sources.twistGap, gap);
    twists_.apply(twist, force, gap, false);
    change.bottomRows(half) = twist;
  }
  return change;
}

/// Of the residual of the rows by the controls.
Eigen::MatrixXd StepLinearizer::controlSlopes() {
  const auto actuators = simulator_.actuators();
  Eigen::MatrixXd slopes(slope_.rows(), static_cast<Eigen::Index>(actuators.size()));
  for (std::size_t a = 0; a < actuators.size(); ++a)
    slopes.col(static_cast<Eigen::Index>(a)) = rows_.controlSlope(a, actuators, inputs_);
  return slopes;
}

StepDerivative StepLinearizer::derivative() {
  const Eigen::Index n = slope_.cols(), m = static_cast<Eigen::Index>(simulator_.actuators().size());
  // Columns: the state before, then the controls.
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(n, n + m);
  start.leftCols(n).setIdentity();
  Sources sources;
  sources.residual = Eigen::MatrixXd::Zero(slope_.rows(), n + m);
  sources.residual.rightCols(m) = controlSlopes();
  const Eigen::MatrixXd change = forward(start, sources);
  return {change.leftCols(n), change.rightCols(m), next_};
}

StepPullback StepLinearizer::pullback(const VecX& cotangent) {
  const Eigen::Index n = slope_.cols(), half = n / 2;
  if (cotangent.size() != n)
    throw CallError(fmt::format("the cotangent has {} entries instead of {}", cotangent.size(), n));
  // forward(), from its end to its beginning.
  const StepContext& step = rows_.step();
  Eigen::MatrixXd pose = cotangent.head(half), twist = cotangent.tail(half), force, gap;
  if (step.trapezoidal) {
    twists_.applyTransposed(twist, force, gap, false);
    pose += twistForce_.transpose() * force;
    pose += rates_.transpose() * gap;
  }
  toEnd_.applyTransposed(pose, force, gap, true);
  Eigen::MatrixXd matrix = endForce_.transpose() * force;
  Eigen::MatrixXd change(n, 1);
  change << pose, twist;
  const bool matrixAtEnd = !(step.timeToRows() > 0.0);
  if (matrixAtEnd) change.topRows(half) += matrix;
  change = (freeToEnd_.transpose() * change).eval();

  Eigen::MatrixXd right;
  rows_.mode().solveTransposed(change.bottomRows(half), right);
  StepPullback result;
  result.control = -(controlSlopes().transpose() * right);
  change.bottomRows(half).setZero();
  change -= slope_.transpose() * right;
  if (!matrixAtEnd) {
    pose = change.topRows(half);
    toRows_.applyTransposed(pose, force, gap, true);
    change.topRows(half) = pose + matrix + rowForce_.transpose() * force;
  }
  result.state = freeToRows_.transpose() * change;
  if (memory_.rows() > 0) result.state -= memory_.transpose() * right;
  return result;
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
    std::vector<Vec6> twistLess(twists.begin(), twists.end()), twistMore = twistLess;
    if (duration > 0.0) {
      advancePoses(*less, duration, poseLess, twistLess);
      advancePoses(*more, duration, poseMore, twistMore);
    }
    return slopeOf(poseLess, twistLess, poseMore, twistMore, difference);
  };
  const auto gaps = [&](std::span<const Pose> poses, std::span<const Vec6> twists, double time) {
    return Eigen::MatrixXd((rowGaps(*more, start.coordinates, poses, twists, time, rowsMore.controls()) -
                            rowGaps(*less, start.coordinates, poses, twists, time, rowsLess.controls())) /
                           difference);
  };
  const auto forces = [&](const ProjectionDerivative& projection, std::span<const Pose> matrix) {
    return Eigen::MatrixXd((projection.force(*more, matrix) - projection.force(*less, matrix)) / difference);
  };
  sources.toRows = freeMotion(start.poses, start.twists, step.timeToRows());
  if (step.timeToRows() > 0.0) {
    sources.rowForce = forces(toRows_, matrixAt_);
    sources.rowGap = gaps(rows_.poses(), {}, step.rowTime());
  }
  VecX residualLess, residualMore;
  rowsLess.residual(rows_.poses(), rows_.twistsBefore(), rowsLess.controls(), residualLess);
  rowsMore.residual(rows_.poses(), rows_.twistsBefore(), rowsMore.controls(), residualMore);
  sources.residual = (residualMore - residualLess) / difference;
  sources.toEnd = freeMotion(rows_.poses(), rows_.twistsAfter(), step.timeToEnd);
  sources.endForce = forces(toEnd_, matrixAt_);
  sources.endGap = gaps(next_.poses, {}, step.timeEnd);
  if (step.trapezoidal) {
    sources.twistForce = forces(twists_, next_.poses);
    sources.twistGap = gaps(next_.poses, next_.twists, step.timeEnd);
  }
  return forward(Eigen::MatrixXd::Zero(slope_.cols(), 1), sources).col(0);
}

}  // namespace grashof
