/// The grashof program: finds the command that the user asked for and runs it.

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <hdf5.h>

#include "engine/base/error.h"
#include "engine/base/spelling.h"
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

/// The command that was asked for, as far as it was found.
const CLI::App& askedFor(const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return parsed.empty() ? app : askedFor(*parsed.front());
}

/// What was perhaps meant by the first of some words that is near a flag or a command; empty: nothing near.
std::string meantBy(const CLI::App& command, const std::vector<std::string>& words) {
  std::vector<std::string> flags, commands;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  for (const CLI::App* inner : command.get_subcommands({})) commands.push_back(inner->get_name());
  for (const std::string& word : words) {
    const std::string near =
        closest(word.substr(0, word.find('=')), word.starts_with("-") ? flags : commands);
    if (!near.empty()) return fmt::format("; did you mean {}?", near);
  }
  return {};
}

/// A line about a wrong command line: what is wrong, what was perhaps meant, and where help is.
std::string parseDefect(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = askedFor(app);
  std::string name, message = error.what();
  for (const CLI::App* a = &command; a != &app; a = a->get_parent()) name.insert(0, " " + a->get_name());
  while (!message.empty() && message.back() == '\n') message.pop_back();
  const std::vector<std::string> left = command.remaining();
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool noCommand = !extra && !left.empty() && !command.get_subcommands({}).empty();
  if (noCommand) message = fmt::format("there is no command '{}'", left[0]);
  return fmt::format("grashof{}: {}{} (`grashof{} --help` tells what there is)\n", name, message,
                     extra || noCommand ? meantBy(command, left) : "", name);
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
      if (error.get_exit_code() == 0) return app.exit(error) == 0 ? kDone : kBadInput;  // --help, --version
      std::fputs(parseDefect(app, error).c_str(), stderr);
      return kBadInput;
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
