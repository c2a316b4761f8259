#include <Eigen/Dense>

#include "solvers/linear/block_kernels.h"
#include "solvers/linear/elimination_order.h"
#include "tests/support.h"

using namespace grashof;

namespace {

using Kind = EliminationNode::Kind;

/// A matrix of N×N blocks on a random graph with nodes of all sizes, its dense form, and the arrays of the
/// kernels.
template <int N>
struct Case {
  using Block = Eigen::Matrix<double, N, N>;

  EliminationPlan plan;
  std::vector<unsigned char> size;
  std::vector<double> sign, pivot;
  std::vector<Block> diagonal, left, right, lower, upper, scratch;
  std::vector<Eigen::Matrix<double, N, 1>> inversePivot;
  Eigen::MatrixXd dense;  // by position

  Case(test::Random& random, int nodes) {
    // Compliant contacts never wait: any order is allowed, and every size occurs.
    std::vector<EliminationNode> all;
    for (int i = 0; i < nodes; ++i)
      all.push_back(i % 2 == 0 ? EliminationNode{Kind::Body, 0, false}
                               : EliminationNode{Kind::CompliantContact, 1 + (i / 2) % N, false});
    std::vector<BlockEdge> edges;
    for (int i = 0; i < nodes; ++i)
      for (int k = 0; k < i; ++k)
        if (k == i - 1 || random.uniform() > 0.6) edges.push_back({i, k});
    plan = EliminationPlan::make(all, edges);
    for (int k = 0; k < nodes; ++k) {
      const EliminationNode& node = plan.nodes[plan.order[k]];
      size.push_back(static_cast<unsigned char>(node.kind == Kind::Body ? N : node.rows));
      sign.push_back(node.kind == Kind::Body ? 1.0 : -1.0);
    }
    diagonal.assign(nodes, Block::Zero());
    left = right = diagonal;
    lower.assign(plan.blockCount(), Block::Zero());
    upper = lower;
    scratch.assign(nodes, Block::Zero());
    inversePivot.assign(nodes, Eigen::Matrix<double, N, 1>::Zero());
    pivot.assign(nodes, 0.0);
    dense = Eigen::MatrixXd::Zero(N * nodes, N * nodes);
    for (int k = 0; k < nodes; ++k) fillNode(random, k);
    for (const EliminationPlan::Slot& slot : plan.slots) fillEdge(random, slot.block);
  }

  /// The diagonal block of a node: definite of its sign, the identity beyond its size.
  void fillNode(test::Random& random, int k) {
    const Block a = Block::NullaryExpr([&] { return random.uniform(); });
    const Block definite = a * a.transpose() + 0.1 * Block::Identity();
    diagonal[k].setIdentity();
    diagonal[k].topLeftCorner(size[k], size[k]) = definite.topLeftCorner(size[k], size[k]);
    diagonal[k] *= sign[k];
    dense.block<N, N>(N * k, N * k) = diagonal[k];
  }
  void fillEdge(test::Random& random, int block) {
    int column = 0;
    while (plan.columnStart[column + 1] <= block) ++column;
    const int row = plan.rowIndex[block];
    // Weak coupling of nodes of one sign keeps the matrix quasi-definite.
    const double strength = sign[row] == sign[column] ? 0.002 : 1.0;
    for (int i = 0; i < size[row]; ++i)
      for (int j = 0; j < size[column]; ++j) lower[block](i, j) = strength * random.uniform();
    upper[block] = lower[block].transpose();
    dense.block<N, N>(N * row, N * column) = lower[block];
    dense.block<N, N>(N * column, N * row) = upper[block];
  }
  /// Makes the blocks of the nodes from position `first` on unsymmetric, in the kernels' arrays and in
  /// `dense`.
  void spoilSymmetry(test::Random& random, int first) {
    for (int k = first; k < plan.nodeCount(); ++k) {
      for (int i = 0; i < size[k]; ++i)
        for (int j = 0; j < size[k]; ++j) add(k, i, k, j, 0.3 * random.uniform(), diagonal[k]);
      for (int b = plan.columnStart[k]; b < plan.columnStart[k + 1]; ++b)
        for (int i = 0; i < size[plan.rowIndex[b]]; ++i)
          for (int j = 0; j < size[k]; ++j) add(plan.rowIndex[b], i, k, j, 0.3 * random.uniform(), lower[b]);
    }
  }
  /// Completes the nodes from position `first` on, of which the kernels keep the lower triangle alone.
  void mirror(int first) {
    for (int k = first; k < plan.nodeCount(); ++k) {
      diagonal[k] = Block(diagonal[k].template selfadjointView<Eigen::Lower>());
      for (int b = plan.columnStart[k]; b < plan.columnStart[k + 1]; ++b) upper[b] = lower[b].transpose();
    }
  }
  void add(int row, int i, int column, int j, double value, Block& block) {
    block(i, j) += value;
    dense(N * row + i, N * column + j) += value;
  }

