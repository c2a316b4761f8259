#pragma once
/// Mechanisms made of random numbers, for the physics fuzzer.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/state.h"
#include "engine/model/model.h"

namespace grashof::fuzz {

struct Mechanism {
  std::string kind;                    ///< for statistics: tree, ring, pile …
  std::shared_ptr<const Model> model;  ///< null: ModelBuilder refused it
  std::string refusal;                 ///< why
  /// Nothing acts on it from outside: no gravity, no wrench, nothing fixed to the world.
  bool isolated = false;
};

/// The mechanism number `seed`, the same on every machine. `startStep`: number of the step at which its runs
/// begin; prescribed motions start from the poses of the model then. `rough`: with friction by load, losses
/// of couplings, clearances, all kinds of surface friction, and knife edges besides.
Mechanism randomMechanism(std::uint64_t seed, std::int64_t startStep, bool rough = false);

/// The state of a mechanism from which runs begin, at the step `startStep`. Throws AssemblyError.
State startOf(const Model& model, std::int64_t startStep);

}  // namespace grashof::fuzz
