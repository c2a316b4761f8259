#include "tools/grashof/suite/report.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "engine/study/page_parts.h"
#include "tools/grashof/drawing/chart.h"
#include "tools/grashof/suite/statistics.h"

namespace grashof {
namespace {

using Points = std::vector<std::pair<double, double>>;

std::string percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? "–"
                    : fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

/// A sentence of its own: where a statement comes from, and what would refute it.
std::string termsOf(const Finding& f) {
  std::string text = fmt::format("Criterion: {}. Refuted by: {}.", f.criterion, f.refuted);
  if (!f.difference.empty()) text += fmt::format(" Differs from the source: {}.", f.difference);
  return text;
}

std::string claimOf(const Finding& f) {
  return f.source.empty() ? f.statement : fmt::format("{} {}", f.statement, f.source);
}

}  // namespace

SuiteReport::SuiteReport(const SuitePlan& plan, const std::vector<SuiteUnit>& units)
    : plan_(plan), units_(units) {}

std::vector<SuiteReport::Record> SuiteReport::records(const std::string& solver, const std::string& category,
                                                      bool warm) const {
  return recordsOf(units_, solver, category, warm);
}

std::vector<std::string> SuiteReport::categories() const {
  std::vector<std::string> found;
  for (const char* category : kCategories)
    if (!records("", category, false).empty()) found.emplace_back(category);
  return found;
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
      "Solved to {:g}, from a cold start: {:.1f} % of all samples by {}, in {:.3g} ms in the median{}.",
      kAsked, 100.0 * entries[0].rate, entries[0].solver, 1e3 * entries[0].time,
      entries.size() < 2
          ? ""
          : fmt::format("; {:.1f} % by {} in {:.3g} ms", 100.0 * entries[1].rate, entries[1].solver,
                        1e3 * entries[1].time) +
                (entries.size() < 3 ? ""
                                    : fmt::format(" and {:.1f} % by {} in {:.3g} ms", 100.0 * entries[2].rate,
                                                  entries[2].solver, 1e3 * entries[2].time))));
  if (mostSwept > 0.0)
    lines.push_back(fmt::format("Solvers that sweep over rows or contacts solve {} in {} iterations.",
                                leastSwept < mostSwept ? fmt::format("between {:.0f} % and {:.0f} %",
                                                                     100.0 * leastSwept, 100.0 * mostSwept)
                                                       : fmt::format("{:.0f} %", 100.0 * mostSwept),
                                plan_.iterations));
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

SuiteReport::Table SuiteReport::systems() const {
  Table t{"Systems",
          "Rows: of the joints. Lost rank: rows of J that depend on others, over the samples. Condition: of "
          "the Delassus matrix on its range, median and worst. Densities: rows over six times the bodies, of "
          "joints, contacts and all, greatest. Contacts, sliding ones, limits: greatest number in a sample; "
          "touching: share of the samples with contacts.",
          {"system", "bodies", "joints", "rows", "mass ratio", "lost rank", "condition", "worst condition",
           "d_J", "d_C", "d_JC", "contacts", "sliding", "limits", "touching"},
          {}};
  std::map<std::string, bool> seen;
  for (const SuiteUnit& unit : units_) {
    if (!seen.try_emplace(unit.system, true).second) continue;
    std::vector<double> condition;
    SampleInfo top;  // the greatest of each
    std::size_t touching = 0;
    int least = 1 << 30, most = 0;
    for (const SuiteUnit& other : units_) {
      if (other.system != unit.system) continue;
      for (const SampleInfo& s : other.samples) {
        condition.push_back(s.condition);
        touching += s.contacts > 0;
        top.jointDensity = std::max(top.jointDensity, s.jointDensity);
        top.contactDensity = std::max(top.contactDensity, s.contactDensity);
        top.totalDensity = std::max(top.totalDensity, s.totalDensity);
        top.contacts = std::max(top.contacts, s.contacts);
        top.sliding = std::max(top.sliding, s.sliding);
        top.limits = std::max(top.limits, s.limits);
        least = std::min(least, s.rows() - s.rank);
        most = std::max(most, s.rows() - s.rank);
      }
    }
    if (condition.empty()) continue;
    t.rows.push_back(
        {unit.system, fmt::format("{}", unit.run.bodies), fmt::format("{}", unit.run.joints),
         fmt::format("{}", unit.run.rows), fmt::format("{:.2f}", unit.run.massRatio),
         least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most),
         fmt::format("{:.1e}", median(condition)), fmt::format("{:.1e}", quantile(condition, 1.0)),
         fmt::format("{:.2f}", top.jointDensity), fmt::format("{:.2f}", top.contactDensity),
         fmt::format("{:.2f}", top.totalDensity), fmt::format("{}", top.contacts),
         fmt::format("{}", top.sliding), fmt::format("{}", top.limits), percent(touching, condition.size())});
  }
  return t;
}

