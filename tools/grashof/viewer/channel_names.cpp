#include "tools/grashof/viewer/channel_names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace grashof {
namespace {

constexpr std::size_t kMaxChannels = 6000;

/// What is shown first, and all that is shown of models with very many bodies.
bool important(std::string_view name) {
  static constexpr std::array<std::string_view, 4> ends = {".speed", ".reaction", ".force", ".normal"};
  return name.starts_with("energy.") || name.starts_with("residual.") || name.starts_with("contacts.") ||
         name.find(".q.") != name.npos || name.find(".effort.") != name.npos ||
         std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

bool shown(const std::string& name, std::size_t count) {
  return name != "time" && (count <= kMaxChannels || important(name));
}

std::vector<PageChannel> pageChannels(const Trajectory& trajectory) {
  std::vector<PageChannel> channels;
  const auto names = trajectory.channels();
  for (const std::string& name : names)
    if (shown(name, names.size())) channels.push_back({name, trajectory.unit(name)});
  return channels;
}

}  // namespace grashof
