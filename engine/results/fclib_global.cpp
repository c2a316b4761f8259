#include "engine/results/fclib_global.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/results/fclib_local.h"
#include "engine/results/fclib_matrix.h"

namespace grashof {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

constexpr double kSameBlock = 1e-12;  // share of the mass
constexpr Eigen::Index kMostFactorEntries = 20'000'000;

/// M v = H r + G λ + f, Gᵀ v + b = 0, u = Hᵀ v + w.
struct GlobalProblem {
  SparseMatrix m, h, g;
  std::vector<double> f, w, b, friction;
};

GlobalProblem readGlobal(const Hdf5Reader& file, std::vector<std::string>& notes) {
  const int dimension = file.integer("fclib_global/spacedim");
  if (dimension != 3) file.fail("fclib_global/spacedim", fmt::format("is {} (only 3 is solved)", dimension));
  GlobalProblem p;
  p.friction = readFclibFriction(file, "fclib_global/vectors/mu");
  p.f = file.reals("fclib_global/vectors/f", 0);
  p.w = file.reals("fclib_global/vectors/w", 3 * p.friction.size());
  if (p.f.empty()) file.fail("fclib_global/vectors/f", "is empty (something must move)");
  const int n = static_cast<int>(p.f.size()), rows = static_cast<int>(p.w.size());
  p.m = readFclibMatrix(file, "fclib_global/M", n, n, notes);
  p.h = readFclibMatrix(file, "fclib_global/H", n, rows, notes);
  if (file.has("fclib_global/G")) {
    p.b = file.reals("fclib_global/vectors/b", 0);
    p.g = readFclibMatrix(file, "fclib_global/G", n, static_cast<int>(p.b.size()), notes);
  }
  const SparseMatrix turned = p.m.transpose();
  double largest = 0.0, asymmetry = 0.0;
  const SparseMatrix apart = p.m - turned;
  for (Eigen::Index k = 0; k < p.m.nonZeros(); ++k) largest = std::max(largest, std::abs(p.m.valuePtr()[k]));
  for (Eigen::Index k = 0; k < apart.nonZeros(); ++k)
    asymmetry = std::max(asymmetry, std::abs(apart.valuePtr()[k]));
  noteAsymmetry(file, "fclib_global/M", asymmetry, largest, notes);
  p.m = 0.5 * (p.m + turned);
  return p;
}

/// Bodies of M in blocks of `size` numbers; false where it has no such blocks.
bool takeBodies(const SparseMatrix& m, int size, DualProblem& problem) {
  if (m.rows() % size != 0) return false;
  std::vector<Mat6> blocks(static_cast<std::size_t>(m.rows() / size), Mat6::Zero());
  for (Eigen::Index column = 0; column < m.outerSize(); ++column)
    for (SparseMatrix::InnerIterator entry(m, column); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      if (entry.row() / size != column / size) return false;
      blocks[static_cast<std::size_t>(column / size)](entry.row() % size, column % size) = entry.value();
    }
  problem.inertia.clear();
  for (const Mat6& block : blocks) {
    InertiaBlock body;
    body.mass = block(0, 0);
    body.inertia = size == 6 ? Mat3(block.bottomRightCorner<3, 3>()) : Mat3(body.mass * Mat3::Identity());
    Mat6 rigid = Mat6::Zero();
    rigid.topLeftCorner<3, 3>().diagonal().setConstant(body.mass);
    if (size == 6) rigid.bottomRightCorner<3, 3>() = body.inertia;
    if (!(body.mass > 0.0) || (block - rigid).cwiseAbs().maxCoeff() > kSameBlock * body.mass ||
        Eigen::LLT<Mat3>(body.inertia).info() != Eigen::Success)
      return false;
    body.inverseMass = 1.0 / body.mass;
    body.inverseInertia = body.inertia.inverse();
    problem.inertia.push_back(body);
  }
  return true;
}

/// The bodies that a column acts on, with its Jacobians, in the order of bodies.
std::vector<RowTerm> columnTerms(const SparseMatrix& matrix, Eigen::Index column, int size) {
  std::vector<RowTerm> terms;
  for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
    if (entry.value() == 0.0) continue;
    const int body = static_cast<int>(entry.row()) / size;
    if (terms.empty() || terms.back().body != body) terms.push_back({body, Vec6::Zero()});
    terms.back().jacobian[entry.row() % size] = entry.value();
  }
  return terms;
}

