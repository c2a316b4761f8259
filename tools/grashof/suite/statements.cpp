#include "tools/grashof/suite/statements.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "tools/grashof/suite/statistics.h"

namespace grashof {
namespace {

// One system, or a handful of samples, shows how that system behaves and nothing about its kind.
constexpr std::size_t kLeastSystems = 3, kLeastSamples = 20;

/// What a criterion found.
struct Judgement {
  bool measured = false;
  bool holds = false;
  std::string numbers;  ///< where nothing was measured: what is missing
};

Judgement missing(std::string what) { return {false, false, std::move(what)}; }

/// What all criteria look at.
struct Evidence {
  const SuitePlan& plan;
  const std::vector<SuiteUnit>& units;

  /// From a cold start; without a solver or a category: of all.
  std::vector<SuiteRecord> cold(const std::string& solver, const std::string& category = "") const {
    return recordsOf(units, solver, category, false);
  }
  std::vector<SuiteRecord> warm(const std::string& solver) const {
    return recordsOf(units, solver, "", true);
  }
};

std::size_t samplesIn(const std::vector<SuiteRecord>& some) {
  std::set<std::pair<const SuiteUnit*, const SampleInfo*>> samples;
  for (const SuiteRecord& r : some) samples.insert({r.unit, r.sample});
  return samples.size();
}

std::vector<std::string> systemsIn(const std::vector<SuiteRecord>& some) {
  std::set<std::string> systems;
  for (const SuiteRecord& r : some) systems.insert(r.unit->system);
  return {systems.begin(), systems.end()};
}

/// Empty if `some` are enough for a verdict, else what there is.
std::string tooFew(const std::vector<SuiteRecord>& some, const char* what) {
  const auto systems = systemsIn(some);
  if (systems.size() >= kLeastSystems && samplesIn(some) >= kLeastSamples) return "";
  return fmt::format("{} samples {} of {} system{}{}; a verdict takes {} of {}", samplesIn(some), what,
                     systems.size(), systems.size() == 1 ? "" : "s",
                     systems.empty() ? "" : fmt::format(" ({})", fmt::join(systems, ", ")), kLeastSamples,
                     kLeastSystems);
}

/// The share of records that were solved; -1 without records.
double rate(const std::vector<SuiteRecord>& some) {
  const auto solved =
      std::count_if(some.begin(), some.end(), [](const SuiteRecord& r) { return r.measurement->solved; });
  return some.empty() ? -1.0 : static_cast<double>(solved) / static_cast<double>(some.size());
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Judgement sweepsStall(const Evidence& evidence, const char* category) {
  std::vector<SuiteRecord> swept;
  for (const std::string& solver : evidence.plan.solvers)
    if (sweeps(solver)) {
      const auto own = evidence.cold(solver, category);
      swept.insert(swept.end(), own.begin(), own.end());
    }
  const auto admm = evidence.cold("ADMM-NCP-SA", category);
  if (swept.empty() || admm.empty()) return missing("ADMM-NCP-SA or a sweeping solver was not measured");
  if (auto few = tooFew(admm, "of this category"); !few.empty()) return missing(std::move(few));
  return {true, rate(swept) < 0.5 && rate(admm) > 0.9,
          fmt::format("sweeping solvers solve {:.0f} % of these samples, ADMM-NCP-SA {:.0f} %; of {}",
                      100.0 * rate(swept), 100.0 * rate(admm), fmt::join(systemsIn(admm), ", "))};
}

Judgement sweepsStallOnRedundantJoints(const Evidence& evidence) {
  return sweepsStall(evidence, "Redundant Joints");
}

Judgement sweepsStallOnDenseJoints(const Evidence& evidence) { return sweepsStall(evidence, "Dense Joints"); }

Judgement contactSweepsFailOnMassRatios(const Evidence& evidence) {
  const auto here = [&](const std::string& solver) {
    std::vector<SuiteRecord> some = evidence.cold(solver);
    std::erase_if(some, [](const SuiteRecord& r) { return r.unit->system != "light-on-heavy"; });
    return rate(some);
  };
  double swept = -1.0;
  for (const std::string& solver : evidence.plan.solvers)
    if (sweeps(solver)) swept = std::max(swept, here(solver));
  const double admm = here("ADMM"), staggered = here("STAGGERED"), newton = here("CCP-NEWTON");
  if (std::min({swept, admm, staggered, newton}) < 0.0)
    return missing("light-on-heavy was not measured with ADMM, STAGGERED, CCP-NEWTON and a sweeping solver");
  return {true, swept < 0.1 && std::min({admm, staggered, newton}) > 0.9,
          fmt::format("the best sweeping solver solves {:.0f} % of the samples, ADMM {:.0f} %, STAGGERED "
                      "{:.0f} %, CCP-NEWTON {:.0f} %",
                      100.0 * swept, 100.0 * admm, 100.0 * staggered, 100.0 * newton)};
}

/// Median over the samples with contacts that both solve of the time of `solver` over that of PGS-NCP; 0
/// without such samples.
double timeOverSweeps(const Evidence& evidence, const std::string& solver, bool warm) {
  const auto own = recordsOf(evidence.units, solver, "", warm),
             base = recordsOf(evidence.units, "PGS-NCP", "", warm);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(own.size(), base.size()); ++i)
    if (own[i].sample->contacts > 0 && own[i].measurement->solved && base[i].measurement->solved)
      ratios.push_back(own[i].measurement->seconds / std::max(base[i].measurement->seconds, 1e-12));
  return median(ratios);
}

Judgement sweepsAreCheapestFromCold(const Evidence& evidence) {
  const double admm = timeOverSweeps(evidence, "ADMM", false),
               newton = timeOverSweeps(evidence, "CCP-NEWTON", false),
               warm = timeOverSweeps(evidence, "ADMM", true);
  if (std::min({admm, newton, warm}) <= 0.0)
    return missing("PGS-NCP, ADMM and CCP-NEWTON solve no sample with contacts in common");
  return {
      true, admm > 1.0 && newton > admm && warm < admm,
      fmt::format("cold ADMM {:.2f}, CCP-NEWTON {:.2f}; warm ADMM {:.2f} times PGS-NCP", admm, newton, warm)};
}

Judgement spectralPenaltyFactorizesLess(const Evidence& evidence) {
  const auto count = [&](const std::string& solver) {
    std::vector<double> counts;
    for (const SuiteRecord& r : evidence.cold(solver)) counts.push_back(r.measurement->factorizations);
    return counts;
  };
  const auto spectral = count("ADMM-NCP-SA"), linear = count("ADMM-NCP-LA");
  if (spectral.empty() || linear.empty()) return missing("ADMM-NCP-SA or -LA was not measured");
  return {true, mean(spectral) < mean(linear),
          fmt::format("mean {:.2f} against {:.2f} a problem; they solve {:.0f} % and {:.0f} %",
                      mean(spectral), mean(linear), 100.0 * rate(evidence.cold("ADMM-NCP-SA")),
                      100.0 * rate(evidence.cold("ADMM-NCP-LA")))};
}

Judgement softeningUnderestimatesReactions(const Evidence& evidence) {
  std::vector<double> ratios;
  std::set<std::string> systems;
  for (const SuiteUnit& unit : evidence.units)
    for (const SampleInfo& s : unit.samples)
      if (s.softening > 0.0) {
        ratios.push_back(s.softening);
        systems.insert(unit.system);
      }
  if (systems.size() < kLeastSystems || ratios.size() < kLeastSamples)
    return missing(fmt::format("{} samples with joints of {} systems; a verdict takes {} of {}",
                               ratios.size(), systems.size(), kLeastSamples, kLeastSystems));
  const auto less = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r < 1.0; });
  const double share = static_cast<double>(less) / static_cast<double>(ratios.size());
  return {true, median(ratios) < 1.0 && share > 0.5,
          fmt::format("{:.3f} times in the median, smaller in {:.0f} % of {} samples of {} systems",
                      median(ratios), 100.0 * share, ratios.size(), systems.size())};
}

