#pragma once
/// The page of a report: one HTML file without a network, to read and to print.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace grashof {

/// Pictures of a report, as inline SVG or HTML.
struct ReportPictures {
  std::string motion;               ///< the mechanism in motion, SVG
  std::string paths;                ///< of the origins of bodies, a chart; empty: none
  std::string film;                 ///< a whole page that shows the run; empty: none
  std::vector<std::string> energy;  ///< charts
  std::vector<std::string> loads;
};

/// The page of `report`, what `grashof report --json` prints in SI; the page has the units of the scenario's
/// file. All names in it are escaped.
std::string reportPage(const nlohmann::ordered_json& report, const ReportPictures& pictures);

}  // namespace grashof
