#include "engine/results/contact_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>

#include "engine/base/error.h"
#include "engine/dynamics/contact_motion.h"
#include "solvers/problem/residual_scale.h"

namespace grashof {
namespace {

constexpr hsize_t kContactChunk = 512;                           // rows
constexpr std::size_t kMostTailContacts = std::size_t{1} << 24;  // in a tail
constexpr double kMostContactsOfRecord = 1e9;                    // that a count may tell
constexpr double kUnitTolerance = 1e-6;                          // of the length of a normal

/// A dataset of the group.
struct ContactColumn {
  const char* name;
  std::size_t first, width;  ///< of the numbers of a contact
  bool integer;
};
constexpr std::array<ContactColumn, 7> kContactColumns = {{{"contact_points/bodies", 0, 2, true},
                                                           {"contact_points/point", 2, 3, false},
                                                           {"contact_points/normal", 5, 3, false},
                                                           {"contact_points/gap", 8, 1, false},
                                                           {"contact_points/slip", 9, 3, false},
                                                           {"contact_points/impulse", 12, 3, false},
                                                           {"contact_points/mode", 15, 1, true}}};

/// What the trajectory is called where the tail of its contacts is meant.
std::string contactTail(const std::string& trajectory) { return trajectory + ".contacts"; }

/// A place of a contact, checked. Throws InputError.
ContactPoint contactOf(const Hdf5Reader& file, const double* row, std::size_t bodies) {
  const auto refuse = [&](std::size_t column, double value, const char* allowed) {
    file.fail(kContactColumns[column].name, fmt::format("holds {:g} ({})", value, allowed));
  };
  for (std::size_t i = 0; i < 2; ++i)
    if (!(row[i] >= -1.0 && row[i] < static_cast<double>(bodies) && row[i] == std::floor(row[i])))
      refuse(0, row[i], "bodies are counted from 0; -1: the world");
  for (std::size_t c = 1; c < kContactColumns.size(); ++c)
    for (std::size_t i = 0; i < kContactColumns[c].width; ++i)
      if (const double x = row[kContactColumns[c].first + i]; !std::isfinite(x))
        refuse(c, x, "all must be finite");
  ContactPoint point;
  point.bodyA = static_cast<int>(row[0]);
  point.bodyB = static_cast<int>(row[1]);
  point.point = Vec3(row + 2);
  point.normal = Vec3(row + 5);
  point.gap = row[8];
  point.slip = Vec3(row + 9);
  point.impulse = Vec3(row + 12);
  if (!(std::abs(point.normal.norm() - 1.0) <= kUnitTolerance))
    refuse(2, point.normal.norm(), "as the length of a normal, which is 1");
  if (row[15] != 0.0 && row[15] != 1.0 && row[15] != 2.0)
    refuse(6, row[15], "0: open, 1: sticking, 2: sliding");
  point.mode = static_cast<ContactMode>(static_cast<int>(row[15]));
  return point;
}

}  // namespace

ContactTable::ContactTable(Hdf5Writer& file, const std::string& path) : file_(&file), path_(path) {
  for (const ContactColumn& column : kContactColumns) {
    std::vector<hsize_t> shape;
    if (column.width > 1) shape.push_back(column.width);
    columns_.push_back(
        {Hdf5Writer::Series(file, column.name, column.integer ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE,
                            std::move(shape), kContactChunk),
         column.first, column.width});
  }
}

void ContactTable::archive(Archive& archive) { archive(written_, rows_); }

void ContactTable::openTail() {
  if (!tail_) tail_ = std::make_unique<TrajectoryTail>(contactTail(path_), kContactWidth);
  inTail_ = rows_.size();
  tail_->restart(written_, rows_.data(), inTail_ / kContactWidth);
}

int ContactTable::record(const Simulator& simulator) {
  const auto contacts = simulator.contacts();
  if (contacts.empty()) return 0;
  const ResidualScale scale = residualScale(simulator.problem(), ToleranceKind::Relative);
  int count = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    if (c.ofJoint()) continue;
    const ContactMotion motion = contactMotion(simulator, static_cast<int>(k), scale);
    const auto put = [&](const Vec3& v) { rows_.insert(rows_.end(), v.data(), v.data() + 3); };
    rows_.push_back(c.bodyA);
    rows_.push_back(c.bodyB);
    put(c.point);
    put(c.frame.col(2));
    rows_.push_back(c.gap);
    put(motion.slip);
    put(motion.impulse);
    rows_.push_back(static_cast<double>(motion.mode));
    ++count;
  }
  return count;
}

