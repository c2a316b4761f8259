#include "solvers/linear/kkt_system.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace grashof {
namespace {

// Smallest pivot over η: what rounding has spoilt, and what leaves room for a smaller η.
constexpr double kSpoiltMargin = 0.5, kCleanMargin = 0.95;

/// Calls use(a, b) for the two bodies of every unilateral row that couples two bodies.
template <typename Use>
void forEachPair(const DualProblem& problem, bool contacts, Use use) {
  for (const IntervalRow& row : problem.intervals)
    if (row.bodyA >= 0 && row.bodyB >= 0) use(row.bodyA, row.bodyB);
  if (!contacts) return;
  for (const ContactBlock& contact : problem.contacts)
    if (contact.bodyA >= 0 && contact.bodyB >= 0) use(contact.bodyA, contact.bodyB);
}

Vec3 rowWeights(const DualProblem& problem, std::size_t contact, std::span<const double> weights) {
  return weights.empty() ? Vec3::Zero() : Vec3(&weights[problem.contacts[contact].row - problem.jointRows]);
}

}  // namespace

int KktSystem::bodyPairEdge(int a, int b) const {
  const std::pair<int, int> key = std::minmax(a, b);
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), key);
  return at != pairs_.end() && *at == key ? static_cast<int>(at - pairs_.begin()) : -1;
}

bool KktSystem::sameContacts(const DualProblem& problem) const {
  if (!explicit_) return contactBodies_.empty();
  if (contactBodies_.size() != 2 * problem.contacts.size()) return false;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    if (contactBodies_[2 * k] != problem.contacts[k].bodyA ||
        contactBodies_[2 * k + 1] != problem.contacts[k].bodyB)
      return false;
  return coupledPattern_ == problem.coupled.contact;
}

bool KktSystem::plan(const DualProblem& problem) {
  explicit_ = contactRows_ == ContactRows::Explicit || !problem.coupled.empty();
  bool fits = bodies_ == problem.bodies() && jointTermCount_.size() == problem.joints.size() &&
              jointBodies_.size() == problem.jointTerms.size();
  for (std::size_t j = 0; fits && j < problem.joints.size(); ++j)
    fits = jointTermCount_[j] == problem.joints[j].terms;
  for (std::size_t t = 0; fits && t < problem.jointTerms.size(); ++t)
    fits = jointBodies_[t] == problem.jointTerms[t].body;
  fits = fits && sameContacts(problem);
  const bool sameJoints = fits;
  if (fits) forEachPair(problem, !explicit_, [&](int a, int b) { fits = fits && bodyPairEdge(a, b) >= 0; });
  if (fits) return false;

  // Pairs that were planned before are kept while they are not many more than are needed: contacts that blink
  // do not replan.
  std::vector<std::pair<int, int>> pairs;
  forEachPair(problem, !explicit_, [&](int a, int b) { pairs.emplace_back(std::minmax(a, b)); });
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
  contactBodies_.clear();
  coupledPattern_ = problem.coupled.contact;
  const int first = static_cast<int>(rows.size());
  for (std::size_t k = 0; explicit_ && k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const int node = first + static_cast<int>(k);
    rows.push_back(problem.coupled.empty() ? waitingRows(3) : kDefiniteRows);
    for (const int body : {contact.bodyA, contact.bodyB}) {
      contactBodies_.push_back(body);
      if (body >= 0) edges.push_back({node, body});
    }
    if (problem.coupled.empty()) continue;
    for (int i = problem.coupled.start[k]; i < problem.coupled.diagonal[k]; ++i)
      edges.push_back({node, first + problem.coupled.contact[i]});
  }
  contactsOnly_ = bodies_ == 0 && problem.joints.empty() && explicit_;
  if (contactsOnly_) {
    smallWork_.assign(rows.size(), Vec3::Zero());
    small_.analyze(std::move(rows), edges);
  } else {
    work_.assign(rows.size(), Vec6::Zero());
    factor_.analyze(std::move(rows), edges);
  }
  ++plans_;
  return true;
}

void KktSystem::addIntervals(const DualProblem& problem) {
  for (const IntervalRow& row : problem.intervals) {
    const double w = weights_[row.row - problem.jointRows];
    if (w == 0.0) continue;
    if (row.bodyA >= 0)
      factor_.diagonal(row.bodyA).noalias() += w * row.jacobianA * row.jacobianA.transpose();
    if (row.bodyB >= 0)
      factor_.diagonal(row.bodyB).noalias() += w * row.jacobianB * row.jacobianB.transpose();
    if (row.bodyA < 0 || row.bodyB < 0) continue;
    const bool ordered = row.bodyA < row.bodyB;
    const Vec6& lead = ordered ? row.jacobianA : row.jacobianB;
    const Vec6& other = ordered ? row.jacobianB : row.jacobianA;
    factor_.add(bodyPairEdge(row.bodyA, row.bodyB), w * lead * other.transpose());
  }
}

