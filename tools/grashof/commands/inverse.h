#pragma once
/// `grashof inverse`: the efforts that realize prescribed motions.

#include <string>

namespace grashof {

struct InverseArguments {
  std::string file, clip, out = "results";
  double duration = 0.0;
  bool json = false;
};

/// Returns the exit code: 3 for a run that diverges. Throws InputError for bad input.
int inverseFile(const InverseArguments& arguments);

}  // namespace grashof
