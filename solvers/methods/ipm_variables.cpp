#include "solvers/methods/ipm_variables.h"

#include <algorithm>
#include <cmath>

namespace grashof {

void IpmVariables::build(const DualProblem& problem, std::span<const double> scale) {
  const auto scaleOf = [&](int row) { return scale[row - problem.jointRows]; };
  bounded.clear();
  cones.clear();
  for (const IntervalRow& row : problem.intervals) {
    if (!(row.lower < row.upper)) continue;
    BoundedRow b;
    b.row = row.row;
    b.scale = scaleOf(row.row);
    b.lower = row.lower / b.scale;
    b.upper = row.upper / b.scale;
    bounded.push_back(b);
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    if (contact.friction > 0.0) {
      Cone c;
      c.contact = static_cast<int>(k);
      c.row = contact.row;
      c.scale = scaleOf(contact.row);
      c.friction = contact.friction;
      cones.push_back(c);
    } else {
      BoundedRow b;
      b.row = contact.row + 2;
      b.scale = scaleOf(b.row);
      b.upper = std::numeric_limits<double>::infinity();
      bounded.push_back(b);
    }
  }
}

void IpmVariables::setInitialPoint(double size) {
  for (BoundedRow& b : bounded) {
    if (b.hasLower() && b.hasUpper())
      b.x = 0.5 * (b.lower + b.upper);
    else
      b.x = b.hasLower() ? b.lower + size : b.hasUpper() ? b.upper - size : 0.0;
    b.dualLower = b.hasLower() ? size : 0.0;
    b.dualUpper = b.hasUpper() ? size : 0.0;
  }
  for (Cone& c : cones) c.x = c.y = Vec3(size, 0.0, 0.0);
}

void IpmVariables::writeImpulses(std::span<double> impulse) const {
  for (const BoundedRow& b : bounded) impulse[b.row] = b.scale * b.x;
  for (const Cone& c : cones)
    Vec3::Map(&impulse[c.row]) = c.scale * Vec3(c.x[1], c.x[2], c.x[0] / c.friction);
}

void IpmVariables::setTarget(double target, bool corrected) {
  for (BoundedRow& b : bounded) {
    b.termLower = target - (corrected ? b.dx * b.dDualLower : 0.0);
    b.termUpper = target - (corrected ? -b.dx * b.dDualUpper : 0.0);
  }
  for (Cone& c : cones) {
    c.rhsTerm = -c.y;
    if (target == 0.0 && !corrected) continue;
    const Mat3 p = c.scaling.root(), pInverse = c.scaling.inverseRoot();
    Vec3 wanted(target, 0.0, 0.0);
    if (corrected) wanted -= soc::product(pInverse * c.dx, p * c.dy);
    c.rhsTerm += pInverse * soc::divide(wanted, pInverse * c.x);
  }
}

double IpmVariables::maxStepToBoundary(double share) const {
  double longest = 1.0 / share;
  const auto keepPositive = [&](double x, double dx) {
    if (dx < 0.0) longest = std::min(longest, -x / dx);
  };
  for (const BoundedRow& b : bounded) {
    if (b.hasLower()) {
      keepPositive(b.x - b.lower, b.dx);
      keepPositive(b.dualLower, b.dDualLower);
    }
    if (b.hasUpper()) {
      keepPositive(b.upper - b.x, -b.dx);
      keepPositive(b.dualUpper, b.dDualUpper);
    }
  }
  for (const Cone& c : cones)
    longest = std::min({longest, soc::longestStep(c.x, c.dx), soc::longestStep(c.y, c.dy)});
  return std::min(1.0, share * longest);
}

double IpmVariables::complementarityMeasure(double a) const {
  double sum = 0.0;
  int count = 0;
  for (const BoundedRow& b : bounded) {
    if (b.hasLower()) {
      sum += (b.x + a * b.dx - b.lower) * (b.dualLower + a * b.dDualLower);
      ++count;
    }
    if (b.hasUpper()) {
      sum += (b.upper - b.x - a * b.dx) * (b.dualUpper + a * b.dDualUpper);
      ++count;
    }
  }
  for (const Cone& c : cones) {
    sum += (c.x + a * c.dx).dot(c.y + a * c.dy);
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

bool IpmVariables::isCentral(double a, double share) const {
  const double least = share * complementarityMeasure(a);
  for (const BoundedRow& b : bounded) {
    if (b.hasLower() && (b.x + a * b.dx - b.lower) * (b.dualLower + a * b.dDualLower) < least) return false;
    if (b.hasUpper() && (b.upper - b.x - a * b.dx) * (b.dualUpper + a * b.dDualUpper) < least) return false;
  }
  for (const Cone& c : cones) {
    const Vec3 x = c.x + a * c.dx, y = c.y + a * c.dy;
    const double mean = x.dot(y), product = soc::determinant(x) * soc::determinant(y);
    if (product < least * (mean + std::sqrt(std::max(mean * mean - product, 0.0)))) return false;
  }
  return true;
}

void IpmVariables::move(double step) {
  for (BoundedRow& b : bounded) {
    b.x += step * b.dx;
    b.dualLower += step * b.dDualLower;
    b.dualUpper += step * b.dDualUpper;
  }
  for (Cone& c : cones) {
    c.x += step * c.dx;
    c.y += step * c.dy;
  }
}

}  // namespace grashof