Judgement relaxationBreaksCoulomb(const Evidence& evidence) {
  std::vector<SuiteRecord> convex, exact;
  for (const SuiteRecord& r : evidence.cold("")) {
    if (r.sample->sliding == 0) continue;
    const std::string& solver = r.measurement->solver;
    if (solver == "ADMM-CCP" || solver == "IPM-CCP") convex.push_back(r);
    if (solver == "ADMM" || solver == "IPM-NCP") exact.push_back(r);
  }
  if (convex.empty() || exact.empty())
    return missing("no sample with sliding contacts was measured with a solver of each kind");
  if (auto few = tooFew(convex, "with sliding contacts"); !few.empty()) return missing(std::move(few));
  const auto maps = [](const std::vector<SuiteRecord>& some) {
    std::vector<double> values;
    values.reserve(some.size());
    for (const SuiteRecord& r : some) values.push_back(r.measurement->residuals.naturalMap);
    return values;
  };
  const auto a = maps(convex), b = maps(exact);
  return {true, median(a) > 100.0 * median(b),
          fmt::format("median {:.1e} against {:.1e}, upper quartile {:.1e} against {:.1e}; {} samples of {}",
                      median(a), median(b), quantile(a, 0.75), quantile(b, 0.75), samplesIn(convex),
                      fmt::join(systemsIn(convex), ", "))};
}

