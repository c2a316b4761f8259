#include "engine/results/recorder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "engine/analysis/bearing_remarks.h"
#include "engine/base/archive.h"
#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/results/contact_table.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/record_tables.h"
#include "engine/results/trajectory.h"
#include "engine/results/trajectory_tail.h"
#include "engine/scenario/display_units.h"

namespace grashof {
namespace {

constexpr hsize_t kChunkRecords = 512, kChunkBytes = hsize_t{1} << 20;  // of all datasets together, at most
constexpr std::size_t kWaitingChunks = 16;  // while somebody reads; then they are written all the same
constexpr int kFinishAttempts = 100;        // every 10 ms, at the end
constexpr std::size_t kTableBytes = std::size_t{1} << 16;
constexpr std::chrono::seconds kFlushInterval{1};
constexpr std::size_t kForceWidth = 10;    // numbers of a contact that presses
constexpr double kMostContactsRead = 1e9;  // of a record that is read

template <typename Item>
std::vector<std::string> namesOf(const std::vector<Item>& items) {
  std::vector<std::string> names(items.size());
  std::transform(items.begin(), items.end(), names.begin(), [](const Item& item) { return item.name; });
  return names;
}

}  // namespace

/// trajectory.h5 and its tail.
class Recorder::File {
 public:
  /// `saved`: see Recorder; none: a new file.
  File(const Scenario& scenario, const std::string& path, Archive* saved);
  /// What the datasets do not hold, and how much they hold.
  void archive(Archive& archive);
  void record(const Simulator& simulator);
  /// Brings all records to the disk.
  void flush();
  /// Moves what is left from the tail to the datasets.
  void finish();

 private:
  struct Table {
    RecordTable what;
    Hdf5Writer::Series series;
    std::size_t first, width;  // columns of a record
  };
  /// Forces of contacts that press, any number a record. They are in no tail.
  struct ForceTable {
    std::string name;
    Hdf5Writer::Series series;
    std::size_t width;
    std::vector<double> rows;  // that are not in the dataset yet
  };
  void takeOver(const std::string& path);
  void writeHeader(const Scenario& scenario);
  void addForceTables();
  /// Appends the first `records` records to the datasets.
  void writeChunk(std::size_t records);
  void writeForces(std::size_t contacts);
  void writeFullChunks();
  void restartTail();
  /// Returns their number.
  int recordForces(const Simulator& simulator);
  std::size_t waiting() const { return rows_.size() / width_; }

