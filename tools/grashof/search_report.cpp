#include "tools/grashof/search_report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/csv.h"
#include "engine/base/output_file.h"
#include "engine/base/version.h"
#include "engine/dynamics/drive.h"
#include "engine/scenario/writer.h"
#include "engine/study/page_parts.h"
#include "engine/study/path.h"
#include "engine/study/report.h"
#include "engine/study/table.h"
#include "tools/grashof/drawing/chart.h"
#include "tools/grashof/drawing/picture.h"
#include "tools/grashof/json_output.h"

namespace grashof {
namespace {

constexpr std::size_t kMostFailuresShown = 20;
constexpr std::int64_t kMostPathPoints = 2000;

std::string methodName(const SearchOutcome& o) {
  return study::searchMethodNames()[static_cast<std::size_t>(o.options.method)];
}

/// A measure with its unit.
std::string measureLabel(const SearchOutcome& o, std::size_t m) {
  const study::Measure& measure = o.study.measures()[m];
  const std::string unit = study::unitOf(measure, *o.study.nominal().model);
  return unit.empty() ? measure.name : measure.name + ", " + unit;
}

std::string boundText(const SearchOutcome& o, const study::Bound& b) {
  return fmt::format("{} {} {}", o.study.measures()[b.measure].name, b.upper ? "<=" : ">=", b.value);
}

/// How many evaluations failed, and how many of the others break a bound.
std::pair<std::size_t, std::size_t> countFailures(const SearchOutcome& o) {
  std::size_t failed = 0, outside = 0;
  for (std::uint64_t run = 0; run < o.result.points.size(); ++run)
    if (!o.rows.ok(run))
      ++failed;
    else if (!isFeasible(o.rows, o.goal, run))
      ++outside;
  return {failed, outside};
}

std::string setArguments(const SearchOutcome& o) {
  std::string text;
  for (const Override& x : bestOverrides(o)) {
    const std::string one = x.path + "=" + x.value;
    text +=
        one.find_first_of(" []*?$&;()'\"") == std::string::npos ? " --set " + one : " --set '" + one + "'";
  }
  return text.substr(1);
}

void writeEvaluations(const SearchOutcome& o, const std::string& path) {
  std::string text = "evaluation";
  for (const study::Factor& f : o.study.factors()) text += "," + csvCell(f.name);
  for (const study::Measure& m : o.study.measures()) text += "," + csvCell(m.name);
  text += ",feasible,status,reason\n";
  for (std::uint64_t run = 0; run < o.result.points.size(); ++run) {
    text += fmt::format("{}", run);
    for (const double x : o.result.points[run]) text += fmt::format(",{}", x);
    for (std::size_t m = 0; m < o.study.measures().size(); ++m)
      text += o.rows.ok(run) ? fmt::format(",{}", o.rows.value(run, m)) : ",";
    text += fmt::format(",{},{},{}\n", isFeasible(o.rows, o.goal, run) ? "yes" : "no",
                        statusName(o.rows.status(run)), csvCell(o.rows.reason(run)));
  }
  saveText(path, text);
}

/// The goal over the evaluations: each that is feasible, and the best so far.
std::string convergenceChart(const SearchOutcome& o) {
  std::vector<std::pair<double, double>> all, best;
  double low = std::numeric_limits<double>::infinity(), high = -low, now = 0.0;
  for (std::uint64_t run = 0; run < o.result.points.size(); ++run) {
    const double x = static_cast<double>(run);
    if (isFeasible(o.rows, o.goal, run)) {
      const double y = o.rows.value(run, o.goal.measure);
      all.emplace_back(x, y);
      now = best.empty() ? y : o.goal.largest ? std::max(now, y) : std::min(now, y);
      low = std::min(low, y);
      high = std::max(high, y);
    } else if (best.empty()) {
      continue;
    }
    best.emplace_back(x, now);
  }
  if (all.empty()) return "<p class=\"bad\">No evaluation is feasible.</p>\n";
  const bool logarithmic = low > 0.0 && high > 20.0 * low;
  if (!(low < high))
    low -= 0.5 * std::max(std::abs(low), 1e-12), high += 0.5 * std::max(std::abs(high), 1e-12);
  Chart chart("", {"evaluation", false, 0.0, std::max(1.0, static_cast<double>(o.result.points.size() - 1))},
              {measureLabel(o, o.goal.measure), logarithmic, low, high});
  chart.points(all, 0, "evaluations");
  chart.curve(best, 1, "best so far");
  return "<div class=\"charts one\">" + chart.figure() + "</div>\n";
}

/// The best mechanism in motion, and the paths of points that were to pass targets.
struct BestRun {
  std::string picture;
  std::vector<Chart> paths;
};

/// A path beside its targets, in the plane in which these differ most.
Chart pathChart(const std::string& point, const std::vector<Vec3>& path,
                const std::vector<study::PathTarget>& targets) {
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const study::PathTarget& t : targets) low = low.cwiseMin(t.point), high = high.cwiseMax(t.point);
  Eigen::Index across = 0;
  (high - low).minCoeff(&across);
  const Eigen::Index h = across == 0 ? 1 : 0, v = across == 2 ? 1 : 2;
  for (const Vec3& p : path) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double room = std::max(0.05 * (high - low).maxCoeff(), 1e-9);
  const std::string names = "xyz";
  Chart chart(
      "Path of " + point,
      {fmt::format("{}, m", names[static_cast<std::size_t>(h)]), false, low[h] - room, high[h] + room},
      {fmt::format("{}, m", names[static_cast<std::size_t>(v)]), false, low[v] - room, high[v] + room});
  std::vector<std::pair<double, double>> curve, points;
  for (const Vec3& p : path) curve.emplace_back(p[h], p[v]);
  for (const study::PathTarget& t : targets) points.emplace_back(t.point[h], t.point[v]);
  chart.curve(curve, 0, "path");
  chart.points(points, 1, "targets");
  chart.equalScales();
  return chart;
}

BestRun runBest(const SearchOutcome& o, const Scenario& best) {
  Picture picture(*best.model, best.duration);
  Simulator simulator(best.model, startState(*best.model));
  struct Path {
    const study::Measure* measure;
    std::function<Vec3(const Simulator&)> point;
    std::vector<Vec3> places;
  };
  std::vector<Path> paths;
  for (const study::Measure& m : o.study.measures())
    if (!m.targets.empty()) paths.push_back({&m, study::findBodyPoint(*best.model, m.channel), {}});
  const std::int64_t every = best.steps() / kMostPathPoints + 1;
  picture.observe(simulator);
  drive(simulator, best.steps(), [&](const Simulator& s, const DriveCounts& soFar) {
    picture.observe(s);
    if (soFar.steps % every == 0)
      for (Path& path : paths) path.places.push_back(path.point(s));
    return true;
  });
  BestRun run{picture.svg(), {}};
  for (const Path& path : paths)
    if (!path.places.empty())
      run.paths.push_back(pathChart(path.measure->channel, path.places, path.measure->targets));
  return run;
}

std::string bestHtml(const SearchOutcome& o, const Scenario& best) {
  const BestRun run = runBest(o, best);
  std::string html =
      "<section><h2>The best mechanism</h2>\n<div class=\"picture\">" + run.picture + "</div>\n";
  if (!run.paths.empty()) {
    html += "<div class=\"charts\">";
    for (const Chart& chart : run.paths) html += chart.figure();
    html += "</div>\n";
  }
  return html + "</section>\n";
}

/// `best`: null: there is none.
std::string searchPage(const SearchOutcome& o, const Scenario* best) {
  std::string body;
  const auto row = [&](const std::string& a, const std::string& b, const std::string& c) {
    body += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(a), b, c);
  };
  body += "<section><h2>Convergence</h2>\n" + convergenceChart(o) + "</section>\n";
  if (best) {
    const std::uint64_t run = *o.result.best;
    body +=
        "<section><h2>Best evaluation</h2>\n<div class=\"wide\"><table "
        "class=\"leading\"><tr><th></th><th>first</th>"
        "<th>best</th></tr>\n";
    row("evaluation", "0", fmt::format("{}", run));
    for (std::size_t f = 0; f < o.study.factors().size(); ++f)
      row(o.study.factors()[f].name, fmt::format("{:.8g}", o.result.points[0][f]),
          fmt::format("{:.8g}", o.result.points[run][f]));
    for (std::size_t m = 0; m < o.study.measures().size(); ++m)
      row(measureLabel(o, m),
          o.rows.ok(0) ? fmt::format("{:.6g}", o.rows.value(0, m)) : statusName(o.rows.status(0)),
          fmt::format("{:.6g}", o.rows.value(run, m)));
    body += "</table></div><pre>" + escaped(setArguments(o)) + "</pre></section>\n" + bestHtml(o, *best);
  }
  std::size_t shown = 0;
  for (std::uint64_t run = 0; run < o.result.points.size() && shown < kMostFailuresShown; ++run) {
    if (o.rows.ok(run)) continue;
    if (shown++ == 0)
      body += "<section><h2>Failed evaluations</h2>\n<div class=\"wide\"><table class=\"leading\">\n";
    row(fmt::format("{}", run), statusName(o.rows.status(run)), escaped(o.rows.reason(run)));
  }
  if (shown > 0) body += "</table></div></section>\n";
  std::string about = fmt::format(
      "{} {}, method {}; {} evaluations; ended: {}.", o.goal.largest ? "largest" : "least",
      o.study.measures()[o.goal.measure].name, methodName(o), o.result.points.size(), o.result.ended);
  for (const study::Bound& b : o.goal.bounds) about += " Constraint: " + boundText(o, b) + ".";
  const std::string& name = o.study.definition().name;
  return htmlPage(name,
                  "<h1>" + escaped(name) + "</h1>\n<p class=\"faint\">" + escaped(about) + "</p>\n" + body,
                  chartScript());
}

}  // namespace

