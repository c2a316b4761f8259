// Statements about the measurements, and the measurements in plain words.
#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "tools/grashof/suite/report.h"
#include "tools/grashof/suite/statistics.h"

namespace grashof {
namespace {

/// Solvers that sweep over rows or contacts one at a time.
bool sweeps(const std::string& solver) {
  return solver.starts_with("PGS") || solver == "NBGS" || solver.starts_with("RAISIM") || solver == "PROX" ||
         solver == "LCP-PGS";
}

Finding::Verdict verdict(bool confirmed) {
  return confirmed ? Finding::Verdict::Confirmed : Finding::Verdict::Refuted;
}

/// What all findings look at.
struct Evidence {
  const SuitePlan& plan;
  const std::vector<SuiteUnit>& units;

  /// Without a solver or a category: of all.
  std::vector<SuiteRecord> records(const std::string& solver, const std::string& category, bool warm) const {
    return recordsOf(units, solver, category, warm);
  }
};

/// The share of samples that were solved; -1 without samples.
double rate(const std::vector<SuiteRecord>& some) {
  const auto solved =
      std::count_if(some.begin(), some.end(), [](const SuiteRecord& r) { return r.measurement->solved; });
  return some.empty() ? -1.0 : static_cast<double>(solved) / static_cast<double>(some.size());
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Finding sweepsStall(const Evidence& evidence, const char* kind) {
  Finding f{fmt::format("PGS-type solvers stall on {}; ADMM does not [Tsounis 2025, VIII].", kind), "", {}};
  std::vector<SuiteRecord> swept;
  for (const std::string& solver : evidence.plan.solvers)
    if (sweeps(solver)) {
      const auto own = evidence.records(solver, kind, false);
      swept.insert(swept.end(), own.begin(), own.end());
    }
  const double of = rate(swept), admm = rate(evidence.records("ADMM-NCP-SA", kind, false));
  if (of >= 0.0 && admm >= 0.0) {
    f.evidence = fmt::format("Sweeping solvers solve {:.0f} % of these samples, ADMM-NCP-SA {:.0f} %",
                             100.0 * of, 100.0 * admm);
    f.verdict = verdict(of < 0.5 && admm > 0.9);
  }
  return f;
}

Finding sweepsStallOnRedundantJoints(const Evidence& evidence) {
  return sweepsStall(evidence, "Redundant Joints");
}

Finding sweepsStallOnDenseJoints(const Evidence& evidence) { return sweepsStall(evidence, "Dense Joints"); }

Finding contactSweepsFailOnMassRatios(const Evidence& evidence) {
  Finding f{
      "Grams under and on tonnes: solvers that go contact by contact fail; ADMM, staggered and Newton's do "
      "not (Le Lidec et al., fig. 13).",
      "",
      {}};
  const auto here = [&](const std::string& solver) {
    std::vector<SuiteRecord> some = evidence.records(solver, "", false);
    std::erase_if(some, [](const SuiteRecord& r) { return r.unit->system != "light-on-heavy"; });
    return rate(some);
  };
  double swept = 0.0;
  for (const std::string& solver : evidence.plan.solvers)
    if (sweeps(solver)) swept = std::max(swept, here(solver));
  const double admm = here("ADMM"), staggered = here("STAGGERED"), newton = here("CCP-NEWTON");
  if (std::min({admm, staggered, newton}) >= 0.0) {
    f.evidence = fmt::format(
        "On light-on-heavy the best sweeping solver solves {:.0f} % of the samples, ADMM {:.0f} %, STAGGERED "
        "{:.0f} %, CCP-NEWTON {:.0f} % (of the NCP)",
        100.0 * swept, 100.0 * admm, 100.0 * staggered, 100.0 * newton);
    f.verdict = verdict(swept < 0.1 && std::min({admm, staggered, newton}) > 0.9);
  }
  return f;
}

Finding sweepsAreCheapestFromCold(const Evidence& evidence) {
  Finding f{
      "From a cold start the sweeps of PGS are cheaper than ADMM, and Newton's method the dearest; from a "
      "warm one the gap closes (Le Lidec et al., fig. 17).",
      "",
      {}};
  const auto ratio = [&](const std::string& solver, bool warm) {
    const auto own = evidence.records(solver, "", warm), base = evidence.records("PGS-NCP", "", warm);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(own.size(), base.size()); ++i)
      if (own[i].sample->contacts > 0 && own[i].measurement->solved && base[i].measurement->solved)
        ratios.push_back(own[i].measurement->seconds / std::max(base[i].measurement->seconds, 1e-12));
    return median(ratios);
  };
  const double admm = ratio("ADMM", false), newton = ratio("CCP-NEWTON", false),
               warmAdmm = ratio("ADMM", true);
  if (std::min(admm, newton) > 0.0) {
    f.evidence = fmt::format(
        "Median time over that of PGS-NCP where both solve a sample with contacts: cold ADMM {:.2f}, "
        "CCP-NEWTON {:.2f}; warm ADMM {:.2f}",
        admm, newton, warmAdmm);
    f.verdict = verdict(admm > 1.0 && newton > admm && warmAdmm < admm);
  }
  return f;
}

Finding spectralPenaltyFactorizesLess(const Evidence& evidence) {
  Finding f{"ADMM-NCP-SA needs fewer factorizations than -LA.", "", {}};
  std::vector<double> spectral, linear;
  for (const SuiteRecord& r : evidence.records("ADMM-NCP-SA", "", false))
    spectral.push_back(r.measurement->factorizations);
  for (const SuiteRecord& r : evidence.records("ADMM-NCP-LA", "", false))
    linear.push_back(r.measurement->factorizations);
  if (!spectral.empty() && !linear.empty()) {
    f.evidence =
        fmt::format("Mean {:.2f} against {:.2f} a problem; it solves {:.0f} % against {:.0f} %",
                    mean(spectral), mean(linear), 100.0 * rate(evidence.records("ADMM-NCP-SA", "", false)),
                    100.0 * rate(evidence.records("ADMM-NCP-LA", "", false)));
    f.verdict = verdict(mean(spectral) < mean(linear));
  }
  return f;
}

Finding softeningUnderestimatesReactions(const Evidence& evidence) {
  Finding f{"Softening the constraints under-estimates the reactions.", "", {}};
  std::vector<double> ratios;
  for (const SuiteUnit& unit : evidence.units)
    for (const SampleInfo& s : unit.samples)
      if (s.softening > 0.0) ratios.push_back(s.softening);
  if (!ratios.empty()) {
    const auto less = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r < 1.0; });
    f.evidence = fmt::format(
        "With MuJoCo's default impedance (d = 0.95) Σ|λ| of the joints is {:.3f} times the rigid one in the "
        "median, smaller in {} of the samples",
        median(ratios),
        fmt::format("{:.0f} %", 100.0 * static_cast<double>(less) / static_cast<double>(ratios.size())));
    f.verdict = verdict(median(ratios) < 1.0 && 2 * less > static_cast<std::ptrdiff_t>(ratios.size()));
  }
  return f;
}

