#include "engine/results/fclib_local.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "engine/results/problem_file.h"

namespace grashof {
namespace {

constexpr double kAsymmetryNoted = 1e-12, kAsymmetryRefused = 1e-2;
constexpr std::size_t kMostContacts = 1'000'000;
constexpr std::array<int, 3> kFclibRow = {1, 2, 0};  // of each row (t, o, n) of a contact

/// Row (t, o, n) of a contact for row `fclib` of the file, in (n, t, o) of all contacts.
int contactRowOf(int fclib) { return fclib % 3 == 0 ? 2 : fclib % 3 - 1; }

/// 3×3 blocks of a matrix over contacts, by contact of the row and of the column.
using Blocks = std::map<std::pair<int, int>, Mat3>;

CoupledCompliance compress(const Blocks& blocks, int contacts) {
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

/// A sparse matrix of n × n as it stands in the file.
struct FclibMatrix {
  int n = 0;
  int form = 0;  // -1: compressed columns, -2: compressed rows, else triplets
  std::vector<int> p, i;
  std::vector<double> x;
  std::size_t entries = 0;
};

FclibMatrix readMatrix(const Hdf5Reader& file, int contacts) {
  const std::string w = "fclib_local/W/";
  FclibMatrix m;
  m.n = 3 * contacts;
  const int rows = file.integer(w + "m"), columns = file.integer(w + "n");
  m.form = file.integer(w + "nz");
  if (rows != m.n || columns != m.n)
    file.fail("fclib_local/W", fmt::format("is {} x {} (mu and q say {} contacts: {} x {})", rows, columns,
                                           contacts, m.n, m.n));
  m.p = file.integers(w + "p");
  m.i = file.integers(w + "i");
  if (m.form < -2) file.fail(w + "nz", fmt::format("is {} (-1, -2, or a number of triplets)", m.form));
  m.entries = m.form >= 0   ? static_cast<std::size_t>(m.form)
              : m.p.empty() ? 0
                            : static_cast<std::size_t>(std::max(m.p.back(), 0));
  if (m.i.size() < m.entries)
    file.fail(w + "i", fmt::format("holds {} indices ({} are needed)", m.i.size(), m.entries));
  const auto pointers = static_cast<std::size_t>(m.n) + 1;
  if (m.form >= 0 ? m.p.size() < m.entries : m.p.size() != pointers)
    file.fail(w + "p", fmt::format("holds {} indices ({} are needed)", m.p.size(),
                                   m.form >= 0 ? m.entries : pointers));
  m.x = file.reals(w + "x", 0);
  if (m.x.size() < m.entries)
    file.fail(w + "x", fmt::format("holds {} values ({} are needed)", m.x.size(), m.entries));
  return m;
}

/// The matrix as blocks, in our order of rows. Every diagonal block is present.
Blocks blocksOf(const Hdf5Reader& file, const FclibMatrix& m) {
  Blocks blocks;
  for (int k = 0; k < m.n / 3; ++k) blocks.emplace(std::pair(k, k), Mat3::Zero());
  const auto add = [&](int row, int column, double value) {
    if (row < 0 || row >= m.n || column < 0 || column >= m.n)
      file.fail("fclib_local/W",
                fmt::format("has an entry at ({}, {}), outside {} x {}", row, column, m.n, m.n));
    const auto [at, fresh] = blocks.try_emplace(std::pair(row / 3, column / 3), Mat3::Zero());
    at->second(contactRowOf(row), contactRowOf(column)) += value;
  };
  if (m.form >= 0) {
    for (std::size_t k = 0; k < m.entries; ++k) add(m.i[k], m.p[k], m.x[k]);
    return blocks;
  }
  for (int line = 0; line < m.n; ++line) {
    const auto first = static_cast<std::size_t>(line);
    if (m.p[first] < 0 || m.p[first] > m.p[first + 1] || m.p[first + 1] > static_cast<int>(m.entries))
      file.fail("fclib_local/W/p", "does not grow from 0 to the number of entries");
    for (auto k = static_cast<std::size_t>(m.p[first]); k < static_cast<std::size_t>(m.p[first + 1]); ++k)
      m.form == -1 ? add(m.i[k], line, m.x[k]) : add(line, m.i[k], m.x[k]);
  }
  return blocks;
}

/// (W + Wᵀ) / 2. Fails where W is not symmetric enough, or has a diagonal entry that is not positive.
Blocks symmetricPart(const Hdf5Reader& file, const Blocks& blocks, int contacts,
                     std::vector<std::string>& notes) {
  double largest = 0.0, asymmetry = 0.0;
  Blocks symmetric;
  for (const auto& [at, block] : blocks) {
    largest = std::max(largest, block.cwiseAbs().maxCoeff());
    const auto mirror = blocks.find({at.second, at.first});
    const Mat3 other = mirror == blocks.end() ? Mat3(Mat3::Zero()) : Mat3(mirror->second.transpose());
    asymmetry = std::max(asymmetry, (block - other).cwiseAbs().maxCoeff());
    const Mat3 mean = 0.5 * (block + other);
    symmetric[at] = mean;
    symmetric[{at.second, at.first}] = mean.transpose();
  }
  if (asymmetry > kAsymmetryRefused * largest)
    file.fail("fclib_local/W", fmt::format("is not symmetric (relative error {:.2g})", asymmetry / largest));
  if (asymmetry > kAsymmetryNoted * largest)
    notes.push_back(
        fmt::format("W is symmetric to {:.1g} only: its symmetric part is used", asymmetry / largest));
  for (int k = 0; k < contacts; ++k)
    if (!(symmetric[{k, k}].diagonal().minCoeff() > 0.0))
      file.fail(
          "fclib_local/W",
          fmt::format("has a diagonal entry that is not positive at contact {} (something must move there)",
                      k));
  return symmetric;
}

std::vector<double> readFriction(const Hdf5Reader& file) {
  auto mu = file.reals("fclib_local/vectors/mu", 0);
  if (mu.empty()) file.fail("fclib_local/vectors/mu", "is empty (a problem needs contacts)");
  if (mu.size() > kMostContacts)
    file.fail("fclib_local/vectors/mu",
              fmt::format("has {} contacts (at most {})", mu.size(), kMostContacts));
  for (std::size_t k = 0; k < mu.size(); ++k)
    if (mu[k] < 0.0)
      file.fail("fclib_local/vectors/mu", fmt::format("is {:g} at contact {} (must be >= 0)", mu[k], k));
  return mu;
}

/// W in compressed columns. W is symmetric, so columns are rows.
void writeMatrix(Hdf5Writer& file, const CoupledCompliance& w, std::size_t contacts) {
  std::vector<int> p(1, 0), i;
  std::vector<double> x;
  for (std::size_t k = 0; k < contacts; ++k)
    for (int column = 0; column < 3; ++column) {
      for (auto b = static_cast<std::size_t>(w.start[k]); b < static_cast<std::size_t>(w.start[k + 1]); ++b)
        for (int row = 0; row < 3; ++row) {
          i.push_back(3 * w.contact[b] + row);
          x.push_back(w.block[b](contactRowOf(column), contactRowOf(row)));
        }
      p.push_back(static_cast<int>(i.size()));
    }
  const int n = static_cast<int>(3 * contacts);
  file.integers("fclib_local/W/m", {n});
  file.integers("fclib_local/W/n", {n});
  file.integers("fclib_local/W/nz", {-1});
  file.integers("fclib_local/W/nzmax", {static_cast<int>(i.size())});
  file.integers("fclib_local/W/p", p);
  file.integers("fclib_local/W/i", i);
  file.reals("fclib_local/W/x", x);
}

}  // namespace

CoupledCompliance contactDelassus(const DualProblem& problem) {
  const int contacts = static_cast<int>(problem.contacts.size());
  std::vector<std::vector<std::pair<int, const Mat36*>>> touching(problem.inertia.size());
  Blocks blocks;
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
  return compress(blocks, contacts);
}

DualProblem readFclibLocal(const Hdf5Reader& file, std::vector<std::string>& notes) {
  if (!file.has("fclib_local"))
    file.fail(file.has("fclib_global")
                  ? "fclib_global: the global form is not read (condense it to fclib_local)"
                  : "has no group fclib_local (needs the FCLIB layout, local form)");
  const int dimension = file.integer("fclib_local/spacedim");
  if (dimension != 3) file.fail("fclib_local/spacedim", fmt::format("is {} (only 3 is solved)", dimension));
  const auto mu = readFriction(file);
  const int contacts = static_cast<int>(mu.size());
  const auto q = file.reals("fclib_local/vectors/q", 3 * mu.size());
  DualProblem problem;
  const Blocks w = symmetricPart(file, blocksOf(file, readMatrix(file, contacts)), contacts, notes);
  problem.coupled = compress(w, contacts);
  for (std::size_t k = 0; k < mu.size(); ++k) {
    ContactBlock contact;
    contact.row = static_cast<int>(3 * k);
    contact.friction = mu[k];
    problem.contacts.push_back(contact);
    for (const int row : kFclibRow) problem.bias.push_back(q[3 * k + static_cast<std::size_t>(row)]);
  }
  problem.compliance.assign(problem.bias.size(), 0.0);
  return problem;
}

void writeFclibLocal(Hdf5Writer& file, const DualProblem& problem, const Solution* solution) {
  file.integers("fclib_local/spacedim", {3});
  writeMatrix(file, contactDelassus(problem), problem.contacts.size());
  std::vector<double> mu, q, r, u, free(static_cast<std::size_t>(problem.rows()));
  rowVelocities(problem, problem.freeTwist, free);
  for (const ContactBlock& contact : problem.contacts) {
    mu.push_back(contact.friction);
    for (int fclib = 0; fclib < 3; ++fclib) {
      const auto row = static_cast<std::size_t>(contact.row) + static_cast<std::size_t>(contactRowOf(fclib));
      q.push_back(free[row] + problem.bias[row]);
      if (!solution) continue;
      r.push_back(solution->impulse[row]);
      u.push_back(solution->dual[row]);
    }
    if (solution) {
      const std::size_t normal = u.size() - 3;  // Solution::dual holds De Saxcé's term, u does not
      u[normal] -= contact.friction * std::hypot(u[normal + 1], u[normal + 2]);
    }
  }
  file.reals("fclib_local/vectors/mu", mu);
  file.reals("fclib_local/vectors/q", q);
  if (!solution) return;
  file.reals("solution/r", r);
  file.reals("solution/u", u);
}

}  // namespace grashof