  Hdf5Writer file_;
  std::vector<Table> tables_;
  std::vector<ForceTable> forceTables_;
  std::optional<ContactTable> contacts_;  // all, if the scenario asks for them
  std::size_t contactCount_ = 0;          // its table among tables_
  std::size_t width_ = 0;                 // numbers in a record
  std::size_t chunk_ = 1;                 // records in a chunk
  std::vector<double> rows_;              // records that are not in the datasets yet
  std::vector<double> columns_;           // workspace: those of one dataset
  std::size_t inTail_ = 0;                // of rows_, on disk
  std::uint64_t written_ = 0;             // records in the datasets
  std::unique_ptr<TrajectoryTail> tail_;
};

Recorder::File::File(const Scenario& scenario, const std::string& path, Archive* saved)
    : file_(saved ? path + ".new" : path) {
  const Model& model = *scenario.model;
  writeHeader(scenario);
  ModelChannels channels = channelsOf(model);
  auto tables = recordTables(channels, scenario.output.contacts);
  TrajectoryLayout layout = layoutOf(std::move(channels), tables);
  width_ = layout.width();
  writeLayout(file_, std::move(layout));
  chunk_ = std::clamp<hsize_t>(kChunkBytes / (width_ * sizeof(double)), 1, kChunkRecords);
  if (scenario.output.contacts) contacts_.emplace(file_, path);
  contactCount_ = tables.size() - 2;
  std::size_t first = 0;
  for (RecordTable& table : tables) {
    const std::size_t width = table.width();
    Hdf5Writer::Series series(file_, table.name.c_str(), table.type(), table.shape(), chunk_);
    tables_.push_back({std::move(table), std::move(series), first, width});
    first += width;
  }
  addForceTables();
  file_.reserve(0);
  file_.flush();
  file_.keepConsistent();
  tail_ = std::make_unique<TrajectoryTail>(path, width_);
  if (saved) {
    archive(*saved);
    takeOver(path);
  }
  // The tail first: with the old file, too, it makes a whole.
  restartTail();
  if (saved) replaceFile(path + ".new", path);
}

void Recorder::File::archive(Archive& archive) {
  archive(written_, rows_);
  for (ForceTable& table : forceTables_) archive(table.rows);
  if (contacts_) archive(*contacts_);
}

/// Appends the records in the datasets of the file at `path`, as many as this one had, chunk by chunk: so its
/// bytes are as if it had been written at once.
void Recorder::File::takeOver(const std::string& path) {
  const Hdf5Reader old(path, "the trajectory of the run that is continued");
  const auto records = static_cast<std::size_t>(written_);
  const auto read = [&](const std::string& name, std::size_t width, std::size_t rows) {
    std::vector<double> values = old.rows(name, width);
    if (width > 0 && values.size() / width < rows)
      old.fail(name, "lacks records that the checkpoint counts on (start the run again)");
    return values;
  };
  std::vector<std::vector<double>> tables, forces;
  for (const Table& table : tables_) tables.push_back(read(table.what.name, table.width, records));
  // Checked, for what is read may be damaged.
  const auto totalOf = [&](std::size_t table) {
    double total = 0.0;
    for (std::size_t r = 0; r < records; ++r) {
      const double count = tables[table][r];
      if (!(count >= 0.0 && count < kMostContactsRead)) old.fail(tables_[table].what.name, "is damaged");
      total += count;
    }
    return static_cast<std::size_t>(total);
  };
  const std::size_t last = tables_.size() - 1, total = totalOf(last);
  for (const ForceTable& table : forceTables_) forces.push_back(read(table.name, table.width, total));
  std::vector<double> waitingRows = std::exchange(rows_, {});
  std::vector<std::vector<double>> waitingForces;
  for (ForceTable& table : forceTables_) waitingForces.push_back(std::exchange(table.rows, {}));
  std::vector<double> waitingContacts;
  if (contacts_) {
    if (totalOf(contactCount_) != contacts_->written()) old.fail(kContactPointCount, "is damaged");
    waitingContacts = contacts_->exchange(contacts_->rowsOf(old), 0);
  }
  written_ = 0;
  std::size_t contact = 0;
  while (written_ < records) {
    const std::size_t first = written_, count = std::min(chunk_, records - first);
    for (std::size_t r = first; r < first + count; ++r)
      for (std::size_t t = 0; t < tables_.size(); ++t) {
        const auto from = tables[t].begin() + static_cast<std::ptrdiff_t>(r * tables_[t].width);
        rows_.insert(rows_.end(), from, from + static_cast<std::ptrdiff_t>(tables_[t].width));
      }
    std::size_t end = contact;
    for (std::size_t r = first; r < first + count; ++r) end += static_cast<std::size_t>(tables[last][r]);
    for (std::size_t t = 0; t < forceTables_.size(); ++t) {
      const std::size_t width = forceTables_[t].width;
      forceTables_[t].rows.assign(forces[t].begin() + static_cast<std::ptrdiff_t>(contact * width),
                                  forces[t].begin() + static_cast<std::ptrdiff_t>(end * width));
    }
    contact = end;
    writeChunk(count);
  }
  rows_ = std::move(waitingRows);
  for (std::size_t t = 0; t < forceTables_.size(); ++t) forceTables_[t].rows = std::move(waitingForces[t]);
  if (contacts_) contacts_->exchange(std::move(waitingContacts), contacts_->written());
}

void Recorder::File::writeHeader(const Scenario& scenario) {
  const Model& model = *scenario.model;
  file_.attribute("format", "grashof-trajectory");
  file_.attribute("version", 3.0);
  file_.attribute("model", model.name);
  file_.attribute("file", scenario.file);
  file_.attribute("timestep", model.step.timestep);
  if (const DisplayUnits units = displayUnits(scenario); !units.si())
    file_.attribute(kFileUnits, units.text());
  std::vector<std::string> types;
  for (const Joint& joint : model.joints) types.emplace_back(joint.type->name());
  file_.texts("bodies/names", namesOf(model.bodies));
  file_.texts("joints/names", namesOf(model.joints));
  file_.texts("joints/types", types);
  file_.integers("joints/coordinate_start", model.coordinateStart);
  file_.texts("couplings/names", namesOf(model.couplings));
  if (const auto missing = missingBearingLoads(model); missing.any()) {
    file_.attribute(kBearingRemark, missing.text());
    std::vector<std::string> joints;
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      if (missing.joints[j]) joints.push_back(model.joints[j].name);
    file_.texts("joints/missing_bearing_loads", joints);
  }
}

/// In the order in which recordForces() gives the numbers.
void Recorder::File::addForceTables() {
  const auto add = [&](const char* name, hid_t type, std::vector<hsize_t> shape) {
    const std::size_t width = shape.empty() ? 1 : shape.front();
    forceTables_.push_back(
        {name, Hdf5Writer::Series(file_, name, type, std::move(shape), kChunkRecords), width, {}});
  };
  add("contacts/bodies", H5T_NATIVE_INT, {2});
  add("contacts/point", H5T_NATIVE_DOUBLE, {3});
  add("contacts/force", H5T_NATIVE_DOUBLE, {3});
  add("contacts/normal_force", H5T_NATIVE_DOUBLE, {});
  add("contacts/area", H5T_NATIVE_DOUBLE, {});
}

void Recorder::File::record(const Simulator& simulator) {
  std::array<double, kMaxQuantityParts> values{};
  for (const Table& table : tables_) {
    if (!table.what.quantity) continue;
    for (const QuantityItem& item : table.what.items)
      if (table.what.open) {
        const unsigned parts = (1U << table.what.quantity->parts.size()) - 1U;
        rows_.push_back(table.what.quantity->open(simulator, item) & parts);
      } else {
        table.what.quantity->read(simulator, item, values.data());
        rows_.insert(rows_.end(), values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(table.what.numbersOfItem()));
      }
  }
  if (contacts_) rows_.push_back(contacts_->record(simulator));
  rows_.push_back(recordForces(simulator));
  if (waiting() >= chunk_) writeFullChunks();
}

/// The contacts that press, without those in joints.
int Recorder::File::recordForces(const Simulator& simulator) {
  const auto contacts = simulator.contacts();
  const auto put = [&](std::size_t table, std::initializer_list<double> values) {
    auto& rows = forceTables_[table].rows;
    rows.insert(rows.end(), values);
  };
  int count = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (contacts[k].ofJoint()) continue;
    const Vec3 force = simulator.contactForce(static_cast<int>(k)), &point = contacts[k].point;
    if (!(force.norm() > kLeastRecordedForce)) continue;
    ++count;
    put(0, {static_cast<double>(contacts[k].bodyA), static_cast<double>(contacts[k].bodyB)});
    put(1, {point.x(), point.y(), point.z()});
    put(2, {force.x(), force.y(), force.z()});
    put(3, {force.dot(contacts[k].frame.col(2))});
    put(4, {contacts[k].area});
  }
  return count;
}