void KktSystem::addContacts(const DualProblem& problem) {
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const Mat3 w =
        contactWeights_.empty() ? Mat3(rowWeights(problem, k, weights_).asDiagonal()) : contactWeights_[k];
    if (w.isZero(0.0)) continue;
    const Mat36 wa = w * contact.jacobianA;
    const Mat36 wb = w * contact.jacobianB;
    if (contact.bodyA >= 0) factor_.diagonal(contact.bodyA).noalias() += contact.jacobianA.transpose() * wa;
    if (contact.bodyB >= 0) factor_.diagonal(contact.bodyB).noalias() += contact.jacobianB.transpose() * wb;
    if (contact.bodyA < 0 || contact.bodyB < 0) continue;
    // Edges are given as (lower, higher) body.
    const Mat6 ab = contact.jacobianA.transpose() * wb;
    const bool ordered = contact.bodyA < contact.bodyB;
    const int edge = bodyPairEdge(contact.bodyA, contact.bodyB);
    if (symmetry_ == Symmetry::Symmetric) {
      factor_.add(edge, ordered ? ab : ab.transpose());
    } else {
      const Mat6 ba = contact.jacobianB.transpose() * wa;
      factor_.add(edge, ordered ? ab : ba, ordered ? ba : ab);
    }
  }
}

/// Contacts given by weights: scaled by 1/√D_ii.
void KktSystem::equationsFromWeights(const DualProblem& problem) {
  const CoupledCompliance& coupled = problem.coupled;
  scaledContacts_.resize(problem.contacts.size());
  contactScale_.resize(problem.contacts.size());
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const double d = coupled.empty() ? 0.0 : coupled.block[coupled.diagonal[k]].trace();
    const double s = d > 0.0 ? std::sqrt(3.0 / d) : 1.0;
    contactScale_[k] = s;
    ContactEquation& equation = scaledContacts_[k];
    equation.left = equation.right = s * Mat3::Identity();
    equation.own = (s * s * rowWeights(problem, k, weights_).cwiseInverse()).asDiagonal();
  }
  equations_ = scaledContacts_;
}

template <int N>
void KktSystem::addExplicitContacts(const DualProblem& problem, BlockFactor<N>& factor) {
  using Block = typename BlockFactor<N>::Block;
  const CoupledCompliance& coupled = problem.coupled;
  const int first = bodies_ + static_cast<int>(problem.joints.size());
  int edge = static_cast<int>(pairs_.size() + problem.jointTerms.size());
  const auto padded = [](const Mat3& block) {
    Block b = Block::Zero();
    b.template topLeftCorner<3, 3>() = block;
    return b;
  };
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const ContactEquation& equation = equations_[k];
    Mat3 own = equation.own;
    if (!coupled.empty())
      own += equation.left * coupled.block[coupled.diagonal[k]] * equation.right.transpose();
    Block& pivot = factor.diagonal(first + static_cast<int>(k));
    pivot = -Block::Identity();
    pivot.template topLeftCorner<3, 3>() = -own;
    if constexpr (N == 6)
      for (const auto& [body, jacobian] :
           {std::pair(contact.bodyA, &contact.jacobianA), std::pair(contact.bodyB, &contact.jacobianB)}) {
        if (body < 0) continue;
        Mat6 left = Mat6::Zero(), right = Mat6::Zero();
        left.topRows<3>() = equation.left * *jacobian;
        right.topRows<3>() = equation.right * *jacobian;
        if (symmetry_ == Symmetry::Symmetric)
          factor.add(edge++, left);
        else
          factor.add(edge++, left, right.transpose());
      }
    if (coupled.empty()) continue;
    for (int i = coupled.start[k]; i < coupled.diagonal[k]; ++i) {
      const ContactEquation& other = equations_[coupled.contact[i]];
      const Block block = padded(-(equation.left * coupled.block[i] * other.right.transpose()));
      if (symmetry_ == Symmetry::Symmetric)
        factor.add(edge++, block);
      else
        factor.add(edge++, block,
                   padded(-(other.left * coupled.block[i].transpose() * equation.right.transpose())));
    }
  }
}

