#include "engine/dynamics/derivative/step_rows.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/rows/contact_rows.h"
#include "engine/dynamics/rows/coordinate_rows.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/gap_bias.h"
#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

Vec6 poseDifference(const Pose& plus, const Pose& minus) {
  Vec6 d;
  d << plus.position - minus.position, logRotation(plus.rotation * minus.rotation.conjugate());
  return d;
}

}  // namespace

std::vector<Vec6> posesBetween(std::span<const Pose> minus, std::span<const Pose> plus) {
  std::vector<Vec6> moved;
  posesBetween(minus, plus, moved);
  return moved;
}

void posesBetween(std::span<const Pose> minus, std::span<const Pose> plus, std::vector<Vec6>& moved) {
  moved.resize(minus.size());
  for (std::size_t b = 0; b < moved.size(); ++b) moved[b] = poseDifference(plus[b], minus[b]);
}

StepRows::StepRows(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      joints_(*model_),
      contacts_(*model_),
      controls_(static_cast<std::size_t>(model_->coordinates())),
      geometry_(model_->joints.size()),
      rows_(static_cast<std::size_t>(model_->coordinates())),
      blocks_(model_->joints.size()),
      wrench_(model_->bodies.size()),
      lawRows_(static_cast<std::size_t>(model_->coordinates())) {
  const auto refuse = [](const char* what) {
    throw CallError(fmt::format("a step with {} is not differentiated", what));
  };
  if (!model_->forces.empty()) refuse("force elements");
  if (!model_->bushings.empty()) refuse("bushings");
  if (!model_->velocityConstraints.empty()) refuse("constraints on velocities");
  if (model_->step.geometricStiffness) refuse("geometric stiffness");
  if (!model_->step.projection) refuse("joints that are not projected");
  for (const Shape& shape : model_->shapes)
    if (shape.collides && shape.modulus > 0.0) refuse("contact patches");
  for (const Joint& joint : model_->joints) {
    if (joint.clearance.any()) refuse("clearances");
    for (const JointCoordinate& c : joint.coordinates) rotors_ = rotors_ || c.passive.inertia() > 0.0;
  }
  if (rotors_ && model_->step.integrator == Integrator::Euler) refuse("rotors in Euler's rule");
  problem_.inertia.resize(model_->bodies.size());
  problem_.freeTwist.resize(model_->bodies.size());
  solvesNcp_ = findSolver(model_->solver.name).model == ContactModel::Ncp;
}

void StepRows::take(const Simulator& simulator, const State& start, std::span<const double> rateStart) {
  const StepRecord& record = simulator.record();
  if (!record.problem.boundLoads.empty())
    throw CallError("a step with friction that depends on loads is not differentiated");
  step_ = record.step;
  step_.freeRateChange = {};
  start_ = start;
  rateStart_.assign(rateStart.begin(), rateStart.end());
  applied_ = simulator.inputs().wrench;
  resolveControls(*model_, simulator.actuators(), simulator.inputs(), start_, controls_);
  poses_ = record.poses;
  coordinates_ = record.coordinates;
  before_ = record.twistBefore;
  after_ = record.solution.twist;
  takeContacts(simulator);
  limitBranch_.clear();
  contactBranch_.clear();
  assemble(poses_, before_, controls_);
  takeBranches();
  jointRows_ = problem_.jointRows;
  mode_.set(problem_, impulse_, after_);
  takeSlope();
  takeControls(simulator.actuators(), simulator.inputs());
}

void StepRows::take(const StepRows& other, std::span<const ActuatorId> actuators, const Inputs& inputs) {
  contacts_.take(other.contacts_);
  mode_ = other.mode_;
  limitBranch_ = other.limitBranch_;
  contactBranch_ = other.contactBranch_;
  step_ = other.step_;
  start_ = other.start_;
  resolveControls(*model_, actuators, inputs, start_, controls_);
  applied_ = other.applied_;
  joints_.setPoses(start_.poses);
  joints_.evaluate(start_.coordinates, geometry_);
  rateStart_.resize(start_.coordinates.size());
  coordinateRates(*model_, geometry_, start_.twists, rateStart_);
  poses_ = other.poses_;
  coordinates_ = other.coordinates_;
  before_ = other.before_;
  after_ = other.after_;
  impulse_ = other.impulse_;
  jointRows_ = other.jointRows_;
}

/// The problem of the step at other poses, twists and controls, without contacts that are open: as
/// Simulator::assemble().
void StepRows::assemble(std::span<const Pose> poses, std::span<const Vec6> twists,
                        std::span<const Control> controls) {
  joints_.setPoses(poses);
  joints_.evaluate(coordinates_, geometry_);
  if (rotors_) {
    freeChange_.resize(rateStart_.size());
    coordinateRates(*model_, geometry_, twists, freeChange_);
    for (std::size_t c = 0; c < freeChange_.size(); ++c)
      freeChange_[c] = 2.0 * (freeChange_[c] - rateStart_[c]);
    step_.freeRateChange = freeChange_;
  }
  const RowContext context{*model_, step_, geometry_, twists, controls, poses};
  inertiaAt(*model_, poses, problem_.inertia);
  externalWrenches(*model_, poses, step_.span(), applied_, wrench_);
  freeTwists(*model_, step_.timestep, twists, wrench_, problem_);
  addEfforts(context, problem_);
  assembleJointRows(context, problem_, rows_, blocks_);
  assembleIntervalRows(context, blocks_, problem_, rows_);
  const std::span<const Contact> contacts = contacts_.at(poses, twists);
  assembleContactRows(*model_, contacts, poses, twists, step_.timestep, problem_);
  stayOnBranches(contacts);
}

/// Moves the biases of the rows of problem_ onto the branches of the step, also beyond their ends.
void StepRows::stayOnBranches(std::span<const Contact> contacts) {
  for (const GapBranch& b : limitBranch_)
    problem_.bias[static_cast<std::size_t>(b.row)] = b.bias + b.slope * (gapOf(b) - b.gap);
  for (std::size_t k = 0; k < contactBranch_.size(); ++k) {
    if (contactBranch_[k].row >= 0)
      stayOnBranch(contactBranch_[k], contacts[k], problem_.contacts[k], problem_);
  }
}

/// The same of a contact of any problem of contacts.
void StepRows::stayOnBranch(const GapBranch& b, const Contact& contact, ContactBlock& block,
                            DualProblem& problem) const {
  const auto row = static_cast<std::size_t>(block.row) + 2;
  problem.bias[row] = b.bias + b.slope * (contact.gapWith(0.0) - b.gap) + contact.turning[2];
  if (block.law < 0) return;
  // The law of another model is another one at the same gap.
  NormalLaw law = problem.laws[static_cast<std::size_t>(block.law)];
  law.gap = b.gap + model_->stabilization.margin;
  problem.bias[row] += b.compliance * (b.impulse - law.impulse(b.velocity));
  problem.compliance[row] = b.compliance;
  block.law = -1;
}

/// The gap of a limit at the present geometry.
double StepRows::gapOf(const GapBranch& limit) const {
  const auto joint = static_cast<std::size_t>(limit.joint), i = static_cast<std::size_t>(limit.coordinate);
  const double q = geometry_[joint].coordinate[limit.coordinate];
  const Limit& bounds = model_->joints[joint].coordinates[i].limit;
  return limit.upper ? bounds.upper - q : q - bounds.lower;
}

/// [M (u⁺ - u_f) - Jᵀ λ; ModeSystem::residual()] for the solution u⁺, λ of the step.
void StepRows::residual(std::span<const Pose> poses, std::span<const Vec6> twists,
                        std::span<const Control> controls, VecX& r) {
  assemble(poses, twists, controls);
  if (problem_.rows() != mode_.rows() || problem_.jointRows != jointRows_)
    throw CallError("a row of a limit or drive appears exactly at this state: the step has no derivative");
  const auto bodies = static_cast<Eigen::Index>(poses.size());
  r.setZero(6 * bodies + mode_.rows());
  std::vector<Vec6> wrench(poses.size(), Vec6::Zero());
  addRowWrenches(problem_, impulse_, wrench);
  for (std::size_t b = 0; b < poses.size(); ++b)
    r.segment<6>(6 * static_cast<Eigen::Index>(b)) =
        problem_.inertia[b].multiply(after_[b] - problem_.freeTwist[b]) - wrench[b];
  mode_.residual(problem_, std::span(r.data() + 6 * bodies, impulse_.size()));
}

std::vector<std::pair<int, double>> StepRows::rotorSlopes() const {
  std::vector<std::pair<int, double>> slopes;
  for (std::size_t j = 0; j < model_->joints.size(); ++j)
    for (std::size_t i = 0; i < model_->joints[j].coordinates.size(); ++i) {
      const int row = rows_[static_cast<std::size_t>(model_->coordinateStart[j]) + i].soft;
      // The row's bias has 2 (rate at the rows - rate at the start) as freeChange, see passiveLaw().
      slopes.emplace_back(row, row < 0 ? 0.0
                                       : -2.0 * model_->joints[j].coordinates[i].passive.inertia() *
                                             problem_.compliance[static_cast<std::size_t>(row)]);
    }
  return slopes;
}

/// The contacts of the step that act, and where their impulses stand behind those of all other rows.
void StepRows::takeContacts(const Simulator& simulator) {
  const StepRecord& record = simulator.record();
  contacts_.choose(simulator.contacts(), record.poses, record.twistBefore, record.step.timeToRows(),
                   contactMargin(model_->step, record.twistBefore), record.problem, record.solution.impulse,
                   record.solution.twist);
  for (const Contact& contact : contacts_.chosen())
    if (contact.meets())
      throw CallError("a step in which surfaces meet is not differentiated (their blow acts within it)");
  if (!contacts_.empty() && !solvesNcp_)
    throw CallError(
        fmt::format("a step with contacts by the solver {} is not differentiated: it does not solve "
                    "the NCP (use auto)",
                    model_->solver.name));
  const auto first = record.solution.impulse.begin();
  impulse_.assign(first, first + record.problem.contactRow(0));
  for (const int k : contacts_.indices())
    impulse_.insert(impulse_.end(), first + record.problem.contactRow(k),
                    first + record.problem.contactRow(k) + 3);
}

/// The branches on which the biases of the step stand. Those of rigid limits and contacts have kinks where
/// what rests just stands, and laws of contacts begin there; differences would mix both sides.
void StepRows::takeBranches() {
  const double dt = step_.timestep;
  const Stabilization& s = model_->stabilization;
  limitBranch_.clear();
  contactBranch_.clear();
  for (std::size_t j = 0; j < model_->joints.size(); ++j)
    for (std::size_t i = 0; i < model_->joints[j].coordinates.size(); ++i) {
      const Softness& softness = model_->joints[j].coordinates[i].limit.softness;
      const bool mixing = softness.kind == Softness::Kind::Mixing;
      if (softness.soft() && !mixing) continue;
      const CoordinateRows& rows = rows_[static_cast<std::size_t>(model_->coordinateStart[j]) + i];
      for (const int row : {rows.lower, rows.upper}) {
        if (row < 0) continue;
        GapBranch branch{static_cast<int>(j), static_cast<int>(i), row == rows.upper, row};
        branch.gap = gapOf(branch);
        branch.bias = problem_.bias[static_cast<std::size_t>(row)];
        branch.slope =
            mixing ? (branch.gap < 0.0 ? softness.erp : 1.0) / dt : gapBiasSlope(branch.gap, s.beta, dt);
        limitBranch_.push_back(branch);
      }
    }
  for (std::size_t k = 0; k < problem_.contacts.size(); ++k) {
    const ContactBlock& block = problem_.contacts[k];
    const Contact& contact = contacts_.chosen()[k];
    GapBranch branch;
    branch.gap = contact.gapWith(0.0);
    const int row = block.row + 2;
    branch.bias = problem_.bias[static_cast<std::size_t>(row)];
    branch.compliance = problem_.compliance[static_cast<std::size_t>(row)];
    if (block.law >= 0) {
      const NormalLaw& law = problem_.laws[static_cast<std::size_t>(block.law)];
      const double velocity = block.velocity(after_)[2];
      const NormalLaw::Tangent tangent = law.tangent(velocity);
      branch.row = row;
      branch.bias = tangent.bias;
      branch.compliance = tangent.compliance;
      branch.velocity = velocity;
      branch.impulse = law.impulse(velocity);
      branch.slope = -tangent.compliance * law.gapSlope(velocity);
    } else if (!contact.soft() &&
               branch.bias == gapBias(branch.gap + s.margin, s.gamma, dt) + contact.turning[2]) {
      branch.row = row;
      branch.bias -= contact.turning[2];
      branch.slope = gapBiasSlope(branch.gap + s.margin, s.gamma, dt);
    } else if (contact.softness.kind == Softness::Kind::Mixing) {
      branch.row = row;
      branch.slope = (branch.gap + s.margin < 0.0 ? contact.softness.erp : 1.0) / dt;
    }
    contactBranch_.push_back(branch);
  }
  stayOnBranches(contacts_.chosen());
}

}  // namespace grashof
