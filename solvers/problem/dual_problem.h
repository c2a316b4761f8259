#pragma once
/// The dual problem of one step (theory.md, "The dual problem") as flat arrays of fixed-size blocks. It knows
/// nothing of a model, so that solvers can be used on problems from any source.

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/math.h"
#include "solvers/problem/contact_products.h"
#include "solvers/problem/joint_block.h"
#include "solvers/problem/normal_law.h"
#include "solvers/problem/row_owner.h"

namespace grashof {

/// One diagonal block of M and of its inverse; world axes, about the centre of mass.
struct InertiaBlock {
  double mass = 1.0;                       ///< kg
  double inverseMass = 1.0;                ///< 1/kg
  Mat3 inertia = Mat3::Identity();         ///< kg·m²
  Mat3 inverseInertia = Mat3::Identity();  ///< 1/(kg·m²)

  /// Momentum M u (N·s, N·m·s) of a twist u (m/s, rad/s).
  Vec6 multiply(const Vec6& twist) const {
    Vec6 w;
    w << mass * twist.head<3>(), inertia * twist.tail<3>();
    return w;
  }
  /// rowᵀ M⁻¹ row: the part of D_ii that a row of J gets from this body.
  double delassus(const Vec6& row) const {
    return inverseMass * row.head<3>().squaredNorm() + row.tail<3>().dot(inverseInertia * row.tail<3>());
  }
  /// Change of the twist M⁻¹ w (m/s, rad/s) by an impulse w (N·s, N·m·s).
  Vec6 solve(const Vec6& wrench) const {
    Vec6 t;
    t << inverseMass * wrench.head<3>(), inverseInertia * wrench.tail<3>();
    return t;
  }
};

/// The part of a joint block that acts on one body. Jacobian rows beyond JointBlock::rows are zero, so that
/// loops work on whole 6×6 blocks.
struct JointTerm {
  int body = 0;
  Mat6 jacobian = Mat6::Zero();
};

/// The part of one row that acts on one body.
struct RowTerm {
  int body = 0;
  Vec6 jacobian = Vec6::Zero();
};

/// One row with a bounded impulse: a limit [0, ∞), dry friction [-τΔt, τΔt], an effort-limited servo, a
/// cable.
struct IntervalRow {
  int row = 0;
  int bodyA = -1, bodyB = -1;  ///< -1: the immovable world
  Vec6 jacobianA = Vec6::Zero(), jacobianB = Vec6::Zero();
  double lower = 0.0;
  double upper = std::numeric_limits<double>::infinity();
  int firstTerm = 0;  ///< further bodies: [firstTerm, firstTerm + terms) of DualProblem::intervalTerms
  int terms = 0;      ///< 0 unless it acts on more than two bodies
  int firstLoad = 0;  ///< what widens its bounds: [firstLoad, firstLoad + loads) of DualProblem::boundLoads
  int loads = 0;      ///< 0 unless its bounds depend on other impulses
};

/// A load that widens the bounds of an interval row, as friction of a bearing grows with what it carries:
///   [lower - lowerShare size, upper + upperShare size],  size = ‖G λ‖ or max(0, (G λ)_0 + alsoShare λ_also +
///   offset)
/// with the impulses λ of `rows` rows from `row` on. Units of the shares: those of the interval's impulse
/// over those of G λ.
struct BoundLoad {
  int row = 0;                                ///< of the problem; -1: no load
  int rows = 1;                               ///< 1..6
  Mat36 map = Mat36::Zero();                  ///< G; columns beyond `rows` are zero
  bool positivePart = false;                  ///< the size is max(0, (G λ)_0)
  double lowerShare = 0.0, upperShare = 0.0;  ///< >= 0
  // Of positive parts:
  int also = -1;           ///< one more row, away from the others; -1: none
  double alsoShare = 0.0;  ///< its part in the load
  double offset = 0.0;     ///< what is known of the load, N·s or N·m·s

