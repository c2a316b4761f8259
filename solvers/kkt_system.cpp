#include "solvers/kkt_system.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

// Smallest pivot over η: what rounding has spoilt, and what leaves room for a smaller η.
constexpr double kSpoilt = 0.5, kClean = 0.95;

/// Calls use(a, b) for the two bodies of every unilateral row that couples two bodies.
template <typename Use>
void forEachPair(const DualProblem& problem, Use use) {
  for (const IntervalRow& row : problem.intervals)
    if (row.bodyA >= 0 && row.bodyB >= 0) use(row.bodyA, row.bodyB);
  if (!problem.coupled.empty()) return;
  for (const ContactBlock& contact : problem.contacts)
    if (contact.bodyA >= 0 && contact.bodyB >= 0) use(contact.bodyA, contact.bodyB);
}

/// Weight block of one contact.
Mat3 contactWeight(const DualProblem& problem, std::size_t contact, std::span<const double> weights,
                   std::span<const Mat3> contactWeights) {
  if (!contactWeights.empty()) return contactWeights[contact];
  if (weights.empty()) return Mat3::Zero();
  return Vec3(&weights[problem.contacts[contact].row - problem.jointRows]).asDiagonal();
}

}  // namespace

int KktSystem::bodyPairEdge(int a, int b) const {
  const std::pair<int, int> key = std::minmax(a, b);
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), key);
  return at != pairs_.end() && *at == key ? static_cast<int>(at - pairs_.begin()) : -1;
}

bool KktSystem::sameCoupling(const DualProblem& problem) const {
  if (problem.coupled.empty()) return coupledPattern_.empty();
  if (coupledBodies_.size() != 2 * problem.contacts.size()) return false;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    if (coupledBodies_[2 * k] != problem.contacts[k].bodyA ||
        coupledBodies_[2 * k + 1] != problem.contacts[k].bodyB)
      return false;
  return coupledPattern_ == problem.coupled.contact;
}

bool KktSystem::plan(const DualProblem& problem) {
  bool fits = bodies_ == problem.bodies() && jointTermCount_.size() == problem.joints.size() &&
              jointBodies_.size() == problem.jointTerms.size();
  for (std::size_t j = 0; fits && j < problem.joints.size(); ++j)
    fits = jointTermCount_[j] == problem.joints[j].terms;
  for (std::size_t t = 0; fits && t < problem.jointTerms.size(); ++t)
    fits = jointBodies_[t] == problem.jointTerms[t].body;
  fits = fits && sameCoupling(problem);
  const bool sameJoints = fits;
  if (fits) forEachPair(problem, [&](int a, int b) { fits = fits && bodyPairEdge(a, b) >= 0; });
  if (fits) return false;

  // Pairs that were planned before are kept while they are not many more than are needed: contacts that blink
  // do not replan.
  std::vector<std::pair<int, int>> pairs;
  forEachPair(problem, [&](int a, int b) { pairs.emplace_back(std::minmax(a, b)); });
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (sameJoints && pairs_.size() <= 2 * pairs.size() + 16) {
    std::vector<std::pair<int, int>> both;
    std::set_union(pairs.begin(), pairs.end(), pairs_.begin(), pairs_.end(), std::back_inserter(both));
    pairs = std::move(both);
  }
  pairs_ = std::move(pairs);

  bodies_ = problem.bodies();
  jointTermCount_.clear();
  jointBodies_.clear();
  std::vector<BlockEdge> edges;
  for (const auto& [a, b] : pairs_) edges.push_back({a, b});
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& joint = problem.joints[j];
    jointTermCount_.push_back(joint.terms);
    for (int t = 0; t < joint.terms; ++t) {
      const int body = problem.jointTerms[joint.firstTerm + t].body;
      jointBodies_.push_back(body);
      edges.push_back({bodies_ + static_cast<int>(j), body});
    }
  }
  std::vector<int> rows(bodies_, 0);
  for (const JointBlock& joint : problem.joints) rows.push_back(joint.rows);
  coupledBodies_.clear();
  coupledPattern_ = problem.coupled.contact;
  if (!problem.coupled.empty()) {
    const int first = static_cast<int>(rows.size());
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
      const ContactBlock& contact = problem.contacts[k];
      const int node = first + static_cast<int>(k);
      rows.push_back(kDefiniteRows);
      for (const int body : {contact.bodyA, contact.bodyB}) {
        coupledBodies_.push_back(body);
        if (body >= 0) edges.push_back({node, body});
      }
      for (int i = problem.coupled.start[k]; i < problem.coupled.diagonal[k]; ++i)
        edges.push_back({node, first + problem.coupled.contact[i]});
    }
  }
  work_.assign(rows.size(), Vec6::Zero());
  ldlt_.analyze(std::move(rows), edges);
  ++plans_;
  return true;
}

