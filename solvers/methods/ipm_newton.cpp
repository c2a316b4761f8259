#include "solvers/methods/ipm_newton.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

constexpr double kExact = 1e-13;              // relative residual that needs no refinement
constexpr double kMinRegularization = 1e-11;  // η of the scaled rows: bounds the weights
constexpr double kFrictionless = 1e12;        // regularization over D_ii of tangents that carry nothing
constexpr double kSmallest = 1e-300;

}  // namespace

void IpmNewtonSystem::prepare(const DualProblem& problem, double jointProximal) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  const std::size_t unilateral = rows - problem.jointRows;
  jointProximal_ = jointProximal;
  condensed_ = problem.coupled.empty();
  (condensed_ ? condensedKkt_ : explicitKkt_).analyze(problem);
  for (auto* v : {&rhs_, &residual_, &change_, &product_, &rowWork_}) v->assign(rows, 0.0);
  scale_.resize(unilateral);
  scaleUnilateralRows(problem, scale_);
  regularization_.assign(unilateral, 1.0);
  weight_.assign(unilateral, 0.0);
  contactWeight_.resize(problem.contacts.size());
  equation_.resize(problem.contacts.size());
  body_.resize(problem.bodies());
  for (const IntervalRow& row : problem.intervals)
    if (!(row.lower < row.upper))  // its impulse is given
      regularization_[row.row - problem.jointRows] =
          kFrictionless / std::pow(scale_[row.row - problem.jointRows], 2);
}

void IpmNewtonSystem::makeExplicit(const DualProblem& problem) {
  condensed_ = false;
  explicitKkt_.analyze(problem);
}

void IpmNewtonSystem::linearize(const DualProblem& problem, std::span<const double> velocity,
                                DeSaxceTerm deSaxce, IpmVariables& variables) {
  const int first = problem.jointRows;
  for (const IpmVariables::BoundedRow& b : variables.bounded) {
    double regularization = kMinRegularization;
    if (b.hasLower()) regularization += b.dualLower / std::max(b.x - b.lower, kSmallest);
    if (b.hasUpper()) regularization += b.dualUpper / std::max(b.upper - b.x, kSmallest);
    regularization_[b.row - first] = regularization / (b.scale * b.scale);
  }
  for (const IntervalRow& row : problem.intervals)
    weight_[row.row - first] = 1.0 / (regularization_[row.row - first] + problem.compliance[row.row]);
  blocks_.resize(variables.cones.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    linearizeCone(velocity, deSaxce, variables.cones[i], blocks_[i]);
}

void IpmNewtonSystem::linearizeCone(std::span<const double> velocity, DeSaxceTerm deSaxce,
                                    IpmVariables::Cone& c, ConeBlock& block) const {
  const Vec3 v(&velocity[c.row]);
  const double slip = planeNorm(v[0], v[1]);
  block.infeasibility =
      c.scale * Vec3(v[2] / c.friction + (deSaxce.inResidual ? slip : 0.0), v[0], v[1]) - c.y;
  c.scaling = soc::scaling(c.x, c.y);
  Mat3 dual = Mat3::Zero();  // E⁻ᵀ
  dual(0, 2) = c.scale / c.friction;
  dual(1, 0) = dual(2, 1) = c.scale;
  block.axes = c.scaling.axes();
  block.columnMap = block.axes.transpose() * dual;
  if (deSaxce.inMatrix && slip > 0.0) dual.row(0) += c.scale / slip * Vec3(v[0], v[1], 0.0).transpose();  // B
  block.rowMap = block.axes.transpose() * dual;
  block.regularization = c.scaling.eigenvalues.cwiseInverse().array() + kMinRegularization;
  block.weight = block.regularization.cwiseInverse();
  block.pivotScale = (1.0 + block.regularization.array()).rsqrt();
}

/// Equations of explicit contacts.
void IpmNewtonSystem::buildEquations(const DualProblem& problem, const IpmVariables& variables) {
  const int first = problem.contactRow(0) - problem.jointRows;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    // Those of contacts without friction; the others follow.
    const int i = first + 3 * static_cast<int>(k);
    const double s = scale_[i];
    ContactEquation& e = equation_[k];
    e.rowMap = e.columnMap = s * Mat3::Identity();
    e.diagonal = (s * s * Vec3(&problem.compliance[problem.contacts[k].row])).asDiagonal();
    e.diagonal.diagonal() += Vec3(kFrictionless, kFrictionless, s * s * regularization_[i + 2]);
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const IpmVariables::Cone& c = variables.cones[i];
    const ConeBlock& block = blocks_[i];
    ContactEquation& e = equation_[c.contact];
    e.rowMap = block.pivotScale.asDiagonal() * block.rowMap;
    e.columnMap = block.pivotScale.asDiagonal() * block.columnMap;
    e.diagonal = e.rowMap * Vec3(&problem.compliance[c.row]).asDiagonal() * e.columnMap.transpose();
    e.diagonal.diagonal() += block.pivotScale.cwiseAbs2().cwiseProduct(block.regularization);
  }
}

