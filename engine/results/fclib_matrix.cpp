#include "engine/results/fclib_matrix.h"

#include <algorithm>

#include <fmt/format.h>

namespace grashof {
namespace {

constexpr double kAsymmetryNoted = 1e-12, kAsymmetryRefused = 1e-2;
constexpr std::size_t kMostContacts = 1'000'000;

/// A matrix as it stands in the file.
struct StoredMatrix {
  int rows = 0, columns = 0;
  int form = 0;  // -1: compressed columns, -2: compressed rows, else triplets
  std::vector<int> p, i;
  std::vector<double> x;
  std::size_t entries = 0;
};

StoredMatrix readStored(const Hdf5Reader& file, const std::string& group, int rows, int columns) {
  const std::string at = group + "/";
  StoredMatrix m;
  m.rows = file.integer(at + "m");
  m.columns = file.integer(at + "n");
  m.form = file.integer(at + "nz");
  if (m.rows != rows || m.columns != columns)
    file.fail(group, fmt::format("is {} x {} (the vectors say {} x {})", m.rows, m.columns, rows, columns));
  m.p = file.integers(at + "p");
  m.i = file.integers(at + "i");
  if (m.form < -2) file.fail(at + "nz", fmt::format("is {} (-1, -2, or a number of triplets)", m.form));
  m.entries = m.form >= 0   ? static_cast<std::size_t>(m.form)
              : m.p.empty() ? 0
                            : static_cast<std::size_t>(std::max(m.p.back(), 0));
  if (m.i.size() < m.entries)
    file.fail(at + "i", fmt::format("holds {} indices ({} are needed)", m.i.size(), m.entries));
  const auto pointers = static_cast<std::size_t>(m.form == -1 ? columns : rows) + 1;
  if (m.form >= 0 ? m.p.size() < m.entries : m.p.size() != pointers)
    file.fail(at + "p", fmt::format("holds {} indices ({} are needed)", m.p.size(),
                                    m.form >= 0 ? m.entries : pointers));
  m.x = file.reals(at + "x", 0);
  if (m.x.size() < m.entries)
    file.fail(at + "x", fmt::format("holds {} values ({} are needed)", m.x.size(), m.entries));
  return m;
}

/// Whether the first `entries` indices are from 0 to `end` - 1.
bool allWithin(const std::vector<int>& indices, std::size_t entries, int end) {
  return std::all_of(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(entries),
                     [&](int index) { return index >= 0 && index < end; });
}

/// Triplets whose `p` are rows become such whose `p` are columns, where only that fits.
void turnTriplets(const std::string& group, StoredMatrix& m, std::vector<std::string>& notes) {
  const auto fits = [&] { return allWithin(m.i, m.entries, m.rows) && allWithin(m.p, m.entries, m.columns); };
  if (fits()) return;
  std::swap(m.i, m.p);
  if (fits())
    notes.push_back(group + ": its triplets have rows in p and columns in i");
  else
    std::swap(m.i, m.p);
}

}  // namespace

Eigen::SparseMatrix<double> readFclibMatrix(const Hdf5Reader& file, const std::string& group, int rows,
                                            int columns, std::vector<std::string>& notes) {
  StoredMatrix m = readStored(file, group, rows, columns);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(m.entries);
  const auto add = [&](int row, int column, double value) {
    if (row < 0 || row >= rows || column < 0 || column >= columns)
      file.fail(group, fmt::format("has an entry at ({}, {}), outside {} x {}", row, column, rows, columns));
    entries.emplace_back(row, column, value);
  };
  if (m.form >= 0) {
    turnTriplets(group, m, notes);
    for (std::size_t k = 0; k < m.entries; ++k) add(m.i[k], m.p[k], m.x[k]);
  } else {
    for (std::size_t line = 0; line + 1 < m.p.size(); ++line) {
      if (m.p[line] < 0 || m.p[line] > m.p[line + 1] || m.p[line + 1] > static_cast<int>(m.entries))
        file.fail(group + "/p", "does not grow from 0 to the number of entries");
      for (auto k = static_cast<std::size_t>(m.p[line]); k < static_cast<std::size_t>(m.p[line + 1]); ++k)
        m.form == -1 ? add(m.i[k], static_cast<int>(line), m.x[k])
                     : add(static_cast<int>(line), m.i[k], m.x[k]);
    }
  }
  Eigen::SparseMatrix<double> matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void writeFclibMatrix(Hdf5Writer& file, const std::string& group, const Eigen::SparseMatrix<double>& matrix) {
  const auto entries = static_cast<std::ptrdiff_t>(matrix.nonZeros());
  const auto one = [&](const char* name, int value) { file.integers((group + "/" + name).c_str(), {value}); };
  one("m", static_cast<int>(matrix.rows()));
  one("n", static_cast<int>(matrix.cols()));
  one("nz", -1);
  one("nzmax", static_cast<int>(entries));
  file.integers((group + "/p").c_str(), {matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.cols() + 1});
  file.integers((group + "/i").c_str(), {matrix.innerIndexPtr(), matrix.innerIndexPtr() + entries});
  file.reals((group + "/x").c_str(), {matrix.valuePtr(), matrix.valuePtr() + entries});
}

void noteAsymmetry(const Hdf5Reader& file, const std::string& group, double asymmetry, double largest,
                   std::vector<std::string>& notes) {
  if (asymmetry > kAsymmetryRefused * largest)
    file.fail(group, fmt::format("is not symmetric (relative error {:.2g})", asymmetry / largest));
  if (asymmetry > kAsymmetryNoted * largest)
    notes.push_back(fmt::format("{} is symmetric to {:.1g} only: its symmetric part is used", group,
                                asymmetry / largest));
}

std::vector<double> readFclibFriction(const Hdf5Reader& file, const std::string& name) {
  auto mu = file.reals(name, 0);
  if (mu.empty()) file.fail(name, "is empty (a problem needs contacts)");
  if (mu.size() > kMostContacts)
    file.fail(name, fmt::format("has {} contacts (at most {})", mu.size(), kMostContacts));
  for (std::size_t k = 0; k < mu.size(); ++k)
    if (mu[k] < 0.0) file.fail(name, fmt::format("is {:g} at contact {} (must be >= 0)", mu[k], k));
  return mu;
}

}  // namespace grashof
