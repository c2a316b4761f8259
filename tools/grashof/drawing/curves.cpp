#include "tools/grashof/drawing/curves.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "tools/grashof/drawing/chart.h"

namespace grashof {
namespace {

constexpr double kCurvesWidth = 800.0, kMargin = 60.0;
constexpr std::array<const char*, 6> kColours = {"#0072b2", "#d55e00", "#009e73",
                                                 "#cc79a7", "#e69f00", "#56b4e9"};

}  // namespace

void writeCurves(const std::string& path, const std::string& input, const std::vector<Curve>& curves) {
  std::string text = input;
  for (const Curve& c : curves) text += fmt::format(",{0}.x,{0}.y,{0}.z", c.name);
  text += '\n';
  for (std::size_t i = 0; !curves.empty() && i < curves[0].points.size(); ++i) {
    text += fmt::format("{}", curves[0].input[i]);
    for (const Curve& c : curves)
      text += fmt::format(",{},{},{}", c.points[i].x(), c.points[i].y(), c.points[i].z());
    text += '\n';
  }
  saveText(path, text);
}

namespace {

/// The axis of the world that is nearest to the direction in which the points spread least. Throws InputError
/// if there are none.
Eigen::Index axisAcross(const std::string& path, const std::vector<Curve>& curves) {
  Vec3 mean = Vec3::Zero();
  std::size_t count = 0;
  for (const Curve& c : curves)
    for (const Vec3& p : c.points) mean += p, ++count;
  if (count == 0) throw InputError(path + ": there is nothing to draw");
  mean /= static_cast<double>(count);
  Mat3 spread = Mat3::Zero();
  for (const Curve& c : curves)
    for (const Vec3& p : c.points) spread += (p - mean) * (p - mean).transpose();
  const Vec3 normal = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors().col(0);
  Eigen::Index across = 0;
  normal.cwiseAbs().maxCoeff(&across);
  return across;
}

}  // namespace

Chart curvesChart(const std::vector<Curve>& curves, const DisplayUnits::Shown& length) {
  const Eigen::Index across = axisAcross("paths", curves);
  const int h = across == 0 ? 1 : 0, v = across == 2 ? 1 : 2;
  Vec2 low = Vec2::Constant(1e300), high = -low;
  for (const Curve& c : curves)
    for (const Vec3& p : c.points) {
      low = low.cwiseMin(Vec2(length(p[h]), length(p[v])));
      high = high.cwiseMax(Vec2(length(p[h]), length(p[v])));
    }
  const Vec2 room = Vec2::Constant(std::max(0.05 * (high - low).maxCoeff(), 1e-9));
  low -= room;
  high += room;
  Chart chart("Paths of origins", {fmt::format("{}, {}", "xyz"[h], length.unit), false, low.x(), high.x()},
              {fmt::format("{}, {}", "xyz"[v], length.unit), false, low.y(), high.y()});
  for (std::size_t k = 0; k < curves.size(); ++k) {
    std::vector<std::pair<double, double>> points;
    for (const Vec3& p : curves[k].points) points.emplace_back(length(p[h]), length(p[v]));
    chart.curve(points, static_cast<int>(k), curves[k].name);
  }
  chart.equalScales();
  return chart;
}

void drawCurves(const std::string& path, const std::vector<Curve>& curves) {
  const Eigen::Index across = axisAcross(path, curves);
  const int h = across == 0 ? 1 : 0, v = across == 2 ? 1 : 2;
  Vec2 low = Vec2::Constant(1e300), high = -low;
  for (const Curve& c : curves)
    for (const Vec3& p : c.points) {
      low = low.cwiseMin(Vec2(p[h], p[v]));
      high = high.cwiseMax(Vec2(p[h], p[v]));
    }
  const double size = std::max({high.x() - low.x(), high.y() - low.y(), 1e-9});
  low -= Vec2::Constant(0.05 * size);
  high += Vec2::Constant(0.05 * size);
  const double scale = (kCurvesWidth - 2.0 * kMargin) / (high - low).maxCoeff();
  const double width = 2.0 * kMargin + scale * (high.x() - low.x()),
               height = 2.0 * kMargin + scale * (high.y() - low.y());
  const auto x = [&](double q) { return kMargin + scale * (q - low.x()); };
  const auto y = [&](double q) { return height - kMargin - scale * (q - low.y()); };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height + 22.0 * static_cast<double>(curves.size()));
  const double step = roundStep((high - low).maxCoeff() / 8.0);
  // Multiples of the step between two bounds.
  const auto ticks = [&](double from, double to) {
    std::vector<double> all;
    for (auto k = std::llround(std::ceil(from / step)); static_cast<double>(k) * step <= to; ++k)
      all.push_back(static_cast<double>(k) * step);
    return all;
  };
  for (const double q : ticks(low.x(), high.x()))
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
        "text-anchor=\"middle\">{4:.4g}</text>\n",
        x(q), kMargin, height - kMargin, height - kMargin + 18.0, q);
  for (const double q : ticks(low.y(), high.y()))
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" stroke=\"#ddd\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.4g}</text>\n",
        kMargin, y(q), width - kMargin, kMargin - 6.0, y(q) + 4.0, q);
  svg += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{} in m</text><text x=\"12\" y=\"{:.1f}\">{} "
      "in m</text>\n",
      0.5 * width, height - 14.0, "xyz"[h], kMargin - 16.0, "xyz"[v]);
  for (std::size_t k = 0; k < curves.size(); ++k) {
    std::string d;
    for (const Vec3& p : curves[k].points)
      d += fmt::format("{}{:.2f} {:.2f}", d.empty() ? "M" : "L", x(p[h]), y(p[v]));
    const char* colour = kColours[k % kColours.size()];
    const double line = height + 22.0 * static_cast<double>(k);
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", d, colour);
    svg += fmt::format(
        "<path d=\"M{0} {1:.1f}h24\" stroke=\"{2}\" stroke-width=\"3\"/><text x=\"{3}\" "
        "y=\"{4:.1f}\">{5}</text>\n",
        kMargin, line, colour, kMargin + 32.0, line + 4.0, escaped(curves[k].name));
  }
  saveText(path, svg + "</svg>\n");
}

}  // namespace grashof