/// Chunks are written at full length only, each followed by a flush of the library, so that the layout of the
/// file does not depend on the times of the flushes. The tail has their records first: when the disk is full
/// they are there.
void Recorder::File::writeFullChunks() {
  flush();
  if (!file_.keepReadersOut() && waiting() < kWaitingChunks * chunk_) return;
  while (waiting() >= chunk_) writeChunk(chunk_);
  file_.letReadersIn();
  restartTail();
}

/// The contacts first: whoever finds a record in the tail finds its contacts, too.
void Recorder::File::restartTail() {
  if (contacts_) contacts_->openTail();
  inTail_ = waiting();
  tail_->restart(written_, rows_.data(), inTail_);
}

void Recorder::File::writeChunk(std::size_t records) {
  file_.reserve(records * width_ * sizeof(double));
  for (Table& table : tables_) {
    columns_.clear();
    for (std::size_t r = 0; r < records; ++r) {
      const auto from = rows_.begin() + static_cast<std::ptrdiff_t>(r * width_ + table.first);
      columns_.insert(columns_.end(), from, from + static_cast<std::ptrdiff_t>(table.width));
    }
    table.series.append(columns_.data(), records);
  }
  const auto sumOf = [&](std::size_t table) {
    double sum = 0.0;
    for (std::size_t r = 0; r < records; ++r) sum += rows_[r * width_ + tables_[table].first];
    return static_cast<std::size_t>(sum);
  };
  if (contacts_) contacts_->write(sumOf(contactCount_));
  writeForces(sumOf(tables_.size() - 1));
  file_.flush();
  written_ += records;
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(records * width_));
}

/// Appends the first `contacts` contacts.
void Recorder::File::writeForces(std::size_t contacts) {
  file_.reserve(contacts * kForceWidth * sizeof(double));
  for (ForceTable& table : forceTables_) {
    table.series.append(table.rows.data(), contacts);
    table.rows.erase(table.rows.begin(),
                     table.rows.begin() + static_cast<std::ptrdiff_t>(contacts * table.width));
  }
}

void Recorder::File::flush() {
  if (contacts_) contacts_->flush();
  tail_->append(rows_.data() + inTail_ * width_, waiting() - inTail_);
  inTail_ = waiting();
}

