#include "engine/results/problem_groups.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

#include <fmt/format.h>

namespace grashof {
namespace {

constexpr std::size_t kMostBodies = 1'000'000;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

void readBodies(const Hdf5Reader& file, DualProblem& problem) {
  const auto mass = file.reals("grashof/bodies/mass", 0);
  const std::size_t n = mass.size();
  if (n > kMostBodies) file.fail("grashof/bodies", fmt::format("has {} bodies (at most {})", n, kMostBodies));
  const auto inertia = file.reals("grashof/bodies/inertia", 9 * n);
  const auto twist = file.reals("grashof/bodies/free_twist", 6 * n);
  for (std::size_t b = 0; b < n; ++b) {
    InertiaBlock block;
    block.mass = mass[b];
    block.inertia = Mat3(&inertia[9 * b]);
    if (!(mass[b] > 0.0) || Eigen::LLT<Mat3>(block.inertia).info() != Eigen::Success)
      file.fail("grashof/bodies", fmt::format("body {} has no positive definite inertia", b));
    block.inverseMass = 1.0 / mass[b];
    block.inverseInertia = block.inertia.inverse();
    problem.inertia.push_back(block);
    problem.freeTwist.emplace_back(&twist[6 * b]);
  }
}

/// `index` itself, if it is one of a body; -1, the world, only if `least` allows it.
int checkedBody(const Hdf5Reader& file, int index, const DualProblem& problem, int least) {
  if (index < least || index >= problem.bodies())
    file.fail("grashof", fmt::format("names body {} of {}", index, problem.bodies()));
  return index;
}

void readJoints(const Hdf5Reader& file, DualProblem& problem) {
  const auto jointRows = file.integers("grashof/joints/rows");
  const auto jointTerms = file.integers("grashof/joints/terms");
  const auto termBody = file.integers("grashof/joints/term_body");
  const auto termJacobian = file.reals("grashof/joints/term_jacobian", 36 * termBody.size());
  if (jointTerms.size() != jointRows.size()) file.fail("grashof/joints/terms", "needs one entry per joint");
  std::size_t terms = 0;
  for (std::size_t j = 0; j < jointRows.size(); ++j) {
    JointBlock joint{problem.jointRows, jointRows[j], static_cast<int>(terms), jointTerms[j]};
    if (joint.rows < 1 || joint.rows > 6 || joint.terms < 1)
      file.fail("grashof/joints", "a joint needs 1 to 6 rows");
    terms += static_cast<std::size_t>(joint.terms);
    problem.jointRows += joint.rows;
    problem.joints.push_back(joint);
  }
  if (terms != termBody.size()) file.fail("grashof/joints/term_body", "needs one entry per term");
  for (std::size_t t = 0; t < terms; ++t) {
    JointTerm term;
    term.body = checkedBody(file, termBody[t], problem, 0);
    term.jacobian = Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(&termJacobian[36 * t]);
    problem.jointTerms.push_back(term);
  }
}

/// `row`: first row of the intervals; on return the row after the last.
void readIntervals(const Hdf5Reader& file, DualProblem& problem, int& row) {
  const auto boundedBelow = file.integers("grashof/intervals/bounded_below");
  const std::size_t n = boundedBelow.size();
  const auto bodies = file.integers("grashof/intervals/bodies");
  const auto jacobian = file.reals("grashof/intervals/jacobian", 12 * n);
  const auto lower = file.reals("grashof/intervals/lower", n);
  const auto upper = file.reals("grashof/intervals/upper", n);
  const auto boundedAbove = file.integers("grashof/intervals/bounded_above");
  if (bodies.size() != 2 * n || boundedAbove.size() != n)
    file.fail("grashof/intervals", "its datasets differ in length");
  // Files of before rows had more than two bodies have no terms.
  const bool many = file.has("grashof/intervals/terms");
  const auto terms = many ? file.integers("grashof/intervals/terms") : std::vector<int>(n, 0);
  const auto termBody = many ? file.integers("grashof/intervals/term_body") : std::vector<int>();
  const auto termJacobian =
      many ? file.reals("grashof/intervals/term_jacobian", 6 * termBody.size()) : std::vector<double>();
  if (terms.size() != n) file.fail("grashof/intervals/terms", "needs one entry per interval");
  for (std::size_t t = 0; t < termBody.size(); ++t)
    problem.intervalTerms.push_back({checkedBody(file, termBody[t], problem, 0), Vec6(&termJacobian[6 * t])});
  std::size_t used = 0;
  for (std::size_t i = 0; i < n; ++i) {
    IntervalRow interval;
    interval.row = row++;
    interval.bodyA = checkedBody(file, bodies[2 * i], problem, -1);
    interval.bodyB = checkedBody(file, bodies[2 * i + 1], problem, -1);
    interval.jacobianA = Vec6(&jacobian[12 * i]);
    interval.jacobianB = Vec6(&jacobian[12 * i + 6]);
    interval.lower = boundedBelow[i] != 0 ? lower[i] : -kUnbounded;
    interval.upper = boundedAbove[i] != 0 ? upper[i] : kUnbounded;
    interval.firstTerm = static_cast<int>(used);
    interval.terms = terms[i];
    if (interval.terms < 0 || (interval.terms > 0 && interval.bodyB < 0))
      file.fail("grashof/intervals/terms", "has a number below 0, or terms without two bodies before them");
    used += static_cast<std::size_t>(interval.terms);
    if (interval.lower > interval.upper) file.fail("grashof/intervals", "lower is above upper");
    problem.intervals.push_back(interval);
  }
  if (used != termBody.size()) file.fail("grashof/intervals/term_body", "needs one entry per term");
}

/// Loads that widen the bounds of intervals; older files have none. `rows`: of the problem.
void readLoads(const Hdf5Reader& file, DualProblem& problem, int rows) {
  if (!file.has("grashof/loads/interval")) return;
  const auto interval = file.integers("grashof/loads/interval");
  const std::size_t n = interval.size();
  const auto place = file.integers("grashof/loads/rows");
  const auto positive = file.integers("grashof/loads/positive_part");
  const auto map = file.reals("grashof/loads/map", 18 * n);
  const auto share = file.reals("grashof/loads/share", 2 * n);
  const bool more = file.has("grashof/loads/also");
  const auto also = more ? file.integers("grashof/loads/also") : std::vector<int>(n, -1);
  const auto part = more ? file.reals("grashof/loads/also_part", 2 * n) : std::vector<double>(2 * n);
  if (also.size() != n) file.fail("grashof/loads", "its datasets differ in length");
  if (place.size() != 2 * n || positive.size() != n)
    file.fail("grashof/loads", "its datasets differ in length");
  using RowMajor = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
  int last = 0;
  for (std::size_t l = 0; l < n; ++l) {
    if (interval[l] < last || interval[l] >= static_cast<int>(problem.intervals.size()))
      file.fail("grashof/loads/interval", "must be indices of intervals in increasing order");
    last = interval[l];
    BoundLoad load;
    load.row = place[2 * l];
    load.rows = place[2 * l + 1];
    if (load.rows < 1 || load.rows > 6 || load.row < 0 || load.row > rows - load.rows)
      file.fail("grashof/loads/rows", "must be rows of the problem, 1 to 6 in number");
    load.positivePart = positive[l] != 0;
    load.map = Eigen::Map<const RowMajor>(&map[18 * l]);
    load.lowerShare = share[2 * l];
    load.upperShare = share[2 * l + 1];
    if (!(load.lowerShare >= 0.0 && load.upperShare >= 0.0)) file.fail("grashof/loads/share", "must be >= 0");
    load.also = also[l];
    load.alsoShare = part[2 * l];
    load.offset = part[2 * l + 1];
    if (load.also < -1 || load.also >= rows)
      file.fail("grashof/loads/also", "must be rows of the problem, or -1");
    IntervalRow& row = problem.intervals[static_cast<std::size_t>(last)];
    if (row.loads++ == 0) row.firstLoad = static_cast<int>(l);
    problem.boundLoads.push_back(load);
  }
}

/// `row`: first row of the contacts; on return the row after the last.
void readContacts(const Hdf5Reader& file, DualProblem& problem, int& row) {
  const auto bodies = file.integers("grashof/contacts/bodies");
  if (bodies.size() % 2 != 0) file.fail("grashof/contacts/bodies", "needs two entries per contact");
  const std::size_t n = bodies.size() / 2;
  const auto jacobian = file.reals("grashof/contacts/jacobian", 36 * n);
  const auto mu = file.reals("grashof/contacts/mu", n);
  using RowMajor = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
  for (std::size_t k = 0; k < n; ++k) {
    ContactBlock contact;
    contact.row = row;
    row += 3;
    contact.bodyA = checkedBody(file, bodies[2 * k], problem, -1);
    contact.bodyB = checkedBody(file, bodies[2 * k + 1], problem, -1);
    contact.jacobianA = Eigen::Map<const RowMajor>(&jacobian[36 * k]);
    contact.jacobianB = Eigen::Map<const RowMajor>(&jacobian[36 * k + 18]);
    contact.friction = mu[k];
    if (mu[k] < 0.0) file.fail("grashof/contacts/mu", "must be >= 0");
    problem.contacts.push_back(contact);
  }
}

/// Normal laws, and what models with memory need of contacts; absent if no contact has any, and in older
/// files.
void readLaws(const Hdf5Reader& file, DualProblem& problem) {
  const std::size_t n = problem.contacts.size();
  if (file.has("grashof/contacts/impulse_before")) {
    const auto before = file.reals("grashof/contacts/impulse_before", n);
    const auto speed = file.reals("grashof/contacts/stiction_speed", n);
    for (std::size_t k = 0; k < n; ++k) {
      if (!(speed[k] > 0.0)) file.fail("grashof/contacts/stiction_speed", "must be > 0");
      problem.contacts[k].impulseBefore = before[k];
      problem.contacts[k].stictionSpeed = speed[k];
    }
  }
  if (!file.has("grashof/laws/contact")) return;
  const auto contact = file.integers("grashof/laws/contact");
  const auto values = file.reals("grashof/laws/values", 5 * contact.size());
  for (std::size_t l = 0; l < contact.size(); ++l) {
    if (contact[l] < 0 || contact[l] >= static_cast<int>(n) || problem.contacts[contact[l]].law >= 0)
      file.fail("grashof/laws/contact", "must be indices of contacts, each once");
    const double* v = &values[5 * l];
    const NormalLaw law{v[0], v[1], v[2], v[3], v[4]};
    if (!(law.stiffness > 0.0 && law.exponent >= 1.0 && law.dissipation >= 0.0 && law.timestep > 0.0))
      file.fail("grashof/laws/values",
                "needs a stiffness and a time step > 0, an exponent >= 1, a dissipation >= 0");
    problem.contacts[contact[l]].law = static_cast<int>(l);
    problem.laws.push_back(law);
  }
}

void append(std::vector<double>& to, std::span<const double> values) {
  to.insert(to.end(), values.begin(), values.end());
}

void writeBodies(Hdf5Writer& file, const DualProblem& problem) {
  std::vector<double> mass, inertia, twist;
  for (const InertiaBlock& block : problem.inertia) {
    mass.push_back(block.mass);
    append(inertia, {block.inertia.data(), 9});
  }
  for (const Vec6& u : problem.freeTwist) append(twist, {u.data(), 6});
  file.reals("grashof/bodies/mass", mass);
  file.reals("grashof/bodies/inertia", inertia);
  file.reals("grashof/bodies/free_twist", twist);
}

void writeJoints(Hdf5Writer& file, const DualProblem& problem) {
  std::vector<int> rows, terms, termBody;
  std::vector<double> termJacobian;
  for (const JointBlock& joint : problem.joints) {
    rows.push_back(joint.rows);
    terms.push_back(joint.terms);
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t) {
      const JointTerm& term = problem.jointTerms[static_cast<std::size_t>(t)];
      termBody.push_back(term.body);
      const Mat6 rowMajor = term.jacobian.transpose();
      append(termJacobian, {rowMajor.data(), 36});
    }
  }
  file.integers("grashof/joints/rows", rows);
  file.integers("grashof/joints/terms", terms);
  file.integers("grashof/joints/term_body", termBody);
  file.reals("grashof/joints/term_jacobian", termJacobian);
}

void writeIntervals(Hdf5Writer& file, const DualProblem& problem) {
  std::vector<int> bodies, boundedBelow, boundedAbove, terms, termBody;
  std::vector<double> jacobian, lower, upper, termJacobian;
  for (const IntervalRow& row : problem.intervals) {
    bodies.insert(bodies.end(), {row.bodyA, row.bodyB});
    append(jacobian, {row.jacobianA.data(), 6});
    append(jacobian, {row.jacobianB.data(), 6});
    terms.push_back(row.terms);
    for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t) {
      termBody.push_back(problem.intervalTerms[t].body);
      append(termJacobian, {problem.intervalTerms[t].jacobian.data(), 6});
    }
    boundedBelow.push_back(std::isfinite(row.lower));
    boundedAbove.push_back(std::isfinite(row.upper));
    lower.push_back(std::isfinite(row.lower) ? row.lower : 0.0);
    upper.push_back(std::isfinite(row.upper) ? row.upper : 0.0);
  }
  file.integers("grashof/intervals/bodies", bodies);
  file.reals("grashof/intervals/jacobian", jacobian);
  file.integers("grashof/intervals/bounded_below", boundedBelow);
  file.integers("grashof/intervals/bounded_above", boundedAbove);
  file.reals("grashof/intervals/lower", lower);
  file.reals("grashof/intervals/upper", upper);
  file.integers("grashof/intervals/terms", terms);
  file.integers("grashof/intervals/term_body", termBody);
  file.reals("grashof/intervals/term_jacobian", termJacobian);
}

