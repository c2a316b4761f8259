#pragma once
/// A plot: curves, points and boxes over axes that are linear, logarithmic or a list of names. In pages it is
/// laid out for the screen; as SVG it has one size.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "engine/study/page.h"

namespace grashof {

struct ChartAxis {
  std::string label;
  bool logarithmic = false;
  double lower = 0.0, upper = 1.0;   ///< values beyond are drawn at the border
  std::vector<std::string> names{};  ///< of 0, 1, 2, ...: marks instead of numbers
};

/// One plot, to which curves, points and boxes are added.
class Chart {
 public:
  /// `legend`: width left for labels, px.
  Chart(std::string title, ChartAxis x, ChartAxis y, double legend = 150.0);

  double width() const;   ///< px
  double height() const;  ///< px

  /// A line through (x, y) in the colour of `series`; listed under `label` beside the plot.
  void curve(const std::vector<std::pair<double, double>>& points, int series, const std::string& label);
  void points(const std::vector<std::pair<double, double>>& points, int series, const std::string& label);
  /// Least, quartiles and greatest at `x`.
  void box(double x, const std::array<double, 5>& values, int series);
  /// Of values beside a cursor.
  void unit(const std::string& unit) { unit_ = unit; }
  /// In pages, a unit is as long along y as along x.
  void equalScales() { equal_ = true; }

  std::string svg() const;
  /// For a page with chartScript(). `wheel`: the wheel zooms, which keeps it from moving the page.
  std::string figure(bool wheel = false) const;

 private:
  double px(double x) const;
  double py(double y) const;
  void entry(int series, const std::string& label);

  /// Adds to the data of a page.
  void record(const char* kind, const std::vector<std::pair<double, double>>& points, int series,
              const std::string& label);

  std::string title_, unit_;
  ChartAxis x_, y_;
  double legendWidth_, bottom_;
  bool equal_ = false;
  std::string body_, legend_, series_, boxes_;  // series_, boxes_: items of JSON
  int entries_ = 0;
};

/// Plots of one size, one below the other, as a file of its own.
std::string svgFile(const std::vector<Chart>& charts);

/// A page of plots with the numbers that they draw. `about`: a sentence; `csv`: a table with headings,
/// without quotes.
std::string pageOfCharts(const std::string& title, const std::string& about, const std::vector<Chart>& charts,
                         const std::string& csv);

/// The smallest of 1, 2, 5 times a power of ten that is at least `x` > 0.
double roundStep(double x);

}  // namespace grashof
