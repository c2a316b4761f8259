#include "tools/grashof/motion_clip.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/scenario/series.h"
#include "engine/scenario/xml_element.h"

namespace grashof {

void applyClip(Scenario& scenario, const std::string& path) {
  Model model = *scenario.model;
  const std::vector<std::string> headings = seriesHeadings(path);
  if (headings.size() < 2)
    throw InputError(path + ": needs headings: time, then names of motions (as in: time,crank,tilt)");
  std::vector<std::string> names;
  for (const Signal& s : model.signals) names.push_back(s.name);
  for (std::size_t c = 1; c < headings.size(); ++c) {
    const auto signal = std::find_if(model.signals.begin(), model.signals.end(),
                                     [&](const Signal& s) { return s.name == headings[c]; });
    if (signal == model.signals.end()) {
      const std::string near = xml::closest(headings[c], names);
      throw InputError(fmt::format(
          "{}: column '{}' names no motion of {} ({})", path, headings[c], scenario.name,
          near.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : "did you mean '" + near + "'?"));
    }
    Signal series;
    series.name = headings[c];
    series.kind = Signal::Kind::Series;
    readSeries(path, headings[c], series);
    scenario.duration = c == 1 ? series.times.back() : std::max(scenario.duration, series.times.back());
    *signal = std::move(series);
  }
  if (!(scenario.duration > 0.0)) throw InputError(path + ": ends at time 0 (give at least two times)");
  // The clip may start elsewhere than the scenario.
  State state = model.initialState();
  const AssemblyResult result = assembleMechanism(model, state);
  if (!result.assembled)
    throw InputError(fmt::format("{}: the mechanism can't take the first pose of the clip: {}", path,
                                 assemblyFailure(model, result)));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) model.bodies[b].initialPose = state.poses[b];
  scenario.model = std::make_shared<const Model>(std::move(model));
  scenario.expectations.clear();
}

std::string timeCode(double seconds) {
  const auto ms = std::llround(1000.0 * seconds);
  return fmt::format("{}:{:02}.{:03}", ms / 60000, ms / 1000 % 60, ms % 1000);
}

}  // namespace grashof