/// Weights of condensed contacts.
void IpmNewtonSystem::buildContactWeights(const DualProblem& problem, const IpmVariables& variables) {
  const int first = problem.contactRow(0) - problem.jointRows;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const int i = first + 3 * static_cast<int>(k);
    contactWeight_[k].setZero();
    contactWeight_[k](2, 2) =
        1.0 / (regularization_[i + 2] + problem.compliance[problem.contacts[k].row + 2]);
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const ConeBlock& block = blocks_[i];
    const IpmVariables::Cone& c = variables.cones[i];
    Mat3 loaded;
    for (int j = 0; j < 3; ++j) loaded.col(j) = condensedImpulse(problem, c.row, block, block.rowMap.col(j));
    contactWeight_[c.contact] = block.columnMap.transpose() * loaded;
  }
}

bool IpmNewtonSystem::factorize(const DualProblem& problem, const IpmVariables& variables) {
  if (!condensed_) {
    buildEquations(problem, variables);
    return explicitKkt_.factorizeGeneral(problem, weight_, jointProximal_, equation_);
  }
  buildContactWeights(problem, variables);
  return unsymmetric_ ? condensedKkt_.factorizeGeneral(problem, weight_, jointProximal_, contactWeight_)
                      : condensedKkt_.factorize(problem, weight_, jointProximal_, contactWeight_);
}

/// ξ of a condensed contact whose equation's right side is b.
Vec3 IpmNewtonSystem::condensedImpulse(const DualProblem& problem, int row, const ConeBlock& block,
                                       const Vec3& b) {
  const Vec3 compliance(&problem.compliance[row]);
  if (compliance.isZero(0.0)) return block.weight.cwiseProduct(b);
  Mat3 g = block.rowMap * compliance.asDiagonal() * block.columnMap.transpose();
  g.diagonal() += block.regularization;
  return g.inverse() * b;
}

/// Right side of the equations; the direction is zero.
void IpmNewtonSystem::startDirection(const DualProblem& problem, std::span<const double> velocity,
                                     const IpmVariables& variables) {
  for (int r = 0; r < problem.jointRows; ++r) rhs_[r] = -velocity[r];
  for (const IpmVariables::BoundedRow& b : variables.bounded) {
    double dual = 0.0;
    if (b.hasLower()) dual += b.termLower / std::max(b.x - b.lower, kSmallest);
    if (b.hasUpper()) dual -= b.termUpper / std::max(b.upper - b.x, kSmallest);
    rhs_[b.row] = dual / b.scale - velocity[b.row];
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    ConeBlock& block = blocks_[i];
    block.rhs = block.axes.transpose() * (variables.cones[i].rhsTerm - block.infeasibility);
    block.xi.setZero();
    block.residual = block.rhs;
  }
  std::fill(change_.begin(), change_.end(), 0.0);
  std::copy(rhs_.begin(), rhs_.end(), residual_.begin());
  linearError_ = 1.0;
}

