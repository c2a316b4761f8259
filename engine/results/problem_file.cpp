#include "engine/results/problem_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/results/hdf5_handle.h"

namespace grashof {
namespace {

constexpr double kAsymmetryNoted = 1e-12, kAsymmetryRefused = 1e-2;
constexpr std::array<int, 3> kTheirs = {1, 2, 0};  // row of FCLIB for each of ours
constexpr hsize_t kMaxValues = hsize_t{1} << 28;   // 2 GiB of numbers

/// Reads datasets of one file; all errors name it.
class Source {
 public:
  explicit Source(std::string path) : path_(std::move(path)) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are ours to report
    std::error_code code;
    if (!std::filesystem::is_regular_file(path_, code))
      fail("cannot be read (is the path right, and a file?)");
    if (H5Fis_hdf5(path_.c_str()) <= 0) fail("is not an HDF5 file (needs the FCLIB layout, local form)");
    file_ = Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose);
    if (!file_.valid()) fail("cannot be opened (is it complete?)");
  }

  [[noreturn]] void fail(const std::string& message) const { throw InputError({{path_, 0, {}, message}}); }
  [[noreturn]] void fail(const std::string& element, const std::string& message) const {
    throw InputError({{path_, 0, element, message}});
  }

  bool has(const std::string& name) const {
    std::string part;
    for (std::size_t at = 0; at != std::string::npos;) {
      at = name.find('/', at + 1);
      part = name.substr(0, at);
      if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0) return false;
    }
    return true;
  }

  std::vector<double> reals(const std::string& name, hsize_t size) const {
    auto values = read<double>(name, H5T_NATIVE_DOUBLE, H5T_FLOAT, size);
    for (const double v : values)
      if (!std::isfinite(v)) fail(name, "holds a value that is not finite (all must be)");
    return values;
  }
  /// Of any size.
  std::vector<int> integers(const std::string& name) const {
    return read<int>(name, H5T_NATIVE_INT, H5T_INTEGER, 0);
  }
  int integer(const std::string& name) const {
    const auto values = integers(name);
    if (values.size() != 1) fail(name, fmt::format("holds {} values (one is needed)", values.size()));
    return values[0];
  }

 private:
  /// `size` 0: as many as there are.
  template <typename T>
  std::vector<T> read(const std::string& name, hid_t type, H5T_class_t kind, hsize_t size) const {
    if (!has(name)) fail(name, "is missing");
    const Handle data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), &H5Dclose);
    if (!data.valid()) fail(name, "is no dataset");
    const Handle stored(H5Dget_type(data), &H5Tclose);
    const H5T_class_t found = H5Tget_class(stored);
    if (found != kind && !(kind == H5T_FLOAT && found == H5T_INTEGER))
      fail(name, kind == H5T_FLOAT ? "does not hold numbers" : "does not hold integers");
    const Handle space(H5Dget_space(data), &H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count < 0 || static_cast<hsize_t>(count) > kMaxValues) fail(name, "is too large, or damaged");
    if (size > 0 && static_cast<hsize_t>(count) != size)
      fail(name, fmt::format("holds {} values ({} are needed)", count, size));
    std::vector<T> values(static_cast<std::size_t>(count));
    if (count > 0 && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      fail(name, "cannot be read (is the file complete?)");
    return values;
  }

  std::string path_;
  Handle file_;
};

using Blocks = std::map<std::pair<int, int>, Mat3>;

CoupledCompliance compress(const Blocks& blocks, int contacts) {
  CoupledCompliance w;
  w.start.assign(1, 0);
  w.diagonal.assign(contacts, -1);
  for (const auto& [at, block] : blocks) {
    while (static_cast<int>(w.start.size()) <= at.first)
      w.start.push_back(static_cast<int>(w.contact.size()));
    if (at.first == at.second) w.diagonal[at.first] = static_cast<int>(w.contact.size());
    w.contact.push_back(at.second);
    w.block.push_back(block);
  }
  while (static_cast<int>(w.start.size()) <= contacts) w.start.push_back(static_cast<int>(w.contact.size()));
  return w;
}

int ourRow(int theirs) { return theirs % 3 == 0 ? 2 : theirs % 3 - 1; }

