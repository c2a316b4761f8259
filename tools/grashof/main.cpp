/// The grashof program: finds the command that the user asked for and runs it.

#include <cstdio>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/version.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/exit_code.h"

int main(int argc, char** argv) {
  using namespace grashof;
  CLI::App app{"Grashof simulates mechanisms with closed loops.\n\n" + exitCodeHelp()};
  app.require_subcommand(1);
  app.set_version_flag("--version", version());
  app.failure_message(CLI::FailureMessage::help);
  try {
    std::vector<Command> commands;  // in the order of --help
    for (const auto add : {addRun, addCheck, addCompare, addAnalyze, addAssemble, addView, addRender, addPlot,
                           addInfo, addLoads, addInverse, addConvert, addSolve, addBench})
      commands.push_back(add(app));
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? kDone : kBadInput;
    }
    for (const Command& command : commands)
      if (command.app->parsed()) return command.run();
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "grashof: {}\n", messageOf(error));
    return exitCodeOf(error);
  }
}
