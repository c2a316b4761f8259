#include "solvers/linear/block_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grashof {
namespace {

/// Inverse W = G⁻¹ (lower triangle, zero above) of the Cholesky factor of the positive definite a = G Gᵀ.
/// Returns the smallest pivot; 0 when `a` is not positive definite, and W is not valid then.
template <int N>
double invertCholesky(const Eigen::Matrix<double, N, N>& a, Eigen::Matrix<double, N, N>& w) {
  Eigen::Matrix<double, N, N> g;  // only the lower triangle is used; its diagonal holds 1/G_jj
  double smallest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < N; ++j) {
    double d = a(j, j);
    for (int k = 0; k < j; ++k) d -= g(j, k) * g(j, k);
    if (!(d > 0.0)) return 0.0;
    smallest = std::min(smallest, d);
    g(j, j) = 1.0 / std::sqrt(d);
    for (int i = j + 1; i < N; ++i) {
      double s = a(i, j);
      for (int k = 0; k < j; ++k) s -= g(i, k) * g(j, k);
      g(i, j) = s * g(j, j);
    }
  }
  w.setZero();
  for (int j = 0; j < N; ++j) {
    w(j, j) = g(j, j);
    for (int i = j + 1; i < N; ++i) {
      double s = 0.0;
      for (int k = j; k < i; ++k) s -= g(i, k) * w(k, j);
      w(i, j) = s * g(i, i);
    }
  }
  return smallest;
}

/// Inverses of the factors of a = G H, G with unit diagonal. Returns the smallest pivot's size; 0: singular.
template <int N>
double invertLu(const Eigen::Matrix<double, N, N>& a, Eigen::Matrix<double, N, N>& left,
                Eigen::Matrix<double, N, N>& right) {
  Eigen::Matrix<double, N, N> f = a;
  double smallest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < N; ++k) {
    const double pivot = f(k, k);
    if (!(std::abs(pivot) > 0.0) || !std::isfinite(pivot)) return 0.0;
    smallest = std::min(smallest, std::abs(pivot));
    for (int i = k + 1; i < N; ++i) {
      f(i, k) /= pivot;
      for (int j = k + 1; j < N; ++j) f(i, j) -= f(i, k) * f(k, j);
    }
  }
  left.setIdentity();
  right.setZero();
  for (int j = 0; j < N; ++j) {
    for (int i = j + 1; i < N; ++i) {
      double s = -f(i, j);
      for (int k = j + 1; k < i; ++k) s -= f(i, k) * left(k, j);
      left(i, j) = s;
    }
    right(j, j) = 1.0 / f(j, j);
    for (int i = j - 1; i >= 0; --i) {
      double s = 0.0;
      for (int k = i + 1; k <= j; ++k) s -= f(i, k) * right(k, j);
      right(i, j) = s / f(i, i);
    }
  }
  return smallest;
}

/// `x` with entries below 1e-150 set to zero. Along a mechanism an effect fades exponentially, down to
/// denormal numbers, and an operation on those costs a hundred cycles.
template <int N>
Eigen::Matrix<double, N, 1> flushed(const Eigen::Matrix<double, N, 1>& x) {
  return (x.array().abs() < 1e-150).select(0.0, x);
}

}  // namespace

template <int N>
void BlockFactor<N>::analyze(std::vector<EliminationNode> nodes, std::span<const BlockEdge> edges) {
  plan_ = EliminationPlan::make(std::move(nodes), edges);
  diagonal_.assign(plan_.nodeCount(), Block::Zero());
  left_.assign(plan_.nodeCount(), Block::Zero());
  lower_.assign(plan_.blockCount(), Block::Zero());
  right_.clear();
  upper_.clear();
  tail_.clear();
  work_.assign(plan_.nodeCount(), Vector::Zero());
}

template <int N>
void BlockFactor<N>::clear(Symmetry symmetry) {
  symmetry_ = symmetry;
  for (Block& block : diagonal_) block.setZero();
  for (Block& block : lower_) block.setZero();
  if (symmetry == Symmetry::Symmetric) return;
  useGeneral();
  for (Block& block : upper_) block.setZero();
}

template <int N>
void BlockFactor<N>::useGeneral() {
  symmetry_ = Symmetry::General;
  right_.resize(left_.size());
  upper_.resize(lower_.size());
}

template <int N>
PivotReport BlockFactor<N>::factorize(double minimumPivot) {
  return symmetry_ == Symmetry::Symmetric ? factorizeSymmetric(0, nodes(), minimumPivot)
                                          : factorizeGeneral(0, nodes(), minimumPivot);
}

template <int N>
PivotReport BlockFactor<N>::factorizeHead(double minimumPivot) {
  const PivotReport report = factorizeSymmetric(0, plan_.head, minimumPivot);
  const auto firstBlock = plan_.columnStart[plan_.head];
  tail_.assign(diagonal_.begin() + plan_.head, diagonal_.end());
  tail_.insert(tail_.end(), lower_.begin() + firstBlock, lower_.end());
  return report;
}