/// The matrix W, in our order of rows.
Blocks readDelassus(const Source& source, int contacts, std::vector<std::string>& notes) {
  const std::string w = "fclib_local/W/";
  const int n = 3 * contacts;
  const int rows = source.integer(w + "m"), columns = source.integer(w + "n"),
            form = source.integer(w + "nz");
  if (rows != n || columns != n)
    source.fail("fclib_local/W",
                fmt::format("is {} x {} (mu and q say {} contacts: {} x {})", rows, columns, contacts, n, n));
  const auto p = source.integers(w + "p"), i = source.integers(w + "i");
  if (form < -2) source.fail(w + "nz", fmt::format("is {} (-1, -2, or a number of triplets)", form));
  const std::size_t count = form >= 0   ? static_cast<std::size_t>(form)
                            : p.empty() ? 0
                                        : static_cast<std::size_t>(std::max(p.back(), 0));
  if (i.size() < count)
    source.fail(w + "i", fmt::format("holds {} indices ({} are needed)", i.size(), count));
  if (form >= 0 ? p.size() < count : p.size() != static_cast<std::size_t>(n) + 1)
    source.fail(w + "p", fmt::format("holds {} indices ({} are needed)", p.size(),
                                     form >= 0 ? count : std::size_t(n) + 1));
  const auto x = source.reals(w + "x", 0);
  if (x.size() < count) source.fail(w + "x", fmt::format("holds {} values ({} are needed)", x.size(), count));
  Blocks blocks;
  for (int k = 0; k < contacts; ++k) blocks.emplace(std::pair(k, k), Mat3::Zero());
  const auto add = [&](int row, int column, double value) {
    if (row < 0 || row >= n || column < 0 || column >= n)
      source.fail("fclib_local/W",
                  fmt::format("has an entry at ({}, {}), outside {} x {}", row, column, n, n));
    const auto [at, fresh] = blocks.try_emplace(std::pair(row / 3, column / 3), Mat3::Zero());
    at->second(ourRow(row), ourRow(column)) += value;
  };
  if (form >= 0) {
    for (std::size_t k = 0; k < count; ++k) add(i[k], p[k], x[k]);
  } else {
    for (int line = 0; line < n; ++line) {
      if (p[line] < 0 || p[line] > p[line + 1] || p[line + 1] > static_cast<int>(count))
        source.fail(w + "p", "does not grow from 0 to the number of entries");
      for (int k = p[line]; k < p[line + 1]; ++k) form == -1 ? add(i[k], line, x[k]) : add(line, i[k], x[k]);
    }
  }
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
    source.fail("fclib_local/W",
                fmt::format("is not symmetric (relative error {:.2g})", asymmetry / largest));
  if (asymmetry > kAsymmetryNoted * largest)
    notes.push_back(
        fmt::format("W is symmetric to {:.1g} only: its symmetric part is used", asymmetry / largest));
  for (int k = 0; k < contacts; ++k)
    if (!(symmetric[{k, k}].diagonal().minCoeff() > 0.0))
      source.fail(
          "fclib_local/W",
          fmt::format("has a diagonal entry that is not positive at contact {} (something must move there)",
                      k));
  return symmetric;
}

std::vector<double> readFriction(const Source& source) {
  auto mu = source.reals("fclib_local/vectors/mu", 0);
  if (mu.empty()) source.fail("fclib_local/vectors/mu", "is empty (a problem needs contacts)");
  for (std::size_t k = 0; k < mu.size(); ++k)
    if (mu[k] < 0.0)
      source.fail("fclib_local/vectors/mu", fmt::format("is {:g} at contact {} (must be >= 0)", mu[k], k));
  return mu;
}

void readLocal(const Source& source, ProblemFile& file) {
  if (!source.has("fclib_local"))
    source.fail(source.has("fclib_global")
                    ? "fclib_global: the global form is not read (condense it to fclib_local)"
                    : "has no group fclib_local (needs the FCLIB layout, local form)");
  const int dimension = source.integer("fclib_local/spacedim");
  if (dimension != 3) source.fail("fclib_local/spacedim", fmt::format("is {} (only 3 is solved)", dimension));
  const auto mu = readFriction(source);
  const int contacts = static_cast<int>(mu.size());
  const auto q = source.reals("fclib_local/vectors/q", 3 * mu.size());
  DualProblem& problem = file.problem;
  problem.coupled = compress(readDelassus(source, contacts, file.notes), contacts);
  for (int k = 0; k < contacts; ++k) {
    ContactBlock contact;
    contact.row = 3 * k;
    contact.friction = mu[k];
    problem.contacts.push_back(contact);
    for (const int row : kTheirs) problem.bias.push_back(q[3 * k + row]);
  }
  problem.compliance.assign(problem.bias.size(), 0.0);
}