void KktSystem::addContacts(const DualProblem& problem, std::span<const double> weights,
                            std::span<const Mat3> contactWeights) {
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const Mat3 w = contactWeight(problem, k, weights, contactWeights);
    if (w.isZero(0.0)) continue;
    const Mat36 wa = w * contact.jacobianA;
    const Mat36 wb = w * contact.jacobianB;
    if (contact.bodyA >= 0) ldlt_.diagonal(contact.bodyA).noalias() += contact.jacobianA.transpose() * wa;
    if (contact.bodyB >= 0) ldlt_.diagonal(contact.bodyB).noalias() += contact.jacobianB.transpose() * wb;
    if (contact.bodyA >= 0 && contact.bodyB >= 0) {
      const bool ordered = contact.bodyA < contact.bodyB;
      ldlt_.add(bodyPairEdge(contact.bodyA, contact.bodyB), ordered
                                                                ? Mat6(contact.jacobianA.transpose() * wb)
                                                                : Mat6(contact.jacobianB.transpose() * wa));
    }
  }
}

void KktSystem::addCoupledContacts(const DualProblem& problem, std::span<const double> weights,
                                   std::span<const Mat3> contactWeights) {
  const CoupledCompliance& coupled = problem.coupled;
  const int first = bodies_ + static_cast<int>(problem.joints.size());
  contactScale_.resize(problem.contacts.size());
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const double d = coupled.block[coupled.diagonal[k]].trace();
    contactScale_[k] = d > 0.0 ? std::sqrt(3.0 / d) : 1.0;
  }
  int edge = static_cast<int>(pairs_.size() + problem.jointTerms.size());
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const double s = contactScale_[k];
    const Mat3 own =
        coupled.block[coupled.diagonal[k]] + contactWeight(problem, k, weights, contactWeights).inverse();
    Mat6& pivot = ldlt_.diagonal(first + static_cast<int>(k));
    pivot.topLeftCorner<3, 3>() = -0.5 * s * s * (own + own.transpose());
    pivot.bottomRightCorner<3, 3>() = -Mat3::Identity();
    Mat6 block = Mat6::Zero();
    if (contact.bodyA >= 0) {
      block.topRows<3>() = s * contact.jacobianA;
      ldlt_.add(edge++, block);
    }
    if (contact.bodyB >= 0) {
      block.topRows<3>() = s * contact.jacobianB;
      ldlt_.add(edge++, block);
    }
    for (int i = coupled.start[k]; i < coupled.diagonal[k]; ++i) {
      block.setZero();
      block.topLeftCorner<3, 3>() = -s * contactScale_[coupled.contact[i]] * coupled.block[i];
      ldlt_.add(edge++, block);
    }
  }
}

