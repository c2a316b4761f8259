#include "tools/grashof/motion_clip.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/base/spelling.h"
#include "engine/model/model_builder.h"
#include "engine/scenario/series.h"

namespace grashof {

void applyClip(Scenario& scenario, const std::string& path) {
  ModelBuilder builder(*scenario.model);
  const std::vector<std::string> headings = seriesHeadings(path);
  if (headings.size() < 2)
    throw InputError(path + ": needs headings: time, then names of motions (as in: time,crank,tilt)");
  const std::vector<std::string> names = builder.names("motion");
  for (std::size_t c = 1; c < headings.size(); ++c) {
    const int signal = builder.find("motion", headings[c]);
    if (signal < 0) {
      const std::string near = closest(headings[c], names);
      throw InputError(fmt::format(
          "{}: column '{}' names no motion of {} ({})", path, headings[c], scenario.name,
          near.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : "did you mean '" + near + "'?"));
    }
    Signal series;
    series.name = headings[c];
    series.kind = Signal::Kind::Series;
    readSeries(path, headings[c], series);
    scenario.duration = c == 1 ? series.times.back() : std::max(scenario.duration, series.times.back());
    builder.signal({signal}) = std::move(series);
  }
  if (!(scenario.duration > 0.0)) throw InputError(path + ": ends at time 0 (give at least two times)");
  // The clip may start elsewhere than the scenario.
  const std::shared_ptr<const Model> moving = builder.build();
  State state = moving->initialState();
  const AssemblyResult result = assembleMechanism(*moving, state);
  if (!result.assembled)
    throw InputError(fmt::format("{}: the mechanism can't take the first pose of the clip: {}", path,
                                 assemblyFailure(*moving, result)));
  builder.setInitialPoses(state.poses);
  scenario.model = builder.build();
  scenario.expectations.clear();
}

std::string timeCode(double seconds) {
  const auto ms = std::llround(1000.0 * seconds);
  return fmt::format("{}:{:02}.{:03}", ms / 60000, ms / 1000 % 60, ms % 1000);
}

}  // namespace grashof
