#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/bearing_remarks.h"
#include "engine/dynamics/channels.h"
#include "engine/scenario/scenario.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/recorded_result.h"

namespace grashof {
namespace {

struct InfoArguments {
  std::vector<std::string> paths;
  bool json = false;
};

/// Numbers and extremes of the contacts of a result.
nlohmann::ordered_json contactSummary(const ContactPoints& contacts) {
  std::size_t most = 0;
  for (std::size_t r = 0; r + 1 < contacts.start.size(); ++r) most = std::max(most, contacts.of(r).size());
  std::array<std::size_t, 3> modes{};
  double gap = std::numeric_limits<double>::infinity(), slip = 0.0, impulse = 0.0;
  for (const ContactPoint& c : contacts.all) {
    ++modes[static_cast<std::size_t>(c.mode)];
    gap = std::min(gap, c.gap);
    if (c.mode == ContactMode::Sliding) slip = std::max(slip, c.slip.norm());
    impulse = std::max(impulse, c.impulse.norm());
  }
  return {{"total", contacts.all.size()},
          {"most_at_once", most},
          {"open", modes[0]},
          {"sticking", modes[1]},
          {"sliding", modes[2]},
          {"least_gap_m", contacts.all.empty() ? 0.0 : gap},
          {"greatest_slip_m_s", slip},
          {"greatest_impulse_N_s", impulse}};
}

void printContacts(const nlohmann::ordered_json& j) {
  fmt::print(
      "  contacts: {} in all records, at most {} at once; {} open, {} sticking, {} sliding; gap at least "
      "{:.3g} m, slip at most {:.3g} m/s, impulse at most {:.3g} N s\n",
      j["total"].get<std::size_t>(), j["most_at_once"].get<std::size_t>(), j["open"].get<std::size_t>(),
      j["sticking"].get<std::size_t>(), j["sliding"].get<std::size_t>(), j["least_gap_m"].get<double>(),
      j["greatest_slip_m_s"].get<double>(), j["greatest_impulse_N_s"].get<double>());
}

/// The table of a result's channels, with the range of each.
void printChannels(const RecordedResult& result, nlohmann::ordered_json& all, bool json) {
  bool anyRedundant = false, anyLacks = false, anyUnknown = false;
  const DisplayUnits units = result.units();
  if (!json)
    fmt::print("  {:44} {:12} {:>12} {:>12} {:>12}\n", "channel", "unit", "least", "greatest", "last");
  for (const std::string& channel : result.channels()) {
    const auto values = result.series(channel);
    const bool redundant = result.redundant(channel);
    const bool lacks = result.trajectory() && result.trajectory()->lacksBearingLoads(channel);
    auto range = rangeJson(channel, result.unit(channel), values, redundant);
    if (lacks) range["lacks_bearing_loads"] = true;
    const bool unknown = range.contains("unknown_records");
    if (json) {
      all.push_back(range);
    } else {
      const DisplayUnits::Shown shown = units.of(result.unit(channel));
      fmt::print("  {:44} {:12} {:12.5g} {:12.5g} {:12.5g}{}{}{}\n", channel, shown.unit,
                 shown(range["least"].get<double>()), shown(range["greatest"].get<double>()),
                 shown(values.back()), redundant ? " ~" : "", lacks ? " +" : "", unknown ? " ?" : "");
    }
    anyRedundant = anyRedundant || redundant;
    anyLacks = anyLacks || lacks;
    anyUnknown = anyUnknown || unknown;
  }
  if (anyRedundant && !json) fmt::print("  {}\n", kRedundantNote);
  if (anyUnknown && !json) fmt::print("  {}\n", kUnknownNote);
  if (anyLacks && !json) fmt::print("  {}\n", result.trajectory()->bearingRemark());
}

nlohmann::ordered_json infoOfResult(const std::string& path, bool json) {
  const RecordedResult result(path);
  nlohmann::ordered_json j;
  const auto times = result.trajectory() ? result.trajectory()->times() : result.series(result.channels()[0]);
  if (result.trajectory()) {
    const Trajectory& t = *result.trajectory();
    if (!json)
      fmt::print("{}: {}, {} bodies, {} joints, {} records from {:g} to {:g} s, timestep {:g} s\n", t.file(),
                 t.model(), t.bodies().size(), t.joints().size(), t.records(), times.front(), times.back(),
                 t.timestep());
    j = {{"file", t.file()},
         {"model", t.model()},
         {"timestep_s", t.timestep()},
         {"bodies", t.bodies()},
         {"joints", t.joints()}};
    if (!t.bearingRemark().empty()) j["bearing_remark"] = t.bearingRemark();
    if (t.contactPoints()) {
      j["contact_points"] = contactSummary(*t.contactPoints());
      if (!json) printContacts(j["contact_points"]);
    }
  } else {
    if (!json)
      fmt::print("{}: {} records from {:g} to {:g} s\n", path, times.size(), times.front(), times.back());
    j = {{"file", path}};
  }
  j["records"] = times.size();
  j["from_s"] = times.front();
  j["to_s"] = times.back();
  j["channels"] = nlohmann::ordered_json::array();
  printChannels(result, j["channels"], json);
  return j;
}

/// What a run of a scenario will record.
nlohmann::ordered_json infoOfScenario(const std::string& path, bool json) {
  const Scenario scenario = readScenario(path);
  const Model& model = *scenario.model;
  const auto channels = channelsOf(model).entries;
  const DisplayUnits units = displayUnits(scenario);
  nlohmann::ordered_json j = {{"file", path},
                              {"model", model.name},
                              {"bodies", model.bodies.size()},
                              {"joints", model.joints.size()}};
  j["channels"] = nlohmann::ordered_json::array();
  if (!json)
    fmt::print(
        "{}: {}, {} bodies, {} joints; a run records these, and contact.A.B.… of bodies that touch\n"
        "  {:44} unit\n",
        path, model.name, model.bodies.size(), model.joints.size(), "channel");
  for (const ChannelEntry& channel : channels) {
    if (json)
      j["channels"].push_back({{"name", channel.name}, {"unit", channel.unit}});
    else
      fmt::print("  {:44} {}\n", channel.name, units.of(channel.unit).unit);
  }
  if (const auto missing = missingBearingLoads(model); missing.any()) {
    j["bearing_remark"] = missing.text();
    if (!json) fmt::print("  {}\n", missing.text());
  }
  return j;
}

int infoOf(const InfoArguments& a) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& path : a.paths)
    all.push_back(path.ends_with(".xml") ? infoOfScenario(path, a.json) : infoOfResult(path, a.json));
  if (a.json) printJson(all);
  return 0;
}

}  // namespace

Command addInfo(CLI::App& app) {
  const auto a = std::make_shared<InfoArguments>();
  CLI::App& command = *app.add_subcommand(
      "info", "list the channels of results, with unit and range, or of scenarios, with unit");
  command
      .add_option("PATH", a->paths, "folder, trajectory.h5 or trajectory.csv of a run; or a scenario (.xml)")
      ->required();
  command.add_flag("--json", a->json, "print as JSON");
  return {&command, [a] { return infoOf(*a); }};
}

}  // namespace grashof
