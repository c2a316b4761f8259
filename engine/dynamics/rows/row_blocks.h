#pragma once
/// Adds the rows of joints and couplings to a dual problem, block by block.

#include <span>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Opens a block on the bodies of `joint`; addJointRow() fills it.
void openJointBlock(const Joint& joint, DualProblem& problem);
/// Adds a row to the open block and returns its index. `bias`: m/s, rad/s.
int addJointRow(const Joint& joint, const JointRow& row, double bias, double compliance,
                DualProblem& problem);
/// The same for rows on any two bodies; `base` may be the world.
void openBlock(int base, int follower, DualProblem& problem);
int addBlockRow(const JointRow& row, double bias, double compliance, DualProblem& problem);
/// The same on the bodies of `row`, which all rows of the block have in this order.
void openBlock(std::span<const RowTerm> row, DualProblem& problem);
int addBlockRow(std::span<const RowTerm> row, double bias, double compliance, DualProblem& problem);
/// Adds the rigid rows of `joint` at once, with bias and compliance 0, and returns the index of the first.
int addConstraintRows(const Joint& joint, const JointGeometry& geometry, DualProblem& problem);
/// Closes the block and returns its index; -1 when it got no row and was removed.
int closeJointBlock(DualProblem& problem);

/// Adds a coupling as a block of one row with bias 0; the caller sets problem.bias.back().
void addCouplingBlock(const Model& model, const Coupling& coupling, std::span<const JointGeometry> geometry,
                      DualProblem& problem);

/// Adds an interval row `sign` times `row` with impulses in [lower, upper] (N·s, N·m·s); returns its index.
int addIntervalRow(const Joint& joint, const JointRow& row, double sign, double bias, double compliance,
                   double lower, double upper, DualProblem& problem);

/// The same on any two bodies; `base` may be the world.
int addIntervalRow(int base, int follower, const JointRow& row, double sign, double bias, double compliance,
                   double lower, double upper, DualProblem& problem);

/// The same on the bodies of `row`, at least one.
int addIntervalRow(std::span<const RowTerm> row, double sign, double bias, double compliance, double lower,
                   double upper, DualProblem& problem);

/// Widens the bounds of the last interval of `problem` by a load.
void addBoundLoad(const BoundLoad& load, DualProblem& problem);
/// The same by the part of one sign of the impulse of a row (N·s, N·m·s): max(0, sign λ). Shares: see
/// BoundLoad.
void addSignedLoad(int row, double sign, double lowerShare, double upperShare, DualProblem& problem);

/// D_ii of a row, of one on two bodies, or of a joint's row: row M⁻¹ rowᵀ. problem.inertia must be set.
double delassusOf(const DualProblem& problem, std::span<const RowTerm> row);
double delassusOf(const DualProblem& problem, int base, int follower, const JointRow& row);
double delassusOf(const DualProblem& problem, const Joint& joint, const JointRow& row);

}  // namespace grashof