double KktSystem::tryFactorize(const DualProblem& problem) {
  ++factorizations_;
  if (contactsOnly_) {
    small_.clear(symmetry_);
    addExplicitContacts(problem, small_);
    return small_.factorize(proximal_);
  }
  factor_.clear(symmetry_);
  for (int b = 0; b < bodies_; ++b) {
    Mat6& block = factor_.diagonal(b);
    block.topLeftCorner<3, 3>().diagonal().setConstant(problem.inertia[b].mass);
    block.bottomRightCorner<3, 3>() = problem.inertia[b].inertia;
  }
  if (!weights_.empty()) addIntervals(problem);
  if (!explicit_) addContacts(problem);
  int edge = static_cast<int>(pairs_.size());
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& joint = problem.joints[j];
    Vec6 s = Vec6::Zero();
    Mat6& pivot = factor_.diagonal(bodies_ + static_cast<int>(j));
    for (int r = 0; r < 6; ++r) {
      if (r < joint.rows) {
        s[r] = scale_[joint.row + r];
        pivot(r, r) = -(s[r] * s[r] * problem.compliance[joint.row + r] + proximal_);
      } else {
        pivot(r, r) = -1.0;
      }
    }
    for (int t = 0; t < joint.terms; ++t)
      factor_.add(edge++, s.asDiagonal() * problem.jointTerms[joint.firstTerm + t].jacobian);
  }
  if (explicit_) addExplicitContacts(problem, factor_);
  return factor_.factorize(proximal_);
}

bool KktSystem::factorize(const DualProblem& problem, std::span<const double> weights, double proximal,
                          std::span<const Mat3> contactWeights) {
  weights_ = weights;
  contactWeights_ = contactWeights;
  if (explicit_) equationsFromWeights(problem);
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
  equations_ = contacts;
  contactScale_.clear();
  return factorizeWith(problem, proximal, Symmetry::General);
}

bool KktSystem::factorizeWith(const DualProblem& problem, double proximal, Symmetry symmetry) {
  symmetry_ = symmetry;
  scale_.resize(problem.jointRows);
  for (const JointBlock& joint : problem.joints) {
    Vec6 diagonal = Vec6::Zero();
    for (int t = 0; t < joint.terms; ++t) {
      const JointTerm& term = problem.jointTerms[joint.firstTerm + t];
      for (int r = 0; r < joint.rows; ++r)
        diagonal[r] += problem.inertia[term.body].delassus(term.jacobian.row(r).transpose());
    }
    for (int r = 0; r < joint.rows; ++r) {
      const double d = diagonal[r] + problem.compliance[joint.row + r];
      scale_[joint.row + r] = d > 0.0 ? 1.0 / std::sqrt(d) : 1.0;
    }
  }
  if (proximal != requested_) proximal_ = proximal;  // what the last one needed says nothing about this one
  requested_ = proximal;
  proximal_ = std::max(proximal, margin_ > kCleanMargin ? 0.1 * proximal_ : proximal_);
  while ((margin_ = tryFactorize(problem)) < kSpoiltMargin) {
    proximal_ *= 10.0;
    if (!(proximal_ < 1.0)) {
      proximal_ = margin_ = 0.0;
      return false;
    }
  }
  return true;
}

void KktSystem::solve(const DualProblem& problem, std::span<Vec6> body, std::span<double> rows) {
  const auto contactScale = [&](std::size_t k) { return contactScale_.empty() ? 1.0 : contactScale_[k]; };
  const std::size_t contacts = explicit_ ? problem.contacts.size() : 0;
  if (contactsOnly_) {
    for (std::size_t k = 0; k < contacts; ++k)
      smallWork_[k] = contactScale(k) * Vec3(&rows[problem.contacts[k].row]);
    small_.solve(smallWork_);
    for (std::size_t k = 0; k < contacts; ++k)
      Vec3::Map(&rows[problem.contacts[k].row]) = -contactScale(k) * smallWork_[k];
    return;
  }
  for (int b = 0; b < bodies_; ++b) work_[b] = body[b];
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& block = problem.joints[j];
    Vec6& rhs = work_[bodies_ + j];
    rhs.setZero();
    for (int r = 0; r < block.rows; ++r) rhs[r] = scale_[block.row + r] * rows[block.row + r];
  }
  const std::size_t first = bodies_ + problem.joints.size();
  for (std::size_t k = 0; k < contacts; ++k)
    work_[first + k] << contactScale(k) * Vec3(&rows[problem.contacts[k].row]), Vec3::Zero();
  factor_.solve(work_);
  for (int b = 0; b < bodies_; ++b) body[b] = work_[b];
  for (std::size_t j = 0; j < problem.joints.size(); ++j) {
    const JointBlock& block = problem.joints[j];
    for (int r = 0; r < block.rows; ++r) rows[block.row + r] = -scale_[block.row + r] * work_[bodies_ + j][r];
  }
  for (std::size_t k = 0; k < contacts; ++k)
    Vec3::Map(&rows[problem.contacts[k].row]) = -contactScale(k) * work_[first + k].head<3>();
}

}  // namespace grashof
