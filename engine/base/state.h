#pragma once
/// Everything that changes while a model moves, as plain arrays: copyable, comparable, serializable.

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

/// Poses and twists of all bodies at one time. With the Model it determines the future.
struct State {
  double time = 0.0;                ///< s
  std::int64_t step = 0;            ///< steps taken since the start
  std::vector<Pose> poses;          ///< CoM frames in the world, one a body
  std::vector<Vec6> twists;         ///< [v; ω] in world axes at the CoM, one a body
  std::vector<double> coordinates;  ///< joint coordinates, all joints in order; angles count whole turns

  bool operator==(const State& other) const;

  /// Writes / reads the state bit for bit (little-endian, 8-byte header "GRASHOF1"). Throws InputError when
  /// the stream ends early or is not a state.
  void write(std::ostream& out) const;
  static State read(std::istream& in);
};

}  // namespace grashof
