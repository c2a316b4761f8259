#include "engine/results/contact_condensation.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "engine/base/disjoint_sets.h"

namespace grashof {
namespace {

constexpr std::size_t kMostRows = 600;
constexpr double kRedundant = 1e-11;

ContactBlocks delassusBlocks(const DualProblem& problem) {
  const int contacts = static_cast<int>(problem.contacts.size());
  std::vector<std::vector<std::pair<int, const Mat36*>>> touching(problem.inertia.size());
  ContactBlocks blocks;
  for (int k = 0; k < contacts; ++k) {
    const ContactBlock& contact = problem.contacts[k];
    blocks[{k, k}] = Vec3(&problem.compliance[contact.row]).asDiagonal();
    if (contact.bodyA >= 0) touching[contact.bodyA].emplace_back(k, &contact.jacobianA);
    if (contact.bodyB >= 0) touching[contact.bodyB].emplace_back(k, &contact.jacobianB);
    if (problem.coupled.empty()) continue;
    for (int i = problem.coupled.start[k]; i < problem.coupled.start[k + 1]; ++i)
      blocks.try_emplace({k, problem.coupled.contact[i]}, Mat3::Zero()).first->second +=
          problem.coupled.block[i];
  }
  for (std::size_t b = 0; b < touching.size(); ++b) {
    const InertiaBlock& m = problem.inertia[b];
    for (const auto& [i, ji] : touching[b])
      for (const auto& [j, jj] : touching[b])
        blocks.try_emplace({i, j}, Mat3::Zero()).first->second +=
            m.inverseMass * ji->leftCols<3>() * jj->leftCols<3>().transpose() +
            ji->rightCols<3>() * m.inverseInertia * jj->rightCols<3>().transpose();
  }
  return blocks;
}

}  // namespace

CoupledCompliance compress(const ContactBlocks& blocks, int contacts) {
  CoupledCompliance w;
  w.start.assign(1, 0);
  w.diagonal.assign(static_cast<std::size_t>(contacts), -1);
  for (const auto& [at, block] : blocks) {
    while (static_cast<int>(w.start.size()) <= at.first)
      w.start.push_back(static_cast<int>(w.contact.size()));
    if (at.first == at.second)
      w.diagonal[static_cast<std::size_t>(at.first)] = static_cast<int>(w.contact.size());
    w.contact.push_back(at.second);
    w.block.push_back(block);
  }
  while (static_cast<int>(w.start.size()) <= contacts) w.start.push_back(static_cast<int>(w.contact.size()));
  return w;
}

CoupledCompliance contactDelassus(const DualProblem& problem) {
  return compress(delassusBlocks(problem), static_cast<int>(problem.contacts.size()));
}

bool isUnbounded(const IntervalRow& row) { return std::isinf(row.lower) && std::isinf(row.upper); }

std::vector<BilateralRow> bilateralRows(const DualProblem& problem) {
  std::vector<BilateralRow> rows;
  for (const JointBlock& joint : problem.joints)
    for (int r = 0; r < joint.rows; ++r) {
      BilateralRow row{joint.row + r, {}};
      for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
        row.terms.push_back({problem.jointTerms[t].body, problem.jointTerms[t].jacobian.row(r).transpose()});
      rows.push_back(std::move(row));
    }
  for (const IntervalRow& interval : problem.intervals) {
    if (!isUnbounded(interval)) continue;
    BilateralRow row{interval.row, {}};
    problem.forEachBody(interval, [&](int body, const Vec6& jacobian) {
      row.terms.push_back({body, jacobian});
    });
    rows.push_back(std::move(row));
  }
  return rows;
}

Eigen::MatrixXd semidefiniteInverse(const Eigen::MatrixXd& a) {
  const Eigen::VectorXd scale =
      a.diagonal().unaryExpr([](double d) { return d > 0.0 ? 1.0 / std::sqrt(d) : 1.0; });
  const Eigen::MatrixXd scaled = scale.asDiagonal() * a * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  const double least = kRedundant * std::max(eigen.eigenvalues().tail<1>()[0], 0.0);
  const Eigen::VectorXd inverse =
      eigen.eigenvalues().unaryExpr([&](double value) { return value > least ? 1.0 / value : 0.0; });
  const Eigen::MatrixXd vectors = scale.asDiagonal() * eigen.eigenvectors();
  return vectors * inverse.asDiagonal() * vectors.transpose();
}

std::vector<CondensedContacts::Island> CondensedContacts::islandsOf(const DualProblem& problem,
                                                                    const std::vector<BilateralRow>& rows) {
  DisjointSets sets(problem.inertia.size());
  for (const BilateralRow& row : rows)
    for (const RowTerm& term : row.terms) sets.join(term.body, row.terms[0].body);
  std::vector<int> islandOf(problem.inertia.size(), -1);  // by root
  std::vector<Island> islands;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].terms.empty()) continue;
    int& island = islandOf[sets.find(rows[i].terms[0].body)];
    if (island < 0) {
      island = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    islands[island].rows.push_back(static_cast<int>(i));
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const auto islandAt = [&](int body) { return body < 0 ? -1 : islandOf[sets.find(body)]; };
    const int a = islandAt(problem.contacts[k].bodyA), b = islandAt(problem.contacts[k].bodyB);
    if (a >= 0) islands[a].contacts.push_back(static_cast<int>(k));
    if (b >= 0 && b != a) islands[b].contacts.push_back(static_cast<int>(k));
  }
  return islands;
}