/// Columns of G as joint rows: up to six neighbours on the same bodies are a joint. False for an empty
/// column.
bool takeJoints(const GlobalProblem& p, int size, DualProblem& problem) {
  std::vector<int> last;
  for (Eigen::Index column = 0; column < p.g.cols(); ++column) {
    const auto terms = columnTerms(p.g, column, size);
    if (terms.empty()) return false;
    std::vector<int> bodies;
    bodies.reserve(terms.size());
    for (const RowTerm& term : terms) bodies.push_back(term.body);
    if (problem.joints.empty() || problem.joints.back().rows == 6 || bodies != last) {
      problem.joints.push_back({problem.jointRows, 0, static_cast<int>(problem.jointTerms.size()),
                                static_cast<int>(bodies.size())});
      for (const int body : bodies) problem.jointTerms.push_back({body, Mat6::Zero()});
      last = bodies;
    }
    JointBlock& joint = problem.joints.back();
    for (std::size_t t = 0; t < terms.size(); ++t)
      problem.jointTerms[joint.firstTerm + t].jacobian.row(joint.rows) = terms[t].jacobian.transpose();
    ++joint.rows;
    ++problem.jointRows;
    problem.bias.push_back(p.b[static_cast<std::size_t>(column)]);
  }
  return true;
}

/// False for a contact on no body, or on more than two.
bool takeContacts(const GlobalProblem& p, int size, DualProblem& problem) {
  for (std::size_t k = 0; k < p.friction.size(); ++k) {
    ContactBlock contact;
    contact.row = static_cast<int>(problem.bias.size());
    contact.friction = p.friction[k];
    for (int row = 0; row < 3; ++row) {
      for (const RowTerm& term : columnTerms(p.h, static_cast<Eigen::Index>(3 * k) + row, size)) {
        if (contact.bodyB < 0) contact.bodyB = term.body;
        if (term.body != contact.bodyB && contact.bodyA < 0) contact.bodyA = term.body;
        if (term.body != contact.bodyB && term.body != contact.bodyA) return false;
        (term.body == contact.bodyB ? contact.jacobianB : contact.jacobianA).row(contactRowOf(row)) =
            term.jacobian.transpose();
      }
    }
    if (contact.bodyB < 0) return false;
    problem.contacts.push_back(contact);
    for (const int row : {1, 2, 0}) problem.bias.push_back(p.w[3 * k + static_cast<std::size_t>(row)]);
  }
  return true;
}

/// The problem with bodies of `size` numbers; false where it is none of such.
bool withBodies(const GlobalProblem& p, int size, DualProblem& problem) {
  problem = {};
  if (!takeBodies(p.m, size, problem) || !takeJoints(p, size, problem) || !takeContacts(p, size, problem))
    return false;
  for (std::size_t b = 0; b < problem.inertia.size(); ++b) {
    Vec6 momentum = Vec6::Zero();
    for (int i = 0; i < size; ++i) momentum[i] = p.f[b * static_cast<std::size_t>(size) + i];
    problem.freeTwist.push_back(problem.inertia[b].solve(momentum));
  }
  problem.compliance.assign(problem.bias.size(), 0.0);
  return true;
}

/// A sparse Cholesky factor that tells its size before it is computed.
struct SizedFactor : Eigen::SimplicialLLT<SparseMatrix> {
  Eigen::Index entries() const { return m_matrix.nonZeros(); }
};

/// Any M: the contacts alone, with W = Hᵀ M⁻¹ H, V = Hᵀ M⁻¹ G, R = Gᵀ M⁻¹ G.
MixedProblem condensedMass(const Hdf5Reader& file, const GlobalProblem& p) {
  if (p.h.cols() > kMostDenseRows || p.g.cols() > kMostMultipliers)
    file.fail("fclib_global/M",
              fmt::format("is not that of rigid bodies, and then at most {} rows of contacts and {} of G are "
                          "condensed (the file has {} and {})",
                          kMostDenseRows, kMostMultipliers, p.h.cols(), p.g.cols()));
  SizedFactor factor;
  factor.analyzePattern(p.m);
  if (factor.entries() > kMostFactorEntries)
    file.fail("fclib_global/M", fmt::format("is not that of rigid bodies, and its Cholesky factor has {} "
                                            "entries (at most {} are computed)",
                                            factor.entries(), kMostFactorEntries));
  factor.factorize(p.m);
  if (factor.info() != Eigen::Success) file.fail("fclib_global/M", "is not positive definite");
  MixedProblem mixed;
  mixed.friction = p.friction;
  mixed.q = p.w;
  mixed.s = p.b;
  const auto count = [](const std::vector<double>& x) { return static_cast<Eigen::Index>(x.size()); };
  const Eigen::VectorXd free = factor.solve(Eigen::Map<const Eigen::VectorXd>(p.f.data(), count(p.f)));
  Eigen::Map<Eigen::VectorXd>(mixed.q.data(), count(mixed.q)) += p.h.transpose() * free;
  std::vector<Eigen::Triplet<double>> entries;
  mixed.v.resize(p.h.cols(), p.g.cols());
  mixed.r.resize(p.g.cols(), p.g.cols());
  const SparseMatrix contacts = p.h.transpose(), joints = p.g.transpose();
  for (Eigen::Index column = 0; column < p.h.cols(); ++column) {
    const Eigen::VectorXd w = contacts * factor.solve(Eigen::VectorXd(p.h.col(column)));
    for (Eigen::Index row = 0; row < w.size(); ++row)
      if (w[row] != 0.0) entries.emplace_back(int(row), int(column), w[row]);
  }
  for (Eigen::Index column = 0; column < p.g.cols(); ++column) {
    const Eigen::VectorXd moved = factor.solve(Eigen::VectorXd(p.g.col(column)));
    mixed.v.col(column) = contacts * moved;
    mixed.r.col(column) = joints * moved;
  }
  if (!p.b.empty()) {
    Eigen::Map<Eigen::VectorXd>(mixed.s.data(), count(mixed.s)) += joints * free;
    mixed.r = 0.5 * (mixed.r + mixed.r.transpose()).eval();
  }
  mixed.w.resize(p.h.cols(), p.h.cols());
  mixed.w.setFromTriplets(entries.begin(), entries.end());
  return mixed;
}

