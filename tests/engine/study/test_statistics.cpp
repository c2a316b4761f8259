#include <cmath>
#include <numbers>

#include "engine/study/statistics.h"
#include "tests/support.h"

using namespace grashof;
using study::Design;
using study::Rows;
using study::RunStatus;

namespace {

/// Indices of a function of `d` numbers in (0, 1), from `count` samples.
template <typename F>
study::Indices indicesOf(std::size_t d, std::uint64_t count, F f) {
  study::Sampler sampler(Design::Sobol, 1, count, 2 * d);
  std::vector<double> a, b;
  std::vector<std::vector<double>> mixed(d);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::vector<double> u = sampler(k);
    const std::vector<double> first(u.begin(), u.begin() + static_cast<std::ptrdiff_t>(d));
    const std::vector<double> second(u.begin() + static_cast<std::ptrdiff_t>(d), u.end());
    a.push_back(f(first));
    b.push_back(f(second));
    for (std::size_t i = 0; i < d; ++i) {
      std::vector<double> x = first;
      x[i] = second[i];
      mixed[i].push_back(f(x));
    }
  }
  return study::sobolIndices(a, b, mixed, 1);
}

}  // namespace

TEST_CASE("indices of Ishigami's function are those of its formula") {
  const auto f = [](const std::vector<double>& u) {
    double x[3];
    for (std::size_t i = 0; i < 3; ++i) x[i] = std::numbers::pi * (2.0 * u[i] - 1.0);
    return std::sin(x[0]) + 7.0 * std::sin(x[1]) * std::sin(x[1]) + 0.1 * std::pow(x[2], 4) * std::sin(x[0]);
  };
  const double p4 = std::pow(std::numbers::pi, 4);
  const double v1 = 0.5 * std::pow(1.0 + 0.1 * p4 / 5.0, 2), v2 = 49.0 / 8.0,
               v13 = 0.01 * p4 * p4 * (1.0 / 18.0 - 1.0 / 50.0);
  const double v = v1 + v2 + v13;
  const study::Indices found = indicesOf(3, 8192, f);
  CHECK(std::abs(found.mean - 3.5) < 1e-2);
  CHECK(std::abs(found.variance / v - 1.0) < 5e-3);
  const double first[] = {v1 / v, v2 / v, 0.0}, total[] = {(v1 + v13) / v, v2 / v, v13 / v};
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(std::abs(found.factors[i].first - first[i]) < 5e-3);
    CHECK(std::abs(found.factors[i].total - total[i]) < 5e-3);
    CHECK(found.factors[i].firstError < 0.05);
  }
}

TEST_CASE("samples with a value that is not finite are left out; a constant has no indices") {
  const auto f = [](const std::vector<double>& u) { return u[0] < 0.01 ? NAN : u[0] + 2.0 * u[1]; };
  const study::Indices found = indicesOf(2, 1024, f);
  CHECK(found.count < 1024);
  CHECK(std::abs(found.factors[1].total - 0.8) < 0.02);
  const study::Indices none = indicesOf(2, 64, [](const auto&) { return 3.0; });
  CHECK(none.factors[0].first == 0.0);
  CHECK(none.variance == 0.0);
}

TEST_CASE("summaries are those of the rows that are there") {
  Rows rows(6, 1);
  const double values[] = {4.0, 1.0, 3.0, 2.0};
  for (std::uint64_t i = 0; i < 4; ++i) rows.add({i, RunStatus::Ok, {values[i]}, {}});
  rows.add({4, RunStatus::Diverged, {}, "x"});
  const study::Summary s = study::summarize(rows, 0);
  CHECK(s.count == 4);
  CHECK(s.mean == 2.5);
  CHECK(s.deviation == doctest::Approx(std::sqrt(5.0 / 3.0)).epsilon(1e-14));
  CHECK(s.quantiles[2] == 2.5);
  CHECK(s.runOfMin == 1);
  CHECK(s.runOfMax == 0);
  CHECK(study::summarize(Rows(3, 1), 0).count == 0);
}

TEST_CASE("ranks are correlated whatever the scale, with ties in the middle") {
  CHECK(study::rankCorrelation({1, 2, 3, 4}, {1, 8, 27, 64}) == doctest::Approx(1.0));
  CHECK(study::rankCorrelation({1, 2, 3, 4}, {4, 3, 2, 1}) == doctest::Approx(-1.0));
  CHECK(study::rankCorrelation({1, 1, 2, 2}, {1, 2, 1, 2}) == doctest::Approx(0.0));
  CHECK(study::rankCorrelation({1, 1, 1}, {1, 2, 3}) == 0.0);
}

TEST_CASE("the period of a pendulum over its length and gravity has the variance and indices of its formula" *
          doctest::test_suite("long")) {
  const test::ScratchFolder folder;
  study::StudyDefinition d;
  d.scenario = test::sourceFolder() + "/assets/studies/pendulum.xml";
  d.params = {"L~uniform(0.1, 0.4)", "g~uniform(4, 14)"};
  d.measures = {"T=period:body.bob.position.x"};
  d.design = Design::Indices;
  d.runs = 64;
  study::Study study(d);
  Rows rows(study.runs(), study.measures().size());
  for (std::uint64_t run = 0; run < study.runs(); ++run) {
    const study::Point p = study.point(run, rows);
    const study::RunRow row = study.make(run, p);
    REQUIRE(row.status == RunStatus::Ok);
    CHECK(std::abs(row.measures[0] / (2.0 * std::numbers::pi * std::sqrt(p[0] / p[1])) - 1.0) < 1e-3);
    rows.add(row);
  }
  // T = 2 pi L^(1/2) g^(-1/2): moments of powers of uniform numbers.
  const auto moment = [](double a, double b, double power) {
    return power == -1.0 ? std::log(b / a) / (b - a)
                         : (std::pow(b, power + 1.0) - std::pow(a, power + 1.0)) / ((power + 1.0) * (b - a));
  };
  const double rootL = moment(0.1, 0.4, 0.5), meanL = moment(0.1, 0.4, 1.0), rootG = moment(4.0, 14.0, -0.5),
               meanG = moment(4.0, 14.0, -1.0), c = 4.0 * std::numbers::pi * std::numbers::pi;
  const double variance = c * (meanL * meanG - rootL * rootL * rootG * rootG);
  const double ofL = c * rootG * rootG * (meanL - rootL * rootL),
               ofG = c * rootL * rootL * (meanG - rootG * rootG);
  const study::Indices found = study::indicesOf(study, rows, 0);
  CHECK(std::abs(found.variance / variance - 1.0) < 0.05);
  CHECK(std::abs(found.factors[0].first - ofL / variance) < 0.03);
  CHECK(std::abs(found.factors[1].first - ofG / variance) < 0.03);
  CHECK(std::abs(found.factors[0].total - (1.0 - ofG / variance)) < 0.03);
  CHECK(std::abs(found.factors[1].total - (1.0 - ofL / variance)) < 0.03);
}
