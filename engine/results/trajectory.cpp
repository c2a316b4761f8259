#include "engine/results/trajectory.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/account/pair_load.h"
#include "engine/dynamics/quantities.h"
#include "engine/results/contact_table.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/trajectory_tail.h"

namespace grashof {
namespace {

constexpr std::size_t kMaxNumbers = std::size_t{1} << 28;       // in the tail; as in a dataset
constexpr std::size_t kMaxPairNumbers = std::size_t{11} << 22;  // in the channels of pairs that touch
constexpr double kMaxMark = 4294967295.0;                       // bits of an integer
constexpr const char *kTime = "time", *kPose = "bodies/pose", *kContactCount = "contacts/count",
                     *kTotalForce = "contacts/total_normal_force";

std::string pathOf(const std::string& path) {
  std::error_code code;
  return std::filesystem::is_directory(path, code) ? path + "/trajectory.h5" : path;
}

void checkWithin(const Hdf5Reader& file, const std::string& name, const std::vector<double>& values,
                 double least, double most) {
  for (const double x : values)
    if (!(x >= least && x <= most)) file.fail(name, fmt::format("holds {:g} ({:g} to {:g})", x, least, most));
}

}  // namespace

Trajectory::Trajectory(const std::string& path) : file_(pathOf(path)) {
  const Hdf5Reader file(file_, "the layout of trajectory.h5");
  layout_ = readLayout(file);
  model_ = file.textAttribute("model");
  scenario_ = file.textAttribute("file");
  units_ = file.textAttribute(kFileUnits);
  timestep_ = file.numberAttribute("timestep");
  bodies_ = file.texts("bodies/names");
  joints_ = file.texts("joints/names");
  bearingRemark_ = file.textAttribute(kBearingRemark);
  if (file.has("joints/missing_bearing_loads")) lacking_ = file.texts("joints/missing_bearing_loads");
  checkTables(file);
  pose_ = static_cast<std::size_t>(std::max(0, layout_.find(kPose)));
  readTables(file);
  readChannels(file, layout_);
  checkMarks(file);
  readContacts(file);
  if (file.has(kContactPointCount))
    contactPoints_ = readContactPoints(file, file_, table(kContactPointCount), bodies_.size());
  addPairs();
  for (std::size_t c = 0; c < layout_.channels.size(); ++c) index_.emplace(layout_.channels[c].name, c);
}

bool Trajectory::lacksBearingLoads(const std::string& channel) const {
  return std::any_of(lacking_.begin(), lacking_.end(), [&](const std::string& joint) {
    const std::string head = "joint." + joint + ".";
    if (!channel.starts_with(head)) return false;
    const std::string rest = channel.substr(head.size());
    return rest == "reaction" || rest.starts_with("force.") || rest.starts_with("moment.") ||
           rest.starts_with("coupling.");
  });
}

const std::vector<double>& Trajectory::table(const std::string& name) const {
  const int at = layout_.find(name);
  return at < 0 ? none_ : tables_[static_cast<std::size_t>(at)];
}

void Trajectory::checkTables(const Hdf5Reader& file) const {
  const auto check = [&](const char* name, std::size_t width) {
    const int at = layout_.find(name);
    if (at < 0 ? width > 0 : layout_.tables[static_cast<std::size_t>(at)].width != width)
      file.fail(name, "does not fit the bodies and joints");
  };
  if (layout_.tables.empty() || layout_.tables.front().name != kTime)
    file.fail(kTime, "is not the first table");
  check(kTime, 1);
  check(kPose, 7 * bodies_.size());
  check(kContactCount, 1);
  if (file.has(kContactPointCount)) check(kContactPointCount, 1);
}

void Trajectory::readTables(const Hdf5Reader& file) {
  // A run that was killed while writing may leave its last records in some of the datasets only.
  std::size_t records = std::numeric_limits<std::size_t>::max();
  const std::size_t total = layout_.width();
  for (const auto& [name, width] : layout_.tables) {
    tables_.push_back(file.rows(name, width));
    records = std::min(records, tables_.back().size() / width);
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t].resize(records * layout_.tables[t].width);
  const TailRecords tail = readTail(file_, total, kMaxNumbers / total);
  for (std::size_t row = 0; row * total < tail.values.size(); ++row) {
    if (tail.before + row != records) continue;  // it is in the datasets already
    auto from = tail.values.begin() + static_cast<std::ptrdiff_t>(row * total);
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const auto to = from + static_cast<std::ptrdiff_t>(layout_.tables[t].width);
      tables_[t].insert(tables_[t].end(), from, to);
      from = to;
    }
    ++records;
  }
  if (records == 0) file.fail("holds no record (was the run stopped before its first?)");
}

void Trajectory::checkMarks(const Hdf5Reader& file) const {
  std::set<std::size_t> marks;
  for (const RecordedChannel& channel : layout_.channels)
    if (channel.openTable >= 0) marks.insert(static_cast<std::size_t>(channel.openTable));
  for (const std::size_t t : marks) checkWithin(file, layout_.tables[t].name, tables_[t], 0.0, kMaxMark);
}

