#pragma once
/// Plots of channels over another one, such as the time.

#include <string>
#include <utility>
#include <vector>

#include "tools/grashof/drawing/chart.h"

namespace grashof {

inline constexpr double kPanelLegend = 300.0;  ///< px, room for the names beside a panel

/// A channel to draw.
struct PanelLine {
  std::string label;
  std::vector<std::pair<double, double>> points;
};

/// The lines over common axes; of one that lies on another its name says so. `most`: points of a line, of
/// which none is lost that is greatest or least. Throws InputError when there is no finite value.
Chart panel(const std::string& title, const std::string& xLabel, const std::string& unit,
            const std::vector<PanelLine>& lines, std::size_t most = 2000);

}  // namespace grashof
