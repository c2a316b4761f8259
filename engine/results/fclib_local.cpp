#include "engine/results/fclib_local.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/results/fclib_matrix.h"

namespace grashof {
namespace {

constexpr std::array<int, 3> kFclibRow = {1, 2, 0};  // of each row (t, o, n) of a contact

/// W - V R⁺ Vᵀ as blocks, in our order of rows. Every diagonal block is present.
ContactBlocks blocksOf(const MixedProblem& p, const Eigen::MatrixXd& taken) {
  ContactBlocks blocks;
  const auto add = [&](Eigen::Index row, Eigen::Index column, double value) {
    const auto at = blocks.try_emplace(std::pair(int(row / 3), int(column / 3)), Mat3::Zero()).first;
    at->second(contactRowOf(int(row)), contactRowOf(int(column))) += value;
  };
  for (int k = 0; k < static_cast<int>(p.friction.size()); ++k) blocks.emplace(std::pair(k, k), Mat3::Zero());
  for (Eigen::Index column = 0; column < p.w.outerSize(); ++column)
    for (Eigen::SparseMatrix<double>::InnerIterator entry(p.w, column); entry; ++entry)
      add(entry.row(), column, entry.value());
  for (Eigen::Index column = 0; column < taken.cols(); ++column)
    for (Eigen::Index row = 0; row < taken.rows(); ++row)
      if (taken(row, column) != 0.0) add(row, column, -taken(row, column));
  return blocks;
}

/// (W + Wᵀ) / 2. Fails where W is not symmetric enough, or has a diagonal entry that is not positive.
ContactBlocks symmetricPart(const Hdf5Reader& file, const std::string& group, const ContactBlocks& blocks,
                            int contacts, std::vector<std::string>& notes) {
  double largest = 0.0, asymmetry = 0.0;
  ContactBlocks symmetric;
  for (const auto& [at, block] : blocks) {
    largest = std::max(largest, block.cwiseAbs().maxCoeff());
    const auto mirror = blocks.find({at.second, at.first});
    const Mat3 other = mirror == blocks.end() ? Mat3(Mat3::Zero()) : Mat3(mirror->second.transpose());
    asymmetry = std::max(asymmetry, (block - other).cwiseAbs().maxCoeff());
    const Mat3 mean = 0.5 * (block + other);
    symmetric[at] = mean;
    symmetric[{at.second, at.first}] = mean.transpose();
  }
  noteAsymmetry(file, group, asymmetry, largest, notes);
  for (int k = 0; k < contacts; ++k)
    if (!(symmetric[{k, k}].diagonal().minCoeff() > 0.0))
      file.fail(
          group,
          fmt::format("has a diagonal entry that is not positive at contact {} (something must move there)",
                      k));
  return symmetric;
}

/// V, R and s, if the file has them.
void readMultipliers(const Hdf5Reader& file, MixedProblem& p, std::vector<std::string>& notes) {
  if (!file.has("fclib_local/V")) return;
  p.s = file.reals("fclib_local/vectors/s", 0);
  const int n = static_cast<int>(p.s.size()), rows = static_cast<int>(p.q.size());
  if (n == 0) file.fail("fclib_local/vectors/s", "is empty (V and R need multipliers)");
  if (n > kMostMultipliers || rows > kMostDenseRows)
    file.fail("fclib_local/V", fmt::format("has {} rows and {} columns (at most {} and {} are eliminated)",
                                           rows, n, kMostDenseRows, kMostMultipliers));
  p.v = Eigen::MatrixXd(readFclibMatrix(file, "fclib_local/V", rows, n, notes));
  p.r = Eigen::MatrixXd(readFclibMatrix(file, "fclib_local/R", n, n, notes));
  if (p.r.diagonal().minCoeff() < 0.0) file.fail("fclib_local/R", "has a diagonal entry below 0");
  noteAsymmetry(file, "fclib_local/R", (p.r - p.r.transpose()).cwiseAbs().maxCoeff(),
                p.r.cwiseAbs().maxCoeff(), notes);
  p.r = 0.5 * (p.r + p.r.transpose()).eval();
}

}  // namespace

DualProblem contactsAlone(const Hdf5Reader& file, const std::string& group, const MixedProblem& p,
                          std::vector<std::string>& notes) {
  std::vector<double> q = p.q;
  Eigen::MatrixXd taken;
  if (!p.s.empty()) {
    const Eigen::MatrixXd solved = p.v * semidefiniteInverse(p.r);
    taken = solved * p.v.transpose();
    Eigen::Map<Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size())) -=
        solved * Eigen::Map<const Eigen::VectorXd>(p.s.data(), static_cast<Eigen::Index>(p.s.size()));
  }
  const int contacts = static_cast<int>(p.friction.size());
  DualProblem problem;
  problem.coupled = compress(symmetricPart(file, group, blocksOf(p, taken), contacts, notes), contacts);
  for (std::size_t k = 0; k < p.friction.size(); ++k) {
    ContactBlock contact;
    contact.row = static_cast<int>(3 * k);
    contact.friction = p.friction[k];
    problem.contacts.push_back(contact);
    for (const int row : kFclibRow) problem.bias.push_back(q[3 * k + static_cast<std::size_t>(row)]);
  }
  problem.compliance.assign(problem.bias.size(), 0.0);
  return problem;
}

DualProblem readFclibLocal(const Hdf5Reader& file, std::vector<std::string>& notes) {
  const int dimension = file.integer("fclib_local/spacedim");
  if (dimension != 3) file.fail("fclib_local/spacedim", fmt::format("is {} (only 3 is solved)", dimension));
  MixedProblem p;
  p.friction = readFclibFriction(file, "fclib_local/vectors/mu");
  const int rows = static_cast<int>(3 * p.friction.size());
  p.q = file.reals("fclib_local/vectors/q", 3 * p.friction.size());
  p.w = readFclibMatrix(file, "fclib_local/W", rows, rows, notes);
  readMultipliers(file, p, notes);
  return contactsAlone(file, "fclib_local/W", p, notes);
}

void writeFclibLocal(Hdf5Writer& file, const DualProblem& problem, const CondensedContacts& condensed) {
  const CoupledCompliance& w = condensed.delassus();
  const auto rows = static_cast<Eigen::Index>(3 * problem.contacts.size());
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> mu, q;
  for (int k = 0; k < static_cast<int>(problem.contacts.size()); ++k) {
    for (int i = w.start[k]; i < w.start[k + 1]; ++i)
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
          entries.emplace_back(3 * k + row, 3 * w.contact[i] + column,
                               w.block[i](contactRowOf(row), contactRowOf(column)));
    mu.push_back(problem.contacts[k].friction);
    for (int row = 0; row < 3; ++row) q.push_back(condensed.freeVelocity()[3 * k + contactRowOf(row)]);
  }
  Eigen::SparseMatrix<double> matrix(rows, rows);
  matrix.setFromTriplets(entries.begin(), entries.end());
  file.integers("fclib_local/spacedim", {3});
  writeFclibMatrix(file, "fclib_local/W", matrix);
  file.reals("fclib_local/vectors/mu", mu);
  file.reals("fclib_local/vectors/q", q);
}

}  // namespace grashof
