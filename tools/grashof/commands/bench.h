#pragma once
/// The commands below `grashof bench`, which measure the engine.

#include "tools/grashof/commands/commands.h"

namespace grashof {

/// Each adds its command to `bench`, the command `grashof bench`.
Command addSpeed(CLI::App& bench);
Command addModels(CLI::App& bench);
Command addGaussSeidelSpeed(CLI::App& bench);
Command addSuite(CLI::App& bench);
Command addConvergence(CLI::App& bench);
Command addWorkPrecision(CLI::App& bench);
Command addFields(CLI::App& bench);

}  // namespace grashof
