#include "joints/force_law.h"

#include <algorithm>
#include <cmath>

namespace grashof {

ForceTable::ForceTable(std::vector<double> x, std::vector<double> force)
    : x_(std::move(x)), force_(std::move(force)), energy_(x_.size(), 0.0) {
  for (std::size_t i = 1; i < x_.size(); ++i)
    energy_[i] = energy_[i - 1] - 0.5 * (force_[i - 1] + force_[i]) * (x_[i] - x_[i - 1]);
}

int ForceTable::segment(double x) const {
  return static_cast<int>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin()) - 1;
}

double ForceTable::slope(double x) const {
  const int i = segment(x);
  if (i < 0 || i + 1 >= static_cast<int>(x_.size())) return 0.0;
  return (force_[i + 1] - force_[i]) / (x_[i + 1] - x_[i]);
}

double ForceTable::force(double x) const {
  const int i = segment(x);
  if (i < 0) return force_.front();
  return force_[i] + slope(x) * (x - x_[i]);
}

double ForceTable::energy(double x) const {
  const int i = std::max(segment(x), 0);
  return energy_[i] - 0.5 * (force_[i] + force(x)) * (x - x_[i]);
}

GasColumn GasColumn::between(double length, double force, double compressed, double compressedForce,
                             double exponent) {
  GasColumn gas{length, force, 0.0, exponent, compressed};
  gas.column = (length - compressed) / (1.0 - std::pow(force / compressedForce, 1.0 / exponent));
  return gas;
}

double GasColumn::forceAt(double l) const {
  const double x = std::max(l, compressed);
  const double f = force * std::pow(column / (column - (length - x)), exponent);
  return f + slopeAt(x) * (l - x);
}

double GasColumn::slopeAt(double l) const {
  const double left = column - (length - std::max(l, compressed));
  return -exponent * force * std::pow(column / left, exponent) / left;
}

double GasColumn::energyAt(double l) const {
  const double x = std::max(l, compressed);
  const double ratio = column / (column - (length - x));
  const double stored = exponent == 1.0
                            ? force * column * std::log(ratio)
                            : force * column / (exponent - 1.0) * (std::pow(ratio, exponent - 1.0) - 1.0);
  return stored - 0.5 * (forceAt(x) + forceAt(l)) * (l - x);
}

double ForceLaw::springForce(double x) const {
  double f = preload - stiffness * (x - length);
  if (gas) f += gas->forceAt(x);
  if (!overLength.empty()) f += overLength.force(x);
  return f;
}

double ForceLaw::springStiffness(double x) const {
  double k = stiffness;
  if (gas) k -= gas->slopeAt(x);
  if (!overLength.empty()) k -= overLength.slope(x);
  return k;
}

double ForceLaw::energy(double x) const {
  if (rigid) return 0.0;
  if (side != ForceSide::Both) {
    const double deep = std::max(0.0, beyond(x));
    return 0.5 * stiffness * deep * deep;
  }
  const double stretch = x - length;
  double u = 0.5 * stiffness * stretch * stretch - preload * stretch;
  if (gas) u += gas->energyAt(x);
  if (!overLength.empty()) u += overLength.energy(x);
  return u;
}

}  // namespace grashof
