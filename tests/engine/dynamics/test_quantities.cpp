#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "engine/dynamics/channels.h"
#include "engine/results/trajectory.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// One of everything that has quantities: a driven loop with a motor, a cylindrical joint, a rack, springs, a
/// cable, a bushing, a knife edge, and a box on the floor.
const char* const kEverything = R"(
  <options duration="0.02" timestep="1e-3"/>
  <output interval="0"/>
  <motion name="sway" type="sine" amplitude="0.3" frequency="1"/>
  <motor name="m" gear-ratio="20" torque-constant="0.02" resistance="1"/>
  <shape type="plane"/>
  <body name="arm" position="0.2 0 1"><shape type="box" size="0.4 0.02 0.02" mass="1"/></body>
  <body name="rod" position="0.4 0 0.8"><inertial mass="0.5" inertia="0.01 0.01 0.01"/></body>
  <body name="rack" position="0 1 1"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
  <body name="box" position="1 1 0.05"><shape type="box" size="0.1 0.1 0.1" mass="2"/></body>
  <body name="sled" position="-1 0 2" velocity="0.1 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
  <joint name="hinge" type="revolute" follower="arm" position="0 0 1" axis="0 1 0">
    <actuator type="motion" motion="sway" motor="m"/><limit lower="-1" upper="1"/></joint>
  <joint name="elbow" type="revolute" base="arm" follower="rod" position="0.4 0 1" axis="0 1 0">
    <dynamics stiffness="2" damping="0.1" friction="0.01"/></joint>
  <joint name="rail" type="cylindrical" follower="rack" axis="1 0 0"/>
  <coupling name="teeth" type="rack-and-pinion" rack="rail" pinion="elbow" radius="0.02"/>
  <spring name="strut" body2="rack" stiffness="20" length="0.5"/>
  <bushing name="mount" base="arm" follower="rod" stiffness="5 5 5 1 1 1"/>
  <knife-edge name="edge" follower="sled" across="0 1 0"/>)";

/// Of the lines between "### Channels" and the end of its table.
std::string tableOfSchema() {
  std::ifstream file(test::sourceFolder() + "/assets/schema.md");
  std::string table, line;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line == "### Channels") inside = true;
    if (inside && line.starts_with("|")) table += line + "\n";
    if (inside && !table.empty() && !line.starts_with("|")) break;
  }
  return table;
}

/// `.x`, `.y` and `.z` of one name as one entry: NAME.x y z.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const auto dot = name.rfind('.');
    const bool follows = i > 0 && dot != std::string::npos && name.size() == dot + 2 &&
                         names[i - 1].substr(0, dot + 1) == name.substr(0, dot + 1) &&
                         names[i - 1].size() == name.size();
    text += follows ? fmt::format(" `{}`", name.substr(dot)) : fmt::format("{}`{}`", i > 0 ? ", " : "", name);
  }
  return text;
}

/// The table of channels in assets/schema.md, from the list of quantities.
std::string tableOfQuantities() {
  std::string table = "| channel | unit | |\n|---|---|---|\n";
  for (const Quantity& quantity : quantities()) {
    std::vector<std::string> names;
    std::vector<std::string> units;
    std::string meaning;
    const auto close = [&] {
      if (!meaning.empty())
        table += fmt::format("| {} | {} | {} |\n", listed(names), fmt::join(units, ", "), meaning);
      names.clear();
      units.clear();
    };
    for (const QuantityPart& part : quantity.parts) {
      if (!part.meaning.empty()) {
        close();
        meaning = part.meaning;
      }
      std::string name = quantity.pattern;
      name.replace(name.find('*'), 1, part.name);
      names.push_back(name);
      for (const std::string& one : {part.unit, part.lengthUnit})
        if (!one.empty() && std::find(units.begin(), units.end(), one) == units.end()) units.push_back(one);
    }
    close();
  }
  return table;
}

}  // namespace

TEST_CASE("the table of channels in the schema is that of the list of quantities") {
  INFO(tableOfQuantities());
  CHECK(tableOfSchema() == tableOfQuantities());
}

