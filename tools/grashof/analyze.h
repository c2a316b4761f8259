#pragma once
/// `grashof analyze`: mobility and redundancy of mechanisms at their initial pose.

#include <string>
#include <vector>

namespace grashof {

struct AnalyzeArguments {
  std::vector<std::string> files;
  bool json = false;
};

/// Analyses and prints. Returns the exit code. Throws InputError for bad scenarios.
int analyzeFiles(const AnalyzeArguments& arguments);

}  // namespace grashof
