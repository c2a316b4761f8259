// What the benchmark suite says of a sample: rank, condition, category; and how it judges a solver.
#include <algorithm>

#include <fmt/format.h>

#include "tests/support.h"
#include "tools/grashof/suite/measure.h"

using namespace grashof;

namespace {

std::vector<Sample> samplesOf(const std::string& system, int count, RunInfo& run) {
  std::vector<Sample> samples;
  takeSamples(readScenario(fmt::format("{}/assets/suite/{}.xml", test::sourceFolder(), system)), 1e-3, 0.2,
              count, run, samples);
  return samples;
}

}  // namespace

TEST_CASE("samples of known rank: a four-bar in space loses three rows, a box on four corners six") {
  RunInfo run;
  const auto fourbar = samplesOf("fourbar-fixed", 4, run);
  REQUIRE(fourbar.size() == 4);
  CHECK(run.steps == 200);
  CHECK(run.rows == 26);
  for (const Sample& s : fourbar) {
    CHECK(s.info.jointRows == 26);
    CHECK(s.info.rank == 23);
    CHECK(s.info.category == "Dense Joints");
    CHECK(s.info.condition >= 1.0);
    CHECK(s.info.softening < 1.0);
  }
  for (const Sample& s : samplesOf("box-on-plane", 3, run)) {
    CHECK(s.info.rank == std::min(6, 3 * s.info.contacts));
    CHECK(s.info.category == (s.info.contacts == 1  ? "Single Contact"
                              : s.info.contacts > 2 ? "Dense Contacts"
                                                    : "Sparse Contacts"));
  }
  // 1000 kg on 1 kg, once it stands on the ground.
  CHECK(samplesOf("boxes-fixed", 3, run).back().info.condition > 1e5);
}

TEST_CASE("samples and measurements but for time are the same in two runs") {
  RunInfo first, second;
  const auto a = samplesOf("fourbar-free", 3, first), b = samplesOf("fourbar-free", 3, second);
  REQUIRE(a.size() == b.size());
  NextConfiguration next(a.front().model);
  CHECK(first.meanPenetration == second.meanPenetration);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].info.step == b[i].info.step);
    CHECK(a[i].warm == b[i].warm);
    for (const bool warm : {false, true}) {
      const Measurement x = measure(a[i], next, "ADMM", warm, 1000),
                        y = measure(b[i], next, "ADMM", warm, 1000);
      CHECK(x.iterations == y.iterations);
      CHECK(x.residuals.naturalMap == y.residuals.naturalMap);
      CHECK(x.solved);
      // One iteration of Gauss-Seidel on a loop of hinges is not enough, and it is not called so.
      CHECK(!measure(a[i], next, "PGS-NCP", false, 1).solved);
    }
    const auto curve = progressionOf(a[i], "PGS-NCP", 100);
    REQUIRE(curve.size() == 7);
    CHECK(curve.back().iterations == 100);
    CHECK(curve.back().naturalMap < curve.front().naturalMap);
  }
}

TEST_CASE("the penetration residual: what a solution leaves open, and what no impulses leave open") {
  RunInfo run;
  for (const std::string system : {"fourbar-fixed", "box-on-plane"}) {
    CAPTURE(system);
    const auto samples = samplesOf(system, 3, run);
    REQUIRE(!samples.empty());
    const Sample& s = samples.back();
    NextConfiguration next(s.model);
    const Measurement good = measure(s, next, "auto", false, 1000);
    REQUIRE(good.solved);
    const std::vector<double> none(s.problem.rows(), 0.0);
    const Violation open = next.after(s.place, s.problem, none);
    const bool joints = s.info.jointRows > 0;
    // Free fall for a step of h from where rows stand, with u⁺ for h/2: some g h² / 2 = 5e-6 m of gaps.
    CHECK((joints ? open.joints : open.contacts) > 1e-6);
    CHECK((joints ? open.contacts : open.joints) == 0.0);
    CHECK(good.violation.largest() < 0.05 * open.largest());
    CHECK(next.after(s.place, s.problem, none).largest() == open.largest());
  }
}

TEST_CASE("samples have their densities, and contacts their modes") {
  RunInfo run;
  // The box slides and stops after more than this; what the tray carries does not slide yet.
  for (const Sample& s : samplesOf("box-on-plane", 3, run)) {
    CHECK(s.info.jointDensity == 0.0);
    CHECK(s.info.contactDensity == doctest::Approx(0.5 * s.info.contacts));
    CHECK(s.info.totalDensity == s.info.contactDensity);
    CHECK(s.info.sliding == s.info.contacts);
  }
  for (const Sample& s : samplesOf("conveyor", 2, run)) {
    CHECK(s.info.sticking > 0);
    CHECK(s.info.sliding == 0);
  }
  const auto fourbar = samplesOf("fourbar-fixed", 1, run);
  CHECK(fourbar.front().info.jointDensity == doctest::Approx(26.0 / 24.0));
}
