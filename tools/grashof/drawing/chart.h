#pragma once
/// A plot as inline SVG: curves, points and boxes over axes that are linear, logarithmic or a list of names.

#include <array>
#include <string>
#include <utility>
#include <vector>

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

  std::string svg() const;

 private:
  double px(double x) const;
  double py(double y) const;
  void entry(int series, const std::string& label);

  std::string title_;
  ChartAxis x_, y_;
  double legendWidth_, bottom_;
  std::string body_, legend_;
  int entries_ = 0;
};

/// The smallest of 1, 2, 5 times a power of ten that is at least `x` > 0.
double roundStep(double x);

/// Text as it may stand in HTML and SVG.
std::string escaped(const std::string& text);

}  // namespace grashof