double KktSystem::tryFactorize(const DualProblem& problem, std::span<const double> weights,
                               std::span<const Mat3> contactWeights) {
  ldlt_.clear();
  for (int b = 0; b < bodies_; ++b) {
    Mat6& block = ldlt_.diagonal(b);
    block.topLeftCorner<3, 3>().diagonal().setConstant(problem.inertia[b].mass);
    block.bottomRightCorner<3, 3>() = problem.inertia[b].inertia;
  }
  if (!weights.empty()) {
    const int first = problem.jointRows;
    for (const IntervalRow& row : problem.intervals) {
      const double w = weights[row.row - first];
      if (w == 0.0) continue;
      if (row.bodyA >= 0)
        ldlt_.diagonal(row.bodyA).noalias() += w * row.jacobianA * row.jacobianA.transpose();
      if (row.bodyB >= 0)
        ldlt_.diagonal(row.bodyB).noalias() += w * row.jacobianB * row.jacobianB.transpose();
      if (row.bodyA >= 0 && row.bodyB >= 0) {
        const bool ordered = row.bodyA < row.bodyB;
        const Vec6& lead = ordered ? row.jacobianA : row.jacobianB;
        const Vec6& other = ordered ? row.jacobianB : row.jacobianA;
        ldlt_.add(bodyPairEdge(row.bodyA, row.bodyB), w * lead * other.transpose());
      }
    }
  }
  if (problem.coupled.empty()) addContacts(problem, weights, contactWeights);
  int edge = static_cast<int>(pairs_.size());
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& joint = problem.joints[j];
    Vec6 s = Vec6::Zero();
    Mat6& pivot = ldlt_.diagonal(bodies_ + static_cast<int>(j));
    for (int r = 0; r < 6; ++r) {
      if (r < joint.rows) {
        s[r] = scale_[joint.row + r];
        pivot(r, r) = -(s[r] * s[r] * problem.compliance[joint.row + r] + proximal_);
      } else {
        pivot(r, r) = -1.0;
      }
    }
    for (int t = 0; t < joint.terms; ++t)
      ldlt_.add(edge++, s.asDiagonal() * problem.jointTerms[joint.firstTerm + t].jacobian);
  }
  if (!problem.coupled.empty()) addCoupledContacts(problem, weights, contactWeights);
  ++factorizations_;
  return ldlt_.factorize(proximal_);
}

bool KktSystem::factorize(const DualProblem& problem, std::span<const double> weights, double proximal,
                          std::span<const Mat3> contactWeights) {
  scale_.resize(problem.jointRows);
  for (const JointBlock& joint : problem.joints) {
    Vec6 diagonal = Vec6::Zero();
    for (int t = 0; t < joint.terms; ++t) {
      const JointTerm& term = problem.jointTerms[joint.firstTerm + t];
      const InertiaBlock& m = problem.inertia[term.body];
      for (int r = 0; r < joint.rows; ++r) {
        const auto row = term.jacobian.row(r);
        diagonal[r] += m.inverseMass * row.head<3>().squaredNorm() +
                       row.tail<3>().dot(m.inverseInertia * row.tail<3>().transpose());
      }
    }
    for (int r = 0; r < joint.rows; ++r) {
      const double d = diagonal[r] + problem.compliance[joint.row + r];
      scale_[joint.row + r] = d > 0.0 ? 1.0 / std::sqrt(d) : 1.0;
    }
  }
  if (proximal != requested_) proximal_ = proximal;  // what the last one needed says nothing about this one
  requested_ = proximal;
  proximal_ = std::max(proximal, margin_ > kClean ? 0.1 * proximal_ : proximal_);
  while ((margin_ = tryFactorize(problem, weights, contactWeights)) < kSpoilt) {
    proximal_ *= 10.0;
    if (!(proximal_ < 1.0)) {
      proximal_ = margin_ = 0.0;
      return false;
    }
  }
  return true;
}

void KktSystem::solve(const DualProblem& problem, std::span<Vec6> body, std::span<double> rows) {
  for (int b = 0; b < bodies_; ++b) work_[b] = body[b];
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& block = problem.joints[j];
    Vec6& rhs = work_[bodies_ + j];
    rhs.setZero();
    for (int r = 0; r < block.rows; ++r) rhs[r] = scale_[block.row + r] * rows[block.row + r];
  }
  const std::size_t first = bodies_ + problem.joints.size();
  const bool coupled = !problem.coupled.empty();
  for (std::size_t k = 0; coupled && k < problem.contacts.size(); ++k)
    work_[first + k] << contactScale_[k] * Vec3(&rows[problem.contacts[k].row]), Vec3::Zero();
  ldlt_.solve(work_);
  for (int b = 0; b < bodies_; ++b) body[b] = work_[b];
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& block = problem.joints[j];
    for (int r = 0; r < block.rows; ++r) rows[block.row + r] = -scale_[block.row + r] * work_[bodies_ + j][r];
  }
  for (std::size_t k = 0; coupled && k < problem.contacts.size(); ++k)
    Vec3::Map(&rows[problem.contacts[k].row]) = -contactScale_[k] * work_[first + k].head<3>();
}

}  // namespace grashof
