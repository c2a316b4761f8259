#pragma once
/// Which channels a page has.

#include <string>
#include <vector>

#include "engine/results/trajectory.h"

namespace grashof {

/// A channel of a page.
struct PageChannel {
  std::string name, unit;
  bool operator==(const PageChannel&) const = default;
};

/// Whether a page of `count` channels has one called `name`: all but the time; of models with so many that a
/// page would not be fit for use, the most important ones.
bool shown(const std::string& name, std::size_t count);

/// The channels of a page of a recorded run.
std::vector<PageChannel> pageChannels(const Trajectory& trajectory);

}  // namespace grashof