void Recorder::File::finish() {
  flush();
  for (int i = 0; i < kFinishAttempts && !file_.keepReadersOut(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  while (waiting() > 0) writeChunk(std::min(waiting(), chunk_));
  file_.letReadersIn();
  tail_->remove();
  if (contacts_) contacts_->removeTail();
}

Recorder::Recorder(const Scenario& scenario, const std::string& folder, const std::vector<double>* saved) {
  std::optional<Archive> archive;
  if (saved) archive.emplace(std::span<const double>(*saved));
  std::int64_t size = -1;  // of the table, bytes; -1: it begins
  if (archive) (*archive)(size);
  if (scenario.output.csv) {
    nameColumns(scenario);
    openTable(folder + "/trajectory.csv", size);
  }
  if (scenario.output.trajectory)
    file_ = std::make_unique<File>(scenario, folder + "/trajectory.h5", archive ? &*archive : nullptr);
  if (archive) archive->finish();
  first_ = !saved;
}

void Recorder::save(std::vector<double>& memory) {
  writeTable();
  Archive archive(memory);
  std::int64_t size = csv_.is_open() ? static_cast<std::int64_t>(csv_.tellp()) : -1;
  archive(size);
  if (file_) archive(*file_);
}

/// The columns of the table, and its first line.
void Recorder::nameColumns(const Scenario& scenario) {
  const Model& model = *scenario.model;
  std::vector<std::string> names;
  const auto add = [&](std::string_view dataset) {
    for (const Quantity& quantity : quantities())
      if (quantity.stored() && quantity.dataset == dataset)
        for (const QuantityItem& item : quantity.items(model))
          for (std::size_t p = 0; p < quantity.parts.size(); ++p) {
            names.push_back(item.thing + quantity.parts[p].name + item.end);
            channels_.push_back(channelOf(quantity, item, p));
          }
  };
  for (const char* dataset : {"time", "bodies/pose", "joints/coordinates"}) add(dataset);
  const std::size_t first = names.size();
  for (const char* name : {"energy.total", "energy.drift", "residual.joint", "solver.iterations"})
    names.emplace_back(name);
  names.insert(names.end(), scenario.output.channels.begin(), scenario.output.channels.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i >= first) channels_.push_back(findChannel(model, names[i]));
    csvRows_ += (i ? "," : "") + csvCell(names[i]);
  }
  csvRows_ += '\n';
}

/// Begins the table, or shortens it to `size` bytes and goes on there.
void Recorder::openTable(const std::string& path, std::int64_t size) {
  csvPath_ = path;
  auto mode = std::ios::binary | std::ios::out;
  if (size >= 0) {
    std::error_code code;
    const std::uintmax_t found = std::filesystem::file_size(path, code);
    if (code || found < static_cast<std::uintmax_t>(size))
      throw InputError(path + ": lacks records that the checkpoint counts on (start the run again)");
    std::filesystem::resize_file(path, static_cast<std::uintmax_t>(size), code);
    if (code) throw FileError(path, "cannot be shortened (" + code.message() + ")");
    mode |= std::ios::app;
    csvRows_.clear();
  }
  csv_.open(path, mode);
  csv_.seekp(0, std::ios::end);
  if (!csv_) throw FileError(path, "cannot be written (is the folder read-only?)");
}

Recorder::~Recorder() {
  try {
    if (!failed_) finish();
  } catch (const FileError&) {
    // A destructor cannot report it; whoever needs to know calls finish() before.
  }
}

void Recorder::record(const Simulator& simulator) {
  try {
    for (std::size_t i = 0; i < channels_.size(); ++i)
      fmt::format_to(std::back_inserter(csvRows_), "{}{:.17g}", i ? "," : "", channels_[i](simulator));
    if (!channels_.empty()) csvRows_ += '\n';
    if (csvRows_.size() > kTableBytes) writeTable();
    if (file_) file_->record(simulator);
    waiting_ = true;
    if (first_) flush();
    first_ = false;
  } catch (const FileError&) {
    failed_ = true;
    throw;
  }
}

void Recorder::keep() {
  if (!waiting_ || Clock::now() - flushed_ < kFlushInterval) return;
  try {
    flush();
  } catch (const FileError&) {
    failed_ = true;
    throw;
  }
}

void Recorder::flush() {
  writeTable();
  if (file_) file_->flush();
  waiting_ = false;
  flushed_ = Clock::now();
}

/// Whole rows at once, so that a reader sees no part of one.
void Recorder::writeTable() {
  if (!csv_.is_open()) return;
  csv_ << csvRows_ << std::flush;
  csvRows_.clear();
  if (!csv_) throw FileError(csvPath_, "cannot be written (is the disk full?)");
}

void Recorder::finish() {
  try {
    writeTable();
    if (file_) file_->finish();
  } catch (const FileError&) {
    failed_ = true;
    throw;
  }
}

}  // namespace grashof