/// Rows of a Jacobian as columns of a matrix of the file.
void addColumn(int column, int body, const Vec6& jacobian, std::vector<Eigen::Triplet<double>>& entries) {
  for (int i = 0; i < 6; ++i)
    if (jacobian[i] != 0.0) entries.emplace_back(6 * body + i, column, jacobian[i]);
}

void writeEntries(Hdf5Writer& file, const std::string& group, int rows, int columns,
                  const std::vector<Eigen::Triplet<double>>& entries) {
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  writeFclibMatrix(file, group, matrix);
}

void writeMass(Hdf5Writer& file, const DualProblem& problem) {
  std::vector<Eigen::Triplet<double>> m;
  std::vector<double> f;
  for (int b = 0; b < problem.bodies(); ++b) {
    const InertiaBlock& block = problem.inertia[b];
    for (int i = 0; i < 3; ++i) {
      m.emplace_back(6 * b + i, 6 * b + i, block.mass);
      for (int j = 0; j < 3; ++j) m.emplace_back(6 * b + 3 + i, 6 * b + 3 + j, block.inertia(i, j));
    }
    const Vec6 momentum = block.multiply(problem.freeTwist[b]);
    f.insert(f.end(), momentum.begin(), momentum.end());
  }
  writeEntries(file, "fclib_global/M", 6 * problem.bodies(), 6 * problem.bodies(), m);
  file.reals("fclib_global/vectors/f", f);
}

}  // namespace

DualProblem readFclibGlobal(const Hdf5Reader& file, std::vector<std::string>& notes) {
  const GlobalProblem p = readGlobal(file, notes);
  DualProblem problem;
  for (const int size : {6, 3})
    if (withBodies(p, size, problem)) return problem;
  const MixedProblem mixed = condensedMass(file, p);
  notes.push_back(fmt::format("M is not that of rigid bodies: condensed to {} contacts", p.friction.size()));
  return contactsAlone(file, "fclib_global/H", mixed, notes);
}

void writeFclibGlobal(Hdf5Writer& file, const DualProblem& problem) {
  file.integers("fclib_global/spacedim", {3});
  writeMass(file, problem);
  std::vector<Eigen::Triplet<double>> h, g;
  std::vector<double> w, mu, b;
  for (const ContactBlock& contact : problem.contacts) {
    for (int fclib = 0; fclib < 3; ++fclib) {
      const int row = contactRowOf(fclib), column = static_cast<int>(w.size());
      if (contact.bodyA >= 0) addColumn(column, contact.bodyA, contact.jacobianA.row(row).transpose(), h);
      if (contact.bodyB >= 0) addColumn(column, contact.bodyB, contact.jacobianB.row(row).transpose(), h);
      w.push_back(problem.bias[contact.row + row]);
    }
    mu.push_back(contact.friction);
  }
  writeEntries(file, "fclib_global/H", 6 * problem.bodies(), static_cast<int>(w.size()), h);
  file.reals("fclib_global/vectors/w", w);
  file.reals("fclib_global/vectors/mu", mu);
  for (const BilateralRow& row : bilateralRows(problem)) {
    for (const RowTerm& term : row.terms) addColumn(static_cast<int>(b.size()), term.body, term.jacobian, g);
    b.push_back(problem.bias[row.row]);
  }
  if (b.empty()) return;
  writeEntries(file, "fclib_global/G", 6 * problem.bodies(), static_cast<int>(b.size()), g);
  file.reals("fclib_global/vectors/b", b);
}

}  // namespace grashof
