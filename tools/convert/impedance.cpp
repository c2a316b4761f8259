#include "tools/convert/impedance.h"

#include <algorithm>
#include <cmath>

namespace grashof::convert {
namespace {

constexpr double kLeast = 1e-4, kMost = 1.0 - 1e-10;  // of an impedance
constexpr double kLeastFriction = 1e-5;               // MuJoCo's

}  // namespace

Softness scaledImpedance(Softness s, double ratio) {
  if (s.kind != Softness::Kind::Impedance || !(ratio > 0.0) || !std::isfinite(ratio) || ratio == 1.0)
    return s;
  const auto scaled = [&](double d) {
    return std::clamp(1.0 / (1.0 + (1.0 - d) / d * ratio), kLeast, kMost);
  };
  const double before = s.impedanceWidth;
  s.impedance0 = scaled(s.impedance0);
  s.impedanceWidth = scaled(s.impedanceWidth);
  // b = 2/(dw T) and k = d/(dw T ζ)² stay, the latter at full depth.
  s.timeConstant *= before / s.impedanceWidth;
  s.dampingRatio *= std::sqrt(s.impedanceWidth / before);
  return s;
}

double pyramidRatio(double friction, int condim) {
  return std::pow(std::max(friction, kLeastFriction), 2) / (condim - 1.0);
}

int condimOf(const SurfacePair& pair) {
  if (pair.rollingFriction > 0.0) return 6;
  if (pair.torsionalFriction > 0.0) return 4;
  return pair.friction > 0.0 ? 3 : 1;
}

void matchImpedances(LinkGraph& g) {
  for (GraphJoint& e : g.edges) {
    if (!e.alive) continue;
    for (std::size_t c = 0; c < e.axes.size() && c < e.names.size(); ++c) {
      const int joint = e.names[c].empty() ? -2 : g.tree.findJoint(e.names[c]);
      Softness& softness = e.axes[c].limit.softness;
      if (joint >= 0 && softness.kind == Softness::Kind::Impedance)
        softness.mobility = g.tree.joints[static_cast<std::size_t>(joint)].mobility;
    }
    if (e.softness.kind != Softness::Kind::Impedance) continue;
    const auto loop = std::find_if(g.tree.loops.begin(), g.tree.loops.end(),
                                   [&](const Loop& l) { return l.name == e.name && l.line == e.line; });
    if (loop != g.tree.loops.end()) e.softness.mobility = loop->mobility;
  }
}

}  // namespace grashof::convert