SuiteReport::Table SuiteReport::runs() const {
  Table t{"Runs",
          "With each scenario's own solver. Penetration: the mean over the steps of the deepest contact.",
          {"system", "time step s", "steps", "joint residual", "mean penetration m", "deepest m",
           "unsolved steps", "real time ×"},
          {}};
  for (const SuiteUnit& unit : units_) {
    const RunInfo& r = unit.run;
    t.rows.push_back({unit.system, fmt::format("{:g}", unit.timestep), fmt::format("{}", r.steps),
                      fmt::format("{:.1e}", r.jointResidual), fmt::format("{:.1e}", r.meanPenetration),
                      fmt::format("{:.1e}", r.maxPenetration), fmt::format("{}", r.unsolved),
                      r.divergence.empty() ? fmt::format("{:.3g}", r.realTimeFactor) : "diverged"});
  }
  return t;
}

SuiteReport::Table SuiteReport::success(bool warm, double tolerance) const {
  Table t{
      fmt::format("Samples solved to {:g}, {}", tolerance, warm ? "warm" : "cold"),
      fmt::format(
          "Primal and dual residual, and complementarity over ‖λ‖∞, within {:g} of the speeds and impulses "
          "of "
          "the problem, by the independent measures of the NCP, in at most {} iterations. The solvers were "
          "asked for {:g}.",
          tolerance, plan_.iterations, kAsked),
      {"solver"},
      {}};
  const auto kinds = categories();
  for (const std::string& kind : kinds)
    t.columns.push_back(fmt::format("{} ({})", kind, records(plan_.solvers.front(), kind, warm).size()));
  t.columns.emplace_back("all");
  for (const std::string& solver : plan_.solvers) {
    std::vector<std::string> row = {solver};
    const auto cell = [&](const std::string& kind) {
      const auto all = records(solver, kind, warm);
      const auto solved = std::count_if(
          all.begin(), all.end(), [&](const Record& r) { return r.measurement->accuracy <= tolerance; });
      row.push_back(percent(static_cast<std::size_t>(solved), all.size()));
    };
    for (const std::string& kind : kinds) cell(kind);
    cell("");
    t.rows.push_back(std::move(row));
  }
  return t;
}

SuiteReport::Table SuiteReport::efficiency() const {
  Table t{"Accuracy and cost, cold",
          "Medians over all samples; quartiles and worst in the plots and in the CSV.",
          {"solver", "iterations", "factorizations", "time ms", "penetration m", "dual m/s",
           "complementarity J", "natural map", "worst natural map"},
          {}};
  for (const std::string& solver : plan_.solvers) {
    const auto all = records(solver, "", false);
    const auto over = [&](const Value& value) {
      std::vector<double> values;
      values.reserve(all.size());
      for (const Record& r : all) values.push_back(value(*r.measurement));
      return values;
    };
    const auto map = over([](const Measurement& m) { return m.residuals.naturalMap; });
    t.rows.push_back(
        {solver, fmt::format("{:.0f}", median(over([](const Measurement& m) { return m.iterations; }))),
         fmt::format("{:.0f}", median(over([](const Measurement& m) { return m.factorizations; }))),
         fmt::format("{:.3f}", median(over([](const Measurement& m) { return 1e3 * m.seconds; }))),
         fmt::format("{:.1e}", median(over([](const Measurement& m) { return m.violation.largest(); }))),
         fmt::format("{:.1e}", median(over([](const Measurement& m) { return m.residuals.dual; }))),
         fmt::format("{:.1e}",
                     median(over([](const Measurement& m) { return m.residuals.complementarity; }))),
         fmt::format("{:.1e}", median(map)), fmt::format("{:.1e}", quantile(map, 1.0))});
  }
  return t;
}

