#pragma once
/// The commands of the grashof program. Each is one file, which declares its options and runs it; a new one
/// needs a line here and a line in main.cpp.

#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

namespace grashof {

/// A command that was added to the program's options.
struct Command {
  CLI::App* app = nullptr;   ///< after parsing, app->parsed() tells whether the user asked for this command
  std::function<int()> run;  ///< Returns the exit code. Throws an Error (engine/base/error.h).
};

/// Each adds its command to `app`; the returned `run` owns the parsed arguments.
Command addRun(CLI::App& app);
Command addCheck(CLI::App& app);
Command addCompare(CLI::App& app);
Command addAnalyze(CLI::App& app);
Command addAssemble(CLI::App& app);
Command addView(CLI::App& app);
Command addRender(CLI::App& app);
Command addPlot(CLI::App& app);
Command addInfo(CLI::App& app);
Command addLoads(CLI::App& app);
Command addReport(CLI::App& app);
Command addInverse(CLI::App& app);
Command addConvert(CLI::App& app);
Command addSolve(CLI::App& app);
Command addBench(CLI::App& app);
/// The command `sweep`.
Command addSweep(CLI::App& app);
Command addOptimize(CLI::App& app);

}  // namespace grashof
