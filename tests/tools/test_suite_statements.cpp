// Each statement about solvers comes out confirmed, refuted, not comparable or not measured, as the numbers
// are.
#include <algorithm>

#include <fmt/format.h>

#include "tests/support.h"
#include "tools/grashof/suite/statements.h"

using namespace grashof;

namespace {

const std::vector<std::string> kSolvers = {"ADMM",       "ADMM-NCP-SA", "ADMM-NCP-LA", "ADMM-CCP",
                                           "IPM-CCP",    "IPM-NCP",     "PGS-NCP",     "NBGS",
                                           "CCP-NEWTON", "STAGGERED"};

/// Measurements of `systems` with `samples` samples each, as `set` says. `set` sees every sample once with no
/// solver's name, to describe it.
template <typename Set>
std::vector<SuiteUnit> unitsOf(const std::vector<std::string>& systems, int samples, const Set& set) {
  std::vector<SuiteUnit> units;
  for (const std::string& system : systems) {
    SuiteUnit unit;
    unit.system = system;
    for (int i = 0; i < samples; ++i) {
      SampleInfo info;
      info.category = "Redundant Joints";
      Measurement none;
      none.sample = i;
      set(info, none);
      unit.samples.push_back(info);
    }
    for (const std::string& solver : kSolvers)
      for (int i = 0; i < samples; ++i)
        for (const bool warm : {false, true}) {
          Measurement m;
          m.solver = solver;
          m.sample = i;
          m.warm = warm;
          m.solved = true;
          m.iterations = 9;
          SampleInfo info = unit.samples[static_cast<std::size_t>(i)];
          set(info, m);
          unit.measurements.push_back(m);
        }
    units.push_back(unit);
  }
  return units;
}

Finding judged(const std::vector<SuiteUnit>& units, const std::string& words) {
  SuitePlan plan;
  plan.solvers = kSolvers;
  for (const Finding& f : judgeStatements(plan, units))
    if (f.statement.find(words) != std::string::npos) return f;
  FAIL("no statement has the words: ", words);
  return {};
}

/// What the numbers say of a statement that is not comparable.
bool holdsHere(const Finding& f) {
  CHECK(f.verdict == Verdict::NotComparable);
  return f.evidence.find("(here it holds)") != std::string::npos;
}

const std::vector<std::string> kThree = {"a", "b", "c"};
bool sweeping(const Measurement& m) { return m.solver == "PGS-NCP" || m.solver == "NBGS"; }

}  // namespace

TEST_CASE("every statement says where it comes from, what is measured and what would refute it") {
  const std::vector<Finding> all = judgeStatements({}, {});
  CHECK(all.size() == 9);
  for (const Finding& f : all) {
    CAPTURE(f.statement);
    CHECK(f.verdict == Verdict::NotMeasured);
    CHECK(!f.evidence.empty());
    CHECK(!f.criterion.empty());
    CHECK(!f.refuted.empty());
    // A source has a place in it; what has none cannot differ from it.
    CHECK((f.source.empty() || f.source.find(", ") != std::string::npos));
    CHECK((!f.source.empty() || f.difference.empty()));
  }
}

TEST_CASE("sweeps on joints: both verdicts, and none from one system or few samples") {
  for (const char* category : {"Redundant Joints", "Dense Joints"}) {
    const std::string words = category == std::string("Dense Joints") ? "dense joints" : "redundant joints";
    const auto units = [&](bool swept, bool admm, int samples, const std::vector<std::string>& systems) {
      return unitsOf(systems, samples, [=](SampleInfo& s, Measurement& m) {
        s.category = category;
        if (sweeping(m)) m.solved = swept;
        if (m.solver == "ADMM-NCP-SA") m.solved = admm;
      });
    };
    CHECK(judged(units(false, true, 10, kThree), words).verdict == Verdict::Confirmed);
    CHECK(judged(units(true, true, 10, kThree), words).verdict == Verdict::Refuted);
    CHECK(judged(units(false, false, 10, kThree), words).verdict == Verdict::Refuted);
    const Finding one = judged(units(false, true, 40, {"fourbar"}), words);
    CHECK(one.verdict == Verdict::NotMeasured);
    CHECK(one.evidence.find("(fourbar)") != std::string::npos);
    CHECK(judged(units(false, true, 6, kThree), words).verdict == Verdict::NotMeasured);
  }
}