Finding relaxationBreaksCoulomb(const Evidence& evidence) {
  Finding f{
      "Solvers of the convex relaxation do not solve Coulomb's law where contacts slide: their NCP residual "
      "stays.",
      "",
      {}};
  std::vector<double> convex, exact;
  for (const SuiteRecord& r : evidence.records("", "", false)) {
    if (r.sample->contacts == 0) continue;
    if (r.measurement->solver == "ADMM-CCP" || r.measurement->solver == "IPM-CCP")
      convex.push_back(r.measurement->residuals.naturalMap);
    if (r.measurement->solver == "ADMM" || r.measurement->solver == "IPM-NCP")
      exact.push_back(r.measurement->residuals.naturalMap);
  }
  if (!convex.empty() && !exact.empty()) {
    f.evidence = fmt::format(
        "Natural map of the NCP on samples with contacts: median {:.1e} (ADMM-CCP, IPM-CCP) against {:.1e} "
        "(ADMM, IPM-NCP); upper quartile {:.1e} against {:.1e}",
        median(convex), median(exact), quantile(convex, 0.75), quantile(exact, 0.75));
    f.verdict = verdict(quantile(convex, 0.75) > 100.0 * quantile(exact, 0.75));
  }
  return f;
}

Finding warmStartHelpsAdmmMost(const Evidence& evidence) {
  Finding f{"A warm start saves iterations, of ADMM more than of Gauss-Seidel.", "", {}};
  const auto saving = [&](const std::string& solver) {
    const auto cold = evidence.records(solver, "", false), warm = evidence.records(solver, "", true);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(cold.size(), warm.size()); ++i)
      if (cold[i].measurement->solved && warm[i].measurement->solved)
        ratios.push_back(double(warm[i].measurement->iterations + 1) /
                         double(cold[i].measurement->iterations + 1));
    return ratios;
  };
  const auto admm = saving("ADMM"), sweep = saving("PGS-NCP");
  if (!admm.empty() && !sweep.empty()) {
    f.evidence = fmt::format(
        "Iterations warm over cold, median of the samples solved both ways: ADMM {:.2f}, PGS-NCP {:.2f}",
        median(admm), median(sweep));
    f.verdict = verdict(median(admm) < 1.0 && median(admm) < median(sweep));
  }
  return f;
}

