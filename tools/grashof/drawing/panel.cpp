#include "tools/grashof/drawing/panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "tools/grashof/drawing/chart.h"

namespace grashof {
namespace {

/// The points that have finite numbers: where a value is not known, nothing is drawn.
std::vector<std::pair<double, double>> finiteOf(std::vector<std::pair<double, double>> points) {
  std::erase_if(points, [](const auto& p) { return !std::isfinite(p.first) || !std::isfinite(p.second); });
  return points;
}

/// At most `most` points: the least and greatest of each part, in order, so that no peak is lost.
std::vector<std::pair<double, double>> thinned(const std::vector<std::pair<double, double>>& all,
                                               std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::pair<double, double>> kept;
  const std::size_t parts = most / 2;
  for (std::size_t p = 0; p < parts; ++p) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(p * all.size() / parts);
    const auto to = all.begin() + static_cast<std::ptrdiff_t>((p + 1) * all.size() / parts);
    auto [low, high] =
        std::minmax_element(from, to, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (high < low) std::swap(low, high);
    kept.push_back(*low);
    if (low != high) kept.push_back(*high);
  }
  return kept;
}

/// Whether two lines cannot be told apart in a plot of this height.
bool coincide(const PanelLine& a, const PanelLine& b, double height) {
  return a.points.size() == b.points.size() &&
         std::equal(a.points.begin(), a.points.end(), b.points.begin(), [&](const auto& p, const auto& q) {
           return p.first == q.first && (std::abs(p.second - q.second) <= 2e-3 * height ||
                                         (std::isnan(p.second) && std::isnan(q.second)));
         });
}

/// The name of a line; of one that lies on an earlier one also that.
std::string nameOf(const std::vector<PanelLine>& lines, std::size_t i, double height) {
  for (std::size_t k = 0; k < i; ++k)
    if (coincide(lines[k], lines[i], height))
      return fmt::format("{} (lies on {})", lines[i].label, lines[k].label);
  return lines[i].label;
}

}  // namespace

Chart panel(const std::string& title, const std::string& xLabel, const std::string& unit,
            const std::vector<PanelLine>& lines, std::size_t most) {
  ChartAxis x{xLabel, false, 1e300, -1e300, {}}, y{unit, false, 1e300, -1e300, {}};
  for (const PanelLine& line : lines)
    for (const auto& [a, b] : line.points) {
      if (!std::isfinite(a) || !std::isfinite(b)) continue;
      x.lower = std::min(x.lower, a), x.upper = std::max(x.upper, a);
      y.lower = std::min(y.lower, b), y.upper = std::max(y.upper, b);
    }
  if (x.lower > x.upper) throw InputError(title + ": there is no finite value to draw");
  for (ChartAxis* axis : {&x, &y}) {
    const double least = std::max(1e-300, 1e-12 * std::max(std::abs(axis->lower), std::abs(axis->upper)));
    if (axis->upper - axis->lower < least) {
      const double half = std::max(0.5 * std::abs(axis->lower), 1e-12);
      axis->lower -= half, axis->upper += half;
    }
  }
  const double height = y.upper - y.lower;
  const double room = 0.04 * (y.upper - y.lower);
  y.lower -= room, y.upper += room;
  Chart chart(title, x, y, kPanelLegend);
  for (std::size_t i = 0; i < lines.size(); ++i)
    chart.curve(thinned(finiteOf(lines[i].points), most), static_cast<int>(i), nameOf(lines, i, height));
  chart.unit(unit);
  return chart;
}

}  // namespace grashof
