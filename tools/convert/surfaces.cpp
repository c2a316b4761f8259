#include "tools/convert/surfaces.h"

#include <algorithm>

#include <fmt/format.h>

namespace grashof::convert {
namespace {

constexpr double kStiff = 1e9;       // N/m: stiffer contacts are rigid
constexpr double kUsualStep = 1e-3;  // s, of scenarios

Softness softnessOf(double stiffness, double damping, double timestep) {
  Softness s;
  if (!(stiffness < kStiff)) return s;
  const double sum = timestep * stiffness + damping;
  s.kind = Softness::Kind::Mixing;
  s.erp = timestep * stiffness / sum;
  s.cfm = 1.0 / sum;
  return s;
}

/// Springs in series; one of them may be rigid.
double inSeries(double a, double b) {
  return a < SurfaceWords::kRigid && b < SurfaceWords::kRigid ? a * b / (a + b) : std::min(a, b);
}

}  // namespace

SurfacePair pairOf(const SurfaceWords& a, const SurfaceWords& b, PairRule rule, double timestep) {
  const bool product = rule == PairRule::Product;
  const auto both = [&](double x, double y) { return product ? x * y : std::min(x, y); };
  SurfacePair pair;
  pair.friction = both(a.friction, b.friction);
  if (const double across = both(a.across, b.across); across != pair.friction) pair.frictionAcross = across;
  pair.restitution = both(a.restitution, b.restitution);
  // Bullet weighs the moments of each by the friction of the other.
  pair.rollingFriction = a.rolling * b.friction + b.rolling * a.friction;
  pair.torsionalFriction = a.spinning * b.friction + b.spinning * a.friction;
  pair.softness = softnessOf(inSeries(a.stiffness, b.stiffness), a.damping + b.damping, timestep);
  return pair;
}

void setFriction(SurfaceWords& words, double along, double across, bool directed, Report& report) {
  const auto bounded = [&](double mu) {
    if (mu < 0.0)
      Report::once(report.approximated,
                   fmt::format("friction without a bound (mu below 0) as {:g}", kNoSlip));
    return mu < 0.0 ? kNoSlip : std::min(mu, kNoSlip);
  };
  words.friction = bounded(along);
  words.across = bounded(across);
  if (directed || words.friction == words.across) return;
  Report::once(report.approximated, "friction that differs by direction (mu, mu2) by the mean of both");
  words.friction = words.across = 0.5 * (words.friction + words.across);
}

int SurfaceBook::materialOf(const SurfaceWords& words, Tree& tree) {
  const auto known = std::find(words_.begin(), words_.end(), words);
  if (known != words_.end()) return static_cast<int>(known - words_.begin());
  const int own = static_cast<int>(words_.size());
  const double step = tree.timestep.value_or(kUsualStep);
  words_.push_back(words);
  Material material;
  material.name = own == 0 ? "default" : fmt::format("surface{}", own);
  material.surface = pairOf(words, words, rule_, step);
  tree.materials.push_back(material);
  for (int i = 0; i < own; ++i)
    tree.surfaces[{i, own}] = pairOf(words_[static_cast<std::size_t>(i)], words, rule_, step);
  return own;
}

}  // namespace grashof::convert
