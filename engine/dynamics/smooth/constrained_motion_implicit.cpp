// The accelerations of a step by an implicit formula (theory.md, "Smooth motion"):
//
//     [ M   -Jᵀ   -Sᵀ  ] [ u̇ ]   [ h(x, u)          ]   S: rows of coordinates, elements and bushings that
//     [ J    0         ] [ λ ] = [ (ṁ - J ũ)/h      ]   resist by their slopes k and d and by rotors a,
//     [ S         1/w  ] [ σ ]   [ (v S u̇ₚ - a Ṡu)/w ]   v = h d + h² k, w = a + v, u̇ₚ = (u - ũ)/h

#include <Eigen/Cholesky>
#include <algorithm>

#include "engine/dynamics/rows/equality_rows.h"
#include "engine/dynamics/rows/row_blocks.h"
#include "engine/dynamics/rows/soft_law.h"
#include "engine/dynamics/smooth/constrained_motion.h"

namespace grashof {
namespace {

/// Compliance of a soft row, also of one that does not resist just now.
double complianceOf(double resistance) {
  constexpr double kNone = 1e-30;  // kg, kg·m²
  return 1.0 / std::max(resistance, kNone);
}

bool yields(const ForceLaw& law) {
  return law.stiffness > 0.0 || law.damping > 0.0 || law.gas || !law.overLength.empty() ||
         !law.overSpeed.empty();
}

}  // namespace

bool ConstrainedMotion::evaluate(const Instant& at, const ImplicitStep& step) {
  look(at);
  findForces(at);
  assembleRows(at);
  addSoftRows(step.weight);
  if (!factorize()) return false;
  findImplicitBias(at, step);
  std::copy(wrench_.begin(), wrench_.end(), acceleration_.begin());
  reaction_ = bias_;
  kkt_[current_].solve(problem_, acceleration_, reaction_);
  moveOn(step);
  findPower(twist_);
  return std::all_of(twist_.begin(), twist_.end(), [](const Vec6& u) { return u.allFinite(); });
}

/// One row for each coordinate and element that resists, six for a bushing. They may resist nothing just now:
/// the rows stay the same from step to step.
void ConstrainedMotion::addSoftRows(double weight) {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    openJointBlock(joint, problem_);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const JointCoordinate& c = joint.coordinates[i];
      if (!resists(c)) continue;
      const Efforts& e = drive_[model_.coordinateStart[j] + i];
      const double resistance = c.passive.inertia() + slopeOf(c, e).over(weight);
      addJointRow(joint, geometry_[j].coordinateRow[i], 0.0, complianceOf(resistance), problem_);
    }
    closeJointBlock(problem_);
  }
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    if (!yields(model_.forces[k].law)) continue;
    openBlock(elements_[k].row, problem_);
    addBlockRow(elements_[k].row, 0.0, complianceOf(elements_[k].slope.over(weight)), problem_);
    closeJointBlock(problem_);
  }
  for (std::size_t k = 0; k < bushings_.size(); ++k) addSoftBushing(weight, model_.bushings[k], bushings_[k]);
  problem_.jointRows = static_cast<int>(problem_.bias.size());
}

/// Along the directions T in which h D + h² K = Tᵀ diag T.
void ConstrainedMotion::addSoftBushing(double weight, const Bushing& bushing, BushingState& own) {
  const Mat6 resistance = weight * (bushing.damping + weight * bushing.stiffness);
  const Eigen::LDLT<Mat6> factor(resistance);
  own.directions = Mat6(factor.matrixL()).transpose() * (factor.transpositionsP() * Mat6::Identity());
  own.resistance = factor.vectorD().cwiseMax(0.0);
  const Mat6 base = own.directions * own.base, follower = own.directions * own.follower;
  openBlock(bushing.base, bushing.follower, problem_);
  for (int i = 0; i < 6; ++i) {
    JointRow row;
    row.base = base.row(i).transpose();
    row.follower = follower.row(i).transpose();
    addBlockRow(row, 0.0, complianceOf(own.resistance[i]), problem_);
  }
  closeJointBlock(problem_);
}

ConstrainedMotion::Slope ConstrainedMotion::slopeOf(const JointCoordinate& c, const Efforts& e) {
  return {c.passive.stiffness + e.servo.stiffness + e.stopStiffness, c.passive.damping + e.servo.damping};
}

/// Right sides of all rows.
void ConstrainedMotion::findImplicitBias(const Instant& at, const ImplicitStep& step) {
  // What rates of rows are without the accelerations, and what those of the predictor would be with these.
  rowVelocities(problem_, step.base, velocity_);
  std::size_t row = 0;
  for (; row < equalities_; ++row) bias_[row] = -(problem_.bias[row] + velocity_[row]) / step.weight;
  const auto guess = [&](double rate) { return (rate - velocity_[row]) / step.weight; };
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    if (std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                    [](const JointCoordinate& c) { return c.passive.inertia() > 0.0; }))
      biasOfJoint(j, at);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const JointCoordinate& c = joint.coordinates[i];
      if (!resists(c)) continue;
      const std::size_t k = model_.coordinateStart[j] + i;
      const double slope = slopeOf(c, drive_[k]).over(step.weight), rotor = c.passive.inertia();
      const double turning = rotor > 0.0 ? rotor * coordinateBias_[k] : 0.0;
      bias_[row] = (slope * guess(drive_[k].rate) - turning) * complianceOf(rotor + slope);
      ++row;
    }
  }
  for (std::size_t k = 0; k < elements_.size(); ++k)
    if (yields(model_.forces[k].law)) {
      const double resistance = elements_[k].slope.over(step.weight);
      bias_[row] = resistance > 0.0 ? guess(elements_[k].rate + elements_[k].feed) : 0.0;
      ++row;
    }
  for (const BushingState& b : bushings_) {
    const Vec6 rate = b.directions * b.rate;
    for (int i = 0; i < 6; ++i, ++row) bias_[row] = b.resistance[i] > 0.0 ? guess(rate[i]) : 0.0;
  }
}

/// Twists at the end of the step, and forces and rates there.
void ConstrainedMotion::moveOn(const ImplicitStep& step) {
  const double h = step.weight;
  for (std::size_t b = 0; b < twist_.size(); ++b) twist_[b] = step.base[b] + h * acceleration_[b];
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const JointCoordinate& c = joint.coordinates[i];
      if (!resists(c)) continue;
      Efforts& e = drive_[model_.coordinateStart[j] + i];
      const double rate = coordinateRate(joint, geometry_[j].coordinateRow[i], twist_), more = rate - e.rate;
      e.spring -= h * c.passive.stiffness * more;
      e.damper -= c.passive.damping * more;
      e.drive -= (e.servo.damping + h * e.servo.stiffness) * more;
      e.stop -= h * e.stopStiffness * more;
      e.rate = rate;
    }
  }
  for (ElementForce& e : elements_) {
    const double rate = rowRate(e.row, twist_) - e.feed, more = rate - e.rate;
    e.spring -= h * e.slope.stiffness * more;
    e.lossy -= e.slope.damping * more;
    e.rate = rate;
  }
  for (std::size_t k = 0; k < bushings_.size(); ++k) {
    const Bushing& bushing = model_.bushings[k];
    BushingState& b = bushings_[k];
    Vec6 rate = b.follower * twist_[bushing.follower];
    if (bushing.base >= 0) rate += b.base * twist_[bushing.base];
    const Vec6 more = rate - b.rate;
    b.spring.noalias() -= h * bushing.stiffness * more;
    b.damper.noalias() -= bushing.damping * more;
    b.rate = rate;
  }
}

}  // namespace grashof
