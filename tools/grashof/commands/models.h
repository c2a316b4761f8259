#pragma once
/// `grashof bench models`: what the solvers make of Coulomb's law (the comparison of papers/000, IV-A and
/// IV-B).

#include <string>
#include <vector>

namespace grashof {

struct ModelsArguments {
  std::vector<std::string> solvers;  ///< empty: all
  bool json = false;
};

/// Measures and prints, as a Markdown table. Returns the exit code.
int benchModels(const ModelsArguments& arguments);

}  // namespace grashof
