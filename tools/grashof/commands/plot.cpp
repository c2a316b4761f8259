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

std::string pageOf(const std::string& title, const std::vector<std::string>& panels) {
  std::string page = fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{}</title><style>body{{font-family:system-ui,sans-serif;"
      "margin:1em;background:#fff;color:#1c2430}}svg{{display:block;max-width:1000px;width:100%}}</style>\n",
      escaped(title));
  for (const std::string& p : panels) page += p + "\n";
  return page + "</html>\n";
}

/// The panels one below the other as one SVG file.
std::string stacked(const std::vector<std::string>& panels) {
  const Chart chart({}, {}, {}, kPanelLegend);
  const int width = static_cast<int>(chart.width()), height = static_cast<int>(chart.height());
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif"><rect width="100%" height="100%" fill="#fff"/>)",
      width, height * static_cast<int>(panels.size()));
  for (std::size_t i = 0; i < panels.size(); ++i)
    svg += fmt::format(R"(<svg y="{}" width="{}" height="{}">{}</svg>)", height * static_cast<int>(i), width,
                       height, panels[i]);
  return svg + "</svg>\n";
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
  std::map<std::string, std::vector<PanelLine>> lines;
  const auto labels = labelsOf(a.results);
  bool anyRedundant = false;
  std::map<std::string, std::string> unitOfChannel;
  std::string xUnit;
  for (std::size_t r = 0; r < a.results.size(); ++r) {
    const RecordedResult result(a.results[r]);
    const auto x = result.series(a.x);
    if (r == 0) xUnit = result.unit(a.x);
    for (const std::string& wanted : a.channels)
      for (const std::string& channel : matching(result, wanted)) {
        const auto y = result.series(channel);
        const std::string name = (result.redundant(channel) ? "~ " : "") + channel;
        anyRedundant = anyRedundant || result.redundant(channel);
        PanelLine line{a.results.size() > 1 ? labels[r] + ": " + name : name, {}};
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) line.points.emplace_back(x[i], y[i]);
        // One panel for a channel, also of a table, which knows less of units.
        const std::string unit = unitOfChannel.try_emplace(channel, result.unit(channel)).first->second;
        if (!lines.contains(unit)) units.push_back(unit);
        lines[unit].push_back(std::move(line));
      }
  }
  std::vector<std::string> panels;
  panels.reserve(units.size());
  const std::string title = a.title.empty() ? labelOf(a.results[0]) : a.title;
  const std::string xLabel = xUnit.empty() ? a.x : fmt::format("{}, {}", a.x, xUnit);
  for (const std::string& unit : units)
    panels.push_back(panel(panels.empty() ? title : "", xLabel, unit, lines[unit]));
  if (kind == ".html") {
    saveText(a.out, pageOf(title, panels));
  } else if (kind == ".svg") {
    saveText(a.out, stacked(panels));
  } else {
    const TemporaryFolder folder;
    // Twice the size of the SVG, for sharp lines.
    const Chart chart({}, {}, {}, kPanelLegend);
    const int width = 2 * static_cast<int>(chart.width());
    const int height = 2 * static_cast<int>(chart.height() * static_cast<double>(panels.size()));
    std::string page =
        "<!doctype html><style>body{margin:0}body>svg{display:block;width:100vw;height:auto}</style>";
    saveText(folder.path("plot.html"), page + stacked(panels));
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
