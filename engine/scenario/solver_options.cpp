#include "engine/scenario/solver_options.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof {
namespace {

constexpr std::string_view kPrefix = "solver.";
// What a caller says apart, by arguments of its own.
constexpr std::array<std::string_view, 4> kApart = {"name", "tolerance", "tolerance-kind", "max-iterations"};

}  // namespace

SolverOptions solverOptions(const std::vector<Override>& values) {
  for (const Override& value : values) {
    const std::string_view path = value.path;
    if (!path.starts_with(kPrefix))
      throw InputError(fmt::format(
          "{}: only attributes of the solver can be set here, as solver.penalty-step", value.path));
    if (std::find(kApart.begin(), kApart.end(), path.substr(kPrefix.size())) != kApart.end())
      throw InputError(fmt::format("{}: has an argument of its own here", value.path));
  }
  // One reader and one list of checks, whether the options come from a file or not. A scenario has a body.
  constexpr const char* kScenario =
      R"(<scenario name="options"><solver/><body name="none"><inertial mass="1" inertia="1 1 1"/></body></scenario>)";
  return parseScenario(kScenario, "solver options", values).model->solver;
}

}  // namespace grashof
