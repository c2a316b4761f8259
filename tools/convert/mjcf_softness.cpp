#include "tools/convert/mjcf_softness.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace grashof::convert {
namespace {

constexpr double kLeastImpedance = 1e-4, kMostImpedance = 0.9999;  // MuJoCo's own bounds
constexpr double kNearlyNone = 1e-9;  // stands for a damping or stiffness of 0, which has no time constant
constexpr double kLeastWidth = 1e-15;

}  // namespace

SoftParameters readSoftness(xml::Element& e, const char* reference, const char* impedance) {
  SoftParameters p;
  const auto r = e.numbers(reference, {1, 2});
  const auto i = e.numbers(impedance, {1, 2, 3, 4, 5});
  std::copy(r.begin(), r.end(), p.reference.begin());
  std::copy(i.begin(), i.end(), p.impedance.begin());
  return p;
}

Softness softnessOf(const SoftParameters& p) {
  const auto bounded = [](double x) { return std::clamp(x, kLeastImpedance, kMostImpedance); };
  Softness s;
  s.kind = Softness::Kind::Impedance;
  s.impedance0 = bounded(p.impedance[0]);
  s.impedanceWidth = bounded(p.impedance[1]);
  s.width = p.impedance[2];
  s.midpoint = bounded(p.impedance[3]);
  s.power = std::max(p.impedance[4], 1.0);
  if (!(s.width > kLeastWidth)) {  // no sigmoid, but its mean
    s.impedance0 = s.impedanceWidth = 0.5 * (s.impedance0 + s.impedanceWidth);
    s.width = 1.0;
  }
  const auto [first, second] = p.reference;
  if (first > 0.0 && second > 0.0) {
    s.timeConstant = first;
    s.dampingRatio = second;
  } else if (first <= 0.0 && second <= 0.0) {
    // b = damping/dw and k = stiffness d/dw², where a time constant has b = 2/(dw T), k = d/(dw T ζ)².
    const double stiffness = std::max(-first, kNearlyNone), damping = std::max(-second, kNearlyNone);
    s.timeConstant = 2.0 / damping;
    s.dampingRatio = 0.5 * damping / std::sqrt(stiffness);
  }  // else: MuJoCo warns, and takes its defaults
  return s;
}

SoftParameters mixed(const SoftParameters& a, const SoftParameters& b, double share) {
  SoftParameters p;
  const bool times = a.reference[0] > 0.0 && b.reference[0] > 0.0;
  for (std::size_t i = 0; i < 2; ++i)
    p.reference[i] = times ? share * a.reference[i] + (1.0 - share) * b.reference[i]
                           : std::min(a.reference[i], b.reference[i]);
  for (std::size_t i = 0; i < 5; ++i)
    p.impedance[i] = share * a.impedance[i] + (1.0 - share) * b.impedance[i];
  return p;
}

}  // namespace grashof::convert
