#pragma once
/// Files from which a run goes on, or any step of it is made again: checkpoints/step-N.h5 in the folder of
/// its results.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace grashof {

/// What a run keeps between two of its steps.
struct Checkpoint {
  std::string motion;              ///< what determines the motion: motionDigest() and the controller
  std::string output;              ///< what is recorded, as text
  std::string checks;              ///< the expectations, as text
  std::int64_t step = 0;           ///< steps made
  double time = 0.0;               ///< s, at their end
  std::vector<double> memory;      ///< archive of world, result and expectations
  std::vector<double> recorder;    ///< archive of the recorder
  std::vector<double> controller;  ///< bytes that the controller saved, one a number
};

/// Writes `checkpoint` whole or not at all. Throws FileError when it cannot be written.
void writeCheckpoint(const std::string& folder, const Checkpoint& checkpoint);

/// The last checkpoint in the results in `folder` that is not after `time` (s); none: there is no such file.
/// Throws InputError for a file that is damaged, and for one that another version or processor wrote, which
/// would go on with other bits. `intact`: its digest must be that of its content; without, fuzzers see what
/// comes of numbers that are wrong.
std::optional<Checkpoint> findCheckpoint(const std::string& folder, double time, bool intact = true);

/// Removes the checkpoints of more than `step` steps: a run that goes on from there makes them again.
void removeLaterCheckpoints(const std::string& folder, std::int64_t step);

}  // namespace grashof
