#include "engine/study/report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/output_file.h"
#include "engine/base/version.h"
#include "engine/study/page.h"
#include "engine/study/statistics.h"
#include "engine/study/table.h"

namespace grashof::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostPoints = 3000;  // of a page

std::string textOf(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// How many runs ended how.
std::array<std::uint64_t, 6> countStatus(const Rows& rows) {
  std::array<std::uint64_t, 6> counts{};
  for (std::uint64_t run = 0; run < rows.runs(); ++run)
    if (rows.has(run)) ++counts[static_cast<std::size_t>(rows.status(run))];
  return counts;
}

std::vector<std::size_t> randomFactors(const Study& study) {
  std::vector<std::size_t> all;
  for (std::size_t f = 0; f < study.factors().size(); ++f)
    if (study.factors()[f].distribution) all.push_back(f);
  return all;
}

Json worstCaseEffects(const Study& study, const Rows& rows, std::size_t measure) {
  Json effects = Json::array();
  const std::vector<std::size_t> random = randomFactors(study);
  for (std::size_t i = 0; i < random.size(); ++i)
    effects.push_back({{"factor", study.factors()[random[i]].name},
                       {"low", rows.value(2 * i + 1, measure)},
                       {"high", rows.value(2 * i + 2, measure)}});
  return effects;
}

Json indexEffects(const Study& study, const Indices& indices) {
  Json effects = Json::array();
  const std::vector<std::size_t> random = randomFactors(study);
  for (std::size_t i = 0; i < random.size(); ++i) {
    const Index& x = indices.factors[i];
    effects.push_back({{"factor", study.factors()[random[i]].name},
                       {"first", x.first},
                       {"first_error", x.firstError},
                       {"total", x.total},
                       {"total_error", x.totalError}});
  }
  return effects;
}

/// Rank correlations of a measure with all factors that are numbers and vary.
Json correlations(Study& study, const Rows& rows, std::size_t measure) {
  std::vector<std::vector<double>> points(study.factors().size());
  std::vector<double> values;
  for (std::uint64_t run = 0; run < rows.runs(); ++run) {
    const double value = rows.has(run) ? rows.value(run, measure) : NAN;
    if (!std::isfinite(value)) continue;
    const Point point = study.point(run, rows);
    for (std::size_t f = 0; f < point.size(); ++f) points[f].push_back(study.valueNumber(f, point[f]));
    values.push_back(value);
  }
  Json effects = Json::array();
  for (std::size_t f = 0; f < points.size(); ++f)
    if (study.factors()[f].numeric && values.size() > 2)
      effects.push_back(
          {{"factor", study.factors()[f].name}, {"rank_correlation", rankCorrelation(points[f], values)}});
  return effects;
}

Json measureJson(Study& study, const Rows& rows, std::size_t m) {
  const Summary s = summarize(rows, m);
  Json j = {{"name", study.measures()[m].name},
            {"unit", unitOf(study.measures()[m], *study.nominal().model)},
            {"count", s.count},
            {"mean", s.mean},
            {"deviation", s.deviation},
            {"min", s.min},
            {"max", s.max},
            {"run_of_min", s.runOfMin},
            {"run_of_max", s.runOfMax}};
  for (std::size_t i = 0; i < kShares.size(); ++i)
    j["quantiles"][fmt::format("{:g}", kShares[i])] = s.quantiles[i];
  if (study.design() == Design::WorstCase) {
    const std::uint64_t corner = study.firstPart() + 2 * m;
    j["nominal"] = rows.value(0, m);
    if (rows.has(corner) && rows.has(corner + 1))
      j["worst_case"] = {{"largest", rows.value(corner, m)}, {"smallest", rows.value(corner + 1, m)}};
    j["effects"] = worstCaseEffects(study, rows, m);
  } else if (study.design() == Design::Indices) {
    const Indices indices = indicesOf(study, rows, m);
    j["variance"] = indices.variance;
    j["effects"] = indexEffects(study, indices);
  } else {
    j["effects"] = correlations(study, rows, m);
  }
  return j;
}

Json reportOf(Study& study, const Rows& rows) {
  const StudyDefinition& d = study.definition();
  Json j = {{"study", d.name},
            {"scenario", study.nominal().name},
            {"hash", study.hash()},
            {"program", version()},
            {"runs", study.runs()},
            {"done", rows.count()},
            {"design", designNames()[static_cast<std::size_t>(study.design())]},
            {"samples", study.samples()},
            {"seed", d.seed}};
  const auto counts = countStatus(rows);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) j["status"][statusName(static_cast<RunStatus>(i))] = counts[i];
  j["set"] = Json::object();
  for (const Override& o : d.set) j["set"][o.path] = o.value;
  for (const Factor& f : study.factors()) {
    Json factor = {{"name", f.name}, {"sets", f.path}};
    if (f.distribution)
      factor["distribution"] = f.distribution->text();
    else
      factor["levels"] = f.levels;
    j["factors"].push_back(std::move(factor));
  }
  for (std::size_t m = 0; m < study.measures().size(); ++m)
    j["measures"].push_back(measureJson(study, rows, m));
  return j;
}