/// Mean and standard deviation, of logarithms where values spread over decades.
SuiteReport::Table SuiteReport::spread() const {
  Table t{"Mean and spread, cold",
          "Mean ± standard deviation over all samples; of the residuals that of the decimal logarithm, with "
          "1e-16 for "
          "less.",
          {"solver", "iterations", "factorizations", "time ms", "lg penetration", "lg dual",
           "lg complementarity", "lg natural map"},
          {}};
  const auto lg = [](double x) { return std::log10(std::max(x, 1e-16)); };
  for (const std::string& solver : plan_.solvers) {
    const auto all = records(solver, "", false);
    const auto cell = [&](const char* format, const Value& value) {
      std::vector<double> values;
      values.reserve(all.size());
      for (const Record& r : all) values.push_back(value(*r.measurement));
      const auto [mean, deviation] = meanAndDeviation(values);
      return fmt::format("{} ± {}", fmt::format(fmt::runtime(format), mean),
                         fmt::format(fmt::runtime(format), deviation));
    };
    t.rows.push_back({solver, cell("{:.0f}", [](const Measurement& m) { return m.iterations; }),
                      cell("{:.1f}", [](const Measurement& m) { return m.factorizations; }),
                      cell("{:.3f}", [](const Measurement& m) { return 1e3 * m.seconds; }),
                      cell("{:.1f}", [&](const Measurement& m) { return lg(m.violation.largest()); }),
                      cell("{:.1f}", [&](const Measurement& m) { return lg(m.residuals.dual); }),
                      cell("{:.1f}", [&](const Measurement& m) { return lg(m.residuals.complementarity); }),
                      cell("{:.1f}", [&](const Measurement& m) { return lg(m.residuals.naturalMap); })});
  }
  return t;
}

std::vector<SuiteReport::Table> SuiteReport::tables() const {
  return {choice(),
          breaks(),
          success(false, kAsked),
          success(true, kAsked),
          success(false, kLoose),
          efficiency(),
          spread(),
          systems(),
          runs()};
}

/// For each category the solvers that solve all of its samples, or the most, the fastest first.
SuiteReport::Table SuiteReport::choice() const {
  Table t{"Which solver for what",
          "Of the solvers that solve the most samples of a category from a cold start, those with the least "
          "median time.",
          {"category", "solved", "fastest", "then", "then"},
          {}};
  for (const std::string& category : categories()) {
    struct Entry {
      std::string solver;
      double rate, time;
    };
    std::vector<Entry> entries;
    for (const std::string& solver : plan_.solvers) {
      std::vector<double> times;
      double solved = 0.0;
      for (const Record& r : records(solver, category, false)) {
        times.push_back(r.measurement->seconds);
        solved += r.measurement->solved;
      }
      if (!times.empty())
        entries.push_back({solver, solved / static_cast<double>(times.size()), median(times)});
    }
    double best = 0.0;
    for (const Entry& e : entries) best = std::max(best, e.rate);
    std::erase_if(entries, [&](const Entry& e) { return e.rate < best; });
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
    std::vector<std::string> row = {category, fmt::format("{:.0f} %", 100.0 * best)};
    for (std::size_t i = 0; i < 3; ++i)
      row.push_back(
          i < entries.size() ? fmt::format("{} ({:.3g} ms)", entries[i].solver, 1e3 * entries[i].time) : "");
    t.rows.push_back(std::move(row));
  }
  return t;
}

/// For each solver where it fails most.
SuiteReport::Table SuiteReport::breaks() const {
  Table t{
      "Where each breaks",
      "The system of which a solver leaves the most samples unsolved, cold; and the worst it leaves there.",
      {"solver", "system", "unsolved", "worst natural map"},
      {}};
  for (const std::string& solver : plan_.solvers) {
    struct Count {
      std::size_t all = 0, failed = 0;
      double worst = 0.0;
    };
    std::map<std::string, Count> systems;
    for (const Record& r : records(solver, "", false)) {
      Count& c = systems[r.unit->system];
      ++c.all;
      c.failed += !r.measurement->solved;
      if (!r.measurement->solved) c.worst = std::max(c.worst, r.measurement->residuals.naturalMap);
    }
    const auto most = std::max_element(systems.begin(), systems.end(), [](const auto& a, const auto& b) {
      return a.second.failed * b.second.all < b.second.failed * a.second.all;
    });
    if (most == systems.end()) continue;
    if (most->second.failed == 0)
      t.rows.push_back({solver, "nowhere", "0 %", ""});
    else
      t.rows.push_back({solver, most->first, percent(most->second.failed, most->second.all),
                        fmt::format("{:.1e}", most->second.worst)});
  }
  return t;
}

