#pragma once
/// What the tests of converters share: a converted model, written and read back.

#include <algorithm>
#include <string>
#include <vector>

#include "engine/analysis/mobility.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"
#include "tools/convert/formats.h"

namespace grashof::test {

/// A converted model with what was reported.
struct Converted {
  Scenario scenario;
  convert::Report report;
  const Model& model() const { return *scenario.model; }
  const Joint& joint(const std::string& name) const {
    const int j = model().findJoint(name);
    REQUIRE_MESSAGE(j >= 0, name);
    return model().joints[static_cast<std::size_t>(j)];
  }
  const Body& body(const std::string& name) const {
    const int b = model().findBody(name);
    REQUIRE_MESSAGE(b >= 0, name);
    return model().bodies[static_cast<std::size_t>(b)];
  }
  int mobility() const {
    const State state = model().initialState();
    return analyseMobility(model(), state.poses, state.coordinates).mobility();
  }
  /// Writes the scenario and takes the model that is read back: what converts must load.
  void readBack() {
    const ScratchFolder folder;
    writeScenario(scenario, folder.path("scenario.xml"), "made from a test");
    scenario.model = readScenario(folder.path("scenario.xml")).model;
  }
};

/// Whether a line holds `part`.
inline bool anyLine(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& l) { return l.find(part) != std::string::npos; });
}

}  // namespace grashof::test
