#include "solvers/solver.h"

#include "engine/base/error.h"
#include "solvers/admm.h"

namespace grashof {
namespace {

template <typename S>
std::unique_ptr<Solver> make(const SolverOptions& options) {
  return std::make_unique<S>(options);
}

// A new solver is one file and one line here.
constexpr SolverEntry kRegistry[] = {
    {"ADMM", "proximal ADMM on the NCP, joints exact, spectral penalty", &make<Admm>},
};

}  // namespace

std::span<const SolverEntry> solverRegistry() { return kRegistry; }

std::unique_ptr<Solver> makeSolver(const SolverOptions& options) {
  std::string known;
  for (const SolverEntry& entry : kRegistry) {
    if (entry.name == options.name) return entry.make(options);
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InputError("unknown solver '" + options.name + "' (known: " + known + ")");
}

}  // namespace grashof