/// A number that JSON has a word for.
Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

/// The page of a report, with the rows that it draws.
std::string pageWith(Study& study, const Rows& rows, Json data) {
  const std::uint64_t every = rows.count() / (kMostPoints + 1) + 1;
  data["every"] = every;
  Json table = Json::array();
  std::uint64_t seen = 0;
  for (std::uint64_t run = 0; run < rows.runs(); ++run) {
    if (!rows.has(run) || seen++ % every != 0) continue;
    const Point point = study.point(run, rows);
    Json row = {{"run", run}, {"status", statusName(rows.status(run))}, {"reason", rows.reason(run)}};
    for (std::size_t f = 0; f < point.size(); ++f)
      row["x"].push_back(study.factors()[f].numeric ? finite(study.valueNumber(f, point[f]))
                                                    : Json(point[f]));
    for (std::size_t m = 0; m < study.measures().size(); ++m) row["y"].push_back(finite(rows.value(run, m)));
    table.push_back(std::move(row));
  }
  data["table"] = std::move(table);
  return pageOf(study.definition().name, textOf(data, -1));
}

}  // namespace

std::string unitOf(const Measure& measure, const Model& model) {
  switch (measure.reduction) {
    case Reduction::TimeOfMax:
    case Reduction::TimeOfMin:
    case Reduction::Period:
      return "s";
    case Reduction::Straightness:
      return {};
    case Reduction::Extent:
    case Reduction::Miss:
      return "m";
    case Reduction::Transmission:
      return "rad";
    default:
      break;
  }
  std::string unit;
  for (const ChannelEntry& channel : channelsOf(model).entries)
    if (channel.name == measure.channel) unit = channel.unit;
  return measure.reduction == Reduction::Integral ? (unit.empty() ? "s" : unit + " s") : unit;
}

std::string reportJson(Study& study, const Rows& rows) { return textOf(reportOf(study, rows), 2) + "\n"; }

std::string reportText(Study& study, const Rows& rows) {
  const auto counts = countStatus(rows);
  std::string text = fmt::format("{}: {} of {} runs", study.definition().name, rows.count(), study.runs());
  for (std::size_t i = 1; i < counts.size(); ++i)
    if (counts[i] > 0) text += fmt::format(", {} {}", counts[i], statusName(static_cast<RunStatus>(i)));
  text += fmt::format("\n  {:<28} {:>9} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "measure", "runs", "mean",
                      "deviation", "min", "median", "max");
  for (std::size_t m = 0; m < study.measures().size(); ++m) {
    const Summary s = summarize(rows, m);
    text += fmt::format("  {:<28} {:>9} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g}\n",
                        study.measures()[m].name, s.count, s.mean, s.deviation, s.min, s.quantiles[2], s.max);
    if (study.design() == Design::Indices)
      for (const Json& e : indexEffects(study, indicesOf(study, rows, m)))
        text += fmt::format("    {:<26} first {:>8.4f} ± {:.4f}   total {:>8.4f} ± {:.4f}\n",
                            e["factor"].get<std::string>(), e["first"].get<double>(),
                            e["first_error"].get<double>(), e["total"].get<double>(),
                            e["total_error"].get<double>());
    const std::uint64_t corner = study.firstPart() + 2 * m;
    if (study.design() == Design::WorstCase && rows.has(corner) && rows.has(corner + 1))
      text += fmt::format("    nominal {:.6g}, at the corners {:.6g} and {:.6g}\n", rows.value(0, m),
                          rows.value(corner + 1, m), rows.value(corner, m));
  }
  return text;
}

void writeReports(Study& study, const Rows& rows, const std::string& folder, bool hdf5) {
  if (hdf5)
    writeHdf5(study, rows, folder + "/table.h5");
  else
    writeCsv(study, rows, folder + "/table.csv");
  const Json report = reportOf(study, rows);
  saveText(folder + "/study.json", textOf(report, 2) + "\n");
  saveText(folder + "/report.html", pageWith(study, rows, report));
}

}  // namespace grashof::study
