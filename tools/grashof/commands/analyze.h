#pragma once
/// `grashof analyze`: mobility and redundancy of mechanisms at their initial pose, reach of their inputs,
/// coupler curves.

#include <string>
#include <vector>

namespace grashof {

struct AnalyzeArguments {
  std::vector<std::string> files;
  std::vector<std::string> ranges;  ///< JOINT or JOINT.COORDINATE
  std::vector<std::string> curves;  ///< BODY or BODY:X,Y,Z, points of bodies
  double maxTravel = 1.0;             ///< m, how far to look along translations
  std::string out;                  ///< folder of curves; empty: this one
  bool json = false;
};

/// Analyses and prints. Returns the exit code. Throws InputError for bad scenarios.
int analyzeFiles(const AnalyzeArguments& arguments);

}  // namespace grashof
