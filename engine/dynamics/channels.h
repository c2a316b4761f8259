#pragma once
/// Named scalars of a running simulation, for recording, plots and acceptance conditions: the parts of its
/// quantities (quantities.h). assets/schema.md, "Channels", lists all with their units.
///
/// Body quantities are those of the frame in which the user described the body. Units: SI.

#include <functional>
#include <string>
#include <vector>

#include "engine/dynamics/quantities.h"

namespace grashof {

using Channel = std::function<double(const Simulator&)>;

/// The channel called `name`. Throws InputError with the known names when there is none.
Channel findChannel(const Model& model, const std::string& name);

/// What tells at a moment of a run whether statics leaves the load of a channel open, so that other values
/// would give the same motion; see ReactionDistribution. Null for channels that are no loads.
using RedundancyOf = std::function<bool(const Simulator&)>;
RedundancyOf findRedundancy(const Model& model, const std::string& name);

/// A channel of a model.
struct ChannelEntry {
  std::string name, unit;
  std::size_t quantity = 0;  ///< in quantities()
  std::size_t item = 0;      ///< in its items
  std::size_t part = 0;
};

/// The channels of a model, thing by thing.
struct ModelChannels {
  std::vector<std::vector<QuantityItem>> items;  ///< of each of quantities()
  std::vector<ChannelEntry> entries;

  const QuantityItem& itemOf(const ChannelEntry& entry) const { return items[entry.quantity][entry.item]; }
};

/// All channels that a run records. Those of bodies in contact are not known before the run.
ModelChannels channelsOf(const Model& model);

/// What findChannel() and findRedundancy() find.
Channel channelOf(const Quantity& quantity, const QuantityItem& item, std::size_t part);
RedundancyOf redundancyOf(const Quantity& quantity, const QuantityItem& item, std::size_t part);

/// Unit of what is called `name` in any model, as of a table without its scenario: `rad, m` if it depends on
/// the joint. Empty: none, or the name is not known.
std::string unitOfName(const std::string& name);

}  // namespace grashof
