#include "tools/grashof/drawing/chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/study/page_parts.h"
#include "tools/grashof/json_output.h"

namespace grashof {
namespace {

constexpr double kLeft = 70.0, kTop = 30.0, kPlotWidth = 400.0, kPlotHeight = 260.0;  // px
constexpr double kWholeDigits = 5.0;  // numbers with more of them are written as powers of ten
constexpr double kBottom = 44.0, kBottomNames = 90.0;  // below the plot

/// Colours that stay apart, also for who does not tell red from green, as assets/pages/chart.js has them;
/// then the golden angle around the circle of hues.
std::string colour(int series) {
  static constexpr std::array<const char*, 8> kFirst = {"#0072b2", "#d55e00", "#009e73", "#b0458f",
                                                        "#8a6d00", "#3a9bd6", "#7a2fa0", "#5b6675"};
  if (static_cast<std::size_t>(series) < kFirst.size()) return kFirst[static_cast<std::size_t>(series)];
  return fmt::format("hsl({:.0f} 70% {}%)", std::fmod(series * 137.508, 360.0), series % 2 == 0 ? 45 : 32);
}

double share(const ChartAxis& axis, double value) {
  if (!axis.names.empty()) return (value + 0.5) / static_cast<double>(axis.names.size());
  value = std::clamp(value, axis.lower, axis.upper);
  if (!axis.logarithmic) return (value - axis.lower) / (axis.upper - axis.lower);
  return std::log(value / axis.lower) / std::log(axis.upper / axis.lower);
}

double markStep(const ChartAxis& axis) { return roundStep((axis.upper - axis.lower) / 6.0); }

/// A mark's number, with as many digits as tell it from the next.
std::string markText(const ChartAxis& axis, double value) {
  if (axis.logarithmic) return fmt::format("{:.3g}", value);
  const double step = markStep(axis);
  if (std::abs(value) < 1e-6 * step) return "0";
  const double whole = 1.0 + std::floor(std::log10(std::abs(value)) + 1e-9);  // digits before the point
  double digits = whole - std::floor(std::log10(step) + 1e-9);
  if (whole <= kWholeDigits) digits = std::max(digits, whole);
  return fmt::format("{:.{}g}", value, digits > 1.0 ? static_cast<int>(std::min(digits, 15.0)) : 1);
}

/// Where an axis has marks: powers of ten, not too many, or round numbers.
std::vector<double> marks(const ChartAxis& axis) {
  std::vector<double> values;
  if (axis.logarithmic) {
    const int first = static_cast<int>(std::ceil(std::log10(axis.lower) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(axis.upper) + 1e-9));
    for (int e = first; e <= last; e += std::max(1, (last - first) / 6)) values.push_back(std::pow(10.0, e));
  } else {
    const double step = markStep(axis);
    const double first = std::ceil(axis.lower / step - 1e-9);  // of an almost constant channel beyond all int
    for (int i = 0; (first + i) * step <= axis.upper + 1e-9 * step && i < 20; ++i)
      values.push_back((first + i) * step);
  }
  return values;
}

std::string jsonNumber(double x) { return std::isfinite(x) ? fmt::format("{:.8g}", x) : "null"; }

std::string jsonAxis(const ChartAxis& axis) {
  std::string names;
  for (const std::string& name : axis.names) names += (names.empty() ? "" : ",") + jsonLine(name);
  return fmt::format(R"({{"label":{},"logarithmic":{},"lower":{},"upper":{},"names":[{}]}})",
                     jsonLine(axis.label), axis.logarithmic, jsonNumber(axis.lower), jsonNumber(axis.upper),
                     names);
}

}  // namespace

double roundStep(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double m : {1.0, 2.0, 5.0})
    if (m * power >= x * (1.0 - 1e-9)) return m * power;
  return 10.0 * power;
}

Chart::Chart(std::string title, ChartAxis x, ChartAxis y, double legend)
    : title_(std::move(title)),
      x_(std::move(x)),
      y_(std::move(y)),
      legendWidth_(legend),
      bottom_(x_.names.empty() ? kBottom : kBottomNames) {}

