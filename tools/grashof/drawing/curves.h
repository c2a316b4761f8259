#pragma once
/// Curves of points of a mechanism, as tables and pictures.

#include <string>
#include <vector>

#include "engine/base/math.h"
#include "engine/scenario/display_units.h"
#include "tools/grashof/drawing/chart.h"

namespace grashof {

/// The path of one point of a mechanism over an input coordinate.
struct Curve {
  std::string name;
  std::vector<double> input;  ///< m, rad
  std::vector<Vec3> points;   ///< in the world, one per input
};

/// `input`, then x y z of each curve. Throws FileError when the file cannot be written.
void writeCurves(const std::string& path, const std::string& input, const std::vector<Curve>& curves);

/// The curves in the coordinate plane nearest to their plane of best fit, for a page. Throws InputError
/// without points.
Chart curvesChart(const std::vector<Curve>& curves, const DisplayUnits::Shown& length);

/// The same as SVG, with axes in metres. Throws InputError without points and FileError when the file cannot
/// be written.
void drawCurves(const std::string& path, const std::vector<Curve>& curves);

}  // namespace grashof
