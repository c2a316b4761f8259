#include "engine/analysis/contact_inverse_dynamics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/rows/row_blocks.h"
#include "solvers/problem/cones.h"

namespace grashof {
namespace {

constexpr double kEquationProximal = 1e-10;  // η on scaled rows; taken out again by the passes
constexpr int kEquationPasses = 6;
constexpr double kRounding = 1e-15;  // of the largest speed

/// Whether a state does not tell all that the contacts of a step depend on.
void refuseMemory(const Model& model) {
  for (const SurfacePair& pair : model.surfaceTable)
    if (pair.law.tangentialStiffness > 0.0)
      throw CallError("inverse dynamics with contact: springs of contact tangents remember earlier steps");
}

/// Of the contacts that are not refused none has soft tangents and a rigid normal.
bool rigid(const DualProblem& problem, const ContactBlock& contact) {
  return contact.law < 0 && problem.compliance[static_cast<std::size_t>(contact.row) + 2] == 0.0;
}

}  // namespace

double ContactInverseStep::residualForce() const {
  double largest = 0.0;
  for (const Vec6& r : residual) largest = std::max(largest, r.head<3>().norm());
  return largest;
}

ContactInverseDynamics::ContactInverseDynamics(std::shared_ptr<const Model> model)
    : model_(steppedByImpulses(std::move(model))),
      simulator_(model_, startState(*model_)),
      joints_(*model_),
      geometry_(model_->joints.size()) {
  refuseMemory(*model_);
  for (const ActuatorId place : simulator_.actuators()) {
    const Joint& joint = model_->joints[static_cast<std::size_t>(place.joint)];
    const Actuator& actuator = joint.coordinates[static_cast<std::size_t>(place.coordinate)].actuator;
    drives_.push_back(knownEffort(*model_, actuator) ? 1 : 0);
  }
  simulator_.onProblem([this](const DualProblem& problem, const Solution&) { problem_ = problem; });
}

void ContactInverseDynamics::prepare(const State& state, const Inputs& inputs) {
  checkInputs(*model_, actuators(), inputs);
  simulator_.setState(state);
  simulator_.inputs() = inputs;
  for (std::size_t a = 0; a < drives_.size(); ++a)
    if (drives_[a]) simulator_.inputs().control[a] = 0.0;
  // The problem is kept before it is solved; what the step then does without its drives is of no interest.
  simulator_.step();
  contacts_.assign(simulator_.contacts().begin(), simulator_.contacts().end());
  if (!problem_.boundLoads.empty())
    throw CallError("inverse dynamics with contact: friction depends on loads in this step");
  joints_.setPoses(poses());
  joints_.evaluate(simulator_.record().coordinates, geometry_);
}

ContactInverseStep ContactInverseDynamics::solve(const MotionReference& reference,
                                                 const ContactInverseOptions& options) {
  checkReference(reference);
  ContactInverseStep step;
  moveReference(reference, options, step);
  startContacts(reference, step);
  step.contacts = motionImpulses(problem_, velocity_, step.impulse, options.impulses);
  shareEfforts(step);
  return step;
}

void ContactInverseDynamics::checkReference(const MotionReference& reference) const {
  const auto check = [](std::size_t size, std::size_t wanted, const char* what) {
    if (size != 0 && size != wanted)
      throw CallError(fmt::format("a motion has {} {} instead of {}", size, what, wanted));
  };
  check(reference.rates.size(), static_cast<std::size_t>(model_->coordinates()), "rates");
  check(reference.twists.size(), model_->bodies.size(), "twists");
  check(reference.forces.size(), contacts_.size(), "contact forces");
  for (const Vec6& u : reference.twists)
    if (!u.allFinite()) throw CallError("the twists of a motion must be finite");
  for (const double rate : reference.rates)
    if (std::isinf(rate)) throw CallError("the rates of a motion must be finite, or NaN where they are open");
  for (const Vec3& f : reference.forces)
    if (!f.allFinite() || f[2] < 0.0)
      throw CallError("forces of contacts must be finite, and their normal parts not negative");
}

void ContactInverseDynamics::clearEquations() {
  equations_.clearRows();
  equations_.inertia = problem_.inertia;
  equations_.freeTwist.assign(problem_.inertia.size(), Vec6::Zero());
  place_.clear();
}

/// The rows of all joint blocks: the rigid ones alone, with the soft ones, or with the soft ones as they
/// resist a change of what velocity_ has.
void ContactInverseDynamics::addJoints(SoftRows soft) {
  std::vector<RowTerm> terms;
  for (const JointBlock& block : problem_.joints) {
    terms.resize(static_cast<std::size_t>(block.terms));
    bool open = false;
    for (int r = 0; r < block.rows; ++r) {
      const std::size_t row = static_cast<std::size_t>(block.row) + static_cast<std::size_t>(r);
      const double compliance = problem_.compliance[row];
      if (compliance > 0.0 && soft == SoftRows::None) continue;
      for (std::size_t t = 0; t < terms.size(); ++t) {
        const JointTerm& term = problem_.jointTerms[static_cast<std::size_t>(block.firstTerm) + t];
        terms[t] = {term.body, term.jacobian.row(r).transpose()};
      }
      if (!open) openBlock(terms, equations_);
      open = true;
      const double present = compliance > 0.0 && soft == SoftRows::OfChange ? velocity_[row] : 0.0;
      addBlockRow(terms, problem_.bias[row] - present, compliance, equations_);
      place_.push_back(block.row + r);
    }
  }
  equations_.jointRows = static_cast<int>(equations_.bias.size());
}

void ContactInverseDynamics::addCoordinate(ActuatorId place, double bias) {
  const Joint& joint = model_->joints[static_cast<std::size_t>(place.joint)];
  openJointBlock(joint, equations_);
  addJointRow(joint,
              geometry_[static_cast<std::size_t>(place.joint)]
                  .coordinateRow[static_cast<std::size_t>(place.coordinate)],
              bias, 0.0, equations_);
  place_.push_back(-1);
  equations_.jointRows = static_cast<int>(equations_.bias.size());
}

/// J u + bias = 0 of the normal of a contact, with its tangents or without.
void ContactInverseDynamics::addContactRows(std::size_t contact, bool tangents) {
  const ContactBlock& block = problem_.contacts[contact];
  const double* bias = &problem_.bias[static_cast<std::size_t>(block.row)];
  std::vector<RowTerm> terms;
  for (int r = tangents ? 0 : 2; r < 3; ++r) {
    terms.clear();
    if (block.bodyA >= 0) terms.push_back({block.bodyA, block.jacobianA.row(r).transpose()});
    if (block.bodyB >= 0) terms.push_back({block.bodyB, block.jacobianB.row(r).transpose()});
    openBlock(terms, equations_);
    addBlockRow(terms, bias[r], 0.0, equations_);
    place_.push_back(-1);
  }
  equations_.jointRows = static_cast<int>(equations_.bias.size());
}

/// Changes `twist` by M⁻¹ Aᵀ y so that A twist + R y + bias = 0, where R = 0 by the least mass-weighted
/// change; y goes to equationImpulse_. Equations that contradict each other end at the least squares of their
/// errors.
void ContactInverseDynamics::solveEquations(std::span<Vec6> twist) {
  const std::size_t rows = equations_.bias.size();
  equationImpulse_.assign(rows, 0.0);
  if (rows == 0) return;
  system_.analyze(equations_);
  if (!system_.factorize(equations_, {}, kEquationProximal))
    throw CallError("inverse dynamics with contact: a pose is not finite");
  std::vector<double> row(rows);
  std::vector<Vec6> body(twist.size());
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kEquationPasses; ++pass) {
    rowVelocities(equations_, twist, row);
    double error = 0.0, speed = 0.0;
    for (const Vec6& u : twist) speed = std::max(speed, u.cwiseAbs().maxCoeff());
    for (std::size_t r = 0; r < rows; ++r) {
      row[r] = -(row[r] + equations_.bias[r] + equations_.compliance[r] * equationImpulse_[r]);
      error = std::max(error, std::abs(row[r]));
    }
    if (error <= kRounding * speed || error > 0.5 * before) break;
    before = error;
    for (Vec6& b : body) b.setZero();
    system_.solve(equations_, body, row);
    for (std::size_t b = 0; b < twist.size(); ++b) twist[b] += body[b];
    for (std::size_t r = 0; r < rows; ++r) equationImpulse_[r] += row[r];
  }
}

