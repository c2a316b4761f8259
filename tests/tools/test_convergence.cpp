// The errors and orders of `grashof bench convergence`.
#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/model/model_builder.h"
#include "tests/support.h"
#include "tools/grashof/convergence.h"

using namespace grashof;

namespace {

/// A hinge with a bar that starts level, without friction.
std::shared_ptr<const Model> pendulum(Integrator integrator) {
  const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/double-pendulum.xml");
  ModelBuilder builder(*scenario.model);
  builder.options().integrator = integrator;
  return builder.build();
}

double orderOf(Integrator integrator) {
  const auto model = pendulum(integrator);
  const double interval = 8e-3;
  const int samples = 50;
  const Trace reference = traceOf(*model, {"auto", 1e-4, 1e-10}, interval, samples);
  std::vector<std::pair<double, double>> errors;
  for (const double step : {4e-3, 2e-3, 1e-3}) {
    const Trace run = traceOf(*model, {"auto", step, 1e-10}, interval, samples);
    CHECK(run.steps == std::lround(samples * interval / step));
    errors.emplace_back(step, traceError(*model, run, reference).mean);
  }
  return fittedOrder(errors, 1e-12);
}

}  // namespace

TEST_CASE("the order of the integrators: Moreau's second, Euler's first") {
  CHECK(orderOf(Integrator::Moreau) == doctest::Approx(2.0).epsilon(0.05));
  CHECK(orderOf(Integrator::Euler) == doctest::Approx(1.0).epsilon(0.1));
}

TEST_CASE("a run has no error against itself, and a known one against a shifted and turned copy") {
  const auto model = pendulum(Integrator::Moreau);
  const Trace run = traceOf(*model, {"auto", 1e-3, 1e-8}, 1e-3, 5);
  REQUIRE(run.poses.size() == 6);
  CHECK(run.divergence.empty());
  CHECK(traceError(*model, run, run).largest == 0.0);
  Trace other = run;
  for (auto& poses : other.poses)
    for (Pose& pose : poses) pose.position.x() += 0.3;
  for (double& energy : other.energy) energy -= 2.0;
  const TraceError shifted = traceError(*model, run, other);
  CHECK(shifted.mean == doctest::Approx(0.3));
  CHECK(shifted.largest == doctest::Approx(0.3));
  CHECK(shifted.energy == doctest::Approx(2.0));
  other = run;
  for (auto& poses : other.poses)
    poses[0].rotation = Quat(Eigen::AngleAxisd(0.1, Vec3::UnitX())) * poses[0].rotation;
  const Body& body = model->bodies[0];
  const double turned = 0.1 * std::sqrt(0.5 * body.inertia.trace() / body.mass);
  CHECK(traceError(*model, run, other).mean ==
        doctest::Approx(turned / std::sqrt(static_cast<double>(model->bodies.size()))));
}

TEST_CASE("orders are fitted to errors above rounding") {
  std::vector<std::pair<double, double>> points;
  for (const double h : {1e-3, 2e-3, 4e-3}) points.emplace_back(h, 7.0 * h * h * h);
  CHECK(fittedOrder(points, 1e-12) == doctest::Approx(3.0));
  points.emplace_back(1e-5, 1e-15);
  CHECK(fittedOrder(points, 1e-12) == doctest::Approx(3.0));
  CHECK(fittedOrder(std::span(points).first(1), 1e-12) == 0.0);
  const std::vector<std::pair<double, double>> same(3, {1e-3, 1e-6});
  CHECK(fittedOrder(same, 1e-12) == 0.0);
}

TEST_CASE("steps that do not divide the interval are refused") {
  CHECK(stepsIn(4e-3, 1e-3) == 4);
  CHECK_THROWS_AS(stepsIn(4e-3, 3e-3), InputError);
  CHECK_THROWS_AS(stepsIn(1e-3, 2e-3), InputError);
}
