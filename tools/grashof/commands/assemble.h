#pragma once
/// `grashof assemble`: approximate poses onto the joints, and in how many ways.

#include <string>
#include <vector>

namespace grashof {

struct AssembleArguments {
  std::string file;
  std::vector<std::string> pinned;  ///< bodies
  std::vector<std::string> inputs;  ///< JOINT=VALUE or JOINT.COORDINATE=VALUE
  int branches = 0;                 ///< attempts to find further poses
  bool json = false;
};

/// Assembles and prints. Returns the exit code: 1 when it does not close. Throws InputError for bad input.
int assembleFile(const AssembleArguments& arguments);

}  // namespace grashof
