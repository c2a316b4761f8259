#include "solvers/linear/kkt_graph.h"

#include <algorithm>
#include <iterator>

#include "engine/base/disjoint_sets.h"

namespace grashof {
namespace {

constexpr std::size_t kSparePairs = 16;
constexpr int kSpareLate = 4;
constexpr int kMostPatience = 1 << 16;

/// Calls use(a, b) for every two bodies that a condensed row couples.
template <typename Use>
void forEachPair(const DualProblem& problem, bool contacts, Use use) {
  for (const IntervalRow& row : problem.intervals) {
    if (row.bodyA >= 0 && row.bodyB >= 0) use(row.bodyA, row.bodyB);
    for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t) {
      const int body = problem.intervalTerms[t].body;
      if (row.bodyA >= 0) use(row.bodyA, body);
      if (row.bodyB >= 0) use(row.bodyB, body);
      for (int other = row.firstTerm; other < t; ++other) use(problem.intervalTerms[other].body, body);
    }
  }
  if (!contacts) return;
  for (const ContactBlock& contact : problem.contacts)
    if (contact.bodyA >= 0 && contact.bodyB >= 0) use(contact.bodyA, contact.bodyB);
}

}  // namespace

int KktGraph::bodyPairEdge(int a, int b) const {
  const BodyPair key = std::minmax(a, b);
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), key);
  return at != pairs_.end() && *at == key ? static_cast<int>(at - pairs_.begin()) : -1;
}

bool KktGraph::sameJoints(const DualProblem& problem) const {
  if (bodies_ != problem.bodies() || jointTermCount_.size() != problem.joints.size() ||
      jointBodies_.size() != problem.jointTerms.size())
    return false;
  for (std::size_t j = 0; j < problem.joints.size(); ++j)
    if (jointTermCount_[j] != problem.joints[j].terms || nodes_[bodies_ + j].rows != problem.joints[j].rows)
      return false;
  for (std::size_t t = 0; t < problem.jointTerms.size(); ++t)
    if (jointBodies_[t] != problem.jointTerms[t].body) return false;
  return true;
}

bool KktGraph::sameContacts(const DualProblem& problem, bool explicitContacts) const {
  if (!explicitContacts) return contactBodies_.empty();
  if (contactBodies_.size() != 2 * problem.contacts.size()) return false;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    if (contactBodies_[2 * k] != problem.contacts[k].bodyA ||
        contactBodies_[2 * k + 1] != problem.contacts[k].bodyB)
      return false;
  return coupledPattern_ == problem.coupled.contact;
}

bool KktGraph::fits(const DualProblem& problem, bool explicitContacts, std::span<const char> late) const {
  if (!sameJoints(problem) || !sameContacts(problem, explicitContacts)) return false;
  bool fit = true;
  for (std::size_t b = 0; b < late.size(); ++b) fit = fit && late_[b] >= late[b];
  forEachPair(problem, !explicitContacts, [&](int a, int b) { fit = fit && bodyPairEdge(a, b) >= 0; });
  return fit;
}

bool KktGraph::wasteful(std::span<const char> late) {
  int needless = 0;
  for (std::size_t b = 0; b < late.size() && b < late_.size(); ++b) needless += late_[b] && !late[b] ? 1 : 0;
  idle_ = needless > 0 ? idle_ + needless : 0;
  return idle_ > patience_;
}

void KktGraph::keepUsefulPairs(const DualProblem& problem, bool explicitContacts) {
  std::vector<BodyPair> needed;
  forEachPair(problem, !explicitContacts, [&](int a, int b) { needed.emplace_back(std::minmax(a, b)); });
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  const bool sameMechanism = sameJoints(problem) && sameContacts(problem, explicitContacts);
  if (sameMechanism && pairs_.size() <= 2 * needed.size() + kSparePairs) {
    std::vector<BodyPair> both;
    std::set_union(needed.begin(), needed.end(), pairs_.begin(), pairs_.end(), std::back_inserter(both));
    needed = std::move(both);
  }
  pairs_ = std::move(needed);
}

void KktGraph::keepUsefulLate(bool sameMechanism, std::span<const char> late) {
  const auto needed = std::count(late.begin(), late.end(), char{1});
  const bool spent = idle_ > patience_;
  const bool keep =
      sameMechanism && !spent && std::count(late_.begin(), late_.end(), char{1}) <= 2 * needed + kSpareLate;
  if (spent) patience_ = std::min(2 * patience_, kMostPatience);
  idle_ = 0;
  if (!keep) late_.assign(late.begin(), late.end());
  for (std::size_t b = 0; b < late.size(); ++b) late_[b] = late_[b] || late[b];
}

void KktGraph::build(const DualProblem& problem, bool explicitContacts, std::span<const char> late) {
  keepUsefulLate(sameJoints(problem), late);
  late_.resize(problem.bodies(), 0);
  keepUsefulPairs(problem, explicitContacts);
  bodies_ = problem.bodies();
  jointTermCount_.clear();
  jointBodies_.clear();
  contactBodies_.clear();
  coupledPattern_ = problem.coupled.contact;
  edges_.clear();
  nodes_.assign(bodies_, {EliminationNode::Kind::Body, 0, false});
  for (int b = 0; b < bodies_; ++b) nodes_[b].late = late_[b] != 0;
  for (const auto& [a, b] : pairs_) edges_.push_back({a, b});
  for (const JointBlock& joint : problem.joints) {
    const int node = static_cast<int>(nodes_.size());
    nodes_.push_back({EliminationNode::Kind::Joint, joint.rows, false});
    jointTermCount_.push_back(joint.terms);
    for (int t = 0; t < joint.terms; ++t) {
      const int body = problem.jointTerms[joint.firstTerm + t].body;
      jointBodies_.push_back(body);
      edges_.push_back({node, body});
    }
  }
  findLoops(problem);
  if (explicitContacts) addContacts(problem);
}

void KktGraph::findLoops(const DualProblem& problem) {
  const int world = problem.bodies();
  DisjointSets joined(static_cast<std::size_t>(world) + 1);
  forest_ = true;
  for (const JointBlock& joint : problem.joints) {
    const int a = joint.terms > 0 ? problem.jointTerms[joint.firstTerm].body : world;
    const int b = joint.terms > 1 ? problem.jointTerms[joint.firstTerm + 1].body : world;
    if (joint.terms > 2 || joined.find(a) == joined.find(b)) forest_ = false;
    joined.join(a, b);
  }
}

void KktGraph::addContacts(const DualProblem& problem) {
  using Kind = EliminationNode::Kind;
  const CoupledCompliance& coupled = problem.coupled;
  const int first = firstContactNode();
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const int node = first + static_cast<int>(k);
    nodes_.push_back({coupled.empty() ? Kind::StiffContact : Kind::CompliantContact, 3, false});
    for (const int body : {contact.bodyA, contact.bodyB}) {
      contactBodies_.push_back(body);
      if (body >= 0) edges_.push_back({node, body});
    }
    if (coupled.empty()) continue;
    for (int i = coupled.start[k]; i < coupled.diagonal[k]; ++i)
      edges_.push_back({node, first + coupled.contact[i]});
  }
}

}  // namespace grashof