void writeLoads(Hdf5Writer& file, const DualProblem& problem) {
  if (problem.boundLoads.empty()) return;
  std::vector<int> interval, place, positive, also;
  std::vector<double> map, share, part;
  bool more = false;
  for (std::size_t i = 0; i < problem.intervals.size(); ++i)
    for (int l = 0; l < problem.intervals[i].loads; ++l) {
      const BoundLoad& load = problem.boundLoads[problem.intervals[i].firstLoad + l];
      interval.push_back(static_cast<int>(i));
      place.insert(place.end(), {load.row, load.rows});
      positive.push_back(load.positivePart ? 1 : 0);
      const Eigen::Matrix<double, 6, 3> rowMajor = load.map.transpose();
      append(map, {rowMajor.data(), 18});
      share.insert(share.end(), {load.lowerShare, load.upperShare});
      also.push_back(load.also);
      part.insert(part.end(), {load.alsoShare, load.offset});
      more = more || load.also >= 0 || load.offset != 0.0;
    }
  file.integers("grashof/loads/interval", interval);
  file.integers("grashof/loads/rows", place);
  file.integers("grashof/loads/positive_part", positive);
  file.reals("grashof/loads/map", map);
  file.reals("grashof/loads/share", share);
  if (!more) return;
  file.integers("grashof/loads/also", also);
  file.reals("grashof/loads/also_part", part);
}