/// J u + bias of all rows.
void ContactInverseDynamics::rowVelocitiesAt(std::span<const Vec6> twist,
                                             std::vector<double>& velocity) const {
  velocity.resize(static_cast<std::size_t>(problem_.rows()));
  rowVelocities(problem_, twist, velocity);
  for (std::size_t r = 0; r < velocity.size(); ++r) velocity[r] += problem_.bias[r];
}

/// The twists next to the reference that fit the joints; then those next to them that keep rigid contacts
/// closed, too. The rates come first, because a reference is made of them, and give way to contacts; both
/// give way to the joints, which no step opens.
void ContactInverseDynamics::moveReference(const MotionReference& reference,
                                           const ContactInverseOptions& options, ContactInverseStep& step) {
  step.twists = reference.twists.empty() ? problem_.freeTwist : reference.twists;
  clearEquations();
  addJoints(reference.twists.empty() ? SoftRows::All : SoftRows::None);
  for (std::size_t j = 0; j < model_->joints.size() && !reference.rates.empty(); ++j)
    for (int i = 0; i < model_->joints[j].type->numDofs(); ++i) {
      const int index = model_->coordinateStart[j] + i;
      const double rate = reference.rates[static_cast<std::size_t>(index)];
      if (!std::isnan(rate)) addCoordinate({static_cast<int>(j), i}, -rate);
    }
  solveEquations(step.twists);
  closeContacts(reference, options, step);

  step.rates.resize(static_cast<std::size_t>(model_->coordinates()));
  coordinateRates(*model_, geometry_, step.twists, step.rates);
  for (std::size_t c = 0; c < reference.rates.size(); ++c)
    if (!std::isnan(reference.rates[c]))
      step.change = std::max(step.change, std::abs(reference.rates[c] - step.rates[c]));
}

