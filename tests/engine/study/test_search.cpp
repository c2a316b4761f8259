#include <cmath>

#include "engine/base/error.h"
#include "engine/study/search.h"
#include "tests/support.h"

using namespace grashof;
using study::Rows;
using study::SearchMethod;
using study::SearchOptions;
using study::SearchResult;
using study::Study;

namespace {

/// (m - 1.25)² + (h - 0.3)² is where the body stands; beyond m = 1.9 there is no model.
Study bowl(const test::ScratchFolder& folder) {
  study::StudyDefinition d;
  d.scenario =
      folder.write("bowl.xml", R"(<scenario><options timestep="0.01" duration="0.01" gravity="0 0 0"/>
    <parameter name="m" value="1"/><parameter name="h" value="0.5"/>
    <body name="a" position="(m-1.25)^2+(h-0.3)^2 0 m+h"><inertial mass="m > 1.9 ? -1 : m" inertia="1 1 1"/></body></scenario>)");
  d.params = {"m~uniform(0.5, 2)", "h~loguniform(0.01, 1)"};
  d.measures = {"f=end:body.a.position.x", "g=end:body.a.position.z"};
  d.design = study::Design::Random;
  d.runs = study::kMostEvaluations;
  return Study(d);
}

SearchResult found(const test::ScratchFolder& folder, const Study& study, const study::Goal& goal, Rows& rows,
                   const SearchOptions& options, const std::string& journalName) {
  study::Journal journal(folder.path(journalName), searchHash(study, goal, options), rows);
  return search(study, goal, rows, journal, options);
}

}  // namespace

TEST_CASE("each method comes near to the least value, and those that take bounds keep them") {
  const test::ScratchFolder folder;
  const Study study = bowl(folder);
  for (std::size_t m = 0; m < study::searchMethodNames().size(); ++m) {
    SearchOptions options;
    options.method = static_cast<SearchMethod>(m);
    options.evaluations = isLocal(options.method) ? 300 : 700;
    for (const bool bounded : {false, true}) {
      if (bounded && !takesBounds(options.method)) continue;
      CAPTURE(study::searchMethodNames()[m]);
      CAPTURE(bounded);
      study::Goal goal{0, false, {}};
      if (bounded) goal.bounds.push_back({1, true, 1.0});
      Rows rows = searchRows(study);
      const SearchResult result =
          found(folder, study, goal, rows, options, std::to_string(m) + (bounded ? "b" : "f"));
      CHECK(result.complete);
      REQUIRE(result.best);
      CHECK(isFeasible(rows, goal, *result.best));
      // On m + h = 1 the least value is 0.15125.
      const double near = isLocal(options.method) ? 1e-4 : 0.02;
      CHECK(rows.value(*result.best, 0) == doctest::Approx(bounded ? 0.15125 : 0.0).scale(1.0).epsilon(near));
    }
  }
}

TEST_CASE("a search that is stopped and goes on has the points of one that is not") {
  const test::ScratchFolder folder;
  const Study study = bowl(folder);
  const study::Goal goal{0, false, {}};
  SearchOptions options;
  options.method = SearchMethod::Crs;
  options.evaluations = 120;
  Rows whole = searchRows(study);
  const SearchResult all = found(folder, study, goal, whole, options, "whole");
  Rows parts = searchRows(study);
  SearchOptions stopping = options;
  stopping.stop = [&] { return parts.count() >= 50; };
  const SearchResult first = found(folder, study, goal, parts, stopping, "parts");
  CHECK_FALSE(first.complete);
  CHECK(first.points.size() == 50);
  Rows again = searchRows(study);
  const SearchResult rest = found(folder, study, goal, again, options, "parts");
  CHECK(rest.complete);
  CHECK(rest.made == 70);
  CHECK(rest.points == all.points);
  CHECK(rest.best == all.best);
}

TEST_CASE("what a search cannot do is refused") {
  const test::ScratchFolder folder;
  const Study study = bowl(folder);
  study::Goal goal{0, false, {{1, true, 1.0}}};
  Rows rows = searchRows(study);
  CHECK_THROWS_AS(found(folder, study, goal, rows, {}, "a"), InputError);
  for (const char* text : {"max:energy.total", "<=3", "max:energy.total<=x"})
    CHECK_THROWS_AS(study::parseBound(text), InputError);
  const study::BoundText b = study::parseBound("max:energy.total >= 2*3");
  CHECK(b.measure == "max:energy.total");
  CHECK_FALSE(b.upper);
  CHECK(b.value == 6.0);
  CHECK(study::Bound{0, false, 6.0}.excess(3.0) == 0.5);
}

TEST_CASE("a search whose constraint no point keeps ends, and says that there is none") {
  const test::ScratchFolder folder;
  study::StudyDefinition d;
  d.scenario = folder.write("turn.xml", R"(<scenario><options timestep="0.01" duration="1"/>
    <parameter name="knot" value="0.3"/><motion name="m" type="series" samples="0 0 0.5 knot 1 1"/>
    <body name="b" position="0.1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="revolute" follower="b" axis="0 0 1"><actuator type="motion" motion="m"/></joint></scenario>)");
  d.params = {"knot~uniform(0, 1)"};
  d.measures = {"f=peak:joint.j.effort.0", "g=max:joint.j.q.0"};
  d.design = study::Design::Random;
  d.runs = study::kMostEvaluations;
  const Study study(d);
  for (const double least : {1.2, 100.0}) {
    for (const SearchMethod method : {SearchMethod::Cobyla, SearchMethod::Isres}) {
      SearchOptions options;
      options.method = method;
      options.evaluations = 60;
      Rows rows = searchRows(study);
      const SearchResult result = found(folder, study, {0, false, {{1, false, least}}}, rows, options,
                                        std::to_string(static_cast<int>(method)) + std::to_string(least));
      CHECK(result.complete);
      CHECK_FALSE(result.best);
      CHECK_FALSE(result.ended.empty());
      CHECK(result.points.size() <= 60);
    }
  }
}