void CondensedContacts::assemble(const DualProblem& problem, const std::vector<BilateralRow>& rows,
                                 Island& island) {
  const auto n = static_cast<Eigen::Index>(island.rows.size());
  const auto c = static_cast<Eigen::Index>(island.contacts.size());
  std::vector<std::vector<std::pair<Eigen::Index, const Vec6*>>> on(problem.inertia.size());
  for (Eigen::Index i = 0; i < n; ++i)
    for (const RowTerm& term : rows[island.rows[i]].terms) on[term.body].emplace_back(i, &term.jacobian);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  island.coupling = Eigen::MatrixXd::Zero(3 * c, n);
  island.free.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const BilateralRow& row = rows[island.rows[i]];
    a(i, i) += problem.compliance[row.row];
    island.free[i] = problem.bias[row.row];
    for (const RowTerm& term : row.terms) {
      const Vec6 moved = problem.inertia[term.body].solve(term.jacobian);
      for (const auto& [j, jacobian] : on[term.body]) a(j, i) += jacobian->dot(moved);
      island.free[i] += term.jacobian.dot(problem.freeTwist[term.body]);
    }
  }
  for (Eigen::Index k = 0; k < c; ++k) {
    const ContactBlock& contact = problem.contacts[island.contacts[k]];
    const auto add = [&](int body, const Mat36& own) {
      if (body < 0) return;
      for (const auto& [j, jacobian] : on[body])
        island.coupling.block<3, 1>(3 * k, j) += own * problem.inertia[body].solve(*jacobian);
    };
    add(contact.bodyA, contact.jacobianA);
    add(contact.bodyB, contact.jacobianB);
  }
  island.inverse = semidefiniteInverse(a);
}

bool CondensedContacts::fits(const DualProblem& problem) {
  for (const Island& island : islandsOf(problem, bilateralRows(problem)))
    if (island.rows.size() > kMostRows) return false;
  return true;
}

CondensedContacts::CondensedContacts(const DualProblem& problem) {
  const auto rows = bilateralRows(problem);
  rows_ = rows.size();
  islands_ = islandsOf(problem, rows);
  ContactBlocks blocks = delassusBlocks(problem);
  std::vector<double> free(static_cast<std::size_t>(problem.rows()));
  rowVelocities(problem, problem.freeTwist, free);
  for (const ContactBlock& contact : problem.contacts)
    for (int r = contact.row; r < contact.row + 3; ++r) free_.push_back(free[r] + problem.bias[r]);
  for (Island& island : islands_) {
    assemble(problem, rows, island);
    const Eigen::MatrixXd solved = island.coupling * island.inverse;
    const Eigen::MatrixXd taken = solved * island.coupling.transpose();
    const Eigen::VectorXd moved = solved * island.free;
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const auto at = 3 * static_cast<Eigen::Index>(i);
      Eigen::Map<Vec3>(&free_[3 * island.contacts[i]]) -= moved.segment<3>(at);
      for (std::size_t j = 0; j < island.contacts.size(); ++j) {
        const auto to = 3 * static_cast<Eigen::Index>(j);
        blocks.try_emplace({island.contacts[i], island.contacts[j]}, Mat3::Zero()).first->second -=
            0.5 * (taken.block<3, 3>(at, to) + taken.block<3, 3>(to, at).transpose());
      }
    }
  }
  delassus_ = compress(blocks, static_cast<int>(problem.contacts.size()));
}

std::vector<double> CondensedContacts::velocity(std::span<const double> impulse) const {
  std::vector<double> u = free_;
  for (std::size_t k = 0; 3 * k < u.size(); ++k)
    Eigen::Map<Vec3>(&u[3 * k]) += delassus_.velocity(static_cast<int>(k), impulse.data());
  return u;
}

std::vector<double> CondensedContacts::bilateralImpulse(std::span<const double> impulse) const {
  std::vector<double> all(rows_, 0.0);
  for (const Island& island : islands_) {
    Eigen::VectorXd free = island.free;
    for (std::size_t k = 0; k < island.contacts.size(); ++k)
      free += island.coupling.middleRows<3>(3 * static_cast<Eigen::Index>(k)).transpose() *
              Eigen::Map<const Vec3>(&impulse[3 * island.contacts[k]]);
    const Eigen::VectorXd own = -(island.inverse * free);
    for (std::size_t i = 0; i < island.rows.size(); ++i)
      all[island.rows[i]] = own[static_cast<Eigen::Index>(i)];
  }
  return all;
}

}  // namespace grashof
