#include <cmath>
#include <numbers>

#include "engine/analysis/fourbar_path.h"
#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

namespace {

const PathFourBar kKnown{{0.1, 0.1}, {0.5, 0.1}, 0.12, 0.35, 0.4, {0.1, 0.15}};

std::vector<Vec2> pointsOf(const PathFourBar& f, int count) {
  std::vector<Vec2> points;
  for (int k = 0; k < count; ++k) points.push_back(fourBarPose(f, 0.3 + 0.65 * k, 1)->point);
  return points;
}

}  // namespace

TEST_CASE("a pose of a four-bar has the lengths of its bars, on the side of its branch") {
  for (const int branch : {1, -1}) {
    const FourBarPose p = fourBarPose(kKnown, 0.7, branch).value();
    CHECK((p.crankPin - kKnown.crankPivot).norm() == doctest::Approx(kKnown.crank));
    CHECK((p.rockerPin - p.crankPin).norm() == doctest::Approx(kKnown.coupler));
    CHECK((p.rockerPin - kKnown.rockerPivot).norm() == doctest::Approx(kKnown.rocker));
    CHECK((p.point - p.crankPin).norm() == doctest::Approx(kKnown.point.norm()));
    const Vec2 d = kKnown.rockerPivot - p.crankPin, b = p.rockerPin - p.crankPin;
    CHECK(branch * (d.x() * b.y() - d.y() * b.x()) > 0.0);
  }
  PathFourBar rocking = kKnown;
  rocking.crank = 0.4;
  CHECK_FALSE(fourBarPose(rocking, std::numbers::pi, 1));
  CHECK(fourBarKind(lengthsOf(kKnown)) == "crank-rocker");
  CHECK(fourBarKind({1.0, 2.0, 2.5, 2.0}) == "double crank");
  CHECK(fourBarKind({2.0, 2.5, 1.0, 2.0}) == "double rocker");
  CHECK(fourBarKind({1.0, 2.0, 4.0, 2.0}) == "triple rocker");
  CHECK(fourBarKind({1.0, 2.0, 1.0, 2.0}) == "change point");
}

TEST_CASE("both cognates draw the coupler curve of the linkage that they are made of") {
  for (const PathFourBar& g : cognatesOf(kKnown)) {
    CHECK(fourBarKind(lengthsOf(g)) != "");
    for (const Vec2& p : pointsOf(kKnown, 9)) CHECK(distanceToCurve(g, p) < 1e-12);
  }
  // The cognates of a cognate are the linkage itself and the other one.
  const PathFourBar back = cognatesOf(cognatesOf(kKnown)[0])[0];
  CHECK(back.crank == doctest::Approx(kKnown.crank));
  CHECK(back.frame() == doctest::Approx(kKnown.frame()));
  CHECK(distanceToCurve(kKnown, Vec2(5.0, 0.0)) > 4.0);
}

TEST_CASE("synthesis recovers a known four-bar, up to cognates, from nine points of its coupler curve" *
          doctest::test_suite("long")) {
  SynthesisOptions options;
  options.starts = 2500;
  const std::vector<Vec2> points = pointsOf(kKnown, 9);
  const SynthesizedFourBar first = synthesizePath(points, options).at(0);
  CHECK(first.error < 1e-12);
  CHECK(first.oneBranch);
  CHECK(first.inOrder);
  CHECK(first.kind == "crank-rocker");
  for (const Vec2& p : points) CHECK(distanceToCurve(first.linkage, p) < 1e-9);
  // The first point is where it says.
  CHECK((fourBarPose(first.linkage, first.start, first.branch)->point - points[0]).norm() < 1e-9);
  CHECK((fourBarPose(first.linkage, first.start + first.travel, first.branch)->point - points[8]).norm() <
        1e-9);
  // One of it and its cognates has the lengths of the known one.
  const auto cognates = cognatesOf(first.linkage);
  double least = 1.0;
  for (const PathFourBar& f : {first.linkage, cognates[0], cognates[1]}) {
    const double same = std::abs(f.crank - kKnown.crank) + std::abs(f.rocker - kKnown.rocker);
    const double exchanged = std::abs(f.crank - kKnown.rocker) + std::abs(f.rocker - kKnown.crank);
    least = std::min(least, std::min(same, exchanged) + std::abs(f.coupler - kKnown.coupler) +
                                std::abs(f.frame() - kKnown.frame()));
  }
  CHECK(least < 1e-6);
}

TEST_CASE("points that decide nothing are refused; a search that is ended gives what it has") {
  CHECK_THROWS_AS(synthesizePath(pointsOf(kKnown, 4)), InputError);
  CHECK_THROWS_AS(synthesizePath(std::vector<Vec2>(9, Vec2(1.0, 2.0))), InputError);
  SynthesisOptions options;
  std::uint64_t told = 0;
  options.goOn = [&](std::uint64_t starts) { return (told = starts) < 3; };
  (void)synthesizePath(pointsOf(kKnown, 6), options);
  CHECK(told == 3);
}
