#pragma once
/// Couplings between joint coordinates: one bilateral row, on two bodies for each coordinate at most.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/signal.h"
#include "joints/coordinate_term.h"
#include "joints/mesh.h"

namespace grashof {

enum class CouplingKind {
  Gear,           ///< two angles, or any two coordinates of one unit
  Screw,          ///< translation of a cylindrical joint by its own rotation; ratio = pitch / 2π
  RackAndPinion,  ///< a translation by an angle; ratio = radius of the pinion
  Cam,            ///< any coordinate by a profile over another
  Linear          ///< a weighted sum of any number of coordinates is constant: differentials, tendons
};

/// What a coupling loses (theory.md, "Friction that depends on a load"): friction bounded by a share of the
/// effort that it transmits.
struct CouplingFriction {
  /// Of gears and racks: torque lost on coordinate b over the torque that the coupling puts there, where b
  /// drives a: 1/η - 1, and where a drives b: 1 - η'.
  double forward = 0.0, backward = 0.0;
  double thread = 0.0;        ///< of screws: μ between the flanks
  double threadRadius = 0.0;  ///< of screws: mean radius, m

  bool any() const { return forward > 0.0 || backward > 0.0 || thread > 0.0; }
};

/// One coupling. Residual f = q_a - g(q_b) - Σ c_k q_k, row J = J_a - g'(q_b) J_b - Σ c_k J_k, with the rows
/// J of the rates of the coordinates. g(q) = ratio q + offset; of a cam g(q) = profile(q) + offset. Only
/// linear couplings have terms k: Σ_i a_i q_i = const is divided by the coefficient of its first coordinate,
/// which is q_a; the second is q_b.
struct Coupling {
  std::string name;
  CouplingKind kind = CouplingKind::Gear;
  int jointA = 0, coordinateA = 0;
  int jointB = 0, coordinateB = 0;
  double ratio = 1.0;   ///< unit of q_a over unit of q_b
  double offset = 0.0;  ///< m or rad, unit of q_a
  CouplingFriction friction{};
  Mesh mesh{};                         ///< of gears and racks
  std::vector<CoordinateTerm> more{};  ///< c_k: coordinates of a linear coupling from the third on
  Signal profile;                      ///< cam: a series over q_b instead of time
  /// Cam: the profile repeats after this (m, rad); 0: it is constant before its first and after its last
  /// sample.
  double period = 0.0;

  /// g(b) and its derivative g'(b).
  double value(double b) const {
    return kind == CouplingKind::Cam ? profile.value(wrapped(b)) + offset : ratio * b + offset;
  }
  /// True if it acts on a coordinate of this joint.
  bool on(int joint) const {
    return jointA == joint || jointB == joint ||
           std::any_of(more.begin(), more.end(), [&](const CoordinateTerm& t) { return t.joint == joint; });
  }
  double slope(double b) const { return kind == CouplingKind::Cam ? profile.rate(wrapped(b)) : ratio; }
  /// g''(b).
  double curvature(double b) const {
    return kind == CouplingKind::Cam ? profile.acceleration(wrapped(b)) : 0.0;
  }

  /// Makes the profile periodic, with the distance from its first to its last sample as period. Two samples
  /// of the neighbouring periods are added at either end, so that the interpolation is as smooth there as
  /// elsewhere.
  /// @pre at least two samples; the first and the last value are equal; called once
  void closeProfile();

 private:
  /// `b` moved by whole periods into the samples that were given; they start at number 2 after
  /// closeProfile().
  double wrapped(double b) const {
    if (period == 0.0) return b;
    const double start = profile.times[2];
    return b - period * std::floor((b - start) / period);
  }
};

}  // namespace grashof