double Chart::width() const { return kLeft + kPlotWidth + legendWidth_; }
double Chart::height() const { return kTop + kPlotHeight + bottom_; }

double Chart::px(double x) const { return kLeft + kPlotWidth * share(x_, x); }
double Chart::py(double y) const { return kTop + kPlotHeight * (1.0 - share(y_, y)); }

void Chart::entry(int series, const std::string& label) {
  const double y = kTop + 8.0 + 13.0 * entries_++;
  legend_ += fmt::format(
      R"(<rect x="{:.0f}" y="{:.0f}" width="12" height="4" fill="{}"/><text x="{:.0f}" y="{:.0f}" font-size="11">{}</text>)",
      width() - legendWidth_ + 8.0, y, colour(series), width() - legendWidth_ + 24.0, y + 5.0,
      escaped(label));
}

void Chart::record(const char* kind, const std::vector<std::pair<double, double>>& points, int series,
                   const std::string& label) {
  std::string xs, ys;
  for (const auto& [x, y] : points) {
    xs += (xs.empty() ? "" : ",") + jsonNumber(x);
    ys += (ys.empty() ? "" : ",") + jsonNumber(y);
  }
  series_ += fmt::format(R"({}{{"kind":"{}","series":{},"label":{},"x":[{}],"y":[{}]}})",
                         series_.empty() ? "" : ",", kind, series, jsonLine(label), xs, ys);
}

void Chart::curve(const std::vector<std::pair<double, double>>& points, int series,
                  const std::string& label) {
  record("curve", points, series, label);
  std::string path;
  for (const auto& [x, y] : points) path += fmt::format("{:.1f},{:.1f} ", px(x), py(y));
  body_ += fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="1.6"{}/>)", path,
                       colour(series),
                       series % 3 == 1   ? R"( stroke-dasharray="6 3")"
                       : series % 3 == 2 ? R"( stroke-dasharray="2 2")"
                                         : "");
  entry(series, label);
}

void Chart::points(const std::vector<std::pair<double, double>>& points, int series,
                   const std::string& label) {
  record("points", points, series, label);
  for (const auto& [x, y] : points)
    body_ += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.6" fill="{}" fill-opacity="0.8"/>)", px(x),
                         py(y), colour(series));
  entry(series, label);
}

void Chart::box(double x, const std::array<double, 5>& v, int series) {
  boxes_ += fmt::format(R"({}{{"x":{},"series":{},"values":[{}]}})", boxes_.empty() ? "" : ",", jsonNumber(x),
                        series, fmt::join(v, ","));
  const double width = 0.6 * kPlotWidth / static_cast<double>(std::max<std::size_t>(1, x_.names.size()));
  const double at = px(x);
  body_ += fmt::format(
      R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}" stroke="{3}"/>)"
      R"(<rect x="{4:.1f}" y="{5:.1f}" width="{6:.1f}" height="{7:.1f}" fill="{3}" fill-opacity="0.35" stroke="{3}"/>)"
      R"(<line x1="{4:.1f}" x2="{8:.1f}" y1="{9:.1f}" y2="{9:.1f}" stroke="{3}" stroke-width="2.5"/>)",
      at, py(v[0]), py(v[4]), colour(series), at - 0.5 * width, py(v[3]), width,
      std::max(1.0, py(v[1]) - py(v[3])), at + 0.5 * width, py(v[2]));
}