Finding interiorPointMindsConditionLess(const Evidence& evidence) {
  Finding f{"An interior point's iterations hardly depend on the condition number; first-order methods' do.",
            "",
            {}};
  const auto spread = [&](const std::string& solver) {
    std::vector<double> low, high;
    for (const SuiteRecord& r : evidence.records(solver, "", false)) {
      if (r.sample->contacts == 0) continue;
      (r.sample->condition < 1e5 ? low : high).push_back(r.measurement->iterations + 1);
    }
    return low.empty() || high.empty() ? 0.0 : median(high) / median(low);
  };
  const double inner = spread("IPM-NCP"), first = spread("ADMM-NCP-SA");
  if (inner > 0.0 && first > 0.0) {
    f.evidence = fmt::format(
        "Median iterations at condition ≥ 1e5 over those below, samples with contacts: IPM-NCP {:.2f}, "
        "ADMM-NCP-SA {:.2f}",
        inner, first);
    f.verdict = verdict(inner < 2.0 && first > inner);
  }
  return f;
}

/// In the order of the report.
constexpr std::array kFindings = {
    &sweepsStallOnRedundantJoints, &sweepsStallOnDenseJoints,      &contactSweepsFailOnMassRatios,
    &sweepsAreCheapestFromCold,    &spectralPenaltyFactorizesLess, &softeningUnderestimatesReactions,
    &relaxationBreaksCoulomb,      &warmStartHelpsAdmmMost,        &interiorPointMindsConditionLess};

}  // namespace

std::vector<Finding> SuiteReport::findings() const {
  const Evidence evidence{plan_, units_};
  std::vector<Finding> all;
  all.reserve(std::size(kFindings));
  for (const auto finding : kFindings) all.push_back(finding(evidence));
  return all;
}

std::vector<std::string> SuiteReport::summary() const {
  struct Entry {
    std::string solver;
    double rate, time;
  };
  std::vector<Entry> entries;
  double leastSwept = 1.0, mostSwept = 0.0;
  for (const std::string& solver : plan_.solvers) {
    std::vector<double> times;
    double solved = 0.0;
    for (const Record& r : records(solver, "", false)) {
      times.push_back(r.measurement->seconds);
      solved += r.measurement->solved;
    }
    if (times.empty()) continue;
    const double rate = solved / static_cast<double>(times.size());
    entries.push_back({solver, rate, median(times)});
    if (!sweeps(solver)) continue;
    leastSwept = std::min(leastSwept, rate);
    mostSwept = std::max(mostSwept, rate);
  }
  if (entries.empty()) return {};
  std::vector<std::string> lines;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.rate > b.rate; });
  lines.push_back(fmt::format(
      "{} solves {:.1f} % of all samples from a cold start, in {:.3g} ms in the median{}.", entries[0].solver,
      100.0 * entries[0].rate, 1e3 * entries[0].time,
      entries.size() < 2
          ? ""
          : fmt::format("; next come {} with {:.1f} % in {:.3g} ms", entries[1].solver,
                        100.0 * entries[1].rate, 1e3 * entries[1].time) +
                (entries.size() < 3 ? ""
                                    : fmt::format(" and {} with {:.1f} % in {:.3g} ms", entries[2].solver,
                                                  100.0 * entries[2].rate, 1e3 * entries[2].time))));
  if (mostSwept > 0.0)
    lines.push_back(
        fmt::format("Solvers that sweep over rows or contacts solve between {:.0f} % and {:.0f} % in {} "
                    "iterations: enough for single bodies on the ground, not for loops of joints.",
                    100.0 * leastSwept, 100.0 * mostSwept, plan_.iterations));
  std::vector<std::string> bad;
  double residual = 0.0;
  for (const SuiteUnit& unit : units_) {
    residual = std::max(residual, unit.run.jointResidual);
    if (!unit.run.divergence.empty() || unit.run.meanPenetration > 1e-4)
      bad.push_back(fmt::format("{} at {:g} s", unit.system, unit.timestep));
  }
  lines.push_back(
      fmt::format("In the runs joints stay within {:.0e} m; the mean penetration exceeds 0.1 mm, or the run "
                  "diverges, in {}.",
                  residual, bad.empty() ? "none" : fmt::format("{}", fmt::join(bad, ", "))));
  return lines;
}

}  // namespace grashof