TEST_CASE(
    "every quantity is recorded: each channel of a run of everything is read back with its value and unit") {
  const test::ScratchFolder folder;
  const Scenario scenario = test::scenarioOf(kEverything);
  const auto entries = channelsOf(*scenario.model).entries;
  std::vector<std::vector<double>> seen(entries.size());
  std::vector<bool> open(entries.size(), false);
  RunSettings settings;
  settings.progress = [&](double, std::int64_t, const Simulator& simulator) {
    for (std::size_t c = 0; c < entries.size(); ++c) {
      seen[c].push_back(findChannel(simulator.model(), entries[c].name)(simulator));
      const RedundancyOf redundancy = findRedundancy(simulator.model(), entries[c].name);
      open[c] = open[c] || (redundancy && redundancy(simulator));
    }
  };
  run(scenario, folder.path("out"), settings);
  const Trajectory trajectory(folder.path("out"));
  std::set<std::string> patterns;
  for (std::size_t c = 0; c < entries.size(); ++c) {
    CAPTURE(entries[c].name);
    const auto read = trajectory.series(entries[c].name);
    CHECK(std::equal(read.begin(), read.end(), seen[c].begin(), seen[c].end(), [](double a, double b) {
      return a == b || (std::isnan(a) && std::isnan(b));  // not known at the start
    }));
    CHECK(trajectory.unit(entries[c].name) == entries[c].unit);
    CHECK(trajectory.redundant(entries[c].name) == open[c]);
    patterns.insert(quantities()[entries[c].quantity].dataset);
  }
  // Of each quantity something is there, so that nothing was left out of this test.
  for (const Quantity& quantity : quantities())
    if (quantity.stored()) CHECK_MESSAGE(patterns.contains(quantity.dataset), quantity.dataset);
  const auto names = trajectory.channels();
  for (const char* name :
       {"contact.world.box.area", "contact.world.box.center.z", "contact.world.box.normal"})
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
}

TEST_CASE("loads of bodies that touch are the same from a record and from the running simulation") {
  const test::ScratchFolder folder;
  const Scenario scenario = test::scenarioOf(kEverything);
  std::map<std::string, std::vector<double>> seen;
  RunSettings settings;
  settings.progress = [&](double, std::int64_t, const Simulator& simulator) {
    for (const char* part : {"force.z", "normal", "center.x", "moment.y", "area"}) {
      const std::string name = fmt::format("contact.world.box.{}", part);
      seen[name].push_back(findChannel(simulator.model(), name)(simulator));
    }
  };
  run(scenario, folder.path("out"), settings);
  const Trajectory trajectory(folder.path("out"));
  for (const auto& channel : seen) {
    const std::string& name = channel.first;  // no structured binding: clang 14 captures none in a lambda
    const std::vector<double>& values = channel.second;
    CAPTURE(name);
    const auto read = trajectory.series(name);
    REQUIRE(read.size() == values.size());
    CHECK(std::isnan(read[0]) == std::isnan(values[0]));  // not known at the start
    for (std::size_t r = 1; r < read.size(); ++r) CHECK(read[r] == doctest::Approx(values[r]).epsilon(1e-12));
  }
}

TEST_CASE("a name that two things could have is that of the shorter, in a run and in its record") {
  const test::ScratchFolder folder;
  const Scenario scenario = test::scenarioOf(R"(
    <options duration="0.02" timestep="1e-3"/><output interval="0"/>
    <body name="a" position="1 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <body name="b" position="0 2 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
    <joint name="knee.spring" type="revolute" follower="b" position="0 1 0" axis="1 0 0"/>
    <joint name="knee" type="revolute" follower="a" position="0 0 0" axis="0 1 0"><dynamics stiffness="5" damping="1"/></joint>)");
  const std::string name = "joint.knee.spring.moment.x";
  std::vector<double> seen;
  RunSettings settings;
  settings.progress = [&](double, std::int64_t, const Simulator& simulator) {
    seen.push_back(findChannel(simulator.model(), name)(simulator));
  };
  run(scenario, folder.path("out"), settings);
  CHECK(Trajectory(folder.path("out")).series(name) == seen);
  CHECK(std::abs(seen.back()) > 1e-3);  // the spring's moment, not that of the other joint, which is zero
}

TEST_CASE("units follow the coordinate: a rack's effort is a force at its rack and a torque at its pinion") {
  const Scenario scenario = test::scenarioOf(kEverything);
  std::map<std::string, std::string> units;
  const ModelChannels channels = channelsOf(*scenario.model);
  for (const ChannelEntry& entry : channels.entries) units[entry.name] = entry.unit;
  CHECK(units["coupling.teeth.effort.a"] == "N");
  CHECK(units["coupling.teeth.effort.b"] == "N m");
  CHECK(units["joint.rail.q.0"] == "m");
  CHECK(units["joint.rail.q.1"] == "rad");
  CHECK(units["joint.hinge.rate.0"] == "rad/s");
  CHECK(units["element.strut.force"] == "N");
  CHECK(units["element.mount.rotation.x"] == "rad");
  CHECK(unitOfName("joint.any.q.0") == "rad, m");
  CHECK(unitOfName("contact.a.b.area") == "m²");
  CHECK(unitOfName("body.a.b.speed") == "m/s");
  CHECK(unitOfName("nothing").empty());
}