void ContactTable::flush() {
  tail_->append(rows_.data() + inTail_, (rows_.size() - inTail_) / kContactWidth);
  inTail_ = rows_.size();
}

void ContactTable::write(std::size_t contacts) {
  file_->reserve(contacts * kContactWidth * sizeof(double));
  for (Column& column : columns_) {
    values_.clear();
    for (std::size_t r = 0; r < contacts; ++r) {
      const auto from = rows_.begin() + static_cast<std::ptrdiff_t>(r * kContactWidth + column.first);
      values_.insert(values_.end(), from, from + static_cast<std::ptrdiff_t>(column.width));
    }
    column.series.append(values_.data(), contacts);
  }
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(contacts * kContactWidth));
  written_ += contacts;
}

std::vector<double> ContactTable::rowsOf(const Hdf5Reader& old) const {
  const auto contacts = static_cast<std::size_t>(written_);
  std::vector<double> rows;
  for (const ContactColumn& column : kContactColumns) {
    const std::vector<double> values = old.rows(column.name, column.width);
    if (values.size() / column.width < contacts)
      old.fail(column.name, "lacks contacts that the checkpoint counts on (start the run again)");
    rows.resize(contacts * kContactWidth);
    for (std::size_t r = 0; r < contacts; ++r)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(r * column.width), column.width,
                  rows.begin() + static_cast<std::ptrdiff_t>(r * kContactWidth + column.first));
  }
  return rows;
}

std::vector<double> ContactTable::exchange(std::vector<double> rows, std::uint64_t written) {
  written_ = written;
  return std::exchange(rows_, std::move(rows));
}

ContactPoints readContactPoints(const Hdf5Reader& file, const std::string& path,
                                std::span<const double> counts, std::size_t bodies) {
  std::vector<std::vector<double>> columns;
  std::size_t stored = 0;
  for (const ContactColumn& column : kContactColumns) {
    columns.push_back(file.rows(column.name, column.width));
    const std::size_t rows = columns.back().size() / column.width;
    stored = columns.size() == 1 ? rows : std::min(stored, rows);
  }
  const TailRecords tail = readTail(contactTail(path), kContactWidth, kMostTailContacts);
  const std::size_t inTail = tail.values.size() / kContactWidth,
                    before = static_cast<std::size_t>(tail.before);
  ContactPoints points;
  points.start.assign(1, 0);
  double total = 0.0;
  for (const double count : counts) {
    if (!(count >= 0.0 && count <= kMostContactsOfRecord && count == std::floor(count)))
      file.fail(kContactPointCount, fmt::format("holds {:g} (0 or more contacts)", count));
    total += count;
    // What there is bounds the sum, so that it is small enough for an index.
    if (!(total <= static_cast<double>(std::max(stored, inTail > 0 ? before + inTail : 0))))
      file.fail(kContactPointCount,
                fmt::format("counts more contacts than the {} in contact_points (was the file damaged?)",
                            std::max(stored, inTail > 0 ? before + inTail : 0)));
    points.start.push_back(static_cast<std::size_t>(total));
  }
  const std::size_t all = points.start.back();
  // Where there is a tail, the run goes on or was killed, and a part of the next chunk may be stored.
  const bool ended = inTail == 0 && before == 0;
  if (all > stored && before > stored)
    file.fail(kContactColumns[0].name, "lacks contacts before those of its tail (was the file damaged?)");
  for (std::size_t c = 0; ended && c < columns.size(); ++c)
    if (const std::size_t rows = columns[c].size() / kContactColumns[c].width; rows != all)
      file.fail(kContactColumns[c].name,
                fmt::format("has {} rows, where {} counts {} contacts (was the file damaged?)", rows,
                            kContactPointCount, all));
  points.all.reserve(all);
  std::array<double, kContactWidth> row{};
  for (std::size_t k = 0; k < all; ++k) {
    for (std::size_t c = 0; k < stored && c < columns.size(); ++c)
      std::copy_n(columns[c].begin() + static_cast<std::ptrdiff_t>(k * kContactColumns[c].width),
                  kContactColumns[c].width,
                  row.begin() + static_cast<std::ptrdiff_t>(kContactColumns[c].first));
    if (k >= stored)
      std::copy_n(tail.values.begin() + static_cast<std::ptrdiff_t>((k - before) * kContactWidth),
                  kContactWidth, row.begin());
    points.all.push_back(contactOf(file, row.data(), bodies));
  }
  return points;
}

}  // namespace grashof
