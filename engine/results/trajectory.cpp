#include "engine/results/trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/results/contact_table.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/trajectory_tail.h"

namespace grashof {
namespace {

constexpr std::size_t kMaxNumbers = std::size_t{1} << 28;  // in the tail; as in a dataset
constexpr std::size_t kMaxItems = std::size_t{1} << 19;    // bodies, and joints: each has some ten channels
constexpr std::size_t kMostPairNumbers = std::size_t{1} << 24;  // in the channels of pairs that touch
constexpr int kMaxFreedoms = 6;
constexpr double kAllMarks = 63.0;  // one bit per component of a wrench

std::string pathOf(const std::string& path) {
  std::error_code code;
  return std::filesystem::is_directory(path, code) ? path + "/trajectory.h5" : path;
}

}  // namespace

Trajectory::Trajectory(const std::string& path) : file_(pathOf(path)) {
  const Hdf5Reader file(file_, "the layout of trajectory.h5");
  const double version = file.numberAttribute("version");
  if (version == 1.0) file.fail("was written by an earlier version of Grashof (run the scenario again)");
  if (file.textAttribute("format") != "grashof-trajectory")
    file.fail("is no trajectory (its attribute 'format' says otherwise)");
  if (version != 2.0) file.fail(fmt::format("has version {:g} of the layout (2 is read)", version));
  model_ = file.textAttribute("model");
  scenario_ = file.textAttribute("file");
  timestep_ = file.numberAttribute("timestep");
  readNames(file);
  readLoadNames(file);
  readTables(file);
  readContacts(file);
  if (file.has(kContactPointCount))
    contactPoints_ = readContactPoints(file, file_, pointCount_, bodies_.size());
  addScalars();
  addBodies();
  addJoints();
  addCouplings();
  addContacts();
  for (std::size_t c = 0; c < columns_.size(); ++c) index_.emplace(columns_[c].name, c);
}

void Trajectory::readNames(const Hdf5Reader& file) {
  bodies_ = file.texts("bodies/names");
  joints_ = file.texts("joints/names");
  types_ = file.texts("joints/types");
  coordinateStart_ = file.integers("joints/coordinate_start");
  const std::string start = "joints/coordinate_start";
  if (std::max(bodies_.size(), joints_.size()) > kMaxItems)
    file.fail(fmt::format("has {} bodies and {} joints (at most {} of each are read)", bodies_.size(),
                          joints_.size(), kMaxItems));
  if (types_.size() != joints_.size()) file.fail("joints/types", "does not fit the joints");
  if (coordinateStart_.size() != joints_.size() + 1 || coordinateStart_.front() != 0)
    file.fail(start, "does not fit the joints");
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (const std::int64_t freedoms = std::int64_t{coordinateStart_[j + 1]} - coordinateStart_[j];
        freedoms < 0 || freedoms > kMaxFreedoms)
      file.fail(start, fmt::format("gives joint {} {} coordinates (0 to {})", j, freedoms, kMaxFreedoms));
}

void Trajectory::readLoadNames(const Hdf5Reader& file) {
  couplings_ = file.texts("couplings/names");
  loadJoint_ = file.integers("joints/load_joint");
  loadCause_ = file.texts("joints/load_cause");
  if (couplings_.size() > kMaxItems)
    file.fail("couplings/names", fmt::format("has more than {} names", kMaxItems));
  if (loadCause_.size() != loadJoint_.size())
    file.fail("joints/load_cause", "does not fit joints/load_joint");
  for (const int j : loadJoint_)
    if (j < 0 || j >= static_cast<int>(joints_.size()))
      file.fail("joints/load_joint", "names a joint that there is not");
}

void Trajectory::readContacts(const Hdf5Reader& file) {
  const auto within = [&](const char* name, const std::vector<double>& values, double least, double most) {
    for (const double x : values)
      if (!(x >= least && x <= most))
        file.fail(name, fmt::format("holds {:g} ({:g} to {:g})", x, least, most));
  };
  within("joints/redundant", redundant_, 0.0, kAllMarks);
  within("joints/effort_redundant", effortRedundant_, 0.0, kAllMarks);
  within("couplings/redundant", couplingRedundant_, 0.0, kAllMarks);
  within("contacts/count", contactCount_, 0.0, static_cast<double>(kMaxNumbers));
  contactBodies_ = file.rows("contacts/bodies", 2);
  within("contacts/bodies", contactBodies_, -1.0, static_cast<double>(bodies_.size()) - 1.0);
  contactPoint_ = file.rows("contacts/point", 3);
  contactForce_ = file.rows("contacts/force", 3);
  contactNormal_ = file.rows("contacts/normal_force", 1);
}

void Trajectory::readTables(const Hdf5Reader& file) {
  struct Table {
    const char* name;
    std::vector<double>* values;
    std::size_t width;
  };
  const std::size_t nb = bodies_.size(), nj = joints_.size();
  const auto nq = static_cast<std::size_t>(coordinateStart_.back());
  const std::size_t nc = couplings_.size();
  // In the order of a record, see Recorder.
  std::vector<Table> tables = {{"time", &times_, 1},
                               {"bodies/pose", &pose_, 7 * nb},
                               {"bodies/twist", &twist_, 6 * nb},
                               {"joints/coordinates", &coordinates_, nq},
                               {"joints/effort", &effort_, nq},
                               {"joints/reaction", &reaction_, 6 * nj},
                               {"joints/load", &load_, 6 * loadJoint_.size()},
                               {"couplings/effort", &couplingEffort_, 2 * nc},
                               {"energy", &energy_, 5},
                               {"residuals", &residuals_, 4},
                               {"solver", &solver_, 4},
                               {"joints/redundant", &redundant_, nj},
                               {"joints/effort_redundant", &effortRedundant_, nq},
                               {"couplings/redundant", &couplingRedundant_, nc},
                               {"contacts/count", &contactCount_, 1}};
  if (file.has(kContactPointCount)) tables.insert(tables.end() - 1, {kContactPointCount, &pointCount_, 1});
  // A run that was killed while writing may leave its last records in some of the datasets only.
  std::size_t records = std::numeric_limits<std::size_t>::max(), total = 0;
  for (const Table& table : tables) {
    *table.values = file.rows(table.name, table.width);
    if (table.width > 0) records = std::min(records, table.values->size() / table.width);
    total += table.width;
  }
  for (const Table& table : tables) table.values->resize(records * table.width);
  const TailRecords tail = readTail(file_, total, kMaxNumbers / total);
  for (std::size_t row = 0; row * total < tail.values.size(); ++row) {
    if (tail.before + row != records) continue;  // it is in the datasets already
    auto from = tail.values.begin() + static_cast<std::ptrdiff_t>(row * total);
    for (const Table& table : tables) {
      const auto to = from + static_cast<std::ptrdiff_t>(table.width);
      table.values->insert(table.values->end(), from, to);
      from = to;
    }
    ++records;
  }
  if (records == 0) file.fail("holds no record (was the run stopped before its first?)");
}

void Trajectory::addScalars() {
  columns_.push_back({"time", &Trajectory::times_, 1, 0});
  constexpr std::array<const char*, 5> energies = {"kinetic", "potential", "elastic", "total", "drift"};
  constexpr std::array<const char*, 4> residuals = {"joint", "limit", "penetration", "solver"};
  constexpr std::array<const char*, 4> counts = {"solver.iterations", "solver.factorizations",
                                                 "contacts.count", "solver.method"};
  for (std::size_t i = 0; i < energies.size(); ++i)
    columns_.push_back({std::string("energy.") + energies[i], &Trajectory::energy_, 5, i});
  for (std::size_t i = 0; i < residuals.size(); ++i)
    columns_.push_back({std::string("residual.") + residuals[i], &Trajectory::residuals_, 4, i});
  for (std::size_t i = 0; i < counts.size(); ++i) columns_.push_back({counts[i], &Trajectory::solver_, 4, i});
}

void Trajectory::addBodies() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const std::string name = "body." + bodies_[b] + ".";
    const std::size_t pose = 7 * bodies_.size(), twist = 6 * bodies_.size();
    for (std::size_t i = 0; i < 3; ++i)
      columns_.push_back({fmt::format("{}position.{}", name, "xyz"[i]), &Trajectory::pose_, pose, 7 * b + i});
    for (std::size_t i = 0; i < 4; ++i)
      columns_.push_back(
          {fmt::format("{}quaternion.{}", name, "wxyz"[i]), &Trajectory::pose_, pose, 7 * b + 3 + i});
    for (std::size_t i = 0; i < 3; ++i)
      columns_.push_back(
          {fmt::format("{}velocity.{}", name, "xyz"[i]), &Trajectory::twist_, twist, 6 * b + i});
    for (std::size_t i = 0; i < 3; ++i)
      columns_.push_back(
          {fmt::format("{}angular-velocity.{}", name, "xyz"[i]), &Trajectory::twist_, twist, 6 * b + 3 + i});
    columns_.push_back({name + "speed", &Trajectory::twist_, twist, 6 * b, true});
  }
}

