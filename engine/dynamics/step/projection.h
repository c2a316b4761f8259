#pragma once
/// Projects a state onto the joints: poses onto f(s) = 0, twists onto J u = rates of the prescribed motions.

#include <span>
#include <vector>

#include "engine/dynamics/rows/equality_rows.h"
#include "engine/dynamics/rows/velocity_rows.h"
#include "solvers/linear/kkt_system.h"

namespace grashof {

/// Whether one of these bodies turns so far in a step (s) that weighTurns() counts.
bool turnsFast(std::span<const Vec6> twists, double timestep);
/// Makes the inertias of bodies that turn by x rad a step 1 + (10 x)² times as large (at most 101 times)
/// across their spin, so that a projection of poses leaves their axes more and more to their free motion: a
/// pivoted rotor whose axis is displaced by a good share of its nutation in each step is unstable.
void weighTurns(std::span<const Vec6> twists, double timestep, std::span<InertiaBlock> inertia);

/// Both projections of theory.md, "Projection", and their factorization, which is reused between steps.
class Projection {
 public:
  struct Result {
    double violation = 0.0;  ///< remaining violation, m and rad
    int iterations = 0;      ///< linear solves
    bool converged = true;
  };

  explicit Projection(const Model& model);

  /// Twists for weighTurns() in the next projections of poses; none after reset().
  void setTurns(std::span<const Vec6> twists, double timestep);

  /// Moves the poses by the least mass-weighted displacement onto joints, couplings and prescribed motions at
  /// `time` (s), to `tolerance` (m, rad): Newton's method, whose matrix is reused while the iteration
  /// contracts well, Broyden's [Nocedal 2006, section 11.1] where it is slow near the joints, and Levenberg
  /// and Marquardt's [Nocedal 2006, section 10.3] where it gets stuck, as near dead points. `reference`:
  /// coordinates near which angles are unwrapped. `controls`: see referenceOf(). `geometry` receives the
  /// geometry at the poses returned. On failure the poses are the best that were found.
  Result projectPoses(std::span<Pose> poses, std::span<const double> reference, double time, double tolerance,
                      std::span<JointGeometry> geometry, std::span<const Control> controls = {});

  /// Changes the twists by the least mass-weighted amount so that J u = rates at `time` (s), for the poses of
  /// the last projectPoses(), and so that constraints on velocities hold. Returns the work of the prescribed
  /// motions, J: their impulses times the mean rates before and after.
  double projectTwists(std::span<const Pose> poses, std::span<const JointGeometry> geometry, double time,
                       std::span<Vec6> twists, std::span<const Control> controls = {});

  /// Impulses (N·s, N·m·s) of the last projectTwists() on the bodies: of all equality rows in the order of
  /// assembleEqualityRows(), then of all armatures and constraints on velocities. Zero after reset().
  std::span<const double> twistImpulses() const { return twistImpulse_; }
  /// Rows of constraints on velocities among them.
  std::span<const VelocityRow> velocityRows() const { return velocities_; }
  /// First equality row of each joint, see equalityRowStart().
  std::span<const int> firstRows() const { return firstRow_; }
  /// The same of the prescribed motion of a coordinate.
  double motionImpulse(int joint, int coordinate) const;

  /// Largest rate ω (rad/s) of the motions that the joints leave under the stiffness K of the bodies'
  /// rotations (N·m/rad, symmetric positive semi-definite): ω² is the largest eigenvalue of P M⁻¹ K, P the
  /// projection onto the joints at the last factorization. By power iteration, to some per cent; 0 before any
  /// factorization.
  double maxNaturalFrequency(std::span<const Mat3> stiffness);
  /// Drops the factorization and its plan, so that the next projection depends on the given state only
  /// (reproducible restarts), and the impulses of the last projectTwists().
  void reset();

 private:
  bool factorize(std::span<const Pose> poses, bool ofPoses);
  bool factorize(double proximal);
  /// Newton's displacement of the poses into body_, from the residuals in row_; the poses are kept in best_.
  void findDisplacement(std::span<const Pose> poses);
  template <typename Assemble, typename Residual, typename WithGeometry>
  void newton(std::span<Pose> poses, double tolerance, Assemble assemble, Residual residual,
              WithGeometry residualWithGeometry, Result& result);
  template <typename Assemble, typename Residual>
  double damped(std::span<Pose> poses, double violation, double tolerance, Assemble assemble,
                Residual residual);
  /// The part of row_ for the rows of a problem.
  std::span<double> rowsOf(const DualProblem& problem) {
    return std::span(row_).first(static_cast<std::size_t>(problem.jointRows));
  }
  double residualsAt(std::span<const Pose> poses, std::span<const double> reference, double time,
                     std::span<const Control> controls);

  const Model& model_;
  JointEvaluator joints_;
  DualProblem problem_;
  KktSystem kkt_;
  bool factorized_ = false;
  double contraction_ = 1.0;  // expected of the next solve: violation after over violation before, at most
  bool stale_ = false;        // the matrix contracted too slowly: it is factorized again before its next use
  bool weighted_ = false;     // the matrix has the inertias of weighTurns()
  std::vector<Vec6> turns_;   // of setTurns(); empty: no body is fast
  double timestep_ = 0.0;
  std::vector<Vec6> body_;  // changes of all bodies, then the memory of Broyden's method
  std::vector<int> firstRow_;
  std::size_t equalityRows_ = 0;
  std::vector<double> row_, velocity_;  // of equalities, then armatures, then constraints on velocities
  std::vector<double> twistImpulse_;    // the same
  std::vector<VelocityRow> velocities_;
  std::vector<Pose> best_;
  std::vector<Pose> start_;    // of damped()
  std::vector<double> stuck_;  // row_ where damped() stands
};

}  // namespace grashof
