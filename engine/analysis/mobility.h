#pragma once
/// How a mechanism can move at one configuration, and which of its constraints say the same twice.

#include <span>
#include <string>
#include <vector>

#include "engine/model/mechanism_size.h"
#include "engine/model/model.h"

namespace grashof {

/// One constraint row: of a joint, or of a coupling.
struct ConstraintRow {
  int joint = -1;           ///< index; -1: a coupling
  int coupling = -1;        ///< index; -1: a joint
  int direction = -1;       ///< in the joint frame: translation x y z = 0 1 2, rotation 3 4 5
  double redundancy = 0.0;  ///< 0: nothing else holds this direction; 1: others hold it completely. They add
                            ///< up to Mobility::redundant()
  bool dependent =
      false;  ///< of a set whose removal leaves independent rows and the same motions; rotations first
};

/// An instantaneous motion that the constraints allow.
struct MotionMode {
  int coordinate =
      -1;         ///< the coordinate that leads: its rate is 1, that of other modes' leaders 0; -1: a body
  int body = -1;  ///< without such a coordinate: the body, and which component of its twist is 1
  int component = -1;         ///< 0 1 2: translation, 3 4 5: rotation, world axes
  std::vector<double> rates;  ///< of all coordinates, m/s, rad/s
  std::vector<Vec6> twists;   ///< of all bodies
};

struct Mobility {
  int freedoms = 0;  ///< 6 a body
  int rank = 0;      ///< of the rows
  std::vector<ConstraintRow> rows;
  std::vector<MotionMode> modes;  ///< mobility() of them
  /// Least over greatest singular value of the independent rows, scaled by the size of the mechanism: small
  /// near a pose where it gains a motion.
  double regularity = 0.0;
  /// Loads of the rows (N, N·m; one list a redundant row, over all rows) that hold each other in balance:
  /// what reactions may be shifted by without a motion noticing. The largest entry of each is 1.
  std::vector<std::vector<double>> internalLoads;
  int nearby =
      -1;  ///< mobility a little way along the modes; less than mobility(): a singular pose. -1: unknown

  int kutzbach() const { return freedoms - static_cast<int>(rows.size()); }
  int mobility() const { return freedoms - rank; }
  int redundant() const { return static_cast<int>(rows.size()) - rank; }
};

/// Analyses rigid joints and couplings at the given poses (size = bodies), which must fit them; drives,
/// limits and contacts are left out. By a dense singular value decomposition; for more than kMaxBodies
/// bodies by a sparse rank-revealing QR decomposition, which tells the rank alone (no redundancies, modes,
/// nearby mobility).
Mobility analyseMobility(const Model& model, std::span<const Pose> poses,
                         std::span<const double> coordinates);

inline constexpr int kMaxBodies = 400;

/// The joint type that constrains all `type` does but the given directions, up to which axis is which; empty
/// when there is none.
std::string relaxedType(const JointType& type, std::span<const int> released);

}  // namespace grashof