/// One solve for the present residual, added to the change.
void IpmNewtonSystem::solveOnce(const DualProblem& problem, const IpmVariables& variables) {
  const int first = problem.jointRows;
  const auto rowOf = [&](std::size_t cone) { return variables.cones[cone].row; };
  const auto regularizationOf = [&](int row) {
    return regularization_[row - first] + problem.compliance[row];
  };
  // Condensed rows load the bodies: ξ = w (b - J du).
  std::fill(rowWork_.begin(), rowWork_.end(), 0.0);
  for (const IpmVariables::BoundedRow& b : variables.bounded)
    if (isCondensed(problem, b.row)) rowWork_[b.row] = residual_[b.row] / regularizationOf(b.row);
  if (condensed_)
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      Vec3::Map(&rowWork_[rowOf(i)]) = blocks_[i].columnMap.transpose() *
                                       condensedImpulse(problem, rowOf(i), blocks_[i], blocks_[i].residual);
  for (Vec6& w : body_) w.setZero();
  addRowWrenches(problem, rowWork_, body_);
  for (int r = 0; r < first; ++r) rowWork_[r] = residual_[r];
  if (!condensed_) {
    for (const IpmVariables::BoundedRow& b : variables.bounded)
      if (!isCondensed(problem, b.row)) rowWork_[b.row] = b.scale * residual_[b.row];
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      Vec3::Map(&rowWork_[rowOf(i)]) = blocks_[i].pivotScale.cwiseProduct(blocks_[i].residual);
  }
  (condensed_ ? condensedKkt_ : explicitKkt_).solve(problem, body_, rowWork_);
  rowVelocities(problem, body_, product_);
  for (int r = 0; r < first; ++r) change_[r] += rowWork_[r];
  for (const IpmVariables::BoundedRow& b : variables.bounded)
    change_[b.row] += isCondensed(problem, b.row)
                          ? (residual_[b.row] - product_[b.row]) / regularizationOf(b.row)
                          : b.scale * rowWork_[b.row];
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    ConeBlock& block = blocks_[i];
    block.xi += condensed_ ? condensedImpulse(problem, rowOf(i), block,
                                              block.residual - block.rowMap * Vec3(&product_[rowOf(i)]))
                           : Vec3(block.pivotScale.cwiseProduct(Vec3(&rowWork_[rowOf(i)])));
  }
}

/// residual = b - (Newton's matrix) × change. Returns the largest, relative to the largest b.
double IpmNewtonSystem::updateResidual(const DualProblem& problem, const IpmVariables& variables) {
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    Vec3::Map(&change_[variables.cones[i].row]) = blocks_[i].columnMap.transpose() * blocks_[i].xi;
  for (Vec6& w : body_) w.setZero();
  addRowWrenches(problem, change_, body_);
  for (int b = 0; b < problem.bodies(); ++b) body_[b] = problem.inertia[b].solve(body_[b]);
  rowVelocities(problem, body_, product_);
  addCompliance(problem, change_, product_);
  double size = kSmallest, worst = 0.0;
  const auto compare = [&](double wanted, double product) {
    const double error = wanted - product;
    size = std::max(size, std::abs(wanted));
    worst = std::max(worst, std::abs(error));
    return error;
  };
  for (int r = 0; r < problem.jointRows; ++r) residual_[r] = compare(rhs_[r], product_[r]);
  for (const IpmVariables::BoundedRow& b : variables.bounded)
    residual_[b.row] =
        compare(rhs_[b.row], product_[b.row] + regularization_[b.row - problem.jointRows] * change_[b.row]);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    ConeBlock& block = blocks_[i];
    const Vec3 product =
        block.rowMap * Vec3(&product_[variables.cones[i].row]) + block.regularization.cwiseProduct(block.xi);
    for (int j = 0; j < 3; ++j) block.residual[j] = compare(block.rhs[j], product[j]);
  }
  return worst / size;
}

/// The steps of all variables from the solution of the equations.
void IpmNewtonSystem::finishDirection(IpmVariables& variables) const {
  for (IpmVariables::BoundedRow& b : variables.bounded) {
    b.dx = change_[b.row] / b.scale;
    if (b.hasLower())
      b.dDualLower = (b.termLower - b.dualLower * b.dx) / std::max(b.x - b.lower, kSmallest) - b.dualLower;
    if (b.hasUpper())
      b.dDualUpper = (b.termUpper + b.dualUpper * b.dx) / std::max(b.upper - b.x, kSmallest) - b.dualUpper;
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const ConeBlock& block = blocks_[i];
    IpmVariables::Cone& c = variables.cones[i];
    c.dx = block.axes * block.xi;
    c.dy = c.rhsTerm - block.axes * block.regularization.cwiseProduct(block.xi);
  }
}

void IpmNewtonSystem::newtonDirection(const DualProblem& problem, std::span<const double> velocity,
                                      int passes, IpmVariables& variables) {
  startDirection(problem, velocity, variables);
  for (int pass = 0; pass < passes; ++pass) {
    solveOnce(problem, variables);
    if (passes == 1) break;
    const double previous = linearError_;
    linearError_ = updateResidual(problem, variables);
    if (linearError_ <= kExact || (pass > 0 && !(linearError_ < 0.5 * previous))) break;
  }
  finishDirection(variables);
}

}  // namespace grashof
