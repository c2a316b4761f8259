#include "solvers/linear/explicit_contacts.h"

#include <cmath>

namespace grashof {
namespace {

template <int N>
Eigen::Matrix<double, N, N> padded(const Mat3& block) {
  Eigen::Matrix<double, N, N> b = Eigen::Matrix<double, N, N>::Zero();
  b.template topLeftCorner<3, 3>() = block;
  return b;
}

/// The blocks between a contact and its bodies. Returns the edge after theirs.
int addBodyBlocks(const ContactBlock& contact, const ContactEquation& equation, int edge, Symmetry symmetry,
                  BlockFactor<6>& factor) {
  for (const auto& [body, jacobian] :
       {std::pair(contact.bodyA, &contact.jacobianA), std::pair(contact.bodyB, &contact.jacobianB)}) {
    if (body < 0) continue;
    Mat6 rows = Mat6::Zero(), columns = Mat6::Zero();
    rows.topRows<3>() = equation.rowMap * *jacobian;
    columns.topRows<3>() = equation.columnMap * *jacobian;
    if (symmetry == Symmetry::Symmetric)
      factor.set(edge++, rows);
    else
      factor.set(edge++, rows, columns.transpose());
  }
  return edge;
}

}  // namespace

void ExplicitContacts::setWeights(const DualProblem& problem, std::span<const double> weights) {
  const CoupledCompliance& coupled = problem.coupled;
  fromWeights_.resize(problem.contacts.size());
  scale_.resize(problem.contacts.size());
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const double d = coupled.empty() ? 0.0 : coupled.block[coupled.diagonal[k]].trace();
    const double s = d > 0.0 ? std::sqrt(3.0 / d) : 1.0;
    const Vec3 weight(&weights[problem.contacts[k].row - problem.jointRows]);
    scale_[k] = s;
    ContactEquation& equation = fromWeights_[k];
    equation.rowMap = equation.columnMap = s * Mat3::Identity();
    equation.diagonal = (s * s * weight.cwiseInverse()).asDiagonal();
  }
  equations_ = fromWeights_;
}

void ExplicitContacts::setEquations(std::span<const ContactEquation> equations) {
  equations_ = equations;
  scale_.clear();
}

template <int N>
void ExplicitContacts::addTo(const DualProblem& problem, const KktGraph& graph, Symmetry symmetry,
                             BlockFactor<N>& factor) const {
  using Block = typename BlockFactor<N>::Block;
  const CoupledCompliance& coupled = problem.coupled;
  const int first = graph.firstContactNode();
  int edge = graph.firstContactEdge();
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactEquation& equation = equations_[k];
    Mat3 own = equation.diagonal;
    if (!coupled.empty())
      own += equation.rowMap * coupled.block[coupled.diagonal[k]] * equation.columnMap.transpose();
    Block& pivot = factor.diagonal(first + static_cast<int>(k));
    pivot = -Block::Identity();
    pivot.template topLeftCorner<3, 3>() = -own;
    if constexpr (N == 6) edge = addBodyBlocks(problem.contacts[k], equation, edge, symmetry, factor);
    if (coupled.empty()) continue;
    for (int i = coupled.start[k]; i < coupled.diagonal[k]; ++i) {
      const ContactEquation& other = equations_[coupled.contact[i]];
      const Block block = padded<N>(-(equation.rowMap * coupled.block[i] * other.columnMap.transpose()));
      if (symmetry == Symmetry::Symmetric)
        factor.set(edge++, block);
      else
        factor.set(
            edge++, block,
            padded<N>(-(other.rowMap * coupled.block[i].transpose() * equation.columnMap.transpose())));
    }
  }
}

template void ExplicitContacts::addTo(const DualProblem&, const KktGraph&, Symmetry, BlockFactor<3>&) const;
template void ExplicitContacts::addTo(const DualProblem&, const KktGraph&, Symmetry, BlockFactor<6>&) const;

}  // namespace grashof