/// Moves the twists so that rigid contacts stay closed, and finds the velocities of all rows with them.
void ContactInverseDynamics::closeContacts(const MotionReference& reference,
                                           const ContactInverseOptions& options, ContactInverseStep& step) {
  rowVelocitiesAt(step.twists, velocity_);
  step.closed.assign(problem_.contacts.size(), 0);
  std::vector<char> sticks(problem_.contacts.size(), 0);
  clearEquations();
  addJoints(reference.twists.empty() ? SoftRows::OfChange : SoftRows::None);
  for (std::size_t k = 0; k < problem_.contacts.size(); ++k) {
    const auto row = static_cast<std::size_t>(problem_.contacts[k].row);
    const Vec3 v(&velocity_[row]);
    if (!rigid(problem_, problem_.contacts[k]) || v[2] > options.closingSpeed) continue;
    step.closed[k] = 1;
    sticks[k] = v.head<2>().norm() <= options.stickingSpeed;
    addContactRows(k, sticks[k] != 0);
  }
  solveEquations(step.twists);
  clearEquations();
  addJoints(SoftRows::None);
  solveEquations(step.twists);

  rowVelocitiesAt(step.twists, velocity_);
  for (const int row : place_)
    step.violation = std::max(step.violation, std::abs(velocity_[static_cast<std::size_t>(row)]));
  for (std::size_t k = 0; k < problem_.contacts.size(); ++k) {
    double* v = &velocity_[static_cast<std::size_t>(problem_.contacts[k].row)];
    if (!step.closed[k]) continue;
    step.violation = std::max(step.violation, std::abs(v[2]));
    // One that others or the joints keep from closing is what the motion makes of it.
    step.closed[k] = std::abs(v[2]) <= options.closingSpeed;
    if (!step.closed[k]) continue;
    v[2] = 0.0;
    if (sticks[k]) v[0] = v[1] = 0.0;
  }
}

/// Impulses to start from: those of the reference forces, as far as the motion lets a contact have them.
void ContactInverseDynamics::startContacts(const MotionReference& reference, ContactInverseStep& step) {
  step.impulse.assign(static_cast<std::size_t>(problem_.rows()), 0.0);
  for (std::size_t k = 0; k < problem_.contacts.size() && !reference.forces.empty(); ++k) {
    const ContactBlock& contact = problem_.contacts[k];
    const auto r = static_cast<std::size_t>(contact.row);
    if (!step.closed[k]) continue;
    Vec3 impulse = contacts_[k].toRows(model_->step.timestep * reference.forces[k]);
    const Vec2 slip(velocity_[r], velocity_[r + 1]);
    const double speed = slip.norm();
    if (speed > 0.0)
      impulse.head<2>() = -contact.friction * impulse[2] / speed * slip;
    else
      impulse = projectOntoCone(impulse, contact.friction);
    std::copy(impulse.begin(), impulse.end(), step.impulse.begin() + static_cast<std::ptrdiff_t>(r));
  }
}

/// Impulses of rigid joints, efforts and residual: M (u - u_f) less what is known. With e = M⁻¹ times that,
/// A = [J; S] and y the impulses, e - M⁻¹ Aᵀ y is least in the metric M where A (e - M⁻¹ Aᵀ y) = 0.
void ContactInverseDynamics::shareEfforts(ContactInverseStep& step) {
  const double dt = model_->step.timestep;
  for (const JointBlock& block : problem_.joints)
    for (int row = block.row; row < block.row + block.rows; ++row) {
      const auto r = static_cast<std::size_t>(row);
      if (problem_.compliance[r] > 0.0) step.impulse[r] = -velocity_[r] / problem_.compliance[r];
    }
  std::vector<Vec6> known(problem_.inertia.size(), Vec6::Zero());
  addRowWrenches(problem_, step.impulse, known);
  std::vector<Vec6> left(known.size());
  for (std::size_t b = 0; b < left.size(); ++b)
    left[b] = step.twists[b] - problem_.freeTwist[b] - problem_.inertia[b].solve(known[b]);

  clearEquations();
  addJoints(SoftRows::None);
  std::fill(equations_.bias.begin(), equations_.bias.end(), 0.0);
  const std::size_t joints = equations_.bias.size();
  for (std::size_t a = 0; a < drives_.size(); ++a)
    if (drives_[a]) addCoordinate(actuators()[a], 0.0);
  solveEquations(left);

  for (std::size_t r = 0; r < joints; ++r)
    step.impulse[static_cast<std::size_t>(place_[r])] = -equationImpulse_[r];
  step.efforts.assign(drives_.size(), std::numeric_limits<double>::quiet_NaN());
  std::size_t row = joints;
  for (std::size_t a = 0; a < drives_.size(); ++a)
    if (drives_[a]) step.efforts[a] = -equationImpulse_[row++] / dt;
  step.residual.resize(left.size());
  for (std::size_t b = 0; b < left.size(); ++b) step.residual[b] = problem_.inertia[b].multiply(left[b]) / dt;
}

}  // namespace grashof
