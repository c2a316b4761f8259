#include "solvers/linear/kkt_system.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>
#include <utility>

#include "solvers/problem/contact_products.h"

namespace grashof {
namespace {

// Smallest pivot over η: below the first, rounding has spoilt it; above the second, a smaller η would do.
constexpr double kSpoiltRatio = 0.5, kCleanRatio = 0.95;

Vec3 rowWeights(const DualProblem& problem, std::size_t contact, std::span<const double> weights) {
  return weights.empty() ? Vec3::Zero() : Vec3(&weights[problem.contacts[contact].row - problem.jointRows]);
}

}  // namespace

bool KktSystem::analyze(const DualProblem& problem, std::span<const char> late) {
  explicit_ = contactRows_ == ContactRows::Explicit || !problem.coupled.empty();
  const bool fits = graph_.fits(problem, explicit_, late) && !graph_.wasteful(late);
  if (!fits) graph_.build(problem, explicit_, late);
  contactEdge_.assign(explicit_ ? 0 : problem.contacts.size(), -1);
  for (std::size_t k = 0; k < contactEdge_.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    if (contact.bodyA >= 0 && contact.bodyB >= 0)
      contactEdge_[k] = graph_.bodyPairEdge(contact.bodyA, contact.bodyB);
  }
  if (fits) return false;
  contactsOnly_ = problem.bodies() == 0 && problem.joints.empty() && explicit_;
  if (contactsOnly_) {
    contactWork_.assign(graph_.nodes().size(), Vec3::Zero());
    contactFactor_.analyze(graph_.nodes(), graph_.edges(), graph_.firstJointEdge());
  } else {
    factor_.analyze(graph_.nodes(), graph_.edges(), graph_.firstJointEdge());
  }
  ++plans_;
  return true;
}

void KktSystem::addBodies(const DualProblem& problem) {
  for (int b = 0; b < problem.bodies(); ++b) {
    Mat6& block = factor_.diagonal(b);
    block.topLeftCorner<3, 3>().diagonal().setConstant(problem.inertia[b].mass);
    block.bottomRightCorner<3, 3>() = problem.inertia[b].inertia;
  }
}

void KktSystem::addIntervals(const DualProblem& problem) {
  for (const IntervalRow& row : problem.intervals) {
    const double w = weights_[row.row - problem.jointRows];
    if (w == 0.0) continue;
    problem.forEachBody(row, [&](int body, const Vec6& jacobian) {
      factor_.diagonal(body).noalias() += w * jacobian * jacobian.transpose();
    });
    if (row.bodyA >= 0 && row.bodyB >= 0) addPair(w, row.bodyA, row.jacobianA, row.bodyB, row.jacobianB);
    for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t) {
      const RowTerm& term = problem.intervalTerms[t];
      if (row.bodyA >= 0) addPair(w, row.bodyA, row.jacobianA, term.body, term.jacobian);
      if (row.bodyB >= 0) addPair(w, row.bodyB, row.jacobianB, term.body, term.jacobian);
      for (int s = row.firstTerm; s < t; ++s)
        addPair(w, problem.intervalTerms[s].body, problem.intervalTerms[s].jacobian, term.body,
                term.jacobian);
    }
  }
}

/// Adds weight · jacobianAᵀ jacobianB to the block of two bodies, whose edge is given as (lower, higher)
/// body.
void KktSystem::addPair(double weight, int bodyA, const Vec6& jacobianA, int bodyB, const Vec6& jacobianB) {
  const bool ordered = bodyA < bodyB;
  const Vec6& lead = ordered ? jacobianA : jacobianB;
  const Vec6& other = ordered ? jacobianB : jacobianA;
  factor_.add(graph_.bodyPairEdge(bodyA, bodyB), weight * lead * other.transpose());
}

void KktSystem::addContacts(const DualProblem& problem) {
  const ContactProducts& products = contactProducts();
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const Mat3 w =
        contactWeights_.empty() ? Mat3(rowWeights(problem, k, weights_).asDiagonal()) : contactWeights_[k];
    if (w.isZero(0.0)) continue;
    ContactTargets targets;
    if (contact.bodyA >= 0) targets.aa = factor_.diagonal(contact.bodyA).data();
    if (contact.bodyB >= 0) targets.bb = factor_.diagonal(contact.bodyB).data();
    if (contactEdge_[k] >= 0) {
      std::tie(targets.ab, targets.ba) = factor_.targets(contactEdge_[k]);
      // Edges are given as (lower, higher) body.
      if (contact.bodyA > contact.bodyB) std::swap(targets.ab, targets.ba);
    }
    products.condense(contact.jacobianA.data(), contact.jacobianB.data(), w.data(), targets);
  }
}

void KktSystem::addJoints(const DualProblem& problem) {
  int edge = graph_.firstJointEdge();
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& joint = problem.joints[j];
    const Vec6& s = blockScale_[j];
    Mat6& pivot = factor_.diagonal(graph_.bodies() + static_cast<int>(j));
    for (int r = 0; r < joint.rows; ++r)
      pivot(r, r) = -(s[r] * s[r] * problem.compliance[joint.row + r] + proximal_);
    for (int t = 0; t < joint.terms; ++t)
      factor_.setScaled(edge++, s, problem.jointTerms[joint.firstTerm + t].jacobian);
  }
}

