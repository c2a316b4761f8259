#include "engine/dynamics/step_derivative.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/coordinate_rows.h"
#include "engine/dynamics/equality_rows.h"
#include "engine/dynamics/free_motion.h"
#include "engine/dynamics/row_blocks.h"

namespace grashof {
namespace {

// m, rad, m/s, rad/s: step of central differences of smooth functions; truncation and rounding are both about
// 1e-10.
constexpr double kStepOfSlopes = 1e-5;
constexpr double kSlopeProximal = 1e-10;  // η on scaled rows; taken out again by the passes
constexpr int kSlopePasses = 4;
constexpr double kSlopeError = 1e-9;  // of the right side: enough, as slopes are not better
constexpr double kActs = 1e-12;       // of the largest impulse: contacts below do not act

/// Tangent coordinates of `plus` seen from `minus`.
Vec6 poseDifference(const Pose& plus, const Pose& minus) {
  Vec6 d;
  d << plus.position - minus.position, logRotation(plus.rotation * minus.rotation.conjugate());
  return d;
}

std::vector<Vec6> posesBetween(std::span<const Pose> from, std::span<const Pose> to) {
  std::vector<Vec6> moved(from.size());
  for (std::size_t b = 0; b < moved.size(); ++b) moved[b] = poseDifference(to[b], from[b]);
  return moved;
}

Eigen::SparseMatrix<double> sparseOf(Eigen::Index rows, Eigen::Index columns,
                                     const std::vector<Eigen::Triplet<double>>& entries) {
  Eigen::SparseMatrix<double> matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

StepLinearizer::StepLinearizer(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      simulator_(model_),
      end_(*model_),
      recovery_(*model_),
      joints_(*model_),
      geometry_(model_->joints.size()),
      controls_(static_cast<std::size_t>(model_->coordinates())),
      rows_(static_cast<std::size_t>(model_->coordinates())),
      blocks_(model_->joints.size()),
      wrench_(model_->bodies.size()) {
  const auto refuse = [](const char* what) {
    throw CallError(fmt::format("a step with {} is not differentiated", what));
  };
  if (!model_->forces.empty()) refuse("force elements");
  if (!model_->bushings.empty()) refuse("bushings");
  if (!model_->velocityConstraints.empty()) refuse("constraints on velocities");
  if (model_->step.geometricStiffness) refuse("geometric stiffness");
  if (!model_->step.projection) refuse("joints that are not projected");
  for (const Joint& joint : model_->joints) {
    if (joint.clearance.any()) refuse("clearances");
    for (const JointCoordinate& c : joint.coordinates) rotors_ = rotors_ || c.passive.inertia() > 0.0;
  }
  if (rotors_ && model_->step.integrator == Integrator::Euler) refuse("rotors in Euler's rule");
  problem_.inertia.resize(model_->bodies.size());
  problem_.freeTwist.resize(model_->bodies.size());
  equality_.inertia.resize(model_->bodies.size());
  metric_.inertia.resize(model_->bodies.size());
  findClasses();
}

/// Classes of bodies no two of which share a row with each other or with one more body: all bodies of a class
/// can be moved at once, and what changes belongs to the one that is near.
void StepLinearizer::findClasses() {
  const std::size_t bodies = model_->bodies.size();
  std::vector<std::vector<int>> near(bodies);  // the bodies with which each shares rows, and itself
  const auto join = [&](std::initializer_list<int> joints) {
    std::vector<int> all;
    for (const int j : joints)
      for (const int b : {model_->joints[static_cast<std::size_t>(j)].base,
                          model_->joints[static_cast<std::size_t>(j)].follower})
        if (b >= 0) all.push_back(b);
    for (const int a : all)
      for (const int b : all) near[static_cast<std::size_t>(a)].push_back(b);
  };
  for (std::size_t b = 0; b < bodies; ++b) near[b].push_back(static_cast<int>(b));
  for (std::size_t j = 0; j < model_->joints.size(); ++j) join({static_cast<int>(j)});
  for (const Coupling& c : model_->couplings) {
    join({c.jointA, c.jointB});
    for (const CoordinateTerm& t : c.more) {
      join({c.jointA, t.joint});
      join({c.jointB, t.joint});
      for (const CoordinateTerm& u : c.more) join({u.joint, t.joint});
    }
  }
  classes_.clear();
  for (std::size_t b = 0; b < bodies; ++b) {
    const auto fits = [&](const BodyClass& one) {
      return std::all_of(near[b].begin(), near[b].end(),
                         [&](int a) { return one.owner[static_cast<std::size_t>(a)] < 0; });
    };
    auto found = std::find_if(classes_.begin(), classes_.end(), fits);
    if (found == classes_.end()) {
      classes_.push_back({{}, std::vector<int>(bodies, -1)});
      found = classes_.end() - 1;
    }
    found->bodies.push_back(static_cast<int>(b));
    for (const int a : near[b]) found->owner[static_cast<std::size_t>(a)] = static_cast<int>(b);
  }
}

/// Adds a slope by component `component` of the pose (0 to 5) or twist (6 to 11) of all bodies of a class:
/// each entry is that of the body near it. `place`: a body of each entry.
void StepLinearizer::addClass(const BodyClass& moved, int component, const VecX& values,
                              std::span<const int> place,
                              std::vector<Eigen::Triplet<double>>& entries) const {
  const auto bodies = static_cast<int>(model_->bodies.size());
  for (Eigen::Index r = 0; r < values.size(); ++r) {
    if (values[r] == 0.0) continue;
    const int body = moved.owner[static_cast<std::size_t>(place[static_cast<std::size_t>(r)])];
    entries.emplace_back(r, component < 6 ? 6 * body + component : 6 * (bodies + body) + component - 6,
                         values[r]);
  }
}

/// The body of each component of all twists.
std::vector<int> StepLinearizer::bodiesOfEntries() const {
  std::vector<int> place;
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) place.insert(place.end(), 6, static_cast<int>(b));
  return place;
}

/// The problem of the step at other poses, twists and controls, without contacts: as Simulator::assemble().
void StepLinearizer::assemble(std::span<const Pose> poses, std::span<const Vec6> twists,
                              std::span<const Control> controls) {
  joints_.setPoses(poses);
  joints_.evaluate(start_.coordinates, geometry_);
  if (rotors_) {
    freeChange_.resize(rateStart_.size());
    coordinateRates(*model_, geometry_, twists, freeChange_);
    for (std::size_t c = 0; c < freeChange_.size(); ++c)
      freeChange_[c] = 2.0 * (freeChange_[c] - rateStart_[c]);
    step_.freeRateChange = freeChange_;
  }
  const RowContext context{*model_, step_, geometry_, twists, controls, poses};
  inertiaAt(*model_, poses, problem_.inertia);
  externalWrenches(*model_, poses, step_.middle(), applied_, wrench_);
  freeTwists(*model_, step_.timestep, twists, wrench_, problem_);
  addEfforts(context, problem_);
  assembleJointRows(context, problem_, rows_, blocks_);
  assembleIntervalRows(context, blocks_, problem_, rows_);
}

/// [M (u⁺ - u_f) - Jᵀ λ; J u⁺ + v* + R λ], with the bound in the place of the latter on rows at a bound, for
/// the solution u⁺, λ of the step.
void StepLinearizer::residual(std::span<const Pose> poses, std::span<const Vec6> twists,
                              std::span<const Control> controls, VecX& r) {
  assemble(poses, twists, controls);
  if (problem_.rows() != static_cast<int>(impulse_.size()) || problem_.jointRows != jointRows_)
    throw CallError("a row of a limit or drive appears exactly at this state: the step has no derivative");
  const auto bodies = static_cast<Eigen::Index>(poses.size());
  r.setZero(6 * bodies + static_cast<Eigen::Index>(impulse_.size()));
  std::vector<Vec6> wrench(poses.size(), Vec6::Zero());
  addRowWrenches(problem_, impulse_, wrench);
  for (std::size_t b = 0; b < poses.size(); ++b)
    r.segment<6>(6 * static_cast<Eigen::Index>(b)) =
        problem_.inertia[b].multiply(after_[b] - problem_.freeTwist[b]) - wrench[b];
  std::vector<double> velocity(impulse_.size());
  rowVelocities(problem_, after_, velocity);
  addCompliance(problem_, impulse_, velocity);
  for (std::size_t i = 0; i < velocity.size(); ++i)
    r[6 * bodies + static_cast<Eigen::Index>(i)] = velocity[i] + problem_.bias[i];
  for (std::size_t i = 0; i < problem_.intervals.size(); ++i) {
    const IntervalRow& row = problem_.intervals[i];
    if (mode_[i] != 0) r[6 * bodies + row.row] = mode_[i] < 0 ? row.lower : row.upper;
  }
}

/// Of residual() by poses and twists before, both at the rows.
Eigen::SparseMatrix<double> StepLinearizer::residualSlope() {
  const auto bodies = static_cast<Eigen::Index>(poses_.size());
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<Pose> poses = poses_;
  std::vector<Vec6> twists = before_;
  // A body of each entry; rows are those of problem_, which stay the same.
  std::vector<int> place = bodiesOfEntries();
  for (const JointBlock& block : problem_.joints)
    for (int r = 0; r < block.rows; ++r)
      place.push_back(problem_.jointTerms[static_cast<std::size_t>(block.firstTerm)].body);
  for (const IntervalRow& row : problem_.intervals) {
    int first = -1;
    problem_.forEachBody(row, [&](int body, const Vec6&) { first = body; });
    place.push_back(first);
  }
  VecX plus, minus;
  for (const BodyClass& moved : classes_)
    for (int k = 0; k < 12; ++k) {
      const auto at = [&](double step, VecX& r) {
        for (const int b : moved.bodies) {
          const auto body = static_cast<std::size_t>(b);
          if (k < 6)
            poses[body] = movePose(poses_[body], step * Vec6::Unit(k), 1.0);
          else
            twists[body] = before_[body] + step * Vec6::Unit(k - 6);
        }
        residual(poses, twists, controls_, r);
        poses = poses_;
        twists = before_;
      };
      at(kStepOfSlopes, plus);
      at(-kStepOfSlopes, minus);
      addClass(moved, k, (plus - minus) / (2.0 * kStepOfSlopes), place, entries);
    }
  return sparseOf(6 * bodies + static_cast<Eigen::Index>(impulse_.size()), 12 * bodies, entries);
}

/// Of residual() by one control.
VecX StepLinearizer::controlSlope(std::size_t actuator, const Inputs& inputs, const State& state) {
  const auto actuators = simulator_.actuators();
  const auto [joint, coordinate] = actuators[actuator];
  const Actuator& a = model_->joints[static_cast<std::size_t>(joint)]
                          .coordinates[static_cast<std::size_t>(coordinate)]
                          .actuator;
  const auto rows = 6 * static_cast<Eigen::Index>(poses_.size()) + static_cast<Eigen::Index>(impulse_.size());
  if (a.kind == Actuator::Kind::Motion) return VecX::Zero(rows);
  Inputs moved = inputs;
  double& control = moved.control[actuator];
  if (std::isnan(control))
    control = referenceOf(*model_, controls_, joint, coordinate)
                  .value(a.kind == Actuator::Kind::Effort ? step_.middle() : step_.timeEnd);
  const double value = control;
  std::vector<Control> controls(controls_.size());
  VecX plus, minus;
  for (const double sign : {1.0, -1.0}) {
    control = value + sign * kStepOfSlopes;
    resolveControls(*model_, actuators, moved, state, controls);
    residual(poses_, before_, controls, sign > 0.0 ? plus : minus);
  }
  return (plus - minus) / (2.0 * kStepOfSlopes);
}

/// Of advancePoses(), poses and twists by poses and twists: bodies move apart from each other.
Eigen::SparseMatrix<double> StepLinearizer::freeMotionSlope(std::span<const Pose> poses,
                                                            std::span<const Vec6> twists, double duration) {
  const auto bodies = static_cast<Eigen::Index>(poses.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < 12; ++k) {
    std::array<std::vector<Pose>, 2> pose;
    std::array<std::vector<Vec6>, 2> twist;
    for (std::size_t side = 0; side < 2; ++side) {
      const double step = side == 0 ? kStepOfSlopes : -kStepOfSlopes;
      pose[side].assign(poses.begin(), poses.end());
      twist[side].assign(twists.begin(), twists.end());
      for (std::size_t b = 0; b < poses.size(); ++b) {
        if (k < 6)
          pose[side][b] = movePose(poses[b], step * Vec6::Unit(k), 1.0);
        else
          twist[side][b] += step * Vec6::Unit(k - 6);
      }
      if (duration > 0.0) advancePoses(*model_, duration, pose[side], twist[side]);
    }
    for (Eigen::Index b = 0; b < bodies; ++b) {
      const auto body = static_cast<std::size_t>(b);
      const Vec6 dp = poseDifference(pose[0][body], pose[1][body]) / (2.0 * kStepOfSlopes);
      const Vec6 du = (twist[0][body] - twist[1][body]) / (2.0 * kStepOfSlopes);
      const Eigen::Index column = k < 6 ? 6 * b + k : 6 * (bodies + b) + k - 6;
      for (int r = 0; r < 6; ++r) {
        entries.emplace_back(6 * b + r, column, dp[r]);
        entries.emplace_back(6 * (bodies + b) + r, column, du[r]);
      }
    }
  }
  return sparseOf(12 * bodies, 12 * bodies, entries);
}

/// Rows of the projections at these poses, with rotors.
void StepLinearizer::equalityRows(std::span<const Pose> poses, DualProblem& rows) {
  joints_.setPoses(poses);
  joints_.evaluate(start_.coordinates, geometry_);
  assembleEqualityRows(*model_, geometry_, step_.timeEnd, EqualityTarget::Velocity, rows);
  equalities_ = static_cast<std::size_t>(rows.jointRows);
  addArmatureRows(*model_, geometry_, rows);
  inertiaAt(*model_, poses, rows.inertia);
}

/// The matrix of a projection at these poses.
void StepLinearizer::factorizeProjection(std::span<const Pose> poses) {
  equalityRows(poses, metric_);
  if (equalities_ == 0) return;
  projection_.analyze(metric_);
  if (!projection_.factorize(metric_, {}, kSlopeProximal))
    throw CallError("the joints cannot be linearized: a pose is not finite");
}

/// What a projection moved, `moved`, is M̂⁻¹ Jᵀ ν at the poses `at` of its matrix. By these poses, the slope
/// of Jᵀ ν - M̂ moved. The matrix must be factorized there.
Eigen::SparseMatrix<double> StepLinearizer::metricSlope(std::span<const Pose> at,
                                                        const std::vector<Vec6>& moved) {
  const auto bodies = static_cast<Eigen::Index>(at.size());
  std::vector<Eigen::Triplet<double>> entries;
  if (equalities_ == 0) return sparseOf(6 * bodies, 6 * bodies, entries);
  // ν, by a few passes as the proximal term asks for.
  std::vector<double> impulse(metric_.bias.size(), 0.0), row(impulse.size());
  std::vector<Vec6> left = moved, body(moved.size());
  for (int pass = 0; pass < kSlopePasses; ++pass) {
    rowVelocities(metric_, left, row);
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(equalities_), row.end(), 0.0);
    for (Vec6& b : body) b.setZero();
    projection_.solve(metric_, body, row);
    for (std::size_t b = 0; b < body.size(); ++b) left[b] -= body[b];
    for (std::size_t r = 0; r < equalities_; ++r) impulse[r] += row[r];
  }
  DualProblem rows;
  rows.inertia.resize(at.size());
  std::vector<Pose> poses(at.begin(), at.end());
  const auto wrench = [&](VecX& w) {
    equalityRows(poses, rows);
    std::vector<double> all(impulse);
    std::vector<double> rate(all.size());
    rowVelocities(rows, moved, rate);
    for (std::size_t r = equalities_; r < all.size(); ++r) all[r] = -rate[r] / rows.compliance[r];
    for (Vec6& b : body) b.setZero();
    addRowWrenches(rows, all, body);
    w.resize(6 * bodies);
    for (std::size_t b = 0; b < body.size(); ++b)
      w.segment<6>(6 * static_cast<Eigen::Index>(b)) = body[b] - rows.inertia[b].multiply(moved[b]);
  };
  VecX plus, minus;
  const std::vector<int> place = bodiesOfEntries();
  for (const BodyClass& one : classes_)
    for (int k = 0; k < 6; ++k) {
      const auto shift = [&](double step) {
        for (const int b : one.bodies) {
          const auto i = static_cast<std::size_t>(b);
          poses[i] = movePose(at[i], step * Vec6::Unit(k), 1.0);
        }
      };
      shift(kStepOfSlopes);
      wrench(plus);
      shift(-kStepOfSlopes);
      wrench(minus);
      std::copy(at.begin(), at.end(), poses.begin());
      addClass(one, k, (plus - minus) / (2.0 * kStepOfSlopes), place, entries);
    }
  return sparseOf(6 * bodies, 6 * bodies, entries);
}

/// Of the rates of rows at these twists: of the equality rows by poses alone, or of all coordinates by poses
/// and twists.
Eigen::SparseMatrix<double> StepLinearizer::rateSlope(const State& at, std::span<const Vec6> twists,
                                                      bool equalities) {
  const auto bodies = static_cast<Eigen::Index>(at.poses.size());
  std::vector<Pose> poses = at.poses;
  std::vector<Vec6> moved(twists.begin(), twists.end());
  DualProblem scratch;
  scratch.inertia.resize(poses.size());
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::Index count = 0;
  const auto rates = [&](VecX& r) {
    joints_.setPoses(poses);
    joints_.evaluate(start_.coordinates, geometry_);
    if (equalities) {
      assembleEqualityRows(*model_, geometry_, at.time, EqualityTarget::Velocity, scratch);
      r.resize(scratch.jointRows);
      rowVelocities(scratch, moved, std::span(r.data(), static_cast<std::size_t>(r.size())));
    } else {
      r.resize(model_->coordinates());
      coordinateRates(*model_, geometry_, moved, std::span(r.data(), static_cast<std::size_t>(r.size())));
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
  for (const BodyClass& one : classes_)
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
      shifted(kStepOfSlopes, plus);
      shifted(-kStepOfSlopes, minus);
      addClass(one, k, (plus - minus) / (2.0 * kStepOfSlopes), place, entries);
    }
  return sparseOf(count, 12 * bodies, entries);
}

/// Adds to `change` (6 bodies × columns) x = M̂⁻¹ (wrench + Jᵀ μ) with the matrix of the projection, so that J
/// change + velocity = 0 on the rows of equality_. `velocity`: rows × columns; empty: none. `turned`:
/// displacements θ by which poses were moved, one per body, or empty. A rotation δθ before them is exp(θ) δθ
/// after them, and one by which θ grows is that of its left Jacobian; both are I + [θ]× and I + ½ [θ]× but
/// for the square of θ.
void StepLinearizer::project(Eigen::MatrixXd& change, const Eigen::MatrixXd& wrench,
                             const Eigen::MatrixXd& velocity, std::span<const Vec6> turned) {
  if (equalities_ == 0) return;
  std::vector<Vec6> twist(static_cast<std::size_t>(change.rows() / 6)), body(twist.size());
  std::vector<double> row(equality_.bias.size());
  const auto turn = [&](std::size_t b, double share, Vec6& x) {
    if (turned.empty()) return;
    const Vec3 theta = share * turned[b].tail<3>(), rotation = x.tail<3>();
    x.tail<3>() += theta.cross(rotation);
  };
  for (Eigen::Index c = 0; c < change.cols(); ++c) {
    for (std::size_t b = 0; b < twist.size(); ++b) {
      twist[b] = change.col(c).segment<6>(6 * static_cast<Eigen::Index>(b));
      turn(b, 1.0, twist[b]);
    }
    double size = 0.0;  // of the error at first
    for (int pass = 0; pass < kSlopePasses; ++pass) {
      double error = 0.0;
      rowVelocities(equality_, twist, row);
      for (std::size_t r = 0; r < row.size(); ++r) {
        const double given =
            velocity.size() > 0 && r < equalities_ ? velocity(static_cast<Eigen::Index>(r), c) : 0.0;
        row[r] = r < equalities_ ? -row[r] - given : 0.0;
        error = std::max(error, std::abs(row[r]));
      }
      if (pass == 0) size = error;
      if (pass > 0 && error <= kSlopeError * size) break;
      for (std::size_t b = 0; b < body.size(); ++b)
        body[b] =
            pass == 0 ? Vec6(wrench.col(c).segment<6>(6 * static_cast<Eigen::Index>(b))) : Vec6(Vec6::Zero());
      projection_.solve(metric_, body, row);
      for (std::size_t b = 0; b < twist.size(); ++b) {
        turn(b, 0.5, body[b]);
        twist[b] += body[b];
      }
    }
    for (std::size_t b = 0; b < twist.size(); ++b)
      change.col(c).segment<6>(6 * static_cast<Eigen::Index>(b)) = twist[b];
  }
}

/// M du - Jᵀ dλ = right, J du + R dλ = right on rows that are free to change, dλ = right on rows at bounds;
/// each column of `right` apart. `problem_` is that of the step.
void StepLinearizer::solveStep(const Eigen::MatrixXd& right, Eigen::MatrixXd& twistChange) {
  const auto bodies = static_cast<Eigen::Index>(poses_.size());
  // Rows between their bounds become joint rows of a block of their own.
  moded_ = problem_;
  moded_.intervals.clear();
  moded_.intervalTerms.clear();
  moded_.bias.resize(static_cast<std::size_t>(jointRows_));
  moded_.compliance.resize(static_cast<std::size_t>(jointRows_));
  std::vector<int> source(static_cast<std::size_t>(jointRows_));  // row of the step of each row
  for (int r = 0; r < jointRows_; ++r) source[static_cast<std::size_t>(r)] = r;
  for (std::size_t i = 0; i < problem_.intervals.size(); ++i) {
    const IntervalRow& row = problem_.intervals[i];
    if (mode_[i] != 0) continue;
    std::vector<RowTerm> terms;
    problem_.forEachBody(row, [&](int body, const Vec6& jacobian) { terms.push_back({body, jacobian}); });
    openBlock(terms, moded_);
    addBlockRow(terms, 0.0, problem_.compliance[static_cast<std::size_t>(row.row)], moded_);
    source.push_back(row.row);
  }
  moded_.jointRows = static_cast<int>(moded_.bias.size());
  system_.analyze(moded_);
  if (!system_.factorize(moded_, {}, kSlopeProximal))
    throw CallError("the step cannot be linearized: its matrix is not finite");

  twistChange.resize(6 * bodies, right.cols());
  const auto rows = static_cast<std::size_t>(moded_.jointRows);
  std::vector<Vec6> wanted(poses_.size()), twist(poses_.size()), body(poses_.size());
  std::vector<double> wantedRow(rows), impulse(rows), row(rows);
  for (Eigen::Index c = 0; c < right.cols(); ++c) {
    for (std::size_t b = 0; b < wanted.size(); ++b)
      wanted[b] = right.col(c).segment<6>(6 * static_cast<Eigen::Index>(b));
    for (std::size_t i = 0; i < problem_.intervals.size(); ++i) {
      if (mode_[i] == 0) continue;
      const double change = right(6 * bodies + problem_.intervals[i].row, c);
      problem_.forEachBody(problem_.intervals[i], [&](int on, const Vec6& jacobian) {
        wanted[static_cast<std::size_t>(on)] += change * jacobian;
      });
    }
    for (std::size_t r = 0; r < rows; ++r) wantedRow[r] = right(6 * bodies + source[r], c);
    for (Vec6& u : twist) u.setZero();
    std::fill(impulse.begin(), impulse.end(), 0.0);
    double size = 0.0;
    for (int pass = 0; pass < kSlopePasses; ++pass) {
      // What the present change leaves of the right side.
      for (Vec6& b : body) b.setZero();
      addRowWrenches(moded_, impulse, body);
      for (std::size_t b = 0; b < body.size(); ++b)
        body[b] += wanted[b] - moded_.inertia[b].multiply(twist[b]);
      rowVelocities(moded_, twist, row);
      addCompliance(moded_, impulse, row);
      double error = 0.0, momentum = 0.0;
      for (std::size_t r = 0; r < rows; ++r) {
        row[r] = wantedRow[r] - row[r];
        error = std::max(error, std::abs(row[r]));
      }
      for (const Vec6& b : body) momentum = std::max(momentum, b.cwiseAbs().maxCoeff());
      if (pass == 0) size = std::max(error, momentum);
      if (pass > 0 && std::max(error, momentum) <= kSlopeError * size) break;
      system_.solve(moded_, body, row);
      for (std::size_t b = 0; b < body.size(); ++b) twist[b] += body[b];
      for (std::size_t r = 0; r < rows; ++r) impulse[r] += row[r];
    }
    for (std::size_t b = 0; b < twist.size(); ++b)
      twistChange.col(c).segment<6>(6 * static_cast<Eigen::Index>(b)) = twist[b];
  }
}

StepDerivative StepLinearizer::linearize(const State& state, const Inputs& inputs) {
  const auto bodies = static_cast<Eigen::Index>(model_->bodies.size());
  const auto actuators = simulator_.actuators();
  for (std::size_t a = 0; a < std::min(inputs.control.size(), actuators.size()); ++a)
    if (!std::isnan(inputs.control[a]) &&
        model_->joints[static_cast<std::size_t>(actuators[a].joint)]
                .coordinates[static_cast<std::size_t>(actuators[a].coordinate)]
                .actuator.kind == Actuator::Kind::Motion)
      throw CallError("a step with a prescribed motion by a control is not differentiated");
  simulator_.inputs() = inputs;
  simulator_.setState(state);
  start_ = simulator_.state();
  rateStart_.resize(start_.coordinates.size());
  simulator_.coordinateRates(rateStart_);
  simulator_.step();
  if (simulator_.diverged())
    throw CallError(fmt::format("the step diverges: {}", simulator_.diverged()->reason));
  const StepRecord& record = simulator_.record();
  const State end = simulator_.state();
  double largest = 0.0;
  for (const double x : record.solution.impulse) largest = std::max(largest, std::abs(x));
  for (int k = 0; k < static_cast<int>(record.problem.contacts.size()); ++k)
    for (int r = 0; r < 3; ++r)
      if (std::abs(record.solution.impulse[static_cast<std::size_t>(record.problem.contactRow(k)) +
                                           static_cast<std::size_t>(r)]) > kActs * largest)
        throw CallError("a step with contacts that act is not differentiated");
  if (!record.problem.boundLoads.empty())
    throw CallError("a step with friction that depends on loads is not differentiated");

  step_ = record.step;
  step_.freeRateChange = {};
  applied_ = inputs.wrench;
  resolveControls(*model_, actuators, inputs, start_, controls_);
  poses_ = record.poses;
  before_ = record.twistBefore;
  after_ = record.solution.twist;
  std::vector<Pose> reached = poses_;
  std::vector<Vec6> reachedTwist = after_;
  advancePoses(*model_, step_.timeToEnd, reached, reachedTwist);
  std::vector<Pose> closed = reached;
  end_.reset();
  end_.projectPoses(closed, start_.coordinates, step_.timeEnd, model_->step.projectionTolerance, geometry_,
                    controls_);
  if (recovery_.needed(record, simulator_.contacts(), geometry_))
    throw CallError("a step that takes back a crossed limit or a deep penetration is not differentiated");
  assemble(poses_, before_, controls_);
  jointRows_ = problem_.jointRows;
  impulse_.assign(record.solution.impulse.begin(),
                  record.solution.impulse.begin() + static_cast<std::ptrdiff_t>(problem_.rows()));
  mode_.clear();
  for (const IntervalRow& row : problem_.intervals) {
    const auto r = static_cast<std::size_t>(row.row);
    const double size = 1.0 / std::max(problem_.delassus(row) + problem_.compliance[r], 1e-300);
    const double tried = impulse_[r] - size * (problem_.velocity(row, after_) + problem_.bias[r] +
                                               problem_.compliance[r] * impulse_[r]);
    mode_.push_back(tried < row.lower ? -1 : tried > row.upper ? 1 : 0);
  }

  // Columns: the state before, then the controls.
  const Eigen::Index n = 12 * bodies, m = static_cast<Eigen::Index>(actuators.size());
  Eigen::MatrixXd change = Eigen::MatrixXd::Zero(n, n + m);
  change.leftCols(n) = freeMotionSlope(start_.poses, start_.twists, step_.timeToRows());
  // The matrix of both projections of poses is made where the first begins; of Euler's only one, at its end.
  std::vector<Pose> matrixAt = start_.poses;
  Eigen::MatrixXd matrixChange = change.topRows(6 * bodies);
  if (step_.timeToRows() > 0.0) {
    std::vector<Vec6> twists = start_.twists;
    advancePoses(*model_, step_.timeToRows(), matrixAt, twists);
    factorizeProjection(matrixAt);
    equalityRows(poses_, equality_);
    Eigen::MatrixXd pose = matrixChange;
    const std::vector<Vec6> moved = posesBetween(matrixAt, poses_);
    project(pose, metricSlope(matrixAt, moved) * matrixChange, {}, moved);
    change.topRows(6 * bodies) = pose;
  }

  const Eigen::SparseMatrix<double> slope = residualSlope();
  Eigen::MatrixXd right = slope * change;
  if (rotors_) {
    const Eigen::MatrixXd rates = rateSlope(start_, start_.twists, false);
    assemble(poses_, before_, controls_);
    for (std::size_t j = 0; j < model_->joints.size(); ++j)
      for (std::size_t i = 0; i < model_->joints[j].coordinates.size(); ++i) {
        const Eigen::Index c = model_->coordinateStart[j] + static_cast<Eigen::Index>(i);
        const int row = rows_[static_cast<std::size_t>(c)].soft;
        if (row < 0) continue;
        // The row's bias has 2 (rate at the rows - rate at the start) as freeChange, see passiveLaw().
        right.row(6 * bodies + row).leftCols(n) -= 2.0 * model_->joints[j].coordinates[i].passive.inertia() *
                                                   problem_.compliance[static_cast<std::size_t>(row)] *
                                                   rates.row(c);
      }
  }
  for (Eigen::Index a = 0; a < m; ++a)
    right.col(n + a) += controlSlope(static_cast<std::size_t>(a), inputs, start_);
  assemble(poses_, before_, controls_);
  // On rows at bounds the residual is the bound itself.
  right = -right;
  for (std::size_t i = 0; i < problem_.intervals.size(); ++i)
    if (mode_[i] != 0) right.row(6 * bodies + problem_.intervals[i].row) *= -1.0;
  Eigen::MatrixXd twist;
  solveStep(right, twist);
  change.bottomRows(6 * bodies) = twist;

  change = freeMotionSlope(poses_, after_, step_.timeToEnd) * change;
  Eigen::MatrixXd pose = change.topRows(6 * bodies);
  if (!(step_.timeToRows() > 0.0)) {
    matrixAt = reached;
    matrixChange = pose;
    factorizeProjection(matrixAt);
  }
  equalityRows(end.poses, equality_);
  const std::vector<Vec6> displaced = posesBetween(reached, end.poses);
  project(pose, metricSlope(matrixAt, displaced) * matrixChange, {}, displaced);
  change.topRows(6 * bodies) = pose;
  if (step_.trapezoidal) {
    factorizeProjection(end.poses);
    equalityRows(end.poses, equality_);
    std::vector<Vec6> moved = end.twists;
    for (std::size_t b = 0; b < moved.size(); ++b) moved[b] -= reachedTwist[b];
    const Eigen::SparseMatrix<double> rates = rateSlope(end, end.twists, true);
    twist = change.bottomRows(6 * bodies);
    project(twist, metricSlope(end.poses, moved) * pose, rates.leftCols(6 * bodies) * pose, {});
    change.bottomRows(6 * bodies) = twist;
  }
  return {change.leftCols(n), change.rightCols(m), end};
}

}  // namespace grashof
