#pragma once
/// Plots of channels over another one, such as the time.

#include <string>
#include <utility>
#include <vector>

namespace grashof {

inline constexpr double kPanelLegend = 300.0;  ///< px, room for the names beside a panel

/// A channel to draw.
struct PanelLine {
  std::string label;
  std::vector<std::pair<double, double>> points;
};

/// The lines over common axes, as inline SVG. Throws InputError when there is no finite value.
std::string panel(const std::string& title, const std::string& xLabel, const std::string& unit,
                  const std::vector<PanelLine>& lines);

}  // namespace grashof
