#pragma once
/// A scenario: a model, how long to run it, what to record and what to expect.

#include <memory>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// Steps of a run, at most.
inline constexpr double kMaxSteps = 1e9;

/// When an expectation is checked.
enum class When { Always, End, At };

/// One acceptance condition: lower <= channel <= upper. See channels.h for the names of channels.
struct Expectation {
  std::string text;  ///< as written, for reports
  std::string channel;
  When when = When::Always;
  double time = 0.0;  ///< s, for When::At: checked after the step that ends nearest to it
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// What a run writes besides summary.json.
struct OutputOptions {
  bool trajectory = true;             ///< trajectory.h5
  bool csv = false;                   ///< trajectory.csv
  double interval = 0.01;             ///< s between records; 0: every step
  std::vector<std::string> channels;  ///< extra channels as columns of the CSV file
};

/// A model with the settings of its run.
struct Scenario {
  std::string file;
  std::vector<std::string> files{};  ///< XML that it was read from: `file` and what that includes
  std::string name;
  double duration = 1.0;               ///< s
  std::shared_ptr<const Model> model;  ///< shared by the worlds that are made of it
  OutputOptions output;
  std::vector<Expectation> expectations;
  bool expectDivergence = false;     ///< the run is meant to be stopped by the divergence check
  std::vector<std::string> remarks;  ///< on the file: with file and line, what was taken for granted
};

/// An override of one attribute of the file, from the command line: `path` as in `options.timestep` or
/// `body[crank].inertial.mass`.
struct Override {
  std::string path;
  std::string value;
};

/// Reads a scenario file with everything it includes (assets/schema.md). Throws InputError with all that is
/// wrong in it.
Scenario readScenario(const std::string& path, const std::vector<Override>& overrides = {});

/// The same for XML in memory. `path`: what messages call it; files that it names are looked for in the
/// folder of `path`.
Scenario parseScenario(const std::string& text, const std::string& path,
                       const std::vector<Override>& overrides = {});

}  // namespace grashof