std::vector<Override> bestOverrides(const SearchOutcome& o) {
  std::vector<Override> all = o.study.definition().set;
  for (std::size_t f = 0; f < o.study.factors().size(); ++f)
    all.push_back({o.study.factors()[f].path, o.study.valueText(f, o.result.points[*o.result.best][f])});
  return all;
}

nlohmann::ordered_json searchJson(const SearchOutcome& o) {
  const auto [failed, outside] = countFailures(o);
  nlohmann::ordered_json j = {
      {"study", o.study.definition().name},
      {"scenario", o.study.nominal().name},
      {"hash", searchHash(o.study, o.goal, o.options)},
      {"program", version()},
      {"method", methodName(o)},
      {"seed", o.options.seed},
      {"tolerance", o.options.tolerance},
      {o.goal.largest ? "maximize" : "minimize", o.study.measures()[o.goal.measure].name},
      {"evaluations", o.result.points.size()},
      {"failed", failed},
      {"outside", outside},
      {"ended", o.result.ended}};
  j["constraints"] = nlohmann::ordered_json::array();
  for (const study::Bound& b : o.goal.bounds) j["constraints"].push_back(boundText(o, b));
  for (const study::Factor& f : o.study.factors())
    j["ranges"][f.name] = {f.distribution->end(false), f.distribution->end(true)};
  const auto point = [&](std::uint64_t run) {
    nlohmann::ordered_json one = {{"evaluation", run}};
    for (std::size_t f = 0; f < o.study.factors().size(); ++f)
      one["values"][o.study.factors()[f].name] = o.result.points[run][f];
    for (std::size_t m = 0; m < o.study.measures().size() && o.rows.ok(run); ++m)
      one["measures"][o.study.measures()[m].name] = o.rows.value(run, m);
    return one;
  };
  if (!o.result.points.empty()) j["first"] = point(0);
  if (o.result.best) {
    j["best"] = point(*o.result.best);
    j["best"]["set"] = nlohmann::ordered_json::object();
    for (const Override& x : bestOverrides(o)) j["best"]["set"][x.path] = x.value;
  }
  return j;
}

