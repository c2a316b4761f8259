#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/scenario/display_units.h"
#include "engine/study/page.h"
#include "engine/study/page_parts.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/drawing/browser.h"
#include "tools/grashof/drawing/chart.h"
#include "tools/grashof/drawing/panel.h"
#include "tools/grashof/recorded_result.h"
#include "tools/grashof/temporary_folder.h"

namespace grashof {
namespace {

struct PlotArguments {
  std::vector<std::string> results;   ///< folders, .h5 or .csv files
  std::vector<std::string> channels;  ///< names or patterns with *
  std::string x = "time";
  std::string out = "plot.svg";
  std::string title;
};

constexpr std::size_t kMostPoints = 2000, kMostPagePoints = 20000;  // of a line; a page can be zoomed

/// The names that `wanted` stands for: itself, or all that a pattern fits.
std::vector<std::string> matching(const RecordedResult& result, const std::string& wanted) {
  if (wanted.find_first_of("*?[") == std::string::npos) return {wanted};
  std::vector<std::string> names;
  for (const std::string& name : result.channels())
    if (fnmatch(wanted.c_str(), name.c_str(), 0) == 0) names.push_back(name);
  if (names.empty())
    throw InputError(
        fmt::format("{}: no channel fits '{}' ('grashof info' lists all)", result.path(), wanted));
  return names;
}

/// The name of a result's folder.
std::string labelOf(const std::string& path) {
  std::filesystem::path p(path);
  if (!p.has_filename()) p = p.parent_path();
  if (p.filename().string().starts_with("trajectory.") && p.has_parent_path()) p = p.parent_path();
  return p.filename().string();
}

/// What tells results apart: their names, or where these are the same their paths.
std::vector<std::string> labelsOf(const std::vector<std::string>& paths) {
  std::vector<std::string> labels;
  labels.reserve(paths.size());
  for (const std::string& path : paths) labels.push_back(labelOf(path));
  const std::set<std::string> distinct(labels.begin(), labels.end());
  return distinct.size() == labels.size() ? labels : paths;
}

int plotResults(const PlotArguments& a) {
  const std::string kind = std::filesystem::path(a.out).extension().string();
  if (kind != ".svg" && kind != ".png" && kind != ".html")
    throw InputError(fmt::format("--out {}: must end in .svg, .png or .html", a.out));
  std::vector<std::string> units;  // in the order in which they come
  DisplayUnits shown;              // those of the first result
  std::map<std::string, std::vector<PanelLine>> lines;
  const auto labels = labelsOf(a.results);
  bool anyRedundant = false;
  std::map<std::string, std::string> unitOfChannel;
  std::string xUnit;
  for (std::size_t r = 0; r < a.results.size(); ++r) {
    const RecordedResult result(a.results[r]);
    if (r == 0) shown = result.units();
    const auto x = result.series(a.x);
    const DisplayUnits::Shown xShown = shown.of(result.unit(a.x));
    if (r == 0) xUnit = xShown.unit;
    for (const std::string& wanted : a.channels)
      for (const std::string& channel : matching(result, wanted)) {
        const auto y = result.series(channel);
        const std::string name = (result.redundant(channel) ? "~ " : "") + channel;
        anyRedundant = anyRedundant || result.redundant(channel);
        PanelLine line{a.results.size() > 1 ? labels[r] + ": " + name : name, {}};
        // One panel for a channel, also of a table, which knows less of units.
        const auto [scale, unit] =
            shown.of(unitOfChannel.try_emplace(channel, result.unit(channel)).first->second);
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
          line.points.emplace_back(xShown(x[i]), scale * y[i]);
        if (!lines.contains(unit)) units.push_back(unit);
        lines[unit].push_back(std::move(line));
      }
  }
  std::vector<Chart> panels;
  panels.reserve(units.size());
  const std::string title = a.title.empty() ? labelOf(a.results[0]) : a.title;
  const std::string xLabel = xUnit.empty() ? a.x : fmt::format("{}, {}", a.x, xUnit);
  for (const std::string& unit : units)
    panels.push_back(panel(panels.empty() && kind != ".html" ? title : "", xLabel, unit, lines[unit],
                           kind == ".html" ? kMostPagePoints : kMostPoints));
  if (kind == ".html") {
    std::string body = "<h1>" + escaped(title) + "</h1>\n<div class=\"charts one\">\n";
    for (const Chart& chart : panels) body += "<section>" + chart.figure(true) + "</section>\n";
    saveText(a.out, htmlPage(title, body + "</div>\n", chartScript()));
  } else if (kind == ".svg") {
    saveText(a.out, svgFile(panels));
  } else {
    const TemporaryFolder folder;
    // Twice the size of the SVG, for sharp lines.
    const Chart chart({}, {}, {}, kPanelLegend);
    const int width = 2 * static_cast<int>(chart.width());
    const int height = 2 * static_cast<int>(chart.height() * static_cast<double>(panels.size()));
    std::string page =
        "<!doctype html><style>body{margin:0}body>svg{display:block;width:100vw;height:auto}</style>";
    saveText(folder.path("plot.html"), page + svgFile(panels));
    screenshot(folder.path("plot.html"), a.out, width, height);
  }
  fmt::print("{}\n", a.out);
  if (anyRedundant) fmt::print("  {}\n", kRedundantNote);
  return 0;
}

}  // namespace

Command addPlot(CLI::App& app) {
  const auto a = std::make_shared<PlotArguments>();
  CLI::App& command = *app.add_subcommand("plot", "plot recorded channels, several runs overlaid");
  command.add_option("RESULT", a->results, "folder, trajectory.h5 or trajectory.csv of a run")->required();
  command
      .add_option("-y,--channel", a->channels,
                  "channel, as joint.crank.angle; * stands for anything; may be repeated")
      ->allow_extra_args(false)
      ->required();
  command.add_option("-x", a->x, "channel along the horizontal axis")->capture_default_str();
  command.add_option("-o,--out", a->out, "FILE.svg, FILE.png (needs chromium) or FILE.html")
      ->capture_default_str();
  command.add_option("--title", a->title, "title (default: the result's name)");
  return {&command, [a] { return plotResults(*a); }};
}

}  // namespace grashof
