#pragma once
/// Symbolic half of KktSystem: which blocks of its matrix may be nonzero for a problem, and where they are.

#include <span>
#include <utility>
#include <vector>

#include "solvers/linear/elimination_order.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// The graph of a KKT matrix. Nodes: bodies, then joints, then explicit contacts. Edges: pairs of bodies that
/// condensed rows couple, then the terms of the joints in the order of the problem, then for each explicit
/// contact its bodies (A, B) and the contacts before it with which it is coupled.
class KktGraph {
 public:
  /// Whether every nonzero block of the problem's matrix has a place here; `explicitContacts`: contacts are
  /// rows of the matrix. Fewer contacts than planned fit, for a block of zeros does no harm. `late`: one flag
  /// per body, or empty (none); bodies that are to be late are so here, and others may be.
  bool fits(const DualProblem& problem, bool explicitContacts, std::span<const char> late = {}) const;

  /// Whether so many bodies were late in vain since the plan was made that one without them would pay. Counts
  /// the problem of `late`.
  bool wasteful(std::span<const char> late);

  /// Replaces the graph by that of `problem`. Pairs of bodies that were planned before are kept while they
  /// are at most about as many as the problem needs: contacts that come and go cause no new plan. So are late
  /// bodies, unless they were wasteful(). Allocates.
  void build(const DualProblem& problem, bool explicitContacts, std::span<const char> late = {});

  /// Input of BlockFactor::analyze().
  const std::vector<EliminationNode>& nodes() const { return nodes_; }
  const std::vector<BlockEdge>& edges() const { return edges_; }

  /// Whether no joint row closes a loop, so that all of them are independent.
  bool forest() const { return forest_; }
  int bodies() const { return bodies_; }
  int firstContactNode() const { return bodies_ + static_cast<int>(jointTermCount_.size()); }
  int firstJointEdge() const { return static_cast<int>(pairs_.size()); }
  int firstContactEdge() const { return static_cast<int>(pairs_.size() + jointBodies_.size()); }
  /// Edge between two bodies that condensed rows couple, from the lower to the higher index; -1: none.
  int bodyPairEdge(int a, int b) const;

 private:
  using BodyPair = std::pair<int, int>;  // first < second

  bool sameJoints(const DualProblem& problem) const;
  bool sameContacts(const DualProblem& problem, bool explicitContacts) const;
  void keepUsefulPairs(const DualProblem& problem, bool explicitContacts);
  void keepUsefulLate(bool sameMechanism, std::span<const char> late);
  void addContacts(const DualProblem& problem);
  void findLoops(const DualProblem& problem);

  std::vector<EliminationNode> nodes_;
  std::vector<BlockEdge> edges_;
  int bodies_ = -1;
  bool forest_ = true;
  std::vector<int> jointBodies_;  // bodies of all joint terms
  std::vector<int> jointTermCount_;
  std::vector<BodyPair> pairs_;     // sorted
  std::vector<char> late_;          // one per body
  int idle_ = 0;                    // bodies late in vain, summed over problems
  int patience_ = 64;               // with them; grows, so that contacts that come and go are planned once
  std::vector<int> contactBodies_;  // A and B of each explicit contact
  std::vector<int> coupledPattern_;
};

}  // namespace grashof
