#include "engine/scenario/solver_options.h"

namespace grashof {

SolverOptions solverOptions(const std::vector<Override>& values) {
  // One reader and one list of checks, whether the options come from a file or not. A scenario has a body.
  constexpr const char* kScenario =
      R"(<scenario name="options"><solver/><body name="none"><inertial mass="1" inertia="1 1 1"/></body></scenario>)";
  return parseScenario(kScenario, "solver options", values).model->solver;
}

}  // namespace grashof
