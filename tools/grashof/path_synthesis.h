#pragma once
/// Four-bars for a path: what `grashof optimize --fourbar-path` does.

#include <cstdint>
#include <string>

namespace grashof {

struct PathSynthesisArguments {
  std::string points;           ///< CSV file of x,z (m)
  std::string out = "results";  ///< the results go to a folder in it
  std::uint64_t starts = 20000;
  bool json = false, quiet = false;
};

/// Looks for linkages through the points, and writes linkages.csv, curve.svg and, of the first, the scenario
/// linkage.xml. Returns the exit code. Throws InputError, FileError.
int synthesizeFourBar(const PathSynthesisArguments& a);

}  // namespace grashof
