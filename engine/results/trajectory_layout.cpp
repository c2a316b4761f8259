#include "engine/results/trajectory_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/results/hdf5_file.h"
#include "engine/results/trajectory_v2.h"

namespace grashof {
namespace {

constexpr const char *kTables = "tables/name", *kWidths = "tables/width", *kChannels = "channels/name",
                     *kUnits = "channels/unit";
constexpr int kMaxWidth = 1 << 28;
constexpr std::size_t kMaxTables = 256;
constexpr std::size_t kMaxChannelsOfColumn = 4;  // by its name, and as part of lengths

/// Numbers of a channel, one dataset each.
struct Member {
  const char* name;
  int RecordedChannel::*value;
};
constexpr Member kMembers[] = {{"channels/table", &RecordedChannel::table},
                               {"channels/column", &RecordedChannel::column},
                               {"channels/columns", &RecordedChannel::columns},
                               {"channels/redundant_table", &RecordedChannel::openTable},
                               {"channels/redundant_column", &RecordedChannel::openColumn},
                               {"channels/redundant_bits", &RecordedChannel::openBits}};

/// Whether the columns that a channel uses are there.
bool fits(const TrajectoryLayout& layout, const RecordedChannel& channel) {
  const auto has = [&](int table, int column, int columns) {
    return table >= 0 && table < static_cast<int>(layout.tables.size()) && column >= 0 && columns >= 1 &&
           columns <= 3 &&
           static_cast<std::size_t>(column) + static_cast<std::size_t>(columns) <=
               layout.tables[static_cast<std::size_t>(table)].width;
  };
  return has(channel.table, channel.column, channel.columns) &&
         (channel.openTable < 0 || has(channel.openTable, channel.openColumn, 1));
}

}  // namespace

std::size_t TrajectoryLayout::width() const {
  std::size_t sum = 0;
  for (const Table& table : tables) sum += table.width;
  return sum;
}

int TrajectoryLayout::find(const std::string& name) const {
  const auto at = std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.name == name; });
  return at == tables.end() ? -1 : static_cast<int>(at - tables.begin());
}

void writeLayout(Hdf5Writer& file, TrajectoryLayout&& layout) {
  std::vector<std::string> texts;
  std::vector<int> numbers;
  for (auto& table : layout.tables) {
    texts.push_back(std::move(table.name));
    numbers.push_back(static_cast<int>(table.width));
  }
  file.texts(kTables, texts);
  file.integers(kWidths, numbers);
  for (const Member& member : kMembers) {
    numbers.clear();
    for (const RecordedChannel& channel : layout.channels) numbers.push_back(channel.*member.value);
    file.integers(member.name, numbers);
  }
  // Of many bodies these are millions, which are not held twice.
  texts.clear();
  texts.reserve(layout.channels.size());
  for (RecordedChannel& channel : layout.channels) texts.push_back(std::move(channel.name));
  file.texts(kChannels, texts);
  texts.clear();
  for (RecordedChannel& channel : layout.channels) texts.push_back(std::move(channel.unit));
  file.texts(kUnits, texts);
}

TrajectoryLayout readLayout(const Hdf5Reader& file) {
  const double version = file.numberAttribute("version");
  if (version == 1.0) file.fail("was written by an earlier version of Grashof (run the scenario again)");
  if (file.textAttribute("format") != "grashof-trajectory")
    file.fail("is no trajectory (its attribute 'format' says otherwise)");
  if (version == 2.0) return tablesOfVersion2(file);
  if (version != 3.0) file.fail(fmt::format("has version {:g} of the layout (2 and 3 are read)", version));
  TrajectoryLayout layout;
  if (file.count(kTables) > kMaxTables)
    file.fail(kTables, fmt::format("names {} tables (at most {})", file.count(kTables), kMaxTables));
  const auto names = file.texts(kTables);
  const auto widths = file.integers(kWidths);
  if (widths.size() != names.size()) file.fail(kWidths, "does not fit tables/name");
  for (std::size_t t = 0; t < names.size(); ++t) {
    if (widths[t] < 1 || widths[t] > kMaxWidth)
      file.fail(kWidths, fmt::format("holds {} (1 to {})", widths[t], kMaxWidth));
    if (layout.find(names[t]) >= 0) file.fail(kTables, fmt::format("names '{}' twice", names[t]));
    layout.tables.push_back({names[t], static_cast<std::size_t>(widths[t])});
  }
  return layout;
}

void readChannels(const Hdf5Reader& file, TrajectoryLayout& layout) {
  if (file.numberAttribute("version") == 2.0) return addChannelsOfVersion2(file, layout);
  if (const std::size_t count = file.count(kChannels); count > kMaxChannelsOfColumn * layout.width())
    file.fail(kChannels, fmt::format("names {} channels of {} columns", count, layout.width()));
  auto channels = file.texts(kChannels), units = file.texts(kUnits);
  if (units.size() != channels.size()) file.fail(kUnits, "does not fit channels/name");
  layout.channels.resize(channels.size());
  for (std::size_t c = 0; c < channels.size(); ++c) {
    layout.channels[c].name = std::move(channels[c]);
    layout.channels[c].unit = std::move(units[c]);
  }
  for (const Member& member : kMembers) {
    const auto numbers = file.integers(member.name);
    if (numbers.size() != layout.channels.size()) file.fail(member.name, "does not fit channels/name");
    for (std::size_t c = 0; c < numbers.size(); ++c) layout.channels[c].*member.value = numbers[c];
  }
  for (const RecordedChannel& channel : layout.channels)
    if (!fits(layout, channel))
      file.fail("channels/table", fmt::format("gives '{}' columns that there are not", channel.name));
  if (layout.channels.empty() || layout.channels.front().name != "time")
    file.fail(kChannels, "does not begin with the time");
}

}  // namespace grashof