void Trajectory::addJoints() {
  std::vector<std::vector<std::size_t>> parts(joints_.size());  // of the load of each
  for (std::size_t p = 0; p < loadJoint_.size(); ++p)
    parts[static_cast<std::size_t>(loadJoint_[p])].push_back(p);
  const auto nq = static_cast<std::size_t>(coordinateStart_.back());
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const std::string name = "joint." + joints_[j] + ".";
    const auto start = static_cast<std::size_t>(coordinateStart_[j]);
    const std::size_t freedoms = static_cast<std::size_t>(coordinateStart_[j + 1]) - start;
    for (std::size_t i = 0; i < freedoms; ++i)
      columns_.push_back({fmt::format("{}q.{}", name, i), &Trajectory::coordinates_, nq, start + i});
    if (const JointType* type = findJointType(types_[j]); type && type->freeDirections().size() == freedoms)
      for (const bool angle : {true, false})
        for (std::size_t i = 0; i < freedoms; ++i) {
          if (isRotation(type->freeDirections()[i]) != angle) continue;
          columns_.push_back(
              {name + (angle ? "angle" : "displacement"), &Trajectory::coordinates_, nq, start + i});
          break;
        }
    for (std::size_t i = 0; i < freedoms; ++i)
      columns_.push_back({fmt::format("{}effort.{}", name, i), &Trajectory::effort_, nq, start + i, false,
                          &Trajectory::effortRedundant_, nq, start + i, 1U});
    addLoads(j, parts[j]);
  }
}

