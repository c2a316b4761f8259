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

/// What the text of a URDF file becomes.
inline Converted fromUrdf(const std::string& text, const convert::BuildOptions& options = {}) {
  const ScratchFolder folder;
  Converted made;
  made.scenario =
      buildScenario(convert::readUrdf(folder.write("r.urdf", text), {}, made.report), options, made.report);
  made.readBack();
  return made;
}
/// The same of what stands in a robot.
inline Converted fromRobot(const std::string& inside, const convert::BuildOptions& options = {}) {
  return fromUrdf("<robot name='r'>" + inside + "</robot>", options);
}

inline int materialOf(const Converted& made, const std::string& shape) {
  for (const Shape& s : made.model().shapes)
    if (s.name == shape) return s.material;
  FAIL("no shape " << shape);
  return 0;
}

/// Height of the first body after 2 s.
inline double heightAtRest(const Model& model) {
  Simulator simulator(model);
  while (simulator.state().time < 2.0) simulator.step();
  return simulator.state().poses[0].position.z();
}

/// Whether a line holds `part`.
inline bool anyLine(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& l) { return l.find(part) != std::string::npos; });
}

}  // namespace grashof::test