template <int N>
void BlockFactor<N>::restoreTail() {
  useGeneral();
  const auto firstBlock = plan_.columnStart[plan_.head];
  const auto lower = tail_.begin() + (nodes() - plan_.head);
  std::copy(tail_.begin(), lower, diagonal_.begin() + plan_.head);
  std::copy(lower, tail_.end(), lower_.begin() + firstBlock);
  for (std::size_t i = firstBlock; i < lower_.size(); ++i) upper_[i] = lower_[i].transpose();
}

template <int N>
PivotReport BlockFactor<N>::factorizeTail(double minimumPivot) {
  return factorizeGeneral(plan_.head, nodes(), minimumPivot);
}

template <int N>
PivotReport BlockFactor<N>::factorizeSymmetric(int begin, int end, double minimumPivot) {
  double ratio = std::numeric_limits<double>::infinity();
  const int* updated = plan_.updatedBlock.data() + plan_.updateStart[begin];
  symmetricEnd_ = end;
  for (int k = begin; k < end; ++k) {
    const EliminationNode::Kind kind = plan_.nodes[plan_.order[k]].kind;
    const double sign = kind == EliminationNode::Kind::Body ? 1.0 : -1.0;
    const double pivot = invertCholesky<N>(sign * diagonal_[k], left_[k]);
    if (pivot <= 0.0) return {};
    if (kind == EliminationNode::Kind::Joint) ratio = std::min(ratio, pivot / minimumPivot);
    const int first = plan_.columnStart[k];
    const int count = plan_.columnStart[k + 1] - first;
    for (int a = 0; a < count; ++a) {
      Block& l = lower_[first + a];
      l = l * left_[k].transpose();
      const Block signedL = sign * l;
      for (int b = 0; b < a; ++b) lower_[*updated++].noalias() -= signedL * lower_[first + b].transpose();
      diagonal_[plan_.rowIndex[first + a]].noalias() -= signedL * l.transpose();
    }
  }
  return {true, ratio};
}

template <int N>
PivotReport BlockFactor<N>::factorizeGeneral(int begin, int end, double minimumPivot) {
  double ratio = std::numeric_limits<double>::infinity();
  const int* updated = plan_.updatedBlock.data() + plan_.updateStart[begin];
  symmetricEnd_ = begin;
  for (int k = begin; k < end; ++k) {
    const double pivot = invertLu<N>(diagonal_[k], left_[k], right_[k]);
    if (pivot <= 0.0) return {};
    if (plan_.nodes[plan_.order[k]].kind == EliminationNode::Kind::Joint)
      ratio = std::min(ratio, pivot / minimumPivot);
    const int first = plan_.columnStart[k];
    const int count = plan_.columnStart[k + 1] - first;
    for (int a = 0; a < count; ++a) {
      Block& l = lower_[first + a];
      Block& u = upper_[first + a];
      l = l * right_[k];
      u = left_[k] * u;
      for (int b = 0; b < a; ++b) {
        lower_[*updated].noalias() -= l * upper_[first + b];
        upper_[*updated++].noalias() -= lower_[first + b] * u;
      }
      diagonal_[plan_.rowIndex[first + a]].noalias() -= l * u;
    }
  }
  return {true, ratio};
}

template <int N>
void BlockFactor<N>::solve(std::span<Vector> x) {
  const int n = nodes();
  const auto sign = [&](int k) {
    return k < symmetricEnd_ && plan_.nodes[plan_.order[k]].kind != EliminationNode::Kind::Body ? -1.0 : 1.0;
  };
  for (int k = 0; k < n; ++k) work_[k] = x[plan_.order[k]];
  for (int k = 0; k < n; ++k) {
    const Vector xk = sign(k) * flushed<N>(left_[k] * work_[k]);
    work_[k] = xk;
    if (xk.isZero(0.0)) continue;  // the load is felt only in part of the mechanism
    for (int i = plan_.columnStart[k]; i < plan_.columnStart[k + 1]; ++i)
      work_[plan_.rowIndex[i]].noalias() -= lower_[i] * xk;
  }
  for (int k = n - 1; k >= 0; --k) {
    const bool symmetric = k < symmetricEnd_;
    Vector sum = Vector::Zero();
    for (int i = plan_.columnStart[k]; i < plan_.columnStart[k + 1]; ++i) {
      if (symmetric)
        sum.noalias() += lower_[i].transpose() * work_[plan_.rowIndex[i]];
      else
        sum.noalias() += upper_[i] * work_[plan_.rowIndex[i]];
    }
    const Vector rest = work_[k] - sign(k) * sum;
    const Vector xk = symmetric ? flushed<N>(left_[k].transpose() * rest) : flushed<N>(right_[k] * rest);
    work_[k] = xk;
    x[plan_.order[k]] = xk;
  }
}

template class BlockFactor<3>;
template class BlockFactor<6>;

}  // namespace grashof
