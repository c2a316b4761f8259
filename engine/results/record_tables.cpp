#include "engine/results/record_tables.h"

#include <utility>

#include "engine/dynamics/channels.h"
#include "engine/results/contact_table.h"

namespace grashof {

std::vector<RecordTable> recordTables(const Model& model, bool allContacts) {
  std::vector<RecordTable> tables;
  for (const Quantity& quantity : quantities()) {
    if (!quantity.stored()) continue;
    auto items = quantity.items(model);
    if (items.empty()) continue;
    if (!quantity.openDataset.empty()) tables.push_back({quantity.openDataset, &quantity, true, items});
    tables.push_back({quantity.dataset, &quantity, false, std::move(items)});
  }
  if (allContacts) tables.push_back({kContactPointCount});
  tables.push_back({"contacts/count"});
  return tables;
}

TrajectoryLayout layoutOf(const Model& model, const std::vector<RecordTable>& tables) {
  TrajectoryLayout layout;
  for (const RecordTable& table : tables) layout.tables.push_back({table.name, table.width()});
  std::vector<std::vector<QuantityItem>> items;
  for (const Quantity& quantity : quantities())
    items.push_back(quantity.items ? quantity.items(model) : std::vector<QuantityItem>());
  auto entries = channelsOf(model);
  layout.channels.reserve(entries.size());
  for (ChannelEntry& entry : entries) {
    const Quantity& quantity = quantities()[entry.quantity];
    const QuantityItem& item = items[entry.quantity][entry.item];
    const bool norm = quantity.kind == Quantity::Kind::Norm;
    RecordedChannel channel{std::move(entry.name), std::move(entry.unit), layout.find(quantity.dataset),
                            static_cast<int>(item.column + entry.part), norm ? 3 : 1};
    if (!quantity.openDataset.empty()) {
      channel.openTable = layout.find(quantity.openDataset);
      channel.openColumn = static_cast<int>(item.column / (norm ? 6 : quantity.parts.size()));
      channel.openBits = static_cast<int>(quantity.openBits(entry.part));
    }
    layout.channels.push_back(std::move(channel));
  }
  return layout;
}

}  // namespace grashof