std::string Chart::svg() const {
  std::string s = fmt::format(
      R"(<svg class="plot" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}"><text x="{:.0f}" y="18" font-size="14" font-weight="bold">{}</text>)",
      width(), height(), escaped(title_), kLeft, escaped(title_));
  for (const double v : marks(y_))
    s += fmt::format(
        R"(<line x1="{0:.0f}" x2="{1:.0f}" y1="{2:.1f}" y2="{2:.1f}" stroke="currentColor" stroke-opacity="0.15"/><text x="{3:.0f}" y="{4:.1f}" font-size="11" text-anchor="end">{5}</text>)",
        kLeft, kLeft + kPlotWidth, py(v), kLeft - 6.0, py(v) + 4.0, markText(y_, v));
  for (std::size_t i = 0; i < x_.names.size(); ++i)
    s += fmt::format(
        R"svg(<text transform="translate({:.1f} {:.1f}) rotate(-40)" font-size="11" text-anchor="end">{}</text>)svg",
        px(static_cast<double>(i)) + 4.0, kTop + kPlotHeight + 12.0, escaped(x_.names[i]));
  if (x_.names.empty())
    for (const double v : marks(x_))
      s += fmt::format(
          R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.0f}" y2="{2:.0f}" stroke="currentColor" stroke-opacity="0.15"/><text x="{0:.1f}" y="{3:.0f}" font-size="11" text-anchor="middle">{4}</text>)",
          px(v), kTop, kTop + kPlotHeight, kTop + kPlotHeight + 16.0, markText(x_, v));
  s += body_ + legend_;
  s += fmt::format(
      R"(<rect x="{:.0f}" y="{:.0f}" width="{:.0f}" height="{:.0f}" fill="none" stroke="currentColor"/>)",
      kLeft, kTop, kPlotWidth, kPlotHeight);
  s += fmt::format(R"(<text x="{:.0f}" y="{:.0f}" font-size="12" text-anchor="middle">{}</text>)",
                   kLeft + 0.5 * kPlotWidth, height() - 8.0, escaped(x_.label));
  s += fmt::format(
      R"svg(<text transform="translate(16 {:.0f}) rotate(-90)" font-size="12" text-anchor="middle">{}</text></svg>)svg",
      kTop + 0.5 * kPlotHeight, escaped(y_.label));
  return s;
}

std::string Chart::figure(bool wheel) const {
  const std::string data = fmt::format(
      R"({{"title":{},"unit":{},"x":{},"y":{},"wheel":{},"equal":{},"series":[{}],"boxes":[{}]}})",
      jsonLine(title_), jsonLine(unit_), jsonAxis(x_), jsonAxis(y_), wheel, equal_, series_, boxes_);
  return chartFigure(data, svg());
}

std::string svgFile(const std::vector<Chart>& charts) {
  double width = 0.0, height = 0.0;
  for (const Chart& chart : charts) width = std::max(width, chart.width()), height += chart.height();
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" font-family="sans-serif"><rect width="100%" height="100%" fill="#fff"/>)",
      width, height);
  double top = 0.0;
  for (const Chart& chart : charts) {
    svg += fmt::format(R"(<svg y="{:.0f}" width="{:.0f}" height="{:.0f}">{}</svg>)", top, chart.width(),
                       chart.height(), chart.svg());
    top += chart.height();
  }
  return svg + "</svg>\n";
}

namespace {

std::string htmlTableOf(const std::string& csv) {
  std::string html = "<div class=\"wide\"><table class=\"leading\">\n";
  const char* tag = "th";
  for (std::size_t at = 0; at < csv.size();) {
    const std::size_t end = std::min(csv.find('\n', at), csv.size());
    html += "<tr>";
    for (std::size_t cell = at; cell <= end;) {
      const std::size_t comma = std::min(csv.find(',', cell), end);
      html += fmt::format("<{0}>{1}</{0}>", tag, escaped(csv.substr(cell, comma - cell)));
      cell = comma + 1;
    }
    html += "</tr>\n";
    tag = "td";
    at = end + 1;
  }
  return html + "</table></div>\n";
}

}  // namespace

std::string pageOfCharts(const std::string& title, const std::string& about, const std::vector<Chart>& charts,
                         const std::string& csv) {
  std::string body = "<h1>" + escaped(title) + "</h1>\n<p class=\"faint\">" + escaped(about) +
                     "</p>\n<section><div class=\"charts\">\n";
  for (const Chart& chart : charts) body += chart.figure() + "\n";
  body += "</div></section>\n<section><h2>Runs</h2>\n" + htmlTableOf(csv) + "</section>\n";
  return htmlPage(title, body, chartScript());
}

}  // namespace grashof