Judgement warmStartHelpsAdmmMost(const Evidence& evidence) {
  std::vector<SuiteRecord> used;
  const auto saving = [&](const std::string& solver) {
    const auto cold = evidence.cold(solver), warm = evidence.warm(solver);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(cold.size(), warm.size()); ++i) {
      if (!cold[i].measurement->solved || !warm[i].measurement->solved) continue;
      ratios.push_back(double(warm[i].measurement->iterations + 1) /
                       double(cold[i].measurement->iterations + 1));
      used.push_back(cold[i]);
    }
    return ratios;
  };
  const auto admm = saving("ADMM"), sweep = saving("PGS-NCP");
  if (admm.empty() || sweep.empty()) return missing("ADMM or PGS-NCP solved nothing both ways");
  if (auto few = tooFew(used, "solved both ways"); !few.empty()) return missing(std::move(few));
  return {true, median(admm) < 1.0 && median(admm) < median(sweep),
          fmt::format("ADMM {:.2f}, PGS-NCP {:.2f}", median(admm), median(sweep))};
}

Judgement interiorPointMindsConditionLess(const Evidence& evidence) {
  // Some systems are well conditioned and others badly: only what one system does at both is compared.
  std::vector<SuiteRecord> used;
  const auto spread = [&](const std::string& solver) {
    std::map<std::string, std::array<std::vector<double>, 2>> systems;
    const auto records = evidence.cold(solver);
    for (const SuiteRecord& r : records)
      if (r.sample->contacts > 0)
        systems[r.unit->system][r.sample->condition < 1e5 ? 0 : 1].push_back(r.measurement->iterations + 1);
    std::erase_if(systems, [](const auto& s) { return s.second[0].empty() || s.second[1].empty(); });
    for (const SuiteRecord& r : records)
      if (r.sample->contacts > 0 && systems.contains(r.unit->system)) used.push_back(r);
    std::vector<double> ratios;
    ratios.reserve(systems.size());
    for (const auto& [system, both] : systems) ratios.push_back(median(both[1]) / median(both[0]));
    return median(ratios);
  };
  const double inner = spread("IPM-NCP"), first = spread("ADMM-NCP-SA");
  if (auto few = tooFew(used, "with contacts, below and above that condition,"); !few.empty())
    return missing(std::move(few));
  if (inner <= 0.0 || first <= 0.0) return missing("IPM-NCP or ADMM-NCP-SA was not measured");
  return {true, inner < 2.0 && first > 2.0, fmt::format("IPM-NCP {:.2f}, ADMM-NCP-SA {:.2f}", inner, first)};
}

struct Statement {
  const char* text;
  const char* source;
  const char* criterion;
  const char* refuted;
  const char* difference;
  Judgement (*measure)(const Evidence&);
};