/// The load of a joint and its parts.
void Trajectory::addLoads(std::size_t j, std::span<const std::size_t> parts) {
  const std::string name = "joint." + joints_[j] + ".";
  const std::size_t nj = joints_.size();
  const auto add = [&](const std::string& what, std::vector<double> Trajectory::*values, std::size_t width,
                       std::size_t first, bool norm, unsigned bits) {
    columns_.push_back({name + what, values, width, first, norm, &Trajectory::redundant_, nj, j, bits});
  };
  const auto addWrench = [&](const std::string& start, std::vector<double> Trajectory::*values,
                             std::size_t width, std::size_t first) {
    for (std::size_t i = 0; i < 6; ++i)
      add(fmt::format("{}{}.{}", start, i < 3 ? "force" : "moment", "xyz"[i % 3]), values, width, first + i,
          false, 1U << i);
  };
  addWrench("", &Trajectory::reaction_, 6 * nj, 6 * j);
  add("reaction", &Trajectory::reaction_, 6 * nj, 6 * j, true, 7U);
  for (const std::size_t p : parts)
    addWrench(loadCause_[p] + ".", &Trajectory::load_, 6 * loadJoint_.size(), 6 * p);
}

void Trajectory::addCouplings() {
  const std::size_t count = couplings_.size();
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < 2; ++i)
      columns_.push_back({fmt::format("coupling.{}.effort.{}", couplings_[k], "ab"[i]),
                          &Trajectory::couplingEffort_, 2 * count, 2 * k + i, false,
                          &Trajectory::couplingRedundant_, count, k, 1U});
}

std::string Trajectory::bodyName(double index) const {
  return index >= 0.0 && index < static_cast<double>(bodies_.size())
             ? bodies_[static_cast<std::size_t>(index)]
             : "world";
}

