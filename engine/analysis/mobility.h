#pragma once
/// Mobility of a mechanism at one configuration, and redundancy of its constraints.

#include <span>
#include <string>
#include <vector>

#include "engine/model/mechanism_size.h"
#include "engine/model/model.h"

namespace grashof {

/// One constraint row of a rigid joint or of a coupling.
struct ConstraintRow {
  int joint = -1;      ///< index; -1: the row is one of a coupling
  int coupling = -1;   ///< index; -1: the row is one of a joint
  int direction = -1;  ///< in the joint frame: translation x y z = 0 1 2, rotation 3 4 5
  /// Share of the row that other rows repeat: 1 - Σ_{k<rank} U_rk², with the left singular vectors U of the
  /// scaled Jacobian. 0: removing the row frees a motion; 1: it changes nothing. The sum over all rows is
  /// Mobility::redundant().
  double redundancy = 0.0;
  /// Whether the row is in a set of redundant() rows whose removal leaves independent rows and the same
  /// motions. Such a set is not unique; rotations are preferred.
  bool dependent = false;
};

/// An instantaneous motion that the constraints allow.
struct MotionMode {
  int coordinate = -1;  ///< leading coordinate: its rate is 1 here and 0 in the other modes; -1: none moves
  int body = -1;        ///< if no coordinate leads: the body with a twist component of 1; else -1
  int component = -1;   ///< of that twist: translation 0 1 2, rotation 3 4 5, world axes
  std::vector<double> rates;  ///< one per coordinate, m/s, rad/s
  std::vector<Vec6> twists;   ///< one per body
};

/// Rank, motions and redundancy of the constraints at one configuration.
struct Mobility {
  int freedoms = 0;                 ///< 6 per body
  int rank = 0;                     ///< of the constraint rows
  std::vector<ConstraintRow> rows;  ///< joints in their order, then couplings
  std::vector<MotionMode> modes;    ///< a basis of the allowed motions, mobility() of them
  /// Smallest over largest singular value of the scaled Jacobian, without the zeros: the least of all
  /// mechanisms in the model. It goes to zero near a pose where a mechanism gains a motion.
  double regularity = 0.0;
  /// A basis of the loads n of the rows (N, N·m) with Jᵀ n = 0, which no motion notices: redundant() lists
  /// with one entry per row. The entry of largest magnitude in each list is ±1.
  std::vector<std::vector<double>> internalLoads;
  /// Mobility at poses displaced slightly along the modes. If it is less than mobility(), this pose is
  /// singular. -1: unknown.
  int nearby = -1;

  /// Mobility if all rows were independent (Kutzbach-Gruebler).
  int kutzbach() const { return freedoms - static_cast<int>(rows.size()); }
  int mobility() const { return freedoms - rank; }
  int redundant() const { return static_cast<int>(rows.size()) - rank; }
};

/// Analyses rigid joints and couplings; drives, soft joints, limits and contacts are left out.
/// @pre The poses fit the joints to about 1e-10 m, rad. Sizes: poses = bodies, coordinates =
/// model.coordinates().
/// Bodies that no row connects are mechanisms of their own. A dense singular value decomposition of each
/// gives everything. A model of more than kMaxBodies bodies has `freedoms`, `rank` and the places of `rows`
/// only.
Mobility analyseMobility(const Model& model, std::span<const Pose> poses,
                         std::span<const double> coordinates);

/// Mobility::mobility() alone, at a cost that grows with the number of mechanisms: by singular values of
/// small ones, by a sparse rank-revealing QR decomposition of large ones. Arguments as of analyseMobility().
int mobilityAt(const Model& model, std::span<const Pose> poses, std::span<const double> coordinates);

/// Bodies of a model for which dense decompositions are made.
inline constexpr int kMaxBodies = 400;

/// Name of a joint type that constrains what `type` does except the directions `released` (0 to 5), up to a
/// permutation of the axes; empty if there is none.
std::string relaxedType(const JointType& type, std::span<const int> released);

}  // namespace grashof