std::string SuiteReport::boxPlot(const std::string& title, const std::string& label, double lower,
                                 double upper, const Value& value) const {
  Chart chart(title, {"", false, 0, 1, plan_.solvers}, {label, true, lower, upper});
  for (std::size_t i = 0; i < plan_.solvers.size(); ++i) {
    std::vector<double> values;
    for (const Record& r : records(plan_.solvers[i], "", false)) values.push_back(value(*r.measurement));
    if (values.empty()) continue;
    chart.box(static_cast<double>(i), fiveNumbers(std::move(values)), static_cast<int>(i));
  }
  return chart.figure();
}

/// Dolan & Moré 2002: the share of samples that a solver solved within τ times the least time of any.
std::string SuiteReport::profile(const std::string& category) const {
  std::map<std::pair<const SuiteUnit*, int>, double> least;
  for (const Record& r : records("", category, false)) {
    if (!r.measurement->solved) continue;
    const auto at = least.try_emplace({r.unit, r.measurement->sample}, r.measurement->seconds).first;
    at->second = std::min(at->second, r.measurement->seconds);
  }
  Chart chart(category.empty() ? "Performance profile, all samples" : "Performance profile, " + category,
              {"τ: time over the fastest solver's", true, 1.0, 1e4},
              {"share of samples solved", false, 0.0, 1.0});
  for (std::size_t i = 0; i < plan_.solvers.size(); ++i) {
    const auto all = records(plan_.solvers[i], category, false);
    if (all.empty()) continue;
    std::vector<double> ratios;
    for (const Record& r : all)
      if (r.measurement->solved)
        ratios.push_back(r.measurement->seconds / std::max(least.at({r.unit, r.measurement->sample}), 1e-12));
    std::sort(ratios.begin(), ratios.end());
    Points line = {{1.0, 0.0}};
    for (std::size_t k = 0; k < ratios.size(); ++k) {
      line.emplace_back(ratios[k], line.back().second);
      line.emplace_back(ratios[k], static_cast<double>(k + 1) / static_cast<double>(all.size()));
    }
    line.emplace_back(1e4, line.back().second);
    chart.curve(line, static_cast<int>(i), plan_.solvers[i]);
  }
  return chart.figure();
}

