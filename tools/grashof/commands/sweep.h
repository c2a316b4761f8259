#pragma once
/// `grashof bench sweep`: how the cost of a Gauss-Seidel sweep grows with the number of contacts.

#include <string>
#include <vector>

namespace grashof {

struct SweepArguments {
  std::vector<int> contacts = {10, 100, 1000, 10000, 100000};
  std::vector<std::string> solvers = {"PGS-NCP", "NBGS"};
  double seconds = 0.5;  ///< measured wall time per size and solver, at least
  bool json = false;
};

/// Measures and prints. Returns the exit code.
int benchSweep(const SweepArguments& arguments);

}  // namespace grashof
