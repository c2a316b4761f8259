#include <vector>

#include "tools/grashof/commands/bench.h"

namespace grashof {

Command addBench(CLI::App& app) {
  CLI::App& bench = *app.add_subcommand("bench", "measure the engine")->require_subcommand(1);
  std::vector<Command> commands;
  for (const auto add :
       {addSpeed, addModels, addGaussSeidelSpeed, addSuite, addConvergence, addWorkPrecision, addFields})
    commands.push_back(add(bench));
  return {&bench, [commands] {
            for (const Command& command : commands)
              if (command.app->parsed()) return command.run();
            return 0;
          }};
}

}  // namespace grashof