  KernelPlan kernelPlan() const {
    return {plan.nodeCount(),        size.data(),          sign.data(),
            plan.columnStart.data(), plan.rowIndex.data(), plan.updatedBlock.data(),
            plan.updateStart.data()};
  }
  KernelFactors factors() {
    return {diagonal[0].data(), left[0].data(),  right[0].data(), inversePivot[0].data(),
            lower[0].data(),    upper[0].data(), pivot.data(),    scratch[0].data()};
  }
  /// |A x - b| / |b| of the kernels' solution for a random b.
  double residual(const BlockKernels& kernels, int symmetricEnd, test::Random& random) {
    const int n = plan.nodeCount();
    Eigen::VectorXd b = Eigen::VectorXd::Zero(N * n);
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < size[k]; ++i) b[N * k + i] = random.uniform();
    Eigen::VectorXd x = b;
    kernels.solve(kernelPlan(), factors(), symmetricEnd, x.data());
    return (dense * x - b).norm() / b.norm();
  }
};

/// The sets that this processor can execute, for blocks of N.
template <int N>
std::vector<const BlockKernels*> sets() {
  std::vector<const BlockKernels*> all = {N == 3 ? &portable::kKernels3 : &portable::kKernels6};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    all.push_back(N == 3 ? &avx2::kKernels3 : &avx2::kKernels6);
#endif
  return all;
}

template <int N>
void checkKernels(int seed) {
  for (const BlockKernels* kernels : sets<N>()) {
    test::Random random(seed);
    for (int trial = 0; trial < 20; ++trial) {
      const int nodes = 3 + trial;
      Case<N> symmetric(random, nodes);
      REQUIRE(kernels->factorizeSymmetric(symmetric.kernelPlan(), symmetric.factors(), 0, nodes));
      CHECK(symmetric.residual(*kernels, nodes, random) < 1e-11);

      Case<N> general(random, nodes);
      general.spoilSymmetry(random, 0);
      REQUIRE(kernels->factorizeGeneral(general.kernelPlan(), general.factors(), 0, nodes));
      CHECK(general.residual(*kernels, 0, random) < 1e-9);

      // Only the late nodes unsymmetric, as in BlockFactor::factorizeTail().
      Case<N> mixed(random, nodes);
      const int head = nodes / 2;
      REQUIRE(kernels->factorizeSymmetric(mixed.kernelPlan(), mixed.factors(), 0, head));
      mixed.mirror(head);
      mixed.spoilSymmetry(random, head);
      REQUIRE(kernels->factorizeGeneral(mixed.kernelPlan(), mixed.factors(), head, nodes));
      CHECK(mixed.residual(*kernels, head, random) < 1e-9);
    }
  }
}

/// D of A = G D Gᵀ, G unit lower triangular.
Eigen::VectorXd plainPivots(Eigen::MatrixXd a) {
  Eigen::VectorXd d(a.rows());
  for (Eigen::Index k = 0; k < a.rows(); ++k) {
    d[k] = a(k, k);
    const Eigen::VectorXd column = a.col(k) / d[k];
    a -= d[k] * column * column.transpose();
  }
  return d;
}

}  // namespace

TEST_CASE("factors of blocks with nodes of every size solve what the dense matrix says") {
  checkKernels<3>(111);
  checkKernels<6>(112);
}

TEST_CASE("the factors of one node are those of its plain formula, in every set of instructions") {
  for (const BlockKernels* kernels : sets<6>()) {
    test::Random random(113);
    for (int trial = 0; trial < 12; ++trial) {
      Case<6> one(random, 2);
      const int n = one.size[0];
      const Mat6 a = one.sign[0] * one.diagonal[0];
      REQUIRE(kernels->factorizeSymmetric(one.kernelPlan(), one.factors(), 0, 1));
      const Eigen::VectorXd d = plainPivots(a.topLeftCorner(n, n));
      CHECK(one.pivot[0] == doctest::Approx(d.minCoeff()));
      for (int i = 0; i < n; ++i) CHECK(one.inversePivot[0][i] == doctest::Approx(one.sign[0] / d[i]));
      // G⁻¹ A G⁻ᵀ = D, and G⁻ᵀ is kept as well.
      const Eigen::MatrixXd g = one.left[0].topLeftCorner(n, n);
      CHECK((g * a.topLeftCorner(n, n) * g.transpose() - Eigen::MatrixXd(d.asDiagonal())).norm() < 1e-12);
      CHECK((g.transpose() - one.right[0].topLeftCorner(n, n)).norm() == 0.0);
      CHECK(g.isLowerTriangular(0.0));
    }
  }
}

TEST_CASE("a node that is indefinite, singular or not finite is refused") {
  for (const BlockKernels* kernels : sets<6>()) {
    test::Random random(114);
    for (const double bad : {0.0, -1.0, std::nan("")}) {
      Case<6> c(random, 2);
      c.diagonal[0](0, 0) = c.sign[0] * bad;
      CHECK_FALSE(kernels->factorizeSymmetric(c.kernelPlan(), c.factors(), 0, 2));
    }
    Case<6> c(random, 2);
    c.diagonal[0].setZero();
    CHECK_FALSE(kernels->factorizeGeneral(c.kernelPlan(), c.factors(), 0, 2));
  }
}

TEST_CASE("numbers below 1e-150 become zero in a solution") {
  for (const BlockKernels* kernels : sets<6>()) {
    test::Random random(115);
    Case<6> c(random, 2);
    REQUIRE(kernels->factorizeSymmetric(c.kernelPlan(), c.factors(), 0, 2));
    Eigen::VectorXd x = Eigen::VectorXd::Constant(12, 1e-160);
    kernels->solve(c.kernelPlan(), c.factors(), 2, x.data());
    CHECK(x.cwiseAbs().maxCoeff() == 0.0);
  }
}
