#include "engine/results/record_tables.h"

#include <utility>

#include "engine/results/contact_table.h"

namespace grashof {

std::vector<RecordTable> recordTables(const ModelChannels& channels, bool allContacts) {
  std::vector<RecordTable> tables;
  for (std::size_t q = 0; q < quantities().size(); ++q) {
    const Quantity& quantity = quantities()[q];
    const auto& items = channels.items[q];
    if (!quantity.stored() || items.empty()) continue;
    if (!quantity.openDataset.empty()) tables.push_back({quantity.openDataset, &quantity, true, items});
    tables.push_back({quantity.dataset, &quantity, false, items});
  }
  if (allContacts) tables.push_back({kContactPointCount});
  tables.push_back({"contacts/count"});
  return tables;
}

TrajectoryLayout layoutOf(ModelChannels&& channels, const std::vector<RecordTable>& tables) {
  TrajectoryLayout layout;
  for (const RecordTable& table : tables) layout.tables.push_back({table.name, table.width()});
  layout.channels.reserve(channels.entries.size());
  for (ChannelEntry& entry : channels.entries) {
    const Quantity& quantity = quantities()[entry.quantity];
    const std::size_t column = channels.itemOf(entry).column + entry.part;
    RecordedChannel channel{std::move(entry.name), std::move(entry.unit), layout.find(quantity.dataset),
                            static_cast<int>(column), quantity.kind == Quantity::Kind::Norm ? 3 : 1};
    if (!quantity.openDataset.empty()) {
      channel.openTable = layout.find(quantity.openDataset);
      channel.openColumn = static_cast<int>(entry.item);
      channel.openBits = static_cast<int>(quantity.openBits(entry.part));
    }
    layout.channels.push_back(std::move(channel));
  }
  return layout;
}

}  // namespace grashof
