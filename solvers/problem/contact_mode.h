#pragma once
/// Whether a contact of a solved problem is open, sticks or slides.

#include "solvers/problem/residual_scale.h"

namespace grashof {

enum class ContactMode { Open, Sticking, Sliding };

/// Of the impulses and speeds of a problem: below, a contact neither presses nor slides. Solvers leave 1e-8.
inline constexpr double kModeShare = 1e-6;

/// Mode of a contact with the impulse `normal` (N·s) along its normal, whose surfaces slip by `slip` (m/s).
/// `scale`: residualScale() of the problem, relative.
inline ContactMode contactMode(const ResidualScale& scale, double normal, double slip) {
  if (!(normal > kModeShare * scale.impulse)) return ContactMode::Open;
  return slip > kModeShare * scale.velocity ? ContactMode::Sliding : ContactMode::Sticking;
}

}  // namespace grashof