void writeContacts(Hdf5Writer& file, const DualProblem& problem) {
  std::vector<int> bodies;
  std::vector<double> jacobian, mu;
  for (const ContactBlock& contact : problem.contacts) {
    bodies.insert(bodies.end(), {contact.bodyA, contact.bodyB});
    for (const Mat36* j : {&contact.jacobianA, &contact.jacobianB}) {
      const Eigen::Matrix<double, 6, 3> rowMajor = j->transpose();
      append(jacobian, {rowMajor.data(), 18});
    }
    mu.push_back(contact.friction);
  }
  file.integers("grashof/contacts/bodies", bodies);
  file.reals("grashof/contacts/jacobian", jacobian);
  file.reals("grashof/contacts/mu", mu);
}

void writeLaws(Hdf5Writer& file, const DualProblem& problem) {
  std::vector<int> contact;
  std::vector<double> before, speed, values(5 * problem.laws.size());
  bool remembers = false;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& block = problem.contacts[k];
    before.push_back(block.impulseBefore);
    speed.push_back(block.stictionSpeed);
    remembers =
        remembers || block.impulseBefore >= 0.0 || block.stictionSpeed != ContactBlock().stictionSpeed;
    if (block.law < 0) continue;
    const NormalLaw& law = problem.laws[static_cast<std::size_t>(block.law)];
    const double own[] = {law.stiffness, law.exponent, law.dissipation, law.gap, law.timestep};
    std::copy(std::begin(own), std::end(own),
              values.begin() + static_cast<std::ptrdiff_t>(5 * contact.size()));
    contact.push_back(static_cast<int>(k));
  }
  if (remembers) {
    file.reals("grashof/contacts/impulse_before", before);
    file.reals("grashof/contacts/stiction_speed", speed);
  }
  if (contact.empty()) return;
  file.integers("grashof/laws/contact", contact);
  file.reals("grashof/laws/values", values);
}

}  // namespace

DualProblem readProblemGroups(const Hdf5Reader& file) {
  DualProblem problem;
  readBodies(file, problem);
  readJoints(file, problem);
  int row = problem.jointRows;
  readIntervals(file, problem, row);
  readContacts(file, problem, row);
  readLaws(file, problem);
  readLoads(file, problem, row);
  problem.bias = file.reals("grashof/bias", static_cast<hsize_t>(row));
  problem.compliance = file.reals("grashof/compliance", static_cast<hsize_t>(row));
  if (problem.rows() == 0) file.fail("grashof", "has no rows (a problem needs joints, limits or contacts)");
  return problem;
}

void writeProblemGroups(Hdf5Writer& file, const DualProblem& problem) {
  writeBodies(file, problem);
  writeJoints(file, problem);
  writeIntervals(file, problem);
  writeContacts(file, problem);
  writeLaws(file, problem);
  writeLoads(file, problem);
  file.reals("grashof/bias", problem.bias);
  file.reals("grashof/compliance", problem.compliance);
}

}  // namespace grashof