void readBodies(const Source& source, DualProblem& problem) {
  const auto mass = source.reals("grashof/bodies/mass", 0);
  const std::size_t n = mass.size();
  const auto inertia = source.reals("grashof/bodies/inertia", 9 * n);
  const auto twist = source.reals("grashof/bodies/free_twist", 6 * n);
  for (std::size_t b = 0; b < n; ++b) {
    InertiaBlock block;
    block.mass = mass[b];
    block.inertia = Mat3(&inertia[9 * b]);
    const double definite = Eigen::LLT<Mat3>(block.inertia).info() == Eigen::Success ? 1.0 : 0.0;
    if (!(mass[b] > 0.0) || definite == 0.0)
      source.fail("grashof/bodies", fmt::format("body {} has no positive definite inertia", b));
    block.inverseMass = 1.0 / mass[b];
    block.inverseInertia = block.inertia.inverse();
    problem.inertia.push_back(block);
    problem.freeTwist.emplace_back(&twist[6 * b]);
  }
}

int body(const Source& source, int index, std::size_t bodies, int least) {
  if (index < least || index >= static_cast<int>(bodies))
    source.fail("grashof", fmt::format("names body {} of {}", index, bodies));
  return index;
}

/// Rows of the file are those of the problem: joints, intervals, contacts.
void readRows(const Source& source, DualProblem& problem) {
  const std::size_t bodies = problem.inertia.size();
  const auto jointRows = source.integers("grashof/joints/rows");
  const auto jointTerms = source.integers("grashof/joints/terms");
  const auto termBody = source.integers("grashof/joints/term_body");
  const auto termJacobian = source.reals("grashof/joints/term_jacobian", 36 * termBody.size());
  if (jointTerms.size() != jointRows.size()) source.fail("grashof/joints/terms", "needs one entry a joint");
  std::size_t terms = 0;
  for (std::size_t j = 0; j < jointRows.size(); ++j) {
    JointBlock joint{problem.jointRows, jointRows[j], static_cast<int>(terms), jointTerms[j]};
    if (joint.rows < 1 || joint.rows > 6 || joint.terms < 1)
      source.fail("grashof/joints", "a joint needs 1 to 6 rows");
    terms += static_cast<std::size_t>(joint.terms);
    problem.jointRows += joint.rows;
    problem.joints.push_back(joint);
  }
  if (terms != termBody.size()) source.fail("grashof/joints/term_body", "needs one entry a term");
  for (std::size_t t = 0; t < terms; ++t) {
    JointTerm term;
    term.body = body(source, termBody[t], bodies, 0);
    term.jacobian = Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(&termJacobian[36 * t]);
    problem.jointTerms.push_back(term);
  }
  int row = problem.jointRows;
  const auto lower = source.integers("grashof/intervals/bounded_below");
  const std::size_t ni = lower.size();
  const auto intervalBodies = source.integers("grashof/intervals/bodies");
  const auto intervalJacobian = source.reals("grashof/intervals/jacobian", 12 * ni);
  const auto low = source.reals("grashof/intervals/lower", ni),
             high = source.reals("grashof/intervals/upper", ni);
  const auto upper = source.integers("grashof/intervals/bounded_above");
  if (intervalBodies.size() != 2 * ni || upper.size() != ni)
    source.fail("grashof/intervals", "its datasets differ in length");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < ni; ++i) {
    IntervalRow interval;
    interval.row = row++;
    interval.bodyA = body(source, intervalBodies[2 * i], bodies, -1);
    interval.bodyB = body(source, intervalBodies[2 * i + 1], bodies, -1);
    interval.jacobianA = Vec6(&intervalJacobian[12 * i]);
    interval.jacobianB = Vec6(&intervalJacobian[12 * i + 6]);
    interval.lower = lower[i] != 0 ? low[i] : -kInfinity;
    interval.upper = upper[i] != 0 ? high[i] : kInfinity;
    if (interval.lower > interval.upper) source.fail("grashof/intervals", "lower is above upper");
    problem.intervals.push_back(interval);
  }
  const auto contactBodies = source.integers("grashof/contacts/bodies");
  const std::size_t nc = contactBodies.size() / 2;
  const auto contactJacobian = source.reals("grashof/contacts/jacobian", 36 * nc);
  const auto mu = source.reals("grashof/contacts/mu", nc);
  using RowMajor = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
  for (std::size_t k = 0; k < nc; ++k) {
    ContactBlock contact;
    contact.row = row;
    row += 3;
    contact.bodyA = body(source, contactBodies[2 * k], bodies, -1);
    contact.bodyB = body(source, contactBodies[2 * k + 1], bodies, -1);
    contact.jacobianA = Eigen::Map<const RowMajor>(&contactJacobian[36 * k]);
    contact.jacobianB = Eigen::Map<const RowMajor>(&contactJacobian[36 * k + 18]);
    contact.friction = mu[k];
    if (mu[k] < 0.0) source.fail("grashof/contacts/mu", "must be >= 0");
    problem.contacts.push_back(contact);
  }
  problem.bias = source.reals("grashof/bias", static_cast<hsize_t>(row));
  problem.compliance = source.reals("grashof/compliance", static_cast<hsize_t>(row));
}