std::string searchText(const SearchOutcome& o) {
  const auto [failed, outside] = countFailures(o);
  std::string text = fmt::format("{}: {} evaluations by {}, {} failed", o.study.definition().name,
                                 o.result.points.size(), methodName(o), failed);
  if (outside > 0) text += fmt::format(", {} outside the constraints", outside);
  text += fmt::format("; ended: {}\n", o.result.ended);
  if (!o.result.best) return text;
  const std::uint64_t best = *o.result.best;
  text += fmt::format("  {:<28} {:>14} {:>14}\n", "", "first", "best");
  for (std::size_t f = 0; f < o.study.factors().size(); ++f)
    text += fmt::format("  {:<28} {:>14.8g} {:>14.8g}\n", o.study.factors()[f].name, o.result.points[0][f],
                        o.result.points[best][f]);
  for (std::size_t m = 0; m < o.study.measures().size(); ++m)
    text +=
        fmt::format("  {:<28} {:>14} {:>14.6g}\n", o.study.measures()[m].name,
                    o.rows.ok(0) ? fmt::format("{:.6g}", o.rows.value(0, m)) : statusName(o.rows.status(0)),
                    o.rows.value(best, m));
  return text + "  best: " + setArguments(o) + "\n";
}

void writeSearch(const SearchOutcome& o, const std::string& folder) {
  std::optional<Scenario> best;
  if (o.result.best) best = readScenario(o.study.definition().scenario, bestOverrides(o));
  writeEvaluations(o, folder + "/evaluations.csv");
  saveText(folder + "/search.json", jsonText(searchJson(o)));
  saveText(folder + "/optimize.html", searchPage(o, best ? &*best : nullptr));
  if (!best) return;
  writeScenario(
      *best, folder + "/best.xml",
      fmt::format("{} {}: {}", o.goal.largest ? "Largest" : "Least", o.study.measures()[o.goal.measure].name,
                  o.rows.value(*o.result.best, o.goal.measure)));
}

}  // namespace grashof