/// Sums of the forces between two bodies, for all that touched.
void Trajectory::addContacts() {
  contactStart_.assign(1, 0);
  const std::size_t stored = std::min(
      {contactBodies_.size() / 2, contactPoint_.size() / 3, contactForce_.size() / 3, contactNormal_.size()});
  for (std::size_t r = 0; r < records(); ++r)
    contactStart_.push_back(std::min(
        stored,
        contactStart_.back() + (contactCount_.empty() ? 0 : static_cast<std::size_t>(contactCount_[r]))));
  std::map<std::pair<double, double>, std::size_t> pairs;
  const auto pairOf = [&](std::size_t k) {
    return std::minmax({contactBodies_[2 * k], contactBodies_[2 * k + 1]});
  };
  for (std::size_t k = 0; k < contactStart_.back(); ++k) pairs.emplace(pairOf(k), 0);
  std::size_t next = 0;
  for (auto& [pair, place] : pairs) place = 4 * next++;
  const std::size_t width = 4 * pairs.size();
  if (width > kMostPairNumbers / records()) return;
  pairForce_.assign(width * records(), 0.0);
  for (std::size_t r = 0; r < records(); ++r)
    for (std::size_t k = contactStart_[r]; k < contactStart_[r + 1]; ++k) {
      double* const sum = &pairForce_[width * r + pairs[pairOf(k)]];
      const double sign = contactBodies_[2 * k] < contactBodies_[2 * k + 1] ? 1.0 : -1.0;
      for (std::size_t i = 0; i < 3; ++i) sum[i] += sign * contactForce_[3 * k + i];
      sum[3] += contactNormal_[k];
    }
  for (const auto& [pair, place] : pairs) {
    const std::string name = fmt::format("contact.{}.{}.", bodyName(pair.first), bodyName(pair.second));
    for (std::size_t i = 0; i < 3; ++i)
      columns_.push_back(
          {fmt::format("{}force.{}", name, "xyz"[i]), &Trajectory::pairForce_, width, place + i});
    columns_.push_back({name + "normal", &Trajectory::pairForce_, width, place + 3});
  }
}

bool Trajectory::redundant(const std::string& channel) const {
  const auto at = index_.find(channel);
  if (at == index_.end() || !columns_[at->second].marks) return false;
  const Column* const found = &columns_[at->second];
  const std::vector<double>& marks = this->*(found->marks);
  for (std::size_t r = 0; r < records(); ++r)
    if ((static_cast<unsigned>(marks[r * found->marksWidth + found->mark]) & found->bits) != 0) return true;
  return false;
}

std::vector<RecordedContact> Trajectory::contacts(std::size_t record) const {
  std::vector<RecordedContact> all;
  for (std::size_t k = contactStart_[record]; k < contactStart_[record + 1]; ++k)
    all.push_back({static_cast<int>(contactBodies_[2 * k]), static_cast<int>(contactBodies_[2 * k + 1]),
                   Vec3(&contactPoint_[3 * k]), Vec3(&contactForce_[3 * k])});
  return all;
}

std::vector<std::string> Trajectory::channels() const {
  std::vector<std::string> names;
  for (const Column& c : columns_) names.push_back(c.name);
  return names;
}

std::vector<double> Trajectory::series(const std::string& channel) const {
  const auto at = index_.find(channel);
  if (at == index_.end()) {
    std::string like;
    const std::string start = channel.substr(0, channel.rfind('.'));
    for (const Column& c : columns_)
      if (c.name.starts_with(start) && like.size() < 300) like += " " + c.name;
    throw InputError(fmt::format("{}: channel '{}' was not recorded ({}; 'grashof info' lists all)", file_,
                                 channel,
                                 like.empty() ? "no body or joint is called so" : "there are" + like));
  }
  const Column& found = columns_[at->second];
  const std::vector<double>& table = this->*(found.values);
  std::vector<double> values;
  values.reserve(records());
  for (std::size_t r = 0; r < records(); ++r) {
    const double* x = &table[r * found.width + found.first];
    values.push_back(found.norm ? std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) : *x);
  }
  return values;
}

Pose Trajectory::pose(std::size_t record, std::size_t body) const {
  const double* p = &pose_[7 * (record * bodies_.size() + body)];
  return {Vec3(p[0], p[1], p[2]), Quat(p[3], p[4], p[5], p[6])};
}

}  // namespace grashof
