#pragma once
/// The runs that `grashof view` and `grashof render` show.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/scenario/scenario.h"
#include "tools/grashof/viewer/view_page.h"

namespace grashof {

struct ViewArguments {
  std::string file, out;
  std::string scenario;          ///< of a result; empty: the one that it names
  std::string with;              ///< another run to compare with; empty: none
  std::vector<std::string> set;  ///< PATH=VALUE, overrides of attributes
  double duration = 0.0;
  bool quiet = false;
};

/// A page of a scenario, which is run, or of a result, which is read.
struct ViewedRun {
  std::unique_ptr<Scenario> scenario;
  std::unique_ptr<ViewPage> page;
  std::vector<std::string> warnings;
  std::optional<Divergence> divergence;
};

/// What --set changes. Throws InputError for one without a value.
std::vector<Override> overridesOf(const ViewArguments& arguments);

/// Runs or reads `arguments.file`. Throws InputError for bad input.
ViewedRun viewedRun(const ViewArguments& arguments);

/// Adds what to show to the options of `command`; parsing writes to `arguments`.
void addRunToShow(CLI::App& command, ViewArguments& arguments);

}  // namespace grashof
