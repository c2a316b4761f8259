#pragma once
/// How a model is stepped: time step, integrator, margins, stabilization, and what counts as divergence.

#include <array>
#include <string_view>

namespace grashof {

enum class Integrator {
  Euler,   ///< semi-implicit Euler: rows at the poses of the start of the step; first order
  Moreau,  ///< Moreau midpoint: rows at the poses half a step ahead; second order
  Auto,    ///< steps of order 5 with error control where the motion is smooth, elsewhere Moreau's
};
/// Their names in files, in this order.
inline constexpr std::array<std::string_view, 3> kIntegratorNames = {"euler", "moreau", "auto"};

/// Stabilization of the configuration [Tsounis 2025, eqs. 89-93]. With projection on, joints need none.
struct Stabilization {
  double alpha = 0.0;  ///< joints: share of the residual corrected per step, [0, 1]
  double decayRate =
      0.0;              ///< instead: joints return critically damped at this rate, see decayBias(), 1/s; >= 0
  double beta = 0.2;    ///< limits: share of a violation corrected per step, [0, 1]
  double gamma = 0.2;   ///< contacts: share of a penetration corrected per step, [0, 1]
  double margin = 0.0;  ///< δ: contacts act at gap -δ, m
  double maxRecoverySpeed = 0.1;  ///< of deep penetrations and crossed limits, m/s, rad/s; >= 0
};

/// How a model is stepped.
struct StepOptions {
  double timestep = 1e-3;  ///< s, > 0
  Integrator integrator = Integrator::Auto;
  /// Of Integrator::Auto: largest error of a step of its own, over the size of the mechanism and in rad, > 0.
  double tolerance = 1e-8;
  bool projection = true;  ///< poses (and, for Moreau, twists) projected onto the joints every step
  double projectionTolerance = 1e-11;  ///< m, rad
  bool geometricStiffness = false;     ///< implicit, see engine/dynamics/rows/geometric_stiffness.h
  double restitutionThreshold = 1e-2;  ///< m/s: slower approaches do not bounce
  double contactMargin = 5e-3;         ///< m: contacts closer than this make rows (speculative)
  double limitMargin = 2e-2;           ///< m, rad: limits closer than this make rows
  double divergenceSpeed = 1e5;        ///< m/s, rad/s: faster counts as divergence
  double divergenceResidual = 1e-2;    ///< m, rad: joints torn further apart than this count as divergence
  /// Gain of mechanical energy without a known cause that counts as divergence, as a multiple of the energy
  /// exchanged so far.
  double divergenceEnergy = 1.0;
};

}  // namespace grashof
