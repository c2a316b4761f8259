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
  for (const ContactBlock& contact : problem.contacts)
    if (contact.bodyA >= 0 && contact.bodyB >= 0) use(contact.bodyA, contact.bodyB);
}

}  // namespace

int KktSystem::bodyPairEdge(int a, int b) const {
  const std::pair<int, int> key = std::minmax(a, b);
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), key);
  return at != pairs_.end() && *at == key ? static_cast<int>(at - pairs_.begin()) : -1;
}

bool KktSystem::plan(const DualProblem& problem) {
  bool fits = bodies_ == problem.bodies() && jointTermCount_.size() == problem.joints.size() &&
              jointBodies_.size() == problem.jointTerms.size();
  for (std::size_t j = 0; fits && j < problem.joints.size(); ++j)
    fits = jointTermCount_[j] == problem.joints[j].terms;
  for (std::size_t t = 0; fits && t < problem.jointTerms.size(); ++t)
    fits = jointBodies_[t] == problem.jointTerms[t].body;
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
  work_.assign(rows.size(), Vec6::Zero());
  ldlt_.analyze(std::move(rows), edges);
  ++plans_;
  return true;
}

double KktSystem::tryFactorize(const DualProblem& problem, std::span<const double> weights) {
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
    for (const ContactBlock& contact : problem.contacts) {
      const int r = contact.row - first;
      const Vec3 w(weights[r], weights[r + 1], weights[r + 2]);
      if (w.isZero(0.0)) continue;
      const Mat36 wa = w.asDiagonal() * contact.jacobianA;
      const Mat36 wb = w.asDiagonal() * contact.jacobianB;
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
  ++factorizations_;
  return ldlt_.factorize(proximal_);
}

bool KktSystem::factorize(const DualProblem& problem, std::span<const double> weights, double proximal) {
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
  proximal_ = std::max(proximal, margin_ > kClean ? 0.1 * proximal_ : proximal_);
  while ((margin_ = tryFactorize(problem, weights)) < kSpoilt) {
    proximal_ *= 10.0;
    if (!(proximal_ < 1.0)) {
      proximal_ = margin_ = 0.0;
      return false;
    }
  }
  return true;
}

void KktSystem::solve(const DualProblem& problem, std::span<Vec6> body, std::span<double> joint) {
  for (int b = 0; b < bodies_; ++b) work_[b] = body[b];
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& block = problem.joints[j];
    Vec6& rhs = work_[bodies_ + j];
    rhs.setZero();
    for (int r = 0; r < block.rows; ++r) rhs[r] = scale_[block.row + r] * joint[block.row + r];
  }
  ldlt_.solve(work_);
  for (int b = 0; b < bodies_; ++b) body[b] = work_[b];
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& block = problem.joints[j];
    for (int r = 0; r < block.rows; ++r)
      joint[block.row + r] = -scale_[block.row + r] * work_[bodies_ + j][r];
  }
}

}  // namespace grashof
