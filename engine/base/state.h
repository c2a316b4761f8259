#pragma once
/// The state of a moving model as plain arrays: copyable, comparable, serializable.

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "engine/base/archive.h"
#include "engine/base/math.h"

namespace grashof {

/// Poses and twists of all bodies at one time. Model and State together determine the motion that follows, up
/// to rounding.
struct State {
  double time = 0.0;                ///< s
  std::int64_t step = 0;            ///< steps taken since the start
  std::vector<Pose> poses;          ///< CoM frames in the world, one per body
  std::vector<Vec6> twists;         ///< [v; ω] in world axes at the CoM, one per body; m/s, rad/s
  std::vector<double> coordinates;  ///< of all joints in their order, m or rad; angles count whole turns

  /// True if every number is equal (bitwise, but for the sign of zero and NaN).
  bool operator==(const State& other) const;

  /// Writes and reads the state bit for bit: header "GRASHOF1", then numbers of 8 bytes in the byte order of
  /// the machine. read() throws InputError if the stream ends early or does not hold a state.
  void write(std::ostream& out) const;
  static State read(std::istream& in);

  /// Sizes must fit.
  void archive(Archive& archive);
};

}  // namespace grashof
