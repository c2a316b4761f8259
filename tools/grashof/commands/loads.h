#pragma once
/// `grashof loads`: what joints, contacts and drives carry in a run; the check of a show.

#include <string>

namespace grashof {

struct LoadsArguments {
  std::string file, clip, out;
  double duration = 0.0;
  double splitInterval = 0.01;  ///< s
  bool json = false, quiet = false;
};

/// Returns the exit code: 3 for a run that diverges. Throws InputError for bad input.
int loadsFile(const LoadsArguments& arguments);

}  // namespace grashof
