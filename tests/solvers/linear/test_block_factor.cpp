#include <Eigen/Dense>

#include "solvers/linear/block_factor.h"
#include "tests/support.h"

using namespace grashof;

namespace {

using Kind = EliminationNode::Kind;

struct System {
  std::vector<EliminationNode> nodes;
  std::vector<BlockEdge> edges;
  Eigen::MatrixXd matrix;
  BlockFactor<6> factor;
};

/// A random quasi-definite matrix: bodies first, then joints with `rows` rows on two bodies each.
System randomSystem(test::Random& random, int bodies, const std::vector<BlockEdge>& jointBodies,
                    int jointRows, double eta) {
  System s;
  s.nodes.assign(bodies, {Kind::Body, 0});
  for (std::size_t j = 0; j < jointBodies.size(); ++j) {
    s.nodes.push_back({Kind::Joint, jointRows});
    const int node = bodies + static_cast<int>(j);
    s.edges.push_back({node, jointBodies[j].row});
    if (jointBodies[j].column >= 0) s.edges.push_back({node, jointBodies[j].column});
  }
  const int n = static_cast<int>(s.nodes.size());
  s.matrix = Eigen::MatrixXd::Zero(6 * n, 6 * n);
  s.factor.analyze(s.nodes, s.edges);
  s.factor.clear();
  for (int i = 0; i < n; ++i) {
    Mat6 block;
    if (s.nodes[i].kind == Kind::Body) {
      const Mat6 a = Mat6::NullaryExpr([&] { return random.uniform(); });
      block = a * a.transpose() + Mat6::Identity();
    } else {
      block = -eta * Mat6::Identity();
      for (int r = s.nodes[i].rows; r < 6; ++r) block(r, r) = -1.0;
    }
    s.factor.diagonal(i) = block;
    s.matrix.block<6, 6>(6 * i, 6 * i) = block;
  }
  for (std::size_t e = 0; e < s.edges.size(); ++e) {
    Mat6 block = Mat6::NullaryExpr([&] { return random.uniform(); });
    for (int r = s.nodes[s.edges[e].row].rows; r < 6; ++r) block.row(r).setZero();
    s.factor.add(static_cast<int>(e), block);
    s.matrix.block<6, 6>(6 * s.edges[e].row, 6 * s.edges[e].column) += block;
    s.matrix.block<6, 6>(6 * s.edges[e].column, 6 * s.edges[e].row) += block.transpose();
  }
  return s;
}

std::vector<BlockEdge> ringOf(int bodies) {
  std::vector<BlockEdge> joints;
  for (int b = 0; b < bodies; ++b) joints.push_back({b, (b + 1) % bodies});
  return joints;
}

}  // namespace

TEST_CASE("the block factorization solves what a dense one solves, on chains, rings, stars and grids") {
  test::Random random(1);
  std::vector<BlockEdge> chain{{0, -1}}, star, grid;
  for (int b = 1; b < 12; ++b) chain.push_back({b - 1, b});
  for (int b = 1; b < 12; ++b) star.push_back({0, b});
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 3; ++x) {
      if (x < 2) grid.push_back({3 * y + x, 3 * y + x + 1});
      if (y < 3) grid.push_back({3 * y + x, 3 * y + x + 3});
    }
  for (const auto& joints : {chain, ringOf(12), star, grid}) {
    System s = randomSystem(random, 12, joints, 3, 1e-8);
    REQUIRE(s.factor.factorize(1e-8).ratio > 0.9);
    std::vector<Vec6> x(s.nodes.size());
    for (Vec6& v : x) v = random.twist();
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int r = s.nodes[i].kind == Kind::Body ? 6 : s.nodes[i].rows; r < 6; ++r) x[i][r] = 0.0;
    const Eigen::VectorXd rhs = test::stacked(x);
    s.factor.solve(x);
    const Eigen::VectorXd dense = s.matrix.partialPivLu().solve(rhs);
    CHECK((test::stacked(x) - dense).norm() < 1e-9 * dense.norm());
  }
}

TEST_CASE("trees are eliminated without fill, whatever the order of their bodies") {
  test::Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const int bodies = 30;
    std::vector<BlockEdge> joints;
    for (int b = 1; b < bodies; ++b) joints.push_back({static_cast<int>(random.uniform(0.0, b)), b});
    System s = randomSystem(random, bodies, joints, 5, 1e-9);
    CHECK(s.factor.fillBlocks() == 2 * (bodies - 1));
    CHECK(s.factor.factorize(1e-9).ratio > 0.5);
  }
}

