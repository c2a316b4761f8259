/// The grashof program: finds the command that the user asked for and runs it.

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <hdf5.h>

#include "engine/base/error.h"
#include "engine/base/version.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/exit_code.h"
#include "tools/solver/plugin.h"

namespace grashof {
namespace {

/// The exit code of a command that returned `code`. Throws FileError for output that went nowhere.
int finished(int code) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw FileError("standard output", "cannot be written (is the disk full?)");
  return code;
}

}  // namespace
}  // namespace grashof

int main(int argc, char** argv) {
  using namespace grashof;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond the limit of ulimit is an error like a full disk
  H5dont_atexit();                // files are closed when they are done; one on a full disk cannot be
  CLI::App app{"Grashof simulates mechanisms with closed loops.\n\n" + exitCodeHelp()};
  app.require_subcommand(1);
  app.set_version_flag("--version", version());
  app.failure_message(CLI::FailureMessage::help);
  std::vector<std::string> solverLibraries;
  app.add_option("--solver-library", solverLibraries,
                 "Before the command: a solver of your own from a shared library, FILE or FILE:ARGUMENT "
                 "(tools/solver/grashof_solver.h)")
      ->take_all()
      ->expected(1);
  try {
    std::vector<Command> commands;  // in the order of --help
    for (const auto add :
         {addRun, addCheck, addCompare, addAnalyze, addAssemble, addView, addRender, addPlot, addInfo,
          addLoads, addReport, addInverse, addConvert, addSolve, addSweep, addOptimize, addBench})
      commands.push_back(add(app));
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? kDone : kBadInput;
    }
    for (const std::string& library : solverLibraries) loadSolver(library);
    for (const Command& command : commands)
      if (command.app->parsed()) return finished(command.run());
    return kBadInput;
  } catch (const std::exception& error) {
    // Where the error stream is closed or its disk is full, the exit code still tells.
    std::fputs(fmt::format("grashof: {}\n", messageOf(error)).c_str(), stderr);
    return exitCodeOf(error);
  }
}