/// In the order of the report: those of papers, then our own.
constexpr std::array kStatements = {
    Statement{"Softening the constraints under-estimates the reactions.", "[Tsounis 2025, V-D]",
              "Σ|λ| of the joints with R = (1 - d)/d D on all rows, d = 0.95 as MuJoCo's default, over the "
              "rigid one, in every sample with joints of at least three systems",
              "a median of 1 or more, or a smaller sum in at most half of the samples",
              "said of constraints in general, of whole motions and with a reference acceleration there; "
              "single steps of our systems here, without it",
              &softeningUnderestimatesReactions},
    Statement{"Solvers of the convex relaxation do not solve Signorini's condition where contacts slide.",
              "[Lidec 2024, III-B]",
              "natural map of the NCP of ADMM-CCP and IPM-CCP over that of ADMM and IPM-NCP, cold, on "
              "samples in which a contact slides",
              "medians less than a factor of 100 apart",
              "said of the model in general there; measured on our systems here", &relaxationBreaksCoulomb},
    Statement{"A spectral penalty needs fewer factorizations than a linear one.", "[Carpentier 2024, V-C]",
              "mean number of factorizations of ADMM-NCP-SA and ADMM-NCP-LA, cold, over all samples",
              "an equal or greater mean of ADMM-NCP-SA",
              "three sets of contact problems there, our systems here", &spectralPenaltyFactorizesLess},
    Statement{"On a heavy cube upon a light one solvers that go contact by contact fail; ADMM, staggered "
              "projections and Newton's method do not.",
              "[Lidec 2024, fig. 13]",
              "share of the samples of light-on-heavy that are solved, cold: below 10 % for every sweeping "
              "solver, above 90 % for ADMM, STAGGERED and CCP-NEWTON",
              "any of these shares on the other side",
              "two cubes in motion there, each solver judged by its own contact model; single problems of "
              "our scene here, all judged by the NCP",
              &contactSweepsFailOnMassRatios},
    Statement{"From a cold start sweeps are cheaper than ADMM, and Newton's method the dearest; from a warm "
              "one the gap closes.",
              "[Lidec 2024, fig. 17]",
              "median over the samples with contacts that both solve of the time over that of PGS-NCP: cold "
              "1 < ADMM < CCP-NEWTON, and warm ADMM below cold ADMM",
              "any of these inequalities violated",
              "robots in joint coordinates there, where sweeps see contacts only; maximal coordinates here, "
              "where they see every joint as well",
              &sweepsAreCheapestFromCold},
    Statement{"Sweeping solvers stall on redundant joints; ADMM does not.", "",
              "samples of the category Redundant Joints that are solved, cold: less than half by sweeping "
              "solvers, more than 90 % by ADMM-NCP-SA",
              "any of these shares on the other side", "", &sweepsStallOnRedundantJoints},
    Statement{"Sweeping solvers stall on dense joints; ADMM does not.", "",
              "samples of the category Dense Joints that are solved, cold: less than half by sweeping "
              "solvers, more than 90 % by ADMM-NCP-SA",
              "any of these shares on the other side", "", &sweepsStallOnDenseJoints},
    Statement{"A warm start saves iterations, of ADMM more than of Gauss-Seidel.", "",
              "iterations warm over cold, median of the samples solved both ways: ADMM below 1 and below "
              "PGS-NCP",
              "a median of ADMM of 1 or more, or one not below that of PGS-NCP", "", &warmStartHelpsAdmmMost},
    Statement{
        "An interior point's iterations hardly depend on the condition number; first-order methods' do.", "",
        "median iterations at condition ≥ 1e5 over those below, of one system, cold, samples with contacts; "
        "of these ratios the median over the systems that have both: IPM-NCP below 2, ADMM-NCP-SA above 2",
        "either ratio on the other side", "", &interiorPointMindsConditionLess}};

}  // namespace

const char* verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::Confirmed:
      return "confirmed";
    case Verdict::Refuted:
      return "refuted";
    case Verdict::NotComparable:
      return "not comparable";
    case Verdict::NotMeasured:
      break;
  }
  return "not measured";
}

bool sweeps(const std::string& solver) {
  return solver.starts_with("PGS") || solver == "NBGS" || solver.starts_with("RAISIM") || solver == "PROX" ||
         solver == "LCP-PGS";
}

std::vector<SuiteRecord> recordsOf(const std::vector<SuiteUnit>& units, const std::string& solver,
                                   const std::string& category, bool warm) {
  std::vector<SuiteRecord> found;
  for (const SuiteUnit& unit : units)
    for (const Measurement& m : unit.measurements) {
      const SampleInfo& sample = unit.samples[m.sample];
      if (m.warm == warm && (solver.empty() || m.solver == solver) &&
          (category.empty() || sample.category == category))
        found.push_back({&unit, &sample, &m});
    }
  return found;
}

std::vector<Finding> judgeStatements(const SuitePlan& plan, const std::vector<SuiteUnit>& units) {
  const Evidence evidence{plan, units};
  std::vector<Finding> all;
  all.reserve(kStatements.size());
  for (const Statement& s : kStatements) {
    Judgement outcome = s.measure(evidence);
    Finding f{s.text,
              s.source,
              s.criterion,
              s.refuted,
              s.difference,
              Verdict::NotMeasured,
              std::move(outcome.numbers)};
    if (outcome.measured)
      f.verdict = !f.difference.empty() ? Verdict::NotComparable
                  : outcome.holds       ? Verdict::Confirmed
                                        : Verdict::Refuted;
    // What is not comparable is told for what it is: a measurement of our own.
    if (f.verdict == Verdict::NotComparable)
      f.evidence += outcome.holds ? " (here it holds)" : " (here it does not hold)";
    all.push_back(std::move(f));
  }
  return all;
}

}  // namespace grashof