TEST_CASE("softening: either way, and not comparable") {
  const auto units = [&](double ratio, const std::vector<std::string>& systems) {
    return unitsOf(systems, 10, [=](SampleInfo& s, Measurement&) { s.softening = ratio; });
  };
  CHECK(holdsHere(judged(units(0.5, kThree), "Softening")));
  CHECK_FALSE(holdsHere(judged(units(1.5, kThree), "Softening")));
  CHECK(judged(units(0.5, {"a"}), "Softening").verdict == Verdict::NotMeasured);
}

TEST_CASE("relaxation: either way, and not comparable, from samples with sliding contacts alone") {
  const auto units = [&](int sliding, double convex) {
    return unitsOf(kThree, 10, [=](SampleInfo& s, Measurement& m) {
      s.contacts = 4;
      s.sliding = sliding;
      m.residuals.naturalMap = m.solver.find("CCP") != std::string::npos ? convex : 1e-9;
    });
  };
  CHECK(holdsHere(judged(units(2, 1e-2), "convex relaxation")));
  CHECK_FALSE(holdsHere(judged(units(2, 2e-9), "convex relaxation")));
  CHECK(judged(units(0, 1e-2), "convex relaxation").verdict == Verdict::NotMeasured);
}

TEST_CASE("warm starts: both verdicts") {
  const auto units = [&](int admm, int sweep) {
    return unitsOf(kThree, 10, [=](SampleInfo&, Measurement& m) {
      if (m.warm && m.solver == "ADMM") m.iterations = admm;
      if (m.warm && m.solver == "PGS-NCP") m.iterations = sweep;
    });
  };
  CHECK(judged(units(1, 4), "warm start saves").verdict == Verdict::Confirmed);
  CHECK(judged(units(4, 1), "warm start saves").verdict == Verdict::Refuted);
  CHECK(judged(units(20, 30), "warm start saves").verdict == Verdict::Refuted);
}

TEST_CASE("interior points and condition: both verdicts") {
  const auto units = [&](int inner, int first) {
    return unitsOf(kThree, 10, [=](SampleInfo& s, Measurement& m) {
      s.contacts = 1;
      s.condition = m.sample % 2 == 0 ? 1e8 : 10.0;
      if (s.condition > 1e5 && m.solver == "IPM-NCP") m.iterations = inner;
      if (s.condition > 1e5 && m.solver == "ADMM-NCP-SA") m.iterations = first;
    });
  };
  CHECK(judged(units(10, 90), "interior point").verdict == Verdict::Confirmed);
  CHECK(judged(units(40, 90), "interior point").verdict == Verdict::Refuted);
  CHECK(judged(units(10, 11), "interior point").verdict == Verdict::Refuted);
  // Systems that are well conditioned and others that are not show nothing about the condition.
  const auto apart = unitsOf(kThree, 10, [](SampleInfo& s, Measurement& m) {
    s.contacts = 1;
    s.condition = 1e8;
    if (m.solver == "ADMM-NCP-SA") m.iterations = 1000;
  });
  CHECK(judged(apart, "interior point").verdict == Verdict::NotMeasured);
}

TEST_CASE("what was measured on other systems than the source's is neither confirmed nor refuted") {
  for (const bool holds : {true, false}) {
    const auto units = unitsOf({"light-on-heavy", "b", "c"}, 10, [&](SampleInfo& s, Measurement& m) {
      s.contacts = 1;
      if (sweeping(m)) m.solved = m.sample > 0 && !holds;
      if (m.sample == 9) m.solved = true;  // the one that all solve
      m.factorizations = m.solver == "ADMM-NCP-SA" ? (holds ? 1 : 5) : 3;
      m.seconds = m.solver == "PGS-NCP" ? 1.0 : (holds ? 2.0 : 0.5) * (m.warm ? 0.5 : 1.0);
      if (m.solver == "CCP-NEWTON") m.seconds *= 2.0;
    });
    for (const char* words : {"spectral penalty", "heavy cube", "From a cold start"}) {
      CAPTURE(words);
      const Finding f = judged(units, words);
      CHECK(f.verdict == Verdict::NotComparable);
      CHECK(!f.source.empty());
      CHECK(!f.difference.empty());
      if (words == std::string("spectral penalty"))
        CHECK((f.evidence.find("here it holds") != std::string::npos) == holds);
    }
  }
}