TEST_CASE("redundant rows: the pivot ratio tells when rounding has destroyed the regularization") {
  test::Random random(3);
  System s = randomSystem(random, 2, {{0, 1}, {0, 1}}, 5, 1e-10);
  // The second joint repeats the first: its pivot is D + eta - D (D + eta)^-1 D, twice eta.
  for (int e = 0; e < 2; ++e) {
    const Mat6 wanted = s.matrix.block<6, 6>(6 * 2, 6 * s.edges[e].column);
    const Mat6 present = s.matrix.block<6, 6>(6 * 3, 6 * s.edges[e + 2].column);
    s.factor.add(e + 2, wanted - present);
  }
  BlockFactor<6> tooSmall = s.factor;
  CHECK(s.factor.factorize(1e-10).ratio == doctest::Approx(2.0).epsilon(0.01));
  for (int node : {2, 3}) tooSmall.diagonal(node).diagonal().head<5>().setConstant(-1e-18);
  CHECK(tooSmall.factorize(1e-18).ratio < 0.5);
}

TEST_CASE("a matrix that is not quasi-definite is refused") {
  BlockFactor<6> factor;
  factor.analyze({{Kind::Body, 0}}, {});
  factor.clear();
  factor.diagonal(0) = -Mat6::Identity();
  CHECK_FALSE(factor.factorize(1e-9).ok);
  factor.clear();
  factor.diagonal(0).setConstant(std::nan(""));
  CHECK_FALSE(factor.factorize(1e-9).ok);
}

namespace {

/// A random matrix of symmetric pattern and unsymmetric values, its symmetric part positive definite, on a
/// ring with a chord: the residual of the solution.
template <int N>
double unsymmetricResidual(test::Random& random) {
  using Block = Eigen::Matrix<double, N, N>;
  using Vector = Eigen::Matrix<double, N, 1>;
  constexpr int kNodes = 8;
  std::vector<BlockEdge> edges;
  for (int i = 0; i < kNodes; ++i) edges.push_back({i, (i + 1) % kNodes});
  edges.push_back({0, 4});
  BlockFactor<N> factor;
  factor.analyze(std::vector<EliminationNode>(kNodes), edges);
  factor.clear(Symmetry::General);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(N * kNodes, N * kNodes);
  const auto randomBlock = [&] { return Block::NullaryExpr([&] { return random.uniform(); }).eval(); };
  for (int i = 0; i < kNodes; ++i) {
    const Block block = randomBlock() + 4.0 * N * Block::Identity();
    factor.diagonal(i) = block;
    dense.block<N, N>(N * i, N * i) = block;
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Block forth = randomBlock(), back = randomBlock();
    const auto [there, mirrored] = factor.targets(static_cast<int>(e));
    Eigen::Map<Block>{there} += forth;
    Eigen::Map<Block>{mirrored} += back;
    dense.block<N, N>(N * edges[e].row, N * edges[e].column) = forth;
    dense.block<N, N>(N * edges[e].column, N * edges[e].row) = back;
  }
  REQUIRE(factor.factorize(1e-12).ok);
  std::vector<Vector> x(kNodes);
  Eigen::VectorXd rhs(N * kNodes), solution(N * kNodes);
  for (int i = 0; i < kNodes; ++i) {
    x[i] = Vector::NullaryExpr([&] { return random.uniform(); });
    rhs.segment<N>(N * i) = x[i];
  }
  factor.solve(x);
  for (int i = 0; i < kNodes; ++i) solution.segment<N>(N * i) = x[i];
  return (dense * solution - rhs).norm() / rhs.norm();
}

}  // namespace

TEST_CASE("unsymmetric values on a symmetric pattern, of 3x3 and 6x6 blocks") {
  test::Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    CHECK(unsymmetricResidual<3>(random) < 1e-13);
    CHECK(unsymmetricResidual<6>(random) < 1e-13);
  }
  BlockFactor<3> singular;
  singular.analyze({{Kind::Body, 0}}, {});
  singular.clear(Symmetry::General);
  CHECK_FALSE(singular.factorize(1e-12).ok);
}
