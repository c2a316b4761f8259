#pragma once
/// Dual problems built by hand: for tests, benchmarks and users of the solvers alone.

#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Collects bodies and rows in any order; build() sorts the rows (joints, intervals, contacts) and numbers
/// them. Bodies are given by the index that addBody() returned, -1 is the immovable world, whose Jacobians
/// are not used. Vectors in world axes; twists are (linear, angular) about the centre of mass.
class DualProblemBuilder {
 public:
  struct Term {
    int body = -1;
    Eigen::MatrixXd jacobian;  ///< rows × 6
  };

  /// A body with mass (kg), inertia (kg·m², world axes) and free twist (m/s, rad/s). Throws CallError unless
  /// the mass is positive and the inertia positive definite.
  int addBody(double mass, const Mat3& inertia, const Vec6& freeTwist = Vec6::Zero());

  /// 1..6 bilateral rows Σ_i J_i u_i + bias + R λ = 0 on one body or more. `bias` (m/s, rad/s) and
  /// `compliance` (R >= 0) have one entry per row or are empty (zero). Terms with the world are left out.
  /// Returns the index of the block. Throws CallError for sizes that do not fit, an unknown body or rows
  /// without a body.
  int addJoint(std::span<const Term> terms, std::span<const double> bias = {},
               std::span<const double> compliance = {});
  int addJoint(std::initializer_list<Term> terms, std::initializer_list<double> bias = {},
               std::initializer_list<double> compliance = {});
  /// A ball joint that holds two bodies together at the offsets `armA`, `armB` (m) from their centres of
  /// mass.
  int addBallJoint(int bodyA, int bodyB, const Vec3& armA, const Vec3& armB);

  /// One row with v = jacobianA · u_A + jacobianB · u_B + bias (m/s, rad/s) and λ in [lower, upper] (N·s,
  /// N·m·s). `further`: bodies beyond these two; terms with the world are left out. Returns its index. Throws
  /// CallError for an unknown body, further bodies without body B, or bounds out of order.
  int addInterval(int bodyA, int bodyB, const Vec6& jacobianA, const Vec6& jacobianB, double bias = 0.0,
                  double lower = 0.0, double upper = std::numeric_limits<double>::infinity(),
                  std::span<const RowTerm> further = {});

  /// The impulses of a joint block, an interval or a contact, by the index that its function returned.
  enum class LoadOf { Joint, Interval, Contact };
  /// Widens the bounds of `interval` by a load, see BoundLoad. load.row counts from the first row of block
  /// `index`. Throws CallError for an index or rows that do not exist and for negative shares.
  void addBoundLoad(int interval, LoadOf of, int index, const BoundLoad& load);

  /// A contact given by the Jacobians of its rows (t, o, n); `bias` in m/s. Returns its index. Throws
  /// CallError for an unknown body or negative friction.
  int addContact(int bodyA, int bodyB, const Mat36& jacobianA, const Mat36& jacobianB, double friction,
                 const Vec3& bias = Vec3::Zero());
  /// A contact at the offsets `armA`, `armB` (m) from the centres of mass; `normal` (unit vector) points from
  /// A to B, the tangents are those of frameFromNormal(). Errors as above.
  int addContact(int bodyA, int bodyB, const Vec3& armA, const Vec3& armB, const Vec3& normal,
                 double friction, const Vec3& bias = Vec3::Zero());

  int bodies() const { return problem_.bodies(); }

  /// The problem with everything added so far. More can be added afterwards.
  DualProblem build() const;

 private:
  void checkBody(int body) const;
  int firstRow(const DualProblem& problem, LoadOf of, int index) const;
  void numberLoads(DualProblem& problem) const;

  DualProblem problem_;  // rows not numbered; bias and compliance of joints only
  struct LoadPlace {
    int interval = 0;
    LoadOf of = LoadOf::Joint;
    int index = 0;
    BoundLoad load;
  };
  std::vector<LoadPlace> loads_;
  std::vector<double> intervalBias_;
  std::vector<Vec3> contactBias_;
};

}  // namespace grashof
