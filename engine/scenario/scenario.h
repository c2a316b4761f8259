#pragma once
/// A scenario: a model, how long to run it, what to record and what to expect.

#include <algorithm>
#include <cmath>
#include <cstdint>
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
  bool trajectory = true;  ///< trajectory.h5
  bool csv = false;        ///< trajectory.csv
  bool contacts = false;   ///< in trajectory.h5 all contacts of each record, with gap, slip and mode
  double interval = 0.01;  ///< s between records; 0: every step
  std::vector<std::string> channels;  ///< extra channels as columns of the CSV file
  /// Of `timestep` seconds; at least 1.
  std::int64_t stepsPerRecord(double timestep) const {
    return std::max<std::int64_t>(1, std::llround(interval / timestep));
  }
  bool operator==(const OutputOptions&) const = default;
};

/// How values lie within a tolerance.
enum class Spread {
  Normal,      ///< a third of the tolerance is the standard deviation; nothing lies beyond it
  Uniform,     ///< all values are alike
  Triangular,  ///< falls evenly from the nominal value to both ends
};

/// A number that expressions of the scenario's file refer to, or a deviation that <tolerance> allows of one.
struct Parameter {
  std::string name;
  double value = 0.0;  ///< in `unit`
  std::string unit;    ///< as declared; empty: a plain number, in the file's units
  double below = 0.0,
         above = 0.0;              ///< tolerance, >= 0: the value may lie from value - below to value + above
  Spread spread = Spread::Normal;  ///< within the tolerance
  bool toleranced() const { return below > 0.0 || above > 0.0; }
};

/// What a scenario was read from, where that says more than its model: parameters, expressions, templates.
struct ScenarioSource {
  std::string text;                    ///< XML, with the overrides
  std::string path;                    ///< of the file
  std::vector<std::string> evaluated;  ///< what a model alone does not keep, for people
  // What was read; a scenario that differs in them is no longer what the text says.
  const Model* model = nullptr;
  std::string name;
  double duration = 0.0;
  OutputOptions output;
  std::size_t expectations = 0;
};

/// A model with the settings of its run.
struct Scenario {
  std::string file;
  std::string name;
  double duration = 1.0;               ///< s
  std::shared_ptr<const Model> model;  ///< shared by the worlds that are made of it
  OutputOptions output;
  std::vector<Expectation> expectations;
  bool expectDivergence = false;      ///< the run is meant to be stopped by the divergence check
  std::vector<std::string> remarks;   ///< on the file: with file and line, what was taken for granted
  std::vector<Parameter> parameters;  ///< of the file itself, not of those that it includes
  std::vector<std::string> files;     ///< all that were read for it, its own first, each once
  std::shared_ptr<const ScenarioSource> source;  ///< null: the model says all

  /// Of a run.
  std::int64_t steps() const {
    return static_cast<std::int64_t>(std::ceil(duration / model->step.timestep - 1e-9));
  }
};

/// An override of one attribute of the file, from the command line: `path` as in `options.timestep`,
/// `body[crank].inertial.mass`, or `param.L` for the value of a parameter or deviation, in its unit. An empty
/// value takes the attribute away.
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