void Trajectory::readContacts(const Hdf5Reader& file) {
  checkWithin(file, kContactCount, table(kContactCount), 0.0, static_cast<double>(kMaxNumbers));
  contactBodies_ = file.rows("contacts/bodies", 2);
  checkWithin(file, "contacts/bodies", contactBodies_, -1.0, static_cast<double>(bodies_.size()) - 1.0);
  contactPoint_ = file.rows("contacts/point", 3);
  contactForce_ = file.rows("contacts/force", 3);
  contactNormal_ = file.rows("contacts/normal_force", 1);
  if (file.has("contacts/area")) contactArea_ = file.rows("contacts/area", 1);
  std::size_t stored = std::min(
      {contactBodies_.size() / 2, contactPoint_.size() / 3, contactForce_.size() / 3, contactNormal_.size()});
  if (file.has("contacts/area")) stored = std::min(stored, contactArea_.size());
  contactStart_.assign(1, 0);
  for (const double count : table(kContactCount))
    contactStart_.push_back(std::min(stored, contactStart_.back() + static_cast<std::size_t>(count)));
}

std::string Trajectory::bodyName(double index) const {
  return index >= 0.0 && index < static_cast<double>(bodies_.size())
             ? bodies_[static_cast<std::size_t>(index)]
             : "world";
}

/// Sums of the contacts of two bodies, for all that touched.
void Trajectory::addPairs() {
  const Quantity& quantity = pairQuantity();
  std::map<std::pair<double, double>, std::size_t> pairs;
  const auto pairOf = [&](std::size_t k) {
    return std::minmax({contactBodies_[2 * k], contactBodies_[2 * k + 1]});
  };
  for (std::size_t k = 0; k < contactStart_.back(); ++k) pairs.emplace(pairOf(k), 0);
  std::size_t next = 0;
  for (auto& [pair, place] : pairs) place = next++;
  const std::size_t parts = quantity.parts.size(), width = parts * pairs.size();
  if (pairs.empty() || width > kMaxPairNumbers / records()) return;
  std::vector<double> sums;
  sums.reserve(width * records());
  std::vector<PairLoad> loads;
  const std::vector<double>& total = table(kTotalForce);
  for (std::size_t r = 0; r < records(); ++r) {
    if (r < total.size() && std::isnan(total[r])) {  // contacts are not known
      sums.insert(sums.end(), width, total[r]);
      continue;
    }
    loads.assign(pairs.size(), {});
    for (std::size_t k = contactStart_[r]; k < contactStart_[r + 1]; ++k) {
      const double sign = contactBodies_[2 * k] < contactBodies_[2 * k + 1] ? 1.0 : -1.0;
      loads[pairs[pairOf(k)]].add(Vec3(&contactPoint_[3 * k]), sign * Vec3(&contactForce_[3 * k]),
                                  contactNormal_[k], contactArea_.empty() ? 0.0 : contactArea_[k]);
    }
    for (const PairLoad& load : loads) {
      const auto values = load.values();
      sums.insert(sums.end(), values.begin(), values.end());
    }
  }
  const auto table = static_cast<int>(tables_.size());
  layout_.tables.push_back({"pairs", width});
  tables_.push_back(std::move(sums));
  for (const auto& [pair, place] : pairs)
    for (std::size_t p = 0; p < parts; ++p) {
      if (quantity.parts[p].name == "area" && contactArea_.empty()) continue;
      layout_.channels.push_back({fmt::format("contact.{}.{}.{}", bodyName(pair.first), bodyName(pair.second),
                                              quantity.parts[p].name),
                                  quantity.parts[p].unit, table, static_cast<int>(parts * place + p)});
    }
}

bool Trajectory::redundant(const std::string& channel) const {
  const auto at = index_.find(channel);
  if (at == index_.end() || layout_.channels[at->second].openTable < 0) return false;
  const RecordedChannel& found = layout_.channels[at->second];
  const auto t = static_cast<std::size_t>(found.openTable);
  const std::size_t width = layout_.tables[t].width, column = static_cast<std::size_t>(found.openColumn);
  for (std::size_t r = 0; r < records(); ++r)
    if ((static_cast<unsigned>(tables_[t][r * width + column]) & static_cast<unsigned>(found.openBits)) != 0)
      return true;
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
  names.reserve(layout_.channels.size());
  for (const RecordedChannel& channel : layout_.channels) names.push_back(channel.name);
  return names;
}

std::string Trajectory::unit(const std::string& channel) const {
  const auto at = index_.find(channel);
  return at == index_.end() ? std::string() : layout_.channels[at->second].unit;
}

std::vector<double> Trajectory::series(const std::string& channel) const {
  const auto at = index_.find(channel);
  if (at == index_.end()) {
    std::string like;
    const std::string start = channel.substr(0, channel.rfind('.'));
    for (const RecordedChannel& c : layout_.channels)
      if (c.name.starts_with(start) && like.size() < 300) like += " " + c.name;
    throw InputError(fmt::format("{}: channel '{}' was not recorded ({}; 'grashof info' lists all)", file_,
                                 channel,
                                 like.empty() ? "no body or joint is called so" : "there are" + like));
  }
  const RecordedChannel& found = layout_.channels[at->second];
  const auto t = static_cast<std::size_t>(found.table);
  std::vector<double> values;
  values.reserve(records());
  for (std::size_t r = 0; r < records(); ++r) {
    const double* x = &tables_[t][r * layout_.tables[t].width + static_cast<std::size_t>(found.column)];
    values.push_back(found.columns == 3 ? Vec3(x).norm() : *x);
  }
  return values;
}

Pose Trajectory::pose(std::size_t record, std::size_t body) const {
  const double* p = &tables_[pose_][7 * (record * bodies_.size() + body)];
  return {Vec3(p[0], p[1], p[2]), Quat(p[3], p[4], p[5], p[6])};
}

}  // namespace grashof