std::string SuiteReport::convergence(const std::string& category) const {
  Chart chart("Convergence, " + category, {"iterations", true, 1.0, std::max(10.0, double(plan_.iterations))},
              {"natural map, median", true, 1e-12, 1e2});
  for (std::size_t i = 0; i < plan_.solvers.size(); ++i) {
    // A curve that ends early has arrived: its last value holds on.
    std::vector<Points> curves;
    std::vector<double> counts;
    for (const SuiteUnit& unit : units_) {
      Points curve;
      for (const Progression& p : unit.progressions)
        if (p.solver == plan_.solvers[i] && unit.samples[p.sample].category == category) {
          curve.emplace_back(p.iterations, p.naturalMap);
          counts.push_back(p.iterations);
        }
      if (!curve.empty()) curves.push_back(std::move(curve));
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    Points line;
    for (const double count : counts) {
      std::vector<double> values;
      for (const Points& curve : curves) {
        double value = curve.front().second;
        for (const auto& [at, map] : curve)
          if (at <= count) value = map;
        values.push_back(value);
      }
      line.emplace_back(count, median(values));
    }
    if (!line.empty()) chart.curve(line, static_cast<int>(i), plan_.solvers[i]);
  }
  return chart.figure();
}

std::string SuiteReport::growth() const {
  Chart chart("Time against dimension, cold", {"rows of the problem", true, 1.0, 1000.0},
              {"time, s", true, 1e-7, 10.0});
  for (std::size_t i = 0; i < plan_.solvers.size(); ++i) {
    Points points;
    for (const Record& r : records(plan_.solvers[i], "", false))
      points.emplace_back(std::max(1, r.sample->rows()), r.measurement->seconds);
    if (!points.empty()) chart.points(points, static_cast<int>(i), plan_.solvers[i]);
  }
  return chart.figure();
}

std::vector<std::string> SuiteReport::plots() const {
  std::vector<std::string> all = {
      boxPlot("Natural map", "residual", 1e-14, 1e2,
              [](const Measurement& m) { return m.residuals.naturalMap; }),
      boxPlot("Penetration", "m", 1e-16, 1.0, [](const Measurement& m) { return m.violation.largest(); }),
      boxPlot("Complementarity", "J", 1e-18, 1e2,
              [](const Measurement& m) { return m.residuals.complementarity; }),
      boxPlot("Iterations", "", 1.0, 1e5, [](const Measurement& m) { return std::max(1, m.iterations); }),
      boxPlot("Time", "s", 1e-7, 10.0, [](const Measurement& m) { return m.seconds; }),
      growth(),
      profile("")};
  for (const std::string& category : categories()) {
    all.push_back(profile(category));
    all.push_back(convergence(category));
  }
  return all;
}

std::string SuiteReport::markdown() const {
  std::string s = fmt::format(
      "# Results of the benchmark suite\n\nGenerated by `grashof bench suite`: {} systems, {} solvers, time "
      "steps of {:g} s{}, {} samples of each "
      "run of {:g} s.\n",
      plan_.systems.size(), plan_.solvers.size(), plan_.timesteps.front(),
      plan_.timesteps.size() > 1 ? fmt::format(" to {:g} s", plan_.timesteps.back()) : "", plan_.samples,
      plan_.duration);
  s += fmt::format("Machine: {}, one core.\n\n", processor());
  for (const std::string& line : summary()) s += "- " + line + "\n";
  s += "\n## Statements\n\n";
  for (const Finding& f : judgeStatements(plan_, units_))
    s += fmt::format("- **{}**: {} Measured: {}. {}\n", verdictName(f.verdict), claimOf(f), f.evidence,
                     termsOf(f));
  for (const Table& t : tables()) {
    s += fmt::format("\n## {}\n\n{}\n\n| {} |\n|{}\n", t.title, t.note, fmt::join(t.columns, " | "), [&] {
      std::string line = "---|";
      for (std::size_t i = 1; i < t.columns.size(); ++i) line += "---:|";
      return line;
    }());
    for (const auto& row : t.rows) s += fmt::format("| {} |\n", fmt::join(row, " | "));
  }
  return s;
}

std::string SuiteReport::html() const {
  std::string s;
  s += fmt::format(
      "<h1>Benchmark suite</h1>\n<p>{} systems, {} solvers, {} samples of each run of {:g} s.</p>\n",
      plan_.systems.size(), plan_.solvers.size(), plan_.samples, plan_.duration);
  s += fmt::format("<p>Machine: {}, one core.</p>\n<ul>\n", escaped(processor()));
  for (const std::string& line : summary()) s += "<li>" + escaped(line) + "</li>\n";
  s += "</ul>\n";
  // What this run does not measure stands aside.
  std::string measured, others;
  std::size_t count = 0;
  for (const Finding& f : judgeStatements(plan_, units_)) {
    const std::string item = fmt::format(
        "<li><b class=\"{}\">{}</b>: {} Measured: {}.<br><small class=\"faint\">{}</small></li>\n",
        f.verdict == Verdict::Confirmed ? "good"
        : f.verdict == Verdict::Refuted ? "bad"
                                        : "faint",
        verdictName(f.verdict), escaped(claimOf(f)), escaped(f.evidence), escaped(termsOf(f)));
    (f.verdict == Verdict::NotMeasured ? others : measured) += item;
    if (f.verdict == Verdict::NotMeasured) ++count;
  }
  s += "<section><h2>Statements</h2>\n<ul>\n" + measured + "</ul>\n";
  if (count > 0)
    s += fmt::format(
        "<details><summary>{} statements need systems or solvers that were not "
        "measured</summary>\n<ul>\n{}</ul>"
        "</details>\n",
        count, others);
  s += "</section>\n";
  for (const Table& t : tables()) {
    s += fmt::format(
        "<section><h2>{}</h2>\n<p class=\"faint\">{}</p>\n<div class=\"wide\"><table class=\"leading\"><tr>",
        escaped(t.title), escaped(t.note));
    for (const std::string& column : t.columns) s += "<th>" + escaped(column) + "</th>";
    s += "</tr>\n";
    for (const auto& row : t.rows) {
      s += "<tr>";
      for (const std::string& cell : row) s += "<td>" + escaped(cell) + "</td>";
      s += "</tr>\n";
    }
    s += "</table></div></section>\n";
  }
  s += "<section><h2>Plots</h2>\n<p class=\"faint\">Boxes: least, quartiles, worst.</p>\n<div "
       "class=\"charts\">\n";
  for (const std::string& plot : plots()) s += plot + "\n";
  s += "</div></section>\n";
  return htmlPage("Grashof: benchmark suite", s, chartScript());
}

}  // namespace grashof
