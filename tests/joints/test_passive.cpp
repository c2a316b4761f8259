#include "joints/passive.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A mass on a passive element, one coordinate: q (m), v (m/s).
struct Oscillator {
  double mass = 2.0, q = 0.0, v = 0.0;
  PassiveDynamics passive;

  double energy() const {
    const double stretch = q - passive.rest;
    return 0.5 * mass * v * v + 0.5 * passive.stiffness * stretch * stretch;
  }
  /// One step in which the impulse of the law and the momentum m (v⁺ - v⁻) agree.
  void midpointStep(double dt) {
    const double half = q + 0.5 * dt * v;
    const LinearLaw law = passiveLaw(passive, half, v, 0.0, dt, 0.25 * dt, -0.25 * dt);
    v = (mass * v - law.offset) / (mass + law.slope);
    q = half + 0.5 * dt * v;
  }
  void eulerStep(double dt) {
    LinearLaw law = passiveLaw(passive, q, v, 0.0, dt, dt, 0.0);
    law += damperLaw(passive.damping, 1.0, v, dt);
    v = (mass * v - law.offset) / (mass + law.slope);
    q += dt * v;
  }
};

Oscillator stretchedSpring() {
  Oscillator o;
  o.passive.stiffness = 50.0;
  o.passive.rest = 0.3;
  o.q = 0.4;
  return o;
}

}  // namespace

TEST_CASE("the midpoint weights turn the phase of an oscillator by 2 atan(ω Δt / 2) per step, without loss") {
  const double omega = 5.0;
  for (const double dt : {1e-3, 0.1, 1.0, 20.0}) {
    CAPTURE(dt);
    Oscillator o = stretchedSpring();
    const double energy = o.energy(), phase = 2.0 * std::atan(0.5 * omega * dt);
    for (int n = 1; n <= 200; ++n) {
      o.midpointStep(dt);
      CHECK(std::abs(o.q - (0.3 + 0.1 * std::cos(n * phase))) < 1e-11);
    }
    CHECK(o.energy() == doctest::Approx(energy).epsilon(1e-11));
  }
}

TEST_CASE("the midpoint weights are second order: half the step, a quarter of the error") {
  const auto errorAfterOneSecond = [](int steps) {
    Oscillator o = stretchedSpring();
    for (int n = 0; n < steps; ++n) o.midpointStep(1.0 / steps);
    return std::abs(o.q - (0.3 + 0.1 * std::cos(5.0)));
  };
  CHECK(errorAfterOneSecond(200) / errorAfterOneSecond(400) == doctest::Approx(4.0).epsilon(0.01));
}

TEST_CASE("the weights of Euler take 1 / (1 + ω² Δt²) of an oscillator's energy per step, at any step") {
  for (const double dt : {1e-3, 0.1, 10.0}) {
    CAPTURE(dt);
    Oscillator o = stretchedSpring();
    const double energy = o.energy();
    o.eulerStep(dt);
    CHECK(o.energy() == doctest::Approx(energy / (1.0 + 25.0 * dt * dt)).epsilon(1e-12));
  }
}

TEST_CASE("a damper slows a mass by 1 / (1 + d Δt / m) per step and never reverses it") {
  for (const double damping : {0.1, 1e3, 1e12}) {
    Oscillator o;
    o.v = 1.0;
    o.passive.damping = damping;
    o.eulerStep(0.01);
    CHECK(o.v == doctest::Approx(1.0 / (1.0 + damping * 0.01 / 2.0)).epsilon(1e-12));
  }
}

TEST_CASE("a rotor adds its inertia, and resists the change by the free motion, too") {
  PassiveDynamics p;
  p.armature = 3.0;
  // A mass of 2 kg at 1 m/s gets 10 N·s: (m + a) (v⁺ - v⁻) = 10.
  const LinearLaw law = passiveLaw(p, 0.0, 1.0, 0.0, 1e-3, 0.0, 0.0);
  const double after = (2.0 * 1.0 + 10.0 - law.offset) / (2.0 + law.slope);
  CHECK(after == doctest::Approx(1.0 + 10.0 / 5.0));
  CHECK(passiveLaw(p, 0.0, 1.0, 0.5, 1e-3, 0.0, 0.0).impulse(4.0) ==
        doctest::Approx(-3.0 * (4.0 - 1.0 + 0.5)));
}

TEST_CASE("laws along one coordinate add up to the sum of their impulses") {
  const LinearLaw a{2.0, -1.0}, b{0.5, 3.0};
  LinearLaw sum = a;
  sum += b;
  for (const double rate : {-2.0, 0.0, 1.5}) CHECK(sum.impulse(rate) == a.impulse(rate) + b.impulse(rate));
  // As a row v⁺ + bias + R λ = 0 the sum says the same.
  const double rate = 0.7, bias = sum.offset / sum.slope, compliance = 1.0 / sum.slope;
  CHECK(std::abs(rate + bias + compliance * sum.impulse(rate)) < 1e-15);
}

TEST_CASE("dry friction is no part of the smooth law") {
  PassiveDynamics p;
  p.dryFriction = 5.0;
  CHECK_FALSE(p.smooth());
  CHECK(passiveLaw(p, 1.0, 2.0, 0.0, 1e-3, 1e-3, 0.0).impulse(3.0) == 0.0);
  p.damping = 1.0;
  CHECK(p.smooth());
}
