#pragma once
/// Laws of force elements: a scalar force over a length (of a line between two points, or a joint coordinate)
/// and its rate. A positive force pushes the points apart: it acts towards a larger length.

#include <optional>
#include <vector>

#include "engine/base/softness.h"

namespace grashof {

/// A force over one quantity, straight between its samples and constant beyond the first and the last.
/// Units: x in m, rad, m/s or rad/s; forces in N or N·m.
class ForceTable {
 public:
  ForceTable() = default;
  /// @pre x increases; as many forces
  ForceTable(std::vector<double> x, std::vector<double> force);

  bool empty() const { return x_.empty(); }
  const std::vector<double>& samples() const { return x_; }
  const std::vector<double>& forces() const { return force_; }

  double force(double x) const;
  /// Derivative of force(); at a sample that of the segment behind it.
  double slope(double x) const;
  /// -∫ force dx from the first sample on, J.
  double energy(double x) const;

 private:
  /// Index of the segment with x; -1 before the first sample, samples().size() - 1 from the last on.
  int segment(double x) const;

  std::vector<double> x_, force_, energy_;  // energy_: at the samples
};

/// A gas spring: gas of the column h at the length l₀, closed, pushes with
///   F(l) = F₀ (h / (h - (l₀ - l)))ⁿ,
/// n = 1 for slow (isothermal) motion, up to 1.4 for fast (adiabatic) motion of nitrogen. Below the length
/// `compressed` the force goes on along its tangent, so that it has no pole.
struct GasColumn {
  double length = 0.0;      ///< l₀, m
  double force = 0.0;       ///< F₀, N
  double column = 0.0;      ///< h, m
  double exponent = 1.0;    ///< n
  double compressed = 0.0;  ///< m, > l₀ - h

  /// The column of a spring with two known forces: h = (l₀ - l₁) / (1 - (F₀/F₁)^(1/n)).
  /// @pre compressed < length, 0 < force < compressedForce, exponent > 0
  static GasColumn between(double length, double force, double compressed, double compressedForce,
                           double exponent);

  double forceAt(double length) const;
  double slopeAt(double length) const;   ///< dF/dl <= 0, N/m
  double energyAt(double length) const;  ///< 0 at l₀, J
};

/// Which way a one-sided element acts.
enum class ForceSide {
  Both,
  Tension,     ///< pulls only, as a rope
  Compression  ///< pushes only, as a bump stop
};

/// The sum of what acts along one length x:
///   F = preload - stiffness (x - length) - damping ẋ + gas(x) + overLength(x) + overSpeed(ẋ)
/// or, of a rigid element, what keeps x <= length (Tension) or x >= length (Compression); of a soft one that
/// is two-sided x = length.
struct ForceLaw {
  double stiffness = 0.0;  ///< N/m, N·m/rad
  double length = 0.0;     ///< at which the spring's force is the preload; m, rad
  double preload = 0.0;    ///< N, N·m; with a stiffness of zero: a constant force
  double damping = 0.0;    ///< N·s/m, N·m·s/rad
  std::optional<GasColumn> gas{};
  ForceTable overLength{}, overSpeed{};
  ForceSide side = ForceSide::Both;  ///< only of an element with a stiffness, without gas and tables

  bool rigid = false;   ///< with nothing but a length: one-sided, or soft
  Softness softness{};  ///< of a rigid one: how it yields, by an impedance

  /// The part that has a potential: all but damping and overSpeed. A one-sided element is not cut off here.
  double springForce(double x) const;
  /// -dF/dx of springForce(); may be negative where a table rises.
  double springStiffness(double x) const;
  /// True if springForce() is a straight line.
  bool linear() const { return !gas && overLength.empty(); }
  /// Potential of springForce(), J; of a one-sided element zero where it is slack.
  double energy(double x) const;
  /// Length at which a one-sided element is just slack. @pre stiffness > 0, or rigid
  double slackLength() const { return rigid ? length : length + preload / stiffness; }
  /// Of a one-sided element: the sign of its force, and how far x is where it acts (m, rad; negative: slack).
  double sign() const { return side == ForceSide::Tension ? -1.0 : 1.0; }
  double beyond(double x) const { return sign() * (slackLength() - x); }
};

}  // namespace grashof
