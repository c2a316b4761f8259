#include "tools/grashof/channel_range.h"

#include <algorithm>

namespace grashof {

std::string unitOf(const std::string& channel) {
  const auto has = [&](const char* part) { return channel.find(part) != std::string::npos; };
  if (channel == "time") return "s";
  if (channel.starts_with("energy.drift-relative")) return "";
  if (channel.starts_with("energy.")) return "J";
  if (channel == "residual.solver") return "m/s, rad/s";
  if (channel.starts_with("residual.")) return "m, rad";
  if (channel == "contacts.normal-force") return "N";
  if (channel.starts_with("body.")) {
    if (has(".position.")) return "m";
    if (has(".angular-velocity.")) return "rad/s";
    if (has(".velocity.") || has(".speed")) return "m/s";
    return "";
  }
  if (channel.starts_with("coupling.")) return "N m, N";
  if (channel.starts_with("contact.")) return "N";
  if (channel.starts_with("joint.")) {
    if (channel.ends_with(".angle")) return "rad";
    if (channel.ends_with(".displacement")) return "m";
    if (has(".q.")) return "rad, m";
    if (has(".rate.")) return "rad/s, m/s";
    if (has(".effort.")) return "N m, N";
    if (has(".motor-torque")) return "N m";
    if (has(".motor-speed.")) return "rad/s";
    if (has(".motor-current.")) return "A";
    if (has(".motor-loss.")) return "W";
    if (has(".motor-heat.")) return "J";
    if (has(".moment.")) return "N m";
    if (has(".force.") || channel.ends_with(".reaction")) return "N";
  }
  return "";
}

nlohmann::ordered_json rangeJson(const std::string& channel, const std::vector<double>& values,
                                 bool redundant) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {{"name", channel}, {"unit", unitOf(channel)}, {"redundant", redundant},
          {"least", *low},   {"greatest", *high},       {"last", values.back()}};
}

}  // namespace grashof