/// Writes datasets of one file.
class Target {
 public:
  explicit Target(const std::string& path) : path_(path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    file_ = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose);
    links_ = Handle(H5Pcreate(H5P_LINK_CREATE), &H5Pclose);
    check(file_);
    check(H5Pset_create_intermediate_group(links_, 1));
  }

  void reals(const char* name, const std::vector<double>& values) {
    write(name, H5T_NATIVE_DOUBLE, values.data(), values.size());
  }
  void integers(const char* name, const std::vector<int>& values) {
    write(name, H5T_NATIVE_INT, values.data(), values.size());
  }
  void text(const char* name, const std::string& value) {
    const Handle type(H5Tcopy(H5T_C_S1), &H5Tclose);
    check(H5Tset_size(type, value.size() + 1));
    const Handle space(H5Screate(H5S_SCALAR), &H5Sclose);
    const Handle data(H5Dcreate2(file_, name, type, space, links_, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
    check(data);
    check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()));
  }
  void flush() { check(H5Fflush(file_, H5F_SCOPE_LOCAL)); }

 private:
  void check(hid_t status) const {
    if (status < 0)
      throw InputError(path_ + " cannot be written (is the disk full, or the folder read-only?)");
  }
  void write(const char* name, hid_t type, const void* values, hsize_t size) {
    const Handle space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
    const Handle data(H5Dcreate2(file_, name, type, space, links_, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
    check(data);
    if (size > 0) check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  }

  std::string path_;
  Handle file_, links_;
};

void append(std::vector<double>& to, std::span<const double> values) {
  to.insert(to.end(), values.begin(), values.end());
}

void writeLocal(Target& target, const DualProblem& problem, const Solution* solution) {
  const CoupledCompliance w = contactDelassus(problem);
  const std::size_t nc = problem.contacts.size();
  const int n = static_cast<int>(3 * nc);
  // Compressed columns; W is symmetric, so columns are rows.
  std::vector<int> p(1, 0), i;
  std::vector<double> x;
  for (std::size_t k = 0; k < nc; ++k)
    for (int theirs = 0; theirs < 3; ++theirs) {
      for (int b = w.start[k]; b < w.start[k + 1]; ++b)
        for (int row = 0; row < 3; ++row) {
          i.push_back(3 * w.contact[b] + row);
          x.push_back(w.block[b](ourRow(theirs), ourRow(row)));
        }
      p.push_back(static_cast<int>(i.size()));
    }
  target.integers("fclib_local/spacedim", {3});
  target.integers("fclib_local/W/m", {n});
  target.integers("fclib_local/W/n", {n});
  target.integers("fclib_local/W/nz", {-1});
  target.integers("fclib_local/W/nzmax", {static_cast<int>(i.size())});
  target.integers("fclib_local/W/p", p);
  target.integers("fclib_local/W/i", i);
  target.reals("fclib_local/W/x", x);
  std::vector<double> mu, q, r, u, free(problem.rows());
  rowVelocities(problem, problem.freeTwist, free);
  for (const ContactBlock& contact : problem.contacts) {
    mu.push_back(contact.friction);
    for (int theirs = 0; theirs < 3; ++theirs) {
      const int row = contact.row + ourRow(theirs);
      q.push_back(free[row] + problem.bias[row]);
      if (!solution) continue;
      r.push_back(solution->impulse[row]);
      u.push_back(solution->dual[row]);
    }
    if (solution) {
      const std::size_t at = u.size() - 3;  // without De Saxcé's term
      u[at] -= contact.friction * std::hypot(u[at + 1], u[at + 2]);
    }
  }
  target.reals("fclib_local/vectors/mu", mu);
  target.reals("fclib_local/vectors/q", q);
  if (!solution) return;
  target.reals("solution/r", r);
  target.reals("solution/u", u);
}

void writeOwn(Target& target, const DualProblem& problem) {
  std::vector<double> mass, inertia, twist;
  for (const InertiaBlock& block : problem.inertia) {
    mass.push_back(block.mass);
    append(inertia, {block.inertia.data(), 9});
  }
  for (const Vec6& u : problem.freeTwist) append(twist, {u.data(), 6});
  target.reals("grashof/bodies/mass", mass);
  target.reals("grashof/bodies/inertia", inertia);
  target.reals("grashof/bodies/free_twist", twist);
  std::vector<int> rows, terms, termBody;
  std::vector<double> termJacobian;
  for (const JointBlock& joint : problem.joints) {
    rows.push_back(joint.rows);
    terms.push_back(joint.terms);
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t) {
      termBody.push_back(problem.jointTerms[t].body);
      const Mat6 transposed = problem.jointTerms[t].jacobian.transpose();
      append(termJacobian, {transposed.data(), 36});
    }
  }
  target.integers("grashof/joints/rows", rows);
  target.integers("grashof/joints/terms", terms);
  target.integers("grashof/joints/term_body", termBody);
  target.reals("grashof/joints/term_jacobian", termJacobian);
  std::vector<int> intervalBodies, below, above, contactBodies;
  std::vector<double> intervalJacobian, lower, upper, contactJacobian, mu;
  for (const IntervalRow& row : problem.intervals) {
    intervalBodies.insert(intervalBodies.end(), {row.bodyA, row.bodyB});
    append(intervalJacobian, {row.jacobianA.data(), 6});
    append(intervalJacobian, {row.jacobianB.data(), 6});
    below.push_back(std::isfinite(row.lower));
    above.push_back(std::isfinite(row.upper));
    lower.push_back(std::isfinite(row.lower) ? row.lower : 0.0);
    upper.push_back(std::isfinite(row.upper) ? row.upper : 0.0);
  }
  target.integers("grashof/intervals/bodies", intervalBodies);
  target.reals("grashof/intervals/jacobian", intervalJacobian);
  target.integers("grashof/intervals/bounded_below", below);
  target.integers("grashof/intervals/bounded_above", above);
  target.reals("grashof/intervals/lower", lower);
  target.reals("grashof/intervals/upper", upper);
  for (const ContactBlock& contact : problem.contacts) {
    contactBodies.insert(contactBodies.end(), {contact.bodyA, contact.bodyB});
    for (const Mat36* jacobian : {&contact.jacobianA, &contact.jacobianB}) {
      const Eigen::Matrix<double, 6, 3> transposed = jacobian->transpose();
      append(contactJacobian, {transposed.data(), 18});
    }
    mu.push_back(contact.friction);
  }
  target.integers("grashof/contacts/bodies", contactBodies);
  target.reals("grashof/contacts/jacobian", contactJacobian);
  target.reals("grashof/contacts/mu", mu);
  target.reals("grashof/bias", problem.bias);
  target.reals("grashof/compliance", problem.compliance);
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
    for (int i = problem.coupled.empty() ? 0 : problem.coupled.start[k];
         !problem.coupled.empty() && i < problem.coupled.start[k + 1]; ++i)
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

ProblemFile readProblem(const std::string& path) {
  const Source source(path);
  ProblemFile file;
  if (!source.has("grashof")) {
    readLocal(source, file);
    return file;
  }
  readBodies(source, file.problem);
  readRows(source, file.problem);
  if (file.problem.rows() == 0)
    source.fail("grashof", "has no rows (a problem needs joints, limits or contacts)");
  return file;
}

void writeProblem(const std::string& path, const std::string& title, const DualProblem& problem,
                  const Solution* solution) {
  Target target(path);
  target.text("fclib_local/info/title", title);
  target.text(
      "fclib_local/info/description",
      "One step of a Grashof simulation. W, q: contacts alone; group grashof: with joints and limits.");
  target.text("fclib_local/info/math_info", "u = W r + q, contact rows (n, t, o), impulses in N s");
  writeLocal(target, problem, solution);
  if (!problem.inertia.empty()) writeOwn(target, problem);
  target.flush();
}

}  // namespace grashof
