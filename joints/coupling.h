#pragma once
/// Couplings between joint coordinates: q_a = ratio q_b + offset, or q_a = profile(q_b), one bilateral row.

#include <cmath>
#include <string>
#include <string_view>

#include "engine/base/signal.h"

namespace grashof {

enum class CouplingKind {
  Gear,           ///< two angles (or any two coordinates: mimic)
  Screw,          ///< translation of a cylindrical joint by its own rotation; ratio = pitch / 2π
  RackAndPinion,  ///< a translation by an angle; ratio = pinion radius
  Cam             ///< any coordinate by a profile over another
};

/// One coupling row: f = q_a - g(q_b), J = J_a(a) - g'(q_b) J_a(b); up to four bodies.
struct Coupling {
  std::string name;
  CouplingKind kind = CouplingKind::Gear;
  int jointA = 0, coordinateA = 0;
  int jointB = 0, coordinateB = 0;
  double ratio = 1.0;   ///< unit of q_a over unit of q_b
  double offset = 0.0;  ///< m or rad
  Signal profile;       ///< cam: a series over q_b instead of time
  double period =
      0.0;  ///< cam: the profile repeats after this; 0: held before its first and after its last sample

  double value(double b) const {
    return kind == CouplingKind::Cam ? profile.value(wrapped(b)) + offset : ratio * b + offset;
  }
  double slope(double b) const { return kind == CouplingKind::Cam ? profile.rate(wrapped(b)) : ratio; }

  /// Makes the profile one of a whole turn: samples beyond both ends, so that it is as smooth there as
  /// elsewhere. Its first and last values must be equal.
  void closeProfile();

 private:
  /// Into the samples that were given: closeProfile() has added two on either side.
  double wrapped(double b) const {
    if (period == 0.0) return b;
    const double start = profile.times[2];
    return b - period * std::floor((b - start) / period);
  }
};

}  // namespace grashof
