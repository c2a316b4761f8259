#include "tests/fuzz/islands.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "solvers/problem/residuals.h"

namespace grashof::fuzz {
namespace {

bool presses(const ContactBlock& contact, std::span<const double> impulse) {
  return impulse.empty() || impulse[contact.row + 2] > 0.0;
}

int firstBodyOf(const DualProblem& p, const IntervalRow& row) {
  const int body = std::max(row.bodyA, row.bodyB);
  return body >= 0 || row.terms == 0 ? body : p.intervalTerms[row.firstTerm].body;
}

/// Lowest body that rows connect with each body.
std::vector<int> lowestConnected(const DualProblem& p, std::span<const double> impulse) {
  std::vector<int> lowest(p.inertia.size());
  std::iota(lowest.begin(), lowest.end(), 0);
  const auto unite = [&](int a, int b) {
    if (a < 0 || b < 0) return;
    const int from = std::max(lowest[a], lowest[b]), to = std::min(lowest[a], lowest[b]);
    std::replace(lowest.begin(), lowest.end(), from, to);
  };
  for (const JointBlock& joint : p.joints)
    for (int t = 1; t < joint.terms; ++t)
      unite(p.jointTerms[joint.firstTerm].body, p.jointTerms[joint.firstTerm + t].body);
  for (const IntervalRow& row : p.intervals) {
    unite(row.bodyA, row.bodyB);
    for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t)
      unite(firstBodyOf(p, row), p.intervalTerms[t].body);
  }
  for (const ContactBlock& contact : p.contacts)
    if (presses(contact, impulse)) unite(contact.bodyA, contact.bodyB);
  return lowest;
}

}  // namespace

Island wholeOf(const DualProblem& p) {
  Island whole{p, std::vector<int>(static_cast<std::size_t>(p.rows()))};
  std::iota(whole.rows.begin(), whole.rows.end(), 0);
  return whole;
}

std::vector<Island> islandsOf(const DualProblem& given, std::span<const double> impulse) {
  std::vector<Island> islands;
  LoadedProblem loaded;
  const DualProblem& p = impulse.empty() ? given : loaded.at(given, impulse);
  if (!p.coupled.empty()) return {wholeOf(p)};
  const std::vector<int> lowest = lowestConnected(p, impulse);
  std::vector<int> number(p.inertia.size(), -1), place(p.inertia.size());
  for (std::size_t b = 0; b < lowest.size(); ++b) {
    if (lowest[b] == static_cast<int>(b)) {
      number[b] = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    DualProblem& own = islands[number[lowest[b]]].problem;
    place[b] = own.bodies();
    own.inertia.push_back(p.inertia[b]);
    own.freeTwist.push_back(p.freeTwist[b]);
  }
  const auto islandOf = [&](int bodyA, int bodyB) -> Island& {
    return islands[number[lowest[std::max(bodyA, bodyB)]]];
  };
  const auto take = [&](Island& island, int first, int count) {
    const int row = static_cast<int>(island.rows.size());
    for (int r = first; r < first + count; ++r) {
      island.rows.push_back(r);
      island.problem.bias.push_back(p.bias[r]);
      island.problem.compliance.push_back(p.compliance[r]);
    }
    return row;
  };
  for (JointBlock joint : p.joints) {
    const int first = joint.firstTerm;
    Island& island = islandOf(p.jointTerms[first].body, -1);
    joint.row = take(island, joint.row, joint.rows);
    joint.firstTerm = static_cast<int>(island.problem.jointTerms.size());
    for (int t = first; t < first + joint.terms; ++t) {
      island.problem.jointTerms.push_back(p.jointTerms[t]);
      island.problem.jointTerms.back().body = place[p.jointTerms[t].body];
    }
    island.problem.joints.push_back(joint);
    island.problem.jointRows += joint.rows;
  }
  const auto add = [&](auto block, Island& island, auto member, int count) {
    block.row = take(island, block.row, count);
    for (int* body : {&block.bodyA, &block.bodyB})
      if (*body >= 0) *body = place[*body];
    (island.problem.*member).push_back(block);
  };
  for (IntervalRow row : p.intervals) {
    const int body = firstBodyOf(p, row);
    if (body < 0) continue;
    Island& island = islandOf(body, -1);
    const int first = row.firstTerm;
    row.firstTerm = static_cast<int>(island.problem.intervalTerms.size());
    for (int t = first; t < first + row.terms; ++t) {
      island.problem.intervalTerms.push_back(p.intervalTerms[t]);
      island.problem.intervalTerms.back().body = place[p.intervalTerms[t].body];
    }
    add(row, island, &DualProblem::intervals, 1);
  }
  for (const ContactBlock& contact : p.contacts)
    if (presses(contact, impulse) && std::max(contact.bodyA, contact.bodyB) >= 0)
      add(contact, islandOf(contact.bodyA, contact.bodyB), &DualProblem::contacts, 3);
  return islands;
}

}  // namespace grashof::fuzz