  /// The size of the load. Size: impulse = rows of the problem.
  double size(std::span<const double> impulse) const {
    if (row < 0) return 0.0;
    Vec3 load = Vec3::Zero();
    for (int r = 0; r < rows; ++r) load += map.col(r) * impulse[row + r];
    if (!positivePart) return load.norm();
    if (also >= 0) load[0] += alsoShare * impulse[also];
    return std::max(0.0, load[0] + offset);
  }
};

/// Three rows (t, o, n): velocity of B relative to A in the contact frame (two tangents, normal), with λ in
/// the Coulomb cone of `friction`.
struct ContactBlock {
  int row = 0;
  int bodyA = -1, bodyB = -1;  ///< -1: the immovable world
  Mat36 jacobianA = Mat36::Zero(), jacobianB = Mat36::Zero();
  double friction = 0.0;
  /// Index into DualProblem::laws; -1: bias and compliance of the rows are the whole law.
  int law = -1;
  /// Normal impulse (N·s) that the state before the step explains, which bounds the friction of the LAGGED
  /// model; negative: unknown, and that of the solution itself takes its place.
  double impulseBefore = -1.0;
  double stictionSpeed = 1e-4;  ///< v_s, m/s: slip that counts as sticking, of LAGGED and SIMILAR

  /// J u (m/s) in the contact frame, without bias. Size: twist = bodies.
  Vec3 velocity(std::span<const Vec6> twist) const {
    Vec3 v = Vec3::Zero();
    if (bodyA >= 0) v.noalias() += jacobianA * twist[bodyA];
    if (bodyB >= 0) v.noalias() += jacobianB * twist[bodyB];
    return v;
  }
};

/// A compliance W that couples contacts: row velocities get W λ in addition to R λ. A problem that is given
/// as its Delassus matrix (FCLIB) has no bodies, and W = D. Symmetric; 3×3 blocks in compressed rows, both
/// triangles stored, each row sorted and with its diagonal block.
struct CoupledCompliance {
  std::vector<int> start;    ///< contacts + 1 entries; empty: no coupling
  std::vector<int> contact;  ///< column of each block
  std::vector<Mat3> block;
  std::vector<int> diagonal;  ///< index of each contact's own block

  bool empty() const { return start.empty(); }
  /// (W λ) of one contact; `impulse` points at row 0 of contact 0.
  Vec3 velocity(int row, const double* impulse) const {
    Vec3 v = Vec3::Zero();
    for (int i = start[row]; i < start[row + 1]; ++i)
      v.noalias() += block[i] * Eigen::Map<const Vec3>(impulse + 3 * contact[i]);
    return v;
  }
};

/// Data of one step. Rows are ordered: joints, intervals (limits, dry friction, servos), contacts.
/// v⁺(λ) = J u⁺ + bias + (R + W) λ with u⁺ = freeTwist + M⁻¹ Jᵀ λ.
struct DualProblem {
  std::vector<InertiaBlock> inertia;  ///< one per body
  std::vector<Vec6> freeTwist;        ///< u⁻ + Δt M⁻¹ h, one per body

  std::vector<JointBlock> joints;
  std::vector<JointTerm> jointTerms;
  std::vector<IntervalRow> intervals;
  std::vector<RowTerm> intervalTerms;
  std::vector<BoundLoad> boundLoads;
  std::vector<ContactBlock> contacts;
  /// Normal laws that are no straight lines. Code without laws still sees the opening speed of such a
  /// contact: its bias is -breakaway(), its compliance 0.
  std::vector<NormalLaw> laws;

  std::vector<double> bias;        ///< v*, one per row (m/s or rad/s)
  std::vector<double> compliance;  ///< R >= 0, one per row (physical, part of the model)
  CoupledCompliance coupled;       ///< W between contacts; empty when all coupling is through bodies

  /// One per row of a step of a model; empty for problems from elsewhere.
  std::vector<RowOwner> owner;

  int jointRows = 0;
  int bodies() const { return static_cast<int>(inertia.size()); }
  int rows() const { return jointRows + static_cast<int>(intervals.size() + 3 * contacts.size()); }
  int contactRow(int contact) const { return jointRows + static_cast<int>(intervals.size()) + 3 * contact; }

