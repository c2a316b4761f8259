#pragma once
/// `grashof bench speed`: how the time of a step grows with the model.

#include <string>
#include <vector>

namespace grashof {

struct SpeedArguments {
  std::string model = "chain";                      ///< "chain", "scissors" or "wall"
  std::vector<int> links = {10, 100, 1000, 10000};  ///< sizes of the models
  double seconds = 1.0;                             ///< measured wall time per size, at least
  bool json = false;
};

/// Measures and prints. Returns the exit code.
int benchSpeed(const SpeedArguments& arguments);

}  // namespace grashof
