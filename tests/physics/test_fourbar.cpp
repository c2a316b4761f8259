#include "engine/scenario/scenario.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// The planar four-bar in one coordinate, independent of the engine: crank angle q, loop closure solved in
/// closed form, T = ½ M(q) q̇², V(q). M q̈ + ½ M' q̇² + V' = 0, derivatives by central differences, RK4.
class MinimalFourbar {
 public:
  static constexpr double a = 0.1, b = 0.4, c = 0.3, d = 0.35, g = 9.81;

  struct Geometry {
    Eigen::Vector2d B, C;
  };
  static Geometry at(double q) {
    const Eigen::Vector2d B(a * std::cos(q), a * std::sin(q)), D(d, 0.0);
    const Eigen::Vector2d e = D - B;
    const double l = e.norm();
    const double x = (b * b - c * c + l * l) / (2.0 * l);
    const Eigen::Vector2d u = e / l, v(-u.y(), u.x());
    return {B, B + x * u + std::sqrt(b * b - x * x) * v};
  }
  /// Angles of coupler and rocker.
  static Eigen::Vector2d angles(double q) {
    const Geometry s = at(q);
    return {std::atan2(s.C.y() - s.B.y(), s.C.x() - s.B.x()), std::atan2(s.C.y(), s.C.x() - d)};
  }
  static double potential(double q) {
    const Geometry s = at(q);
    return g * (0.5 * s.B.y() + 0.5 * (s.B.y() + s.C.y()) + 0.5 * s.C.y());
  }
  static double inertia(double q) {
    const double h = 1e-6;
    const Geometry p = at(q + h), m = at(q - h);
    const Eigen::Vector2d rates = (angles(q + h) - angles(q - h)) / (2.0 * h);
    const Eigen::Vector2d vB = (p.B - m.B) / (2.0 * h), vC = (p.C - m.C) / (2.0 * h);
    // Bars of 1 kg with the cross-section of the scenario (0.02 m square).
    const auto spin = [](double l) { return (l * l + 4e-4) / 12.0; };
    return (0.5 * vB).squaredNorm() + spin(a) + (0.5 * (vB + vC)).squaredNorm() +
           spin(b) * rates[0] * rates[0] + (0.5 * vC).squaredNorm() + spin(c) * rates[1] * rates[1];
  }
  static Eigen::Vector2d derivative(const Eigen::Vector2d& y) {
    const double h = 1e-4;
    const double dM = (inertia(y[0] + h) - inertia(y[0] - h)) / (2.0 * h);
    const double dV = (potential(y[0] + h) - potential(y[0] - h)) / (2.0 * h);
    return {y[1], -(0.5 * dM * y[1] * y[1] + dV) / inertia(y[0])};
  }
  static double angleAfter(double q0, double time, double step) {
    Eigen::Vector2d y(q0, 0.0);
    const int n = static_cast<int>(std::lround(time / step));
    for (int i = 0; i < n; ++i) {
      const Eigen::Vector2d k1 = derivative(y), k2 = derivative(y + 0.5 * step * k1),
                            k3 = derivative(y + 0.5 * step * k2), k4 = derivative(y + step * k3);
      y += step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return y[0];
  }
};

}  // namespace

TEST_CASE(
    "fixed four-bar: joints within 1e-9, energy within 0.5 %, motion within 1e-3 rad of minimal "
    "coordinates" *
    doctest::test_suite("long")) {
  const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml");
  Simulator simulator(scenario.model, startState(*scenario.model));
  const int crank = scenario.model->findJoint("A");
  double worstJoint = 0.0, worstDrift = 0.0, angleAt2 = 0.0;
  for (int i = 1; i <= 10000; ++i) {
    simulator.step();
    REQUIRE_FALSE(simulator.diverged());
    worstJoint = std::max(worstJoint, simulator.report().jointResidual);
    worstDrift = std::max(worstDrift, std::abs(simulator.relativeEnergyDrift()));
    // The joint's axis is +y: turning towards +z is negative.
    if (i == 2000) angleAt2 = 1.0 - simulator.state().coordinates[scenario.model->coordinateStart[crank]];
  }
  const double reference = MinimalFourbar::angleAfter(1.0, 2.0, 1e-5);
  MESSAGE("joint residual ", worstJoint, ", energy drift ", worstDrift, ", angle error at 2 s ",
          angleAt2 - reference, " rad");
  CHECK(worstJoint <= 1e-9);
  CHECK(worstDrift <= 0.005);
  CHECK(std::abs(angleAt2 - reference) <= 1e-3);
}

TEST_CASE("the step is second order: halving it quarters the error of the four-bar" *
          doctest::test_suite("long")) {
  const double reference = MinimalFourbar::angleAfter(1.0, 1.0, 1e-5);
  const auto errorAt = [&](double timestep) {
    const Scenario scenario =
        readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml",
                     {{"options.timestep", std::to_string(timestep)}, {"options.integrator", "moreau"}});
    Simulator simulator(scenario.model, startState(*scenario.model));
    for (int i = 0; i < std::lround(1.0 / timestep); ++i) simulator.step();
    return std::abs(1.0 - simulator.state().coordinates[0] - reference);
  };
  const double coarse = errorAt(0.002), fine = errorAt(0.001);
  CHECK(coarse / fine > 3.0);
  CHECK(coarse / fine < 5.0);
}
