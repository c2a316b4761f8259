#pragma once
/// How the outcome of a projection onto the joints changes with what is projected (theory.md, "Derivatives of
/// a step").

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "engine/dynamics/kinematics/block_map.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/kinematics/joint_slopes.h"
#include "solvers/linear/kkt_system.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// A projection moves poses or twists by δ = M̂⁻¹ Jᵀ ν, M̂ and J at the poses of its matrix, so that rows hold
/// where it leads. Its derivative is linear in the change c of what is projected, in the change w of
/// Jᵀ ν - M̂ δ with ν and δ held, and in the change g of the rows with poses and twists held:
///   x = c + M̂⁻¹ (w + Jᵀ μ),   J₁ x + g = 0,   J₁ at the poses where it leads.
/// Poses were turned by the rotation vectors θ of δ: there c turns by I + [θ]× and the rest by I + ½ [θ]×,
/// but for the square of θ.
class ProjectionDerivative {
 public:
  /// @pre `model` outlives this.
  explicit ProjectionDerivative(const Model& model);
  ProjectionDerivative(const ProjectionDerivative&) = delete;
  ProjectionDerivative& operator=(const ProjectionDerivative&) = delete;

  /// Twists for weighTurns() in the matrix of the next set(): those before a projection of poses. None at
  /// first.
  void setTurns(std::span<const Vec6> twists, double timestep);
  /// A projection with the matrix at `matrix` that leads to `target`. `start`: coordinates near which angles
  /// are unwrapped; `time`: of its motions, s. Throws CallError for poses that are not finite.
  void set(std::span<const Pose> matrix, std::span<const Pose> target, std::span<const double> start,
           double time);
  /// The same with the matrix of `other`, which outlives the calls below.
  void set(ProjectionDerivative& other, std::span<const Pose> target, std::span<const double> start,
           double time);
  bool empty() const { return equalities_ == 0; }
  const DualProblem& matrixRows() const { return matrix_->rows; }  ///< those of armatures come last
  Eigen::Index rows() const { return static_cast<Eigen::Index>(equalities_); }  ///< of g

  /// Takes δ, `moved` (one per body), for the functions below.
  void takeMoved(std::span<const Vec6> moved);
  /// Jᵀ ν - M̂ δ (6 bodies) at other poses of the matrix, by another model with the same rows.
  VecX force(const Model& model, std::span<const Pose> matrix) const;
  /// Writes its slope by the poses of the matrix: 6 bodies × 6 bodies.
  void forceSlope(BlockMap& slope) const;
  /// Writes the slope of the rates of the rows at these twists by the poses where it leads, which are those
  /// of the matrix: rows × 6 bodies.
  /// @pre target = matrix
  void rateSlope(std::span<const Vec6> twists, BlockMap& slope) const;

  /// x from `change` = c, in place, `wrench` = w and `velocity` = g, each of these two empty for none;
  /// columns apart. `turned`: of poses, whether θ is that of takeMoved(); of twists: false.
  void apply(Eigen::MatrixXd& change, const Eigen::MatrixXd& wrench, const Eigen::MatrixXd& velocity,
             bool turned);
  /// The transposed map: from the cotangent of x, in place, that of c, and those of w and g.
  void applyTransposed(Eigen::MatrixXd& cotangent, Eigen::MatrixXd& wrench, Eigen::MatrixXd& velocity,
                       bool turned);

 private:
  /// Joints at some poses.
  struct Joints {
    JointEvaluator evaluator;
    std::vector<JointGeometry> geometry;

    explicit Joints(const Model& model) : evaluator(model), geometry(model.joints.size()) {}
  };
  /// What depends on the poses of the matrix alone.
  struct Matrix {
    Joints joints;
    std::vector<JointSlopes> slopes;  // one per joint
    DualProblem rows;                 // with rotors
    KktSystem system;

    explicit Matrix(const Model& model) : joints(model), slopes(model.joints.size()) {}
  };
  /// Writes the rows, and returns how many hold exactly: those of rotors come after them.
  std::size_t rowsAt(std::span<const Pose> poses, Joints& joints, DualProblem& rows) const;
  Vec6 turn(std::size_t body, double share, const Vec6& x, bool turned) const;

  const Model& model_;
  std::vector<double> start_;
  std::vector<Vec6> turns_;
  double timestep_ = 0.0;
  double time_ = 0.0;
  Matrix own_;
  Matrix* matrix_ = &own_;  // or that of another
  Joints ofTarget_;
  DualProblem target_;  // rows, with rotors, where it leads
  std::size_t equalities_ = 0;
  std::vector<Vec6> moved_;
  std::vector<double> impulse_;  // ν, and of rotors
  // Work of apply() and applyTransposed().
  std::vector<Vec6> x_, body_, left_;
  std::vector<double> row_, sum_;
};

}  // namespace grashof
