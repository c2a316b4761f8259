#pragma once
/// Recorded quantities: `grashof info` lists them, `grashof plot` draws them.

#include <string>
#include <vector>

namespace grashof {

struct InfoArguments {
  std::vector<std::string> results;
  bool json = false;
};

/// `grashof info`: what results hold, with the range of every channel. Returns the exit code. Throws
/// InputError for results that can't be read.
int infoOf(const InfoArguments& arguments);

struct PlotArguments {
  std::vector<std::string> results;   ///< folders, .h5 or .csv files
  std::vector<std::string> channels;  ///< names or patterns with *
  std::string x = "time";
  std::string out = "plot.svg";
  std::string title;
};

/// `grashof plot`: draws channels over time, or over another channel, one panel a unit, all results
/// overlaid. Returns the exit code. Throws InputError for bad input.
int plotResults(const PlotArguments& arguments);

}  // namespace grashof