  /// Calls use(body, jacobian) for each body of an interval row, without the world. The jacobian is a Vec6.
  template <typename Use>
  void forEachBody(const IntervalRow& row, Use use) const {
    if (row.bodyA >= 0) use(row.bodyA, row.jacobianA);
    if (row.bodyB >= 0) use(row.bodyB, row.jacobianB);
    for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t)
      use(intervalTerms[t].body, intervalTerms[t].jacobian);
  }
  /// J u (m/s, rad/s) of an interval row, without bias. Size: twist = bodies.
  double velocity(const IntervalRow& row, std::span<const Vec6> twist) const {
    double v = 0.0;
    forEachBody(row, [&](int body, const Vec6& jacobian) { v += jacobian.dot(twist[body]); });
    return v;
  }
  /// rowᵀ M⁻¹ row of an interval row, without its compliance.
  double delassus(const IntervalRow& row) const {
    double d = 0.0;
    forEachBody(row, [&](int body, const Vec6& jacobian) { d += inertia[body].delassus(jacobian); });
    return d;
  }

  /// Removes all rows and keeps bodies and memory.
  void clearRows() {
    joints.clear();
    jointTerms.clear();
    intervals.clear();
    intervalTerms.clear();
    boundLoads.clear();
    contacts.clear();
    laws.clear();
    bias.clear();
    compliance.clear();
    coupled = {};
    owner.clear();
    jointRows = 0;
  }
};

/// Makes `owner` that of all rows that have none yet; its part counts on from row to row.
inline void claimRows(RowOwner owner, DualProblem& problem) {
  for (; problem.owner.size() < problem.bias.size(); ++owner.part) problem.owner.push_back(owner);
}

/// A copy of `problem` without bound loads, for setBounds(). Allocates when `fixed` grows.
void copyWithoutLoads(const DualProblem& problem, DualProblem& fixed);
/// Sets the bounds of the intervals of such a copy to those that loads of the sizes `size` (N·s, N·m·s) make.
/// One size per bound load, see BoundLoad::size().
void setBounds(const DualProblem& problem, std::span<const double> size, DualProblem& fixed);
/// The sizes of all bound loads. Sizes: impulse = rows, size = bound loads.
void loadSizes(const DualProblem& problem, std::span<const double> impulse, std::span<double> size);

/// The diagonal of a contact's own block of J M⁻¹ Jᵀ + W (1/kg).
Vec3 contactMobility(const DualProblem& problem, std::size_t contact);

/// scale[r] = 1/√(D_rr + R_rr) of the joint rows: with it, the scaled D + R has ones on its diagonal.
/// 1 where that sum is 0. Size of scale: jointRows.
void scaleJointRows(const DualProblem& problem, std::span<double> scale);

/// The same for the unilateral rows, scale[r - jointRows] = 1/√(D_rr + R_rr + W_rr). A contact has one
/// scalar, from the mean of its three rows, so that cones stay cones. Size of scale: rows - jointRows.
void scaleUnilateralRows(const DualProblem& problem, std::span<double> scale);

/// scaleJointRows() and scaleUnilateralRows() in one vector. Size of scale: rows.
void scaleAllRows(const DualProblem& problem, std::span<double> scale);

/// The contacts as the kernels of contact_products.h take them. @pre there are some
ContactView viewOf(std::span<const ContactBlock> contacts);

/// velocity[r] = (J twist)_r for all rows. Sizes: twist = bodies, velocity = rows.
void rowVelocities(const DualProblem& problem, std::span<const Vec6> twist, std::span<double> velocity);
/// The same for the rows of contacts alone; the others are left as they are.
void contactVelocities(const DualProblem& problem, std::span<const Vec6> twist, std::span<double> velocity);

/// velocity[r] += ((R + W) λ)_r for all rows. Sizes: impulse, velocity = rows.
void addCompliance(const DualProblem& problem, std::span<const double> impulse, std::span<double> velocity);

/// wrench[b] += (Jᵀ impulse)_b. Sizes: impulse = rows, wrench = bodies.
void addRowWrenches(const DualProblem& problem, std::span<const double> impulse, std::span<Vec6> wrench);

/// twist = freeTwist + M⁻¹ Jᵀ impulse. Sizes: impulse = rows, twist = bodies.
void twistFromImpulse(const DualProblem& problem, std::span<const double> impulse, std::span<Vec6> twist);

}  // namespace grashof