PivotReport KktSystem::tryFactorize(const DualProblem& problem, Part part) {
  ++factorizations_;
  if (contactsOnly_) {
    contactFactor_.clear(symmetry_);
    explicitContacts_.addTo(problem, graph_, symmetry_, contactFactor_);
    return contactFactor_.factorize(proximal_);
  }
  factor_.clear(symmetry_);
  addBodies(problem);
  if (!weights_.empty()) addIntervals(problem);
  if (!explicit_ && part == Part::Whole) addContacts(problem);
  addJoints(problem);
  if (explicit_) explicitContacts_.addTo(problem, graph_, symmetry_, factor_);
  return part == Part::Head ? factor_.factorizeHead(proximal_) : factor_.factorize(proximal_);
}

bool KktSystem::factorize(const DualProblem& problem, std::span<const double> weights, double proximal,
                          std::span<const Mat3> contactWeights) {
  weights_ = weights;
  contactWeights_ = contactWeights;
  if (explicit_) explicitContacts_.setWeights(problem, weights);
  return factorizeWith(problem, proximal, Symmetry::Symmetric);
}

bool KktSystem::factorizeGeneral(const DualProblem& problem, std::span<const double> weights, double proximal,
                                 std::span<const Mat3> contactWeights) {
  assert(!explicit_);
  weights_ = weights;
  contactWeights_ = contactWeights;
  return factorizeWith(problem, proximal, Symmetry::General);
}

bool KktSystem::factorizeGeneral(const DualProblem& problem, std::span<const double> weights, double proximal,
                                 std::span<const ContactEquation> contacts) {
  assert(explicit_);
  weights_ = weights;
  explicitContacts_.setEquations(contacts);
  return factorizeWith(problem, proximal, Symmetry::General);
}

bool KktSystem::factorizeHead(const DualProblem& problem, std::span<const double> weights, double proximal) {
  assert(!explicit_);
  weights_ = weights;
  return factorizeWith(problem, proximal, Symmetry::Symmetric, Part::Head);
}

bool KktSystem::factorizeTail(const DualProblem& problem, std::span<const Mat3> contactWeights) {
  contactWeights_ = contactWeights;
  symmetry_ = Symmetry::General;
  factor_.restoreTail();
  addContacts(problem);
  ++factorizations_;
  const PivotReport pivots = factor_.factorizeTail(proximal_);
  pivotRatio_ = std::min(pivotRatio_, pivots.ratio);
  return pivots.ok;
}

bool KktSystem::factorizeWith(const DualProblem& problem, double proximal, Symmetry symmetry, Part part) {
  symmetry_ = symmetry;
  scale_.resize(problem.jointRows);
  scaleJointRows(problem, scale_);
  blockScale_.assign(problem.joints.size(), Vec6::Zero());
  for (std::size_t j = 0; j < problem.joints.size(); ++j)
    for (int r = 0; r < problem.joints[j].rows; ++r) blockScale_[j][r] = scale_[problem.joints[j].row + r];
  if (proximal != requested_) proximal_ = proximal;  // another request: the η of the last one is no guide
  requested_ = proximal;
  proximal_ = std::max(proximal, pivotRatio_ > kCleanRatio ? 0.1 * proximal_ : proximal_);
  for (;;) {
    const PivotReport pivots = tryFactorize(problem, part);
    pivotRatio_ = pivots.ratio;
    if (pivots.ok && !(pivots.ratio < kSpoiltRatio)) return true;
    proximal_ *= 10.0;
    if (!(proximal_ < 1.0)) {
      proximal_ = pivotRatio_ = 0.0;
      return false;
    }
  }
}

void KktSystem::solveContactsOnly(const DualProblem& problem, std::span<double> rows) {
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    contactWork_[k] = explicitContacts_.scale(k) * Vec3(&rows[problem.contacts[k].row]);
  contactFactor_.solve(contactWork_);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    Vec3::Map(&rows[problem.contacts[k].row]) = -explicitContacts_.scale(k) * contactWork_[k];
}

void KktSystem::solve(const DualProblem& problem, std::span<Vec6> body, std::span<double> rows) {
  assert(factorizations_ > 0 && graph_.bodies() == problem.bodies());
  if (contactsOnly_) return solveContactsOnly(problem, rows);
  const int bodies = graph_.bodies();
  const std::size_t first = graph_.firstContactNode();
  const std::size_t contacts = explicit_ ? problem.contacts.size() : 0;
  const auto joint = [&](std::size_t j) -> Vec6& { return factor_.unknown(bodies + static_cast<int>(j)); };
  const auto contact = [&](std::size_t k) -> Vec6& { return factor_.unknown(static_cast<int>(first + k)); };
  for (int b = 0; b < bodies; ++b) factor_.unknown(b) = body[b];
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& block = problem.joints[j];
    Vec6& rhs = joint(j);
    if (block.row + 6 <= problem.jointRows) {
      rhs = blockScale_[j].cwiseProduct(Vec6::Map(&rows[block.row]));
      continue;
    }
    rhs.setZero();
    for (int r = 0; r < block.rows; ++r) rhs[r] = blockScale_[j][r] * rows[block.row + r];
  }
  for (std::size_t k = 0; k < contacts; ++k)
    contact(k) << explicitContacts_.scale(k) * Vec3(&rows[problem.contacts[k].row]), Vec3::Zero();
  factor_.solve();
  for (int b = 0; b < bodies; ++b) body[b] = factor_.unknown(b);
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& block = problem.joints[j];
    const Vec6 impulse = -blockScale_[j].cwiseProduct(joint(j));
    for (int r = 0; r < block.rows; ++r) rows[block.row + r] = impulse[r];
  }
  for (std::size_t k = 0; k < contacts; ++k)
    Vec3::Map(&rows[problem.contacts[k].row]) = -explicitContacts_.scale(k) * contact(k).head<3>();
}

}  // namespace grashof
