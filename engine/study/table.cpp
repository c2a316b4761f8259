#include "engine/study/table.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/csv.h"
#include "engine/base/output_file.h"
#include "engine/results/hdf5_file.h"

namespace grashof::study {
namespace {

/// Names of datasets: a slash would make a group.
std::string datasetName(const char* group, std::string name) {
  std::replace(name.begin(), name.end(), '/', '|');
  return fmt::format("{}/{}", group, name);
}

bool hasRoles(const Study& study) {
  return study.design() == Design::Indices || study.design() == Design::WorstCase;
}

}  // namespace

void writeCsv(Study& study, const Rows& rows, const std::string& path) {
  std::string text = "run";
  if (hasRoles(study)) text += ",role";
  for (const Factor& f : study.factors()) text += "," + csvCell(f.name);
  for (const Measure& m : study.measures()) text += "," + csvCell(m.name);
  text += ",status,reason\n";
  const auto out = std::back_inserter(text);
  for (std::uint64_t run = 0; run < rows.runs(); ++run) {
    if (!rows.has(run)) continue;
    const Point point = study.point(run, rows);
    fmt::format_to(out, "{}", run);
    if (hasRoles(study)) text += "," + csvCell(study.role(run));
    for (std::size_t f = 0; f < point.size(); ++f) text += "," + csvCell(study.valueText(f, point[f]));
    for (std::size_t m = 0; m < study.measures().size(); ++m)
      if (rows.ok(run))
        fmt::format_to(out, ",{}", rows.value(run, m));
      else
        text += ',';
    fmt::format_to(out, ",{},{}\n", statusName(rows.status(run)), csvCell(rows.reason(run)));
  }
  saveText(path, text);
}

void writeHdf5(Study& study, const Rows& rows, const std::string& path) {
  std::vector<double> numbers;
  std::vector<int> reasonRuns;
  std::vector<std::string> status, reasons, roles;
  std::vector<std::vector<double>> points(study.factors().size()), values(study.measures().size());
  for (std::uint64_t run = 0; run < rows.runs(); ++run) {
    if (!rows.has(run)) continue;
    const Point point = study.point(run, rows);
    numbers.push_back(static_cast<double>(run));
    status.emplace_back(statusName(rows.status(run)));
    if (hasRoles(study)) roles.push_back(study.role(run));
    for (std::size_t f = 0; f < point.size(); ++f) points[f].push_back(point[f]);
    for (std::size_t m = 0; m < values.size(); ++m) values[m].push_back(rows.value(run, m));
    if (rows.reason(run).empty()) continue;
    reasonRuns.push_back(static_cast<int>(run));
    reasons.push_back(rows.reason(run));
  }
  const std::string fresh = path + ".new";
  {
    Hdf5Writer out(fresh);
    out.attribute("format", "grashof study");
    out.attribute("study", study.hash());
    out.reals("run", numbers);
    if (hasRoles(study)) out.texts("role", roles);
    for (std::size_t f = 0; f < points.size(); ++f) {
      const Factor& factor = study.factors()[f];
      const std::string name = datasetName("factors", factor.name);
      std::vector<std::string> texts;
      for (double& x : points[f]) {
        if (factor.distribution) continue;
        texts.push_back(study.valueText(f, x));
        x = study.valueNumber(f, x);
      }
      if (factor.numeric)
        out.reals(name.c_str(), points[f]);
      else
        out.texts(name.c_str(), texts);
    }
    for (std::size_t m = 0; m < values.size(); ++m)
      out.reals(datasetName("measures", study.measures()[m].name).c_str(), values[m]);
    out.texts("status", status);
    out.integers("reason_run", reasonRuns);
    out.texts("reason", reasons);
    out.flush();
  }
  replaceFile(fresh, path);
}

}  // namespace grashof::study
